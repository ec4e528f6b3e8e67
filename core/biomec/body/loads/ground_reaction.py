"""Ground reactions without force plates: what the motion asks for, shared among the hands and feet that touch.

The whole is exact for the motion given: the equations of Newton and Euler for the whole body. The motion does not
determine how several contacts share it. The estimate is the smallest in a weighted sense, like the reactions of a body
on springs, and changes smoothly with the springs: two feet apart share mainly by where the total acts; how they push
against each other, and what each of four contacts bears when all do, no motion can tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, IntArray, read_only, skew
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, info, warning
from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.body.loads.balance import BodyWrench, body_wrench
from biomec.body.loads.floor_contacts import FloorContacts, FloorOptions, floor_contacts, measured_frames, off_plates
from biomec.engine.forces.external_loads import ExternalLoads, no_loads
from biomec.engine.system import System
from biomec.recording.plate import LOADED_N
from biomec.signals.stretches import stretches


@dataclass(frozen=True, eq=False)
class SharedContact:
    """A hand or a foot that bears load on the floor.

    name      : of the contact (``Pe_D``)
    segment   : that touches the ground
    point     : (T, 3) middle of what touches, on the floor [m]
    stiffness : (T,) how readily it takes load; 0 where it does not touch
    reach     : (T, 3) levers of the moments that it can bear about X, Y and Z [m]: how far it can shift the load along
                Z, twist by friction, and shift the load along X; 0 about Z for an edge along Z, like the ball of a foot
    squeeze   : (T, 3) force that contacts exert against each other [N], such as hands pushed together
    """

    name: str
    segment: str
    point: FloatArray
    stiffness: FloatArray
    reach: FloatArray
    squeeze: FloatArray


@dataclass(frozen=True, eq=False)
class GroundReaction:
    """What the ground does to a contact, in laboratory axes. Arrays are read-only.

    force : (T, 3) [N];  moment : (T, 3) about ``point`` [N m];  point : (T, 3) on the floor [m]
    """

    segment: str
    point: FloatArray
    force: FloatArray
    moment: FloatArray

    def centre_of_pressure(self, threshold_n: float = 1e-9) -> FloatArray:
        """(T, 3) point of the floor about which no horizontal moment acts [m]; NaN where nothing is borne."""
        vertical = np.where(self.force[:, 1] > threshold_n, self.force[:, 1], np.nan)
        offset = np.stack([self.moment[:, 2], np.zeros_like(vertical), -self.moment[:, 0]], axis=1)
        return np.asarray(self.point + offset / vertical[:, None])


def shared_reactions(
    force: FloatArray, moment: FloatArray, contacts: Sequence[SharedContact]
) -> dict[str, GroundReaction]:
    """Share the required wrench (T, 3), (T, 3 about the origin) among contacts.

    With A mapping all contact wrenches u to their sum w, and S the compliance (stiffness of a contact for forces, times
    its reach squared for moments): u = u₀ + S Aᵀ (A S Aᵀ)⁻¹ (w − A u₀), the u nearest to the squeezes u₀ in the norm of
    S⁻¹ with exactly the right sum. A contact of no stiffness bears nothing. Vertical forces come first; friction is
    then shared like them, so that no contact slips before another. On one level floor the two do not affect each other.
    """
    frames, count = len(force), len(contacts)
    A = np.zeros((frames, 6, 6 * count))
    S, u_0 = np.zeros((frames, 6 * count)), np.zeros((frames, 6 * count))
    for k, contact in enumerate(contacts):
        at = 6 * k
        A[:, :3, at : at + 3] = A[:, 3:, at + 3 : at + 6] = np.eye(3)
        A[:, 3:, at : at + 3] = skew(contact.point)
        S[:, at : at + 3] = contact.stiffness[:, None]
        S[:, at + 3 : at + 6] = contact.stiffness[:, None] * contact.reach**2
        u_0[:, at : at + 3] = contact.stiffness[:, None] * contact.squeeze
    wanted = np.concatenate([force, moment], axis=1)
    u = nearest_components(A, S, u_0, wanted)
    load = np.maximum(u[:, 1::6], 0.0) / np.maximum(force[:, 1:2], 1e-9)  # (T, K) share of the vertical force
    load = np.where(load.sum(axis=1, keepdims=True) > 1e-3, load, S[:, 1::6])  # in free fall nothing presses
    for k, contact in enumerate(contacts):
        S[:, [6 * k, 6 * k + 2]] = load[:, k : k + 1]
        S[:, 6 * k + 4] = load[:, k] * contact.reach[:, 1] ** 2
    u = nearest_components(A, S, u_0, wanted)
    return {
        contact.name: GroundReaction(
            contact.segment,
            read_only(contact.point),
            read_only(u[:, 6 * k : 6 * k + 3]),
            read_only(u[:, 6 * k + 3 : 6 * k + 6]),
        )
        for k, contact in enumerate(contacts)
    }


def nearest_components(A: FloatArray, S: FloatArray, u_0: FloatArray, wanted: FloatArray) -> FloatArray:
    """u (T, 6K) nearest to u₀ in the norm of S⁻¹ with A u = wanted (T, 6)."""
    SAt = S[:, :, None] * np.swapaxes(A, -1, -2)
    u = u_0
    for _ in range(2):  # the second time mends the round-off of the first
        try:
            multipliers = np.linalg.solve(A @ SAt, (wanted - _times(A, u))[..., None])[..., 0]
        except np.linalg.LinAlgError as error:
            raise BiomecError("Too few hands and feet touch the ground to bear the body.") from error
        u = u + _times(SAt, np.asarray(multipliers, dtype=np.float64))
    return u


def _times(matrix: FloatArray, vector: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("tij,tj->ti", matrix, vector))


NEARLY_NOTHING = 1e-3  # share of the grip at which a contact that would pull is left
ROUNDS = 8  # of letting go of contacts that would pull


@dataclass(frozen=True)
class ReactionOptions:
    """How ground reactions are estimated.

    reach_m  : least lever of the moments that a contact bears [m]; what touches adds its own extent
    twist_m  : lever of the twist by friction [m]
    friction : of the floor: contacts that need more get a notice
    floor    : what counts as touching
    """

    reach_m: float = 0.02
    twist_m: float = 0.05
    friction: float = 0.8
    floor: FloorOptions = field(default_factory=FloorOptions)

    def __post_init__(self) -> None:
        if not (self.reach_m > 0.0 and self.twist_m > 0.0 and self.friction > 0.0):
            raise BiomecError("Estimated ground reactions: levers and friction must be positive.")


@dataclass(frozen=True, eq=False)
class EstimatedReaction:
    """Ground reactions, measured where they were and estimated elsewhere. Arrays are read-only.

    loads     : on all segments, in laboratory axes; its ``estimated`` says in which frames anything was estimated
    contacts  : hands and feet on the floor
    segments  : (K,) that were given an estimated load somewhere
    friction  : (T, K) horizontal over vertical force of estimated contacts; NaN where they hardly bear anything
    outside_m : (T, K) how far the estimated load acts outside what touches [m]; 0 inside, NaN likewise
    airborne  : (T,) frames in which nothing touches although the motion asks for a force: the residual holds it
    """

    loads: ExternalLoads
    contacts: FloorContacts
    segments: tuple[str, ...]
    friction: FloatArray
    outside_m: FloatArray
    airborne: BoolArray
    options: ReactionOptions
    notices: tuple[Notice, ...]


def estimated_reaction(
    system: System,
    motion: SegmentMotion,
    q: FloatArray,
    qdot: FloatArray,
    rate_hz: float,
    measured: ExternalLoads | None = None,
    options: ReactionOptions = ReactionOptions(),
    *,
    floor: FloorContacts | None = None,
    required: BodyWrench | None = None,
) -> EstimatedReaction:
    """Estimate what the ground does where no plate measured it.

    measured : what the plates say. Frames in which they bear everything that touches stay as they are; in the others
               what they leave open is shared among the contacts that they do not bear.
    floor    : hands and feet that touch the floor by the same options, if known already
    required : what the motion asks of the ground (`body_wrench`), if known already

    The total is that of Newton's and Euler's equations of the whole body. No contact pulls: one that would is let go,
    and the others take its part.
    """
    measured = no_loads(motion.frames) if measured is None else measured
    if measured.frames != motion.frames or len(q) != motion.frames:
        raise BiomecError(
            f"There are {motion.frames} frames of motion, {len(q)} of coordinates and {measured.frames} of measured "
            "loads; they must match."
        )
    floor = floor_contacts(system, q, qdot, rate_hz, options.floor) if floor is None else floor
    required = body_wrench(system, motion) if required is None else required
    force = required.total_force - measured.total_force
    centre = motion.whole_body_com
    moment = required.total_moment - measured.total_moment(centre)  # about the centre of mass
    known = np.isfinite(force).all(axis=1) & np.isfinite(moment).all(axis=1)
    wanted = known & ~measured_frames(floor, measured)
    free = off_plates(floor, measured) & wanted[:, None]
    there = np.asarray(free.any(axis=1))
    at = np.flatnonzero(there).astype(np.int64)
    point, shared, about = np.zeros((3, motion.frames, len(floor.segments), 3))
    point[:] = floor.point
    if at.size:
        origin = np.cross(centre[at], force[at]) + moment[at]
        shared[at], about[at] = _shared(force[at], origin, floor, free[at], at, options)
    loads = ExternalLoads(
        (*measured.segments, *floor.segments),
        read_only(np.concatenate([measured.point, point], axis=1)),
        read_only(np.concatenate([measured.force, shared], axis=1)),
        read_only(np.concatenate([measured.moment, about], axis=1)),
        read_only(measured.estimated | there, np.bool_),
        (*(False for _ in measured.segments), *(True for _ in floor.segments)),
    )
    friction, outside = _judged(floor, shared, about)
    fall = np.linalg.norm(system.gravity) * float(motion.mass.sum())
    airborne = np.asarray(wanted & ~there & (np.linalg.norm(np.nan_to_num(force), axis=1) > 0.1 * fall))
    notices = _notices(floor, there, free, friction, outside, airborne, rate_hz, options)
    return EstimatedReaction(
        loads,
        floor,
        tuple(name for k, name in enumerate(floor.segments) if free[:, k].any()),
        read_only(friction),
        read_only(outside),
        read_only(airborne, np.bool_),
        options,
        tuple(notices),
    )


def _shared(
    force: FloatArray,
    moment: FloatArray,
    floor: FloorContacts,
    free: BoolArray,
    at: IntArray,
    options: ReactionOptions,
) -> tuple[FloatArray, FloatArray]:
    """Forces (A, K, 3) and moments (A, K, 3) about the contacts' points, of the frames ``at``."""
    grip = np.where(free, np.maximum(floor.grip[at], NEARLY_NOTHING), 0.0)
    reach = np.full((*free.shape, 3), options.twist_m)
    reach[..., 0] = options.reach_m + floor.reach[at, :, 1]  # about X: shifts the load along Z
    reach[..., 2] = options.reach_m + floor.reach[at, :, 0]
    still = np.zeros((len(force), 3))
    for _ in range(ROUNDS):
        contacts = [
            SharedContact(name, name, floor.point[at, k], grip[:, k], reach[:, k], still)
            for k, name in enumerate(floor.segments)
        ]
        found = shared_reactions(force, moment, contacts)
        forces = np.stack([found[name].force for name in floor.segments], axis=1)
        pulls = (forces[..., 1] < -1e-9) & (grip > 0.0)
        pulls &= (grip > 0.0).sum(axis=1, keepdims=True) > pulls.sum(axis=1, keepdims=True)  # somebody has to bear it
        if not pulls.any():
            break
        grip = np.where(pulls, 0.0, grip)
    return forces, np.stack([found[name].moment for name in floor.segments], axis=1)


def _judged(floor: FloorContacts, force: FloatArray, moment: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Friction (T, K) that is needed, and how far (T, K) the load acts outside what touches [m]."""
    bears = force[..., 1] > LOADED_N  # below it a lever is a moment over nearly nothing
    vertical = np.where(bears, force[..., 1], np.nan)
    friction = np.hypot(force[..., 0], force[..., 2]) / vertical
    off = np.stack([np.abs(moment[..., 2]), np.abs(moment[..., 0])], axis=2) / vertical[..., None]  # along X, Z
    beyond = np.maximum(off - 1.5 * floor.reach - 0.03, 0.0)  # 1.5: from the spread of points to their extent
    return np.asarray(friction), np.asarray(np.hypot(beyond[..., 0], beyond[..., 1]))


def _notices(
    floor: FloorContacts,
    there: BoolArray,
    free: BoolArray,
    friction: FloatArray,
    outside: FloatArray,
    airborne: BoolArray,
    rate_hz: float,
    options: ReactionOptions,
) -> list[Notice]:
    notices: list[Notice] = []
    if there.any():
        names = [name for k, name in enumerate(floor.segments) if free[:, k].any()]
        share = 100.0 * float(there.mean())
        sentence = (
            f"In {share:.0f} % of the frames the ground reaction is estimated from the motion, not measured: "
            f"{' and '.join(names)}. Its sum follows from the motion; how several contacts share it is an assumption."
        )
        notices.append(info("ground-reaction-estimated", sentence, *names, frames=_ends(there)))
    for k, name in enumerate(floor.segments):
        slips = np.nan_to_num(friction[:, k]) > options.friction
        if slips.sum() > 0.05 * max(int(free[:, k].sum()), 1):
            words = f"The estimated force of the {name} would need a friction of more than {options.friction:g} in "
            words += f"{int(slips.sum())} frames. The contact or the motion there is doubtful."
            notices.append(warning("estimated-slip", words, name, frames=_ends(slips)))
        far = np.nan_to_num(outside[:, k]) > 0.02
        if far.sum() > 0.05 * max(int(free[:, k].sum()), 1):
            words = f"The estimated force of the {name} acts up to {100 * float(np.nanmax(outside[:, k])):.0f} cm "
            words += f"outside what touches the ground, in {int(far.sum())} frames. Do not trust its joints there."
            notices.append(info("estimated-outside-contact", words, name, frames=_ends(far)))
    if airborne.any():
        words = f"In {int(airborne.sum())} frames nothing is seen to touch the floor, yet the motion asks for a force; "
        words += "the residual holds it. Check the height of the floor, or whether the subject leans on something."
        notices.append(warning("nothing-touches", words, frames=_ends(airborne)))
    return notices


def _ends(mask: BoolArray) -> tuple[int, int]:
    runs = stretches(mask)
    return int(runs[0, 0]), int(runs[-1, 1]) - 1
