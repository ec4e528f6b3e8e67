"""Values taken from curves of a gait cycle: at contact, extremes, means and ranges in windows of the cycle.

Windows are in % of the side's own cycle; FOOT_OFF is that of the very cycle. Names, windows and signs are those of the
norm sets, whose means and deviations are beside the values in a report. Powers are named as by [Winter1991].
An extreme at the edge of its window may not be an extreme of the curve, and is marked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.body.loads.load_statistics import mean_and_deviation

FOOT_OFF = -1.0
"""In a window: where this cycle's foot leaves the ground."""
Taken = Literal["mean", "max", "min", "range", "time of max"]
DEG, MOMENT, POWER, WEIGHT, TIME = "°", "N·m/kg", "W/kg", "body weight", "% cycle"


@dataclass(frozen=True)
class Window:
    """One value: of which curve, from and to which % of the cycle, and what is taken there."""

    name: str
    unit: str
    curve: str
    first: float
    last: float
    taken: Taken


WINDOWS: tuple[Window, ...] = (
    Window("pelvic tilt, mean", DEG, "pelvis tilt", 0, 100, "mean"),
    Window("pelvic obliquity, range", DEG, "pelvis obliquity", 0, 100, "range"),
    Window("pelvic rotation, range", DEG, "pelvis rotation", 0, 100, "range"),
    Window("hip flexion at initial contact", DEG, "hip flexion", 0, 0, "mean"),
    Window("hip flexion, least in stance", DEG, "hip flexion", 0, FOOT_OFF, "min"),
    Window("hip flexion, peak in swing", DEG, "hip flexion", FOOT_OFF, 100, "max"),
    Window("hip flexion, range", DEG, "hip flexion", 0, 100, "range"),
    Window("hip adduction, peak in stance", DEG, "hip adduction", 0, FOOT_OFF, "max"),
    Window("hip rotation, mean in stance", DEG, "hip rotation", 0, FOOT_OFF, "mean"),
    Window("knee flexion at initial contact", DEG, "knee flexion", 0, 0, "mean"),
    Window("knee flexion, peak in loading", DEG, "knee flexion", 0, 30, "max"),
    Window("knee flexion, least in stance", DEG, "knee flexion", 20, FOOT_OFF, "min"),
    Window("knee flexion, peak in swing", DEG, "knee flexion", FOOT_OFF, 100, "max"),
    Window("knee flexion, time of peak in swing", TIME, "knee flexion", FOOT_OFF, 100, "time of max"),
    Window("knee flexion, range", DEG, "knee flexion", 0, 100, "range"),
    Window("ankle dorsiflexion at initial contact", DEG, "ankle dorsiflexion", 0, 0, "mean"),
    Window("ankle dorsiflexion, peak in stance", DEG, "ankle dorsiflexion", 0, FOOT_OFF, "max"),
    Window("ankle dorsiflexion, least around foot off", DEG, "ankle dorsiflexion", 50, 80, "min"),
    Window("ankle dorsiflexion, peak in swing", DEG, "ankle dorsiflexion", FOOT_OFF, 100, "max"),
    Window("foot progression, mean in stance", DEG, "foot progression", 10, 50, "mean"),
    Window("hip extensor moment, peak in loading", MOMENT, "hip extensor moment", 0, 30, "max"),
    Window("hip extensor moment, least in late stance", MOMENT, "hip extensor moment", 30, FOOT_OFF, "min"),
    Window("hip abductor moment, peak in stance", MOMENT, "hip abductor moment", 0, FOOT_OFF, "max"),
    Window("knee extensor moment, peak in loading", MOMENT, "knee extensor moment", 0, 30, "max"),
    Window("knee extensor moment, least in mid-stance", MOMENT, "knee extensor moment", 20, 55, "min"),
    Window("ankle plantarflexor moment, peak", MOMENT, "ankle plantarflexor moment", 0, 100, "max"),
    Window("hip power H1", POWER, "hip power", 0, 30, "max"),
    Window("hip power H3", POWER, "hip power", 45, 80, "max"),
    Window("knee power K3", POWER, "knee power", 45, 75, "min"),
    Window("ankle power A1", POWER, "ankle power", 5, 45, "min"),
    Window("ankle power A2", POWER, "ankle power", 40, 70, "max"),
    Window("vertical force, first peak", WEIGHT, "ground reaction vertical", 0, 30, "max"),
    Window("vertical force, trough", WEIGHT, "ground reaction vertical", 15, 45, "min"),
    Window("vertical force, second peak", WEIGHT, "ground reaction vertical", 35, 65, "max"),
)


@dataclass(frozen=True, eq=False)
class DiscreteValue:
    """One value of every cycle; arrays (K,) are read-only, NaN where a cycle does not have it.

    values     : in the unit of the window
    at_percent : where in the cycle an extreme is; NaN for means and ranges
    at_edge    : whether it is at the edge of its window
    """

    window: Window
    values: FloatArray
    at_percent: FloatArray
    at_edge: BoolArray

    @property
    def mean(self) -> float:
        """Mean over cycles."""
        return float(mean_and_deviation(self.values)[0])

    @property
    def sd(self) -> float:
        """Sample standard deviation over cycles; NaN for fewer than two."""
        return float(mean_and_deviation(self.values)[1])

    @property
    def edge(self) -> bool:
        """Whether any cycle has its extreme at the edge of the window."""
        return bool(self.at_edge.any())

    def z(self, norm_mean: float, norm_sd: float) -> float:
        """How many standard deviations of a norm the mean lies above the norm's; NaN where the norm has no spread."""
        return (self.mean - norm_mean) / norm_sd if norm_sd > 0.0 else float("nan")


def discrete_values(
    curves: Mapping[str, ArrayLike],
    foot_off_percent: ArrayLike | Mapping[str, ArrayLike],
    windows: tuple[Window, ...] = WINDOWS,
) -> tuple[DiscreteValue, ...]:
    """Values of the cycles of one side, in the order of the windows; curves that are missing have none.

    curves           : name -> (K, N) over 0 to 100 %, in clinical signs and units
    foot_off_percent : (K,) of the cycles, NaN where it is not known; by curve, where curves have different cycles
    """
    found = []
    for window in windows:
        if window.curve not in curves:
            continue
        whole = np.atleast_2d(np.asarray(curves[window.curve], dtype=np.float64))
        given = foot_off_percent[window.curve] if isinstance(foot_off_percent, Mapping) else foot_off_percent
        off = np.atleast_1d(np.asarray(given, dtype=np.float64))
        if len(off) != len(whole):
            raise BiomecError(f"{window.curve} has {len(whole)} cycles, but foot off is given for {len(off)}.")
        rows = [_taken(window, curve, float(at)) for curve, at in zip(whole, off, strict=True)]
        found.append(
            DiscreteValue(
                window,
                read_only([row[0] for row in rows]),
                read_only([row[1] for row in rows]),
                read_only([row[2] for row in rows], np.bool_),
            )
        )
    return tuple(found)


def _taken(window: Window, curve: FloatArray, off: float) -> tuple[float, float, bool]:
    """Value, its % of the cycle, and whether it is at the edge, of one cycle (N,)."""
    nothing = (float("nan"), float("nan"), False)
    first, last = (off if edge == FOOT_OFF else edge for edge in (window.first, window.last))
    percent = np.linspace(0.0, 100.0, len(curve))
    inside = np.flatnonzero((percent >= first - 1e-9) & (percent <= last + 1e-9))  # none where foot off is NaN
    part = curve[inside]
    if not len(part) or not np.isfinite(part).all():
        return nothing
    if window.taken == "mean":
        return float(part.mean()), float("nan"), False
    if window.taken == "range":
        return float(np.ptp(part)), float("nan"), False
    k = int(part.argmin() if window.taken == "min" else part.argmax())
    at, edge = float(percent[inside[k]]), k in (0, len(part) - 1)
    return (at if window.taken == "time of max" else float(part[k])), at, edge
