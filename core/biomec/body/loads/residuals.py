"""How large the residual is, against what is published as acceptable.

The residual is the force and torque that the outside would have to exert on the root of the body so that motion, masses
and plates agree. With a perfect recording it is zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.body.loads.joint_loads import JointLoads
from biomec.signals.stretches import stretches

COMPONENTS = ("X", "Y", "Z", "modulus")


@dataclass(frozen=True)
class ResidualThreshold:
    """A published limit of residuals [N, N m]; None where it says nothing. The limits hold for the modulus."""

    name: str
    source: str
    force_rms: float
    force_peak: float | None
    torque_rms: float
    torque_peak: float | None


THRESHOLDS = (
    ResidualThreshold("Published limit", "[Nunes2017] Appendix B", 25.0, None, 25.0, None),
    ResidualThreshold(
        "OpenSim's limit", "the guide of OpenSim's developers, as cited by [Nunes2017]", 10.0, 25.0, 50.0, 75.0
    ),
)
"""Both published limits. They are meant for what residual reduction leaves, and judge nothing before it."""


@dataclass(frozen=True)
class ThresholdVerdict:
    """A threshold and whether the residual keeps it.

    exceeded : in words, what is too large; empty if nothing is
    """

    threshold: ResidualThreshold
    exceeded: tuple[str, ...]

    @property
    def kept(self) -> bool:
        """Whether everything is below the threshold."""
        return not self.exceeded

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        if self.kept:
            return f"{self.threshold.name}: kept."
        return f"{self.threshold.name}: exceeded ({', '.join(self.exceeded)})."


@dataclass(frozen=True, eq=False)
class Residuals:
    """Size of the residual over the frames that count. Arrays are read-only; NaN where no frame counts.

    force_rms, force_peak   : (4,) of X, Y, Z and the modulus [N]; the RMS modulus is the root of the sum of squares
    torque_rms, torque_peak : (4,) likewise [N m]
    counted  : (T,) frames with a motion in which every contact was measured, the ends of every stretch left out
    ends     : (T,) frames that would count, but for being such an end
    left_out : stretches (first, last) of frames with a motion in which a hand or foot touches the ground off the
               plates: there the residual holds the missing force, and is not an error
    worst    : first and last frame of the stretch around the largest residual, relative to the thresholds
    verdicts : one a threshold; none where no frame counts
    whole    : whether the model holds the whole body; otherwise no frame counts, and none is off the plates
    """

    root: str
    force_rms: FloatArray
    force_peak: FloatArray
    torque_rms: FloatArray
    torque_peak: FloatArray
    counted: BoolArray
    ends: BoolArray
    left_out: tuple[tuple[int, int], ...]
    worst: tuple[int, int] | None
    verdicts: tuple[ThresholdVerdict, ...]
    whole: bool = True

    @property
    def kept(self) -> bool | None:
        """Whether the residual is below all thresholds; None where no frame counts."""
        return all(verdict.kept for verdict in self.verdicts) if self.verdicts else None

    @property
    def sentence(self) -> str:
        """The residual in one sentence for a clinician."""
        if not self.whole:
            return "The model holds only a part of the body, so the residual is what the rest does, and judges nothing."
        if not self.counted.any():
            return "There is no frame in which force plates bear the whole body, so the residual judges nothing."
        words = f"Residual {self.force_rms[3]:.0f} N and {self.torque_rms[3]:.0f} N·m RMS: "
        above = [verdict for verdict in self.verdicts if not verdict.kept]
        if not above:
            return words + "below both limits after residual reduction."
        both = len(above) == len(self.verdicts)
        which = "above both limits" if both else f"above {above[0].threshold.name}"
        which += " after residual reduction"
        return words + f"{which} ({'; '.join(', '.join(verdict.exceeded) for verdict in above)})."


def residuals(loads: JointLoads, measured: BoolArray | None = None, ends: int = 0, *, whole: bool = True) -> Residuals:
    """Measure the residual.

    measured : (T,) frames in which every hand and foot that touches the ground does so on a plate; all, if not given
    ends     : frames to leave out at both ends of every stretch with a motion, where accelerations come from one-sided
               differences
    whole    : whether the model holds the whole body; otherwise no frame counts
    """
    finite = np.isfinite(np.concatenate([loads.residual_force, loads.residual_torque], axis=1))
    known = np.asarray(finite.all(axis=1))
    bears = np.ones_like(known) if measured is None else measured
    counted = np.asarray(inner_frames(known, ends) & bears & whole)
    force_rms, force_peak = _sizes(loads.residual_force[counted])
    torque_rms, torque_peak = _sizes(loads.residual_torque[counted])
    found = {"force_rms": force_rms, "force_peak": force_peak, "torque_rms": torque_rms, "torque_peak": torque_peak}
    verdicts = tuple(_verdict(one, found) for one in THRESHOLDS) if counted.any() else ()
    return Residuals(
        loads.root,
        read_only(force_rms),
        read_only(force_peak),
        read_only(torque_rms),
        read_only(torque_peak),
        read_only(counted, np.bool_),
        read_only(known & bears & whole & ~counted, np.bool_),
        tuple((int(a), int(b) - 1) for a, b in stretches(np.asarray(known & ~bears & whole))),
        _worst(loads, counted),
        verdicts,
        whole,
    )


def inner_frames(known: BoolArray, ends: int) -> BoolArray:
    """(T,) frames of every stretch of ``known`` (T,) without its first and last few."""
    inner = np.zeros(len(known), dtype=np.bool_)
    for first, stop in stretches(np.asarray(known)).tolist():
        inner[first + ends : max(stop - ends, 0)] = True
    return inner


def _sizes(vectors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """RMS (4,) and peak (4,) of X, Y, Z and the modulus."""
    if not len(vectors):
        return np.full(4, np.nan), np.full(4, np.nan)
    columns = np.column_stack([vectors, np.linalg.norm(vectors, axis=1)])
    return np.sqrt((columns**2).mean(axis=0)), np.abs(columns).max(axis=0)


def _verdict(threshold: ResidualThreshold, found: dict[str, FloatArray]) -> ThresholdVerdict:
    above = []
    for name, unit in (("force_rms", "N"), ("force_peak", "N"), ("torque_rms", "N·m"), ("torque_peak", "N·m")):
        limit, value = getattr(threshold, name), float(found[name][3])
        if limit is not None and value > limit:
            what, how = name.split("_")
            how = how.upper() if how == "rms" else how
            above.append(f"{what} {how} {value:.0f} {unit}, limit {limit:.0f}")
    return ThresholdVerdict(threshold, tuple(above))


def _worst(loads: JointLoads, counted: BoolArray) -> tuple[int, int] | None:
    """Stretch of counted frames around the largest residual in which it stays above half of that."""
    if not counted.any():
        return None
    strictest = [min(getattr(one, name) for one in THRESHOLDS) for name in ("force_rms", "torque_rms")]
    parts = [
        np.linalg.norm(vectors, axis=1) / limit
        for vectors, limit in zip((loads.residual_force, loads.residual_torque), strictest, strict=True)
    ]
    course = np.where(counted, np.maximum(*parts), -np.inf)
    peak = int(np.argmax(course))
    runs = stretches(course >= 0.5 * course[peak])
    first, stop = next((a, b) for a, b in runs.tolist() if a <= peak < b)
    return int(first), int(stop) - 1
