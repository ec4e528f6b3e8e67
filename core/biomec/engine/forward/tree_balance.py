"""A tree's movement in its coordinates y, and what it asks of the outside, with derivatives."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.engine.forward.joint_space import JointSpace
from biomec.engine.system import System
from biomec.engine.tree import balance_kernels


@dataclass(frozen=True, eq=False)
class BalancedFrames:
    """Frames of a movement: T frames, n elements, g freedoms, l gliding contacts.

    q, qdot, qddot : (T, n), which satisfy all constraints but for `gap`
    wrench : (T, 6) force [N] and moment about the laboratory's origin [N m] that must act beside gravity
    by_y, by_ydot, by_yddot : (T, g, 6) derivatives of the wrench
    gap    : (T, l) what gliding contacts are open;  by_gap : (T, g, l) its derivative by y
    screws : (T, g, 6) how every coordinate moves what lies beyond its joint
    """

    q: FloatArray
    qdot: FloatArray
    qddot: FloatArray
    wrench: FloatArray
    by_y: FloatArray
    by_ydot: FloatArray
    by_yddot: FloatArray
    gap: FloatArray
    by_gap: FloatArray
    screws: FloatArray


def balanced_frames(
    space: JointSpace, base: FloatArray, y: FloatArray, ydot: FloatArray, yddot: FloatArray
) -> BalancedFrames:
    """Movement at coordinates y, ẏ, ÿ (T, g) about the attitudes ``base`` (J, 3, 3).

    Gliding contacts: ẏ and ÿ are changed by the least that keeps them closed, J ẏ = 0 and J ÿ + J̇ ẏ = 0. Derivatives
    hold what changes with this projection to first order, without the turning of J itself, which only slows Newton.
    """
    frames, g, l = len(y), space.size, space.loops.size
    y, ydot, yddot = (np.array(one, dtype=np.float64, order="C") for one in (y, ydot, yddot))
    q, qdot, qddot = (np.empty((frames, space.system.n)) for _ in range(3))
    wrench, A, screws = np.empty((frames, 6)), np.empty((frames, 3, g, 6)), np.empty((frames, g, 6))
    gravity = np.array(space.system.gravity, dtype=np.float64)

    def evaluate() -> None:
        balance_kernels.balance_of_frames(
            space.tables, space.shapes, space.sides, base, gravity, y, ydot, yddot, q, qdot, qddot, wrench, A, screws
        )

    evaluate()
    if not l:
        none = np.zeros((frames, g, 0))
        return BalancedFrames(q, qdot, qddot, wrench, A[:, 0], A[:, 1], A[:, 2], none[:, 0], none, screws)
    J, gap, left = np.empty((frames, l, g)), np.empty((frames, l)), np.empty((frames, l))

    def loops() -> None:
        balance_kernels.loops_of_frames(space.tables, space.rows, q, qdot, qddot, screws, J, gap, left)

    loops()
    inverse = np.swapaxes(J, 1, 2) @ np.linalg.inv(J @ np.swapaxes(J, 1, 2))  # (T, g, l)
    ydot -= (inverse @ (J @ ydot[..., None]))[..., 0]
    evaluate()
    loops()
    yddot += (inverse @ left[..., None])[..., 0]
    evaluate()
    for part in (A[:, 1], A[:, 2]):
        part -= np.swapaxes(J, 1, 2) @ (np.swapaxes(inverse, 1, 2) @ part)
    return BalancedFrames(
        q, qdot, qddot, wrench, A[:, 0], A[:, 1], A[:, 2], gap, np.ascontiguousarray(np.swapaxes(J, 1, 2)), screws
    )


def with_errors(space: JointSpace, position_m: float, turn_rad: float) -> JointSpace:
    """The same tree with bodies whose kinetic energy is Σ |v|²/(2 position²) + |ω|²/(2 turn²), v of the centre of mass.

    Its mass matrix measures changes of a posture by the usual errors of every body's place [m] and attitude [rad].
    """
    bodies = [
        replace(
            body,
            points={name: point for name, point in body.points.items() if name not in ("origin", "com")},
            mass=position_m**-2,
            inertia=turn_rad**-2 * np.eye(3),
        )
        for body in space.system.bodies
    ]
    system = System(bodies, space.system.constraints, name=space.system.name, gravity=space.system.gravity)
    return JointSpace(system, (space.system.bodies[space.tree.root].name,))


def metric(measure: JointSpace, frames: BalancedFrames) -> FloatArray:
    """W (T, g, g): δyᵀ W δy is the size of a change of a posture, with the bodies of `with_errors`."""
    count, g = frames.screws.shape[:2]
    W = np.empty((count, g, g))
    balance_kernels.metric_of_frames(measure.tables, frames.q, frames.screws, W)
    return W
