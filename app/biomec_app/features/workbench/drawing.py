"""The drawing of a machine in its moment, on any device and in any thread."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from math import floor, hypot, log10

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from biomec.base.arrays import FloatArray
from biomec_app.features.workbench.pens import GHOST, SHOWN, Pens
from biomec_app.features.workbench.sketch import Part, Shape, Sketch, outline, projected
from biomec_app.kit.theme import LIGHT, Theme

MARGIN = 46.0  # pixels around the machine
AZIMUTH, ELEVATION = 0.6, 0.45  # rad: from where machines in space are seen
NEAR = 9.0  # pixels: as near as a click must be to a point
AWAY = 11.0  # pixels of a name from the middle of a bar
FAINT_TRAIL = 0.85
TRAILS = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)


@dataclass(eq=False)
class Drawing:
    """What is drawn and how.

    sketch, ghosts : the machine, and faintly those of other runs
    trails         : points whose ways are drawn
    names          : whether parts are named
    words          : written in the corner
    size           : of the paper [points]
    view           : centre [m] and points a metre, if the user has chosen them; otherwise everything is shown
    """

    sketch: Sketch | None = None
    ghosts: tuple[Sketch, ...] = ()
    trails: set[str] = field(default_factory=set)
    names: bool = True
    words: str = ""
    time_s: float = 0.0
    size: tuple[float, float] = (560.0, 380.0)
    theme: Theme = LIGHT
    font: QFont = field(default_factory=QFont)
    azimuth: float = AZIMUTH
    elevation: float = ELEVATION
    view: tuple[FloatArray, float] | None = None

    def copy(self) -> Drawing:
        """Another one, which is changed without this one."""
        made = copy(self)
        made.trails = set(self.trails)
        return made

    # ------------------------------------------------------------------ places

    @property
    def seen(self) -> tuple[FloatArray, float]:
        """Centre of what is seen [m], and points a metre."""
        if self.view is not None:
            return self.view
        if self.sketch is None:
            return np.zeros(2), 100.0
        flat = self._flat(self.sketch.corners())
        low, high = flat.min(axis=0), flat.max(axis=0)
        room = np.maximum(np.array(self.size) - 2 * MARGIN, 40.0)
        return (low + high) / 2, float((room / np.maximum(high - low, 1e-3)).min())

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Come nearer by a factor; the place under ``at`` stays where it is."""
        centre, scale = self.seen
        middle = QPointF(self.size[0] / 2, self.size[1] / 2)
        offset = (at or middle) - middle
        shift = np.array([offset.x(), -offset.y()]) / scale
        self.view = centre + shift * (1.0 - 1.0 / factor), scale * factor

    def move(self, way: QPointF) -> None:
        """Move what is seen by a way on the paper."""
        centre, scale = self.seen
        self.view = centre - np.array([way.x(), -way.y()]) / scale, scale

    def places(self, points: FloatArray) -> list[QPointF]:
        """Points (K, dim) of the laboratory on the paper."""
        return self._on_paper(self._flat(np.asarray(points)))

    def point_at(self, place: QPointF) -> str | None:
        """Name of the point of a body near a place of the paper."""
        if self.sketch is None:
            return None
        frame = self.sketch.frame_at(self.time_s)
        best, found = NEAR, None
        for name, at in self.sketch.points.items():
            (there,) = self.places(at[frame][None])
            apart = (there - place).manhattanLength()
            if apart < best:
                best, found = apart, name
        return found

    def surface_at(self, place: QPointF) -> object | None:
        """What can be hit under a place of the paper; a sketch has no surfaces."""
        return None

    @property
    def turns(self) -> bool:
        """Whether it can be looked at from all sides."""
        return self.sketch is not None and self.sketch.motion.dimension == 3

    def fit(self) -> None:
        """Show everything, as at first."""
        self.view, self.azimuth, self.elevation = None, AZIMUTH, ELEVATION

    def _flat(self, points: FloatArray) -> FloatArray:
        return projected(points, self.azimuth, self.elevation)

    def _on_paper(self, flat: FloatArray) -> list[QPointF]:
        centre, scale = self.seen
        return [QPointF(self.size[0] / 2 + x, self.size[1] / 2 - y) for x, y in (flat - centre) * scale]

    # ------------------------------------------------------------------ drawing

    def paint(self, painter: QPainter) -> None:
        """Draw everything."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self.font)
        painter.fillRect(QRectF(0.0, 0.0, *self.size), QColor(self.theme.panel))
        if self.sketch is not None:
            self._draw_scale(painter)
            self._draw_trails(painter, self.sketch)
            for ghost in self.ghosts:
                self._draw_shapes(painter, ghost, GHOST)
            self._draw_shapes(painter, self.sketch, SHOWN)
            if self.names:
                self._draw_names(painter, self.sketch)
        if self.words:
            painter.setPen(QColor(self.theme.faint))
            room = QRectF(10.0, 6.0, self.size[0] - 20.0, self.size[1] - 12.0)
            painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap, self.words)

    def _draw_shapes(self, painter: QPainter, sketch: Sketch, opacity: float) -> None:
        pens = Pens(painter, self.theme, self.seen[1], opacity)
        frame = sketch.frame_at(self.time_s)
        for shape in sketch.shapes:
            now = shape.points[frame]
            if not np.isfinite(now).all() or (opacity < SHOWN and shape.part not in (Part.BODY, Part.PIN)):
                continue
            flat = self._flat(now)
            pens.draw(shape, self._on_paper(outline(flat) if shape.part is Part.BODY else flat))
        painter.setOpacity(SHOWN)

    def _draw_trails(self, painter: QPainter, sketch: Sketch) -> None:
        for k, name in enumerate(sorted(self.trails & set(sketch.points))):
            way = sketch.points[name]
            way = way[np.isfinite(way).all(axis=1)]
            if len(way) > 1:
                colour = QColor(self.theme.accent)
                colour.setAlphaF(FAINT_TRAIL)
                painter.setPen(QPen(colour, 1.4, TRAILS[k % len(TRAILS)]))
                painter.drawPolyline(QPolygonF(self.places(way)))

    def _draw_names(self, painter: QPainter, sketch: Sketch) -> None:
        """Names of bodies and pins, as far as there is room."""
        frame = sketch.frame_at(self.time_s)
        pens, metrics = Pens(painter, self.theme, 1.0), QFontMetricsF(self.font)
        taken: list[QRectF] = []
        for shape in sorted(sketch.shapes, key=lambda one: one.part is Part.BODY):
            words, now = sketch.label(shape), shape.points[frame]
            if not words or not np.isfinite(now).all():
                continue
            at = _beside(shape, self.places(now), metrics.boundingRect(words))
            box = metrics.boundingRect(words).translated(at)
            if any(box.intersects(other) for other in taken):
                continue
            taken.append(box)
            painter.setPen(pens.colour(shape.number) if shape.part is Part.BODY else QColor(self.theme.text))
            painter.drawText(at, words)

    def _draw_scale(self, painter: QPainter) -> None:
        """A bar of a round length in the corner; in space lengths are not what they seem."""
        if self.sketch is None or self.sketch.motion.dimension == 3:
            return
        _, scale = self.seen
        wanted = 90.0 / scale
        power = 10.0 ** floor(log10(wanted))
        length = max((step * power for step in (1.0, 2.0, 5.0) if step * power <= wanted), default=power)
        x, y = 14.0, self.size[1] - 14.0
        painter.setPen(QPen(QColor(self.theme.faint), 1.4))
        painter.drawLine(QPointF(x, y), QPointF(x + length * scale, y))
        for end in (x, x + length * scale):
            painter.drawLine(QPointF(end, y - 4.0), QPointF(end, y + 4.0))
        painter.drawText(QPointF(x + 4.0, y - 5.0), f"{length:g} m" if length >= 0.01 else f"{1e3 * length:g} mm")


def _beside(shape: Shape, places: list[QPointF], words: QRectF) -> QPointF:
    """Where the name of a shape begins: right above a pin; below a bar, or beside it if it stands."""
    middle = QPointF(sum(one.x() for one in places) / len(places), sum(one.y() for one in places) / len(places))
    if shape.part is not Part.BODY or len(places) < 2:
        return middle + QPointF(8.0, -8.0)
    way = places[1] - places[0]
    length = max(hypot(way.x(), way.y()), 1.0)
    across = QPointF(-way.y() / length, way.x() / length)
    across = across if across.y() > 0.0 or (across.y() == 0.0 and across.x() > 0.0) else -across
    side = 0.5 + 0.5 * across.x()  # 1: the name begins at the bar, 0: it ends there
    return middle + across * AWAY + QPointF((side - 1.0) * words.width(), 0.5 * words.height() * across.y())
