"""Formulas as pictures, drawn by matplotlib's mathtext beside the window's thread; a matrix cell by cell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtGui import QImage

from biomec_app.kit.formula_text import formula_text

LONGEST = 6000  # characters of a formula that is drawn; a longer one is a page of its own
POINTS = 12.0
DPI = 100.0
MARGIN = 4.0  # pixels
GAP = 14.0  # pixels between the columns of a matrix
LEADING = 6.0  # pixels between its rows
BRACKET = 5.0  # pixels that a bracket is wide
MATRIX = re.compile(r"(?P<before>.*?)\\begin\{bmatrix\}(?P<cells>.*)\\end\{bmatrix\}", re.DOTALL)


@dataclass(frozen=True, eq=False)
class Typeset:
    """A formula: its LaTeX, and its picture; None where it cannot be drawn, and then the text stands for it."""

    tex: str
    image: QImage | None

    @property
    def text(self) -> str:
        """The formula as a line of text."""
        found = MATRIX.fullmatch(self.tex.strip())
        if found is None:
            return formula_text(self.tex)
        rows = ("  ".join(map(formula_text, row)) for row in cells(found["cells"]))
        return f"{formula_text(found['before'])} [{'; '.join(rows)}]"


@dataclass(frozen=True)
class Piece:
    """A formula to be drawn with the left end of its line at (x, y), in pixels, y upwards."""

    tex: str
    x: float
    y: float


def typeset(formulae: Sequence[str], colour: str, ratio: float) -> list[Typeset]:
    """Pictures of formulas in a colour, on nothing; ``ratio`` is the device pixels of a point of the screen."""
    return [Typeset(tex, _picture(tex, colour, ratio)) for tex in formulae]


def cells(text: str) -> list[list[str]]:
    """Rows of a matrix of what stands between its begin and end."""
    return [[cell.strip() for cell in row.split("&")] for row in text.split(r"\\") if row.strip()]


def _picture(tex: str, colour: str, ratio: float) -> QImage | None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    if len(tex) > LONGEST or not tex.strip():
        return None
    dpi, margin = DPI * ratio, MARGIN * ratio
    figure = Figure(figsize=(1.0, 1.0), dpi=dpi)
    figure.patch.set_alpha(0.0)
    canvas = FigureCanvasAgg(figure)

    def words(text: str, x: float = 0.0, y: float = 0.0) -> Any:
        return figure.text(x, y, f"${text.strip().strip('$')}$", color=colour, fontsize=POINTS, math_fontfamily="cm",
                           parse_math=True, transform=None)  # fmt: skip

    def size(text: str) -> tuple[float, float, float]:
        """Width, height above the line and depth below it."""
        drawn = words(text)
        box = drawn.get_window_extent(canvas.get_renderer())
        drawn.remove()
        return box.x1, box.y1, -box.y0

    try:
        pieces, lines, (left, bottom, right, top) = _laid_out(tex.strip(), size, ratio)
        width, height = right - left + 2 * margin, top - bottom + 2 * margin
        figure.set_size_inches(width / dpi, height / dpi)
        for piece in pieces:
            words(piece.tex, piece.x - left + margin, piece.y - bottom + margin)
        for line in lines:
            x, y = line[:, 0] - left + margin, line[:, 1] - bottom + margin
            figure.add_artist(Line2D(x, y, color=colour, linewidth=1.0, transform=None))
        canvas.draw()
    except ValueError:  # mathtext does not know everything that LaTeX does
        return None
    pixels = np.asarray(canvas.buffer_rgba()).copy()
    rows, columns = pixels.shape[:2]
    image = QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGBA8888).copy()
    image.setDevicePixelRatio(ratio)
    return image


def _laid_out(tex: str, size: Any, ratio: float) -> tuple[list[Piece], list[Any], tuple[float, float, float, float]]:
    """Pieces of a formula, lines (k, 2) of its brackets, and its edges: left, bottom, right, top."""
    found = MATRIX.fullmatch(tex)
    if found is None:
        width, above, below = size(tex)
        return [Piece(tex, 0.0, 0.0)], [], (0.0, -below, width, above)
    rows = cells(found["cells"])
    sizes = [[size(cell) for cell in row] for row in rows]
    widths = [max(row[k][0] for row in sizes) for k in range(len(rows[0]))]
    heights = [max(above for _, above, _ in row) for row in sizes]
    depths = [max(below for _, _, below in row) for row in sizes]
    total = sum(heights) + sum(depths) + LEADING * ratio * (len(rows) - 1)
    before, above, below = size(found["before"])
    axis = 0.5 * (above - below)  # the matrix stands about the middle of the line
    begin = before + BRACKET * ratio
    pieces = [Piece(found["before"], 0.0, 0.0)]
    y = axis + 0.5 * total
    for row, of_row, height, depth in zip(rows, sizes, heights, depths, strict=True):
        y -= height
        x = begin + BRACKET * ratio
        for cell, (width, _, _), room in zip(row, of_row, widths, strict=True):
            pieces.append(Piece(cell, x + room - width, y))  # numbers stand right in their columns
            x += room + GAP * ratio
        y -= depth + LEADING * ratio
    end = begin + 2 * BRACKET * ratio + sum(widths) + GAP * ratio * (len(widths) - 1)
    low, high = axis - 0.5 * total - 2 * ratio, axis + 0.5 * total + 2 * ratio
    inward = BRACKET * ratio
    lines = [np.array([[x + way * inward, low], [x, low], [x, high], [x + way * inward, high]])
             for x, way in ((begin, 1.0), (end, -1.0))]  # fmt: skip
    return pieces, lines, (0.0, min(low, -below), end + ratio, max(high, above))
