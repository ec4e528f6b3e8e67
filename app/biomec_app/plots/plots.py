"""The panel of curves: what is plotted, how, and the cursor that follows the 3-D view."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter

from PySide6.QtCore import QPointF, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from biomec.base.errors import BiomecError
from biomec.base.notices import Severity
from biomec.base.plain_text import html
from biomec_app.curves.catalogue import Catalogue, catalogue, default_curves, kind_of_movement
from biomec_app.curves.curve import Curve
from biomec_app.kit.dock_tabs import bring_forward
from biomec_app.kit.painter import Painter
from biomec_app.kit.rich_text import rich
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.plots.curve_drop import CurveDrop
from biomec_app.plots.figure_export import PlotFigure, copy_figure, figure_writer
from biomec_app.plots.plot_content import panes_one_by_one, walks
from biomec_app.plots.plot_grid import PlotGrid
from biomec_app.plots.plot_pane import Pane
from biomec_app.plots.signal_chooser import SignalChooser
from biomec_app.session.action import Action
from biomec_app.session.context import Context
from biomec_app.session.plot_view import FIT, GROUPINGS, MEAN, OVER, TIME

COLUMNS = {FIT: "Auto", 1: "1 col", 2: "2 cols", 3: "3 cols"}
SLICE_S = 0.012  # of drawing, before other events have their turn
SMALLEST_FIGURE = QSize(640, 420)


class PlotPanel(QWidget):
    """Curves over time or over the cycle, chosen by kind, joint, side and component.

    actions : what the menu of the plots offers besides copies of the figure
    """

    def __init__(self, context: Context, actions: Sequence[Action] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context, self.theme, self._actions = context, LIGHT, actions
        self.setObjectName("plots")
        self.panes: tuple[Pane, ...] = ()
        self._default: tuple[str, ...] = ()
        self._drawn: tuple[str, ...] = ()
        self._dirty = True
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self._go_on)
        self._work: Iterator[bool] = iter(())
        self._painter = Painter(self)
        self.chooser = SignalChooser(self)
        self.grid = PlotGrid(self.theme)
        self._build()
        document, state = context.document, context.plots
        document.opened.connect(self._opened)
        document.analysis_changed.connect(self._analysis_changed)
        document.selection_changed.connect(self._selected)
        document.frame_changed.connect(self._follow)
        context.comparison.changed.connect(self._request)
        context.norm.changed.connect(self._request)
        state.changed.connect(self._view_changed)
        state.window_changed.connect(self._window_changed)
        state.points_cleared.connect(self.grid.clear_points)
        state.choose_asked.connect(self._come_forward)
        state.look_asked.connect(self._come_forward)
        state.choose_asked.connect(self._open_chooser)
        self.chooser.chosen.connect(lambda keys: document.select(curves=keys))
        self.grid.moment_asked.connect(lambda frame: document.set_frame(round(frame)))
        self.grid.window_chosen.connect(self._zoomed)
        self.grid.measured.connect(self.said.setText)
        self.grid.menu_asked.connect(self._menu)
        CurveDrop(self, document)
        context.figure = self
        context.closing += [self._later.stop, self._painter.stop]
        state.take(context.preferences.plot_view)
        state.changed.connect(self._remember_view)
        self._view_changed()
        if document.is_open:
            self._analysis_changed()

    # ------------------------------------------------------------------ building

    def _build(self) -> None:
        self.choose = QPushButton("Signals…")
        self.choose.setObjectName("choose signals")
        self.choose.setAccessibleName("Choose signals")
        self.choose.setToolTip("Choose what is plotted, by kind, joint, side and component")
        self.choose.clicked.connect(self._open_chooser)
        self.grouping, self.over, self.columns = QComboBox(), QComboBox(), QComboBox()
        for box, choices, name, words in (
            (self.grouping, GROUPINGS, "grouping", "What shares a plot: both sides of a signal, nothing, or all"),
            (self.over, OVER, "over", "Over time, the mean cycle with its spread, or every cycle"),
            (self.columns, COLUMNS, "columns", "Plots side by side: as many as fit, or 1, 2 or 3 columns"),
        ):
            for value, text in choices.items():
                box.addItem(text, value)
            box.setObjectName(name)
            box.setAccessibleName(words)
            box.setToolTip(words)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(max(len(text) for text in choices.values()))
            box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            box.setMinimumWidth(64)
            box.setMaximumWidth(90 if choices is COLUMNS else 150)
            box.activated.connect(lambda _, box=box: self.context.plots.set(**{box.objectName(): box.currentData()}))
        self.more = QToolButton()
        self.more.setText("⋯")
        self.more.setObjectName("plot menu")
        self.more.setAccessibleName("More about the plots")
        self.more.setToolTip("Grid, spots, cycles, scale, copy and save")
        self.more.clicked.connect(lambda: self._menu(QPointF(self.more.mapToGlobal(self.more.rect().bottomLeft()))))
        bar = QHBoxLayout()
        bar.setContentsMargins(6, 5, 6, 3)
        bar.setSpacing(4)
        for widget in (self.choose, self.grouping, self.over, self.columns, self.more):
            bar.addWidget(widget)
            if widget is self.columns:
                bar.addStretch(0)
        self.notice = rich(QLabel())
        self.notice.setWordWrap(True)
        self.notice.setObjectName("plot notice")
        self.notice.setContentsMargins(10, 2, 10, 2)
        self.notice.linkActivated.connect(self._link)
        self.notice.hide()
        self.empty = rich(QLabel())
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setWordWrap(True)
        self.empty.setObjectName("nothing plotted")
        self.empty.linkActivated.connect(self._link)
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QScrollArea.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setWidget(self.grid)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.empty)
        self.pages.addWidget(self.area)
        self.said = QLabel()
        self.said.setObjectName("measured point")
        self.said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.said.setContentsMargins(10, 2, 10, 4)
        self.said.setWordWrap(True)
        self.said.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(self.notice)
        layout.addWidget(self.pages, 1)
        layout.addWidget(self.said)

    # ------------------------------------------------------------------ following the document

    def _opened(self) -> None:
        self._default = ()
        self.context.plots.restore()  # a window of another recording means nothing here
        if not self.context.document.is_open:
            self._request()

    def _analysis_changed(self) -> None:
        document = self.context.document
        curves = document.selection.curves
        if not curves or curves == self._default:
            self._default = self._last_plotted() or default_curves(document.analysis, self.catalogue)
            document.select(curves=self._default)
        self._request()

    def _last_plotted(self) -> tuple[str, ...]:
        """Curves that were chosen when a movement of this kind was last looked at, if it has them all."""
        analysis = self.context.document.analysis
        kind = kind_of_movement(analysis)
        keys = self.context.preferences.plotted(kind) if kind else ()
        return keys if keys and all(key in self.catalogue for key in keys) else ()

    def _remember_curves(self) -> None:
        document = self.context.document
        kind = kind_of_movement(document.analysis) if document.is_open else ""
        if kind and document.selection.curves not in ((), self._default):
            self.context.preferences.set_plotted(kind, document.selection.curves)

    def _remember_view(self) -> None:
        self.context.preferences.plot_view = self.context.plots.lasting

    @property
    def is_drawing(self) -> bool:
        """Whether plots are still to be drawn."""
        return self._later.isActive()

    @property
    def catalogue(self) -> Catalogue:
        """Curves of the open recording."""
        document = self.context.document
        return catalogue(document.analysis) if document.is_open else Catalogue(())

    def _selected(self) -> None:
        if self.context.document.selection.curves != self._drawn:
            self._remember_curves()
            self._request()
        elif not self._dirty:
            self._tell_notice()  # something was picked in the 3-D view

    def _follow(self, frame: int) -> None:
        if self.isVisible() and not self._dirty:
            self.grid.set_moment(frame)

    def _view_changed(self) -> None:
        view = self.context.plots.view
        for box, value in ((self.grouping, view.grouping), (self.over, view.over), (self.columns, view.columns)):
            box.setCurrentIndex(box.findData(value))
        self.said.setVisible(view.measure)
        self.said.setText("Click a curve to read its coordinates.")
        self._request()

    def _window_changed(self) -> None:
        if not self._dirty:
            self.grid.set_window(self.context.plots.view.window_s)
            self._tell_windows()

    def _zoomed(self, first: float, last: float) -> None:
        state = self.context.plots
        if state.view.over == TIME and state.view.linked:
            state.set(window_s=(first, last))
        self._tell_windows()

    def _tell_windows(self) -> None:
        whole = self.panes[0].span if self.panes and self.panes[0].over == TIME else None
        self.context.plots.told(self.grid.windows if whole else (), whole)

    # ------------------------------------------------------------------ drawing

    def _request(self) -> None:
        self._dirty = True
        self._work = self._drawing()
        if self.isVisible():
            self._later.start()

    def refresh(self) -> None:
        """Draw what is chosen, now."""
        self._later.stop()
        if self._dirty:
            self._work = self._drawing()
        for _ in self._work:
            pass

    def _go_on(self) -> None:
        """Draw a little, and give the window its turn."""
        began = perf_counter()
        for rest in self._work:
            if rest or perf_counter() - began > SLICE_S:
                self._later.start()
                return

    def _drawing(self) -> Iterator[bool]:
        """Draw what is chosen, a step at a time: the content of every plot, then the plots. True: the window first."""
        document, view = self.context.document, self.context.plots.view
        curves, found = document.selection.curves, []
        if document.is_open:
            compared = self.context.comparison
            known = self.catalogue.found(curves)
            analysis, others, own = document.analysis, compared.conditions, compared.own_name
            norm = self.context.norm.choice.norm if self._wants_norm(known) else None
            for pane in panes_one_by_one(known, view, analysis, others, own, norm):
                found += [] if pane is None else [pane]
                yield False
            yield True
        self._dirty = False
        self._drawn, self.panes = curves, tuple(found)
        self.grid.begin(self.panes, view, self.theme, document.frame if document.is_open else 0)
        self.pages.setCurrentIndex(1 if self.panes else 0)
        self.empty.setText("" if self.panes else self._why_empty())
        self._tell_notice()
        self._wheel()
        yield True  # the old plots are gone; let that be drawn
        for _ in self.grid.building:
            yield False
        self._tell_windows()
        if self.chooser.isVisible():
            self.chooser.show_catalogue(self.catalogue, document.selection.curves)

    def _wants_norm(self, curves: Sequence[Curve]) -> bool:
        """Whether a norm could stand behind one of these curves."""
        view, analysis = self.context.plots.view, self.context.document.analysis
        return view.norm and view.over != TIME and walks(analysis) and any(curve.clinical for curve in curves)

    def _why_empty(self) -> str:
        document = self.context.document
        if not document.is_open:
            return "Open a recording to see its curves."
        if self.context.plots.view.over != TIME and document.selection.curves:
            return (
                "There is no valid cycle of these signals.<br>"
                '<a href="time">Show them over time</a>, or run Kinematics ▸ Cycles.'
            )
        return 'Nothing is plotted.<br><a href="choose">Choose signals</a>'

    def _tell_notice(self) -> None:
        document = self.context.document
        said = []
        if document.is_open:
            stale = set(document.analysis.stale)
            if any(trace.curve.step in stale for pane in self.panes for trace in pane.traces):
                said.append("Some of these curves are older than the settings: run the analysis again (F5).")
            said += self._comparison_told()
            if self._wants_norm(self.catalogue.found(self._drawn)):
                doubts = [one for one in self.context.norm.choice.notices if one.severity is not Severity.INFO]
                said += [html(one.sentence) for one in doubts]
            picked = document.selection.point or document.selection.segment
            keys = self._picked()
            if picked and keys and not set(keys) <= set(document.selection.curves):
                said.append(f'Picked in the 3-D view: <b>{html(picked)}</b>. <a href="picked">Plot it</a>')
        self.notice.setText("<br>".join(said))
        self.notice.setVisible(bool(said))

    def _comparison_told(self) -> list[str]:
        """What is compared but not seen, and what could not be read."""
        compared = self.context.comparison
        said = [html(sentence) for sentence in compared.faults.values()]
        if compared.conditions and self.context.plots.view.over == TIME:
            names = html(", ".join(one.name for one in compared.conditions))
            said.append(f'Compared with <b>{names}</b> over the cycle. <a href="mean">Show the mean cycle</a>')
        return said

    def _picked(self) -> list[str]:
        selection = self.context.document.selection
        if selection.point:
            return self.catalogue.of_point(selection.point)
        return self.catalogue.of_segment(selection.segment) if selection.segment else []

    def _link(self, target: str) -> None:
        document = self.context.document
        if target == "choose":
            self._open_chooser()
        elif target == "time":
            self.context.plots.set(over=TIME)
        elif target == "mean":
            self.context.plots.set(over=MEAN)
        elif target == "picked":
            document.select(curves=tuple(dict.fromkeys([*self._picked(), *document.selection.curves])))

    def _open_chooser(self) -> None:
        if self.context.document.is_open:
            self.chooser.show_catalogue(self.catalogue, self.context.document.selection.curves)
            self.chooser.open_below(self.choose)

    def _come_forward(self) -> None:
        bring_forward(self)

    def _wheel(self) -> None:
        self.grid.set_scrolls(self.grid.minimumHeight() > self.area.viewport().height())

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.theme = theme
        self.area.setStyleSheet(f"QScrollArea {{ background: {theme.panel}; }}")
        self._request()

    def showEvent(self, event: QShowEvent) -> None:
        """Draw what has changed while nobody looked."""
        super().showEvent(event)
        if self._dirty:
            self._later.start()
        elif self.context.document.is_open:
            self.grid.set_moment(self.context.document.frame)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the wheel to plots that all fit."""
        super().resizeEvent(event)
        self._wheel()

    # ------------------------------------------------------------------ menu

    def _menu(self, place: QPointF) -> None:
        menu = self.menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(place.toPoint())

    def menu(self) -> QMenu:
        """Menu of the plots: what the menu Utilities has, and copies of the figure."""
        menu = QMenu(self)
        for action in self._actions:
            if action.run is None:
                menu.addSeparator()
            elif action.key != "utilities.configuration":
                item = QAction(action.text, menu)
                item.setObjectName(action.key)
                item.setEnabled(action.blocked(self.context) is None)
                if action.checked is not None:
                    item.setCheckable(True)
                    item.setChecked(action.checked(self.context))
                item.triggered.connect(lambda _=False, run=action.run: run(self.context))
                menu.addAction(item)
        menu.addSeparator()
        for text, kind in (("Copy as Picture", "png"), ("Copy as Drawing (SVG)", "svg"), ("Copy Numbers", "data")):
            item = menu.addAction(text)
            item.setObjectName(f"copy {kind}")
            item.setEnabled(bool(self.panes))
            item.triggered.connect(lambda _=False, kind=kind: self.copy(kind))
        item = menu.addAction("Save Figure…")
        item.setObjectName("save figure")
        item.setEnabled(bool(self.panes))
        item.triggered.connect(self._save)
        return menu

    def _save(self) -> None:
        pattern = "Picture (*.png);;Drawing (*.svg);;PDF (*.pdf);;Numbers (*.csv)"
        path = self.context.user.ask_file("Save Figure", pattern, True, "")
        if path is None:
            return
        try:
            self.save(path if path.suffix else path.with_suffix(".png"))
        except BiomecError as error:
            self.context.user.fail("Save Figure", str(error))

    # ------------------------------------------------------------------ the figure

    def _figure(self, kind: str) -> PlotFigure:
        if self._dirty:
            self.refresh()
        if not self.panes:
            raise BiomecError("Nothing is plotted. Choose signals in the panel Signals first.")
        size = self.area.viewport().size().expandedTo(SMALLEST_FIGURE)
        return PlotFigure(self.panes, self.context.plots.view, size, picture=kind == "png")

    def copy(self, kind: str) -> None:
        """Put the figure on the clipboard as "png", "svg" or "data"."""
        figure = self._figure(kind)
        try:
            copy_figure(figure, kind, self.window_s)
        finally:
            figure.close()

    def save(self, path: Path) -> None:
        """Write the figure to a .png, .svg, .pdf or .csv file, in the background; errors are reported."""
        path = Path(path)
        figure = self._figure(path.suffix.lower().removeprefix("."))
        try:
            write = figure_writer(figure, path, self.window_s)
        finally:
            figure.close()
        if self._painter.busy:  # of what waits there nobody is left at the end of the program
            self._painter.wait()  # the later of two figures with one name is the one that stays
            write()
        else:
            self._painter.paint(path.name, write, lambda _, fault: self._saved(path, fault))

    @property
    def saving(self) -> bool:
        """Whether a figure is being written."""
        return self._painter.busy

    def _saved(self, path: Path, fault: Exception | None) -> None:
        if fault is not None:
            known = isinstance(fault, BiomecError)
            self.context.user.tell(
                "Save Figure", str(fault) if known else f"{path.name} could not be written: {fault}."
            )

    @property
    def window_s(self) -> tuple[float, float] | None:
        """Begin and end of the time that is visible [s]; None over the cycle."""
        if self._dirty:
            self.refresh()
        over_time = bool(self.panes) and self.panes[0].over == TIME
        shown = self.grid.windows  # none while the first plot is still to be drawn
        return (shown[0] if shown else self.context.plots.window) if over_time else None
