"""Drawings of the start page, in the colours of the theme."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, pi, sin

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QLinearGradient, QPainter, QPainterPath, QPen, QPolygonF

from biomec_app.kit.theme import Theme

Joint = tuple[float, float]
Phase = dict[str, Joint]
HIGH: Phase = {
    "head": (0.905, 0.78), "shoulder": (0.79, 0.66), "elbow": (0.80, 0.34), "hand": (0.80, 0.05),
    "hip": (0.46, 0.44), "knee": (0.25, 0.28), "ankle": (0.06, 0.15), "toe": (0.085, 0.04),
}  # fmt: skip
LOW: Phase = {
    "head": (0.93, 0.38), "shoulder": (0.81, 0.29), "elbow": (0.67, 0.40), "hand": (0.80, 0.05),
    "hip": (0.47, 0.24), "knee": (0.255, 0.19), "ankle": (0.06, 0.14), "toe": (0.085, 0.04),
}  # fmt: skip
LIMBS = (("shoulder", "head"), ("shoulder", "hip"), ("hip", "knee"), ("knee", "ankle"), ("ankle", "toe"),
         ("shoulder", "elbow"), ("elbow", "hand"))  # fmt: skip


def between(share: float) -> Phase:
    """Places of the joints during a push-up, from arms straight (0) to the chest down (1)."""
    return {
        joint: (HIGH[joint][0] + share * (LOW[joint][0] - HIGH[joint][0]),
                HIGH[joint][1] + share * (LOW[joint][1] - HIGH[joint][1]))
        for joint in HIGH
    }  # fmt: skip


def draw_banner(painter: QPainter, box: QRectF, theme: Theme, tagline: str) -> None:
    """Draw name and purpose of the program beside a push-up in three phases over its curve."""
    path = QPainterPath()
    path.addRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 12, 12)
    shade = QLinearGradient(box.topLeft(), box.bottomRight())
    shade.setColorAt(0.0, QColor(theme.panel))
    shade.setColorAt(1.0, QColor(theme.floor))
    painter.fillPath(path, shade)
    painter.setPen(QPen(QColor(theme.line), 1.0))
    painter.drawPath(path)
    right = QRectF(box.left() + 0.54 * box.width(), box.top() + 18, 0.43 * box.width(), box.height() - 34)
    _curve(painter, right, theme)
    for share, strength in ((1.0, 0.25), (0.5, 0.45), (0.0, 1.0)):
        figure(painter, right, between(share), theme, strength)
    font = QFont(painter.font())
    font.setPointSizeF(30.0)
    font.setBold(True)
    painter.setFont(font)
    painter.setPen(QColor(theme.text))
    painter.drawText(QPointF(box.left() + 28, box.top() + 74), "Biomec")
    font.setPointSizeF(11.0)
    font.setBold(False)
    painter.setFont(font)
    painter.setPen(QColor(theme.faint))
    words = QRectF(box.left() + 30, box.top() + 90, 0.46 * box.width(), 64)
    painter.drawText(words, Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap, tagline)


def _curve(painter: QPainter, box: QRectF, theme: Theme) -> None:
    """A faint angle over time behind the figure."""
    x, y, wide, high = box.left(), box.bottom(), box.width() / 80, box.height()
    line = QPolygonF([QPointF(x + k * wide, y - high * (0.5 - 0.3 * cos(6 * pi * k / 80))) for k in range(81)])
    colour = QColor(theme.accent)
    colour.setAlpha(70)
    painter.setPen(QPen(colour, 2.0))
    painter.drawPolyline(line)
    painter.setPen(QPen(QColor(theme.line), 1.5))
    painter.drawLine(box.bottomLeft(), box.bottomRight())


def _mixed(one: str, other: str, share: float) -> QColor:
    """A share of one colour in another."""
    a, b = QColor(one), QColor(other)
    pairs = ((a.red(), b.red()), (a.green(), b.green()), (a.blue(), b.blue()))
    return QColor(*(round(share * x + (1.0 - share) * y) for x, y in pairs))


def figure(painter: QPainter, box: QRectF, phase: Phase, theme: Theme, strength: float = 1.0) -> None:
    """Draw a person of limbs and markers; with less strength it fades into the ground."""

    def at(joint: str) -> QPointF:
        x, y = phase[joint]
        return QPointF(box.left() + x * box.width(), box.bottom() - y * box.height())

    limb = _mixed(theme.right, theme.floor, strength)
    for k, (one, other) in enumerate(LIMBS):
        wide = (9.0, 22.0, 16.0, 11.0, 7.0, 11.0, 8.0)[k]
        painter.setPen(QPen(limb, wide, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(at(one), at(other))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(limb)
    painter.drawEllipse(at("head"), 14.0, 12.0)
    painter.setBrush(_mixed(theme.left, theme.floor, strength))
    for joint in ("shoulder", "elbow", "hand", "hip", "knee", "ankle", "head"):
        painter.drawEllipse(at(joint), 3.2, 3.2)


# -------------------------------------------------------------------------------------------------------------- icons
def _pen(theme: Theme, wide: float = 2.6) -> QPen:
    return QPen(QColor(theme.accent), wide, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)


def _import(painter: QPainter, box: QRectF, theme: Theme) -> None:
    """An arrow into a tray."""
    painter.setPen(_pen(theme))
    x, middle = box.center().x(), box.center().y()
    painter.drawLine(QPointF(x, box.top() + 2), QPointF(x, middle + 6))
    painter.drawPolyline(QPolygonF([QPointF(x - 8, middle - 2), QPointF(x, middle + 6), QPointF(x + 8, middle - 2)]))
    low = box.bottom() - 3
    painter.drawPolyline(QPolygonF([
        QPointF(box.left() + 3, low - 12), QPointF(box.left() + 3, low), QPointF(box.right() - 3, low),
        QPointF(box.right() - 3, low - 12),
    ]))  # fmt: skip


def _open(painter: QPainter, box: QRectF, theme: Theme) -> None:
    """A folder."""
    painter.setPen(_pen(theme))
    fill = QColor(theme.accent)
    fill.setAlpha(40)
    painter.setBrush(fill)
    left, right, top, low = box.left() + 2, box.right() - 2, box.top() + 8, box.bottom() - 4
    painter.drawPolygon(QPolygonF([
        QPointF(left, top), QPointF(left + 13, top), QPointF(left + 17, top + 5), QPointF(right, top + 5),
        QPointF(right, low), QPointF(left, low),
    ]))  # fmt: skip


def _visit(painter: QPainter, box: QRectF, theme: Theme) -> None:
    """A folder of which curves look out."""
    painter.setPen(_pen(theme, 1.8))
    for k in range(2):
        top = box.top() + 2 + 4 * k
        painter.drawPolyline(QPolygonF([
            QPointF(box.left() + 16 + n, top + 5 - 4 * sin(pi * (n + 5 * k) / 10)) for n in range(0, 21)
        ]))  # fmt: skip
    _open(painter, box.adjusted(0.0, 4.0, 0.0, 0.0), theme)


def _study(painter: QPainter, box: QRectF, theme: Theme) -> None:
    """A table with a line for each of several people."""
    painter.setPen(_pen(theme, 1.8))
    left, right = box.left() + 2, box.right() - 2
    for k in range(3):
        y = box.top() + 7 + 13 * k
        painter.setBrush(QColor((theme.right, theme.left, theme.middle)[k]))
        painter.drawEllipse(QPointF(left + 5, y), 4.2, 4.2)
        painter.drawPolyline(QPolygonF([
            QPointF(left + 14 + n, y - 4 * sin(pi * (n + 4 * k) / 8)) for n in range(0, round(right - left - 14))
        ]))  # fmt: skip


def _demo(painter: QPainter, box: QRectF, theme: Theme) -> None:
    """A circle to play, with markers around it."""
    painter.setPen(_pen(theme))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    centre = box.center()
    painter.drawEllipse(centre, 17.0, 17.0)
    painter.setBrush(QColor(theme.accent))
    painter.drawPolygon(QPolygonF([centre + QPointF(-5, -8), centre + QPointF(9, 0), centre + QPointF(-5, 8)]))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.left))
    for k in range(3):
        angle = pi * (0.25 + 2.0 * k / 3.0)
        painter.drawEllipse(centre + QPointF(17 * cos(angle), -17 * sin(angle)), 3.4, 3.4)


ICONS: dict[str, Callable[[QPainter, QRectF, Theme], None]] = {
    "import": _import, "visit": _visit, "open": _open, "study": _study, "demo": _demo
}  # fmt: skip
