"""The drawing of head and neck: shaded solids with coloured ligaments and muscles, those behind first; Z is up."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import floor, log10

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QLinearGradient, QPainter, QPen, QPolygonF

from biomec.base.arrays import FloatArray
from biomec.machines.head_neck.impact import Blow
from biomec_app.features.workbench.drawing import MARGIN, Drawing
from biomec_app.features.workbench.neck_solids import (
    BONE,
    DISC,
    HEAD_PART,
    Moment,
    NeckSolids,
    Touched,
    arrow,
    touched_head,
)
from biomec_app.kit.colours import mixed
from biomec_app.kit.theme import Theme

VIEW = (-0.45, 0.12)  # rad: from the right, a little from the front and above
STRAIN, FORCE = "strain", "force"  # what colours the ligaments
NOTHING, LIGAMENTS, MUSCLES = 0, 1, 2
SHADES = 24
NEARER = 2.5e-3  # m by which a line counts as nearer, so that a surface does not hide what is fixed to it
WIDTHS = {LIGAMENTS: 2.4, MUSCLES: 2.8}
LEAST = 1e-9
OVER, BEFORE = (0.0, 0.0, 0.105), (0.024, 0.0, 0.0)  # names: of the head from its centre of mass, of bones [m]
FACES = {
    "light": {BONE: "#D9CDB4", DISC: "#8FA9C4", HEAD_PART: "#C9CED6"},
    "dark": {BONE: "#CFC3A8", DISC: "#7E9AB8", HEAD_PART: "#7C858F"},
}
SCALES = {
    "light": {LIGAMENTS: ("#BFD9EE", "#0072B2", "#2B1A6B"), MUSCLES: ("#F3D9B1", "#D55E00", "#7A0019")},
    "dark": {LIGAMENTS: ("#35566E", "#56B4E9", "#E6F5FF"), MUSCLES: ("#6B4A33", "#F0803C", "#FFE9B8")},
}
"""Theme -> colours of nothing, of half and of all of a scale; blue for ligaments, orange for muscles."""


@dataclass(eq=False)
class NeckDrawing(Drawing):
    """Draws solids in place of a sketch.

    solids : what is drawn;  blow : the one that hit;  asked : the next one, which the form describes
    colours : `STRAIN` or `FORCE` of ligaments
    hidden : of `LIGAMENTS` and `MUSCLES`, what is left out
    """

    azimuth: float = VIEW[0]
    elevation: float = VIEW[1]
    solids: NeckSolids | None = None
    blow: Blow | None = None
    asked: Blow | None = None
    colours: str = STRAIN
    hidden: set[int] = field(default_factory=set)

    # ------------------------------------------------------------------ places

    def _flat(self, points: FloatArray) -> FloatArray:
        x, y, z = np.moveaxis(np.asarray(points), -1, 0)
        return super()._flat(np.stack([x, z, -y], axis=-1))

    @property
    def turns(self) -> bool:
        """It can be looked at from all sides."""
        return True

    def fit(self) -> None:
        """Show everything, as at first."""
        self.view, (self.azimuth, self.elevation) = None, VIEW

    @property
    def towards_eye(self) -> FloatArray:
        """(3,) unit vector from the neck to whoever looks, in axes of T1."""
        a, e = self.azimuth, self.elevation
        return np.array([-np.sin(a) * np.cos(e), -np.cos(a) * np.cos(e), np.sin(e)])

    @property
    def across(self) -> FloatArray:
        """(3,) unit vector to the right of the paper."""
        return np.array([np.cos(self.azimuth), -np.sin(self.azimuth), 0.0])

    @property
    def seen(self) -> tuple[FloatArray, float]:
        """Centre of what is seen [m], and points a metre; all of the first moment, unless the user has zoomed."""
        if self.view is not None or self.solids is None:
            return super().seen
        first = self.solids.at(float(self.solids.time_s[0]))
        flat = self._flat(np.concatenate([first.points, first.muscles.reshape(-1, 3)]))
        low, high = flat.min(axis=0), flat.max(axis=0)
        room = np.maximum(np.array(self.size) - 2 * MARGIN, 40.0)
        return (low + high) / 2, float((room / (high - low)).min())

    def point_at(self, place: QPointF) -> str | None:
        """Trails are of no use here."""
        return None

    def surface_at(self, place: QPointF) -> Touched | None:
        """The place on the head under a place of the paper."""
        if self.solids is None:
            return None
        centre, scale = self.seen
        offset = np.array([place.x() - self.size[0] / 2, self.size[1] / 2 - place.y()]) / scale + centre
        eye = self.towards_eye
        origin = offset[0] * self.across + offset[1] * np.cross(eye, self.across) + eye
        return touched_head(self.solids, self.solids.at(self.time_s), origin, -eye)

    # ------------------------------------------------------------------ drawing

    def paint(self, painter: QPainter) -> None:
        """Draw everything."""
        if self.solids is None:
            super().paint(painter)
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self.font)
        painter.fillRect(QRectF(0.0, 0.0, *self.size), QColor(self.theme.panel))
        moment = self.solids.at(self.time_s)
        self._draw_solids(painter, self.solids, moment)
        if self.asked is not None and (self.blow is None or not _same(self.asked, self.blow)):
            self._draw_blow(painter, self.solids, moment, self.asked, self.theme.accent, "next blow")
        if self.blow is not None:
            acting = f"{moment.blow_N:.0f} N" if moment.blow_N > LEAST else ""
            painter.setOpacity(1.0 if acting else 0.35)
            self._draw_blow(painter, self.solids, moment, self.blow, self.theme.fault, acting)
            painter.setOpacity(1.0)
        if self.names:
            self._draw_bones(painter, self.solids, moment)
        self._draw_legend(painter, self.solids)
        painter.setPen(QColor(self.theme.faint))
        room = QRectF(10.0, 6.0, self.size[0] - 20.0, self.size[1] - 12.0)
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap, self.words)

    def _draw_solids(self, painter: QPainter, solids: NeckSolids, moment: Moment) -> None:
        """Faces that are turned to the eye and all lines, sorted by their depth."""
        eye = self.towards_eye
        faces = solids.surface.faces
        corners = moment.points[faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        length = np.linalg.norm(normals, axis=1)
        front = np.flatnonzero(normals @ eye > 1e-6 * np.maximum(length, 1e-12))
        lamp = eye + 0.3 * self.across + np.array([0.0, 0.0, 0.5])
        bright = np.clip(normals[front] @ lamp / (length[front] * np.linalg.norm(lamp)), 0.0, 1.0)
        shade = np.round(bright * (SHADES - 1)).astype(int)
        palette = _shades(self.theme)
        lines = [one for one in self._lines(solids, moment) if one[0] not in self.hidden]
        ends = [np.zeros((0, 2, 3)), *(one[1] for one in lines)]
        pieces = np.concatenate(ends)
        pens = [pen for one in lines for pen in one[2]]
        depth = np.concatenate([(corners[front] @ eye).mean(axis=1), (pieces @ eye).mean(axis=1) + NEARER])
        centre, scale = self.seen
        middle = np.array([self.size[0] / 2, self.size[1] / 2])
        paper = ((self._flat(corners[front]) - centre) * (scale, -scale) + middle).tolist()
        strokes = (self._flat(pieces) - centre) * (scale, -scale) + middle
        kinds = solids.surface.kinds[front].tolist()
        looks = [palette[kind][tone] for kind, tone in zip(kinds, shade.tolist(), strict=True)]
        for k in np.argsort(depth, kind="stable").tolist():
            if k < len(front):
                pen, brush = looks[k]
                painter.setPen(pen)
                painter.setBrush(brush)
                painter.drawConvexPolygon([QPointF(x, y) for x, y in paper[k]])
            else:
                (a, b), (c, d) = strokes[k - len(front)].tolist()
                painter.setPen(pens[k - len(front)])
                painter.drawLine(QPointF(a, b), QPointF(c, d))
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _lines(self, solids: NeckSolids, moment: Moment) -> list[tuple[int, FloatArray, list[QPen]]]:
        """Kind, ends (S, 2, 3) and pens of ligaments and muscles."""
        strain, force, pull = solids.most
        own, most = (moment.strain, strain) if self.colours == STRAIN else (moment.force, force)
        past = moment.strain > solids.limit
        slack, failed = QPen(QColor(self.theme.faint), 1.0), QPen(QColor(self.theme.fault), 4.0)
        taut = [
            failed if past[n] else slack if own[n] <= LEAST else self._pen(LIGAMENTS, own[n], most)
            for n in solids.ligaments.element
        ]
        pulled = [self._pen(MUSCLES, moment.pull[m], pull) for m in solids.muscles.element]
        return [(LIGAMENTS, moment.ligaments, taut), (MUSCLES, moment.muscles, pulled)]

    def _pen(self, kind: int, value: float, most: float) -> QPen:
        share = min(max(value / _round(most), 0.0), 1.0) if most > LEAST else 0.0
        pen = QPen(QColor(_blend(SCALES[self.theme.name][kind], share)), WIDTHS[kind])
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        return pen

    def _draw_blow(
        self, painter: QPainter, solids: NeckSolids, moment: Moment, blow: Blow, colour: str, words: str
    ) -> None:
        """An arrow that ends where a blow lands."""
        tail, tip = self.places(arrow(solids, moment, blow))
        x, y = tip.x() - tail.x(), tip.y() - tail.y()
        long = max(float(np.hypot(x, y)), 1e-6)
        if long < 3.0:  # seen along its way
            painter.setPen(QPen(QColor(colour), 2.0))
            painter.drawEllipse(tip, 5.0, 5.0)
            return
        x, y = x / long, y / long
        painter.setPen(QPen(QColor(colour), 3.0))
        painter.drawLine(tail, tip - QPointF(8.0 * x, 8.0 * y))
        painter.setBrush(QColor(colour))
        painter.setPen(Qt.PenStyle.NoPen)
        barbs = (QPointF(12.0 * x + side * y, 12.0 * y - side * x) for side in (5.0, -5.0))
        painter.drawPolygon(QPolygonF([tip, *(tip - barb for barb in barbs)]))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QColor(self.theme.text))
        painter.drawText(tail + QPointF(4.0, -6.0), words)

    def _draw_bones(self, painter: QPainter, solids: NeckSolids, moment: Moment) -> None:
        """Names of the bones before them; that of the head over it."""
        painter.setPen(QColor(self.theme.text))
        metrics = QFontMetricsF(self.font)
        taken: list[QRectF] = []
        local = np.tile(BEFORE, (len(solids.model.names), 1))
        local[solids.head] = np.add(solids.model.head_com, OVER)
        named = self.places(moment.p + np.einsum("bij,bj->bi", moment.R, local))
        for name, at in zip(solids.model.names, named, strict=True):
            begin = at - QPointF(0.5 * metrics.horizontalAdvance(name), -0.35 * metrics.ascent())
            box = metrics.tightBoundingRect(name).translated(begin)
            if not any(box.intersects(other) for other in taken):
                taken.append(box)
                painter.drawText(begin, name)

    def _draw_legend(self, painter: QPainter, solids: NeckSolids) -> None:
        """Scales with units, as far as anything is shown of them."""
        strain, force, pull = solids.most
        metrics = QFontMetricsF(self.font)
        wide, high, row = 120.0, 9.0, metrics.height()
        y = self.size[1] - 10.0
        own = ("Ligament strain", 100.0 * strain, "%") if self.colours == STRAIN else ("Ligament force", force, "N")
        for kind, (words, most, unit) in ((MUSCLES, ("Muscle force", pull, "N")), (LIGAMENTS, own)):
            if kind in self.hidden or not most > LEAST:
                continue
            top = y - 2 * row - high
            fill = QLinearGradient(12.0, 0.0, 12.0 + wide, 0.0)
            for place in np.linspace(0.0, 1.0, 5):
                fill.setColorAt(float(place), QColor(_blend(SCALES[self.theme.name][kind], float(place))))
            painter.fillRect(QRectF(12.0, top + row, wide, high), QBrush(fill))
            painter.setPen(QColor(self.theme.text))
            painter.drawText(QPointF(12.0, top + metrics.ascent()), f"{words} [{unit}]")
            for share in (0.0, 0.5, 1.0):
                label = f"{share * _round(most):g}"
                left = 12.0 + share * (wide - metrics.horizontalAdvance(label))
                painter.drawText(QPointF(left, top + row + high + metrics.ascent()), label)
            y = top - 6.0
        if LIGAMENTS not in self.hidden and strain > LEAST and bool((solids.strain > solids.limit).any()):
            painter.setPen(QPen(QColor(self.theme.fault), 4.0))
            painter.drawLine(QPointF(12.0, y - 5.0), QPointF(30.0, y - 5.0))
            painter.setPen(QColor(self.theme.text))
            painter.drawText(QPointF(36.0, y), "Past its strain at failure")


def _same(one: Blow, other: Blow) -> bool:
    return np.allclose(one.point, other.point) and np.allclose(one.direction, other.direction)


def _blend(stops: tuple[str, str, str], share: float) -> str:
    return mixed(stops[0], stops[1], 2.0 * share) if share <= 0.5 else mixed(stops[1], stops[2], 2.0 * share - 1.0)


def _round(most: float) -> float:
    """The next number above with two figures, which a scale ends at."""
    if not most > 0.0:
        return 1.0
    power = 10.0 ** (floor(log10(most)) - 1)
    return float(np.ceil(most / power - 1e-9) * power)


def _shades(theme: Theme) -> dict[str, list[tuple[QPen, QColor]]]:
    """Pen and brush of every kind of face, from dark to bright."""
    made: dict[str, list[tuple[QPen, QColor]]] = {}
    for kind, colour in FACES[theme.name].items():
        deep = mixed(colour, "#000000", 0.55)
        tones = [QColor(mixed(deep, colour, k / (SHADES - 1))) for k in range(SHADES)]
        made[kind] = [(QPen(tone, 1.0), tone) for tone in tones]
    return made
