"""Small pictures of trials: every valid cycle of one angle as a thin line, so that an odd cycle is seen in the list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QPolygonF

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.signals.cycle_average import PERCENT_POINTS
from biomec.study.study import Study
from biomec.study.tables import table_lines
from biomec.study.trial_tables import CURVE_HEAD
from biomec.study.trials import StudyTrial
from biomec_app.kit.theme import Theme

WIDTH, HEIGHT, FINE = 96, 26, 2  # points, and pixels for each
STEP = 4  # samples of a cycle that are left out between two


@dataclass(frozen=True, eq=False)
class Thumbnails:
    """Cycles (K, 101) of one angle of trials, by their ids; ``curve`` is its name, "" while none is known.

    low, high : range of the angle over all trials seen so far, one scale for all pictures
    """

    curve: str = ""
    cycles: Mapping[str, FloatArray] = field(default_factory=dict)
    low: float = 0.0
    high: float = 0.0

    def with_trials(self, study: Study, trials: Sequence[StudyTrial]) -> Thumbnails:
        """The same with further trials; those without a table of angles get no lines."""
        curve, found = self.curve, dict(self.cycles)
        for one in trials:
            if one.id in found:
                continue
            found[one.id] = np.zeros((0, PERCENT_POINTS))
            with suppress(BiomecError, ValueError):  # a damaged table costs its picture; the tables tell of it
                curve, found[one.id] = _cycles(study, one, curve)
        known = [values[np.isfinite(values)] for values in found.values() if np.isfinite(values).any()]
        if not known:
            return Thumbnails(curve, found)
        return Thumbnails(curve, found, min(float(one.min()) for one in known), max(float(one.max()) for one in known))

    def without(self, key: str) -> Thumbnails:
        """The same without a trial, whose results have changed."""
        return Thumbnails(
            self.curve, {one: values for one, values in self.cycles.items() if one != key}, self.low, self.high
        )


def _cycles(study: Study, trial: StudyTrial, curve: str) -> tuple[str, FloatArray]:
    """Name of the curve, that which moves most if none was chosen, and its cycles in a trial."""
    lines = table_lines(study, trial, "angles")
    head = next(lines, [])[len(CURVE_HEAD) :]
    if not head:
        return curve, np.zeros((0, PERCENT_POINTS))
    if curve and curve not in head:
        return curve, np.zeros((0, PERCENT_POINTS))
    if not curve:
        rows = np.array([[float(cell or "nan") for cell in line[len(CURVE_HEAD) :]] for line in lines])
        with np.errstate(invalid="ignore"):
            spread = np.nan_to_num(np.nanmax(rows, axis=0) - np.nanmin(rows, axis=0)) if len(rows) else np.zeros(1)
        place = int(np.argmax(spread))
        values = rows[:, place] if len(rows) else np.zeros(0)
        return head[place], values.reshape(-1, PERCENT_POINTS)
    place = len(CURVE_HEAD) + head.index(curve)
    values = np.array([float(line[place] or "nan") for line in lines])
    return curve, values.reshape(-1, PERCENT_POINTS)


def drawn(thumbnails: Thumbnails, key: str, theme: Theme) -> QIcon:
    """The picture of a trial in the colours of a theme, on a selected row too; empty if it has no cycles."""
    icon = QIcon(_picture(thumbnails, key, theme.accent))
    icon.addPixmap(_picture(thumbnails, key, theme.on_accent), QIcon.Mode.Selected)
    return icon


def _picture(thumbnails: Thumbnails, key: str, colour: str) -> QPixmap:
    picture = QPixmap(FINE * WIDTH, FINE * HEIGHT)
    picture.setDevicePixelRatio(FINE)
    picture.fill(Qt.GlobalColor.transparent)
    cycles = thumbnails.cycles.get(key)
    span = thumbnails.high - thumbnails.low
    if cycles is None or not len(cycles) or span <= 0.0:
        return picture
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(colour), 1.0))
    percent = np.arange(0, PERCENT_POINTS, STEP)
    x = 2.0 + (WIDTH - 4.0) * percent / 100.0
    for cycle in cycles:
        y = HEIGHT - 2.0 - (HEIGHT - 4.0) * (cycle[percent] - thumbnails.low) / span
        points = [QPointF(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True) if np.isfinite(b)]
        painter.drawPolyline(QPolygonF(points))
    painter.end()
    return picture
