"""What the outside does to the body: forces and moments on segments, frame by frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.errors import BiomecError


@dataclass(frozen=True, eq=False)
class ExternalLoads:
    """Loads on K segments in T frames, in laboratory axes; arrays are read-only and finite.

    segments  : (K,) names; one may occur several times
    point     : (T, K, 3) where the force acts [m]; anything finite where there is none
    force     : (T, K, 3) [N];  moment : (T, K, 3) about the point [N m]
    estimated : (T,) frames some of whose loads were computed from the motion, not measured
    computed  : (K,) which of them were; all in those frames, if it is empty
    """

    segments: tuple[str, ...]
    point: FloatArray
    force: FloatArray
    moment: FloatArray
    estimated: BoolArray
    computed: tuple[bool, ...] = ()

    def __post_init__(self) -> None:
        shape = (len(self.estimated), len(self.segments), 3)
        for name in ("point", "force", "moment"):
            value = getattr(self, name)
            if value.shape != shape or not np.isfinite(value).all():
                raise BiomecError(f"External loads: the {name} needs the shape {shape}, all of it numbers.")

    @property
    def frames(self) -> int:
        """Number of frames."""
        return len(self.estimated)

    @property
    def estimated_loads(self) -> BoolArray:
        """(T, K) forces that were computed from the motion, not measured."""
        there = self.estimated[:, None] & (self.force != 0.0).any(axis=2)
        return np.asarray(there & np.array(self.computed, dtype=np.bool_) if self.computed else there)

    @property
    def total_force(self) -> FloatArray:
        """(T, 3) sum of all forces [N]."""
        return np.asarray(self.force.sum(axis=1))

    def total_moment(self, about: FloatArray) -> FloatArray:
        """(T, 3) moment of all loads about points (T, 3) or (3,) [N m]."""
        arm = self.point - np.asarray(about, dtype=np.float64).reshape(-1, 1, 3)
        return np.asarray((self.moment + np.cross(arm, self.force)).sum(axis=1))

    def moved(self, offset: FloatArray) -> ExternalLoads:
        """Return the loads with their points shifted by an offset (3,), (T, K, 3) … [m]."""
        return replace(self, point=read_only(self.point + offset))


def external_loads(
    segments: Sequence[str],
    point: FloatArray,
    force: FloatArray,
    moment: FloatArray | None = None,
    estimated: BoolArray | None = None,
) -> ExternalLoads:
    """Make loads of arrays (T, K, 3); a NaN point, force or moment means that nothing acts there in that frame."""
    moment = np.zeros_like(force) if moment is None else moment
    known = np.isfinite(point).all(axis=2) & np.isfinite(force).all(axis=2) & np.isfinite(moment).all(axis=2)
    there = np.asarray(known)[..., None]
    p, f, h = (read_only(np.where(there, array, 0.0)) for array in (point, force, moment))
    unmeasured = np.zeros(len(force)) if estimated is None else estimated
    return ExternalLoads(tuple(segments), p, f, h, read_only(unmeasured, np.bool_))


def no_loads(frames: int) -> ExternalLoads:
    """Nothing touches the body."""
    none = np.zeros((frames, 0, 3))
    return external_loads((), none, none)
