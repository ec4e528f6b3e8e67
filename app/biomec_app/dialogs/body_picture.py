"""Picture of a body made of its mapped markers, from the front and from the right."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from biomec.base.arrays import FloatArray
from biomec.recording import Trial
from biomec.recording.marker_set import MarkerSet, Side
from biomec_app.dialogs.body_drawing import front, limbs, outlines, places, side
from biomec_app.kit.painted import Painted, draw_frame
from biomec_app.kit.theme import Theme

MARGIN = 16.0
DEPTH: dict[Side | None, int] = {Side.LEFT: 0, Side.RIGHT: 2}  # seen from the right, the right is in front


class BodyPicture(Painted, QWidget):
    """Mapped markers as dots in the colour of their side, segments as their outlines, other labels as rings."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._places: dict[str, FloatArray] = {}
        self._set: MarkerSet | None = None
        self._chosen: Mapping[str, str] = {}
        self._highlighted: str | None = None
        self.setMinimumSize(220, 200)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Picture of the mapped markers")
        self.setToolTip("Right is blue, left is orange; rings are labels without a marker.")

    def show_body(self, trial: Trial, marker_set: MarkerSet) -> None:
        """Draw the markers of a trial."""
        self._places, self._set = places(trial), marker_set
        self.update()

    def show_mapping(self, chosen: Mapping[str, str]) -> None:
        """Draw which label is which marker."""
        self._chosen = dict(chosen)
        self.update()

    def highlight(self, label: str | None) -> None:
        """Point at one label."""
        self._highlighted = label
        self.update()

    # ------------------------------------------------------------------ drawing

    def draw(self, painter: QPainter) -> None:
        """Draw the body with the labels that are mapped."""
        draw_frame(painter, self, self._theme)
        if not self._places or self._set is None:
            return
        p = np.array(list(self._places.values()))
        middle, extent = (p.max(axis=0) + p.min(axis=0)) / 2.0, np.maximum(np.ptp(p, axis=0), 0.1)
        half, height = self.width() / 2.0, self.height() - 2 * MARGIN - 16.0
        wide = max(extent[0], extent[2])
        scale = min(height / extent[1], (half - 2 * MARGIN) / wide)
        for name, view, x0 in (("Front", front, half / 2.0), ("Right side", side, 1.5 * half)):
            centre = view(middle)
            origin = QPointF(x0 - scale * centre[0], MARGIN + height / 2.0 + scale * centre[1])
            painter.setPen(QColor(self._theme.faint))
            box = QRectF(x0 - half / 2.0, self.height() - 22.0, half, 18.0)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, name)
            self._draw_view(painter, view, origin, scale)

    def _draw_view(
        self, painter: QPainter, view: Callable[[FloatArray], FloatArray], origin: QPointF, scale: float
    ) -> None:
        assert self._set is not None

        def at(flat: FloatArray) -> QPointF:
            return QPointF(origin.x() + scale * float(flat[0]), origin.y() - scale * float(flat[1]))

        flat = {label: view(point) for label, point in self._places.items()}
        named = {target: flat[label] for label, target in self._chosen.items() if label in flat}
        for limb in limbs(self._set, named):
            shade = self._colour(limb.side)
            shade.setAlpha(60)
            painter.setPen(QPen(shade, 9.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawLine(at(limb.points[0]), at(limb.points[1]))
        for outline in sorted(outlines(self._set, named), key=lambda one: DEPTH.get(one.side, 1)):
            colour = self._colour(outline.side)
            painter.setPen(QPen(colour, 1.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            fill = QColor(colour)
            fill.setAlpha(45)
            painter.setBrush(QBrush(fill))
            painter.drawPolygon(QPolygonF([at(corner) for corner in outline.points]))
        known = {label: target for label, target in self._chosen.items() if target in self._set}
        sides = {label: self._set[target].side for label, target in known.items()}
        for label in sorted(flat, key=lambda label: DEPTH.get(sides.get(label), 1)):
            target, point = self._chosen.get(label), flat[label]
            colour = self._colour(sides[label]) if label in known else QColor(self._theme.faint)
            painter.setPen(QPen(colour, 1.2))
            painter.setBrush(QBrush(colour) if target is not None else Qt.BrushStyle.NoBrush)
            painter.drawEllipse(at(point), 2.6, 2.6)
        if self._highlighted in flat:
            self._point_at(painter, at(flat[self._highlighted]), str(self._highlighted))

    def _point_at(self, painter: QPainter, place: QPointF, text: str) -> None:
        painter.setPen(QPen(QColor(self._theme.text), 2.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(place, 7.0, 7.0)
        width = painter.fontMetrics().horizontalAdvance(text)
        x = place.x() + 10.0 if place.x() + 14.0 + width < self.width() else place.x() - 10.0 - width
        painter.drawText(QPointF(x, place.y() - 6.0), text)

    def _colour(self, side: Side | None) -> QColor:
        theme = self._theme
        return QColor({Side.RIGHT: theme.right, Side.LEFT: theme.left}.get(side, theme.middle))  # type: ignore[arg-type]
