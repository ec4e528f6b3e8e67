"""The window of clinical plots: kinematics, kinetics, time and distance, indices and EMG of a visit in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QSizeF, Qt, QTimer
from PySide6.QtGui import QAction, QActionGroup, QCloseEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSplitter,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from biomec.base.errors import BiomecError
from biomec.base.notices import Severity
from biomec.base.plain_text import html
from biomec.pipeline.analysis import run_first
from biomec.reporting.clinical.blocks import Block, CycleOrigin, Grid, Words
from biomec_app.features.clinical.blocks_view import BlocksView
from biomec_app.features.clinical.clinical_content import (
    DEVIATIONS,
    PAGE_KINDS,
    SHOWN_SIDES,
    SOURCES,
    STYLES,
    ClinicalContent,
    ClinicalView,
    Recordings,
    content_of,
    missing_step,
    pages_of,
    remembered_view,
    stored_view,
)
from biomec_app.features.clinical.editing import (
    REASON,
    exclude_cycle,
    exclude_recording,
    include_cycle,
)
from biomec_app.features.clinical.grid_export import copy_grid, save_grid
from biomec_app.features.clinical.grid_view import EMPTY, GridView, Instant, screen_look
from biomec_app.features.clinical.norm_data import fill_choice
from biomec_app.features.clinical.trial_list import TrialList
from biomec_app.kit.judged_pages import JudgedPages
from biomec_app.kit.painter import Painter
from biomec_app.kit.theme import DARK, LIGHT, Theme
from biomec_app.plots.clinical.look import SIDE_COLOURS, Look
from biomec_app.session.context import Context
from biomec_app.session.project_file import may_discard
from biomec_app.session.side_window import SideWindow, bring_to_front

TITLE = "Clinical Plots"
KINEMATICS, KINETICS, COMPARISON = "kinematics", "kinetics", "comparison"
OF_A_WALK = ("time and distance", "ground reaction", "trunk and arms")
GRIDS = {KINEMATICS: "&Kinematics", KINETICS: "K&inetics"}
COPIES = {"png": "Copy as &Picture", "svg": "Copy as &Drawing (SVG)", "data": "Copy &Data"}
PATTERN = "Picture (*.png);;Drawing (*.svg);;Document (*.pdf);;Data (*.csv)"
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
            grid.picked.connect(self._go)
            grid.chosen.connect(self._chosen)
            grid.told.connect(self._tell)
            grid.stepped.connect(lambda step: context_step(self.context, step))
            grid.exclude_asked.connect(self._exclude_marked)
            self.tabs.addTab(grid, title)
        self.pages = {key: BlocksView(f"clinical.{key}") for key in PAGE_KINDS}
        for key, title in PAGE_KINDS.items():
            self.tabs.addTab(self.pages[key], title)
        self.tabs.currentChanged.connect(lambda _: self._follow_tab())
        self.trials = TrialList()
        self.trials.shown.connect(lambda place: self._show_trial(place))
        self.trials.picked.connect(self._picked_in_list)
        self.trials.cycle_ticked.connect(self._cycle_ticked)
        self.trials.trial_ticked.connect(self._trial_ticked)
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
        foot = QHBoxLayout()
        foot.addWidget(self.values, 1)
        for button in self._foot_buttons():
            foot.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 8, 10, 8)
        layout.setSpacing(6)
        layout.addLayout(self._bar())
        layout.addWidget(self.notices)
        layout.addWidget(self.judged, 1)
        layout.addLayout(foot)
        for keys, act in ((QKeySequence.StandardKey.Copy, lambda: self.copy("png")),
                          (QKeySequence.StandardKey.Close, self.close),
                          (QKeySequence("Ctrl+S"), self._ask_and_save)):  # fmt: skip
            QShortcut(QKeySequence(keys), self, act)

    def _bar(self) -> QHBoxLayout:
        self.norm = QComboBox()
        self.norm.setObjectName("clinical.norm")
        self.norm.setAccessibleName("Norm behind the curves")
        self.norm.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.norm.setMinimumContentsLength(24)
        self.norm.currentIndexChanged.connect(self._choose_norm)
        self.style_box = self._box("style", "Cycles", STYLES)
        self.sides_box = self._box("sides", "Sides", SHOWN_SIDES)
        bar = QHBoxLayout()
        bar.setSpacing(6)
        for text, widget in (("&Norm:", self.norm), ("C&ycles:", self.style_box), ("&Sides:", self.sides_box)):
            label = QLabel(text)
            label.setBuddy(widget)
            bar.addWidget(label)
            bar.addWidget(widget, 1 if widget is self.norm else 0)
        self.options = QToolButton()
        self.options.setText("&View")
        self.options.setObjectName("clinical.options")
        self.options.setToolTip("Whose curves, colours of the sides, width of the norm band")
        self.options.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.options.setMenu(self._options_menu())
        norms = QPushButton("Norm &Data…")
        norms.setObjectName("clinical.norm-data")
        norms.setToolTip("Sets of norm data: import, make, remove")
        norms.clicked.connect(lambda _=False: self._edit_norms())
        bar.addWidget(self.options)
        bar.addWidget(norms)
        return bar

    def _box(self, field: str, label: str, options: Mapping[str, str]) -> QComboBox:
        box = QComboBox()
        box.setObjectName(f"clinical.{field}")
        box.setAccessibleName(label)
        for value, words in options.items():
            box.addItem(words, value)
        box.setCurrentIndex(box.findData(getattr(self.view, field)))
        box.currentIndexChanged.connect(lambda _: self.set_view(**{field: box.currentData()}))
        return box

    def _options_menu(self) -> QMenu:
        menu = QMenu(self.options)
        menu.setObjectName("clinical.options.menu")
        self._options: dict[tuple[str, object], QAction] = {}
        sections: tuple[tuple[str, str, dict[Any, str]], ...] = (
            ("source", "Curves of", SOURCES),
            ("colours", "Colours", {key: one.title for key, one in SIDE_COLOURS.items()}),
            ("deviations", "Norm band", {value: f"Mean ± {value:g} SD" for value in DEVIATIONS}),
        )
        for field, title, choices in sections:
            part = menu.addMenu(title)
            group = QActionGroup(part)
            for value, words in choices.items():
                item = part.addAction(words)
                item.setObjectName(f"clinical.{field}.{value}")
                item.setCheckable(True)
                group.addAction(item)
                item.triggered.connect(lambda _=False, field=field, value=value: self.set_view(**{field: value}))
                self._options[field, value] = item
        for field, words in (("nine", "Only the &Nine Curves of the Gait Profile Score"),
                             ("strips", "&Distance from the Norm under Each Panel")):  # fmt: skip
            item = menu.addAction(words)
            item.setObjectName(f"clinical.{field}")
            item.setCheckable(True)
            item.triggered.connect(lambda on, field=field: self.set_view(**{field: on}))
            self._options[field, True] = item
        menu.aboutToShow.connect(self._check_options)
        return menu

    def _check_options(self) -> None:
        for (field, value), item in self._options.items():
            item.setChecked(getattr(self.view, field) == value)

    def _foot_buttons(self) -> list[QPushButton]:
        self.exclude = QPushButton("E&xclude Cycle…")
        self.exclude.setObjectName("clinical.exclude")
        self.exclude.setToolTip("The marked cycle shall not count (Delete)")
        self.exclude.setEnabled(False)
        self.exclude.clicked.connect(lambda _=False: self._exclude_marked())
        self.copy_button = QPushButton("&Copy")
        self.copy_button.setObjectName("clinical.copy")
        menu = QMenu(self.copy_button)
        for kind, text in COPIES.items():
            item = menu.addAction(text)
            item.setObjectName(f"clinical.copy.{kind}")
            item.triggered.connect(lambda _=False, kind=kind: self.copy(kind))
        self.copy_button.setMenu(menu)
        self.save_button = QPushButton("Sa&ve…")
        self.save_button.setObjectName("clinical.save")
        self.save_button.setToolTip(
            "Save a picture (PNG), a drawing (SVG), a page for printing (PDF), or the data (CSV)"
        )
        self.save_button.clicked.connect(lambda _=False: self._ask_and_save())
        return [self.exclude, self.copy_button, self.save_button]

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
        self.trials.show_members(self.context.visit.members, self.context.visit.place)
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
            self.judged.tell(html(told(fault)))
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
        fill_choice(self.norm, content.known, self.context.preferences.norm, content.norm)
        self.norm.setToolTip("" if content.norm is None else f"{content.norm.about.title}: {content.norm.about.people}")
        self._show_notices(content)
        self._show_frame(self.context.document.frame)
        self._follow_tab()

    def _pages_found(self, pages: dict[str, tuple[Block, ...]] | None, fault: Exception | None) -> None:
        if self.closed or self.content is None:
            return
        for key, view in self.pages.items():
            blocks = (Words((told(fault),)),) if pages is None else pages[key]
            view.show_blocks(blocks, self.look)

    def _show_notices(self, content: ClinicalContent) -> None:
        """What must be known of the norm: doubts in full, facts as a tip."""
        doubts = [one.sentence for one in content.notices if one.severity is not Severity.INFO]
        doubts += list(content.visit.lost_exclusions)
        self.notices.setVisible(bool(doubts))
        self.notices.setText("\n".join(f"⚠ {sentence}" for sentence in doubts))
        norm = content.norm
        who = "" if norm is None else f"{norm.about.title}: {norm.about.people}\n"
        self.norm.setToolTip(who + "\n".join(one.sentence for one in content.notices))

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
        for box, shown in ((self.style_box, view.style), (self.sides_box, view.sides)):
            box.setCurrentIndex(box.findData(shown))
        self.context.preferences.clinical_view = stored_view(view)
        self._give_look()
        self.refresh()

    def _give_look(self) -> None:
        for grid in self.grids.values():
            grid.set_look(self.look)
        for page in self.pages.values():
            page.show_blocks(page.blocks, self.look)

    def _choose_norm(self, _: int) -> None:
        wish = self.norm.currentData()
        if wish is not None:
            self.context.norm.wish = str(wish)

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

    def _go(self, instant: Instant) -> None:
        """Move the person to an instant of a cycle, in whichever recording it is."""
        if self._show_trial(instant.origin.trial):
            self.context.document.set_frame(instant.frame)

    def _show_trial(self, place: int) -> bool:
        """Show a recording of the visit in the main window; False if the open one must stay."""
        if place != self.context.visit.place:
            if self.context.jobs.busy or not may_discard(self.context):
                return False
            self.context.visit.show(place)
        return True

    def _picked_in_list(self, place: int, side: str, origin: CycleOrigin) -> None:
        for grid in self.grids.values():
            grid.mark((side, origin))
        self._chosen((side, origin))
        self._go(Instant(side, origin, 0.0))

    def _chosen(self, marked: tuple[str, CycleOrigin] | None) -> None:
        """A cycle was marked in one of the grids: mark it in all."""
        self.exclude.setEnabled(marked is not None)
        for grid in self.grids.values():
            grid.mark(marked)
        if marked is not None:
            self.trials.mark(*marked)

    @property
    def marked(self) -> tuple[str, CycleOrigin] | None:
        """Side and origin of the marked cycle."""
        return self.grids[KINEMATICS].marked

    def _exclude_marked(self) -> None:
        if self.marked is not None:
            side, origin = self.marked
            self._cycle_ticked(origin.trial, side, origin, False)

    def _cycle_ticked(self, place: int, side: str, origin: CycleOrigin, counts: bool) -> None:
        """Exclude a cycle, after asking why, or let it count again."""
        if self._may_change(place):
            if counts:
                include_cycle(self.context, side, origin.first)
            else:
                name = f"{side.capitalize()} cycle {origin.number + 1}"
                reason = self.context.user.ask_text(f"Exclude {name}", REASON, "")
                if reason:
                    exclude_cycle(self.context, side, origin.first, reason)
                    self._chosen(None)
        self.trials.show_members(self.context.visit.members, self.context.visit.place)

    def _trial_ticked(self, place: int, counts: bool) -> None:
        """Exclude a recording, after asking why, or let it count again."""
        if self._may_change(place):
            reason = "" if counts else self.context.user.ask_text("Exclude Recording", REASON, "")
            if counts or reason:
                exclude_recording(self.context, reason or "")
        self.trials.show_members(self.context.visit.members, self.context.visit.place)

    def _may_change(self, place: int) -> bool:
        if self.context.jobs.busy:
            sentence = f'"{self.context.jobs.title}" is running. Wait until it is done, or cancel it.'
            self.context.user.fail(TITLE, sentence)
            return False
        return self._show_trial(place)

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
        for button in (self.copy_button, self.save_button):
            button.setEnabled(there)

    @property
    def window_s(self) -> tuple[float, float] | None:
        """No stretch of the recording belongs to cycles."""
        return None

    def _on_paper(self) -> tuple[Grid, Look, QSizeF, tuple[str, ...]]:
        view = self.shown_grid
        if view is None or self.content is None:
            raise BiomecError("There is no grid of curves to copy or save.")
        return view.shown, view.look, QSizeF(view.size()), self.content.recordings.names

    def copy(self, kind: str) -> None:
        """Put the grid in front on the clipboard."""
        try:
            grid, look, size, names = self._on_paper()
            copy_grid(grid, look, size, names, kind)
        except BiomecError as error:
            self.context.user.fail("Copy", str(error))
            return
        self._tell("The data are on the clipboard." if kind == "data" else "The figure is on the clipboard.")

    def _ask_and_save(self) -> None:
        start = str(Path(self.context.preferences.folder) / f"{self.tabs.currentWidget().objectName()}.png")
        path = self.context.user.ask_file("Save figure", PATTERN, True, start)
        if path is not None:
            self.save(path)

    def save(self, path: Path) -> None:
        """Write the grid in front to a file; report what went wrong."""
        try:
            grid, look, size, names = self._on_paper()
        except BiomecError as error:
            self.context.user.fail("Save figure", str(error))
            return
        work = (grid, look, size, names, Path(path))
        self.painter.paint(f"save {path}", lambda: save_grid(*work), lambda _, fault: self._saved(Path(path), fault))

    def _saved(self, path: Path, fault: Exception | None) -> None:
        if fault is None:
            self._tell(f"Saved as {path.name}.")
        else:
            self.context.user.fail("Save figure", told(fault))

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


def told(fault: Exception | None) -> str:
    """A fault as a sentence; one that is not the user's is named as the program's."""
    if isinstance(fault, BiomecError):
        return str(fault)
    return f"The curves cannot be shown because of an error in Biomec ({type(fault).__name__}: {fault})."


def open_clinical(context: Context, tab: str = KINEMATICS) -> ClinicalWindow:
    """Open the window, or bring it to the front, with one of its grids before the others."""
    window = bring_to_front(context, ClinicalWindow)
    if window is None:
        window = ClinicalWindow(context, context.window)
        window.show()
    if tab in window.grids:
        window.tabs.setCurrentWidget(window.grids[tab])
        window.grids[tab].setFocus()
    return window
