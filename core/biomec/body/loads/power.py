"""Power of the joints, and whether all power of the body accounts for the change of its energy.

A joint torque h of the proximal on the distal segment works at the rate                          [RobertsonWinter1980]

    P = h · (ω_distal − ω_proximal)

positive where muscles deliver energy (concentric), negative where they take it up (eccentric). The joint force f moves
energy from one segment to the other: f · v flows into the distal segment and out of the proximal one, v being the
velocity of the joint's centre. Over the whole body

    Σ P_joint + P_external + P_residual = d/dt Σ (½ m v² + ½ ω · J ω − m g · r)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.load_statistics import checked_spans
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.engine.tree.joint_tree import JointTree
from biomec.recording.session import Result
from biomec.recording.step import step_result


@dataclass(frozen=True, eq=False)
class LoadPower:
    """Power of all loads on the body [W] and its energy [J]; arrays are read-only.

    joints   : (J,);  joint : (T, J) power of the torque, positive where energy is delivered
    transfer : (T, J) power of the joint force on the distal segment; the proximal one loses as much
    gap      : (T, J) what the joint force does because both segments do not quite meet; zero for consistent motion
    contact  : (T,) of the gliding contacts;  external : (T, K) of every external load;  residual : (T,)
    kinetic, potential : (T,) energy of the whole body;  energy_rate : (T,) its rate by velocities and accelerations
    """

    joints: tuple[str, ...]
    joint: FloatArray
    transfer: FloatArray
    gap: FloatArray
    contact: FloatArray
    external: FloatArray
    residual: FloatArray
    kinetic: FloatArray
    potential: FloatArray
    energy_rate: FloatArray

    @property
    def energy(self) -> FloatArray:
        """(T,) kinetic and potential energy of the whole body [J]."""
        return np.asarray(self.kinetic + self.potential)

    @property
    def imbalance(self) -> FloatArray:
        """(T,) power of all loads minus the rate of energy [W]: round-off, if loads and motion belong together."""
        inner = self.joint.sum(axis=1) + self.gap.sum(axis=1) + self.contact
        return np.asarray(inner + self.external.sum(axis=1) + self.residual - self.energy_rate)

    def to_result(self) -> Result:
        """Return what a session stores: all arrays and names."""
        arrays = {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return step_result(arrays, None, (), joints=self.joints)


@dataclass(frozen=True, eq=False)
class JointWork:
    """Work of the joint torques in K cycles, (K, J) [J]; read-only.

    positive, negative : energy delivered, and energy taken up (never positive)
    """

    joints: tuple[str, ...]
    positive: FloatArray
    negative: FloatArray

    @property
    def net(self) -> FloatArray:
        """(K, J) [J]."""
        return np.asarray(self.positive + self.negative)


def load_power(
    tree: JointTree,
    loads: JointLoads,
    motion: SegmentMotion,
    external: ExternalLoads,
    *,
    gravity: FloatArray | None = None,
) -> LoadPower:
    """Power of all loads; they may come from any method of inverse dynamics.

    gravity : (3,) [m/s²]; the system's if not given
    """
    if not loads.frames == motion.frames == external.frames:
        raise BiomecError(
            f"There are {loads.frames} frames of loads, {motion.frames} of motion and {external.frames} of external "
            "loads; they must match."
        )
    g = tree.system.gravity if gravity is None else np.asarray(gravity, dtype=np.float64)
    proximal, distal = ([motion.index(name) for name in names] for names in (loads.proximal, loads.distal))
    v_P, v_D = (_velocity(motion, body, loads.centre) for body in (proximal, distal))
    turning = motion.omega[:, distal] - motion.omega[:, proximal]
    acted = [motion.index(name) for name in external.segments]
    outside = _dot(external.force, _velocity(motion, acted, external.point))
    outside += _dot(external.moment, motion.omega[:, acted])
    root = [motion.index(loads.root)]
    v_root = _velocity(motion, root, loads.root_point[:, None])[:, 0]
    residual = _dot(loads.residual_force, v_root) + _dot(loads.residual_torque, motion.omega[:, root[0]])
    J = _inertia(tree, motion)
    spin = np.einsum("tsij,tsj->tsi", J, motion.omega)
    kinetic = 0.5 * (motion.mass * _dot(motion.v_com, motion.v_com) + _dot(motion.omega, spin))
    rate = motion.mass * _dot(motion.a_com - g, motion.v_com)
    rate += np.einsum("tsi,tsij,tsj->ts", motion.omega, J, motion.alpha)  # ω · (ω × J ω) is zero
    arrays = (
        _dot(loads.torque, turning),
        _dot(loads.force, 0.5 * (v_P + v_D)),
        _dot(loads.force, v_D - v_P),
        _contact_power(tree, loads, motion),
        outside,
        residual,
        kinetic.sum(axis=1),
        -(motion.mass * (motion.p_com @ g)).sum(axis=1),
        rate.sum(axis=1),
    )
    return LoadPower(loads.joints, *(read_only(array) for array in arrays))


def joint_work(power: LoadPower, spans: ArrayLike, rate_hz: float) -> JointWork:
    """Work of every joint torque in every cycle, its power being taken as straight between frames.

    spans : (K, 2) first and last frame of the cycles
    """
    edges = checked_spans(spans, len(power.joint), rate_hz)
    positive, negative = np.empty((2, len(edges), len(power.joints)))
    for k, (first, last) in enumerate(edges):  # a loop over cycles, of which there are few
        part = power.joint[first : last + 1]
        positive[k] = _area_above(part) / rate_hz
        negative[k] = -_area_above(-part) / rate_hz
    return JointWork(power.joints, read_only(positive), read_only(negative))


def _area_above(values: FloatArray) -> FloatArray:
    """Area (J,) between polygons (N, J) and zero, where they are above it; samples are one apart."""
    a, b = values[:-1], values[1:]
    high, low = np.maximum(np.maximum(a, b), 0.0), np.minimum(np.minimum(a, b), 0.0)
    crossing = (np.minimum(a, b) < 0.0) & (high > 0.0)
    triangle = 0.5 * high**2 / np.where(crossing, high - low, 1.0)
    trapezium = 0.5 * (np.maximum(a, 0.0) + np.maximum(b, 0.0))
    area = np.where(crossing, triangle, trapezium) + 0.0 * (a + b)  # NaN stays NaN
    return np.asarray(area.sum(axis=0))


def _velocity(motion: SegmentMotion, bodies: list[int], point: FloatArray) -> FloatArray:
    """Velocity (T, B, 3) of the points (T, B, 3) as fixed in those bodies: v + ω × r."""
    arm = point - motion.p_com[:, bodies]
    return np.asarray(motion.v_com[:, bodies] + np.cross(motion.omega[:, bodies], arm))


def _contact_power(tree: JointTree, loads: JointLoads, motion: SegmentMotion) -> FloatArray:
    """(T,) power of the gliding contacts: zero where points glide along their surfaces."""
    if not loads.contacts:
        return np.zeros(loads.frames)
    known = {one.name: one for one in tree.contacts}
    ends = [(known[name].point, known[name].centre) for name in loads.contacts]
    glides, on = ([motion.index(end.partition(".")[0]) for end in side] for side in zip(*ends, strict=True))
    relative = _velocity(motion, glides, loads.contact_point) - _velocity(motion, on, loads.contact_point)
    return np.asarray(_dot(loads.contact_force, relative).sum(axis=1))


def _inertia(tree: JointTree, motion: SegmentMotion) -> FloatArray:
    """(T, S, 3, 3) tensors in laboratory axes."""
    local = np.stack([np.asarray(body.inertia_matrix) for body in tree.system.bodies])
    return np.asarray(motion.R_WB @ local @ np.swapaxes(motion.R_WB, 2, 3))


def _dot(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("...i,...i->...", a, b))
