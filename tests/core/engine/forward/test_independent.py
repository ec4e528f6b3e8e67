import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.engine.body import Body
from biomec.engine.forward.formulation import FormulationOptions, Unsolvable
from biomec.engine.forward.independent import IndependentCoordinates
from biomec.engine.forward.semi_recursive import SemiRecursive
from biomec.engine.joints import Spherical
from biomec.engine.reference.planar import four_bar, four_bar_points, pendulum
from biomec.engine.reference.spatial import rod
from biomec.engine.system import System
from tests.core.engine.forward.mechanisms import (
    OTHERS,
    TREES,
    dense_accelerations,
    mechanism,
    random_force,
    random_state,
    relative,
    rk4,
    roots_of,
)
from tests.core.engine.forward.reduced_equations import solve_reduced, without_loops
from tests.oracles.forward_dynamics import DoublePendulum, Options, Problem, lc, le

AGREEMENT = 1e-9  # relative
NO_DEPENDENT_ROWS = ("pendulum", "shared pendulum", "spatial pendulum", "four-bar", "four-bar of 12", "slider-crank")


@pytest.mark.parametrize("name", TREES + OTHERS)
def test_accelerations_are_those_of_dense_lagrange(name):
    """State after state: the choice of coordinates made in one must serve in the next, or be given up."""
    system, rng = mechanism(name), np.random.default_rng(1)
    formulation = IndependentCoordinates(system)
    for _ in range(4):
        q, qdot = random_state(system, rng)
        Q = random_force(system, rng)
        found = formulation.accelerations(q, qdot, Q)
        assert relative(found.qddot, dense_accelerations(system, q, qdot, Q)) < AGREEMENT
        # whatever multipliers dependent rows have, together they must explain the accelerations
        reaction = system.jacobian(q).T @ found.multipliers
        assert relative(reaction, Q - system.mass_matrix @ found.qddot) < AGREEMENT


@pytest.mark.parametrize("bars", [1, 3, 5])
def test_coordinates_left_over_from_fours_count_too(bars):
    """M̄ is gathered from four coordinates at a time; these chains have two more."""
    system, rng = pendulum([0.3] * bars, shared=True), np.random.default_rng(8)
    assert system.n % 4 == 2
    q, qdot = random_state(system, rng)
    Q = random_force(system, rng)
    found = IndependentCoordinates(system).accelerations(q, qdot, Q).qddot
    assert relative(found, dense_accelerations(system, q, qdot, Q)) < AGREEMENT


@pytest.mark.parametrize("name", NO_DEPENDENT_ROWS)
def test_multipliers_are_those_of_dense_lagrange(name):
    system, rng = mechanism(name), np.random.default_rng(2)
    q, qdot = random_state(system, rng)
    Q = random_force(system, rng)
    qddot, expected = lc(Problem(system, system.mass_matrix.toarray(), lambda *_: Q), q, qdot, 0.0, Options())
    found = IndependentCoordinates(system).accelerations(q, qdot, Q)
    assert relative(found.qddot, qddot) < AGREEMENT
    assert relative(found.multipliers, expected) < AGREEMENT


@pytest.mark.parametrize("name", NO_DEPENDENT_ROWS)
def test_stabilised_accelerations_are_baumgartes_where_the_state_is_inconsistent(name):
    system, rng = mechanism(name), np.random.default_rng(3)
    q = system.reference + 0.02 * rng.normal(size=system.n)
    qdot, Q = rng.normal(size=system.n), random_force(system, rng)
    options = Options(xi=0.8, omega=7.0)
    expected = le(Problem(system, system.mass_matrix.toarray(), lambda *_: Q), q, qdot, 0.0, options)[0]
    formulation = IndependentCoordinates(system, FormulationOptions(xi=0.8, omega=7.0), stabilised=True)
    assert relative(formulation.accelerations(q, qdot, Q).qddot, expected) < AGREEMENT


@pytest.mark.parametrize("name", TREES + OTHERS)
def test_the_matrix_r_spans_what_the_constraints_allow(name):
    system, rng = mechanism(name), np.random.default_rng(4)
    formulation = IndependentCoordinates(system)
    q, qdot = random_state(system, rng)
    Q = random_force(system, rng)
    terms, M = formulation.terms(q, qdot, Q), system.mass_matrix
    assert formulation.partition is not None
    np.testing.assert_allclose(system.jacobian(q) @ terms.R, 0.0, atol=1e-12)
    np.testing.assert_array_equal(terms.R[formulation.partition.independent], np.eye(terms.R.shape[1]))
    np.testing.assert_allclose(terms.R @ formulation.velocities(q, qdot), qdot, rtol=0, atol=1e-11)
    assert relative(terms.M_bar, terms.R.T @ (M @ terms.R)) < 1e-12
    assert relative(terms.Q_bar, terms.R.T @ (Q - M @ terms.bias)) < 1e-11
    c = system.acceleration_rhs(q, qdot)
    np.testing.assert_allclose(system.jacobian(q) @ terms.bias, c, rtol=0, atol=1e-11 * np.abs(terms.bias).max())
    assert (
        relative(terms.accelerations(solve_reduced(terms)[0]), formulation.accelerations(q, qdot, Q).qddot) < AGREEMENT
    )


def test_the_four_bar_has_its_closed_form():
    """Crank at 60° turning with 1 rad/s, x of the crank's end independent: R, and accelerations at φ̈ = 0."""
    system, angle, h = four_bar(), np.pi / 3, 1e-4
    places = [np.concatenate(four_bar_points(angle + k * h)) for k in (-1, 0, 1)]
    qdot, qddot = (places[2] - places[0]) / (2 * h), (places[2] - 2 * places[1] + places[0]) / h**2
    formulation = IndependentCoordinates(system)
    terms = formulation.terms(places[1], qdot, np.zeros(4))
    np.testing.assert_allclose(terms.R[:, 0] / terms.R[0, 0], qdot / qdot[0], atol=1e-6)
    np.testing.assert_allclose(
        terms.R[:, 0] / terms.R[0, 0], (1.0, -0.5773502692, 0.6276723673, -0.0040191063), atol=1e-9
    )
    (zddot,) = qddot[formulation.partition.independent]
    np.testing.assert_allclose(terms.accelerations(np.array([zddot])), qddot, atol=1e-6)


@pytest.mark.parametrize("name", TREES)
def test_reduced_terms_are_those_of_the_semi_recursive_formulation(name):
    """Seen in the same velocities: ż = T ẏ with T = B R, where accelerations differ by what either calls z̈ = 0."""
    system, rng = mechanism(name), np.random.default_rng(5)
    q, qdot = random_state(system, rng)
    Q = random_force(system, rng)
    formulation = IndependentCoordinates(system)
    ours = formulation.terms(q, qdot, Q)
    theirs = without_loops(SemiRecursive(system, roots=roots_of(name)).terms(q, qdot, Q))
    chosen = formulation.partition.independent
    T = theirs.R[chosen]
    assert T.shape[0] == T.shape[1] == ours.R.shape[1]
    assert relative(T.T @ ours.M_bar @ T, theirs.M_bar) < AGREEMENT
    assert relative(T.T @ (ours.Q_bar - ours.M_bar @ theirs.bias[chosen]), theirs.Q_bar) < AGREEMENT


def test_a_tumbling_pendulum_chooses_anew_and_stays_right():
    """Every bar passes all directions, so that no coordinate can stay independent; closed form in two angles."""
    system, formula = pendulum([0.0, 0.0], shared=True), DoublePendulum()
    formulation = IndependentCoordinates(system)
    h, steps = 1e-3, 1500
    q, _ = rk4(formulation, np.array([1.0, 0.0, 2.0, 0.0]), np.zeros(4), h, steps)
    y = np.zeros(4)
    for _ in range(steps):
        k1 = np.concatenate([y[2:], formula.accelerations(y[:2], y[2:])])
        k2 = np.concatenate([(y + 0.5 * h * k1)[2:], formula.accelerations(*np.split(y + 0.5 * h * k1, 2))])
        k3 = np.concatenate([(y + 0.5 * h * k2)[2:], formula.accelerations(*np.split(y + 0.5 * h * k2, 2))])
        k4 = np.concatenate([(y + h * k3)[2:], formula.accelerations(*np.split(y + h * k3, 2))])
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    np.testing.assert_allclose(q[-1], formula.points(y[:2]), atol=1e-8)
    np.testing.assert_allclose(q[-1], (-0.9128969282, -0.4081901500, -1.7765471341, 0.0959014307), atol=1e-7)
    assert 1 < formulation.choices < steps / 20


@pytest.mark.parametrize("name", ["four-bar of 12", "Bennett", "slider-crank"])
def test_closed_chains_keep_their_energy(name):
    system = mechanism(name)
    q, qdot = random_state(system, np.random.default_rng(6), spread=0.0)
    states = rk4(IndependentCoordinates(system), q, qdot, 1e-3, 300)
    energy = system.kinetic_energy(states[1]) + system.potential_energy(states[0])
    assert np.abs(energy - energy[0]).max() < 1e-8 * system.kinetic_energy(qdot)
    assert np.abs(system.residual(states[0])).max() < 1e-8


def test_rows_that_depend_on_others_only_where_all_bars_are_in_line():
    """A parallelogram stretched out has two freedoms for an instant, and one again beside it."""
    line, open_ = (four_bar(1.0, 2.0, 1.0, 2.0, angle) for angle in (0.0, 0.3))
    formulation = IndependentCoordinates(line)
    still = np.zeros(4)
    found = formulation.accelerations(np.array(line.reference), still, line.gravity_force)
    assert formulation.terms(np.array(line.reference), still, still).R.shape[1] == 2
    assert np.isfinite(found.qddot).all()
    beside = np.array(open_.reference)
    found = formulation.accelerations(beside, still, line.gravity_force)
    assert formulation.terms(beside, still, still).R.shape[1] == 1
    assert relative(found.qddot, dense_accelerations(line, beside, still, line.gravity_force)) < AGREEMENT


def test_dependent_rows_stay_dependent_where_the_state_has_drifted():
    """Positions off by 1e-5 make the third row of a hinge look like a new constraint: freedoms must not be lost."""
    system, rng = mechanism("human-like"), np.random.default_rng(7)
    q, _ = random_state(system, rng)
    terms = IndependentCoordinates(system).terms(q + 1e-5 * rng.normal(size=system.n), np.zeros(system.n), q)
    assert terms.R.shape[1] == 44
    assert np.abs(terms.R).max() < 100.0


def test_what_cannot_be_solved_is_told():
    system = mechanism("four-bar")
    formulation, q, still = IndependentCoordinates(system), np.array(system.reference), np.zeros(4)
    bad = np.array([np.nan, 0.0, 0.0, 0.0])
    cases = ((bad, still, still, "ran away"), (q, bad, still, "ran away"), (q, still, bad, "a force is not a number"))
    for *state, words in cases:
        with pytest.raises(Unsolvable, match=words):
            formulation.accelerations(*state)
    assert np.isfinite(formulation.accelerations(q, still, still).qddot).all()  # usable afterwards
    for *state, words in cases:  # and with a choice that is kept
        with pytest.raises(Unsolvable, match=words):
            formulation.accelerations(*state)
    with pytest.raises(BiomecError, match="coordinates"):
        formulation.accelerations(q[:2], still, still)
    with pytest.raises(BiomecError, match="driven"):
        IndependentCoordinates(four_bar(driven=True))
    weightless = Body("tip", {"A": np.zeros(3)}, ("A", "x", "y", "z"))
    system = System([rod("arm", 1.0, 1.0, np.zeros(3), np.eye(3)), weightless], [Spherical("wrist", "arm.A", "tip.A")])
    with pytest.raises(Unsolvable, match="no mass"):
        IndependentCoordinates(system).accelerations(system.reference, np.zeros(system.n), system.gravity_force)
