"""Forces, moments and powers of ankle, knee and hip as Vicon computes them.

For comparison only: the radii of gyration are those about the proximal end, applied about the centre of mass, which is
not right physically and adds up to 0.1 N·m/kg to knee and hip in swing. Biomec's own loads are computed in
`biomec.body.loads`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.physics import GRAVITY
from biomec.body.anatomy.centres import Points
from biomec.body.plug_in_gait.legs import SIDES, LegSide
from biomec.body.plug_in_gait.segments import Segments
from biomec.recording import ForcePlate
from biomec.signals.derivatives import Scheme, derivative

APART = 2  # frames on either side over which attitudes and angular velocities are compared
UNLOADED_N = 4.3  # Vicon stores no ground reaction below this
SLACK_S = 0.05  # around a contact, where the plate is loaded less than the threshold of the contact
DOWN = np.array([0.0, -1.0, 0.0])


class Part(NamedTuple):
    """A segment of the leg: share of the body's mass, place of its centre along it, radius of gyration, long axis."""

    segment: str
    joint: str
    mass: float
    centre: float
    radius: float
    axis: int


PARTS = (
    Part("foot", "ankle", 0.0145, 0.5, 0.690, 0),
    Part("shank", "knee", 0.0465, 0.567, 0.528, 1),
    Part("thigh", "hip", 0.1, 0.567, 0.540, 1),
)
"""From the foot to the hip; k is Dempster's about the proximal end."""
# Where the segment begins, and its proximal joint: those of a foot are both the ankle.
_ENDS = {"foot": ("CAT", "CAT"), "shank": ("CAT", "KJC"), "thigh": ("KJC", "CAQ")}
_PROXIMAL = {"foot": "shank", "shank": "thigh", "thigh": "pelvis"}


@dataclass(frozen=True, eq=False)
class Ground:
    """What the ground does to a foot: force (T, 3) [N] and moment (T, 3) [N·m] about the laboratory's origin.

    Zero while the foot swings, NaN while it stands beside the plates.
    """

    force: FloatArray
    moment: FloatArray


@dataclass(frozen=True, eq=False)
class LegLoads:
    """Loads of every joint, what the proximal segment does to the distal one, per kilogram of the body.

    joints : ``right ankle``, ``right knee`` …
    force  : (T, J, 3) [N/kg] and moment (T, J, 3) [N·m/kg], components and signs of Vicon's stored X, Y, Z
    power  : (T, J) [W/kg], positive where it is generated
    torque : (T, J, 3) [N·m/kg], the moment in laboratory axes
    """

    joints: tuple[str, ...]
    force: FloatArray
    moment: FloatArray
    power: FloatArray
    torque: FloatArray

    def __post_init__(self) -> None:
        for name in ("force", "moment", "power", "torque"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    def index(self, joint: str) -> int:
        """Place of a joint, or a sentence that lists what there is."""
        if joint not in self.joints:
            raise BiomecError(f"There are no Plug-in Gait loads of {joint}; there are {', '.join(self.joints)}.")
        return self.joints.index(joint)


def leg_loads(
    found: Segments, points: Points, ground: Mapping[str, Ground], mass_kg: float, rate_hz: float, diameter: float
) -> LegLoads:
    """Newton's and Euler's equations from foot to hip      (16), (17)

    points : TOE and CALC (T, 3) [m] give the length of the foot; ``ground`` : side "D", "E" -> its ground reaction
    mass_kg, diameter : of the body [kg] and of the markers [m]
    """
    joints: list[str] = []
    loads: list[tuple[FloatArray, FloatArray, FloatArray, FloatArray]] = []
    for leg in SIDES:
        if leg.code not in ground or leg.name("foot") not in found.attitudes:
            continue
        length = np.linalg.norm(points[leg.key("TOE")] - points[leg.key("CALC")], axis=1)
        foot_length = float(np.nanmean(length)) - 0.5 * diameter if np.isfinite(length).any() else float("nan")
        joints += [leg.name(part.joint) for part in PARTS]
        loads += _leg(found, ground[leg.code], leg, mass_kg, rate_hz, foot_length)
    frames = len(next(iter(found.attitudes.values()), ()))
    if not loads:
        none = np.zeros((frames, 0, 3))
        return LegLoads((), none, none, none[:, :, 0], none)
    force, moment, power, torque = (np.stack(arrays, axis=1) / mass_kg for arrays in zip(*loads, strict=True))
    return LegLoads(tuple(joints), force, moment, power, torque)


def _leg(
    found: Segments, ground: Ground, leg: LegSide, mass_kg: float, rate_hz: float, foot_length: float
) -> list[tuple[FloatArray, FloatArray, FloatArray, FloatArray]]:
    """Force and moment in Vicon's components, power, and moment in the laboratory, of ankle, knee and hip."""
    loads = []
    F_d, M_d, P_d = ground.force, ground.moment, np.zeros_like(ground.force)
    for part in PARTS:
        R = found.attitudes[leg.name(part.segment)]
        distal, joint = (found.centres[leg.key(end)] for end in _ENDS[part.segment])
        along = foot_length * R[:, :, 0] if part.segment == "foot" else joint - distal
        centre = distal + part.centre * along
        mass = part.mass * mass_kg
        inertia = np.where(np.arange(3) == part.axis, 0.0, 1.0) * (
            mass * part.radius**2 * np.sum(along**2, axis=1, keepdims=True)
        )
        omega, alpha = angular_rates(R, rate_hz)
        euler = inertia * alpha + np.cross(omega, inertia * omega)
        acceleration = derivative(centre, rate_hz, 2, Scheme.NATURAL)
        F = mass * (acceleration - GRAVITY * DOWN) - F_d
        M = _turned(R, euler) - M_d - np.cross(P_d - centre, F_d) - np.cross(joint - centre, F)
        neighbour = found.attitudes["pelvis" if part.segment == "thigh" else leg.name(_PROXIMAL[part.segment])]
        relative = _turned(R, omega) - _turned(neighbour, angular_rates(neighbour, rate_hz)[0])
        power = np.sum(M * relative, axis=1)
        force, moment = as_stored(part.joint, leg, *(_turned(np.swapaxes(R, 1, 2), load) for load in (F, M)))
        loads.append((force, moment, power, M))
        F_d, M_d, P_d = -F, -M, joint
    return loads


def as_stored(joint: str, leg: LegSide, force: FloatArray, moment: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Vicon's X, Y, Z (…, 3) of a force and a moment (…, 3) in the axes of the distal segment      (18)"""
    F_x, F_y, F_z = np.moveaxis(force, -1, 0)
    M_x, M_y, M_z = np.moveaxis(moment, -1, 0)
    flexion = M_z if joint == "knee" else -M_z
    stored_force = (-F_y, -F_z, F_x) if joint == "ankle" else (F_x, -F_z, F_y)
    return np.stack(stored_force, axis=-1), np.stack([flexion, -leg.sign * M_x, -leg.sign * M_y], axis=-1)


def angular_rates(R: FloatArray, rate_hz: float) -> tuple[FloatArray, FloatArray]:
    """ω and α (T, 3) [rad/s, rad/s²] in the axes of a segment with attitudes R (T, 3, 3)      (19)

    ω(i) is the axial vector of R(i−2)ᵀ R(i+2) over 4Δt, α(i) the change from ω(i−2) to ω(i+2) over 4Δt; NaN where these
    are not there, so that loads lack four frames at either end.
    """
    omega, alpha = np.full(R.shape[:2], np.nan), np.full(R.shape[:2], np.nan)
    span = 2 * APART / rate_hz
    if len(R) > 2 * APART:
        turn = np.swapaxes(R[: -2 * APART], 1, 2) @ R[2 * APART :]
        axial = np.stack([turn[:, k - 1, k - 2] - turn[:, k - 2, k - 1] for k in range(3)], axis=1)
        omega[APART:-APART] = 0.5 * axial / span
        alpha[APART:-APART] = (omega[2 * APART :] - omega[: -2 * APART]) / span
    return omega, alpha


def _turned(R: FloatArray, vectors: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("tij,tj->ti", R, vectors))


# ------------------------------------------------------------------------------------------------------------- ground
def ground_reaction(
    stances: Sequence[tuple[ForcePlate, float, float]], swing: BoolArray, frames: int, rate_hz: float
) -> Ground:
    """What the ground does to one foot      (20)

    stances : plate, and from when to when [s] the foot stands on it;  swing : (T,) frames without any contact
    """
    force, moment = (np.where(swing[:, None], 0.0, np.full((frames, 3), np.nan)) for _ in range(2))
    time = np.arange(frames) / rate_hz
    for plate, on_s, off_s in stances:
        f, m = (centred_means(plate, array, frames, rate_hz) for array in (plate.force, plate.moment))
        m = m + np.cross(plate.origin, f)
        during = (time >= on_s - SLACK_S) & (time <= off_s + SLACK_S)
        loaded = (np.linalg.norm(f, axis=1) > UNLOADED_N) & during
        stands = loaded | ((time >= on_s) & (time <= off_s))
        for known, more in ((force, f), (moment, m)):
            known[stands] = np.where(np.isnan(known[stands]), 0.0, known[stands]) + more[stands]
    return Ground(force, moment)


def centred_means(plate: ForcePlate, values: FloatArray, frames: int, rate_hz: float) -> FloatArray:
    """Means (T, 3) over 2⌊k/2⌋ + 1 samples of a plate, centred on the instant of every frame; k samples a frame."""
    ratio = plate.rate_hz / rate_hz
    half = int(ratio // 2)
    total = np.concatenate([np.zeros((1, 3)), np.cumsum(values, axis=0)])
    middle = np.rint((np.arange(frames) / rate_hz - plate.start_s) * plate.rate_hz).astype(np.int64)
    first, stop = (np.clip(middle + shift, 0, len(values)) for shift in (-half, half + 1))
    count = np.where(stop > first, stop - first, np.nan)[:, None]
    return np.asarray((total[stop] - total[first]) / count)
