"""What if an aid were another one: no orthosis, a softer or stiffer lock, longer crutches, arms that give less.

The movement stays the recorded one, and every variant says what else stays:

- *springs*: an orthosis that moves with the leg gives its torque at the same angles, and the person the rest; one that
  is a body of its own takes its place in its cuffs anew. Its weight stays where it is, also when its springs are gone.
- *longer crutches*: hands move as they did; the tip lies farther along the shaft, and the same force acts there.
- *arms that give less*: the force on the tips is less by that share, and the feet take over what is missing, force and
  moment, shared by the load that they bear. Frames in which no foot bears anything stay as recorded.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Notice, info, warning
from biomec.body.anatomy.changed_springs import SpringChange, changed_springs
from biomec.body.anatomy.model import DeviceDefinition
from biomec.body.anatomy.subject_devices import held_hinges, unmarked_hinges
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.kinematics.held_devices import LEAST_FRAMES, balanced_motion, unsettled
from biomec.body.kinematics.segment_motion import segment_motion
from biomec.body.loads.device_loads import DeviceLoads, cuff_loads, torque_shares, without_springs
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.measured_aids import together
from biomec.body.loads.newton_euler import newton_euler
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.engine.forward.reference_motion import shared_change, stretches
from biomec.engine.tree.joint_tree import JointTree

LONGEST_M = 0.5  # that a crutch may grow or shrink
BORNE_N = 20.0  # that feet together bear at least to take something over
SOLE_M = 0.20  # from the middle of a foot to where it may press


@dataclass(frozen=True)
class AidVariant:
    """A change of aids.

    title   : what people call it, such as "half the lock"
    springs : spring -> change of it
    longer_m: device -> how much longer [m]
    arms    : share of the force on the tips that is left
    """

    title: str
    springs: Mapping[str, SpringChange] = field(default_factory=dict)
    longer_m: Mapping[str, float] = field(default_factory=dict)
    arms: float = 1.0

    def __post_init__(self) -> None:
        for name, length in self.longer_m.items():
            if not abs(length) <= LONGEST_M:
                raise BiomecError(
                    f"What if: the {name} cannot be {length:g} m longer; give at most {LONGEST_M:g} m more or less."
                )
        if not 0.0 <= self.arms <= 1.0:
            raise BiomecError(f"What if: arms give a share of 0 to 1 of what they gave, not {self.arms:g}.")
        for name in ("springs", "longer_m"):
            object.__setattr__(self, name, FrozenDict(dict(getattr(self, name))))


@dataclass(frozen=True, eq=False)
class AidsAsRecorded:
    """What variants start from: a person in motion with everything that acts.

    q, qdot, qddot : (T, n);  external : ground and crutches;  counted : (T,) frames whose loads can be relied on
    tips           : segments whose loads are those of crutches
    """

    person: SubjectModel
    tree: JointTree
    q: FloatArray
    qdot: FloatArray
    qddot: FloatArray
    external: ExternalLoads
    counted: BoolArray
    rate_hz: float
    tips: tuple[str, ...]


@dataclass(frozen=True)
class JointBurden:
    """What a joint bears over the counted frames.

    torque_Nm, torque_rms_Nm : largest and RMS size of the torque that the *person* gives
    device_Nm                : largest torque of springs beside or about it;  force_N : largest force in the joint
    """

    joint: str
    torque_Nm: float
    torque_rms_Nm: float
    device_Nm: float
    force_N: float


@dataclass(frozen=True, eq=False)
class AidResult:
    """A variant: loads of all joints, devices apart, and what every joint bears.

    person_torque : (T, J) size of the torque that the person gives at the joints of ``loads`` [N m]
    """

    variant: AidVariant
    loads: JointLoads
    devices: DeviceLoads
    person_torque: FloatArray
    burdens: tuple[JointBurden, ...]
    notices: tuple[Notice, ...]

    def burden(self, joint: str) -> JointBurden:
        """Of one joint."""
        return next(one for one in self.burdens if one.joint == joint)


@dataclass(frozen=True)
class UnansweredVariant:
    """A variant whose loads cannot be computed, and why."""

    variant: AidVariant
    sentence: str


@dataclass(frozen=True, eq=False)
class AidComparison:
    """Variants beside each other in the order asked: those that could be computed, and those that could not."""

    results: tuple[AidResult, ...]
    unanswered: tuple[UnansweredVariant, ...] = ()


def as_recorded() -> AidVariant:
    """Nothing is changed."""
    return AidVariant("As recorded")


def measured_crutches(person: SubjectModel, tips: Collection[str]) -> tuple[str, ...]:
    """Devices with a tip whose force is known.

    tips : segments whose loads are those of crutches, as in `AidsAsRecorded`
    """
    return tuple(device.name for device in person.devices if device.tip and device.on in tips)


def usual_variants(person: SubjectModel, tips: Collection[str]) -> tuple[AidVariant, ...]:
    """As recorded, and what clinics ask first, as far as the person has such aids.

    tips : segments whose loads are those of crutches; without them neither crutches nor arms can be asked about
    """
    found = [as_recorded()]
    locks = [one.name for one in person.springs if one.stiffness and one.joint]
    if locks:
        gone = {one.name: SpringChange(0.0, 0.0) for one in person.springs}
        found.append(AidVariant("No orthosis", gone))
    if locks:
        for title, factor in (("Locks half as stiff", 0.5), ("Locks twice as stiff", 2.0)):
            found.append(AidVariant(title, {name: SpringChange(factor) for name in locks}))
    crutches = measured_crutches(person, tips)
    if crutches:
        who = "Crutches" if len(crutches) > 1 else crutches[0][0].upper() + crutches[0][1:]
        found.append(AidVariant(f"{who} 5 cm longer", longer_m=dict.fromkeys(crutches, 0.05)))
        found.append(AidVariant("Arms give 20 % less", arms=0.8))
    return tuple(found)


def compare_aids(given: AidsAsRecorded, variants: Sequence[AidVariant]) -> AidComparison:
    """Loads under every variant; the movement of the limbs stays.

    A variant that cannot be computed leaves the others as they are. If none can, the first one's error is raised.
    """
    titles = [one.title for one in variants]
    twice = sorted({title for title in titles if titles.count(title) > 1})
    if twice:
        raise BiomecError(f"What if: two variants are called {', '.join(twice)}. Give each a name of its own.")
    results, unanswered = [], []
    first: BiomecError | None = None
    for variant in variants:
        try:
            results.append(_result(given, variant))
        except BiomecError as error:
            first = first or error
            unanswered.append(UnansweredVariant(variant, str(error)))
    if first is not None and not results:
        raise first
    return AidComparison(tuple(results), tuple(unanswered))


def _result(given: AidsAsRecorded, variant: AidVariant) -> AidResult:
    person, notices = changed_springs(given.person, variant.springs), []
    q, qdot, qddot = given.q, given.qdot, given.qddot
    if variant.springs:
        (q, qdot, qddot), unsure = _placed(person, given, variant)
        notices += [info("aid-movement-kept", _kept(person, variant)), *unsure]
    external = given.external
    if variant.longer_m:
        external = _longer(given, external, variant.longer_m)
        notices.append(
            info(
                "aid-longer",
                "The hands move as recorded. The recorded forces act on the tips at the crutches' new length.",
            )
        )
    if variant.arms < 1.0:
        external, more = _weaker(given, external, variant.arms)
        notices += more
    motion = segment_motion(person.system, q, qdot, qddot)
    straps, cuffs = cuff_loads(person, q, qdot)
    loads = newton_euler(given.tree, motion, q, together(external, straps))
    devices = DeviceLoads(torque_shares(person, loads, q, qdot), cuffs)
    own = np.asarray(np.linalg.norm(without_springs(person, loads, q, qdot).torque, axis=2))
    return AidResult(variant, loads, devices, own, _burdens(given, loads, own, devices), tuple(notices))


def _kept(person: SubjectModel, variant: AidVariant) -> str:
    """What stays with the springs of the variant, which the person wears."""
    gone = [name for name, change in variant.springs.items() if change.stiffness == 0.0]
    held = held_hinges(person)
    loose = [name for name in unmarked_hinges(person) if name not in held]
    where = "The device settles into a new position in its cuffs. " if held else ""
    if loose:
        where += f"No cuff holds {', '.join(loose)}: the recorded angles are kept there. "
    weight = "The weight of the device stays on the leg. " if gone else ""
    return (
        f"The movement and the forces of floor and crutches stay as recorded. {where}{weight}The person makes "
        "up for the change in the device's torque. Springs alone do not change shoulder loads while the movement is "
        "the same."
    )


def _placed(
    person: SubjectModel, given: AidsAsRecorded, variant: AidVariant
) -> tuple[tuple[FloatArray, FloatArray, FloatArray], tuple[Notice, ...]]:
    """Motion with free devices in balance with other springs; as recorded of those that no cuff holds any more."""
    hinges, left = held_hinges(person), 0.0
    levels = (given.q, given.qdot, given.qddot)
    if not hinges:
        return levels, ()
    found = tuple(np.array(level) for level in levels)
    known = np.asarray(np.isfinite(np.concatenate(levels, axis=1)).all(axis=1))
    for part in stretches(known):
        if part.stop - part.start < LEAST_FRAMES:
            continue
        q, qdot, qddot = (level[part] for level in levels)
        try:
            here = balanced_motion(person, hinges, q, qdot, qddot, given.rate_hz)
        except BiomecError as error:
            raise BiomecError(f"{variant.title}: {error}") from error
        for level, new in zip(found, here.levels, strict=True):
            level[part] = new
        left = max(left, here.left_rad)
    return (found[0], found[1], found[2]), unsettled(hinges, left)


def _longer(given: AidsAsRecorded, external: ExternalLoads, longer: Mapping[str, float]) -> ExternalLoads:
    """Loads with the tips of crutches farther along their shafts."""
    devices = {device.name: device for device in given.person.devices if device.tip}
    unknown = [name for name in longer if name not in devices]
    if unknown:
        raise BiomecError(
            f"What if: there is no crutch {', '.join(unknown)}. The model's crutches: {', '.join(devices) or 'none'}."
        )
    point = np.array(external.point)
    for name, length in longer.items():
        device = devices[name]
        if device.on not in given.tips:
            raise BiomecError(
                f"What if: the force of the {name} was not measured, so the effect of its length is unknown. Record "
                "its channels, or name them in the settings of the joint loads."
            )
        along = _shaft(given.person, device, given.q)
        for k, segment in enumerate(external.segments):
            if segment == device.on:
                point[:, k] += np.nan_to_num(length * along)
    return replace(external, point=read_only(point))


def _shaft(person: SubjectModel, device: DeviceDefinition, q: FloatArray) -> FloatArray:
    """(T, 3) from the middle of a crutch to its tip."""
    layout = person.system.layout
    body = layout.bodies[device.on]
    at = np.asarray(person.static[device.frame.origin])
    local = body.attitude_matrix.T @ (np.asarray(person.static[device.tip]) - at)
    along = layout.local_vector(device.on, local / np.linalg.norm(local))(q)
    return np.asarray(along)


def _weaker(given: AidsAsRecorded, external: ExternalLoads, left: float) -> tuple[ExternalLoads, list[Notice]]:
    """Loads with less force on the tips, and more on the feet."""
    tips = np.array([segment in given.tips for segment in external.segments])
    if not tips.any():
        raise BiomecError(
            "What if: no force of a crutch was measured, so weaker arms cannot be computed. Record the crutches' "
            "channels, or name them in the settings of the joint loads."
        )
    gravity = given.person.system.gravity
    up = -gravity / np.linalg.norm(gravity)
    moment = external.moment + np.cross(external.point, external.force)  # about the laboratory's origin
    force, about = np.array(external.force), np.array(moment)
    layout, feet = given.person.system.layout, np.flatnonzero(~tips)
    centre = np.stack([layout.point(f"{external.segments[k]}.com")(given.q) for k in feet], axis=1)
    alone = far = 0
    for t in range(external.frames):
        lost = (1.0 - left) * np.concatenate([force[t, tips].sum(axis=0), about[t, tips].sum(axis=0)])
        if not np.isfinite(centre[t]).all() or not lost.any():
            continue
        if (force[t, feet] @ up).sum() < BORNE_N:
            alone += 1
            continue
        change, turned = shared_change(force[t, feet], about[t, feet], centre[t], up, lost)
        force[t, tips] *= left
        about[t, tips] *= left
        force[t, feet] += change
        about[t, feet] += turned
        far += _beyond(force[t, feet], about[t, feet], centre[t], up)
    notices = [
        info(
            "aid-arms-less",
            f"The crutches carry {100.0 * (1.0 - left):.0f} % less force, and the feet take it over. The "
            "movement stays as recorded.",
        )
    ]
    if alone:
        words = f"In {alone} frames no foot is on the floor to take over force; these frames stay as recorded."
        notices.append(warning("aid-no-foot", words))
    if far:
        words = (
            f"In {far} frames a foot would have to press on the floor beyond its sole: this movement would not be "
            "possible there with so little help from the arms."
        )
        notices.append(warning("aid-beyond-sole", words))
    arm = about - np.cross(external.point, force)
    return replace(external, force=read_only(force), moment=read_only(arm)), notices


def _beyond(force: FloatArray, moment: FloatArray, centre: FloatArray, up: FloatArray) -> int:
    """1 where some foot that bears presses farther than `SOLE_M` from its middle, along the floor."""
    borne = force @ up
    there = borne > BORNE_N
    square = np.maximum(borne, BORNE_N)[:, None]
    about = moment - np.cross(centre, force)
    apart = np.cross(up, about) / square  # of the centre of pressure, at the height of the foot's middle
    return int((np.linalg.norm(apart, axis=1) > SOLE_M)[there].any())


def _burdens(
    given: AidsAsRecorded, loads: JointLoads, own: FloatArray, devices: DeviceLoads
) -> tuple[JointBurden, ...]:
    aided: dict[str, float] = {}
    for share in devices.shares:
        counted = np.abs(share.device[given.counted])
        aided[share.joint] = max(aided.get(share.joint, 0.0), float(np.nanmax(counted, initial=0.0)))
    found = []
    passive = given.person.passive_joints
    for k, joint in enumerate(loads.joints):
        if joint in passive:
            continue
        torque = own[given.counted, k]
        force = np.linalg.norm(loads.force[given.counted, k], axis=1)
        if not np.isfinite(torque).any():
            continue
        found.append(
            JointBurden(
                joint, float(np.nanmax(torque)), float(np.sqrt(np.nanmean(torque**2))), aided.get(joint, 0.0),
                float(np.nanmax(force)),
            )
        )  # fmt: skip
    return tuple(found)
