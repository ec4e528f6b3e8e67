"""Where the panels of a grid stand, how percent and value become a point, and which curve is at a point."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF

from biomec.base.arrays import FloatArray
from biomec.reporting.clinical.blocks import EVERY, Course, Grid, Panel
from biomec_app.plots.clinical.look import Look
from biomec_app.plots.clinical.pencil import Pencil

X_TICKS = (0.0, 20.0, 40.0, 60.0, 80.0, 100.0)
FEWEST_TICKS, MOST_TICKS = 2, 6
NORM, FOOT_OFF, STATIC, WIDER, ACTIVE = "norm", "foot off", "static", "wider", "active"


@dataclass(frozen=True, eq=False)
class PanelPlace:
    """A panel of a grid and its places: of the whole cell, of the curves, and of the strip below them, if any."""

    panel: Panel
    row: int
    column: int
    cell: QRectF
    plot: QRectF
    strip: QRectF

    def x(self, percent: float) -> float:
        """Of a percent of the cycle."""
        return self.plot.left() + 0.01 * percent * self.plot.width()

    def y(self, value: float) -> float:
        """Of a value in the unit of the panel."""
        return self.plot.bottom() - (value - self.panel.low) / (self.panel.high - self.panel.low) * self.plot.height()

    def point(self, percent: float, value: float) -> QPointF:
        """Of a sample of a curve."""
        return QPointF(self.x(percent), self.y(value))

    def percent(self, x: float) -> float:
        """Percent of the cycle at x."""
        return 100.0 * (x - self.plot.left()) / self.plot.width()

    def value(self, y: float) -> float:
        """Value at y."""
        panel = self.panel
        return panel.low + (self.plot.bottom() - y) / self.plot.height() * (panel.high - panel.low)


@dataclass(frozen=True, eq=False)
class Hit:
    """What is at a point.

    cycle   : number among the curves of the course, the nearest one, also where only their mean is drawn
    on_mean : whether the mean is drawn, not the cycles
    percent : of the cycle;  value : of what is drawn there
    """

    place: PanelPlace
    course: Course
    cycle: int
    on_mean: bool
    percent: float
    value: float

    @property
    def panel(self) -> Panel:
        """The panel that was hit."""
        return self.place.panel


@dataclass(frozen=True)
class LegendEntry:
    """What a legend explains: ``kind`` is "course" or one of the other signs; ``place`` of sign and words together."""

    kind: str
    label: str
    side: str
    visit: int
    place: QRectF


@dataclass(frozen=True, eq=False)
class GridLayout:
    """Places of a grid in a rectangle; made by `grid_layout`."""

    grid: Grid
    rect: QRectF
    places: tuple[PanelPlace, ...]
    legend: tuple[LegendEntry, ...]
    axis_title: QRectF
    note: QRectF
    gutters: tuple[float, ...]

    def place_at(self, point: QPointF) -> PanelPlace | None:
        """The panel whose cell holds a point."""
        return next((one for one in self.places if one.cell.contains(point)), None)

    def place_of(self, name: str) -> PanelPlace | None:
        """The place of the panel of that name."""
        return next((one for one in self.places if one.panel.name == name), None)

    def hit(self, point: QPointF, reach: float) -> Hit | None:
        """The curve nearest to a point, no further than ``reach`` above or below it; None where there is none."""
        place = self.place_at(point)
        if place is None or place.panel.missing:
            return None
        percent = place.percent(point.x())
        if not -1.0 <= percent <= 101.0:
            return None
        percent = min(100.0, max(0.0, percent))
        best: tuple[float, Hit] | None = None
        for course in place.panel.courses:
            on_mean = shows_mean(self.grid, course)
            values = np.array([value_at(course.percent, one, percent) for one in course.curves])
            if not np.isfinite(values).any():
                continue
            target = place.value(point.y())
            cycle = int(np.nanargmin(np.abs(values - target)))
            shown = value_at(course.percent, course.mean, percent) if on_mean else float(values[cycle])
            away = abs(place.y(shown) - point.y())
            if away <= reach and (best is None or away < best[0]):
                best = away, Hit(place, course, cycle, on_mean, percent, shown)
        return None if best is None else best[1]


def shows_mean(grid: Grid, course: Course) -> bool:
    """Whether a course is drawn as mean ± SD; otherwise each of its cycles is."""
    return grid.style != EVERY and course.banded


def value_at(percent: FloatArray, values: FloatArray, at: float) -> float:
    """Value of a curve at a percent, between samples by linear interpolation; NaN where a neighbour is missing."""
    k = int(np.clip(np.searchsorted(percent, at) - 1, 0, len(percent) - 2)) if len(percent) > 1 else 0
    if len(percent) < 2:
        return float(values[0]) if len(values) else math.nan
    share = (at - percent[k]) / (percent[k + 1] - percent[k])
    if share <= 0.0:
        return float(values[k])
    if share >= 1.0:
        return float(values[k + 1])
    return float((1.0 - share) * values[k] + share * values[k + 1])


def ticks(low: float, high: float, most: int = MOST_TICKS) -> list[float]:
    """Round numbers from low to high: steps of 1, 2 or 5 times a power of ten, at most so many."""
    if not high > low:
        return [low]
    exponent = math.floor(math.log10((high - low) / max(1, most)))
    for step in (part * 10.0**power for power in (exponent, exponent + 1, exponent + 2) for part in (1.0, 2.0, 5.0)):
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first + 1 <= most:
            return [round(k * step, 10) for k in range(first, last + 1)]
    return [low, high]


def tick_text(value: float) -> str:
    """A tick's number, with a real minus sign."""
    return f"{value:g}".replace("-", "−")


def panel_ticks(panel: Panel, height: float, line: float) -> list[float]:
    """Ticks for which the height has room."""
    return ticks(panel.low, panel.high, max(FEWEST_TICKS, min(MOST_TICKS, int(height / (1.35 * line)))))


def legend_labels(grid: Grid) -> list[tuple[str, str, str, int]]:
    """Kind, words, side and visit of what a legend of this grid explains."""
    panels = [panel for row in grid.rows for panel in row if panel is not None and not panel.missing]
    courses = [course for panel in panels for course in panel.courses]
    found: list[tuple[str, str, str, int]] = []
    for course in courses:
        entry = ("course", course.label, course.side, course.visit)
        if entry not in found:
            found.append(entry)
    bands = [panel.band for panel in panels if panel.band is not None]
    if bands:
        found.append((NORM, f"norm, mean ± {bands[0].deviations:g} SD", "", 0))
    if any(course.foot_off is not None for course in courses):
        found.append((FOOT_OFF, grid.phase, "", 0))
    if any(course.static is not None for course in courses):
        found.append((STATIC, "standing", "", 0))
    if any(panel.active for panel in panels):
        found.append((ACTIVE, "usual activity", "", 0))
    if any(panel.grown for panel in panels):
        found.append((WIDER, "scale wider than usual", "", 0))
    return found


def _legend(grid: Grid, rect: QRectF, pencil: Pencil) -> tuple[list[LegendEntry], float]:
    """Entries in lines from the top of a rectangle, and the height they take."""
    if not pencil.look.legend:
        return [], 0.0
    point, high = pencil.look.point, 1.25 * pencil.line_height
    sign, gap = 18.0 * point, 12.0 * point
    x, y, entries = rect.left(), rect.top(), []
    for kind, label, side, visit in legend_labels(grid):
        width = min(sign + 3.0 * point + pencil.width(label) + 1.0, 0.48 * rect.width())
        if x > rect.left() and x + width > rect.right():
            x, y = rect.left(), y + high
        entries.append(LegendEntry(kind, label, side, visit, QRectF(x, y, width, high)))
        x += width + gap
    return entries, (y + high - rect.top() + 5.0 * point) if entries else 0.0


def strip_height(grid: Grid, panel: Panel, look: Look) -> float:
    """Height of what is drawn below the curves: usual activity, or how far each side is from the norm."""
    if panel.active:
        return 5.0 * look.point
    if look.strips and panel.band is not None:
        return 4.0 * look.point * max(1, len({(one.side, one.visit) for one in panel.courses}))
    return 0.0


def grid_layout(rect: QRectF, grid: Grid, look: Look) -> GridLayout:
    """Lay a grid out in a rectangle, in units of the device."""
    pencil, point = Pencil(look), look.point
    line = pencil.line_height
    legend, top = _legend(grid, rect, pencil)
    note_high = pencil.note_height(grid.note, rect.width())
    note = QRectF(rect.left(), rect.bottom() - note_high, rect.width(), note_high)
    axis_title = QRectF(rect.left(), note.top() - 1.2 * line, rect.width(), 1.1 * line)
    body = QRectF(rect.left(), rect.top() + top, rect.width(), axis_title.top() - rect.top() - top)
    columns = max((len(row) for row in grid.rows), default=0)
    if not columns:
        return GridLayout(grid, rect, (), tuple(legend), axis_title, note, ())
    drawn = [(r, c, panel) for r, row in enumerate(grid.rows) for c, panel in enumerate(row) if panel is not None]
    lowest = {c: max((r for r, at, _ in drawn if at == c), default=-1) for c in range(columns)}
    head, gap_x, gap_y = 1.3 * line, 8.0 * point, 5.0 * point
    strips = [max((strip_height(grid, p, look) for r, _, p in drawn if r == row), default=0.0)
              for row in range(len(grid.rows))]  # fmt: skip
    feet = [3.0 * point + (1.15 * line if row in lowest.values() else 0.0) for row in range(len(grid.rows))]
    fixed = len(grid.rows) * (head + gap_y) + sum(strips) + sum(feet)
    high = max(1.0, (body.height() - fixed) / len(grid.rows))
    gutters = []
    for c in range(columns):
        panels = [panel for _, at, panel in drawn if at == c and not panel.missing]
        numbers = max(
            (pencil.width(tick_text(t)) for p in panels for t in panel_ticks(p, high, line)), default=2.0 * line
        )
        words = line if any(panel.up or panel.down for panel in panels) else 0.0
        gutters.append(numbers + words + 6.0 * point)
    wide = max(1.0, (body.width() - sum(gutters) - columns * gap_x) / columns)
    places, y = [], body.top()
    for r, row in enumerate(grid.rows):
        x = body.left()
        for c in range(columns):
            panel = row[c] if c < len(row) else None
            cell = QRectF(x, y, gutters[c] + wide + gap_x, head + high + strips[r] + feet[r])
            if panel is not None:
                plot = QRectF(x + gutters[c], y + head, wide, high)
                strip = QRectF(plot.left(), plot.bottom() + point, wide, strip_height(grid, panel, look))
                places.append(PanelPlace(panel, r, c, cell, plot, strip))
            x += cell.width()
        y += head + high + strips[r] + feet[r] + gap_y
    return GridLayout(grid, rect, tuple(places), tuple(legend), axis_title, note, tuple(gutters))
