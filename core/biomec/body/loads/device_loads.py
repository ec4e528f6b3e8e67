"""What springs of devices carry: torques of an orthosis apart from the person's, and forces between cuff and limb.

The springs' laws and the measured motion give them. A spring about a joint of the person is a part of what inverse
dynamics finds there, τ = τ_person + p; a hinge of a device beside the joint adds to it, and reaches the limbs through
the cuffs, which act on limb and device like outside forces:

    total = person + device,   device = Σ p = Σ −k (θ − θ₀) − c θ̇                                     [Mouzo2018]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.notices import Notice, info, warning
from biomec.body.anatomy.model import SpringDefinition
from biomec.body.anatomy.model_devices import HINGE
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.loads.joint_loads import JointLoads
from biomec.engine.forces.device_springs import AngleElement, PointElement, SpringState
from biomec.engine.forces.external_loads import ExternalLoads, external_loads, no_loads
from biomec.engine.forces.springs import LineElement
from biomec.engine.system import System

FAR_M = 0.08  # between limb and cuff: beyond, the device closes a loop that the limb does not
COUNTS_NM = 5.0  # error of a torque that is worth a remark
AXIS_NAMES = ("forward", "up", "right")
AXIS_WORDS = {"x": "abduction", "y": "rotation", "z": "flexion"}


@dataclass(frozen=True, eq=False)
class TorqueShare:
    """A joint's torque about the axis of its springs, by who gives it; (T,) [N m], proximal on distal, about the axis.

    angle : (T,) of the spring [rad];  springs : names
    """

    joint: str
    axis: str
    springs: tuple[str, ...]
    angle: FloatArray
    device: FloatArray
    person: FloatArray

    @property
    def total(self) -> FloatArray:
        """Person and device together (T,)."""
        return np.asarray(self.person + self.device)


@dataclass(frozen=True, eq=False)
class CuffLoad:
    """Where device and limb are drawn apart, and the force between them, in axes of the limb's segment.

    segments : of limb and device
    gap      : (T, 3) from the limb to the device [m]: the misalignment
    force    : (T, 3) of the device on the limb [N]
    point    : (T, 3) on the limb, in the laboratory [m];  force_W : (T, 3) the force there
    """

    name: str
    segments: tuple[str, str]
    gap: FloatArray
    force: FloatArray
    point: FloatArray
    force_W: FloatArray


@dataclass(frozen=True, eq=False)
class DeviceLoads:
    """Torques and forces of all springs of a person's devices; nothing in both where there are none."""

    shares: tuple[TorqueShare, ...] = ()
    cuffs: tuple[CuffLoad, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.shares or self.cuffs)


def device_columns(devices: DeviceLoads) -> tuple[tuple[str, ...], FloatArray]:
    """Names with units, and values (T, C): angles, torques of device and person, gaps and forces of cuffs."""
    columns: list[tuple[str, FloatArray]] = []
    for share in devices.shares:
        name = f"{share.joint} {share.axis}"
        columns.append((f"{name}, angle of the device (deg)", np.degrees(share.angle)))
        columns += [(f"{name} torque, {who} (N·m)", getattr(share, who)) for who in ("total", "person", "device")]
    for cuff in devices.cuffs:
        columns += [
            (f"{cuff.name}, misalignment {axis} (mm)", 1e3 * cuff.gap[:, k]) for k, axis in enumerate(AXIS_NAMES)
        ]
        columns += [
            (f"{cuff.name}, force on the {cuff.segments[0]} {axis} (N)", cuff.force[:, k])
            for k, axis in enumerate(AXIS_NAMES)
        ]
    if not columns:
        return (), np.zeros((0, 0))
    return tuple(name for name, _ in columns), np.stack([values for _, values in columns], axis=1)


def device_loads(person: SubjectModel, loads: JointLoads, q: FloatArray, qdot: FloatArray) -> DeviceLoads:
    """Torques and forces of all springs in a motion q, q̇ (T, n) whose joint loads are known."""
    return DeviceLoads(torque_shares(person, loads, q, qdot), cuff_loads(person, q, qdot)[1])


def _line_state(element: LineElement, system: System, q: FloatArray, qdot: FloatArray) -> SpringState:
    """Gap (T, 3) and force on the second point of a spring along a line."""
    gap = system.layout.point(element.second) - system.layout.point(element.first)
    d, rate = gap(q), gap.rate(qdot)
    s = np.linalg.norm(d, axis=-1)
    n = d / s[:, None]
    g = np.zeros_like(s) if element.spring is None else -element.spring.value(s)
    if element.damper is not None:
        g = g - element.damper.value(np.einsum("ti,ti->t", n, rate))
    return SpringState(d, rate, g[:, None] * n)


def cuff_loads(person: SubjectModel, q: FloatArray, qdot: FloatArray) -> tuple[ExternalLoads, tuple[CuffLoad, ...]]:
    """Cuffs and struts in the motion q, q̇ (T, n), and what they do to both segments as loads from outside.

    Force and counterforce add up to nothing for the whole body.
    """
    layout = person.system.layout
    found, loads = [], []
    for spring, element in zip(person.springs, person.elements, strict=True):
        if isinstance(element, PointElement):
            state = element.state(person.system, q, qdot)
        elif isinstance(element, LineElement):
            state = _line_state(element, person.system, q, qdot)
        else:
            continue
        limb, device = (end.partition(".")[0] for end in (spring.first, spring.second))
        points = [layout.point(end)(q) for end in (spring.first, spring.second)]
        loads += [(limb, points[0], -state.force), (device, points[1], state.force)]
        R_WB = np.stack([layout.local_vector(limb, axis)(q) for axis in np.eye(3)], axis=-1)
        local = [read_only(np.einsum("tji,tj->ti", R_WB, one)) for one in (state.position, -state.force)]
        found.append(
            CuffLoad(spring.name, (limb, device), local[0], local[1], read_only(points[0]), read_only(-state.force))
        )
    if not loads:
        return no_loads(len(q)), ()
    point, force = (np.stack([one[k] for one in loads], axis=1) for k in (1, 2))
    return external_loads([one[0] for one in loads], point, force), tuple(found)


def without_springs(person: SubjectModel, loads: JointLoads, q: FloatArray, qdot: FloatArray) -> JointLoads:
    """Loads of joints without the torques of springs about them: what the person gives."""
    torque = np.array(loads.torque)
    for spring, element in zip(person.springs, person.elements, strict=True):
        if isinstance(element, AngleElement) and spring.joint in loads.joints:
            p = element.state(person.system, q, qdot).force
            torque[:, loads.index(spring.joint)] -= p[:, None] * element.direction(person.system, q)
    return replace(loads, torque=read_only(torque))


def torque_shares(person: SubjectModel, loads: JointLoads, q: FloatArray, qdot: FloatArray) -> tuple[TorqueShare, ...]:
    """Torques of joints that springs help, person and device apart."""
    layout = person.system.layout
    found: dict[tuple[str, str], TorqueShare] = {}
    for spring, element in zip(person.springs, person.elements, strict=True):
        if spring.kind != HINGE or not isinstance(element, AngleElement) or spring.supports not in loads.joints:
            continue
        k = loads.index(spring.supports)
        state = element.state(person.system, q, qdot)
        axis = layout.local_vector(loads.proximal[k], np.eye(3)["xyz".index(spring.axis)])(q)
        measured = np.einsum("ti,ti->t", loads.torque[:, k], axis)
        own = spring.joint != spring.supports  # a hinge of the device beside the joint
        sign = _sense(person, spring, loads.proximal[k], loads.distal[k]) if own else 1.0
        state = SpringState(sign * state.position, sign * state.rate, sign * state.force)
        key = (spring.supports, spring.axis)
        before = found.get(key)
        person_torque = measured if before is None else before.person
        found[key] = TorqueShare(
            spring.supports,
            AXIS_WORDS[spring.axis],
            (spring.name,) if before is None else (*before.springs, spring.name),
            read_only(state.position),
            read_only(state.force if before is None else before.device + state.force),
            read_only(person_torque if own else person_torque - state.force),
        )
    return tuple(found.values())


def gap_notices(cuffs: Sequence[CuffLoad]) -> list[Notice]:
    """Warnings of cuffs that limb and device cannot be so far apart in."""
    found = []
    for cuff in cuffs:
        gap = np.linalg.norm(cuff.gap, axis=1)
        most = float(np.nanmax(gap, initial=0.0))
        if most > FAR_M:
            limb, device = cuff.segments
            force = float(np.nanmax(np.linalg.norm(cuff.force, axis=1)))
            words = (
                f"The {cuff.name} draws {limb} and {device} {100.0 * most:.0f} cm apart, with "
                f"{force:.0f} N: no cuff gives so far. Look in the model "
                "file whether it joins the right segments, and whether hinges let the device follow the limb."
            )
            found.append(warning("cuff-far-apart", words, limb))
    return found


def stiff_notices(person: SubjectModel) -> list[Notice]:
    """Remarks about springs that turn an angle's usual error into a torque that counts."""
    found: dict[str, list[str]] = {}
    for spring in person.springs:
        per_degree = float(np.deg2rad(spring.stiffness)) if spring.kind == HINGE else 0.0
        if per_degree > COUNTS_NM:
            found.setdefault(f"{per_degree:.0f}", []).append(spring.name)
    return [
        info(
            "stiff-spring",
            f"{_capital(' and '.join(names))} give {torque} N·m a degree. Markers on the skin are hardly better than a "
            "degree, so torques of device and person are uncertain by that; their sum is not.",
        )
        for torque, names in found.items()
    ]


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]


def _sense(person: SubjectModel, spring: SpringDefinition, proximal: str, distal: str) -> float:
    """−1 where a hinge of a device runs the other way than the joint that it helps: its distal piece is on the proximal
    segment's side, by cuffs or because its proximal piece is the distal segment.
    """
    hinge = next(joint for joint in person.model.joints if joint.name == spring.joint)
    near, far = _beside(person, hinge.proximal), _beside(person, hinge.distal)
    return -1.0 if distal in near or proximal in far else 1.0


def _beside(person: SubjectModel, piece: str) -> set[str]:
    """A segment and those that cuffs and struts hold it to."""
    pairs = [
        {end.partition(".")[0] for end in (spring.first, spring.second)} for spring in person.springs if spring.first
    ]
    return {piece}.union(*(pair for pair in pairs if piece in pair))
