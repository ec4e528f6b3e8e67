"""What is measured of every contact with a plate: the force beside m (g + a) while no other foot is down.

While one foot is on the ground, all that carries the body is the force under it. Its impulse must be that of the
motion, ∫ F dt = m ∫ (g + a) dt, whatever happens in the joints and whatever the filter. The relative difference

    δ = Σ F / Σ m (g + a) − 1

over single support is within ± 1.3 % in sound steps, and far below where a part of the foot stands beside the plate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.body.loads.balance import BodyWrench
from biomec.body.loads.residuals import inner_frames
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.recording import Trial
from biomec.recording.limb_names import Limb, limb_of
from biomec.signals.contacts import AssignedContact, ContactAssignment
from biomec.signals.kinematic_events import BELT_M_S
from biomec.signals.plate_geometry import foot_outside, segment_points
from biomec.signals.plate_quality import PlateQuality
from biomec.signals.plate_resampling import contact_at_frames
from biomec.signals.stretches import stretches

ENDS = 2  # frames at both ends of a motion whose accelerations rest on one-sided differences
TOUCH_N = 10.0  # less on a plate is not a foot
SWING_M_S = 0.5  # a foot whose slowest marker is faster does not bear the body
MARGIN_S = 0.03  # left out at both ends of single support
LEAST_S = 0.10  # of single support, to be judged
LEAST_SUM_S = 0.30  # of frames with all feet on plates, where there is no single support
BORNE = 0.5  # body weights on the plates, for the sum of all feet
SHORT_BW = -0.15  # residual below which force is missing; sound steps stay there for 10 ms at most
GAP_BW = -0.25  # frames to be masked
REACH_M = 0.02  # markers of a foot may lie so far beyond the plate
SHIFT_S = 0.1  # plates are not sought later or earlier than this
OUTSIDE = 0.03  # share of the foot's outline beside the plate, from which on a strike may be partial
EDGE_M = 0.005  # of the centre of pressure from the edge, likewise


@dataclass(frozen=True)
class ContactFigures:
    """What was measured of a contact; NaN where it cannot be.

    how     : "single support", "all feet" (their sum, where all feet stay down) or "" (not judged)
    seconds : of the frames used [s]
    delta   : δ, force against m (g + a)
    run_s   : longest run with a residual below −0.15 body weights [s]
    rms_bw  : RMS of the vertical residual force [body weights]
    place_m : mean horizontal residual moment over the force: error of the centre of pressure [m]; whole body only
    lag_s   : by which the plates follow the motion [s]
    offset_bw : reading of the empty plate, or its drift [body weights]
    late_s  : from the foot slowing down below 0.5 m/s to the plate's first force [s]
    outside : share of the foot's outline beside the plate;  where : "heel", "toe", "side" or ""
    edge_m  : 5th percentile of the distance of the centre of pressure from the edge [m]
    reach_m : of the farthest marker beyond the edge [m]
    other_bw : mean force on plates of feet that swing [body weights]
    """

    how: str = ""
    seconds: float = 0.0
    delta: float = np.nan
    run_s: float = np.nan
    rms_bw: float = np.nan
    place_m: float = np.nan
    lag_s: float = np.nan
    offset_bw: float = np.nan
    late_s: float = np.nan
    outside: float = np.nan
    where: str = ""
    edge_m: float = np.nan
    reach_m: float = np.nan
    other_bw: float = np.nan

    @property
    def overhangs(self) -> bool:
        """Whether the foot may stand beside the plate."""
        return self.outside > OUTSIDE or self.edge_m < EDGE_M or self.reach_m > REACH_M


@dataclass(frozen=True, eq=False)
class Support:
    """Who bears the body when. Forces along the vertical [N], (T,) each.

    force    : one a contact, in the order of the assignment;  total : of all contacts, also those of nobody, and aids
    aids     : measured forces beside those of the plates, such as those of crutches
    fall     : g + a of the centre of mass, or of the pelvis where the model holds only legs [m/s²]; NaN at the ends
    moment   : (T, 3) measured about the centre of mass minus required [N m]; None for a part of the body
    limbs    : hand or foot of every contact; None where nobody is known
    speed    : hand or foot -> its slowest marker over the ground [m/s]; NaN where none is visible
    """

    trial: Trial
    contacts: tuple[AssignedContact, ...]
    force: FloatArray
    total: FloatArray
    fall: FloatArray
    moment: FloatArray | None
    limbs: tuple[Limb | None, ...]
    speed: Mapping[Limb, FloatArray]
    aids: FloatArray | float = 0.0

    @property
    def rate_hz(self) -> float:
        """Frames a second."""
        return self.trial.rate_hz

    def of(self, limb: Limb) -> FloatArray:
        """(T,) force on a hand or foot [N]."""
        mine = [k for k, one in enumerate(self.limbs) if one == limb]
        return np.asarray(self.force[mine].sum(axis=0))

    def others_swing(self, limb: Limb) -> BoolArray:
        """(T,) frames in which every other foot, and every other hand that has a contact, is seen to move."""
        others = [one for one in self.speed if one != limb]
        moving = [self.speed[one] > SWING_M_S for one in others]  # NaN compares as False
        known = Limb("foot", "Left" if limb.side == "Right" else "Right") in others or limb.kind != "foot"
        return np.asarray(np.all(moving, axis=0) & known if moving else np.zeros(len(self.fall), dtype=np.bool_))

    def single(self, k: int) -> BoolArray:
        """(T,) frames in which contact ``k`` bears the body alone, without a margin at both ends."""
        limb = self.limbs[k]
        if limb is None:
            return np.zeros(len(self.fall), dtype=np.bool_)
        alone = (self.force[k] > TOUCH_N) & self.others_swing(limb)
        for one in set(self.limbs) - {limb, None}:
            assert one is not None
            alone &= self.of(one) <= TOUCH_N
        margin = int(np.ceil(MARGIN_S * self.rate_hz - 1e-9))
        return np.asarray(inner_frames(alone, margin) & np.isfinite(self.fall))

    def all_borne(self, weight_n: float) -> BoolArray:
        """(T,) frames in which every foot is on a plate or swings, and the plates bear more than half of the body."""
        borne = (self.total > BORNE * weight_n) & np.isfinite(self.fall)
        sides = {limb.side for limb in self.speed if limb.kind == "foot"}
        for limb, speed in self.speed.items():
            borne &= (self.of(limb) > TOUCH_N) | (speed > SWING_M_S)
        return np.asarray(borne & (sides == {"Left", "Right"}))


def support(
    trial: Trial,
    assignment: ContactAssignment,
    motion: SegmentMotion,
    gravity: FloatArray,
    required: BodyWrench | None,
    others: ExternalLoads | None = None,
) -> Support:
    """Put plates, markers of hands and feet, and motion beside each other.

    assignment : under the names of the model's segments
    required   : what the motion asks of the ground, for a model of the whole body; None for one of the legs, whose
                 pelvis stands for the centre of mass
    others     : measured forces beside those of the plates, such as those of crutches
    """
    g = float(np.linalg.norm(gravity))
    up, frames = -gravity / g, trial.frames
    whole = required is not None
    place = motion.p_com[:, motion.names.index("pelvis")] if "pelvis" in motion.names else motion.whole_body_com
    rise = motion.a_com[:, motion.names.index("pelvis")] if "pelvis" in motion.names else motion.whole_body_acceleration
    if whole:
        place, rise = motion.whole_body_com, motion.whole_body_acceleration
    force, total_force = np.zeros((len(assignment.contacts), frames)), np.zeros((frames, 3))
    moment = np.zeros((frames, 3))
    for k, item in enumerate(assignment.contacts):
        plate = assignment.plate(item.contact.plate)
        wrench = contact_at_frames(plate, item.contact, trial.rate_hz, frames)
        force[k, wrench.frames] = wrench.force @ up
        endless = item.segment is None and item.contact.starts_before and item.contact.ends_after
        if endless and np.std(force[k, wrench.frames]) < TOUCH_N:
            continue  # a plate that never reads zero, or bears a thing that lies on it: no foot's force
        total_force[wrench.frames] += wrench.force
        moment[wrench.frames] += wrench.moment + np.cross(plate.origin - place[wrench.frames], wrench.force)
    if others is not None:
        total_force += others.total_force
        moment += others.total_moment(place)
    fall = g + rise @ up
    fall = np.where(inner_frames(np.isfinite(fall), ENDS), fall, np.nan)
    limbs = tuple(None if item.segment is None else limb_of(item.segment) for item in assignment.contacts)
    return Support(
        trial,
        assignment.contacts,
        force,
        np.asarray(total_force @ up),
        fall,
        None if required is None else moment - required.total_moment,
        limbs,
        _speeds(trial, assignment, ground_velocity(trial, assignment, up), limbs),
        0.0 if others is None else np.asarray(others.total_force @ up),
    )


def ground_velocity(trial: Trial, assignment: ContactAssignment, up: FloatArray) -> FloatArray:
    """Velocity (3,) of what the feet stand on [m/s]: as the options say, else that of a belt that moves feet, or 0."""
    ground = np.asarray(assignment.options.touch.floor_velocity, dtype=np.float64)
    if ground.any():
        return ground
    force: dict[Limb, FloatArray] = {}
    for item in assignment.contacts:
        limb = None if item.segment is None else limb_of(item.segment)
        if limb is not None:
            wrench = contact_at_frames(assignment.plate(item.contact.plate), item.contact, trial.rate_hz, trial.frames)
            force.setdefault(limb, np.zeros(trial.frames))[wrench.frames] += wrench.force @ up
    return _belt(_velocities(trial, assignment), force, up)


def _velocities(trial: Trial, assignment: ContactAssignment) -> dict[Limb, FloatArray]:
    """Hand or foot -> velocity (T, P, 3) of its markers [m/s]."""
    velocity = {}
    for name, markers in assignment.segments.items():
        limb, points = limb_of(name), segment_points(trial.markers, markers)
        if limb is not None and points.shape[1] and trial.frames >= 2:
            velocity[limb] = np.gradient(points, 1.0 / trial.rate_hz, axis=0)
    return velocity


def _speeds(
    trial: Trial, assignment: ContactAssignment, ground: FloatArray, limbs: Sequence[Limb | None]
) -> dict[Limb, FloatArray]:
    """Hand or foot -> speed of its slowest marker over the ground (T,); all feet, and hands that touch a plate."""
    found = {}
    for limb, moves in _velocities(trial, assignment).items():
        if limb.kind == "hand" and limb not in limbs:
            continue
        speed = np.linalg.norm(moves - ground, axis=2)
        slowest = np.where(np.isfinite(speed), speed, np.inf).min(axis=1)
        found[limb] = np.where(np.isfinite(slowest), slowest, np.nan)
    return found


def _belt(velocity: Mapping[Limb, FloatArray], force: Mapping[Limb, FloatArray], up: FloatArray) -> FloatArray:
    """Velocity (3,) of the ground under the feet that bear the body: that of a treadmill's belt, or 0 [m/s].

    A foot that bears more than half of its highest force stands flat, so that most of its markers move with the ground.
    Every foot on the belt has the same velocity; where feet differ, nothing is assumed.
    """
    found = []
    for limb, moves in velocity.items():
        mine = force.get(limb, np.zeros(len(moves)))
        there = moves[mine > 0.5 * mine.max()] if mine.any() else moves[:0]
        there = there[np.isfinite(there).all(axis=2)]
        if limb.kind == "foot" and len(there):
            median = np.median(there, axis=0)
            found.append(median - (median @ up) * up)
    if not found:
        return np.zeros(3)
    belt = np.mean(found, axis=0)
    speed = float(np.linalg.norm(belt))
    alike = all(np.linalg.norm(one - belt) < 0.3 * speed for one in found)
    return np.asarray(belt if speed > BELT_M_S and alike else np.zeros(3))


def contact_figures(
    shown: Support,
    k: int,
    mass_kg: float,
    g: float,
    assignment: ContactAssignment,
    quality: PlateQuality | None,
    soles: Mapping[str, tuple[str, str]],
    height_m: float,
) -> tuple[ContactFigures, BoolArray]:
    """Measure contact ``k``; also the frames (T,) in which force is missing.

    soles : side ("Left", "Right") -> heel and toe marker
    """
    single, weight = shown.single(k), mass_kg * g
    residual = (shown.total - mass_kg * shown.fall) / weight
    values: dict[str, float | str] = {}
    masked = np.zeros(len(single), dtype=np.bool_)
    if single.sum() >= LEAST_S * shown.rate_hz:
        values = _balance(shown, single, residual, mass_kg)
        values |= {"how": "single support", "run_s": _longest(single & (residual < SHORT_BW)) / shown.rate_hz}
        values["lag_s"] = _lag(shown, single, mass_kg)
        masked = np.asarray(single & (residual < GAP_BW))
    else:
        together = shown.all_borne(weight)
        mine = shown.force[k] > TOUCH_N
        bearing = mine & (shown.total > BORNE * weight) & np.isfinite(shown.fall)
        borne = mine & together
        if borne.sum() >= max(LEAST_SUM_S * shown.rate_hz, 0.5 * bearing.sum()):
            values = {"how": "all feet", **_balance(shown, together, residual, mass_kg)}
    values |= _geometry(shown, k, assignment, quality, soles, height_m)
    baseline = assignment.detected.baselines[_plate_number(assignment, shown.contacts[k].contact.plate)]
    if baseline is not None and assignment.detected.options.offset == "keep":
        values["offset_bw"] = max(abs(baseline.vertical_n), abs(baseline.drift_n)) / weight
    limb = shown.limbs[k]
    if limb is not None:
        values["late_s"] = _late(shown, k, limb)
        swing = inner_frames(
            (shown.force[k] > TOUCH_N) & shown.others_swing(limb), int(np.ceil(MARGIN_S * shown.rate_hz - 1e-9))
        )
        if swing.sum() >= LEAST_S * shown.rate_hz:
            values["other_bw"] = float((shown.total - shown.aids - shown.of(limb))[swing].mean() / weight)
    return ContactFigures(**values), masked  # type: ignore[arg-type]


def _balance(shown: Support, frames: BoolArray, residual: FloatArray, mass_kg: float) -> dict[str, float | str]:
    """Force, roughness and place over some frames."""
    found: dict[str, float | str] = {
        "seconds": float(frames.sum() / shown.rate_hz),
        "delta": float(shown.total[frames].sum() / (mass_kg * shown.fall[frames].sum()) - 1.0),
        "rms_bw": float(np.sqrt((residual[frames] ** 2).mean())),
    }
    if shown.moment is not None:
        mean = shown.moment[frames].mean(axis=0)
        found["place_m"] = float(np.hypot(mean[0], mean[2]) / shown.total[frames].mean())
    return found


def _longest(mask: BoolArray) -> int:
    runs = stretches(mask)
    return int((runs[:, 1] - runs[:, 0]).max(initial=0))


def _lag(shown: Support, single: BoolArray, mass_kg: float) -> float:
    """Time by which the force follows m (g + a) [s]: the shift that leaves least of their difference but its mean.

    NaN where no shift within ± 0.1 s explains the course of the force: it hardly changes, or is another one.
    """
    first, stop = max(stretches(single).tolist(), key=lambda run: run[1] - run[0])
    inside, time = np.arange(first, stop), np.arange(len(single), dtype=np.float64)
    course = shown.total[inside] / mass_kg
    known = np.isfinite(shown.fall)
    steps = np.arange(-SHIFT_S, SHIFT_S + 1e-9, 0.002)
    left = np.full(len(steps), np.nan)
    for s, shift in enumerate(steps):
        at = inside - shift * shown.rate_hz
        if at[0] >= 0 and at[-1] <= len(single) - 1 and known[int(at[0]) : int(np.ceil(at[-1])) + 1].all():
            left[s] = np.var(course - np.interp(at, time[known], shown.fall[known]))
    if not np.isfinite(left).any():
        return float("nan")
    best = int(np.nanargmin(left))
    explained = left[best] < 0.5 * np.var(course)
    inner = 0 < best < len(steps) - 1 and np.isfinite(left[best - 1 : best + 2]).all()
    return float(steps[best]) if explained and inner else float("nan")


def _late(shown: Support, k: int, limb: Limb) -> float:
    """From the foot slowing down below 0.5 m/s to the first force of the plate [s]; NaN where it does not."""
    contact, speed = shown.contacts[k].contact, shown.speed.get(limb)
    if speed is None or contact.starts_before:
        return float("nan")
    falls = np.flatnonzero((speed[:-1] > SWING_M_S) & (speed[1:] <= SWING_M_S))
    share = (speed[falls] - SWING_M_S) / (speed[falls] - speed[falls + 1])
    since = contact.on_s - (falls + share) / shown.rate_hz
    since = since[np.abs(since) < 2.0 * SHIFT_S]
    return float(since[np.argmin(np.abs(since))]) if since.size else float("nan")


def _geometry(
    shown: Support,
    k: int,
    assignment: ContactAssignment,
    quality: PlateQuality | None,
    soles: Mapping[str, tuple[str, str]],
    height_m: float,
) -> dict[str, float | str]:
    """Where the foot and the force lie on the plate."""
    item, found = shown.contacts[k], dict[str, float | str]()
    contact, limb = item.contact, shown.limbs[k]
    checked = None if quality is None else quality.find(contact.plate, contact.number)
    if checked is not None:
        edge = checked.edge_m[np.isfinite(checked.edge_m)]
        if edge.size:
            found["edge_m"] = float(np.quantile(edge, 0.05))
        if checked.reach_m:
            found["reach_m"] = max(checked.reach_m.values())
    if limb is not None and limb.kind == "foot" and limb.side in soles and np.isfinite(height_m):
        markers = shown.trial.markers
        if all(name in markers for name in soles[limb.side]):
            at = [contact.on_s + share * contact.duration_s for share in (0.25, 0.5)]
            flat = slice(int(at[0] * shown.rate_hz), int(at[1] * shown.rate_hz) + 1)
            heel, toe = (markers.p_WM[flat, markers.index(name)] for name in soles[limb.side])
            plate = assignment.plate(contact.plate)
            found["outside"], found["where"] = foot_outside(plate, heel, toe, height_m)
    return found


def _plate_number(assignment: ContactAssignment, name: str) -> int:
    return next(k for k, plate in enumerate(assignment.detected.plates) if plate.name == name)
