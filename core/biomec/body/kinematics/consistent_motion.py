"""A motion that obeys the model, and everything a user needs to judge it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice
from biomec.body.kinematics.consistency_options import ConsistencyOptions
from biomec.body.kinematics.contact_points import ContactPoints
from biomec.engine.contacts import PointContacts
from biomec.engine.position import PositionResult
from biomec.engine.projection import Projection
from biomec.recording import Result
from biomec.recording.step import step_result


@dataclass(frozen=True, eq=False)
class ConsistentPositions:
    """Coordinates that satisfy all constraints. Arrays are read-only.

    T frames, n coordinates, S segments, L landmarks, M markers, J joints.

    q              : (T, n); NaN in frames that are not valid
    q_star         : (T, n) measured coordinates, NaN where a landmark is missing
    position       : status, iterations, violation, increment, seconds; violation by constraint type before and after
    valid          : (T,) frames whose positions satisfy the constraints
    segments       : (S,) of the model, in the order of the coordinates
    undetermined   : (T, S) segments whose place no marker, landmark or constraint decides in that frame: what q says of
                     them continues their last known motion. Global optimisation only; the nearest coordinates need all
                     landmarks of a frame.
    landmarks, distance       : (L,) and (T, L) from the raw to the consistent landmark [m]
    markers, marker_residual  : (M,) and (T, M) from the measured marker to the model's [m]; NaN where it was
                                not measured
    joints, joint_gap         : (J,) and (T, J) how far apart the measured coordinates put the two ends of a joint [m]
    weights        : (n,) of the coordinates; in global optimisation those of the weak pull to the start
    held           : the temporary rows of the contacts, for velocities and accelerations
    """

    q: FloatArray
    q_star: FloatArray
    position: PositionResult
    valid: BoolArray
    segments: tuple[str, ...]
    undetermined: BoolArray
    landmarks: tuple[str, ...]
    distance: FloatArray
    markers: tuple[str, ...]
    marker_residual: FloatArray
    joints: tuple[str, ...]
    joint_gap: FloatArray
    weights: FloatArray
    contacts: ContactPoints | None
    held: PointContacts | None
    rate_hz: float
    options: ConsistencyOptions
    notices: tuple[Notice, ...] = ()

    @property
    def frames(self) -> int:
        """Number of frames."""
        return int(self.q.shape[0])

    def determined(self, segment: str) -> BoolArray:
        """(T,) frames that are valid and in which the markers decide where the segment is."""
        if segment not in self.segments:
            raise BiomecError(f"There is no segment {segment}; there are {', '.join(self.segments)}.")
        return np.asarray(self.valid & ~self.undetermined[:, self.segments.index(segment)])

    @property
    def marker_rms(self) -> dict[str, float]:
        """Marker -> root mean square distance to the model's over all frames that show it [m]; NaN if none does."""
        return {name: _rms(self.marker_residual[:, k]) for k, name in enumerate(self.markers)}

    @property
    def landmark_mean(self) -> dict[str, float]:
        """Landmark -> mean distance from the raw to the consistent one [m]; NaN if it is in no frame."""
        return {name: _mean(self.distance[:, k]) for k, name in enumerate(self.landmarks)}

    def to_result(self) -> Result:
        """Return what a session stores: coordinates, the course of every frame, distances, options and notices."""
        position = self.position
        arrays = {
            **{name: getattr(self, name) for name in ("q", "q_star", "valid", "undetermined")},
            **{name: getattr(self, name) for name in ("distance", "marker_residual", "joint_gap", "weights")},
            **{name: getattr(position, name) for name in ("status", "iterations", "violation", "increment", "seconds")},
            **{f"violation before, {kind}": values for kind, values in position.before.items()},
            **{f"violation after, {kind}": values for kind, values in position.after.items()},
        }
        if self.contacts is not None:
            arrays |= {"contact_points": self.contacts.cop, "contact_active": self.contacts.active}
        return step_result(
            arrays,
            self.options,
            self.notices,
            segments=self.segments,
            landmarks=self.landmarks,
            markers=self.markers,
            joints=self.joints,
            contacts=() if self.contacts is None else self.contacts.segments,
            constraint_types=tuple(position.before),
            rate_hz=self.rate_hz,
        )


@dataclass(frozen=True, eq=False)
class ConsistentMotion(ConsistentPositions):
    """Consistent positions with velocities and accelerations that satisfy all constraints too. Arrays are read-only.

    qdot, qddot : (T, n); NaN in frames that are not valid, and in stretches of valid frames that are too short
    velocity, acceleration : the projections with their violations before and after
    """

    qdot: FloatArray = field(kw_only=True)
    qddot: FloatArray = field(kw_only=True)
    velocity: Projection = field(kw_only=True)
    acceleration: Projection = field(kw_only=True)

    def to_result(self) -> Result:
        """Return what a session stores beside the positions: velocities and accelerations, and their violations."""
        arrays = {"qdot": self.qdot, "qddot": self.qddot}
        for name, projection in (("velocity", self.velocity), ("acceleration", self.acceleration)):
            arrays |= {f"{name} violation before": projection.before, f"{name} violation after": projection.after}
        return step_result(arrays, self.options, self.notices, rate_hz=self.rate_hz)


def _rms(x: FloatArray) -> float:
    known = x[np.isfinite(x)]
    return float(np.sqrt(np.mean(known**2))) if known.size else float("nan")


def _mean(x: FloatArray) -> float:
    known = x[np.isfinite(x)]
    return float(known.mean()) if known.size else float("nan")
