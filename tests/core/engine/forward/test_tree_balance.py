"""What a movement asks of the outside: against Newton and Euler, Pinocchio's inertias, and differences."""

import numpy as np
import pytest

from biomec.base.arrays import FloatArray
from biomec.body.kinematics.segment_motion import segment_motion
from biomec.body.loads.balance import body_wrench
from biomec.engine.forward.joint_space import JointSpace
from biomec.engine.forward.reference_motion import reference_motion
from biomec.engine.forward.tree_balance import BalancedFrames, balanced_frames, metric, with_errors
from biomec.engine.tree.chart_kernels import turn_columns
from biomec.engine.tree.recursion import FREE, REVOLUTE, SPHERICAL, UNIVERSAL
from tests.core.body.tracking.followed import followed
from tests.oracles.pinocchio_tree import pin

FRAMES = slice(60, 72)
ROOTS = ("the model's own", "right foot", "head")


def space_from(root: str) -> JointSpace:
    """The whole body, hung from a segment: seen from a foot, most joints are passed from distal to proximal."""
    one = followed()
    return one.space if root == ROOTS[0] else JointSpace(one.space.system, (root,))


def movement(space: JointSpace) -> tuple[FloatArray, list[FloatArray], FloatArray]:
    """Base attitudes, y with its derivatives, and times of some frames of a push-up."""
    truth = followed().acquisition.truth
    times = truth.time_s[FRAMES]
    reference = reference_motion(space, times, truth.q[FRAMES])
    return reference.base, [np.ascontiguousarray(curve(times)) for curve in reference.curves], times


@pytest.mark.parametrize("root", ROOTS)
def test_every_kind_of_joint_is_there(root):
    space = space_from(root)
    assert {FREE, SPHERICAL, UNIVERSAL, REVOLUTE} <= set(space.tables.kind.tolist())
    assert space.loops.size == 4
    assert (space.tables.sign < 0.0).any() == (root != ROOTS[0])


@pytest.mark.parametrize("root", ROOTS)
def test_motion_is_that_of_the_reference(root):
    space = space_from(root)
    base, jets, times = movement(space)
    found = balanced_frames(space, base, *jets)
    reference = reference_motion(space, times, followed().acquisition.truth.q[FRAMES])
    for mine, other, size in zip(
        (found.q, found.qdot, found.qddot), reference.states(times), (1e-9, 1e-7, 1e-5), strict=True
    ):
        assert np.abs(mine - other).max() < size  # contacts are closed in other measures, from gaps of 1e-11
    system = space.system
    for t, q in enumerate(found.q):
        assert np.abs(system.jacobian(q) @ found.qdot[t]).max() < 1e-12


@pytest.mark.parametrize("root", ROOTS)
def test_the_wrench_is_that_of_newton_and_euler_and_of_pinocchio(root):
    space = space_from(root)
    base, jets, _ = movement(space)
    found = balanced_frames(space, base, *jets)
    system = space.system
    motion = segment_motion(system, found.q, found.qdot, found.qddot)
    asked = body_wrench(system, motion)
    moment = asked.total_moment + np.cross(motion.whole_body_com, asked.total_force)
    assert np.abs(found.wrench - np.concatenate([asked.total_force, moment], axis=1)).max() < 1e-9  # of 700 N
    other = np.zeros_like(found.wrench)
    for t in range(len(other)):
        for s, body in enumerate(system.bodies):
            R = motion.R_WB[t, s]
            place = pin.SE3(R, motion.p_com[t, s])
            inertia = pin.Inertia(body.mass, np.zeros(3), np.asarray(body.inertia_matrix))
            v = R.T @ motion.v_com[t, s]
            turning = R.T @ motion.omega[t, s]
            a = R.T @ (motion.a_com[t, s] - system.gravity) - np.cross(turning, v)
            speed, change = pin.Motion(v, turning), pin.Motion(a, R.T @ motion.alpha[t, s])
            other[t] += place.act(inertia * change + inertia.vxiv(speed)).vector
    assert np.abs(found.wrench - other).max() < 1e-9


@pytest.mark.parametrize("root", ROOTS)
def test_derivatives_are_those_of_differences(root):
    """Central differences of a step of 1e-6 err by 1e-7 of 2000 N m; contacts are left open, or they would move too."""
    space = space_from(root)
    base, jets, _ = movement(space)
    open_ = without_contacts(space)
    exact = balanced_frames(open_, base, *jets)
    rng = np.random.default_rng(0)
    for level, by in enumerate((exact.by_y, exact.by_ydot, exact.by_yddot)):
        change = rng.normal(size=jets[0].shape)
        sides = []
        for step in (1e-6, -1e-6):
            moved = [one + step * change if k == level else one for k, one in enumerate(jets)]
            sides.append(balanced_frames(open_, base, *moved).wrench)
        difference = (sides[0] - sides[1]) / 2e-6
        assert np.abs(difference - np.einsum("tgi,tg->ti", by, change)).max() < 1e-6
        assert np.abs(difference).max() > 1.0


def without_contacts(space: JointSpace) -> JointSpace:
    """The same tree without its gliding contacts."""
    system = space.system
    joints = [one for one in system.constraints if "contact" not in type(one).__name__.lower()]
    root = system.bodies[space.tree.root].name
    found = JointSpace(type(system)(system.bodies, joints, name=system.name, gravity=system.gravity), (root,))
    assert found.loops.size == 0
    return found


def test_gaps_of_contacts_and_their_derivatives():
    space = space_from(ROOTS[0])
    base, jets, _ = movement(space)
    rng = np.random.default_rng(1)
    change = rng.normal(size=jets[0].shape)
    exact = balanced_frames(space, base, *jets)
    assert np.abs(exact.gap).max() < 1e-10

    def gap(step: float) -> FloatArray:
        return balanced_frames(space, base, jets[0] + step * change, *jets[1:]).gap

    difference = (gap(1e-6) - gap(-1e-6)) / 2e-6
    assert np.abs(difference - np.einsum("tgl,tg->tl", exact.by_gap, change)).max() < 1e-7
    assert np.abs(difference).max() > 0.1


@pytest.mark.parametrize("size", [0.0, 1e-3, 0.3, 0.499, 0.501, 2.0, 5.0])
def test_columns_of_a_turn_and_their_derivatives(size):
    """J̇ and J̈ against differences of J along v(t), above and below the border of the series."""
    rng = np.random.default_rng(2)
    v, vdot, vddot = rng.normal(size=(3, 3))
    v *= size / np.linalg.norm(v)

    def columns(t: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        J, Jdot, Jddot = np.empty((3, 3, 3))
        turn_columns(v + t * vdot + 0.5 * t * t * vddot, vdot + t * vddot, vddot, J, Jdot, Jddot)
        return J, Jdot, Jddot

    h = 1e-5
    (ahead, rate_ahead, _), (here, rate, second), (behind, rate_behind, _) = columns(h), columns(0.0), columns(-h)
    assert np.abs((ahead - behind) / (2 * h) - rate).max() < 1e-8
    assert np.abs((rate_ahead - rate_behind) / (2 * h) - second).max() < 1e-8
    if size == 0.0:
        assert np.array_equal(here, np.eye(3))


def test_the_measure_counts_places_and_turns_by_their_errors():
    """δyᵀ W δy is Σ |δp|²/σ² + |δθ|²/τ² over all bodies, here by differences of the postures."""
    space = without_contacts(space_from(ROOTS[0]))
    base, jets, _ = movement(space)
    frames = balanced_frames(space, base, *jets)
    W = metric(with_errors(space, 0.01, 0.05), frames)
    change = np.random.default_rng(3).normal(size=jets[0].shape)
    step = 1e-6

    def posture(sign: float) -> BalancedFrames:
        return balanced_frames(space, base, jets[0] + sign * step * change, *jets[1:])

    sides = [segment_motion(space.system, one.q) for one in (posture(1.0), posture(-1.0))]
    places = (sides[0].p_com - sides[1].p_com) / (2 * step)
    turns = (sides[0].R_WB - sides[1].R_WB) / (2 * step)  # Ṙ = ω × R, so that |Ṙ|² = 2 |ω|²
    wanted = (places**2).sum(axis=(1, 2)) / 0.01**2 + 0.5 * (turns**2).sum(axis=(1, 2, 3)) / 0.05**2
    assert np.allclose(np.einsum("tg,tgh,th->t", change, W, change), wanted, rtol=1e-7)
