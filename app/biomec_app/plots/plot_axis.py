"""Axis and curve of a plot: ticks as books print them, and no more points than the screen can show."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPen

from biomec.base.arrays import FloatArray, IntArray

OVER_THE_EDGE = 14.0  # pixels by which the first and the last number may stand out beyond an axis
FILLED, THIN = 0.5, 0.55  # crossings of the whole height a pixel that fill the area, and opacity then
EQUAL = 1e-3  # of a step, by which equal ones may differ: times are written with few digits
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Axis(pg.AxisItem):
    """Axis whose first and last numbers are not left out, with true minus signs and powers of ten."""

    def boundingRect(self) -> QRectF:
        """Leave room for numbers at the ends."""
        rect = QRectF(super().boundingRect())
        if self.orientation == "bottom":
            return rect.adjusted(-OVER_THE_EDGE, 0.0, OVER_THE_EDGE, 0.0)
        return rect.adjusted(0.0, -2.0, 0.0, 0.5 * OVER_THE_EDGE)

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Numbers at the ticks."""
        if self.logMode:
            return [f"10{str(round(v)).translate(RAISED)}" if abs(v - round(v)) < 1e-9 else "" for v in values]
        return [str(words).replace("-", "−") for words in super().tickStrings(values, scale, spacing)]


class SampledCurve(pg.PlotCurveItem):
    """Curve that draws what is in sight: of the samples within one pixel only the lowest and the highest.

    x, y  : samples; NaN breaks the line; where the steps of x are not equal, all samples are drawn
    alone : no other curve lies below; otherwise a curve so dense that it fills its area lets the others be seen
    """

    def __init__(self, x: FloatArray, y: FloatArray, pen: QPen, alone: bool = True) -> None:
        super().__init__(pen=pen, connect="finite", antialias=True)
        self._alone = alone
        self._x, self._y = np.asarray(x), np.asarray(y)
        self._step = _step(self._x)
        self._drawn: tuple[int, int, int] | None = None
        self.thin_out()

    @property
    def samples(self) -> tuple[FloatArray, FloatArray]:
        """All samples, drawn or not."""
        return self._x, self._y

    def viewTransformChanged(self) -> None:
        """Follow a zoom or a new size."""
        super().viewTransformChanged()
        self.thin_out()

    def thin_out(self) -> None:
        """Take the samples that the present view can show."""
        n = len(self._x)
        first, stop, pixels = 0, n, 0
        box = self.getViewBox()
        if box is not None and self._step is not None:
            (left, right), _ = box.viewRange()
            step = self._step
            first = max(0, int(np.floor((left - self._x[0]) / step)) - 1)
            stop = min(n, int(np.ceil((right - self._x[0]) / step)) + 2)
            pixels = max(1, round(box.width()))
        group = max(1, (stop - first) // pixels) if pixels else 1
        if (first, stop, group) == self._drawn or stop - first < 2:
            return
        self._drawn = (first, stop, group)
        chosen = peaks(self._y[first:stop], group) + first
        self.setData(self._x[chosen], self._y[chosen])
        fills = not self._alone and bool(pixels) and _crossings(self._y[chosen]) > FILLED * pixels
        self.setOpacity(THIN if fills else 1.0)


def _step(x: FloatArray) -> float | None:
    """Step of samples (N,) whose steps are equal; None if they are not, or if there are too few."""
    if len(x) < 3:
        return None
    step = float(x[-1] - x[0]) / (len(x) - 1)
    return step if step > 0.0 and np.ptp(np.diff(x)) <= EQUAL * step else None


def _crossings(y: FloatArray) -> float:
    """How often a curve crosses its whole height: its way up and down over its range."""
    there = y[np.isfinite(y)]
    height = float(np.ptp(there)) if there.size > 1 else 0.0
    return float(np.abs(np.diff(there)).sum()) / height if height else 0.0


def peaks(y: FloatArray, group: int) -> IntArray:
    """Indices of the lowest and highest of every ``group`` samples, in their order; all for groups of one or two.

    A gap (NaN) within a group is kept as one.
    """
    if group <= 2:
        return np.arange(len(y))
    whole = len(y) // group
    table = y[: whole * group].reshape(whole, group)
    base = np.arange(whole) * group
    pair = np.stack([base + table.argmin(axis=1), base + table.argmax(axis=1)], axis=1)
    return np.unique(np.concatenate([[0], np.sort(pair, axis=1).ravel(), np.arange(whole * group, len(y))]))
