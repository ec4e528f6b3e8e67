"""The window of the workbench: it puts the parts together; what they share is in `Bench`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QAction, QCloseEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QLabel, QMainWindow, QMenu, QSplitter, QTabWidget, QVBoxLayout, QWidget

from biomec.base.errors import BiomecError
from biomec.base.plain_text import file_name
from biomec.machines.head_neck.direction_map import SWEEP
from biomec.machines.machine import Machine
from biomec.machines.motion import MachineMotion, along_laws, as_described, at_start
from biomec.machines.study import Run
from biomec_app.features.workbench.bench import Bench, Kept
from biomec_app.features.workbench.draft import Draft, catalogued, from_file, new_machine
from biomec_app.features.workbench.exchange import Exchange
from biomec_app.features.workbench.header import BenchHeader
from biomec_app.features.workbench.neck_view import NeckView
from biomec_app.features.workbench.player import LEAP, Player
from biomec_app.features.workbench.plots import Plots
from biomec_app.features.workbench.result_pages import FiguresPage, TextPage
from biomec_app.features.workbench.risk_page import RiskPage
from biomec_app.features.workbench.run_list import RunList
from biomec_app.features.workbench.saving import Saving
from biomec_app.features.workbench.sides import WorkbenchSides
from biomec_app.features.workbench.sketch import Sketch, sketch
from biomec_app.features.workbench.stage import ZOOM, Stage
from biomec_app.features.workbench.study_panel import StudyPanel
from biomec_app.kit.painter import Painter
from biomec_app.kit.theme import Theme, of_palette
from biomec_app.session.context import Context
from biomec_app.session.jobs import Jobs
from biomec_app.session.project_file import DISCARD, SAVE
from biomec_app.session.side_window import bring_to_front

TITLE = "Mechanism Workbench"
FIRST = "four-bar"  # what the window opens with
SIZE = (1270, 700)
FILES = "Machine (*.toml);;All files (*)"
PAGE = "workbench.md"  # of the user guide
WAITING_S = 10.0
HINT = "Change a value, and the drawing follows. Choose an analysis, and press F5. Ctrl+Space plays."


class WorkbenchWindow(QMainWindow):
    """Machine at the left, drawing over results in the middle, analysis over runs at the right."""

    def __init__(self, context: Context, parent: QWidget | None = None, draft: Draft | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("workbench")
        self.context = context
        self.bench = Bench(draft or catalogued(FIRST), self)
        self.jobs, self.painter, self._previews = Jobs(self), Painter(self), Painter(self)
        self.preview: MachineMotion = as_described(self.bench.machine)
        self._warm = False  # the kernels of the engine are compiled, so that parts are joined without a wait
        self._closed = False
        self._sketches: dict[int, tuple[MachineMotion, Sketch]] = {}
        self._build()
        self._build_menus()
        self._connect()
        self.resize(*SIZE)
        self._take_colours()
        context.windows.append(self)
        self.statusBar().showMessage(HINT)
        self._machine_changed()
        self._retitle()

    # ------------------------------------------------------------------ parts

    def _build(self) -> None:
        bench = self.bench
        self.header, self.sides = BenchHeader(bench), WorkbenchSides(bench)
        self.form, self.editor = self.sides.form, self.sides.editor
        self.stage, self.player, self.plots = Stage(), Player(bench), Plots(bench)
        self.figures, self.text = FiguresPage(bench), TextPage(bench, self.painter)
        self.studies, self.runs = StudyPanel(bench, self.jobs, self._previews), RunList(bench)
        self.neck = NeckView(self.stage, self.studies, self.statusBar().showMessage)
        self.risks = RiskPage(bench, self.painter)
        self.risks.side_asked.connect(self.neck.come_from)
        self.saving = Saving(
            self.context, bench, self.stage, self.player, self.figures, self.plots, self.risks, self.painter, self.jobs,
            self.statusBar().showMessage,
        )  # fmt: skip
        self.exchange = Exchange(self.context, bench, self.studies, self.statusBar().showMessage)
        self.results = QTabWidget()
        self.results.setObjectName("workbench.results")
        for page, words in ((self.plots, "C&urves"), (self.figures, "Fi&gures"), (self.text, "E&quations and Text"),
                            (self.risks, "Many &Blows")):  # fmt: skip
            self.results.addTab(page, words)
        self.results.setTabVisible(3, False)
        self.stages = _column(self.stage, self.player)
        left = _column(self.header, self.sides)
        self.middle = _split(Qt.Orientation.Vertical, (self.stages, self.results), (390, 270), 0)
        right = _split(
            Qt.Orientation.Vertical,
            (_titled("Analysis", self.studies), _titled("Runs", self.runs)), (430, 230), 0,
        )  # fmt: skip
        self.columns = _split(
            Qt.Orientation.Horizontal, (left, self.middle, right), (self.sides.width_wanted, 460, 285), 1
        )
        self._let_sides_grow()
        self.setCentralWidget(self.columns)
        self.statusBar().setSizeGripEnabled(True)

    def _build_menus(self) -> None:
        """Everything that can be done, with its keys."""
        player, runs, bar = self.player, self.runs, self.menuBar()
        machine = bar.addMenu("&Machine")
        self._item(machine, "new", "&New", self.new, "Ctrl+N")
        self._item(machine, "open", "&Open…", self.ask_open, "Ctrl+O")
        self._item(machine, "save", "&Save", self.save, "Ctrl+S")
        self._item(machine, "save-as", "Save &As…", self.save_as, "Ctrl+Shift+S")
        machine.addSeparator()
        self._item(machine, "close", "&Close", self.close, "Ctrl+W")
        edit = bar.addMenu("&Edit")
        self.undo = self._item(edit, "undo", "&Undo", self._undo, "Ctrl+Z")
        self.redo = self._item(edit, "redo", "&Redo", self._redo, "Ctrl+Shift+Z", "Ctrl+Y")
        edit.addSeparator()
        self._item(edit, "reset", "Reset All &Parameters", self.form.reset_all.click)
        self._item(edit, "form", "Go to P&arameters", lambda: self.sides.show_side(self.form), "Ctrl+1")
        self._item(edit, "text", "Go to &Text", lambda: self.sides.show_side(self.editor), "Ctrl+2")
        run = bar.addMenu("&Run")
        self._item(run, "run", "&Run the Analysis", self.studies.run, "F5")
        self._item(run, "cancel", "&Cancel", self.studies.cancel, "Esc")
        run.addSeparator()
        self.exchange.add_items(run, self._item)
        run.addSeparator()
        self._item(run, "rename", "Re&name Run", runs.rename)
        self._item(run, "remove", "Remo&ve Run", runs.remove)
        view = bar.addMenu("&View")
        self._item(view, "play", "&Play or Pause", player.toggle, "Ctrl+Space")
        self._item(view, "back", "Step &Back", lambda: player.step(-1), "Ctrl+Left")
        self._item(view, "forward", "Step &Forward", lambda: player.step(1), "Ctrl+Right")
        self._item(view, "back-far", f"{LEAP} Steps Back", lambda: player.step(-LEAP), "Ctrl+Shift+Left")
        self._item(view, "forward-far", f"{LEAP} Steps Forward", lambda: player.step(LEAP), "Ctrl+Shift+Right")
        view.addSeparator()
        self._item(view, "nearer", "&Nearer", lambda: self.stage.zoom(ZOOM), "Ctrl++", "Ctrl+=")
        self._item(view, "farther", "Fa&rther", lambda: self.stage.zoom(1.0 / ZOOM), "Ctrl+-")
        self._item(view, "fit", "&Show All", self.stage.fit, "Ctrl+0")
        self.names = self._item(view, "names", "Na&mes", self._show_names)
        self.names.setCheckable(True)
        self.names.setChecked(True)
        self.trails = view.addMenu("&Trails")
        self.trails.aboutToShow.connect(self._list_trails)
        self.neck.add_items(view.addMenu("&Head and Neck"), self._item)
        view.addSeparator()
        pages = zip(("&Curves", "Fi&gures", "&Equations", "Many &Blows"),
                    (self.plots, self.figures, self.text, self.risks), strict=True)  # fmt: skip
        for k, (words, page) in enumerate(pages):
            self._item(view, f"page{k}", words, partial(self._go, self.results, page), f"Ctrl+{3 + k}")
        self.saving.add_items(bar.addMenu("E&xport"), self._item)
        self._item(bar.addMenu("&Help"), "guide", "&Guide to the Workbench", self._guide, "F1")

    def _item(self, menu: QMenu, name: str, text: str, act: Callable[[], Any], *keys: Any) -> QAction:
        item = QAction(text, self)
        item.setObjectName(f"workbench.item.{name}")
        if keys:
            item.setShortcuts([QKeySequence(key) for key in keys])
        item.triggered.connect(lambda checked=False: self._try(text, act))
        menu.addAction(item)
        return item

    def _connect(self) -> None:
        bench, header, stack = self.bench, self.header, self.bench.undo_stack
        header.machine_asked.connect(self.open_catalogued)
        header.preset_asked.connect(self.choose_preset)
        header.new_asked.connect(lambda: self._try("New", self.new))
        header.open_asked.connect(lambda: self._try("Open", self.ask_open))
        header.save_asked.connect(lambda: self._try("Save", self.save_as))
        bench.machine_changed.connect(self._machine_changed)
        bench.text_changed.connect(self._retitle)
        bench.runs_changed.connect(self._show_motion)
        bench.run_added.connect(self._show_answer)
        bench.time_changed.connect(self.stage.set_time)
        self.stage.trail_asked.connect(self.toggle_trail)
        self.stage.play_asked.connect(self.player.toggle)
        self.stage.step_asked.connect(self.player.step)
        self.sides.changed.connect(self._fit_sides)
        stack.indexChanged.connect(self._show_undo)
        self.editor.typed.connect(self._show_undo)
        self._show_undo()

    def _guide(self) -> None:
        """Open the page about the workbench in the user guide."""
        from biomec_app.dialogs.manual import pages
        from biomec_app.dialogs.manual_window import open_manual

        self.jobs.start("User Guide", lambda progress: pages(), lambda _: open_manual(self.context).go(PAGE))

    def _fit_sides(self) -> None:
        """Give the machine as much room as what is shown of it needs; the drawing has the rest."""
        sizes = self.columns.sizes()
        wanted = self.sides.width_wanted
        self.columns.setSizes([wanted, sizes[0] + sizes[1] - wanted, sizes[2]])
        self._let_sides_grow()

    def _let_sides_grow(self) -> None:
        """A wider window is shared by text and drawing; a form alone needs no more room."""
        self.columns.setStretchFactor(0, int(self.sides.editor.isVisibleTo(self.sides)))
        self.columns.setStretchFactor(1, 2)

    def _go(self, tabs: QTabWidget, page: QWidget) -> None:
        if not tabs.isTabVisible(tabs.indexOf(page)):
            return
        tabs.setCurrentWidget(page)
        page.setFocus()
        focus = page.nextInFocusChain()
        if focus is not None and page.isAncestorOf(focus):
            focus.setFocus()

    def _try(self, title: str, act: Callable[[], Any]) -> None:
        """Do something; errors are reported."""
        try:
            act()
        except BiomecError as error:
            self.context.user.fail(title.replace("&", "").rstrip("…"), str(error))

    # ------------------------------------------------------------------ machines

    def open_draft(self, draft: Draft) -> None:
        """Show another machine, if what is open may go."""
        if self.may_close():
            self.stage.fit()
            self.bench.open(draft)
            self.bench.set_time(0.0)
        else:
            self.header.refresh()

    def open_catalogued(self, name: str) -> None:
        """Open a machine that comes with Biomec."""
        self._try("Machine", lambda: self.open_draft(catalogued(name)))

    def new(self) -> None:
        """Begin a machine of one's own."""
        self.open_draft(new_machine())
        self.sides.show_side(self.editor)

    def ask_open(self) -> None:
        """Open a machine file."""
        path = self.context.user.ask_file("Open machine", FILES, False, "")
        if path is not None:
            self.open_draft(from_file(path))

    def save(self) -> None:
        """Save under the name that it has, or ask for one."""
        self.editor.read()
        path = self.bench.draft.path
        if path is None:
            self.save_as()
        else:
            self.bench.save(path)
            self.statusBar().showMessage(f"Saved as {path.name}.", 8000)

    def save_as(self) -> None:
        """Save under another name."""
        self.editor.read()
        folder, suggested = Path(self.context.preferences.folder), file_name(self.bench.machine.name)
        name = self.bench.draft.path or folder / f"{suggested}.toml"
        path = self.context.user.ask_file("Save machine", FILES, True, str(name))
        if path is not None:
            self.bench.save(path if path.suffix else path.with_suffix(".toml"))
            self.header.refresh()
            self.statusBar().showMessage(f"Saved as {self.bench.draft.source}.", 8000)

    def choose_preset(self, name: str) -> None:
        """Give the parameters the values of a preset, and choose its analysis."""
        self._try("Preset", lambda: self._choose_preset(name))

    def _choose_preset(self, name: str) -> None:
        bench = self.bench
        preset = bench.machine.blueprint.presets.get(name)
        usual = {key: value for key, value in bench.draft.opened.items() if key in bench.machine.values}
        values = {**usual, **(preset.values if preset is not None else {})}
        bench.set_values(values, f"Preset {preset.title}" if preset is not None else "Values of the file")
        if preset is not None:
            self.studies.choose(preset.analysis or bench.machine.analysis, preset.options)
        elif self.studies.study is not None:
            self.studies.choose(self.studies.study.key, {})

    def may_close(self) -> bool:
        """Whether the text may go: it is saved, or the user does not want it saved."""
        self.editor.read()
        if not self.bench.draft.is_modified:
            return True
        name = self.bench.draft.title.removesuffix(" *")
        question = f"Save the changes of the machine {name} before it is closed?"
        answer = self.context.user.confirm("Unsaved machine", question, (SAVE, DISCARD))
        if answer == SAVE:
            self._try("Save machine", self.save)
            return not self.bench.draft.is_modified
        return answer == DISCARD

    # ------------------------------------------------------------------ editing

    def _undo(self) -> None:
        self.editor.read()
        self.bench.undo_stack.undo()

    def _redo(self) -> None:
        self.editor.read()
        self.bench.undo_stack.redo()

    def _show_undo(self, *_: object) -> None:
        stack = self.bench.undo_stack
        for item, word, can, text in (
            (self.undo, "&Undo", stack.canUndo() or self.editor.is_pending, stack.undoText()),
            (self.redo, "&Redo", stack.canRedo(), stack.redoText()),
        ):
            item.setText(f"{word} {text}".rstrip())
            item.setEnabled(can)

    def _retitle(self) -> None:
        self.setWindowTitle(f"{self.bench.draft.title} – {TITLE} – Biomec")
        self._show_undo()

    # ------------------------------------------------------------------ drawing

    def _machine_changed(self) -> None:
        """Draw the machine as it is now; how it moves follows from the background."""
        machine = self.bench.machine
        self.preview = at_start(machine) if self._warm else as_described(machine)
        self._show_motion()
        self._previews.paint("motion", lambda: _moving(machine), lambda found, _: self._moves(machine, found))

    def _moves(self, machine: Machine, found: MachineMotion | None) -> None:
        self._warm = True
        if self._closed or machine is not self.bench.machine or found is None:
            return
        self.preview = found
        if self._played() is None:
            self._show_motion()

    def _played(self) -> Kept | None:
        """The run whose motion is shown; None: the machine that is edited."""
        current = self.bench.current
        return current if current is not None and current.motion is not None else None

    def _show_answer(self, run: Run) -> None:
        """Go from the curves to the text of a run that has none, such as equations."""
        if run.study == SWEEP:
            self.results.setCurrentWidget(self.risks)
            self.middle.setSizes([self.middle.height() // 3, 2 * self.middle.height() // 3])
        elif not run.curves and self.results.currentWidget() is self.plots:
            self.results.setCurrentWidget(self.text)

    def _show_motion(self) -> None:
        """Show the motion of the chosen run, with those of others that are ticked faintly beside it."""
        played = self._played()
        if played is None or played.motion is None:
            motion, machine = self.preview, self.bench.machine
            ghosts: tuple[Sketch, ...] = ()
            moves = "as its laws say" if len(motion.time_s) > 1 else "at its start"
            words = motion.fault or f"{machine.title}: {moves}"
        else:
            motion, machine = played.motion, played.run.machine
            others = [one for one in self.bench.shown if one is not played and one.motion is not None]
            ghosts = tuple(self._sketch(one.run.machine, one.motion) for one in others
                           if one.motion is not None and one.motion.dimension == motion.dimension)  # fmt: skip
            words = f"{played.name}: {played.run.status}"
        self.neck.follow(machine, played.run if played is not None else None)
        self.results.setTabVisible(3, self.neck.is_shown)
        shown = self._sketch(machine, motion)
        if motion.time_s is not self.player.times:
            self.player.set_times(motion.time_s)
        if not motion.time_s[0] <= self.bench.time_s <= motion.time_s[-1]:
            self.bench.set_time(float(motion.time_s[0]))
        self.stage.show_sketch(shown, ghosts, words)

    def _sketch(self, machine: Machine, motion: MachineMotion) -> Sketch:
        """The sketch of a motion; kept while its run is."""
        known = self._sketches.get(id(motion))
        if known is None or known[0] is not motion:
            kept = {id(one.motion) for one in self.bench.runs if one.motion is not None}
            self._sketches = {key: one for key, one in self._sketches.items() if key in kept}
            known = self._sketches[id(motion)] = (motion, sketch(machine, motion))
        return known[1]

    def _show_names(self) -> None:
        self.stage.drawing.names = self.names.isChecked()
        self.stage.update()

    def _list_trails(self) -> None:
        self.trails.clear()
        shown = self.stage.drawing.sketch
        for name in shown.points if shown is not None else ():
            item = self.trails.addAction(name.replace("&", "&&"))
            item.setCheckable(True)
            item.setChecked(name in self.stage.drawing.trails)
            item.triggered.connect(lambda checked=False, name=name: self.toggle_trail(name))

    def toggle_trail(self, name: str) -> None:
        """Draw the way of a point, or do not."""
        self.stage.drawing.trails ^= {name}
        self.stage.update()

    # ------------------------------------------------------------------ Qt

    @property
    def is_drawing(self) -> bool:
        """Whether something still happens in the background."""
        return self.jobs.busy or self.painter.busy or self._previews.busy or self.plots.is_pending

    def set_theme(self, theme: Theme) -> None:
        """Show everything in a theme."""
        self.theme = theme
        for part in (self.form, self.editor, self.stage, self.player, self.plots, self.text, self.runs, self.risks):
            part.set_theme(theme)

    def _take_colours(self) -> None:
        self.set_theme(of_palette(self))

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "theme"):
            QTimer.singleShot(0, self, self._take_colours)  # Qt is still styling the widgets that would be replaced

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask about what is not saved, stop what is running, and leave the lists."""
        if not self._closed and not self.may_close():
            event.ignore()
            return
        self.shut()
        super().closeEvent(event)

    def shut(self) -> None:
        """Close with the program, which has asked already."""
        if self._closed:
            return
        self._closed = True
        self.player.pause()
        self.jobs.cancel()
        self.jobs.wait(WAITING_S)
        self.painter.stop()
        self._previews.stop()
        self.context.windows.remove(self)
        if self.isVisible():
            self.close()


def _moving(machine: Machine) -> MachineMotion:
    """How a machine moves along its laws, or else where it stands. Compiles the kernels of the engine."""
    start = at_start(machine)
    if start.fault:
        return start
    return along_laws(machine) or start


def _column(*widgets: QWidget) -> QWidget:
    """Widgets below each other; the first that can grow does."""
    made = QWidget()
    layout = QVBoxLayout(made)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    for widget in widgets:
        layout.addWidget(widget, int(isinstance(widget, (Stage, WorkbenchSides))))
    return made


def _titled(title: str, widget: QWidget) -> QWidget:
    """A widget under a heading."""
    made = QFrame()
    layout = QVBoxLayout(made)
    layout.setContentsMargins(0, 4, 0, 0)
    layout.setSpacing(0)
    label = QLabel(title)
    font = label.font()
    font.setBold(True)
    label.setFont(font)
    label.setContentsMargins(8, 2, 0, 0)
    layout.addWidget(label)
    layout.addWidget(widget, 1)
    return made


def _split(way: Qt.Orientation, parts: tuple[QWidget, ...], sizes: tuple[int, ...], growing: int) -> QSplitter:
    split = QSplitter(way)
    for part in parts:
        split.addWidget(part)
    split.setChildrenCollapsible(False)
    split.setSizes(list(sizes))
    split.setStretchFactor(growing, 1)
    return split


def open_workbench(context: Context, draft: Draft | None = None) -> WorkbenchWindow:
    """Open the workbench, with a machine if one is given, or bring it to the front if it is open."""
    window = bring_to_front(context, WorkbenchWindow)
    if window is None:
        window = WorkbenchWindow(context, context.window, draft)
        window.show()
    return window
