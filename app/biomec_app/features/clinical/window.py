"""The window of clinical plots: kinematics, kinetics, time and distance, indices and EMG of a visit in one place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QEvent, QSizeF, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSplitter,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from biomec.base.errors import BiomecError
from biomec.base.notices import Severity
from biomec.base.plain_text import html
from biomec.pipeline.analysis import run_first
from biomec.reporting.clinical.blocks import Block, Words
from biomec_app.features.clinical.actions import write_report
from biomec_app.features.clinical.clinical_content import (
    PAGE_KINDS,
    ClinicalContent,
    ClinicalView,
    Recordings,
    content_of,
    missing_step,
    pages_of,
    remembered_view,
    stored_view,
)
from biomec_app.features.clinical.cycle_choice import CycleChoice
from biomec_app.features.clinical.grid_output import GridOutput, OnPaper
from biomec_app.features.clinical.grid_view import EMPTY, GridView, screen_look
from biomec_app.features.clinical.norm_data import fill_choice
from biomec_app.features.clinical.trial_list import TrialList
from biomec_app.features.clinical.view_bar import ViewBar
from biomec_app.kit.faults import fault_told
from biomec_app.kit.judged_pages import JudgedPages
from biomec_app.kit.painter import Painter
from biomec_app.kit.theme import DARK, LIGHT, Theme
from biomec_app.plots.clinical.blocks_view import BlocksView
from biomec_app.plots.clinical.look import Look
from biomec_app.session.context import Context
from biomec_app.session.side_window import SideWindow, open_beside

TITLE = "Clinical Plots"
KINEMATICS, KINETICS, COMPARISON = "kinematics", "kinetics", "comparison"
OF_A_WALK = ("time and distance", "ground reaction", "trunk and arms")
GRIDS = {KINEMATICS: "&Kinematics", KINETICS: "K&inetics"}
HINT = "Click a curve to move the person there. Double-click a panel to enlarge it."
SIZE = (1180, 700)
LAYOUT = "clinical"
LIST_WIDTH = 230


class ClinicalWindow(SideWindow):
    """Tabs of curves and tables; what is chosen above holds for all of them."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, "clinical", TITLE, parent)
        self.painter = Painter(self)
        self.view = remembered_view(context.preferences.clinical_view)
        self.content: ClinicalContent | None = None
        self.theme: Theme = LIGHT
        self._before = context.figure
        self._due = QTimer(self, singleShot=True, interval=0)
        self._due.timeout.connect(self._find)
        self._build()
        document = context.document
        context.visit.changed.connect(self.refresh)
        context.comparison.changed.connect(self.refresh)
        context.norm.changed.connect(self.refresh)
        document.frame_changed.connect(self._show_frame)
        self.resize(*SIZE)
        self.restoreGeometry(context.preferences.layout(LAYOUT))
        self._take_colours()
        self.refresh()

    # ------------------------------------------------------------------ parts

    def _build(self) -> None:
        self.tabs = QTabWidget()
        self.tabs.setObjectName("clinical.tabs")
        self.tabs.setDocumentMode(True)
        self.grids = {key: GridView(f"clinical.{key}") for key in GRIDS}
        for key, title in GRIDS.items():
            grid = self.grids[key]
            grid.told.connect(self._tell)
            grid.stepped.connect(lambda step: context_step(self.context, step))
            self.tabs.addTab(grid, title)
        self.pages = {key: BlocksView(f"clinical.{key}") for key in PAGE_KINDS}
        for key, title in PAGE_KINDS.items():
            self.tabs.addTab(self.pages[key], title)
        self.tabs.currentChanged.connect(lambda _: self._follow_tab())
        self.trials = TrialList()
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.addWidget(self.trials)
        self.split.addWidget(self.tabs)
        self.split.setStretchFactor(1, 1)
        self.split.setSizes([LIST_WIDTH, SIZE[0] - LIST_WIDTH])
        self.judged = JudgedPages("clinical", self.split)
        self.judged.asked.connect(self._run)
        self.notices = QLabel()
        self.notices.setObjectName("clinical.notices")
        self.notices.setWordWrap(True)
        self.notices.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.notices.hide()
        self.values = QLabel(HINT)
        self.values.setObjectName("clinical.values")
        self.values.setMinimumWidth(1)
        self.bar = ViewBar(self.view)
        self.bar.wished.connect(lambda field, value: self.set_view(**{field: value}))
        self.bar.norm_wished.connect(self._choose_norm)
        self.bar.norms_asked.connect(self._edit_norms)
        self.exclude = QPushButton("E&xclude Cycle…")
        self.exclude.setObjectName("clinical.exclude")
        self.exclude.setToolTip("The marked cycle shall not count (Delete)")
        self.exclude.setEnabled(False)
        self.cycles = CycleChoice(self.context, list(self.grids.values()), self.trials, self.exclude, TITLE)
        self.output = GridOutput(self.context, self.painter, self._on_paper, self._tell, self)
        foot = QHBoxLayout()
        foot.addWidget(self.values, 1)
        self.report = QPushButton("&Report…")
        self.report.setObjectName("clinical.report")
        self.report.setToolTip("The clinical report of these recordings (Ctrl+P)")
        self.report.clicked.connect(lambda _=False: write_report(self.context))
        for button in (self.exclude, *self.output.buttons, self.report):
            foot.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 8, 10, 8)
        layout.setSpacing(6)
        layout.addWidget(self.bar)
        layout.addWidget(self.notices)
        layout.addWidget(self.judged, 1)
        layout.addLayout(foot)
        for keys, act in ((QKeySequence.StandardKey.Copy, lambda: self.output.copy("png")),
                          (QKeySequence.StandardKey.Close, self.close),
                          (QKeySequence("Ctrl+S"), self.output.ask_and_save)):  # fmt: skip
            QShortcut(QKeySequence(keys), self, act)

    # ------------------------------------------------------------------ content

    def refresh(self) -> None:
        """Find everything anew, once for all that changes in a turn of the event loop."""
        if not self.closed:
            self._due.start()

    @property
    def recordings(self) -> Recordings:
        """What is shown: the recordings of the visit, and those that are compared with."""
        members = self.context.visit.analysed
        analyses = tuple(one.analysis for one in members if one.analysis is not None)
        others = tuple((one.name, (one.analysis,)) for one in self.context.comparison.conditions)
        return Recordings(tuple(one.name for one in members), analyses, others)

    def _find(self) -> None:
        if self.closed:
            return
        document = self.context.document
        self.setWindowTitle(f"{TITLE} – {document.title} – Biomec" if document.is_open else f"{TITLE} – Biomec")
        if not document.is_open:
            self.content = None
            self.judged.tell("No recording is open.")
            return
        step = missing_step(document.analysis)
        if step:
            self.content = None
            self.judged.tell(f'{html(run_first(step))}<br><br><a href="run">Run the kinematic analysis</a>')
            return
        self.cycles.show_list()
        recordings, view, before = self.recordings, self.view, self.content
        wish, folder = self.context.preferences.norm, self.context.preferences.norms_folder
        if before is None:
            self.judged.tell("Finding the cycles…")
        self.painter.paint("content", lambda: content_of(recordings, view, wish, folder, before), self._found)

    def _found(self, content: ClinicalContent | None, fault: Exception | None) -> None:
        if self.closed or not self.context.document.is_open:
            return
        if content is None:
            self.content = None
            self.judged.tell(html(fault_told(fault, "The curves cannot be shown")))
            return
        if missing_step(self.context.document.analysis):
            return
        self.content = content
        self.judged.show_content()
        names = content.recordings.names
        for key, grid in ((KINEMATICS, content.kinematics), (KINETICS, content.kinetics)):
            self.grids[key].show_grid(grid or EMPTY, names, content.walks)
        self.tabs.setTabVisible(self.tabs.indexOf(self.grids[KINETICS]), content.walks)
        for key in OF_A_WALK:
            self.tabs.setTabVisible(self.tabs.indexOf(self.pages[key]), content.walks)
        self.tabs.setTabVisible(self.tabs.indexOf(self.pages[COMPARISON]), len(content.visits) > 1)
        self.painter.paint("pages", lambda: pages_of(content), lambda pages, fault: self._pages_found(pages, fault))
        fill_choice(self.bar.norm, content.known, self.context.preferences.norm, content.norm)
        self.bar.norm.setToolTip(
            "" if content.norm is None else f"{content.norm.about.title}: {content.norm.about.people}"
        )
        self._show_notices(content)
        self._show_frame(self.context.document.frame)
        self._follow_tab()

    def _pages_found(self, pages: dict[str, tuple[Block, ...]] | None, fault: Exception | None) -> None:
        if self.closed or self.content is None:
            return
        for key, view in self.pages.items():
            blocks = (Words((fault_told(fault, "The curves cannot be shown"),)),) if pages is None else pages[key]
            view.show_blocks(blocks, self.look)

    def _show_notices(self, content: ClinicalContent) -> None:
        """What must be known of the norm: doubts in full, facts as a tip."""
        doubts = [one.sentence for one in content.notices if one.severity is not Severity.INFO]
        doubts += list(content.visit.lost_exclusions)
        self.notices.setVisible(bool(doubts))
        self.notices.setText("\n".join(f"⚠ {sentence}" for sentence in doubts))
        norm = content.norm
        who = "" if norm is None else f"{norm.about.title}: {norm.about.people}\n"
        self.bar.norm.setToolTip(who + "\n".join(one.sentence for one in content.notices))

    @property
    def look(self) -> Look:
        """How everything is drawn."""
        return screen_look(self.theme, self.view.colours, self.view.strips)

    def set_view(self, **changes: object) -> None:
        """Show the curves in another way, which is remembered."""
        view: ClinicalView = replace(self.view, **changes)  # type: ignore[arg-type]
        if view == self.view:
            return
        self.view = view
        self.bar.show_view(view)
        self.context.preferences.clinical_view = stored_view(view)
        self._give_look()
        self.refresh()

    def _give_look(self) -> None:
        for grid in self.grids.values():
            grid.set_look(self.look)
        for page in self.pages.values():
            page.show_blocks(page.blocks, self.look)

    def _choose_norm(self, name: str) -> None:
        self.context.norm.wish = name

    def _edit_norms(self) -> None:
        from biomec_app.features.clinical.norm_data import NormDataDialog
        from biomec_app.kit.dialog_parts import opened

        opened(NormDataDialog(self.context, self))

    def _run(self) -> None:
        try:
            self.context.run_until("cycles", "Kinematic Analysis")
        except BiomecError as error:
            self.context.user.fail(TITLE, str(error))

    # ------------------------------------------------------------------ time, cycles

    def _show_frame(self, frame: int) -> None:
        for grid in self.grids.values():
            grid.show_frame(self.context.visit.place, frame)

    def _tell(self, words: str) -> None:
        self.values.setText(words or HINT)

    # ------------------------------------------------------------------ copy and save

    @property
    def shown_grid(self) -> GridView | None:
        """The grid in front; None if another page is."""
        widget = self.tabs.currentWidget()
        return widget if isinstance(widget, GridView) else None

    def _follow_tab(self) -> None:
        there = self.shown_grid is not None and self.content is not None
        for button in self.output.buttons:
            button.setEnabled(there)

    @property
    def window_s(self) -> tuple[float, float] | None:
        """No stretch of the recording belongs to cycles."""
        return None

    def _on_paper(self) -> OnPaper:
        view = self.shown_grid
        if view is None or self.content is None:
            raise BiomecError("There is no grid of curves to copy or save.")
        return view.shown, view.look, QSizeF(view.size()), self.content.recordings.names

    def copy(self, kind: str) -> None:
        """Put the grid in front on the clipboard."""
        self.output.copy(kind)

    def save(self, path: Path) -> None:
        """Write the grid in front to a file; report what went wrong."""
        self.output.save(path)

    # ------------------------------------------------------------------ Qt

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of a theme."""
        self.theme = theme
        self.trials.set_theme(theme)
        self.notices.setStyleSheet(
            f"QLabel {{ color: {theme.text}; background: #40{theme.rebuilt[1:]}; padding: 4px; border-radius: 3px; }}"
        )
        self._give_look()

    def _take_colours(self) -> None:
        dark = self.palette().window().color().lightness() < 128
        self.set_theme(DARK if dark else LIGHT)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme; the figure that was looked at last is the one that the File menu copies."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "theme"):
            QTimer.singleShot(0, self, self._take_colours)
        elif event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self._be_the_figure()

    def _be_the_figure(self) -> None:
        if self.context.figure is not self:
            self._before = self.context.figure
        self.context.figure = self

    def showEvent(self, event: QShowEvent) -> None:
        """Be the figure that the File menu copies."""
        super().showEvent(event)
        self._be_the_figure()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop drawing, remember where it was, and leave the lists."""
        self.context.preferences.set_layout(LAYOUT, self.saveGeometry())
        self._due.stop()
        self.painter.stop()
        if self.context.figure is self:
            self.context.figure = self._before
        super().closeEvent(event)


def context_step(context: Context, step: int) -> None:
    """Go so many frames on or back."""
    if context.document.is_open:
        context.document.set_frame(context.document.frame + step)


def open_clinical(context: Context, tab: str = KINEMATICS) -> ClinicalWindow:
    """Open the window, or bring it to the front, with one of its grids before the others."""
    window = open_beside(context, ClinicalWindow)
    if tab in window.grids:
        window.tabs.setCurrentWidget(window.grids[tab])
        window.grids[tab].setFocus()
    return window
