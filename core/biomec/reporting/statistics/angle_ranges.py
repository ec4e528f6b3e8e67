"""How far the joints move, side by side: the same angle of right and left in one row, its range, their difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.body.kinematics.joint_angles import JointAngles
from biomec.recording.marker_set import Side
from biomec.signals.cycle_average import CycleCurves

CYCLES_OF = {Side.RIGHT: ("Right", "both"), Side.LEFT: ("Left", "both"), None: ("both", "Right", "Left")}
"""Side of an angle -> cycles whose curves show it, the preferred ones first."""
SEGMENTS_OF = {
    "sternoclavicular": "clavicle",
    "scapulothoracic": "scapula",
    "shoulder": "humerus to thorax",
    "glenohumeral": "humerus to scapula",
    "radioulnar": "forearm",
    "lumbar": "thorax to pelvis",
    "neck": "head to thorax",
}
"""Joint -> what turns in it, where that says more than the joint's name."""


@dataclass(frozen=True)
class AngleRow:
    """One angle, of both sides where it has sides.

    joint              : without its side, such as "elbow"
    positive, negative : names of the two directions
    right, left, middle : name of the angle on that side, or None
    """

    joint: str
    positive: str
    negative: str
    right: str | None = None
    left: str | None = None
    middle: str | None = None

    @property
    def title(self) -> str:
        """What turns, for people: "Elbow", "Clavicle" …"""
        words = SEGMENTS_OF.get(self.joint, self.joint)
        return words[:1].upper() + words[1:]

    @property
    def directions(self) -> str:
        """Both directions with their signs, which a line break does not part: "flexion + / extension −"."""
        return f"{self.positive}\N{NO-BREAK SPACE}+ / {self.negative}\N{NO-BREAK SPACE}−"

    @property
    def sides(self) -> dict[Side | None, str]:
        """Side -> name of the angle, for the sides that have it."""
        named = {Side.RIGHT: self.right, Side.LEFT: self.left, None: self.middle}
        return {side: name for side, name in named.items() if name is not None}


@dataclass(frozen=True)
class AngleRange:
    """Lowest and highest angle, and what lies between [rad]; over cycles their means.

    spread : standard deviation of the range over the cycles; NaN for fewer than two
    cycles : cycles behind it; 0 where the whole recording was taken
    """

    lowest: float
    highest: float
    range: float
    spread: float
    cycles: int


@dataclass(frozen=True)
class AngleError:
    """Difference of an angle from the true one over the frames that have both [rad].

    rms, largest : root mean square and largest magnitude
    offset       : mean
    """

    name: str
    rms: float
    largest: float
    offset: float
    frames: int


def angle_rows(angles: JointAngles) -> tuple[AngleRow, ...]:
    """Angles of right and left in one row each, in the order in which they first come."""
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    for name, joint, side, positive, negative in zip(
        angles.names, angles.joint, angles.side, angles.positive, angles.negative, strict=True
    ):
        stem = joint if side is None else joint.removeprefix(f"{side.value} ")
        place = "middle" if side is None else side.value
        found.setdefault((stem, positive, negative), {})[place] = name
    return tuple(AngleRow(*key, **names) for key, names in found.items())


def cycle_curves(curves: Mapping[str, CycleCurves], side: Side | None) -> CycleCurves | None:
    """Curves of the cycles that an angle of that side is judged by: those of its own side, or those of both."""
    return next((curves[name] for name in CYCLES_OF[side] if name in curves), None)


def angle_range(
    angles: JointAngles, name: str, curves: Mapping[str, CycleCurves] | None = None, side: Side | None = None
) -> AngleRange:
    """Range of an angle: the mean over valid cycles of what each spans, or the span of the recording without cycles.

    With K cycles, range = Σ_k (max_k − min_k) / K; its spread is the sample standard deviation.
    NaN frames and cycles do not count; all is NaN where nothing is left.
    """
    if name not in angles:
        raise BiomecError(f"There is no angle {name}; there are {', '.join(angles.names) or 'none'}.")
    chosen = cycle_curves(curves or {}, side)
    if chosen is not None:
        whole = np.asarray(chosen.curves[:, :, angles.names.index(name)])  # (K, N)
        whole = whole[np.isfinite(whole).all(axis=1)]
        if len(whole):
            low, high = whole.min(axis=1), whole.max(axis=1)
            spread = float((high - low).std(ddof=1)) if len(whole) > 1 else float("nan")
            return AngleRange(float(low.mean()), float(high.mean()), float((high - low).mean()), spread, len(whole))
    column = _finite(angles[name])
    if not column.size:
        return AngleRange(*(float("nan"),) * 4, 0)
    low_, high_ = float(column.min()), float(column.max())
    return AngleRange(low_, high_, high_ - low_, float("nan"), 0)


def angle_errors(angles: JointAngles, truth: JointAngles) -> tuple[AngleError, ...]:
    """Errors of all angles that the truth knows too, as angle − truth, wrapped into ±180°."""
    if len(angles.values) != len(truth.values):
        raise BiomecError(f"The angles have {len(angles.values)} frames, but the truth has {len(truth.values)}.")
    found = []
    for name in angles.names:
        if name not in truth:
            continue
        turn = angles[name] - truth[name]
        error = _finite(np.asarray(turn - 2.0 * np.pi * np.round(turn / (2.0 * np.pi))))
        if error.size:
            rms, largest, offset = np.sqrt(np.mean(error**2)), np.abs(error).max(), error.mean()
            found.append(AngleError(name, float(rms), float(largest), float(offset), int(error.size)))
    return tuple(found)


def _finite(values: FloatArray) -> FloatArray:
    return np.asarray(values[np.isfinite(values)])
