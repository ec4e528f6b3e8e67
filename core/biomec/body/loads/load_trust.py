"""How far joint loads can be trusted, in one place: contacts with plates, their joints, legs, and all together.

Also in which frames the loads of a joint can be used, and in which they rest on an estimated ground reaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from biomec.base.arrays import BoolArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Grade, Notice, Scope, Severity, info, problem, warning, worst_grade
from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.body.loads.balance import BodyBalance, BodyWrench, MassReference, body_balance
from biomec.body.loads.contact_figures import ENDS
from biomec.body.loads.contact_verdict import PARTIAL, ContactVerdict, JudgedContacts
from biomec.body.loads.floor_contacts import FloorContacts, measured_frames, off_plates
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.joint_verdict import JointVerdict
from biomec.body.loads.residuals import THRESHOLDS, Residuals, inner_frames, residuals
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.engine.tree.joint_tree import JointTree, joints_to_root
from biomec.recording import Result
from biomec.recording.limb_names import limb_of
from biomec.recording.step import step_result

TOLD = 3  # reasons that the verdict names; the notices name all
AROUND_S = 0.05  # around a poor contact: its force is filtered, and reaches beyond the threshold that bounds it [s]


@dataclass(frozen=True, eq=False)
class TrustedFrames:
    """Frames of one joint, (T,); read-only. A joint bears what acts on its side of the body away from the root.

    usable    : with a motion that is not at its end, with a force on everything that the joint bears and that touches
                the ground, and not while the contact under it is poor, nor shortly before and after
    measured  : it bears a force that was measured
    estimated : it bears a force that was estimated
    """

    usable: BoolArray
    measured: BoolArray
    estimated: BoolArray

    @property
    def best(self) -> BoolArray:
        """Usable frames without an estimated force; with them, where the joint never bears a measured one.

        None where every measured step is unsound: what is left are values of the swing, which are not peaks.
        """
        if self.unsound:
            return np.zeros_like(self.usable)
        sure = np.asarray(self.usable & ~self.estimated)
        if (sure & self.measured).any() or not (self.usable & self.estimated).any():
            return sure
        return self.usable

    @property
    def reliable(self) -> BoolArray:
        """Usable frames without an estimated force, swing included; with them, where no force was measured at all."""
        return np.asarray(self.usable & ~self.estimated) if self.measured.any() else self.usable

    @property
    def unsound(self) -> bool:
        """Whether the joint bears measured forces, and none of them in a frame that can be used."""
        return bool(self.measured.any() and not (self.usable & self.measured).any())


def trusted_frames(
    tree: JointTree,
    loads: JointLoads,
    external: ExternalLoads,
    floor: FloorContacts | None,
    contacts: Sequence[ContactVerdict],
    ends: int,
    around: int,
) -> Mapping[str, TrustedFrames]:
    """Joint -> its frames.

    ends   : frames left out at both ends of every stretch with a motion: accelerations are one-sided differences there
    around : frames left out before and after a poor contact
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
    for one in contacts:
        without = _without(one, loads.frames, around)
        for joint in _joints_of(tree, one):
            usable[joint] &= ~without
    return FrozenDict(
        {
            joint: TrustedFrames(*(read_only(one[joint], np.bool_) for one in (usable, measured, estimated)))
            for joint in loads.joints
        }
    )


def _without(contact: ContactVerdict, frames: int, around: int) -> BoolArray:
    """(T,) frames in which loads that rest on a contact are not to be used."""
    found = np.array(contact.masked) if len(contact.masked) == frames else np.zeros(frames, dtype=np.bool_)
    if contact.grade is Grade.POOR:
        found[max(contact.frames[0] - around, 0) : contact.frames[1] + 1 + around] = True
    return found


def _joints_of(tree: JointTree, contact: ContactVerdict) -> tuple[str, ...]:
    """Joints between a contact and the root."""
    bodies = {limb_of(body.name): body.name for body in reversed(tree.system.bodies)}
    known = {body.name for body in tree.system.bodies}
    segments = (name if name in known else bodies.get(limb_of(name)) for name in contact.segments)
    passed = {joint for name in segments if name is not None for joint in joints_to_root(tree, name)}
    return tuple(name for name in tree.names if name in passed)


@dataclass(frozen=True, eq=False)
class LimbVerdict:
    """A leg or an arm, by its contacts with plates.

    name : such as "left leg"
    """

    name: str
    contacts: tuple[ContactVerdict, ...]

    @property
    def judged(self) -> int:
        """Contacts that could be judged."""
        return sum(one.grade is not Grade.NOT_JUDGED for one in self.contacts)

    @property
    def sound(self) -> int:
        """Contacts that can be used, if with care."""
        return sum(one.grade in (Grade.GOOD, Grade.CHECK) for one in self.contacts)

    @property
    def grade(self) -> Grade:
        """Worst of its judged contacts and their joints."""
        judged = [one for one in self.contacts if one.grade is not Grade.NOT_JUDGED]
        joints = (joint.grade for one in judged for joint in one.joints.values())
        return worst_grade([*(one.grade for one in self.contacts), *joints])


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

    level     : good, check or poor; what happens off the plates lowers nothing
    verdict   : for a clinician: what may be used, and why not the rest
    limbs     : legs and arms that touch a plate
    residuals : their size over the frames in which plates bear the whole body; published limits are meant for what is
                left after residual reduction
    balance   : measured against required force and moment of the whole body, and the masses
    estimated : (T,) frames whose ground reaction was estimated
    frames_of : joint -> frames in which its loads can be used
    contacts  : what the ribs bear, where that is known (`rib_contacts.with_contacts`)
    effects   : joints whose forces that changes
    judged    : every contact with a plate, its joints and their grades, and the masses; None without plates
    """

    level: Grade
    verdict: str
    limbs: tuple[LimbVerdict, ...]
    residuals: Residuals
    balance: BodyBalance
    estimated: BoolArray
    frames_of: Mapping[str, TrustedFrames]
    rate_hz: float
    notices: tuple[Notice, ...] = field(default=())
    contacts: tuple[ContactLoad, ...] = ()
    effects: tuple[ContactEffect, ...] = ()
    judged: JudgedContacts | None = None

    @property
    def steps(self) -> tuple[ContactVerdict, ...]:
        """Contacts with plates, in order of time."""
        return () if self.judged is None else self.judged.contacts

    @property
    def poor(self) -> BoolArray:
        """(T,) frames with a poor contact."""
        found = np.zeros(len(self.estimated), dtype=np.bool_)
        for one in self.steps:
            if one.grade is Grade.POOR:
                found[one.frames[0] : one.frames[1] + 1] = True
        return found

    def joint_grade(self, joint: str) -> Grade:
        """Worst grade of a joint over the contacts that load it."""
        return worst_grade(one.joints[joint].grade for one in self.steps if joint in one.joints)

    @property
    def worst_joints(self) -> Mapping[str, JointVerdict]:
        """Joint -> its verdict with the largest expected error over the judged contacts that load it."""
        found: dict[str, JointVerdict] = {}
        for step in self.steps:
            for joint, one in step.joints.items():
                known = step.grade is not Grade.NOT_JUDGED and np.isfinite(one.error)
                if known and (joint not in found or one.error > found[joint].error):
                    found[joint] = one
        return FrozenDict(found)

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
            level=str(self.level),
            verdict=self.verdict,
            residuals=sizes,
            worst=size.worst,
            left_out=size.left_out,
            balance={"force_rms": balance.force_rms, "moment_rms": balance.moment_rms, **masses},
            mass=None if self.judged is None else self.judged.mass,
            steps=[one.plain() for one in self.steps],
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
    judged: JudgedContacts | None = None,
    entered_kg: float | None = None,
    whole: bool = True,
    reduced: bool = False,
) -> LoadTrust:
    """Judge joint loads.

    required   : what the motion asks of the ground (`body_wrench`), if known already
    floor      : hands and feet that touch the floor (`floor_contacts`): frames in which one of them does so off the
                 plates are left out of the residual; without it, all frames with a measured load count
    judged     : contacts with plates and their joints (`judge_contacts`, `with_joints`); None without plates
    entered_kg : the subject's mass as entered
    whole      : whether the model holds the whole body; otherwise the residual is what the rest of it does
    reduced    : the residual was reduced, so that the published limits count
    """
    if loads.frames != motion.frames:
        raise BiomecError(f"There are {loads.frames} frames of loads and {motion.frames} of motion; they must match.")
    if floor is None:
        measured = np.asarray((external.force != 0.0).any(axis=(1, 2)) & ~external.estimated)
    else:
        measured = measured_frames(floor, external)
    size = residuals(loads, measured, ENDS, whole=whole)
    balance = body_balance(tree.system, motion, external, size.counted, entered_kg, required)
    contacts = () if judged is None else judged.contacts
    limbs, mass = limb_verdicts(contacts), None if judged is None else judged.mass
    level = _overall(contacts, mass)
    notices = _notices(contacts, mass) + _at_ends(loads, size)
    if reduced and size.kept is False:
        level = worst_grade([level, Grade.CHECK])
        notices.append(warning("residual-large", size.sentence, size.root, frames=size.worst))
    return LoadTrust(
        level,
        _verdict(level, contacts, limbs, mass, external),
        limbs,
        size,
        balance,
        external.estimated,
        trusted_frames(tree, loads, external, floor, contacts, ENDS, round(AROUND_S * rate_hz)),
        rate_hz,
        tuple(notices),
        judged=judged,
    )


def with_motion_faults(trust: LoadTrust, recorded: Iterable[Notice], masked: BoolArray | None) -> LoadTrust:
    """Trust in loads of a motion: never better than the motion, and not in frames in which nobody moves so.

    recorded : notices of all steps before; those that lower the trust in the whole recording count
    masked   : (T,) frames that are not to be used
    """
    faults = sorted(
        (notice for notice in recorded if notice.lowers_trust), key=lambda one: one.severity is not Severity.PROBLEM
    )
    if masked is not None and masked.any():
        usable = {
            joint: replace(frames, usable=read_only(frames.usable & ~masked, np.bool_))
            for joint, frames in trust.frames_of.items()
        }
        trust = replace(trust, frames_of=FrozenDict(usable))
    if not faults:
        return trust
    impossible = faults[0].severity is Severity.PROBLEM
    level = worst_grade([trust.level, Grade.POOR if impossible else Grade.CHECK])
    verdict = faults[0].sentence if impossible else f"{faults[0].sentence} {trust.verdict}"
    return replace(trust, level=level, verdict=verdict)


def limb_verdicts(contacts: Sequence[ContactVerdict]) -> tuple[LimbVerdict, ...]:
    """Verdicts of legs and arms that touch a plate, in the order in which they do."""
    found: dict[str, list[ContactVerdict]] = {}
    for one in contacts:
        for segment in one.segments:
            limb = limb_of(segment)
            if limb is not None:
                name = f"{limb.side.lower()} {'leg' if limb.kind == 'foot' else 'arm'}"
                found.setdefault(name, []).append(one)
    return tuple(LimbVerdict(name, tuple(mine)) for name, mine in found.items())


def _overall(contacts: Sequence[ContactVerdict], mass: MassReference | None) -> Grade:
    """Good if all that is judged is good; poor if no contact, or no joint, is better, or the mass is; else check."""
    judged = [one.grade for one in contacts if one.grade is not Grade.NOT_JUDGED]
    joints = [joint.grade for one in contacts for joint in one.joints.values() if joint.grade is not Grade.NOT_JUDGED]
    weighed = Grade.NOT_JUDGED if mass is None else Grade.CHECK if mass.assumed else mass.grade
    if not judged:
        return Grade.CHECK
    if weighed is Grade.POOR or set(judged) == {Grade.POOR} or set(joints) == {Grade.POOR}:
        return Grade.POOR
    return Grade.GOOD if worst_grade([*judged, *joints, weighed]) is Grade.GOOD else Grade.CHECK


def _notices(contacts: Sequence[ContactVerdict], mass: MassReference | None) -> list[Notice]:
    """What is not good: contacts one by one, the mass where steps weigh it, joints together."""
    notices: list[Notice] = []
    for one in contacts:
        if one.grade in (Grade.POOR, Grade.CHECK):
            notice = problem if one.grade is Grade.POOR else warning
            about = (one.plate, *one.segments)
            notices.append(notice(f"contact-{one.grade}", one.sentence, *about, frames=one.frames, scope=Scope.JOINTS))
    if mass is not None and mass.origin == "steps" and mass.grade in (Grade.CHECK, Grade.POOR):
        notices.append(
            warning("loads-mass", f"{mass.sentence} Correct the mass, or check the calibration.", scope=Scope.JOINTS)
        )
    doubtful = _doubtful_joints(contacts)
    if doubtful:
        words = " ".join(one.sentence for one in doubtful[:TOLD])
        if len(doubtful) > TOLD:
            words += f" {_listed([one.joint for one in doubtful[TOLD:]]).capitalize()} likewise."
        notices.append(warning("joint-error", words, *(one.joint for one in doubtful), scope=Scope.JOINTS))
    return notices


def _doubtful_joints(contacts: Sequence[ContactVerdict]) -> list[JointVerdict]:
    """Joints that are worse than the contact they stand on, each once, the largest error first."""
    worst: dict[str, JointVerdict] = {}
    for contact in contacts:
        for one in contact.joints.values():
            before = worst.get(one.joint)
            if contact.grade in (Grade.GOOD, Grade.CHECK) and one.grade is not contact.grade:
                worst[one.joint] = one if before is None or one.error > before.error else before
    return sorted(worst.values(), key=lambda one: -one.error)


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


def _verdict(
    level: Grade,
    contacts: Sequence[ContactVerdict],
    limbs: Sequence[LimbVerdict],
    mass: MassReference | None,
    external: ExternalLoads,
) -> str:
    """What may be used, then why not the rest."""
    if not limbs:
        if external.estimated.any():
            return "Estimated from the motion alone."
        return "No step on a plate is known, so the loads cannot be judged."
    judged = [one for one in limbs if one.judged]
    if not judged:
        return "No step on the plates can be judged."
    reasons = [one.sentence for one in contacts if one.grade in (Grade.CHECK, Grade.POOR)]
    if mass is not None and (mass.assumed or mass.grade in (Grade.CHECK, Grade.POOR)):
        reasons.append(mass.sentence)
    reasons += [one.sentence for one in _doubtful_joints(contacts)]
    unusable = [one for one in judged if not one.sound]
    usable = [one for one in judged if one.sound]
    steps = f"{sum(one.sound for one in judged)} of {sum(one.judged for one in judged)} steps sound"
    if not usable:
        words = "No step on the plates is sound."
    elif unusable:
        words = f"Use the {_listed([one.name for one in usable])}; {_listed([_why(one) for one in unusable])}."
    else:
        names = _listed([one.name for one in usable])
        kinds = {one.name.rpartition(" ")[2] for one in usable}
        both = f"Both {kinds.pop()}s" if len(usable) == 2 and len(kinds) == 1 else ""
        how = "" if level is Grade.GOOD else " with care"
        words = f"{both or f'The {names}'} can be used{how} ({steps})."
    if level is Grade.POOR and usable:
        words = "Do not use these loads as they are."
    return " ".join([words, *reasons[:TOLD]])


def _why(limb: LimbVerdict) -> str:
    """Why no step of a limb can be used: "the left step is a partial strike"."""
    side, faults = limb.name.partition(" ")[0], list(dict.fromkeys(one.fault for one in limb.contacts if one.fault))
    if faults == [PARTIAL] and limb.judged == 1:
        return f"the {side} step is a partial strike"
    return f"no {side} step is sound ({', '.join(faults)})"


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
