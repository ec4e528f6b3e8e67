"""How far muscle forces can be trusted: verdict, reserves, muscles at their limits, scaling, and other assumptions."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QPushButton, QScrollArea, QWidget

from biomec.base.progress import Progress
from biomec.body.muscles.muscle_sensitivity import MuscleSensitivity, muscle_sensitivity
from biomec.body.muscles.shortages import ACCEPTED_SHARE
from biomec.pipeline.analysis import Analysis
from biomec_app.curves.curve import capital
from biomec_app.features.muscles.curves import reserve_keys
from biomec_app.features.muscles.readings import STEP, has_muscles, readings_of
from biomec_app.features.muscles.trust_content import (
    facts_text,
    sensitivity_text,
    tint_of,
    verdict_text,
)
from biomec_app.kit.bar_chart import Bar, BarChart
from biomec_app.kit.judged_pages import VerdictFrame
from biomec_app.kit.rich_text import rich_label
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.session.context import Context

SENSITIVITY = "Other assumptions about muscles"
MOST_ROWS = 12
RESERVE_NOTE = "N·m, of the greatest torque; dashed: 5 %"
FULL = 0.25  # of the greatest torque: a reserve that is a whole bar, unless one is greater


class MuscleTrustTab(QScrollArea):
    """The page; other assumptions are tried only if somebody asks, in the background."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._theme: Theme = LIGHT
        self._known: Analysis | None = None
        self.sensitivity: MuscleSensitivity | None = None
        self.setObjectName("muscles.trust")
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verdict = rich_label("muscles.verdict", "Verdict about muscle forces")
        self.frame = VerdictFrame("musclesFrame", self.verdict)
        self.reserves = BarChart("muscles.reserves", "Carried by no muscle", RESERVE_NOTE, least=6)
        self.reserves.chosen.connect(self._plot_reserve)
        self.facts = rich_label("muscles.states", "Muscles at their limits, scaling and sources")
        self.try_ = QPushButton("Try &Other Assumptions")
        self.try_.setObjectName("muscles.sensitivity")
        self.try_.setToolTip(
            "Solve some frames again with weaker and stronger muscles and other criteria, and show what changes"
        )
        self.try_.clicked.connect(self.find_sensitivity)
        self.changes = rich_label("muscles.changes", "What other assumptions change")
        inside = QWidget()
        grid = QGridLayout(inside)
        grid.setContentsMargins(8, 6, 8, 4)
        grid.setVerticalSpacing(6)
        for row, part in enumerate((self.frame, self.reserves, self.facts, self.try_, self.changes)):
            grid.addWidget(part, row, 0)
        grid.setAlignment(self.try_, Qt.AlignmentFlag.AlignRight)
        grid.setRowStretch(5, 1)
        self.setWidget(inside)
        for signal in (context.aside.started, context.aside.finished, context.aside.failed, context.aside.cancelled):
            signal.connect(self._show_button)

    def set_analysis(self, analysis: Analysis) -> None:
        """Judge the muscle forces of an analysis."""
        if self._known is not None and self._known.muscles is not analysis.muscles:
            self.sensitivity = None
        self._known = analysis
        self._show()

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of a theme."""
        self._theme = theme
        self.reserves.set_theme(theme)
        self._show()

    def _show(self) -> None:
        known = self._known
        if known is None or not has_muscles(known):
            return
        theme, trust = self._theme, known.muscles.trust
        self.frame.set_tint(theme, tint_of(trust.grade, theme))
        self.verdict.setText(verdict_text(trust, not known.is_current(STEP), theme))
        bars = [
            Bar(
                capital(one.torque), (one.largest_Nm / max(one.wanted_Nm, 1.0),),
                f"{one.largest_Nm:.1f} of {one.wanted_Nm:.0f}",
                f"{capital(one.torque)}: no muscle carries up to {one.largest_Nm:.1f} N·m; the greatest torque is "
                f"{one.wanted_Nm:.1f} N·m. It is too much in {100.0 * one.share:.0f} % of the frames. Click to plot.",
                one.row,
            )
            for one in trust.reserves[:MOST_ROWS]
        ]  # fmt: skip
        self.reserves.set_bars(bars, ("rebuilt",), limit=ACCEPTED_SHARE, full=FULL)
        self.facts.setText(facts_text(known, readings_of(known)))
        words = "" if self.sensitivity is None else sensitivity_text(self.sensitivity, theme)
        self.changes.setText(words)
        self.changes.setVisible(bool(words))
        self._show_button()

    def _show_button(self, *_: str) -> None:
        self.try_.setEnabled(self._known is not None and self.sensitivity is None and not self._context.aside.busy)

    def find_sensitivity(self) -> None:
        """Try other assumptions in the background."""
        known = self._known
        if known is None or self._context.aside.busy:
            return
        question, counted = known.muscles.question, readings_of(known).counted

        def work(progress: Progress) -> MuscleSensitivity:
            return muscle_sensitivity(question, counted=counted, progress=progress)

        def done(found: MuscleSensitivity) -> None:
            if self._known is not None and has_muscles(self._known) and self._known.muscles is known.muscles:
                self.sensitivity = found
                self._show()

        self._context.aside.start(SENSITIVITY, work, done)

    def _plot_reserve(self, torque: object) -> None:
        """Plot a torque and what no muscle carries of it."""
        self._context.document.select(curves=reserve_keys(str(torque)))
        self._context.plots.look_asked.emit()
