"""Where the search of the next frame begins: on from the solutions before it, as far as its targets say.

A consistent motion is smooth and obeys the constraints nearly, so that the place it leads to is nearer to the next
solution than measured coordinates are. The result is the same; it only takes fewer steps (theory §8.6).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, IntArray
from biomec.base.compiled import compiled
from biomec.engine.targets import TargetTables

WIDTH = 8  # lanes to fill up
STRETCH = 8  # frames that follow each other in a lane; the first of them has none to follow
FARTHER = 4.0  # squared distance of the targets, beside that at measured coordinates, above which they are taken


def side_by_side(block: slice, lanes: int) -> Iterator[tuple[IntArray, int]]:
    """Frames to solve at once (F,), one of each lane, and how many are wanted; the frames of a lane follow each other.

    Compiled loops take `WIDTH` numbers at once, so that the last frame fills up what is left of that.
    """
    stretch = -(-(block.stop - block.start) // lanes)
    for first in range(block.start, block.start + stretch):
        count = -(-(block.stop - first) // stretch)
        width = -(-count // WIDTH) * WIDTH if count > WIDTH else count
        yield np.minimum(first + stretch * np.arange(width), block.stop - 1), count


@dataclass(frozen=True, eq=False)
class Start:
    """Where frames side by side begin; what the search changes in place.

    q           : (n, F);  multipliers : (rows, F)
    trusted     : (F,) 1 where both follow from the frame before
    """

    q: FloatArray
    multipliers: FloatArray
    trusted: FloatArray


def cold_start(measured: FloatArray, rows: int) -> Start:
    """Measured coordinates (n, F), and multipliers zero."""
    frames = measured.shape[1]
    return Start(measured.copy(), np.zeros((rows, frames)), np.zeros(frames))


@dataclass(frozen=True, eq=False)
class Prediction:
    """What the last frame of every lane leaves to the next; NaN where it, or the one before it, was not solved.

    last, earlier : (n, F) the last solution and the one before it, none at first
    measured      : (n, F) measured coordinates of the last frame
    multipliers   : (rows, F)
    """

    last: FloatArray
    earlier: FloatArray | None
    measured: FloatArray
    multipliers: FloatArray

    @classmethod
    def after(cls, start: Start, measured: FloatArray, solved: BoolArray, before: Prediction | None) -> Prediction:
        """What follows from frames that were searched from a start, some of which are ``solved`` (F,)."""
        last = start.q if solved.all() else np.where(solved, start.q, np.nan)
        return cls(last, None if before is None else before.last[:, : len(solved)], measured, start.multipliers)

    def start(self, tables: TargetTables, measured: FloatArray, points: FloatArray, weights: FloatArray) -> Start:
        """Start of the next frames, with measured coordinates (n, F); the last lanes may have come to their end."""
        frames = measured.shape[1]
        last, multipliers = (np.ascontiguousarray(one[:, :frames]) for one in (self.last, self.multipliers))
        earlier = last if self.earlier is None else np.ascontiguousarray(self.earlier[:, :frames])
        known = np.isfinite(earlier[0])
        if not known.all():
            earlier = np.where(known, earlier, last)
        q, trusted = np.empty_like(measured), np.empty(frames)
        predict(tables, measured, last, earlier, points, weights, q, trusted)
        if self.earlier is None and not trusted.all():
            other, better = np.empty_like(measured), np.empty(frames)
            moved = last - (measured - self.measured[:, :frames])
            predict(tables, measured, last, moved, points, weights, other, better)
            q, trusted = np.where(trusted > 0.5, q, other), np.maximum(trusted, better)
        return Start(q, multipliers if trusted.all() else np.where(trusted > 0.5, multipliers, 0.0), trusted)


@compiled
def predict(
    tables: TargetTables,
    measured: FloatArray,
    last: FloatArray,
    earlier: FloatArray,
    points: FloatArray,
    weights: FloatArray,
    guess: FloatArray,
    trusted: FloatArray,
) -> None:
    """Fill ``guess`` (n, F) with last + τ (last − earlier), 0 ≤ τ ≤ 1 nearest to the targets, or measured coordinates.

    ``trusted`` (F,) becomes 1 where the prediction is taken: where its targets are not much farther away than those of
    the measured coordinates. A solution that is not known, NaN, leads nowhere.
    """
    n, frames = measured.shape
    own, along, both = np.zeros(frames), np.zeros(frames), np.zeros(frames)
    start, away, change, beside = np.zeros(frames), np.empty(frames), np.empty(frames), np.empty(frames)
    for r in range(tables.columns.shape[0]):
        k = r // tables.dimension
        for f in range(frames):
            away[f], change[f], beside[f] = -points[r, f], 0.0, -points[r, f]
        for i in range(4):
            column, entry = tables.columns[r, i], tables.entries[r, i]
            for f in range(frames):
                away[f] += entry * last[column, f]
                change[f] += entry * (last[column, f] - earlier[column, f])
                beside[f] += entry * measured[column, f]
        for f in range(frames):
            own[f] += weights[k, f] * away[f] * away[f]
            both[f] += weights[k, f] * away[f] * change[f]
            along[f] += weights[k, f] * change[f] * change[f]
            start[f] += weights[k, f] * beside[f] * beside[f]
    for f in range(frames):
        tau = min(max(-both[f] / along[f], 0.0), 1.0) if along[f] > 0.0 else 0.0
        change[f] = tau
        trusted[f] = 1.0 if own[f] + tau * (2.0 * both[f] + tau * along[f]) <= FARTHER * start[f] else 0.0
    for i in range(n):
        for f in range(frames):
            ahead = last[i, f] + change[f] * (last[i, f] - earlier[i, f])
            guess[i, f] = ahead if trusted[f] > 0.5 else measured[i, f]
