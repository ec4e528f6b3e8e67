"""Steps of equal length in the freedoms of a tree, from joint to joint: every state obeys the constraints.

q₊ = q ⊕ h w̄,   w₊ = w + h w̄̇;   the formulas differ in the means w̄ and w̄̇ over the step
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.engine.forward.formulation import State, StepResult
from biomec.engine.forward.joint_space import JointSpace
from biomec.engine.tree.vectors import rotation_rate

PASSES = 2  # of the trapezoidal corrector


class JointMotion(Protocol):
    """Equations of motion in the freedoms of a tree."""

    @property
    def space(self) -> JointSpace:
        """The freedoms."""

    def joint_accelerations(self, t: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
        """ẇ (g,) at a time and a state (n,), (n,)."""

    def joint_state(self, t: float, q: FloatArray, w: FloatArray) -> State:
        """State at q (n,) with rates w (g,), its loops closed."""


def constant_acceleration(motion: JointMotion, state: State, h: float) -> StepResult:
    """q₊ = q ⊕ (h w + h²/2 ẇ), w₊ = w + h ẇ: one evaluation a step, order 1 in w."""
    w, wdot = _rates(motion, state)
    moved = motion.space.moved(state.q, h * w + 0.5 * h * h * wdot)
    return StepResult(motion.joint_state(state.t + h, moved, w + h * wdot), 1, 0.0, True)


def symplectic_euler(motion: JointMotion, state: State, h: float) -> StepResult:
    """w₊ = w + h ẇ, q₊ = q ⊕ h w₊."""
    w, wdot = _rates(motion, state)
    w_new = w + h * wdot
    return StepResult(motion.joint_state(state.t + h, motion.space.moved(state.q, h * w_new), w_new), 1, 0.0, True)


def trapezoidal(motion: JointMotion, state: State, h: float) -> StepResult:
    """Constant acceleration, corrected by the means of both ends."""
    w, wdot = _rates(motion, state)
    moved = motion.space.moved(state.q, h * w + 0.5 * h * h * wdot)
    new = motion.joint_state(state.t + h, moved, w + h * wdot)
    for _ in range(PASSES):
        w_new = w + 0.5 * h * (wdot + motion.joint_accelerations(new.t, new.q, new.qdot))
        new = motion.joint_state(state.t + h, motion.space.moved(state.q, 0.5 * h * (w + w_new)), w_new)
    return StepResult(new, PASSES, 0.0, True)


def runge_kutta(motion: JointMotion, state: State, h: float) -> StepResult:
    """Classical Runge-Kutta step in movements δ away from q: δ̇ = J(δ)⁻¹ w (Munthe-Kaas)."""
    space, t, q = motion.space, state.t, state.q
    w, wdot = _rates(motion, state)
    slopes = [(w, wdot)]
    for part in (0.5, 0.5, 1.0):
        delta, w_i = part * h * slopes[-1][0], w + part * h * slopes[-1][1]
        q_i = space.moved(q, delta)
        wdot_i = motion.joint_accelerations(t + part * h, q_i, space.velocities(q_i, w_i))
        slopes.append((_movement_rate(space, delta, w_i), wdot_i))
    weights = np.array([1.0, 2.0, 2.0, 1.0]) * h / 6.0
    delta, change = (np.einsum("i,ig->g", weights, [slope[k] for slope in slopes]) for k in (0, 1))
    return StepResult(motion.joint_state(t + h, space.moved(q, delta), w + change), 1, 0.0, True)


def _rates(motion: JointMotion, state: State) -> tuple[FloatArray, FloatArray]:
    """w and ẇ (g,) of a state."""
    w = motion.space.rates(state.q, state.qdot)
    return w, motion.joint_accelerations(state.t, state.q, state.qdot)


def _movement_rate(space: JointSpace, delta: FloatArray, w: FloatArray) -> FloatArray:
    rate = w.copy()
    for part in space.freedoms.values():
        if part.stop - part.start >= 3:
            turn = slice(part.stop - 3, part.stop)
            rotation_rate(delta[turn], w[turn], rate[turn])
    return rate
