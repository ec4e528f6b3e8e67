"""The way of a walk: where the pelvis is over the floor, which way it goes, and how far it turns.

The pelvis sways from side to side once in a stride. Directions are therefore taken between times a whole stride apart,
or compared at the same phase of two strides, where the sway is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.recording import Markers

SHORTEST_M = 0.1  # a shorter way has no direction
BESIDE = 0.1  # of a stride: stretch on both sides of a strike in which the heading is measured
FINE = 10  # places between two frames, where the nearest one is sought


@dataclass(frozen=True, eq=False)
class WalkingPath:
    """Path of the pelvis over the floor, in axes that move with the belt of a treadmill.

    place   : (T, 3) without height [m]; NaN where the pelvis was not seen
    up      : (3,) unit vector
    forward : (3,) direction of the belt; None over ground
    """

    place: FloatArray
    rate_hz: float
    up: FloatArray
    forward: FloatArray | None = None

    def at(self, time_s: float) -> FloatArray:
        """Place (3,) at a time; NaN outside the recording and beside missing frames."""
        return at_time(self.place, self.rate_hz, time_s)

    def heading(self, start_s: float, end_s: float) -> FloatArray | None:
        """Unit vector (3,) from the place at one time to that at another; on a treadmill along its belt."""
        return self.forward if self.forward is not None else _unit(self.at(end_s) - self.at(start_s))

    def turn(self, start_s: float, end_s: float) -> float | None:
        """Angle by which the heading changes over a stride, to the left positive [rad]; None where it is not seen.

        The headings at its two ends are those of stretches of a tenth of the stride on both sides, or of what the
        recording has of them; both ends have the same, so that they are compared at the same phase.
        """
        if self.forward is not None:
            return 0.0
        beside = BESIDE * (end_s - start_s)
        before = min(beside, start_s)
        after = min(beside, (len(self.place) - 1) / self.rate_hz - end_s)
        first, last = (self.heading(t - before, t + after) for t in (start_s, end_s))
        if first is None or last is None:
            return None
        return float(np.arctan2(np.cross(first, last) @ self.up, first @ last))

    def tangent(
        self, one: FloatArray, other: FloatArray, span_s: tuple[float, float], stride_s: float
    ) -> FloatArray | None:
        """Direction (3,) of the path midway between two footfalls (3,); None where it is not seen.

        The path passes each footfall where it is nearest to it, and lies midway at the mean of both times; where the
        recording ends before it passes the second one, where it is nearest to the middle of the line between them.
        The direction is that of the chord over one stride around this time, or over as much as was recorded.

        span_s : times between which the path passes both
        """
        if self.forward is not None:
            return self.forward
        last = (len(self.place) - 1) / self.rate_hz
        times = np.arange(max(span_s[0], 0.0), min(span_s[1], last), 1.0 / (FINE * self.rate_hz))
        places = np.array([self.at(float(t)) for t in times]).reshape(-1, 3)
        seen = np.isfinite(places).all(axis=1)
        if not seen.any():
            return None
        times, places = times[seen], places[seen]
        nearest = [int(np.argmin(self._away(places, point))) for point in (one, other)]
        if nearest[1] == len(times) - 1:
            nearest = [int(np.argmin(self._away(places, 0.5 * (one + other))))]
        middle = float(times[nearest].mean())
        half = min(0.5 * stride_s, middle, last - middle)
        return self.heading(middle - half, middle + half)

    def _away(self, places: FloatArray, point: FloatArray) -> FloatArray:
        """Distance (N,) of places (N, 3) from a point, over the floor [m]."""
        return np.asarray(np.linalg.norm(places - (point - self.up * (point @ self.up)), axis=1))


def walking_path(
    markers: Markers, pelvis: Sequence[str], up: FloatArray, belt_m_s: float = 0.0, forward: FloatArray | None = None
) -> WalkingPath | None:
    """Path of the mean of the pelvis's markers; None where the recording has none of them.

    belt_m_s, forward : speed of a treadmill's belt and direction (3,) of walking on it
    """
    here = [name for name in pelvis if name in markers]
    if not here:
        return None
    mean = np.mean([markers[name] for name in here], axis=0)
    floor = mean - (mean @ up)[:, None] * up
    if belt_m_s and forward is not None:
        floor = floor + belt_m_s * (np.arange(len(floor)) / markers.rate_hz)[:, None] * forward
        return WalkingPath(read_only(floor), markers.rate_hz, up, forward)
    return WalkingPath(read_only(floor), markers.rate_hz, up)


def at_time(path: FloatArray, rate_hz: float, time_s: float) -> FloatArray:
    """Point (3,) of a path (T, 3) by linear interpolation; NaN outside of it and beside missing frames."""
    place = time_s * rate_hz
    if not -1e-6 <= place <= len(path) - 1 + 1e-6:
        return np.full(3, np.nan)
    place = min(max(place, 0.0), len(path) - 1.0)
    first = int(place)
    share = place - first
    if share < 1e-9:
        return np.asarray(path[first])
    return np.asarray((1.0 - share) * path[first] + share * path[first + 1])


def _unit(way: FloatArray) -> FloatArray | None:
    length = float(np.linalg.norm(way))
    return way / length if np.isfinite(length) and length > SHORTEST_M else None
