"""How far joint loads can be trusted, in one place: residual, balance of the whole body, faults of the plates.

Also in which frames the loads of a joint can be used, and in which they rest on an estimated ground reaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from biomec.base.arrays import BoolArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Notice, info, problem, warning
from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.body.loads.balance import MASS_LIMIT, BodyBalance, BodyWrench, body_balance
from biomec.body.loads.contact_verdict import JudgedContacts
from biomec.body.loads.floor_contacts import FloorContacts, measured_frames, off_plates
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.plate_faults import PlateFault, fault_sentence, plate_faults
from biomec.body.loads.residuals import THRESHOLDS, Residuals, inner_frames, residuals
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.engine.tree.joint_tree import JointTree, joints_to_root
from biomec.recording import Result
from biomec.recording.step import step_result
from biomec.signals.contacts import ContactAssignment

ENDS = 2  # frames at both ends of a motion whose accelerations rest on one-sided differences
TOLD = 3  # faults that the verdict names; the notices name all


@dataclass(frozen=True, eq=False)
class TrustedFrames:
    """Frames of one joint, (T,); read-only. A joint bears what acts on its side of the body away from the root.

    usable    : with a motion that is not at its end, with a force on everything that the joint bears and that touches
                the ground, and without a severe fault of the plates under it
    measured  : it bears a force that was measured
    estimated : it bears a force that was estimated
    """

    usable: BoolArray
    measured: BoolArray
    estimated: BoolArray

    @property
    def best(self) -> BoolArray:
        """Usable frames without an estimated force; with them, where the joint never bears a measured one."""
        sure = np.asarray(self.usable & ~self.estimated)
        if (sure & self.measured).any() or not (self.usable & self.estimated).any():
            return sure
        return self.usable


def trusted_frames(
    tree: JointTree,
    loads: JointLoads,
    external: ExternalLoads,
    floor: FloorContacts | None,
    faults: Sequence[PlateFault],
    ends: int,
) -> Mapping[str, TrustedFrames]:
    """Joint -> its frames.

    ends : frames left out at both ends of every stretch with a motion: accelerations are one-sided differences there
    """
    finite = np.asarray(np.isfinite(loads.force).all(axis=2) & np.isfinite(loads.torque).all(axis=2))
    usable = {joint: inner_frames(finite[:, j], ends) for j, joint in enumerate(loads.joints)}
    measured, estimated = ({joint: np.zeros(loads.frames, dtype=np.bool_) for joint in loads.joints} for _ in range(2))
    guessed = external.estimated_loads
    known = np.asarray((external.force != 0.0).any(axis=2) & ~guessed)
    for k, segment in enumerate(external.segments):
        for joint in joints_to_root(tree, segment):
            measured[joint] |= known[:, k]
            estimated[joint] |= guessed[:, k]
    if floor is not None:
        missing = off_plates(floor, external)
        for k, segment in enumerate(floor.segments):
            for joint in joints_to_root(tree, segment):
                usable[joint] &= ~missing[:, k]
    for fault in faults:
        first, last = fault.frames or (0, loads.frames - 1)
        for joint in fault.joints if fault.severe else ():
            usable[joint][first : last + 1] = False
    return FrozenDict(
        {
            joint: TrustedFrames(*(read_only(one[joint], np.bool_) for one in (usable, measured, estimated)))
            for joint in loads.joints
        }
    )


@dataclass(frozen=True, eq=False)
class ContactLoad:
    """One contact over the frames with a motion, its ends left out; forces along the normal, pressing is positive [N].

    mean, highest, lowest : NaN without a frame
    pulls : (T,) frames in which the ribs would have to pull; read-only
    share : of the frames in which they would
    worst : first and last frame of the stretch of them that holds the largest pull; None if there is none
    """

    contact: str
    mean: float
    highest: float
    lowest: float
    pulls: BoolArray
    share: float
    worst: tuple[int, int] | None


@dataclass(frozen=True)
class ContactEffect:
    """Mean size of a joint's force over the same frames [N], with the contacts and without them."""

    joint: str
    force: float
    force_without: float


@dataclass(frozen=True, eq=False)
class LoadTrust:
    """What speaks for and against the loads.

    level     : "good", "check" or "poor"
    verdict   : one to few sentences for a clinician
    residuals : their size over the frames in which plates bear the whole body, against the published thresholds
    balance   : measured against required force and moment of the whole body, and the masses
    faults    : of the plates, with the joints that they touch
    estimated : (T,) frames whose ground reaction was estimated
    frames_of : joint -> frames in which its loads can be used
    contacts  : what the ribs bear, where that is known (`rib_contacts.with_contacts`)
    effects   : joints whose forces that changes
    judged    : every contact with a plate and its grade, and the masses; None without plates
    """

    level: str
    verdict: str
    residuals: Residuals
    balance: BodyBalance
    faults: tuple[PlateFault, ...]
    estimated: BoolArray
    frames_of: Mapping[str, TrustedFrames]
    rate_hz: float
    notices: tuple[Notice, ...] = field(default=())
    contacts: tuple[ContactLoad, ...] = ()
    effects: tuple[ContactEffect, ...] = ()
    judged: JudgedContacts | None = None

    def faults_of(self, joint: str) -> tuple[PlateFault, ...]:
        """Faults that touch a joint."""
        return tuple(fault for fault in self.faults if joint in fault.joints)

    def doubtful(self, joint: str) -> BoolArray:
        """(T,) frames in which the loads of a joint are not to be used."""
        mask = np.zeros(len(self.estimated), dtype=np.bool_)
        for fault in self.faults_of(joint):
            if fault.severe:
                first, last = fault.frames or (0, len(mask) - 1)
                mask[first : last + 1] = True
        return mask

    def to_result(self) -> Result:
        """Return what a session stores: the courses of the balance, and all figures and sentences."""
        size, balance = self.residuals, self.balance
        arrays = {
            "balance_force": balance.force,
            "balance_moment": balance.moment,
            "measured": size.counted,
            "estimated": self.estimated,
        }
        sizes = {name: getattr(size, name) for name in ("force_rms", "force_peak", "torque_rms", "torque_peak")}
        masses = {name: getattr(balance, name) for name in ("model_kg", "entered_kg", "plates_kg")}
        return step_result(
            arrays,
            None,
            self.notices,
            level=self.level,
            verdict=self.verdict,
            residuals=sizes,
            thresholds=[
                {"name": one.threshold.name, "kept": one.kept, "exceeded": one.exceeded} for one in size.verdicts
            ],
            worst=size.worst,
            left_out=size.left_out,
            balance={"force_rms": balance.force_rms, "moment_rms": balance.moment_rms, **masses},
            faults=[
                {name: getattr(fault, name) for name in ("code", "plate", "segments", "joints", "frames", "severe")}
                for fault in self.faults
            ],
            contacts=[
                {name: getattr(one, name) for name in ("contact", "mean", "highest", "lowest", "share", "worst")}
                for one in self.contacts
            ],
            effects=self.effects,
        )


def load_trust(
    tree: JointTree,
    loads: JointLoads,
    motion: SegmentMotion,
    external: ExternalLoads,
    rate_hz: float,
    *,
    required: BodyWrench | None = None,
    floor: FloorContacts | None = None,
    recorded: Iterable[Notice] = (),
    contacts: ContactAssignment | None = None,
    entered_kg: float | None = None,
    whole: bool = True,
    judged: JudgedContacts | None = None,
) -> LoadTrust:
    """Judge joint loads.

    required   : what the motion asks of the ground (`body_wrench`), if known already
    floor      : hands and feet that touch the floor (`floor_contacts`): frames in which one of them does so off the
                 plates are left out of the residual; without it, all frames with a measured load count
    recorded   : notices of the recording stage, whose faults of plates are carried through
    contacts   : which segment stood on which plate
    entered_kg : the subject's mass as entered
    whole      : whether the model holds the whole body; otherwise the residual is what the rest of it does
    judged     : the contacts with plates (`judge_contacts`); None without plates
    """
    if loads.frames != motion.frames:
        raise BiomecError(f"There are {loads.frames} frames of loads and {motion.frames} of motion; they must match.")
    if floor is None:
        measured = np.asarray((external.force != 0.0).any(axis=(1, 2)) & ~external.estimated)
    else:
        measured = measured_frames(floor, external)
    size = residuals(loads, measured, ENDS, whole=whole)
    balance = body_balance(tree.system, motion, external, size.counted, entered_kg, required)
    faults = plate_faults(tree, recorded, contacts)
    level, notices = _judged(size, balance, faults, external, rate_hz)
    notices += _at_ends(loads, size)
    return LoadTrust(
        level,
        _verdict(size, faults, external, rate_hz),
        size,
        balance,
        faults,
        external.estimated,
        trusted_frames(tree, loads, external, floor, faults, ENDS),
        rate_hz,
        tuple(notices),
        judged=judged,
    )


def _judged(
    size: Residuals, balance: BodyBalance, faults: Sequence[PlateFault], external: ExternalLoads, rate_hz: float
) -> tuple[str, list[Notice]]:
    notices: list[Notice] = []
    if size.kept is False:
        words = size.sentence
        if size.worst is not None:
            words += f" It is largest from {size.worst[0] / rate_hz:.2f} to {size.worst[1] / rate_hz:.2f} s."
        notices.append(warning("residual-large", words, size.root, frames=size.worst))
    elif size.kept:
        notices.append(info("residual-small", size.sentence, size.root))
    else:
        notices.append(info("residual-unknown", size.sentence, size.root))
    stated = balance.model_kg if balance.entered_kg is None else balance.entered_kg
    if balance.plates_kg is not None and abs(balance.plates_kg - stated) > MASS_LIMIT * stated:
        notices.append(warning("loads-mass", balance.mass_sentence))
    for fault in faults:
        notice = problem if fault.severe and fault.joints else warning
        words = fault_sentence(fault, rate_hz)
        notices.append(notice("loads-on-faulty-plate", words, fault.plate, *fault.segments, frames=fault.frames))
    bad = any(fault.severe and fault.joints for fault in faults)
    both = bool(size.verdicts) and not any(verdict.kept for verdict in size.verdicts)
    if bad or both:
        return "poor", notices
    doubt = size.kept is not True or bool(faults) or bool(external.estimated.any())
    return ("check" if doubt or any(n.code == "loads-mass" for n in notices) else "good"), notices


def _at_ends(loads: JointLoads, size: Residuals) -> list[Notice]:
    """Tell if the first and last frames, which are not counted, are much worse than the others."""
    worst = float(np.linalg.norm(loads.residual_force[size.ends], axis=1).max(initial=0.0))
    if worst < max(THRESHOLDS[0].force_rms, 2.0 * float(size.force_peak[3])):
        return []
    words = (
        f"Where the motion begins and ends, the residual reaches {worst:.0f} N: accelerations of its first and last "
        f"{ENDS} frames rest on one-sided differences. They were not counted; do not use the loads there."
    )
    return [info("loads-at-ends", words)]


def _verdict(size: Residuals, faults: Sequence[PlateFault], external: ExternalLoads, rate_hz: float) -> str:
    words = [size.sentence]
    severe = [fault for fault in faults if fault.severe and fault.joints]
    words += [fault_sentence(fault, rate_hz) for fault in severe[:TOLD]]
    if len(severe) > TOLD:
        words.append(f"{len(severe) - TOLD} more contacts are not to be used.")
    share = float(external.estimated.mean()) if external.frames else 0.0
    if share > 0.0:
        words.append(f"In {100.0 * share:.0f} % of the frames the ground reaction is estimated, not measured.")
    return " ".join(words)
