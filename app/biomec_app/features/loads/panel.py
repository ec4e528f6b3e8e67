"""Joint loads at a glance: how far to trust them, which joints are in doubt, and what of them is plotted and drawn."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from biomec.base.plain_text import html
from biomec.base.progress import Progress
from biomec.body.loads.contributions import PARTS
from biomec.body.loads.residuals import THRESHOLDS
from biomec.body.loads.sensitivity import JointDoubt, LoadBand
from biomec.pipeline.analysis import Analysis, run_first
from biomec.pipeline.load_sensitivity import CUTOFF, doubts_of, load_sensitivity
from biomec.pipeline.outlook import obstacle_of_loads
from biomec_app.curves.curve import capital
from biomec_app.features.loads.arrow_row import ArrowRow
from biomec_app.features.loads.plotted import PlottedLoads
from biomec_app.features.loads.readings import Readings, has_loads
from biomec_app.features.loads.residual_course import ResidualCourse
from biomec_app.features.loads.trust_content import LoadTrustPage, trust_page
from biomec_app.features.loads.trust_words import (
    facts_text,
    places_text,
    residual_text,
    steps_text,
    tints_of,
    verdict_text,
)
from biomec_app.kit.bar_chart import Bar, BarChart
from biomec_app.kit.dock_tabs import bring_forward
from biomec_app.kit.judged_pages import JudgedPages, VerdictFrame
from biomec_app.kit.rich_text import rich, rich_label
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.kit.words import FROM_START, zero_told
from biomec_app.session.context import Context

DOUBT = "How far the loads may be off"
RUN = "Inverse Dynamics"
CUTOFF_HZ = 1.0  # by which the cut-off frequencies are lowered and raised


class LoadPanel(QWidget):
    """Verdict, limits, places to look at, doubt of every joint, residual over time; what of the loads is plotted."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context, self._document = context, context.document
        self.setObjectName("loads")
        self._theme = LIGHT
        self._known: Analysis | None = None
        self.page: LoadTrustPage | None = None
        self.doubts: tuple[JointDoubt, ...] = ()
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self._judge)
        self._build()
        document = self._document
        document.opened.connect(self.refresh)
        document.analysis_changed.connect(self._analysis_changed)
        document.frame_changed.connect(self._show_frame)
        context.aside.started.connect(self._show_filter)  # methods: they are let go with the panel
        context.aside.failed.connect(self._show_filter)
        context.aside.finished.connect(self._aside_finished)
        context.closing.append(self._later.stop)
        self.refresh()

    # ------------------------------------------------------------------ building

    def _build(self) -> None:
        self.verdict = rich_label("loads.verdict", "Verdict about the loads")
        self.steps = rich_label("loads.steps", "Contacts with plates and their joints", links=True)
        self.table = rich_label("loads.thresholds", "Residual beside published limits")
        self.facts = rich_label("loads.facts", "Balance, methods and ground reaction")
        self.places = rich_label("loads.places", "Where to look", links=True)
        self.places.linkActivated.connect(lambda link: self.go(int(link)))
        self.steps.linkActivated.connect(lambda link: self.go_to_step(int(link)))
        self.frame = VerdictFrame("loadsFrame", self.verdict, self.steps)
        self.plotted = PlottedLoads(self.context)
        self.arrows = ArrowRow(self._document)
        self.bars = BarChart("loads.doubt", "How far moments may be off", "RMS, in % of the peak", least=5)
        self.bars.chosen.connect(self.plotted.plot_joint)
        self.filter = QPushButton("Include the &Filter")
        self.filter.setObjectName("loads.filter")
        self.filter.setToolTip(
            "Run the analysis twice more, with cut-off frequencies 1 Hz lower and higher, and add what changes"
        )
        self.filter.clicked.connect(lambda: self._find_band(CUTOFF_HZ))
        self.course = ResidualCourse()
        self.course.picked.connect(self._document.set_frame)
        self.over = rich(QLabel(f"<b>Residual over time {FROM_START}</b>"))
        content = QWidget()
        grid = QGridLayout(content)
        grid.setContentsMargins(8, 6, 8, 4)
        grid.setVerticalSpacing(5)
        rows = (self.frame, self.plotted, self.arrows, self.table, self.facts, self.places, self.bars)
        for row, part in enumerate(rows):
            grid.addWidget(part, row, 0)
        grid.addWidget(self.filter, 7, 0, Qt.AlignmentFlag.AlignRight)
        grid.addWidget(self.over, 8, 0)
        grid.addWidget(self.course, 9, 0)
        grid.setRowStretch(6, 3)
        grid.setRowStretch(9, 2)
        self.pages = JudgedPages("loads", content)
        self.pages.asked.connect(lambda: self.context.run_until("loads"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.pages)

    # ------------------------------------------------------------------ content

    def showEvent(self, event: QShowEvent) -> None:
        """Judge what has changed while nobody looked."""
        super().showEvent(event)
        self.refresh()

    def _analysis_changed(self) -> None:
        """Come to the front when loads were computed."""
        before = self._before_loads
        self._before_loads = self._document.analysis.done.get("loads") if self._document.is_open else None
        self.refresh()
        if self._before_loads is not None and self._before_loads is not before and self.context.jobs.title == RUN:
            bring_forward(self)

    _before_loads: object = None

    def refresh(self) -> None:
        """Judge the analysis as it is now; that waits until somebody looks."""
        document = self._document
        if not document.is_open:
            self._known = None
            self._tell("No recording is open.")
        elif not has_loads(document.analysis):
            self._known = document.analysis
            reason = obstacle_of_loads(document.analysis)
            todo = f'{html(run_first("loads"))}<br><br><a href="run">Compute the joint loads</a>'
            self._tell(html(reason) or todo)
        elif self.isVisible() and document.analysis is not self._known:
            self._later.start()

    def _tell(self, sentence: str) -> None:
        self.page = None
        self.plotted.forget()
        self.pages.tell(sentence)

    def _judge(self) -> None:
        if not self._document.is_open or not has_loads(self._document.analysis):
            return
        self._known = self._document.analysis
        self.page = trust_page(self._known)
        self.pages.show_content()
        self.plotted.set_analysis(self._known)
        self._show_words(self.page)
        counting = THRESHOLDS if self._known.loads.reduced is not None else ()  # limits after residual reduction
        limits = tuple(one.force_rms for one in counting), tuple(one.torque_rms for one in counting)
        rate = self._known.signals.trial.rate_hz
        self.course.set_content(self.page.force, self.page.torque, self.page.counted, rate, limits)
        self._show_frame(self._document.frame)
        self.arrows.show_view()
        self._show_doubts()
        self._find_band()

    def _aside_finished(self, title: str) -> None:
        self._find_band()
        self._show_filter()

    def _find_band(self, cutoff_hz: float = 0.0) -> None:
        """Find the band in the background, once; the filter's part only if asked, because it runs everything again."""
        if self._known is None or not has_loads(self._known) or self.context.aside.busy or not self.isVisible():
            return
        readings, known = Readings(self._known), self._known
        if (readings.band is not None and not cutoff_hz) or not known.is_current("loads"):
            return

        def work(progress: Progress) -> tuple[LoadBand, tuple[JointDoubt, ...]]:
            for part in PARTS:  # with all constraints kept they take longer than the window may wait
                readings.part(part)
            band = load_sensitivity(known, cutoff_hz=cutoff_hz, progress=progress)
            return band, doubts_of(known.loads, band)

        def done(found: tuple[LoadBand, tuple[JointDoubt, ...]]) -> None:
            Readings(known).keep_band(*found)
            if self._known is known:
                self._show_doubts()
                self.context.plots.changed.emit()

        self.context.aside.start(DOUBT, work, done)

    def _show_doubts(self) -> None:
        self.doubts = () if self._known is None or not has_loads(self._known) else Readings(self._known).doubts
        bars = [
            Bar(
                capital(one.joint),
                (100.0 * one.moment_share,),
                f"{100.0 * one.moment_share:.0f} %",
                f"{capital(one.joint)}: moments may be off by {one.moment:.1f} N·m, forces by {one.force:.0f} N "
                f"({100.0 * one.force_share:.0f} % of the peak). What counts most: {one.worst}. Click to plot it.",
                one.joint,
            )
            for one in self.doubts
        ]
        self.bars.set_bars(bars, ("rebuilt",))
        self._show_filter()

    def _show_filter(self, *_: str) -> None:
        """Whether the part of the filter can be added now."""
        band = None if self._known is None or not has_loads(self._known) else Readings(self._known).band
        self.filter.setEnabled(band is not None and CUTOFF not in band.sources and not self.context.aside.busy)

    def _show_words(self, page: LoadTrustPage) -> None:
        theme = self._theme
        self.frame.set_tint(theme, tints_of(theme)[page.level])
        self.verdict.setText(verdict_text(page, theme))
        self.steps.setText(steps_text(page, theme))
        self.steps.setVisible(bool(page.steps))
        self.table.setText(residual_text(page, theme))
        self.facts.setText(facts_text(page))
        self.places.setText(places_text(page, theme))
        self.places.setVisible(bool(page.places))
        begins = zero_told(self._document.analysis.session.dynamic)
        self.places.setToolTip(f"Click to go there. {begins}")
        for part in (self.verdict, self.over):
            part.setToolTip(begins)

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of a theme."""
        self._theme = theme
        self.bars.set_theme(theme)
        self.course.set_theme(theme)
        if self.page is not None:
            self._show_words(self.page)

    # ------------------------------------------------------------------ what the user does

    def go(self, number: int) -> None:
        """Go to what a link names."""
        if self.page is None or not 0 <= number < len(self.page.places):
            return
        place = self.page.places[number]
        if place.segment is not None:
            self._document.select(segment=place.segment, point=None)
        if place.frame is not None:
            self._document.set_frame(place.frame)

    def go_to_step(self, number: int) -> None:
        """Go to where a contact with a plate begins."""
        if self.page is not None and 0 <= number < len(self.page.steps):
            step = self.page.steps[number]
            if step.segment is not None:
                self._document.select(segment=step.segment, point=None)
            self._document.set_frame(step.frame)

    def _show_frame(self, frame: int) -> None:
        if self.isVisible():
            self.course.set_frame(frame)
