"""The window of a figure: choices above, the picture, and copy, save and values below. One class for every figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QColor, QImage, QKeySequence, QShortcut, QStandardItemModel
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QMenu, QPushButton, QVBoxLayout, QWidget

from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.pipeline.analysis import Analysis
from biomec_app.figures.canvas import Drawn, FigureCanvas, apply_limits, rendered
from biomec_app.figures.export import save_figure, save_table, write_figure
from biomec_app.figures.kind import FigureChoice, FigureKind, compose, table_text
from biomec_app.figures.saved_kinds import SAVE_PATTERN
from biomec_app.figures.style import Ink
from biomec_app.kit.clipboard import copy_drawing, copy_picture, copy_text
from biomec_app.kit.faults import fault_told
from biomec_app.kit.painter import Painter
from biomec_app.kit.theme import LIGHT, Theme, of_palette
from biomec_app.session.context import Context, FigureSource
from biomec_app.session.side_window import SideWindow, bring_to_front

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DRAWING = "Drawing…"
UNDRAWN = "The figure cannot be drawn"
SCREEN_DPI, PAPER_DPI = 100.0, 300.0
COPIES = {"png": "Copy as &Picture", "svg": "Copy as &Drawing (SVG)", "data": "Copy &Data"}


class FigureWindow(SideWindow):
    """A figure of the open analysis; it follows the document. On screen in the theme, copied and saved on white."""

    def __init__(self, context: Context, kind: FigureKind, parent: QWidget | None = None) -> None:
        super().__init__(context, f"figure-{kind.key}", kind.title, parent)
        self.kind = kind
        self.painter, self.canvas = Painter(self), FigureCanvas(self)
        self.combos: dict[str, QComboBox] = {}
        self._choices: tuple[FigureChoice, ...] = ()
        self._content: Any = None
        self._made_of: tuple[Any, ...] | None = None
        self._wanted = False
        self._before: FigureSource | None = None  # what is copied and saved again once this window is closed
        self._lay_out()
        self.resize(1040, 720)
        self.canvas.wanted.connect(self._draw)
        self.canvas.read_out.connect(self.values.setText)
        context.document.analysis_changed.connect(self._analysis_changed)
        context.document.opened.connect(self._analysis_changed)
        context.comparison.changed.connect(self._find)
        context.jobs.cancelled.connect(self._job_gone)
        context.jobs.failed.connect(self._job_gone)
        self._take_colours()
        self._analysis_changed()

    # ------------------------------------------------------------------ parts

    def _lay_out(self) -> None:
        self.bar = QHBoxLayout()
        self.bar.setSpacing(8)
        self.stale = QLabel()
        self.stale.setObjectName("figure-stale")
        self.stale.setWordWrap(True)
        self.stale.hide()
        self.values = QLabel()
        self.values.setObjectName("figure-values")
        self.values.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        foot = QHBoxLayout()
        foot.addWidget(self.values, 1)
        self.compute = QPushButton("Co&mpute")
        self.compute.setObjectName("figure-compute")
        self.compute.setToolTip("Find the data of this figure again")
        self.compute.clicked.connect(self._find)
        self.compute.setVisible(self.kind.slow)
        restore = QPushButton("&Restore")
        restore.setObjectName("figure-restore")
        restore.setToolTip("Show everything again (double click)")
        restore.clicked.connect(self.canvas.restore)
        copy = QPushButton("&Copy")
        copy.setObjectName("figure-copy")
        copy.setToolTip("Copy the figure or its data")
        menu = QMenu(copy)
        for which, text in COPIES.items():
            item = menu.addAction(text)
            item.setObjectName(f"figure-copy-{which}")
            item.triggered.connect(lambda _=False, which=which: self.copy(which))
        copy.setMenu(menu)
        save = QPushButton("&Save…")
        save.setObjectName("figure-save")
        save.setToolTip("Save a picture (PNG), a drawing (SVG), a page for printing (PDF), or the data (CSV)")
        save.clicked.connect(self._ask_and_save)
        for button in (self.compute, restore, copy, save):
            foot.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 10, 10, 10)
        layout.addLayout(self.bar)
        layout.addWidget(self.stale)
        layout.addWidget(self.canvas, 1)
        layout.addLayout(foot)
        for keys, act in ((QKeySequence.StandardKey.Copy, lambda: self.copy("png")),
                          (QKeySequence.StandardKey.Close, self.close), (QKeySequence("Esc"), self.close)):  # fmt: skip
            QShortcut(QKeySequence(keys), self, act)

    def _fill_choices(self, choices: Sequence[FigureChoice]) -> None:
        """Combo boxes of the choices; what was chosen stays chosen where it still exists, also from an earlier day."""
        self._choices = tuple(choices)
        if not self.combos:
            for choice in choices:
                label, combo = QLabel(f"{choice.label}:"), QComboBox()
                label.setBuddy(combo)
                combo.setObjectName(f"figure-{choice.key}")
                combo.setAccessibleName(choice.label)
                combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
                combo.setMaxVisibleItems(25)
                combo.currentTextChanged.connect(self._choice_changed)
                self.combos[choice.key] = combo
                self.bar.addWidget(label)
                self.bar.addWidget(combo)
            self.bar.addStretch(1)
        for choice in choices:
            combo = self.combos[choice.key]
            there = [combo.itemText(k) for k in range(combo.count())]
            if there != list(choice.options):
                before = combo.currentText() or self.context.preferences.figure_choice(self.kind.key, choice.key)
                combo.blockSignals(True)
                combo.clear()
                combo.addItems(choice.options)
                refuse_options(combo, choice.refused)
                combo.setCurrentText(before if before in choice.options else choice.options[0])
                combo.blockSignals(False)

    @property
    def chosen(self) -> dict[str, str]:
        """Key of a choice -> what is chosen."""
        return {key: combo.currentText() for key, combo in self.combos.items()}

    # ------------------------------------------------------------------ data

    def _analysis_changed(self) -> None:
        if self.closed:
            return
        document = self.context.document
        reason = "No recording is open." if not document.is_open else self.kind.blocked(document.analysis)
        self.canvas.limits = {}
        if reason is not None:
            self._content = self._made_of = None
            self.stale.hide()
            self.canvas.say(reason)
            return
        analysis = document.analysis
        old = [step for step in self.kind.needs if not analysis.is_current(step)]
        self.stale.setVisible(bool(old))
        run = "Dynamics ▸ Inverse ▸ Joint Loads" if old == ["loads"] else "Kinematics ▸ Kinematic Analysis (F5)"
        self.stale.setText(f"Out of date: settings have changed since. Run {run}.")
        if self.canvas.drawn is None:
            self.canvas.say(DRAWING)
        self.painter.paint(
            "choices",
            lambda: self.kind.choices(analysis),
            lambda choices, fault: self._choices_found(analysis, choices, fault),
        )

    def _choices_found(
        self, analysis: Analysis, choices: Sequence[FigureChoice] | None, fault: Exception | None
    ) -> None:
        if self.closed or not self.context.document.is_open or self.context.document.analysis is not analysis:
            return
        if fault is not None or choices is None:
            self.canvas.say(fault_told(fault, UNDRAWN))
            return
        self._fill_choices(choices)
        self._find()

    def _choice_changed(self) -> None:
        self.canvas.limits = {}
        self.context.preferences.set_figure_choices(self.kind.key, self.chosen)
        self._find()

    def _find(self) -> None:
        """Find the data if they are not those of the choices, then draw."""
        document = self.context.document
        if not document.is_open or self.kind.blocked(document.analysis) is not None:
            return
        analysis, chosen = document.analysis, self.chosen
        if {choice.key for choice in self._choices} != set(chosen):
            return  # they are still being found
        decide = [choice.key for choice in self._choices if not choice.redraws]
        results = tuple(id(analysis.done[step]) for step in self.kind.needs)
        comparison = self.context.comparison
        others, own = tuple(one.condition for one in comparison.conditions), comparison.own_name
        made_of = (results, tuple((one.name, id(one.analysis)) for one in others), *(chosen[key] for key in decide))

        def content(progress: Progress | None = None) -> Any:
            return self.kind.compared(self.kind.content(analysis, chosen, progress), others, own, chosen)

        if made_of == self._made_of and self._content is not None:
            self._draw()
            return
        self._content, self._made_of = None, made_of
        if self.kind.slow:
            self._find_slowly(content, made_of)
            return
        if self.canvas.drawn is None:
            self.canvas.say(DRAWING)
        self.painter.paint(
            "content",
            content,
            lambda found, fault: self._found(made_of, found, fault),
        )

    def _find_slowly(self, content: Callable[[Progress], Any], made_of: tuple[Any, ...]) -> None:
        if self.context.jobs.busy:
            self._made_of = None
            self.canvas.say(f'"{self.context.jobs.title}" is still running. Press Compute when it is done.')
            return
        self.canvas.say(f"{self.kind.title} is being computed. The status bar of the window shows how far it is.")
        self.context.jobs.start(
            self.kind.title,
            content,
            lambda found: self._found(made_of, found, None),
        )

    def _job_gone(self, title: str, sentence: str = "") -> None:
        if title == self.kind.title and not self.closed and self._content is None:
            self._made_of = None
            self.canvas.say(sentence or "It was cancelled. Press Compute to start again.")

    def _found(self, made_of: tuple[Any, ...], content: Any, fault: Exception | None) -> None:
        if self.closed or made_of != self._made_of:
            return
        if fault is not None:
            self._made_of = None
            self.canvas.say(fault_told(fault, UNDRAWN))
            return
        self._content = content
        self._draw()

    # ------------------------------------------------------------------ picture

    def _draw(self) -> None:
        if self._content is None or self.closed or not self.isVisible():
            return
        content, chosen, ink = self._content, self.chosen, Ink(self.theme)
        limits, size, ratio = dict(self.canvas.limits), self.canvas.size(), self.canvas.devicePixelRatioF()

        def make(inches: tuple[float, float], dpi: float) -> Figure:
            figure = compose(self.kind, content, chosen, ink, inches, dpi)
            apply_limits(figure, limits)
            return figure

        self.painter.paint("picture", lambda: rendered(make, size, ratio, SCREEN_DPI), self._drawn)

    def _drawn(self, drawn: Drawn | None, fault: Exception | None) -> None:
        if self.closed:
            return
        if fault is not None:
            self.canvas.say(fault_told(fault, UNDRAWN))
        elif drawn is not None and self._content is not None:
            self.canvas.show_drawn(drawn)

    def on_paper(self) -> Callable[[], Figure]:
        """What makes the figure as it is copied and saved: dark on white, of the size of the window. For any thread."""
        if self._content is None:
            raise BiomecError("There is nothing to copy or save yet.")
        content, chosen, limits, size = self._content, self.chosen, dict(self.canvas.limits), self.canvas.size()
        inches = max(size.width(), 320) / SCREEN_DPI, max(size.height(), 240) / SCREEN_DPI

        def make() -> Figure:
            figure = compose(self.kind, content, chosen, Ink(LIGHT), inches, PAPER_DPI)
            apply_limits(figure, limits)
            return figure

        return make

    # ------------------------------------------------------------------ copy and save

    @property
    def window_s(self) -> tuple[float, float] | None:
        """No stretch of the recording belongs to these figures."""
        return None

    def copy(self, kind: str) -> None:
        """Put the figure on the clipboard: "png", "svg" or "data"."""
        if self._content is None:
            self.values.setText("There is nothing to copy yet.")
            return
        if kind == "data":
            copy_text(table_text(self.kind.data(self._content, self.chosen), "\t"))
            self.values.setText("The data are on the clipboard.")
            return
        self.values.setText("Copying…")
        make = self.on_paper()
        self.painter.paint("copy", lambda: write_figure(make(), kind), lambda done, f: self._copied(kind, done, f))

    def _copied(self, kind: str, written: bytes | None, fault: Exception | None) -> None:
        if fault is not None or written is None:
            self.values.setText(fault_told(fault, UNDRAWN))
            return
        if kind == "svg":
            copy_drawing(written)
        else:
            copy_picture(QImage.fromData(written))
        self.values.setText("The figure is on the clipboard.")

    def _ask_and_save(self) -> None:
        start = str(Path(self.context.preferences.folder) / f"{self.kind.key}.png")
        path = self.context.user.ask_file("Save figure", SAVE_PATTERN, True, start)
        if path is not None:
            self.save(path)

    def save(self, path: Path) -> None:
        """Write the figure, or its data, to a file; errors are reported."""
        if self._content is None:
            self.context.user.tell("Save figure", "There is nothing to save yet.")
            return
        path = Path(path)
        self.values.setText("Saving…")
        content, chosen, make = self._content, self.chosen, self.on_paper()

        def work() -> None:
            if path.suffix.lower() == ".csv":
                save_table(self.kind.data(content, chosen), path)
            else:
                save_figure(make(), path)

        self.painter.paint(f"save {path}", work, lambda _, fault: self._saved(path, fault))

    def _saved(self, path: Path, fault: Exception | None) -> None:
        if fault is None:
            self.values.setText(f"Saved as {path.name}.")
        else:
            self.values.setText("")
            self.context.user.fail("Save figure", fault_told(fault, UNDRAWN))

    # ------------------------------------------------------------------ Qt

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of a theme."""
        self.theme = theme
        self.canvas.colours = QColor(theme.panel), QColor(theme.faint)
        self.stale.setStyleSheet(f"QLabel {{ color: {theme.text}; background: #40{theme.rebuilt[1:]}; padding: 4px; }}")
        self.canvas.update()
        self._draw()

    def _take_colours(self) -> None:
        self.set_theme(of_palette(self))

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme; the figure that was looked at last is the one that the File menu copies."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "theme"):
            QTimer.singleShot(0, self, self._take_colours)  # Qt is still styling the widgets that would be replaced
        elif event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            if self.context.figure is not self:
                self._before = self.context.figure
            self.context.figure = self

    def showEvent(self, event: Any) -> None:
        """Draw what was found while the window was hidden."""
        super().showEvent(event)
        if self.context.figure is not self:
            self._before = self.context.figure
        self.context.figure = self
        self._draw()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop drawing, and leave the lists."""
        self.painter.stop()
        if self.context.figure is self:
            self.context.figure = self._before
        super().closeEvent(event)


def open_figure(context: Context, kind: FigureKind) -> FigureWindow:
    """Open the window of a figure, or bring it to the front if it is open."""
    window = bring_to_front(context, FigureWindow, lambda window: window.kind is kind)
    if window is None:
        window = FigureWindow(context, kind, context.window)
        window.show()
    return window


def refuse_options(combo: QComboBox, reasons: Mapping[str, str]) -> None:
    """Let options that cannot be chosen say why."""
    model = combo.model()
    assert isinstance(model, QStandardItemModel)  # what a QComboBox has unless it is given another
    for option, reason in reasons.items():
        item = model.item(combo.findText(option))
        item.setEnabled(False)
        item.setToolTip(f"{option}: {reason}.")
