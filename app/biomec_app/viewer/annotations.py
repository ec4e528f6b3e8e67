"""Words and signs over the picture: names, legend, axes, measurements, the state of the frame. Drawn by Qt: sharp."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from biomec_app.theme import Theme
from biomec_app.viewer.camera import Camera
from biomec_app.viewer.measuring import Measurement
from biomec_app.viewer.overlays import Entry, Label
from biomec_app.viewer.overlays.frames import X, Y, Z
from biomec_app.viewer.picking import place_of
from biomec_app.viewer.scene import Scene

EDGE = 10.0  # pixels to the border
ROW = 18.0
STATUS_TOP = 30.0  # below the buttons
LEGEND_LEFT = 90.0  # room for the axes


class Annotations:
    """Draws everything that is not a surface, in the coordinates of a picture of some width and height."""

    def __init__(
        self, painter: QPainter, scene: Scene, camera: Camera, size: tuple[float, float], theme: Theme
    ) -> None:
        self.painter, self.scene, self.camera, self.size, self.theme = painter, scene, camera, size, theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._font = QFont(painter.font())
        self._font.setPixelSize(11)
        painter.setFont(self._font)
        self._metrics = QFontMetricsF(self._font)

    def draw(self, measurement: Measurement | None = None, selected: str | None = None, *, legend: bool = True) -> None:
        """Draw all of them."""
        self.labels(self.scene.labels())
        if selected is not None:
            self.selection(selected)
        if measurement is not None:
            self.measurement(measurement)
        self.axes()
        if legend:
            self.legend(self.scene.legend())
        self.status(self.scene.status())

    # ------------------------------------------------------------------ in the scene

    def labels(self, labels: list[Label]) -> None:
        """Names beside places; one that would cover another is left out, the nearer first."""
        if not labels:
            return
        pixels, depth = self.camera.project(np.array([label.place for label in labels]), self.size)
        taken: list[QRectF] = []
        for k in np.argsort(np.where(np.isnan(depth), np.inf, depth)):
            if np.isnan(depth[k]):
                continue
            label, (x, y) = labels[k], pixels[k]
            box = QRectF(x + 7.0, y - 8.0, self._metrics.horizontalAdvance(label.text) + 2.0, 15.0)
            if any(box.intersects(other) for other in taken):
                continue
            taken.append(box)
            self._text(box.topLeft(), label.text, label.colour)

    def selection(self, name: str) -> None:
        """A ring around the point that is selected, and its name."""
        place = place_of(self.scene, name)
        if place is None:
            return
        (x, y), *_ = self.camera.project(place[None], self.size)[0]
        self.painter.setPen(QPen(QColor(self.theme.accent), 2.4))
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        self.painter.drawEllipse(QPointF(x, y), 9.0, 9.0)
        self._tag(QPointF(x + 14.0, y - 24.0), name.partition(".")[2] or name)

    def measurement(self, measurement: Measurement) -> None:
        """Lines between the points, and the result in the middle."""
        places = measurement.places(self.scene)
        pixels = self.camera.project(places, self.size)[0] if len(places) else np.zeros((0, 2))
        points = [QPointF(x, y) for x, y in pixels]
        self.painter.setPen(QPen(QColor(self.theme.accent), 2.2, Qt.PenStyle.DashLine))
        self.painter.drawPolyline(points)
        self.painter.setPen(Qt.PenStyle.NoPen)
        self.painter.setBrush(QColor(self.theme.accent))
        for point in points:
            self.painter.drawEllipse(point, 5.0, 5.0)
        told = measurement.told(self.scene)
        if told:
            middle = points[1] if measurement.kind == "angle" else (points[0] + points[1]) * 0.5
            names = " – ".join(name.partition(".")[2] or name for name in measurement.points)
            self._tag(middle + QPointF(12.0, -30.0), f"{names}: {told}")
        self._tag(QPointF(EDGE, EDGE + STATUS_TOP + 30.0), measurement.hint)

    # ------------------------------------------------------------------ in the corners

    def axes(self) -> None:
        """A small cross that shows how the laboratory lies."""
        middle = QPointF(44.0, self.size[1] - 44.0)
        right, up, away = self.camera.basis
        ends = [(axis @ right, axis @ up, axis @ away) for axis in np.eye(3)]
        for k in np.argsort([end[2] for end in ends]):  # the nearest last
            colour, letter = ((X, "X"), (Y, "Y"), (Z, "Z"))[k]
            toward = QPointF(ends[k][0], -ends[k][1])
            tip = middle + toward * 27.0
            self.painter.setPen(QPen(QColor(colour), 2.6, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            self.painter.drawLine(middle, tip)
            at = middle + toward * 37.0
            if np.hypot(ends[k][0], ends[k][1]) > 0.25:
                self.painter.drawText(
                    QRectF(at.x() - 8.0, at.y() - 8.0, 16.0, 16.0), Qt.AlignmentFlag.AlignCenter, letter
                )

    def legend(self, entries: list[Entry]) -> None:
        """What the colours mean: a row at the bottom, or several where there is little room."""
        rows: list[list[Entry]] = [[]]
        room = self.size[0] - LEGEND_LEFT - EDGE
        for entry in entries:
            if rows[-1] and self._width([*rows[-1], entry]) > room:
                rows.append([])
            rows[-1].append(entry)
        if not entries or len(rows) * ROW > 0.35 * self.size[1]:
            return
        width = max(self._width(row) for row in rows)
        height = ROW * len(rows) + 6.0
        box = QRectF(self.size[0] - width - EDGE, self.size[1] - height - EDGE, width, height)
        self._panel(box)
        for k, row in enumerate(rows):
            x, y = box.left() + 8.0, box.top() + 3.0 + ROW * (k + 0.5)
            for entry in row:
                self._sign(QPointF(x + 8.0, y), entry)
                self.painter.setPen(QColor(self.theme.text))
                wide = self._metrics.horizontalAdvance(entry.text)
                at = QRectF(x + 21.0, y - 0.5 * ROW, wide + 4.0, ROW)
                self.painter.drawText(at, Qt.AlignmentFlag.AlignVCenter, entry.text)
                x += wide + 36.0

    def _width(self, entries: list[Entry]) -> float:
        return sum(self._metrics.horizontalAdvance(entry.text) + 36.0 for entry in entries) + 4.0

    def status(self, sentence: str) -> None:
        """What is to be said about the frame, at the top."""
        if not sentence:
            return
        width = self._metrics.horizontalAdvance(sentence) + 28.0
        wrong = "did not" in sentence
        box = QRectF(EDGE, EDGE + STATUS_TOP, width, 24.0)
        self.painter.setPen(Qt.PenStyle.NoPen)
        colour = QColor(self.theme.failed if wrong else self.theme.panel)
        colour.setAlpha(235)
        self.painter.setBrush(colour)
        self.painter.drawRoundedRect(box, 6.0, 6.0)
        self.painter.setPen(QColor("#FFFFFF" if wrong else self.theme.text))
        self.painter.drawText(box, Qt.AlignmentFlag.AlignCenter, sentence)

    # ------------------------------------------------------------------ pieces

    def _panel(self, box: QRectF) -> None:
        ground = QColor(self.theme.panel)
        ground.setAlpha(215)
        self.painter.setPen(QPen(QColor(self.theme.line), 1.0))
        self.painter.setBrush(ground)
        self.painter.drawRoundedRect(box, 6.0, 6.0)

    def _tag(self, at: QPointF, text: str) -> None:
        box = QRectF(at.x(), at.y(), self._metrics.horizontalAdvance(text) + 16.0, 22.0)
        box.moveLeft(min(max(4.0, box.left()), self.size[0] - box.width() - 4.0))
        box.moveTop(min(max(4.0, box.top()), self.size[1] - box.height() - 4.0))
        self._panel(box)
        self.painter.setPen(QColor(self.theme.text))
        self.painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _text(self, at: QPointF, text: str, colour: str) -> None:
        """Words with a halo, so that they can be read before any colour."""
        base = at + QPointF(0.0, self._metrics.ascent())
        self.painter.setPen(QColor(self.theme.sky_bottom))
        for shift in (QPointF(-1.0, 0.0), QPointF(1.0, 0.0), QPointF(0.0, -1.0), QPointF(0.0, 1.0)):
            self.painter.drawText(base + shift, text)
        self.painter.setPen(QColor(colour))
        self.painter.drawText(base, text)

    def _sign(self, at: QPointF, entry: Entry) -> None:
        colour = QColor(entry.colour)
        painter = self.painter
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        if entry.form == "dot":
            painter.drawEllipse(at, 4.5, 4.5)
        elif entry.form == "patch":
            painter.drawRoundedRect(QRectF(at.x() - 7.0, at.y() - 5.0, 14.0, 10.0), 2.0, 2.0)
        else:
            painter.setPen(QPen(colour, 2.4))
            painter.drawLine(at + QPointF(-8.0, 0.0), at + QPointF(7.0, 0.0))
            if entry.form == "arrow":
                painter.setPen(Qt.PenStyle.NoPen)
                head = [at + QPointF(9.0, 0.0), at + QPointF(2.0, -4.5), at + QPointF(2.0, 4.5)]
                painter.drawPolygon(QPolygonF(head))
