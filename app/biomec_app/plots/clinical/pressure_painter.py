"""Draws the paths of the centre of pressure under the feet, left foot on the left, in one scale for both."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from biomec.base.arrays import FloatArray
from biomec.reporting.clinical.blocks import PathOfPressure
from biomec_app.plots.clinical.grid_layout import tick_text, ticks
from biomec_app.plots.clinical.grid_painter import runs
from biomec_app.plots.clinical.look import Look
from biomec_app.plots.clinical.pencil import CENTRE, RIGHT, Pencil, Word

LEAST_WIDTH_MM, LEAST_LENGTH_MM = 80.0, 200.0
At = Callable[[float, float], QPointF]
NAMES = {"left": "Left foot", "right": "Right foot", "": "Paths"}


def paint_path(painter: QPainter, rect: QRectF, block: PathOfPressure, look: Look) -> list[Word]:
    """Draw paths in a rectangle; returns the words that were written."""
    pencil = Pencil(look, painter)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    line, point = pencil.line_height, look.point
    sides = [side for side in ("left", "right", "") if any(one[0] == side for one in block.paths)]
    bottom = rect.bottom() - pencil.note(block.note, rect) - 2.0 * point
    low, high_mm = _extent([path for _, _, path in block.paths])
    gutter = pencil.width("−000") + 8.0 * point + line
    each = rect.width() / max(1, len(sides))
    room = QRectF(0.0, 0.0, each - gutter - 8.0 * point, bottom - rect.top() - 3.9 * line)
    scale = min(room.width() / (high_mm[0] - low[0]), room.height() / (high_mm[1] - low[1]))
    wide, tall = scale * (high_mm[0] - low[0]), scale * (high_mm[1] - low[1])
    for k, side in enumerate(sides):
        plot = QRectF(
            rect.left() + k * each + gutter + 0.5 * (room.width() - wide), rect.top() + 1.4 * line, wide, tall
        )

        def at(across: float, along: float, plot: QRectF = plot) -> QPointF:
            return QPointF(plot.left() + (across - low[0]) * scale, plot.bottom() - (along - low[1]) * scale)

        title = QRectF(plot.center().x() - 0.5 * each, rect.top(), each, 1.3 * line)
        pencil.write(NAMES[side], title, align=CENTRE, bold=True)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(look.theme.line), 0.5 * point))
        painter.drawRect(plot)
        _draw_ticks(pencil, plot, low, high_mm, at)
        for path in (one for own, _, one in block.paths if own == side):
            _draw_one(painter, path, at, look, side)
    painter.restore()
    return pencil.words


def _extent(paths: list[FloatArray]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Lowest and highest values across and along [mm], in steps of 20, with a foot's width and length at least."""
    known = [path[np.isfinite(path).all(axis=1)] for path in paths]
    every = np.concatenate([np.zeros((0, 2)), *known])
    low, high = (every.min(axis=0), every.max(axis=0)) if len(every) else (np.zeros(2), np.zeros(2))
    least = np.array([LEAST_WIDTH_MM, LEAST_LENGTH_MM])
    short = np.maximum(0.0, least - (high - low))
    low, high = low - 0.5 * short, high + 0.5 * short
    low, high = 20.0 * np.floor(low / 20.0), 20.0 * np.ceil(high / 20.0)
    return (float(low[0]), float(low[1])), (float(high[0]), float(high[1]))


def _draw_ticks(pencil: Pencil, plot: QRectF, low: tuple[float, float], high: tuple[float, float], at: At) -> None:
    look, point, line = pencil.look, pencil.look.point, pencil.line_height
    for value in ticks(low[1], high[1], max(2, int(plot.height() / (1.5 * line)))):
        y = at(low[0], value).y()
        pencil.line(QPointF(plot.left() - 2.0 * point, y), QPointF(plot.left(), y), look.theme.faint)
        box = QRectF(plot.left() - 60.0 * point, y - 0.5 * line, 57.0 * point, line)
        pencil.write(tick_text(value), box, look.theme.faint, RIGHT)
    most = max(2, int(plot.width() / (1.4 * pencil.width("−000"))))
    for value in ticks(low[0], high[0], most):
        x = at(value, low[1]).x()
        pencil.line(QPointF(x, plot.bottom()), QPointF(x, plot.bottom() + 2.0 * point), look.theme.faint)
        wide = 1.3 * pencil.width("−000")
        pencil.write(tick_text(value), QRectF(x - 0.5 * wide, plot.bottom() + 2.5 * point, wide, line),
                     look.theme.faint, CENTRE)  # fmt: skip
    words = QRectF(plot.center().x() - 60.0 * point, plot.bottom() + 2.5 * point + line, 120.0 * point, 1.1 * line)
    pencil.write("across [mm]", words, look.theme.faint, CENTRE)
    beside = QRectF(plot.left() - 7.0 * point - pencil.width("−000") - line, plot.top(), line, plot.height())
    pencil.write("along the way [mm]", beside, look.theme.faint, CENTRE, upright=True)


def _draw_one(painter: QPainter, path: FloatArray, at: At, look: Look, side: str) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(look.pen(side, 0, 0.9))
    pieces = list(runs(path.sum(axis=1)))
    for piece in pieces:
        points = [at(float(a), float(b)) for a, b in path[piece]]
        if len(points) == 1:
            painter.drawPoint(points[0])
        else:
            painter.drawPolyline(QPolygonF(points))
    if pieces:
        first = path[pieces[0].start]
        painter.setBrush(QColor(look.colour(side)))
        painter.drawEllipse(at(float(first[0]), float(first[1])), 1.6 * look.point, 1.6 * look.point)
        painter.setBrush(Qt.BrushStyle.NoBrush)
