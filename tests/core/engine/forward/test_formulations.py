"""Every formulation of the equations of motion of a whole person, against dense algebra and against the others."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.engine.forces.applied import recorded, together, weight, wrench
from biomec.engine.forward.formulation import FormulationOptions, NoNumber, Runaway
from biomec.engine.forward.independent import IndependentCoordinates
from biomec.engine.forward.index3 import Index3
from biomec.engine.forward.integrators import IntegratorOptions
from biomec.engine.forward.lagrangian import AugmentedLagrangian, ClassicLagrange, Penalty, StabilisedLagrange
from biomec.engine.forward.semi_recursive import SemiRecursive
from biomec.engine.forward.simulation import Ending, Stepped, simulate
from biomec.engine.reference.planar import four_bar
from biomec.engine.system import System
from tests.core.body.loads.people import push_up, truth_of

FORMULATIONS = (
    ClassicLagrange,
    StabilisedLagrange,
    Penalty,
    AugmentedLagrangian,
    IndependentCoordinates,
    SemiRecursive,
)
SAME = 1e-6  # of the largest acceleration; the penalty alone is off by M/α, and by round-off beyond α = 1e6


@pytest.fixture(scope="module")
def state():
    """A person in the middle of a push-up whose muscles suddenly let go: weight and ground alone act."""
    moving, t = truth_of(push_up()), 60
    system, q, ground = moving.tree.system, moving.q[60], moving.external
    Q = np.array(system.gravity_force)
    for k, name in enumerate(ground.segments):
        Q += wrench(system, name, q, ground.point[t, k], ground.force[t, k], ground.moment[t, k])
    return system, q, moving.qdot[t], Q


def dense(system: System, q: np.ndarray, qdot: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """[[M, Φqᵀ], [Φq, 0]] {q̈; λ} = {Q; c} by least squares, which forgives redundant rows."""
    Phi_q, M = system.jacobian(q), system.mass_matrix.toarray()
    matrix = np.block([[M, Phi_q.T], [Phi_q, np.zeros((system.m, system.m))]])
    wanted = np.concatenate([Q, system.acceleration_rhs(q, qdot)])
    return np.linalg.lstsq(matrix, wanted, rcond=1e-12)[0][: system.n]


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_accelerations_are_those_of_the_large_system(state, formulation):
    system, q, qdot, Q = state
    known = dense(system, q, qdot, Q)
    options = {"options": FormulationOptions(alpha=1e6)} if formulation is Penalty else {}
    found = formulation(system, **options).accelerations(q, qdot, Q)
    np.testing.assert_allclose(found.qddot, known, rtol=0, atol=SAME * np.abs(known).max())


def test_multipliers_carry_the_forces_that_the_accelerations_need(state):
    system, q, qdot, Q = state
    for formulation in (ClassicLagrange, AugmentedLagrangian):
        found = formulation(system).accelerations(q, qdot, Q)
        balance = system.mass_matrix @ found.qddot + system.jacobian(q).T @ found.multipliers - Q
        assert np.abs(balance).max() < 1e-8 * np.abs(Q).max()


def test_index_3_starts_with_the_same_accelerations(state):
    system, q, qdot, Q = state
    started = Index3(system, lambda t, x, v: Q).start(0.0, q, qdot)
    known = dense(system, q, qdot, Q)
    np.testing.assert_allclose(started.qddot, known, rtol=0, atol=SAME * np.abs(known).max())


@pytest.mark.parametrize("formulation", [StabilisedLagrange, SemiRecursive])
def test_forward_after_inverse_returns_the_motion(formulation):
    """The resultant forces M q̈ of a recorded movement move the person as recorded."""
    moving = truth_of(push_up())
    system, frames = moving.tree.system, 26
    times = 0.02 * np.arange(len(moving.q))
    forces = recorded(times, moving.qddot @ system.mass_matrix.T)
    stepper = Stepped(formulation(system), forces, IntegratorOptions(tolerance=1e-9))
    found = simulate(stepper, moving.q[0], moving.qdot[0], times[frames - 1], 0.002)
    assert found.ending is Ending.COMPLETED
    np.testing.assert_allclose(found.q[::10], moving.q[:frames], rtol=0, atol=1e-6)  # splines through 50 Hz


def test_a_simulation_can_be_cancelled_and_keeps_what_was_reached(state):
    system, q, qdot, _ = state
    seen = []
    found = simulate(
        Stepped(Penalty(system), weight(system)), q, qdot, 0.2, 0.002, progress=seen.append,
        cancelled=lambda: len(seen) >= 7,
    )  # fmt: skip
    assert found.ending is Ending.STOPPED
    assert len(found.time_s) == 8
    assert found.sentence == "Stopped at 0.0140 s."


def test_an_event_ends_a_simulation_with_its_sentence(state):
    system, q, qdot, _ = state
    found = simulate(
        Stepped(Penalty(system), weight(system)), q, qdot, 0.2, 0.002,
        stop_when=lambda now: "Fell for 20 ms." if now.t > 0.0199 else None,
    )  # fmt: skip
    assert (found.ending, found.sentence) == (Ending.EVENT, "Fell for 20 ms.")
    assert found.time_s[-1] == pytest.approx(0.02)


def test_a_runaway_is_told_with_its_time(state):
    system, q, qdot, _ = state
    pushing = together(weight(system), lambda t, x, v: 1e4 * v)  # negative damping
    found = simulate(Stepped(Penalty(system), pushing), q, qdot, 5.0, 0.002)
    assert found.ending in (Ending.DIVERGED, Ending.NOT_CONVERGED)
    assert found.sentence.startswith("Stopped at 0.")
    assert np.isfinite(found.q).all()


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_every_formulation_tells_a_runaway_and_a_force_that_is_no_number_as_such(formulation, state):
    """With few coordinates both were "positions, velocities or forces are not numbers", and nothing that helps."""
    system, q, qdot, Q = state
    one, no_number = formulation(system), np.full(system.n, np.nan)
    for gone in ((no_number, qdot, Q), (q, no_number, Q), (1e200 * q, qdot, Q), (q, qdot + 1e200, Q)):
        with pytest.raises(Runaway, match="Take a smaller step"):
            one.accelerations(*gone)
    with pytest.raises(NoNumber, match="a force is not a number"):
        one.accelerations(q, qdot, no_number)
    assert np.isfinite(one.accelerations(q, qdot, Q).qddot).all()


def test_what_cannot_start_is_refused(state):
    system, q, qdot, _ = state
    stepper = Stepped(Penalty(system), weight(system))
    with pytest.raises(BiomecError, match="not known"):
        simulate(stepper, np.full_like(q, np.nan), qdot, 1.0, 0.002)
    with pytest.raises(BiomecError, match="positive time and step"):
        simulate(stepper, q, qdot, 1.0, 0.0)
    with pytest.raises(BiomecError, match="is driven by"):
        Penalty(four_bar(driven=True))
    with pytest.raises(BiomecError, match="not negative"):
        FormulationOptions(alpha=-1.0)
