"""Plots as pictures and files: PNG, SVG, PDF and the numbers as CSV. Always on white, whatever the window's theme."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from PySide6.QtCore import QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QImage, QPainter

from biomec.base.arrays import FloatArray
from biomec.base.errors import FileError
from biomec.base.plain_text import table
from biomec_app.kit.clipboard import copy_drawing, copy_picture, copy_text
from biomec_app.kit.theme import LIGHT
from biomec_app.plots.paper import SHARP, Paper, write_content
from biomec_app.plots.plot_grid import PlotGrid
from biomec_app.plots.plot_pane import CONDITIONS, Pane, Trace
from biomec_app.session.context import COPIES, SAVES
from biomec_app.session.plot_view import TIME, PlotView

Window = tuple[float, float]


class PlotFigure:
    """What the panel shows, drawn anew for paper: no cursor, black on white.

    picture : of points, so that pens need as many more of them; otherwise a drawing of lines
    """

    def __init__(self, panes: Sequence[Pane], view: PlotView, size: QSize, picture: bool) -> None:
        self.panes, self.view = tuple(panes), view
        self._grid = PlotGrid(LIGHT, weight=SHARP if picture else 1.0)
        self._grid.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        self._grid.resize(size)
        self._grid.show()
        self._grid.show_panes(self.panes, view, LIGHT, None)
        self._grid.resize(size.width(), max(size.height(), self._grid.needed_height))
        self._grid.settle()

    @property
    def size(self) -> QSizeF:
        """Width and height in points of the screen."""
        return QSizeF(self._grid.size())

    @property
    def dots(self) -> float:
        """Points of the screen for an inch; fonts are laid out for them."""
        return float(self._grid.logicalDpiX())

    def close(self) -> None:
        """Give everything back."""
        self._grid.show_panes((), self.view, LIGHT, None)
        self._grid.hide()
        self._grid.deleteLater()

    def _paint(self, painter: QPainter) -> None:
        self._grid.paint_on(painter, QRectF(0.0, 0.0, self.size.width(), self.size.height()))

    @property
    def _paper(self) -> Paper:
        return Paper(self.size, self.dots, self._paint)

    def image(self) -> QImage:
        """Return the picture."""
        return self._paper.image()

    def svg(self) -> bytes:
        """Return the drawing as SVG."""
        return self._paper.svg()

    def pdf(self) -> bytes:
        """Return the drawing as PDF, on a page of its size."""
        return self._paper.pdf()


def copy_figure(figure: PlotFigure, kind: str, window: Window | None) -> None:
    """Put a figure on the clipboard: "png", "svg" or "data"."""
    if kind == "png":
        copy_picture(figure.image())
    elif kind == "svg":
        copy_drawing(figure.svg())
    elif kind == "data":
        copy_text(figure_text(figure.panes, window, "\t"))
    else:
        raise FileError("figure", f"cannot be copied as {kind}; there are {', '.join(COPIES)}.")


def figure_writer(figure: PlotFigure, path: Path, window: Window | None) -> Callable[[], None]:
    """What writes a figure to a file of the kind that its name ends with: drawn here and now, written in any thread.

    What was there stays until the new one is whole.
    """
    kind = path.suffix.lower().removeprefix(".")
    if kind not in SAVES:
        raise FileError(path.name, f"is not a kind of figure; give a name that ends with .{', .'.join(SAVES)}.")
    panes = figure.panes
    drawn: QImage | bytes = b""
    if kind != "csv":
        drawn = figure.image() if kind == "png" else figure.svg() if kind == "svg" else figure.pdf()
    return lambda: write_content(path, figure_text(panes, window).encode() if kind == "csv" else drawn)


def figure_table(
    panes: Sequence[Pane], window: tuple[float, float] | None = None
) -> tuple[list[str], list[FloatArray]]:
    """Heads and columns of everything that is plotted, within a window of x; signals of one clock share its column."""
    heads: list[str] = []
    columns: list[FloatArray] = []
    clocks: list[tuple[FloatArray, list[tuple[str, FloatArray]]]] = []

    def series_of(x: FloatArray) -> list[tuple[str, FloatArray]]:
        """Columns of one clock, to be continued."""
        if not any(np.array_equal(known, x) for known, _ in clocks):
            clocks.append((x, []))
        return next(series for known, series in clocks if np.array_equal(known, x))

    for pane in panes:
        for trace in pane.traces:
            keep = np.ones(len(trace.x), dtype=bool)
            if window is not None and pane.over == TIME:
                keep = (trace.x >= window[0] - 1e-9) & (trace.x <= window[1] + 1e-9)
            series_of(trace.x[keep]).extend((head, values[keep]) for head, values in _columns(trace))
        if pane.norm is not None:
            what, unit = f"{pane.title}, {pane.traces[0].curve.component}, norm", f" [{pane.unit}]"
            series_of(pane.norm.percent).extend(
                [(f"{what}, mean{unit}", pane.norm.mean), (f"{what}, standard deviation{unit}", pane.norm.sd)]
            )
    over_time = not panes or panes[0].over == TIME
    for x, series in clocks:
        heads.append("time [s]" if over_time else panes[0].x_label)
        columns.append(x)
        for head, values in series:
            heads.append(head)
            columns.append(values)
    return heads, columns


def _columns(trace: Trace) -> list[tuple[str, FloatArray]]:
    curve = trace.curve
    variant = f" ({curve.variant})" if curve.variant else ""
    unit = f" [{curve.unit}]" if curve.unit else ""
    condition = f", {trace.name}" if trace.colour in CONDITIONS else ""
    name = f"{curve.label}{variant}{condition}"
    if trace.cycles is None:
        band = [] if trace.sd is None else [(f"{name}, may be off by{unit}", trace.sd)]
        return [(f"{name}{unit}", trace.y), *band]
    found = [(f"{name}, mean{unit}", trace.y)]
    if trace.sd is not None:
        found.append((f"{name}, standard deviation{unit}", trace.sd))
    for k, y in enumerate(trace.singles if trace.singles is not None else ()):
        found.append((f"{name}, cycle {k + 1}{unit}", y))
    return found


def figure_text(panes: Sequence[Pane], window: tuple[float, float] | None = None, separator: str = ",") -> str:
    """Return the table as text; missing numbers are empty, and decimals have a point in every language."""
    heads, columns = figure_table(panes, window)
    longest = max((len(column) for column in columns), default=0)
    cells = [[_cell(value) for value in column] + [""] * (longest - len(column)) for column in columns]
    return table([heads, *zip(*cells, strict=True)], separator)


def _cell(value: float) -> str:
    return f"{value:.10g}" if np.isfinite(value) else ""
