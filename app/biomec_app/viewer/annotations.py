"""Words and signs over the picture: names, axes, measurements, the state of the frame. Drawn by Qt: sharp."""

from __future__ import annotations

from math import ceil, isfinite

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen

from biomec_app.kit.theme import Theme
from biomec_app.session.camera import Camera
from biomec_app.viewer.label_layout import Word, arranged
from biomec_app.viewer.legend import legend_font
from biomec_app.viewer.measuring import Measurement
from biomec_app.viewer.overlays import Label
from biomec_app.viewer.overlays.model import X, Y, Z
from biomec_app.viewer.picking import place_of, told
from biomec_app.viewer.scene import Scene

EDGE = 10.0  # pixels to the border
STATUS_TOP = 30.0  # below the buttons
HALO = 1.0  # pixels around letters
LIMB = 0.05  # m, half-width of a limb that important words keep off


class SceneWords:
    """Pictures of words with a halo, so that they can be read before any colour; each is painted once."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str, str, float], QImage] = {}

    def picture(self, text: str, colour: str, halo: str, font: QFont, ratio: float) -> QImage:
        """Words as a picture; ratio: pixels of the screen by those of the widget."""
        key = text, colour, halo, ratio
        if key not in self._made:
            metrics = QFontMetricsF(font)
            width, height = metrics.horizontalAdvance(text) + 2.0 * HALO, metrics.height() + 2.0 * HALO
            image = QImage(ceil(ratio * width), ceil(ratio * height), QImage.Format.Format_ARGB32_Premultiplied)
            image.setDevicePixelRatio(ratio)
            image.fill(Qt.GlobalColor.transparent)
            painter = QPainter(image)
            painter.setFont(font)
            base = QPointF(HALO, HALO + metrics.ascent())
            painter.setPen(QColor(halo))
            for x, y in ((-HALO, 0.0), (HALO, 0.0), (0.0, -HALO), (0.0, HALO)):
                painter.drawText(base + QPointF(x, y), text)
            painter.setPen(QColor(colour))
            painter.drawText(base, text)
            painter.end()
            self._made[key] = image
        return self._made[key]


class Annotations:
    """Draws everything that is not a surface, in the coordinates of a picture of some width and height.

    Names find their places when it is made, which can be done while the picture below them is still being drawn.
    """

    def __init__(
        self, painter: QPainter, scene: Scene, camera: Camera, size: tuple[float, float], theme: Theme,
        words: SceneWords | None = None,
    ) -> None:  # fmt: skip
        self.painter, self.scene, self.camera, self.size, self.theme = painter, scene, camera, size, theme
        self._words = SceneWords() if words is None else words
        self._font = legend_font(painter.font())
        self._metrics = QFontMetricsF(self._font)
        self._names = self._placed(scene.labels())

    def draw(self, measurement: Measurement | None = None, selected: str | None = None) -> None:
        """Draw all of them."""
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.painter.setFont(self._font)
        for place, name in self._names:
            self.painter.drawImage(place, name)
        if selected is not None:
            self.selection(selected)
        if measurement is not None:
            self.measurement(measurement)
        self.axes()
        self.status(self.scene.status())

    # ------------------------------------------------------------------ in the scene

    def _placed(self, labels: list[Label]) -> list[tuple[QPointF, QImage]]:
        """Names beside places; one that would cover another is left out, the less important first, then the farther."""
        if not labels:
            return []
        areas = [k for k, label in enumerate(labels) if label.around is not None]
        limbs = self.scene.limbs() if any(label.weight for label in labels) else np.zeros((0, 3))
        parts = [np.array([label.place for label in labels]), *(np.asarray(labels[k].around) for k in areas), limbs]
        pixels, depth = self.camera.project(np.concatenate(parts), self.size)
        spots, *corners, limb = np.split(pixels, np.cumsum([len(part) for part in parts])[:-1])
        around = dict(zip(areas, corners, strict=True))
        ratio, halo = max(1.0, self.painter.deviceTransform().m11()), self.theme.sky_bottom
        pictures = [self._words.picture(label.text, label.colour, halo, self._font, ratio) for label in labels]
        sizes = [(picture.width() / ratio, picture.height() / ratio) for picture in pictures]
        words = [
            Word((x, y), size, far, label.weight, around.get(k))
            for k, ((x, y), size, far, label) in enumerate(
                zip(spots.tolist(), sizes, depth[: len(labels)].tolist(), labels, strict=True)
            )
        ]
        limb = limb[np.isfinite(limb[:, 0])]
        wide = LIMB * 0.5 * self.size[1] / self.camera.half_height()
        places = np.round(ratio * arranged(words, self.size, limb, wide)) / ratio  # whole pixels: letters stay sharp
        return [
            (QPointF(*place), name) for place, name in zip(places.tolist(), pictures, strict=True) if isfinite(place[0])
        ]

    def selection(self, name: str) -> None:
        """A ring around the point that is selected, or around the centre of mass of the segment, and its name."""
        is_segment = name in self.scene.poses.segments
        place = place_of(self.scene, f"{name}.com" if is_segment else name)
        if place is None:
            return
        (x, y), *_ = self.camera.project(place[None], self.size)[0]
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        for colour, width in ((self.theme.sky_bottom, 5.2), (self.theme.accent, 2.4)):  # its rim is seen on every limb
            self.painter.setPen(QPen(QColor(colour), width))
            self.painter.drawEllipse(QPointF(x, y), 9.0, 9.0)
        self._tag(QPointF(x + 14.0, y - 24.0), name[:1].upper() + name[1:] if is_segment else told(self.scene, name))

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
        result = measurement.told(self.scene)
        if result:
            middle = points[1] if measurement.kind == "angle" else (points[0] + points[1]) * 0.5
            names = " – ".join(name.partition(".")[2] or name for name in measurement.points)
            self._tag(middle + QPointF(12.0, -30.0), f"{names}: {result}")
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
