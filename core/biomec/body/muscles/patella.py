"""What the patella presses on the thigh with: quadriceps and patellar tendon on a pulley without friction.

In sets whose quadriceps end on points that move along the shank with the knee's angle, such as Gait2392, these points
stand for the patella, and their moment arm r holds its lever. Without friction the tendon pulls as hard as the muscle,
so that its line passes the knee's axis at that arm. With d from the axis to the point, across the axis, and the unit
vectors e towards the muscle and u from the tibia to the point,

    f = F (e − u),   u = cos β d/|d| + sin β a × d/|d|,   sin β = r/|d|

on the thigh, with the sign of cos β for which the tendon runs more along the shank (theory of muscle forces, (4.5)).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.body.loads.load_trust import TrustedFrames
from biomec.body.muscles.muscle_forces import MuscleForces
from biomec.body.muscles.muscle_paths import MusclePaths
from biomec.body.muscles.muscle_trust import ContactPeak
from biomec.recording.marker_set import Side


@dataclass(frozen=True, eq=False)
class PatellaForces:
    """Forces of P patellae on the thigh in T frames.

    names : (P,) "right patellofemoral";  force : (T, P, 3) in laboratory axes [N]
    """

    names: tuple[str, ...]
    force: FloatArray

    @property
    def size(self) -> FloatArray:
        """(T, P) [N]."""
        return np.asarray(np.linalg.norm(self.force, axis=2))


def patella_forces(paths: MusclePaths, forces: MuscleForces) -> PatellaForces:
    """Of every knee whose extensors end on points that move along the shank; none for other sets."""
    names, found = [], []
    for side in Side:
        knee, shank = f"{side.value} knee", f"{side.value} shank"
        if knee not in paths.joints or shank not in paths.segments:
            continue
        extensors = [m for m, cord in enumerate(paths.fitted.cords.cords)
                     if cord.points[-1].moves and cord.points[-1].body == shank]  # fmt: skip
        if not extensors:
            continue
        about = paths.arms(knee)
        centre = paths.joint_centre(knee)
        down = -paths.motion.R_WB[:, paths.motion.index(shank)][:, :, 1]
        total = np.zeros((len(paths.q), 3))
        for m in extensors:
            pair = next(k for k in np.flatnonzero(paths.pair_muscle == m)
                        if paths.segments[paths.pair_segment[k]] == shank)  # fmt: skip
            d = paths.end_of(m) - centre
            tendon = tendon_direction(d, about.axes[:, 0], about.arms[:, 0, m], down)
            total += forces.force[:, m, None] * (paths.pull[:, pair, :3] + tendon)
        names.append(f"{side.value} patellofemoral")
        found.append(total)
    force = np.stack(found, axis=1) if found else np.zeros((len(paths.q), 0, 3))
    return PatellaForces(tuple(names), read_only(force))


def patella_peaks(
    patellae: PatellaForces, weight: float, frames_of: Mapping[str, TrustedFrames], least: Mapping[str, BoolArray]
) -> tuple[ContactPeak, ...]:
    """Greatest force of each patella over the best frames of its knee's loads; without muscles there is none.

    weight : of the body [N];  least : knee -> (T,) frames in which its torque is lacking, so that more is borne
    """
    found = []
    for k, name in enumerate(patellae.names):
        knee, size = name.replace("patellofemoral", "knee"), patellae.size[:, k]
        taken = np.isfinite(size) & (frames_of[knee].best if knee in frames_of else True)
        if taken.any():
            high = float(size[taken].max())
            bound = knee in least and bool((least[knee] & taken).any())
            frame = int(np.where(taken, size, -1.0).argmax())
            found.append(ContactPeak(name, high, 0.0, high / weight, 0.0, frame, int(taken.sum()), bound))
    return tuple(found)


def tendon_direction(d: FloatArray, axis: FloatArray, arm: FloatArray, down: FloatArray) -> FloatArray:
    """Unit vector (T, 3) from a point to where a tendon goes on that turns the shank with the arm of its muscle.

    d    : (T, 3) from the axis to the point [m];  axis : (T, 3) unit, laboratory axes;  arm : (T,) about it [m]
    down : (T, 3) along the shank, away from the knee
    A lever longer than the distance of the point is not possible: the tendon then runs at right angles to d.
    """
    across = d - np.sum(d * axis, axis=1, keepdims=True) * axis
    far = np.linalg.norm(across, axis=1, keepdims=True)
    x = across / far
    y = np.cross(axis, x)
    sine = np.clip(arm[:, None] / far, -1.0, 1.0)
    cosine = np.sqrt(1.0 - sine * sine)
    both = np.stack([-(sign * cosine * x + sine * y) for sign in (1.0, -1.0)])
    along = np.sum(both * down, axis=2)
    return np.asarray(np.where((along[0] >= along[1])[:, None], both[0], both[1]))
