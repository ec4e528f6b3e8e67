"""Draws a grid of clinical curves: norm behind, mean ± SD or every cycle, events, scales with words at their ends."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from biomec.base.arrays import FloatArray
from biomec.reporting.clinical.blocks import Band, Course, Grid
from biomec_app.kit.colours import mixed
from biomec_app.plots.clinical.grid_layout import (
    ACTIVE,
    FOOT_OFF,
    NORM,
    STATIC,
    WIDER,
    X_TICKS,
    GridLayout,
    LegendEntry,
    PanelPlace,
    grid_layout,
    panel_ticks,
    shows_mean,
    tick_text,
)
from biomec_app.plots.clinical.look import Look
from biomec_app.plots.clinical.pencil import CENTRE, RIGHT, Pencil, Word

SD_OPACITY = 0.3
MEAN_WIDTH, CYCLE_WIDTH = 1.5, 0.7  # points
FOOT_OFF_DASHES = (3.0, 2.0)


def paint_grid(painter: QPainter, rect: QRectF, grid: Grid, look: Look) -> tuple[GridLayout, list[Word]]:
    """Draw a grid in a rectangle; returns where everything is, and the words that were written."""
    layout, pencil = grid_layout(rect, grid, look), Pencil(look, painter)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for entry in layout.legend:
        _draw_entry(pencil, entry, look)
    lowest = {place.column: place.row for place in layout.places}
    for place in layout.places:
        _draw_panel(pencil, layout, place, lowest[place.column] == place.row)
    faint = look.theme.faint
    if any(not place.panel.missing for place in layout.places):
        pencil.write(grid.axis, layout.axis_title, faint, CENTRE)
    pencil.note(grid.note, rect)
    painter.restore()
    return layout, pencil.words


def _draw_entry(pencil: Pencil, entry: LegendEntry, look: Look) -> None:
    point, place = look.point, entry.place
    sign = QRectF(place.left(), place.top(), 18.0 * point, place.height())
    middle = sign.center()
    if entry.kind == NORM:
        pencil.fill(QRectF(sign.left(), middle.y() - 3.0 * point, sign.width(), 6.0 * point), look.band)
    elif entry.kind == ACTIVE:
        strip = QRectF(sign.left(), middle.y() - 1.5 * point, sign.width(), 3.0 * point)
        pencil.fill(strip, mixed(look.theme.faint, look.theme.panel, 0.25))
    elif entry.kind == FOOT_OFF:
        top, bottom = QPointF(middle.x(), sign.top() + point), QPointF(middle.x(), sign.bottom() - point)
        pencil.line(top, bottom, look.theme.text, 0.7, FOOT_OFF_DASHES)
    elif entry.kind == STATIC:
        pencil.line(middle, QPointF(middle.x() + 5.0 * point, middle.y()), look.theme.text, 1.5)
    elif entry.kind == WIDER:
        _draw_wider(pencil, middle)
    elif pencil.painter is not None:
        pencil.painter.setPen(look.pen(entry.side, entry.visit, MEAN_WIDTH))
        pencil.painter.drawLine(QPointF(sign.left(), middle.y()), QPointF(sign.right(), middle.y()))
    words = QRectF(sign.right() + 3.0 * point, place.top(), place.right() - sign.right() - 3.0 * point, place.height())
    pencil.write(entry.label, words)


def _draw_wider(pencil: Pencil, at: QPointF) -> None:
    """An arrow upwards and downwards: the scale is wider than usual."""
    point, colour = pencil.look.point, pencil.look.theme.text
    for sign in (-1.0, 1.0):
        tip = QPointF(at.x(), at.y() + sign * 3.5 * point)
        pencil.line(at, tip, colour, 0.7)
        for side in (-1.0, 1.0):
            pencil.line(tip, QPointF(tip.x() + side * 1.6 * point, tip.y() - sign * 1.8 * point), colour, 0.7)


def _draw_panel(pencil: Pencil, layout: GridLayout, place: PanelPlace, labelled: bool) -> None:
    panel, plot, look = place.panel, place.plot, pencil.look
    point, line, gutter = look.point, pencil.line_height, layout.gutters[place.column]
    title = QRectF(plot.left(), plot.top() - 1.25 * line, plot.width() + 4.0 * point, 1.15 * line)
    if panel.grown and not panel.missing:
        title.setRight(title.right() - 10.0 * point)
        _draw_wider(pencil, QPointF(plot.right(), title.center().y()))
    elif panel.raw_limit > 0.0 and not panel.missing:
        words = f"±{panel.raw_limit:.6g} {panel.raw_unit}"
        wide = min(pencil.width(words), 0.4 * title.width())
        pencil.write(words, QRectF(plot.right() - wide, title.top(), wide, title.height()), look.theme.faint, RIGHT)
        title.setRight(plot.right() - wide - 3.0 * point)
    pencil.write(panel.title, title, bold=True)
    if panel.missing:
        _outline(pencil, plot)
        inside = plot.adjusted(4.0 * point, 2.0 * point, -4.0 * point, -2.0 * point)
        pencil.paragraph(panel.missing, inside, look.theme.faint, CENTRE, middle=True)
        return
    _draw_inside(pencil, layout.grid, place)
    _draw_scales(pencil, place, gutter, labelled)
    for course in panel.courses:
        if course.static is not None and np.isfinite(course.static) and panel.low <= course.static <= panel.high:
            y = place.y(course.static)
            colour = look.colour(course.side, course.visit)
            pencil.line(QPointF(plot.right() - point, y), QPointF(plot.right() + 4.5 * point, y), colour, 1.5)
    _draw_strip(pencil, place)


def _outline(pencil: Pencil, plot: QRectF) -> None:
    if pencil.painter is not None:
        pencil.painter.setBrush(Qt.BrushStyle.NoBrush)
        pencil.painter.setPen(QPen(QColor(pencil.look.theme.line), 0.5 * pencil.look.point))
        pencil.painter.drawRect(plot)


def _draw_scales(pencil: Pencil, place: PanelPlace, gutter: float, labelled: bool) -> None:
    panel, plot, look = place.panel, place.plot, pencil.look
    point, line, faint = look.point, pencil.line_height, look.theme.faint
    numbers = gutter - 6.0 * point - (line if panel.up or panel.down else 0.0)
    for value in panel_ticks(panel, plot.height(), line):
        y = place.y(value)
        pencil.line(QPointF(plot.left() - 2.0 * point, y), QPointF(plot.left(), y), faint)
        box = QRectF(plot.left() - 3.0 * point - numbers - point, y - 0.5 * line, numbers + point, line)
        pencil.write(tick_text(value), box, faint, RIGHT)
    words = QRectF(plot.left() - gutter + 0.5 * point, plot.top(), line, plot.height())
    half = 0.5 * plot.height() - point
    pencil.write(panel.up, QRectF(words.left(), words.top(), line, half), look.theme.text, RIGHT, upright=True)
    pencil.write(panel.down, QRectF(words.left(), words.bottom() - half, line, half), upright=True)
    floor = max(plot.bottom(), place.strip.bottom() if place.strip.height() else 0.0)
    for value in X_TICKS:
        x = place.x(value)
        pencil.line(QPointF(x, floor), QPointF(x, floor + 2.0 * point), faint)
        if labelled:
            step = 0.2 * plot.width()
            align, box = CENTRE, QRectF(x - 0.5 * step, floor + 2.5 * point, step, line)
            pencil.write(tick_text(value), box, faint, align)


def _draw_inside(pencil: Pencil, grid: Grid, place: PanelPlace) -> None:
    """Everything that is clipped to the panel."""
    painter, panel, look = pencil.painter, place.panel, pencil.look
    if painter is None:
        return
    painter.save()
    edge = 0.8 * look.point  # a line along the edge of the panel is drawn whole
    painter.setClipRect(place.plot.adjusted(-edge, -edge, edge, edge), Qt.ClipOperation.IntersectClip)
    if panel.band is not None:
        _draw_norm(pencil, place, panel.band)
    _outline(pencil, place.plot)
    if panel.low < 0.0 < panel.high:
        zero = place.y(0.0)
        pencil.line(QPointF(place.plot.left(), zero), QPointF(place.plot.right(), zero), look.theme.faint, 0.4)
    courses = sorted(panel.courses, key=lambda one: -one.visit)  # the visit of the report comes last, on top
    for course in courses:
        if course.raw is not None:
            _draw_raw(painter, place, course, look)
    for course in courses:
        _draw_course(painter, place, course, look, shows_mean(grid, course))
    for course in courses:
        _draw_events(pencil, place, course)
    painter.restore()


def _draw_norm(pencil: Pencil, place: PanelPlace, band: Band) -> None:
    painter, look = pencil.painter, pencil.look
    assert painter is not None
    _fill_between(painter, place, band.percent, band.low, band.high, QColor(look.band))
    if band.foot_off is not None and np.isfinite(band.foot_off):
        x = place.x(band.foot_off)
        grey = mixed(look.theme.faint, look.theme.panel, 0.35)
        pencil.line(QPointF(x, place.plot.top()), QPointF(x, place.plot.bottom()), grey, 0.6)


def _draw_raw(painter: QPainter, place: PanelPlace, course: Course, look: Look) -> None:
    """Raw signals around the middle of the panel, no more points than the panel can show."""
    assert course.raw is not None
    limit = place.panel.raw_limit or float(np.nanmax(np.abs(course.raw), initial=0.0)) or 1.0
    painter.setPen(QPen(QColor(mixed(look.theme.faint, look.theme.panel, 0.5)), 0.35 * look.point))
    middle, half = place.plot.center().y(), 0.5 * place.plot.height()
    bins = max(50, int(place.plot.width() / (0.3 * look.point)))
    for values in course.raw:
        percent, shown = thinned(np.linspace(0.0, 100.0, len(values)), values, bins)
        for piece in runs(shown):
            line = [QPointF(place.x(p), middle - v / limit * half)
                    for p, v in zip(percent[piece].tolist(), shown[piece].tolist(), strict=True)]  # fmt: skip
            painter.drawPolyline(QPolygonF(line))


def _draw_course(painter: QPainter, place: PanelPlace, course: Course, look: Look, as_mean: bool) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if not as_mean:
        painter.setPen(look.pen(course.side, course.visit, CYCLE_WIDTH))
        for curve in course.curves:
            draw_curve(painter, place, course.percent, curve)
        return
    tint = QColor(look.colour(course.side, course.visit))
    tint.setAlphaF(SD_OPACITY)
    _fill_between(painter, place, course.percent, course.mean - course.sd, course.mean + course.sd, tint)
    painter.setPen(look.pen(course.side, course.visit, MEAN_WIDTH))
    draw_curve(painter, place, course.percent, course.mean)


def draw_curve(painter: QPainter, place: PanelPlace, percent: FloatArray, values: FloatArray) -> None:
    """Draw every finite sample: lines through neighbours, a dot for one that stands alone."""
    for piece in runs(values):
        points = [place.point(p, v) for p, v in zip(percent[piece].tolist(), values[piece].tolist(), strict=True)]
        if len(points) == 1:
            painter.drawPoint(points[0])
        else:
            painter.drawPolyline(QPolygonF(points))


def _draw_events(pencil: Pencil, place: PanelPlace, course: Course) -> None:
    colour, plot, point = pencil.look.colour(course.side, course.visit), place.plot, pencil.look.point
    if course.foot_off is not None and np.isfinite(course.foot_off):
        x = place.x(course.foot_off)
        pencil.line(QPointF(x, plot.bottom()), QPointF(x, plot.top()), colour, 0.8, FOOT_OFF_DASHES)
    for percent, length in ((course.opposite_foot_off, 4.0), (course.opposite_contact, 7.0)):
        if percent is not None and np.isfinite(percent):
            x = place.x(percent)
            pencil.line(QPointF(x, plot.bottom()), QPointF(x, plot.bottom() - length * point), colour, 1.2)


def _draw_strip(pencil: Pencil, place: PanelPlace) -> None:
    """Below the curves: when a muscle is usually active, or how many deviations each side is from the norm."""
    panel, strip, look = place.panel, place.strip, pencil.look
    if strip.height() <= 0.0:
        return
    if panel.active:
        dark = mixed(look.theme.faint, look.theme.panel, 0.25)
        for first, last in panel.active:
            pencil.fill(QRectF(place.x(first), strip.top(), place.x(last) - place.x(first), strip.height()), dark)
        return
    if panel.band is None or not panel.courses:
        return
    high = strip.height() / len(panel.courses)
    for k, course in enumerate(panel.courses):
        row = QRectF(strip.left(), strip.top() + k * high, strip.width(), high - 0.5 * look.point)
        pencil.fill(row, mixed(look.theme.line, look.theme.panel, 0.6))
        strong = look.colour(course.side, course.visit)
        for first, last, level in deviation_stretches(course, panel.band):
            part = QRectF(place.x(first), row.top(), place.x(last) - place.x(first), row.height())
            pencil.fill(part, strong if level == 2 else mixed(strong, look.theme.panel, 0.6))


def deviation_stretches(course: Course, band: Band) -> list[tuple[float, float, int]]:
    """First and last percent and level of every stretch: 1 where the mean is 1 to 2 SD from the norm, 2 beyond."""
    sd = np.interp(course.percent, band.percent, 0.5 * (band.high - band.low) / band.deviations)
    away = np.abs(course.mean - np.interp(course.percent, band.percent, band.mean))
    with np.errstate(divide="ignore", invalid="ignore"):
        z = away / sd
    level = np.where(np.isfinite(z), np.clip(np.floor(z), 0, 2), 0).astype(int)
    edges = np.concatenate([course.percent[:1], 0.5 * (course.percent[1:] + course.percent[:-1]), course.percent[-1:]])
    found: list[tuple[float, float, int]] = []
    for k, one in enumerate(level.tolist()):
        if one and found and found[-1][2] == one and found[-1][1] == edges[k]:
            found[-1] = (found[-1][0], float(edges[k + 1]), one)
        elif one:
            found.append((float(edges[k]), float(edges[k + 1]), one))
    return found


def runs(values: FloatArray) -> Iterator[slice]:
    """Stretches of finite samples."""
    known = np.flatnonzero(np.isfinite(values))
    if not known.size:
        return
    cuts = np.flatnonzero(np.diff(known) > 1) + 1
    for piece in np.split(known, cuts):
        yield slice(int(piece[0]), int(piece[-1]) + 1)


def thinned(percent: FloatArray, values: FloatArray, bins: int) -> tuple[FloatArray, FloatArray]:
    """The same line with at most two samples, the least and the greatest, in each of so many equal parts."""
    if len(values) <= 2 * bins:
        return percent, values
    edges = np.linspace(0, len(values), bins + 1).astype(int)
    keep: list[int] = []
    for first, last in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        part = values[first:last]
        if np.isfinite(part).any():
            keep += sorted({first + int(np.nanargmin(part)), first + int(np.nanargmax(part))})
        else:
            keep.append(first)
    return percent[keep], values[keep]


def _fill_between(
    painter: QPainter, place: PanelPlace, percent: FloatArray, low: FloatArray, high: FloatArray, colour: QColor
) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    for piece in runs(low + high):
        there = [place.point(p, v) for p, v in zip(percent[piece].tolist(), high[piece].tolist(), strict=True)]
        back = [place.point(p, v) for p, v in zip(percent[piece].tolist(), low[piece].tolist(), strict=True)]
        painter.drawPolygon(QPolygonF([*there, *reversed(back)]))
    painter.setBrush(Qt.BrushStyle.NoBrush)
