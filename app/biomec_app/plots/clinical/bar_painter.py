"""Draws bars of right, left and both sides beside what is usual: a profile of scores, or time and distance."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from biomec.reporting.clinical.blocks import Bar, Bars
from biomec.reporting.tables import number
from biomec_app.kit.colours import mixed
from biomec_app.plots.clinical.grid_layout import tick_text, ticks
from biomec_app.plots.clinical.look import GREY, Look
from biomec_app.plots.clinical.pencil import CENTRE, LEFT, RIGHT, Pencil, Word

SIDES = ("right", "left", "both")
LEGEND = {"right": "Right", "left": "Left", "both": "Both"}


def bars_height(bars: Bars, look: Look, width: float) -> float:
    """Height that a chart takes without being squeezed, in units of the device."""
    pencil = Pencil(look)
    line = pencil.line_height
    rows = sum(max(1.45, 1.2 * len(_values(bar))) for bar in bars.bars)
    return line * (rows + (1.6 if look.legend else 0.0) + (1.6 if bars.shared else 0.3)) + pencil.note_height(
        bars.note, width
    )


def paint_bars(painter: QPainter, rect: QRectF, bars: Bars, look: Look) -> list[Word]:
    """Draw a bar chart in a rectangle; returns the words that were written."""
    pencil = Pencil(look, painter)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    line, point = pencil.line_height, look.point
    top = rect.top()
    if look.legend:
        _draw_legend(pencil, QRectF(rect.left(), top, rect.width(), 1.3 * line), bars)
        top += 1.6 * line
    bottom = rect.bottom() - pencil.note(bars.note, rect)
    if bars.shared:
        bottom -= 1.6 * line
    labels = min(0.4 * rect.width(), max((pencil.width(_label(bar, bars)) for bar in bars.bars), default=0.0) + point)
    numbers = max((pencil.width(_text(bar, side)) for bar in bars.bars for side in _values(bar)), default=0.0) + point
    field = QRectF(rect.left() + labels + 6.0 * point, top, 0.0, max(1.0, bottom - top))
    field.setRight(rect.right() - numbers - 4.0 * point)
    shared = scale_of(bars.bars) if bars.shared else (0.0, 1.0)
    weights = [max(1.45, 1.2 * len(_values(bar))) for bar in bars.bars]
    y = top
    for bar, weight in zip(bars.bars, weights, strict=True):
        row = QRectF(field.left(), y, field.width(), field.height() * weight / sum(weights))
        scale = shared if bars.shared else scale_of((bar,))
        _draw_bar(pencil, bar, bars, row, scale, QRectF(rect.left(), y, labels, row.height()), rect.right())
        y += row.height()
    if bars.shared and bars.bars:
        _draw_axis(pencil, field, shared, bars.bars[0].unit)
    painter.restore()
    return pencil.words


def scale_of(bars: tuple[Bar, ...]) -> tuple[float, float]:
    """Lowest and highest value of the axis: from 0, with a little room beyond the longest bar and the norm."""
    seen = [0.0]
    for bar in bars:
        seen += list(_values(bar).values())
        seen += [bar.healthy] if bar.healthy is not None else []
        seen += [bar.norm[0] + bar.norm[1], bar.norm[0] - bar.norm[1]] if bar.norm is not None else []
    seen = [value for value in seen if math.isfinite(value)]
    low, high = min(seen), max(seen)
    return (1.05 * low, 1.05 * high) if high > low else (0.0, 1.0)


def _values(bar: Bar) -> dict[str, float]:
    """Side -> value, of the sides that have one."""
    found = {side: getattr(bar, side) for side in SIDES}
    return {side: value for side, value in found.items() if value is not None and math.isfinite(value)}


def _label(bar: Bar, bars: Bars) -> str:
    return bar.label if bars.shared or not bar.unit or bar.unit == "1" else f"{bar.label} [{bar.unit}]"


def _text(bar: Bar, side: str) -> str:
    return number(getattr(bar, side), bar.digits)


def _colour(look: Look, side: str) -> str:
    if side != "both":
        return look.colour(side)
    return look.theme.panel if look.colours == GREY else look.theme.faint  # another grey would be taken for a side


def _outline(pencil: Pencil, box: QRectF) -> None:
    """A line around a bar that may have the colour of the paper."""
    for one, other in ((box.topLeft(), box.topRight()), (box.topRight(), box.bottomRight()),
                       (box.bottomRight(), box.bottomLeft()), (box.bottomLeft(), box.topLeft())):  # fmt: skip
        pencil.line(one, other, pencil.look.theme.faint, 0.6)


def _draw_legend(pencil: Pencil, place: QRectF, bars: Bars) -> None:
    look, point = pencil.look, pencil.look.point
    entries = [
        (LEGEND[side], _colour(look, side))
        for side in SIDES
        if any(getattr(bar, side) is not None for bar in bars.bars)
    ]
    if any(bar.healthy is not None for bar in bars.bars):
        entries.append(("mean of the people of the norm", _healthy(look)))
    if any(bar.norm is not None for bar in bars.bars):
        entries.append(("norm, mean ± 1 SD", look.band))
    x = place.left()
    for words, colour in entries:
        swatch = QRectF(x, place.center().y() - 3.0 * point, 12.0 * point, 6.0 * point)
        pencil.fill(swatch, colour)
        if words == LEGEND["both"]:
            _outline(pencil, swatch)
        width = min(pencil.width(words) + point, max(1.0, place.right() - x - 15.0 * point))
        pencil.write(words, QRectF(x + 15.0 * point, place.top(), width, place.height()))
        x += 27.0 * point + width


def _healthy(look: Look) -> str:
    return mixed("#808080", look.theme.panel, 0.35)


def _draw_bar(
    pencil: Pencil, bar: Bar, bars: Bars, row: QRectF, scale: tuple[float, float], label: QRectF, right: float
) -> None:
    look, point, (low, high) = pencil.look, pencil.look.point, scale

    def x(value: float) -> float:
        return row.left() + (value - low) / (high - low) * row.width()

    inner = row.adjusted(0.0, 0.1 * row.height(), 0.0, -0.1 * row.height())
    pencil.write(_label(bar, bars), label)
    if bar.norm is not None:
        mean, sd = bar.norm
        first = max(row.left(), x(mean - sd))
        pencil.fill(QRectF(first, row.top(), x(mean + sd) - first, row.height()), look.band)
        pencil.line(QPointF(x(mean), row.top()), QPointF(x(mean), row.bottom()), look.theme.faint, 0.7)
    values = _values(bar)
    pencil.line(QPointF(x(0.0), row.top()), QPointF(x(0.0), row.bottom()), look.theme.faint, 0.6)
    if not values:
        pencil.write(
            "no value", QRectF(x(0.0) + 3.0 * point, row.top(), 0.5 * row.width(), row.height()), look.theme.faint
        )
        return
    high_each = inner.height() / len(values)
    for k, (side, value) in enumerate(values.items()):
        top = inner.top() + k * high_each
        thick = min(0.86 * high_each, 9.0 * point)
        box = QRectF(min(x(0.0), x(value)), top + 0.5 * (high_each - thick), abs(x(value) - x(0.0)), thick)
        pencil.fill(box, _colour(look, side))
        if side == "both":
            _outline(pencil, box)
        if bar.healthy is not None:
            grey = QRectF(x(0.0), box.top(), min(x(value), x(bar.healthy)) - x(0.0), thick)
            pencil.fill(grey, _healthy(look))
        text = QRectF(row.right() + 2.0 * point, top, right - row.right() - 2.0 * point, high_each)
        pencil.write(_text(bar, side), text, align=RIGHT)


def _draw_axis(pencil: Pencil, field: QRectF, scale: tuple[float, float], unit: str) -> None:
    look, point, line = pencil.look, pencil.look.point, pencil.line_height
    low, high = scale
    pencil.line(field.bottomLeft(), field.bottomRight(), look.theme.faint)
    wide = 4.0 * line
    for value in ticks(low, high):
        x = field.left() + (value - low) / (high - low) * field.width()
        pencil.line(QPointF(x, field.bottom()), QPointF(x, field.bottom() + 2.0 * point), look.theme.faint)
        box = QRectF(x - 0.5 * wide, field.bottom() + 2.5 * point, wide, line)
        pencil.write(tick_text(value), box, look.theme.faint, CENTRE)
    words = QRectF(field.right() + 3.0 * point, field.bottom() + 2.5 * point, 5.0 * line, line)
    pencil.write(f"[{unit}]", words, look.theme.faint, LEFT)
