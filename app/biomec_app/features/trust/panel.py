"""Trust at a glance: one screen that says how far the movement can be trusted, and where it fits worst."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from biomec.base.errors import BiomecError
from biomec.base.notices import LEADING
from biomec.base.plain_text import html
from biomec.body.kinematics.consistency_notices import LARGE_RESIDUAL, LARGE_SHIFT
from biomec.engine.joint_kinds import TREE_KINDS
from biomec.pipeline.analysis import KINEMATICS, Analysis
from biomec.pipeline.frame_map import frame_map
from biomec.reporting.statistics.constraint_checks import GOOD_AFTER, UNITS, USUAL_BEFORE
from biomec.reporting.statistics.recording_quality import DistanceSpread
from biomec.reporting.trust import Finding, Level, Trust, TypeViolation, trust
from biomec_app.features.trust.course import CourseView
from biomec_app.kit.bar_chart import Bar, BarChart
from biomec_app.kit.judged_pages import JudgedPages, VerdictFrame
from biomec_app.kit.rich_text import rich, rich_label
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.kit.words import point_words, with_code
from biomec_app.session.context import Context

MILLIMETRE = 1e3
TITLE = "Kinematic Analysis"
SHORT = {
    "rigid": "Segments",
    **{key: kind.plural.capitalize() for key, kind in TREE_KINDS.items()},
    "ellipsoid": "Scapula on ribs",
    "temporary": "Ground contact",
}
SIGNS = {Level.GOOD: "✓", Level.CHECK: "!", Level.POOR: "✕"}
LOWEST, HIGHEST = -18.0, 0.0  # powers of ten of the violations


class TrustPanel(QWidget):
    """The verdict, the worst parts as links, markers, landmarks and constraints as bars, and the fit over time."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context, self._document = context, context.document
        self.setObjectName("trust")
        self._theme = LIGHT
        self._known: Analysis | None = None
        self.trust: Trust | None = None
        self._later = QTimer(self)  # judging takes a while with many frames; the window draws first
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self._judge)
        self._build()
        self._document.opened.connect(self._forget)
        self._document.analysis_changed.connect(self.refresh)
        self._document.frame_changed.connect(self._show_frame)
        self.refresh()

    def _build(self) -> None:
        self.verdict = rich_label("trust.verdict", "Verdict about the movement")
        self.frame = VerdictFrame("trustFrame", self.verdict)
        self.findings = rich_label("trust.findings", "Where it fits worst", links=True)
        self.findings.setToolTip("Click a name to go to its worst frame and to pick it in the 3-D view")
        self.findings.linkActivated.connect(lambda link: self.go(int(link)))
        self.markers = BarChart("trust.markers", "Markers", "to model, rms in mm")
        self.landmarks = BarChart("trust.landmarks", "Landmarks", "mean shift in mm")
        self.violations = BarChart(
            "trust.violations",
            "Constraints",
            f"mean; good below {_power(GOOD_AFTER)}",
            least=len(SHORT),
        )
        self.violations.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.course = CourseView()
        self.course.picked.connect(self._document.set_frame)
        for chart in (self.markers, self.landmarks):
            chart.chosen.connect(self._chosen)
        content = QWidget()
        grid = QGridLayout(content)
        grid.setContentsMargins(8, 4, 8, 2)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(2)
        grid.addWidget(self.frame, 0, 0, 1, 2)
        grid.addWidget(self.findings, 1, 0, 1, 2)
        grid.addWidget(self.markers, 2, 0)
        grid.addWidget(self.landmarks, 2, 1)
        grid.addWidget(self.violations, 3, 0, 1, 2)
        over = rich(QLabel("<b>Over time</b>"))
        self.over = QLabel("markers to model, rms in mm")
        self.over.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.over.setMinimumWidth(1)
        grid.addWidget(over, 4, 0)
        grid.addWidget(self.over, 4, 0, 1, 2)
        grid.addWidget(self.course, 5, 0, 1, 2)
        for row, stretch in ((2, 4), (5, 2)):
            grid.setRowStretch(row, stretch)
        self.pages = JudgedPages("trust", content)
        self.pages.asked.connect(self._run)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.pages)

    # ------------------------------------------------------------------ content

    def showEvent(self, event: QShowEvent) -> None:
        """Judge what has changed while nobody looked."""
        super().showEvent(event)
        self.refresh()

    def _forget(self) -> None:
        self._known, self.trust = None, None
        self.refresh()

    def refresh(self) -> None:
        """Judge the analysis as it is now; that waits until somebody looks."""
        if not self._document.is_open:
            self.pages.tell("No recording is open.")
            return
        if self.isVisible() and self._document.analysis is not self._known:
            self._later.start()

    def _judge(self) -> None:
        if not self._document.is_open:
            return
        self._known = self._document.analysis
        try:
            self.trust = trust(self._known)
        except BiomecError as error:
            self.trust = None
            self.pages.tell(f'{html(str(error))}<br><br><a href="run">Run the kinematic analysis</a>')
            return
        self._show(self.trust)

    def _run(self) -> None:
        """Run what there is to judge."""
        try:
            self.context.run_until(KINEMATICS, TITLE)
        except BiomecError as error:
            self.context.user.fail(TITLE, str(error))

    def _show(self, found: Trust) -> None:
        assert self._known is not None
        self.pages.show_content()
        self._show_words(found)
        markers = {one.name: one for one in found.markers}
        self.markers.set_bars([self._marker(one) for one in markers.values()], limit=MILLIMETRE * LARGE_RESIDUAL)
        ordered = sorted(found.landmarks, key=lambda one: -one.mean)
        self.landmarks.set_bars([self._landmark(one) for one in ordered], ("middle",), limit=MILLIMETRE * LARGE_SHIFT)
        bars = [
            Bar(SHORT.get(one.kind, one.words), (one.before, one.after), _violation(one), _judged(one))
            for one in found.violations
        ]
        self.violations.set_bars(
            bars, ("rebuilt", "measured"), log=(LOWEST, HIGHEST), legend=("as measured", "consistent")
        )
        self.course.set_content(frame_map(self._known), found.fit)
        self._show_frame(self._document.frame)

    def _marker(self, one: DistanceSpread) -> Bar:
        tip = (
            f"{self._called(one.name, marker=True)}: {MILLIMETRE * one.rms:.1f} mm (rms) from the model, "
            f"median {MILLIMETRE * one.median:.1f}, "
            f"95 % below {MILLIMETRE * one.p95:.1f}, at most {MILLIMETRE * one.largest:.1f}."
        )
        value = MILLIMETRE * one.rms
        return Bar(one.name, (value,), f"{value:.1f}", tip, Finding("", one.name, "", marker=one.name))

    def _called(self, name: str, marker: bool = False) -> str:
        """A marker or landmark in words, with its code."""
        known = self._known if marker else None
        named = known.preparation.marker_set if known is not None and "preparation" in known.done else None
        return with_code(name, point_words(name, named))

    def _landmark(self, one: DistanceSpread) -> Bar:
        value = MILLIMETRE * one.mean
        tip = (
            f"{self._called(one.name)} was moved by {value:.1f} mm on average, {MILLIMETRE * one.largest:.1f} at most."
        )
        return Bar(one.name, (value,), f"{value:.1f}", tip, Finding("", one.name, "", landmark=one.name))

    def _show_words(self, found: Trust) -> None:
        theme = self._theme
        tint = {Level.GOOD: theme.contact, Level.CHECK: theme.rebuilt, Level.POOR: theme.failed}[found.level]
        self.frame.set_tint(theme, tint)
        head, _, rest = found.verdict.partition(". ")
        reasons = "".join(f"<br>• {html(reason)}" for reason in found.reasons[:LEADING])
        more = len(found.reasons) - LEADING
        if more > 0:
            reasons += f"<br>and {more} more reason{'s' if more > 1 else ''}; see the notices below."
        stale = ""
        if self._known is not None and not self._known.is_current("positions"):
            stale = "<br><i>Settings have changed since; run the analysis again.</i>"
        self.verdict.setText(
            f'<span style="color:{tint}; font-weight:bold">{SIGNS[found.level]}</span>&nbsp; '
            f"<b>{html(head)}.</b> {html(rest)}{reasons}{stale}"
        )
        rows = "".join(
            f'<tr><td style="color:{theme.faint}; padding-right:8px; white-space:nowrap">{html(one.title)}</td>'
            f'<td><a href="{k}" style="color:{theme.accent}">{html(self._named(one))}</a>'
            f'&nbsp; <span style="color:{theme.text}">{html(one.detail)}</span></td></tr>'
            for k, one in enumerate(found.findings)
        )
        self.findings.setText(f"<table cellspacing=0 cellpadding=1>{rows}</table>")

    def _named(self, finding: Finding) -> str:
        """What a finding is about; codes of markers and landmarks in words."""
        if finding.marker == finding.words or finding.landmark == finding.words:
            return self._called(finding.words, marker=finding.marker is not None)
        return finding.words

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of a theme."""
        self._theme = theme
        for part in (self.markers, self.landmarks, self.violations, self.course):
            part.set_theme(theme)
        self.over.setStyleSheet(f"color: {theme.faint}; font-size: 8pt")
        if self.trust is not None:
            self._show_words(self.trust)

    # ------------------------------------------------------------------ what the user does

    def go(self, number: int) -> None:
        """Go to what a link names."""
        if self.trust is not None and 0 <= number < len(self.trust.findings):
            self._look_at(self.trust.findings[number])

    def _chosen(self, finding: Finding) -> None:
        """Go to where a marker or landmark of the bars is worst."""
        known = None if self.trust is None else next((f for f in self.trust.findings if f.words == finding.words), None)
        self._look_at(known or finding)

    def _look_at(self, finding: Finding) -> None:
        point = finding.marker or finding.landmark
        if point is not None:
            self._document.select(point=point, segment=None)
        elif finding.segment is not None:
            self._document.select(segment=finding.segment, point=None)
        if finding.frame is not None:
            self._document.set_frame(finding.frame)

    def _show_frame(self, frame: int) -> None:
        if self.isVisible():
            self.course.set_frame(frame)


def _violation(one: TypeViolation) -> str:
    """Both means with their unit: 3·10⁻³ → 2·10⁻¹⁵ m."""
    unit = UNITS.get(one.kind, "")
    return f"{_power(one.before)} → {_power(one.after)} {'(scaled)' if ' ' in unit else unit}".rstrip()


def _judged(one: TypeViolation) -> str:
    """Sentences about a type of constraint: what it is counted in, and whether that is good."""
    unit = UNITS.get(one.kind, "")
    sentence = f"{one.words}: {_power(one.before)} as measured, {_power(one.after)} when consistent"
    sentence += f" ({unit}), the mean of a row. " if unit else ", the mean of a row. "
    if not math.isfinite(one.after):
        return f"{sentence}No frame was solved."
    good = "This is good" if one.after <= GOOD_AFTER else "This is too much: look at the frames that did not converge"
    return (
        f"{sentence}{good}; consistent movements stay below {_power(GOOD_AFTER)}, and as measured up to "
        f"{_power(USUAL_BEFORE)} is usual."
    )


def _power(value: float) -> str:
    """A violation as a power of ten, short: 2·10⁻⁵."""
    if not math.isfinite(value):
        return "–"
    if value == 0.0:
        return "0"
    mantissa, exponent = f"{value:.0e}".split("e")
    return f"{mantissa}·10{str(int(exponent)).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"
