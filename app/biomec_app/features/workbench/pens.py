"""How the shapes of a machine look: strokes of the painter for bodies, pins, ground, springs, motors and stops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import atan2, cos, hypot, pi, sin

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen, QPolygonF

from biomec_app.features.workbench.sketch import Part, Shape
from biomec_app.kit.colours import PALETTES
from biomec_app.kit.theme import Theme

Points = Sequence[QPointF]
BAR, PIN, ARROW = 11.0, 5.0, 15.0  # pixels: width of a bar, radius of a pin, radius of a motor's arrow
COILS, COIL = 7, 7.0  # of a spring: how many, and their half width in pixels
SHOWN, GHOST = 1.0, 0.28  # opacity


class Pens:
    """Draws shapes whose points are in pixels already.

    scale : pixels a metre, for circles of stops
    """

    def __init__(self, painter: QPainter, theme: Theme, scale: float, opacity: float = SHOWN) -> None:
        self._painter, self._theme, self._scale = painter, theme, scale
        self._palette = PALETTES[theme.name]
        painter.setOpacity(opacity)
        self._draw: dict[Part, Callable[[Shape, Points], None]] = {
            Part.BODY: self._body, Part.CENTRE: self._centre, Part.PIN: self._pin, Part.GROUND: self._ground,
            Part.RAIL: self._rail, Part.ROD: self._rod, Part.SPRING: self._spring, Part.DAMPER: self._damper,
            Part.TIE: self._tie, Part.MOTOR: self._motor, Part.HINGE: self._hinge, Part.CIRCLE: self._circle,
            Part.FACE: self._face,
        }  # fmt: skip

    def colour(self, number: int) -> QColor:
        """Colour of a body."""
        return QColor(self._palette[number % len(self._palette)] if number >= 0 else self._theme.text)

    def draw(self, shape: Shape, points: Points) -> None:
        """Draw a shape."""
        self._draw[shape.part](shape, points)

    def _pen(self, colour: QColor, width: float, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> None:
        pen = QPen(colour, width, style, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
        self._painter.setPen(pen)

    def _body(self, shape: Shape, points: Points) -> None:
        colour, painter = self.colour(shape.number), self._painter
        fill = QColor(colour)
        fill.setAlphaF(0.30)
        path = QPainterPath(points[0])
        for point in points[1:]:
            path.lineTo(point)
        if len(points) > 2:
            path.closeSubpath()
            painter.setBrush(QBrush(fill))
            self._pen(colour, 2.0)
            painter.drawPath(path)
            return
        painter.setBrush(Qt.BrushStyle.NoBrush)
        self._pen(colour, BAR)
        if len(points) == 1:
            painter.drawPoint(points[0])
        else:
            painter.drawPath(path)
        self._pen(QColor(self._theme.panel), BAR - 4.0)
        painter.drawPath(path) if len(points) > 1 else painter.drawPoint(points[0])
        self._pen(fill, BAR - 4.0)
        painter.drawPath(path) if len(points) > 1 else painter.drawPoint(points[0])

    def _centre(self, shape: Shape, points: Points) -> None:
        """The sign of a centre of mass: a circle in quarters."""
        painter, at = self._painter, points[0]
        self._pen(QColor(self._theme.text), 1.0)
        box = QRectF(at.x() - 4.0, at.y() - 4.0, 8.0, 8.0)
        painter.setBrush(QColor(self._theme.panel))
        painter.drawEllipse(box)
        painter.setBrush(QColor(self._theme.text))
        painter.drawPie(box, 0, 90 * 16)
        painter.drawPie(box, 180 * 16, 90 * 16)

    def _pin(self, shape: Shape, points: Points) -> None:
        self._pen(QColor(self._theme.text), 1.6)
        self._painter.setBrush(QColor(self._theme.panel))
        self._painter.drawEllipse(points[0], PIN, PIN)

    def _ground(self, shape: Shape, points: Points) -> None:
        """A support with hatching below a pin."""
        painter, at = self._painter, points[0]
        self._pen(QColor(self._theme.text), 1.4)
        painter.setBrush(QColor(self._theme.floor))
        half, deep = 11.0, 17.0
        painter.drawPolygon(
            QPolygonF([at, QPointF(at.x() - half, at.y() + deep), QPointF(at.x() + half, at.y() + deep)])
        )
        painter.drawLine(QPointF(at.x() - 17.0, at.y() + deep), QPointF(at.x() + 17.0, at.y() + deep))
        for k in range(-2, 4):
            foot = QPointF(at.x() + 6.0 * k - 2.0, at.y() + deep)
            painter.drawLine(foot, QPointF(foot.x() - 5.0, foot.y() + 5.0))
        self._pin(shape, points)

    def _rail(self, shape: Shape, points: Points) -> None:
        self._pen(QColor(self._theme.faint), 2.0)
        self._painter.drawLine(points[0], points[1])

    def _rod(self, shape: Shape, points: Points) -> None:
        self._pen(QColor(self._theme.text), 2.0)
        self._painter.drawLine(points[0], points[1])

    def _spring(self, shape: Shape, points: Points) -> None:
        self._pen(QColor(self._theme.contact), 1.8)
        self._painter.drawPolyline(coil(points[0], points[1]))

    def _damper(self, shape: Shape, points: Points) -> None:
        """A piston in a cylinder, beside the spring."""
        a, b = points
        length = hypot(b.x() - a.x(), b.y() - a.y())
        if length < 1.0:
            return
        u = QPointF((b.x() - a.x()) / length, (b.y() - a.y()) / length)
        v = QPointF(-u.y(), u.x())
        aside, half = v * 11.0, v * 4.5

        def at(fraction: float) -> QPointF:
            return a + u * (fraction * length) + aside

        painter = self._painter
        self._pen(QColor(self._theme.contact), 1.6)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF([a, at(0.06), at(0.38)]))
        painter.drawPolyline(QPolygonF([at(0.62) + half, at(0.38) + half, at(0.38) - half, at(0.62) - half]))
        painter.drawLine(at(0.52) + half * 0.7, at(0.52) - half * 0.7)
        painter.drawPolyline(QPolygonF([at(0.52), at(0.94), b]))

    def _tie(self, shape: Shape, points: Points) -> None:
        self._pen(QColor(self._theme.contact), 1.6, Qt.PenStyle.DotLine)
        self._painter.drawLine(points[0], points[1])
        self._painter.setBrush(QColor(self._theme.contact))
        for point in points:
            self._painter.drawRect(QRectF(point.x() - 3.0, point.y() - 3.0, 6.0, 6.0))

    def _motor(self, shape: Shape, points: Points) -> None:
        """A round arrow about a pin."""
        at, painter = points[0], self._painter
        colour = QColor(self._theme.left)
        self._pen(colour, 2.2)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawArc(QRectF(at.x() - ARROW, at.y() - ARROW, 2 * ARROW, 2 * ARROW), -30 * 16, 200 * 16)
        tip = QPointF(at.x() + ARROW * cos(pi * 170 / 180), at.y() - ARROW * sin(pi * 170 / 180))
        painter.setBrush(colour)
        painter.drawPolygon(QPolygonF([tip + QPointF(-4.5, -2.0), tip + QPointF(4.0, -2.0), tip + QPointF(-0.5, 6.0)]))

    def _hinge(self, shape: Shape, points: Points) -> None:
        """A spiral: a spring that turns."""
        at = points[0]
        turns = [QPointF(at.x() + (6.0 + 0.9 * k) * cos(0.6 * k), at.y() + (6.0 + 0.9 * k) * sin(0.6 * k))
                 for k in range(18)]  # fmt: skip
        self._pen(QColor(self._theme.contact), 1.6)
        self._painter.drawPolyline(QPolygonF(turns))

    def _circle(self, shape: Shape, points: Points) -> None:
        radius = max(2.0, shape.radius * self._scale)
        self._pen(QColor(self._theme.failed), 1.8)
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._painter.drawEllipse(points[0], radius, radius)

    def _face(self, shape: Shape, points: Points) -> None:
        self._pen(QColor(self._theme.failed), 2.4)
        self._painter.drawLine(points[0], points[1])


def coil(a: QPointF, b: QPointF) -> QPolygonF:
    """The zigzag of a spring between two points."""
    length, angle = hypot(b.x() - a.x(), b.y() - a.y()), atan2(b.y() - a.y(), b.x() - a.x())
    places = [(0.0, 0.0), (0.15, 0.0)]
    places += [(0.15 + 0.7 * (k + 0.5) / (2 * COILS), COIL if k % 2 else -COIL) for k in range(2 * COILS)]
    places += [(0.85, 0.0), (1.0, 0.0)]
    return QPolygonF([
        QPointF(a.x() + s * length * cos(angle) - w * sin(angle), a.y() + s * length * sin(angle) + w * cos(angle))
        for s, w in places
    ])  # fmt: skip
