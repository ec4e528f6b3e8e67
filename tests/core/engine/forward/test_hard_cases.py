"""Dependent rows, change points, steps that are too large, forces that are not numbers; and what is conserved."""

import re

import numpy as np
import pytest
import scipy

from biomec.base.errors import BiomecError
from biomec.engine.body import planar_bar
from biomec.engine.forces.applied import recorded, together, weight
from biomec.engine.forward.formulation import FormulationOptions
from biomec.engine.forward.independent import IndependentCoordinates
from biomec.engine.forward.index3 import Index3
from biomec.engine.forward.integrators import EQUAL_STEPS, IntegratorOptions
from biomec.engine.forward.lagrangian import AugmentedLagrangian, ClassicLagrange, Penalty, StabilisedLagrange
from biomec.engine.forward.simulation import Ending, Stepped, simulate
from biomec.engine.forward.variable_step import ErrorControl, simulate_adaptive, simulate_to_tolerance
from biomec.engine.joints import Revolute
from biomec.engine.reference.planar import four_bar
from biomec.engine.system import System
from tests.core.body.loads.people import push_up, truth_of
from tests.core.engine.forward.mechanisms import dense_accelerations, mechanism, random_force, random_state, relative

MULTIPLIERS = (ClassicLagrange, StabilisedLagrange, Penalty, AugmentedLagrangian)
ALL = (*MULTIPLIERS, IndependentCoordinates)


# ------------------------------------------------------------------ four-bar: digits of the closed form


@pytest.mark.parametrize("formulation", ALL)
def test_the_four_bar_turned_evenly_accelerates_as_known(formulation):
    """φ̇ = 1, φ̈ = 0 under Q = M q̈ + Φqᵀλ with forces λ in the bars, which only constraints balance."""
    system = four_bar()
    q, known = np.array(system.reference), np.array([-0.5, -0.8660254038, -1.1296531345, -0.1109656639])
    qdot = np.array([-0.8660254038, 0.5, -0.5435802153, 0.0034806482])
    along = np.array([3.0, -2.0, 5.0])
    Q = system.mass_matrix @ known + system.jacobian(q).T @ along
    assert np.abs(np.linalg.solve(system.mass_matrix.toarray(), Q) - known).max() > 1.0  # what the bars must hold
    options = {} if formulation is IndependentCoordinates else {"options": FormulationOptions(alpha=1e7)}
    found = formulation(system, **options).accelerations(q, qdot, Q)
    np.testing.assert_allclose(found.qddot, known, rtol=0, atol=2e-6)  # the penalty leaves λ/α
    if formulation is not IndependentCoordinates:
        np.testing.assert_allclose(found.multipliers, along, rtol=0, atol=1e-5)


@pytest.mark.parametrize("formulation", ALL)
@pytest.mark.parametrize("name", ["four-bar", "four-bar of 12", "slider-crank"])
def test_a_loop_under_any_force_accelerates_as_the_dense_system_does(formulation, name):
    system, rng = mechanism(name), np.random.default_rng(11)
    q, qdot = random_state(system, rng)
    Q = random_force(system, rng)
    options = {} if formulation is IndependentCoordinates else {"options": FormulationOptions(alpha=1e7, omega=1e-9)}
    found = formulation(system, **options).accelerations(q, qdot, Q)
    wanted = dense_accelerations(system, q, qdot, Q)
    assert relative(found.qddot, wanted) < 1e-5  # the penalty leaves λ/α; all others 1e-9
    if formulation is not Penalty:
        assert relative(found.qddot, wanted) < 1e-8


# ------------------------------------------------------------------ dependent rows


def doubled_four_bar() -> System:
    """The four-bar with one joint described twice: two rows that depend on the others."""
    plain = four_bar(shared=False)
    again = Revolute("B again", "coupler.B", "rocker.B")
    return System(plain.bodies, [*plain.constraints, again], name="four-bar", ground={"P": (3.0, 0.0)})


@pytest.mark.parametrize("code", [*MULTIPLIERS, IndependentCoordinates, Index3])
def test_a_joint_described_twice_changes_no_motion(code):
    ends = []
    for system in (four_bar(shared=False), doubled_four_bar()):
        options, forces = IntegratorOptions(tolerance=1e-10), weight(system)
        stepper = (
            Index3(system, forces, FormulationOptions(alpha=1e8), options)
            if code is Index3
            else Stepped(
                code(system, *([] if code is IndependentCoordinates else [FormulationOptions(alpha=1e6)])),
                forces,
                options,
            )
        )
        found = simulate(stepper, system.reference, np.zeros(system.n), 0.4, 0.002)
        assert found.ending is Ending.COMPLETED
        ends.append(found.q[-1])
    np.testing.assert_allclose(ends[1], ends[0], rtol=0, atol=1e-6)
    assert np.abs(ends[0] - four_bar(shared=False).reference).max() > 0.1  # it moved


def parallelogram(angle: float) -> System:
    """Bars of 1 m between grounds 1 m apart; at angle 0 all lie on one line and Φq loses a rank."""
    A, B = np.array([np.cos(angle), np.sin(angle)]), np.array([1.0 + np.cos(angle), np.sin(angle)])
    turned = np.column_stack([A, (-A[1], A[0])])
    bodies = [
        planar_bar("crank", 1.0, 1.0, ends=("O", "A"), attitude=turned, shared={"O": "ground.origin"}),
        planar_bar("coupler", 1.0, 1.0, ends=("A", "B"), position=A, shared={"A": "crank.A"}),
        planar_bar("rocker", 1.0, 1.0, ends=("P", "B"), position=(1.0, 0.0), attitude=turned,
                   shared={"P": "ground.P", "B": "coupler.B"}),
    ]  # fmt: skip
    assert np.allclose(B - A, (1.0, 0.0))
    return System(bodies, name="parallelogram", ground={"P": (1.0, 0.0)})


@pytest.mark.parametrize("formulation", MULTIPLIERS)
def test_at_the_change_point_accelerations_exist(formulation):
    """Rank 2 of 3. The bars lie flat and fall: only forces along them are held."""
    system = parallelogram(0.0)
    q = np.array(system.reference)
    assert np.linalg.matrix_rank(system.jacobian(q), tol=1e-9) == 2
    found = formulation(system).accelerations(q, np.zeros(4), np.array(system.gravity_force))
    np.testing.assert_allclose(found.qddot[[0, 2]], 0.0, rtol=0, atol=1e-4)
    assert (found.qddot[[1, 3]] < -1.0).all()


@pytest.mark.parametrize("formulation", [*MULTIPLIERS, Index3])
def test_through_the_change_point_it_goes_on_or_says_when_it_could_not(formulation):
    system = parallelogram(0.6)
    options, forces = IntegratorOptions("trapezoidal", tolerance=1e-8), weight(system)
    qdot = -2.0 * np.array([-np.sin(0.6), np.cos(0.6)] * 2)
    stepper = (
        Index3(system, forces, integrator=options)
        if formulation is Index3
        else Stepped(formulation(system), forces, options)
    )
    found = simulate(stepper, system.reference, qdot, 0.5, 0.001)
    assert np.isfinite(found.q).all()
    if found.ending is Ending.COMPLETED:
        assert found.violation.max() < 1e-2
        assert found.q[:, 1].min() < -0.5  # it is through
    else:
        assert found.sentence.startswith("Stopped at 0.")


# ------------------------------------------------------------------ bad steps and numbers


@pytest.mark.parametrize("family", EQUAL_STEPS)
@pytest.mark.parametrize("code", [StabilisedLagrange, Index3])
def test_a_step_that_is_much_too_large_ends_with_its_time(family, code):
    system = mechanism("spatial pendulum")
    q, qdot = random_state(system, np.random.default_rng(1))
    options, forces = IntegratorOptions(family), weight(system)
    stepper = Index3(system, forces, integrator=options) if code is Index3 else Stepped(code(system), forces, options)
    found = simulate(stepper, q, 10.0 * qdot, 100.0, 0.5)
    assert np.isfinite(found.q).all()
    assert found.ending is not Ending.COMPLETED  # the bars turn several times in a step: no answer would be right
    assert found.sentence.startswith("Stopped at ")
    assert len(found.time_s) < 201
    assert found.violation.max() < 1e-6  # what was kept before it is good


@pytest.mark.parametrize("run", ["fixed", "adaptive", "to tolerance", "index 3"])
def test_forces_that_become_no_numbers_end_the_run_with_its_time(run):
    system = mechanism("pendulum")

    def broken(t, q, qdot):
        return np.full(system.n, np.nan) if t > 0.1 else np.zeros(system.n)

    forces, still = together(weight(system), broken), np.zeros(system.n)
    formulation, options = StabilisedLagrange(system), IntegratorOptions("trapezoidal")
    if run == "fixed":
        found = simulate(Stepped(formulation, forces, options), system.reference, still, 0.5, 0.002)
    elif run == "index 3":
        found = simulate(Index3(system, forces, integrator=options), system.reference, still, 0.5, 0.002)
    elif run == "adaptive":
        found = simulate_adaptive(
            Stepped(formulation, forces, options), system.reference, still, 0.5, ErrorControl(least_s=1e-5)
        )
    else:
        found = simulate_to_tolerance(formulation, forces, system.reference, still, 0.5)
    assert found.ending is Ending.NO_NUMBER
    matched = re.fullmatch(
        r"Stopped at (0\.\d+) s: a force is not a number at (0\.\d+) s\. Look at what acts then.*", found.sentence
    )
    assert matched is not None, found.sentence
    assert float(matched[1]) == pytest.approx(found.time_s[-1], abs=5e-5)
    assert 0.1 <= float(matched[2]) <= found.time_s[-1] + 0.06  # the moment asked for, within the step that met it
    assert 0.05 < found.time_s[-1] <= 0.1 + 1e-9
    assert np.isfinite(found.q).all()


@pytest.mark.parametrize("duration", [np.nan, -1.0, np.inf, 0.0])
@pytest.mark.parametrize("run", [simulate, simulate_adaptive, simulate_to_tolerance])
def test_a_time_that_is_none_is_refused(run, duration):
    """Variable steps called a run of NaN or −1 s complete."""
    system = mechanism("pendulum")
    formulation, still = StabilisedLagrange(system), np.zeros(system.n)
    arguments = {
        simulate: (Stepped(formulation, weight(system)), system.reference, still, duration, 0.002),
        simulate_adaptive: (Stepped(formulation, weight(system)), system.reference, still, duration),
        simulate_to_tolerance: (formulation, weight(system), system.reference, still, duration),
    }[run]
    with pytest.raises(BiomecError, match="positive time and step"):
        run(*arguments)
    nowhere = (*arguments[:-2], np.full(system.n, np.nan), *arguments[-1:])
    if run is not simulate:
        with pytest.raises(BiomecError):
            run(*nowhere)


def test_steps_without_end_are_refused_or_end_with_their_time(monkeypatch):
    """Steps of a nanosecond over seconds would have filled the memory; so would variable steps of a stiff force."""
    system = mechanism("pendulum")
    formulation, still = StabilisedLagrange(system), np.zeros(system.n)
    with pytest.raises(BiomecError, match="1000000000 steps of 1e-09 s would take too long"):
        simulate(Stepped(formulation, weight(system)), system.reference, still, 1.0, 1e-9)
    monkeypatch.setattr("biomec.engine.forward.simulation.MOST_NUMBERS", 30 * (3 * system.n + system.m + 5))
    stepper = Stepped(formulation, weight(system), IntegratorOptions("trapezoidal", tolerance=1e-12))
    for found in (
        simulate_adaptive(stepper, system.reference, still, 1.0, ErrorControl(1e-12, 1e-10)),
        simulate_to_tolerance(formulation, weight(system), system.reference, still, 1.0, rtol=1e-13, atol=1e-15),
    ):
        assert found.ending is Ending.TOO_LONG
        assert found.sentence.startswith("Stopped at 0.")
        assert "after 30 steps" in found.sentence
        assert len(found.time_s) == 31


def test_recorded_forces_that_are_kept_belong_to_their_moment():
    """The last answer is kept for a corrector that asks again; nobody may change it, nor get it for another moment."""
    times, Q = np.arange(6.0), np.random.default_rng(9).normal(size=(6, 4))
    exact, forces, still = scipy.interpolate.CubicSpline(times, Q), recorded(times, Q), np.zeros(4)
    for t in (1.3, 1.3, 4.9, 1.3, 0.0, 0.0):
        found = forces(t, still, still)
        np.testing.assert_allclose(found, exact(t), rtol=0, atol=1e-12)
        found[:] = np.nan


def test_recorded_forces_with_gaps_are_refused():
    Q = np.zeros((5, 4))
    Q[2, 1] = np.nan
    with pytest.raises(BiomecError, match="all values must be numbers"):
        recorded(np.arange(5.0), Q)
    with pytest.raises(BiomecError, match="increase"):
        recorded(np.zeros(5), np.zeros((5, 4)))


# ------------------------------------------------------------------ what is conserved


@pytest.mark.parametrize("code", [*MULTIPLIERS, Index3])
def test_a_person_in_free_flight_keeps_energy_and_momentum(code):
    """In the air the centre of mass falls on a parabola, the angular momentum about it and the energy stay."""
    moving = truth_of(push_up())
    system, t = moving.tree.system, 60
    forces = weight(system)
    options = IntegratorOptions(tolerance=1e-8)
    stepper = Index3(system, forces, integrator=options) if code is Index3 else Stepped(code(system), forces, options)
    found = simulate(stepper, moving.q[t], moving.qdot[t], 0.2, 0.002)
    assert found.ending is Ending.COMPLETED
    assert np.abs(found.energy_drift).max() < 2e-5 * found.kinetic.max()
    centre, momentum, spin = whole(system, found.q, found.qdot)
    mass = sum(body.mass for body in system.bodies)
    s = found.time_s[:, None]
    fall = centre[0] + s * momentum[0] / mass + 0.5 * s**2 * np.asarray(system.gravity)
    np.testing.assert_allclose(centre, fall, rtol=0, atol=1e-7)
    np.testing.assert_allclose(
        spin, np.broadcast_to(spin[0], spin.shape), rtol=0, atol=1e-4 * np.abs(spin).max() + 1e-6
    )


def whole(system: System, q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Centre of mass, momentum, and angular momentum about it, (T, 3), from the points of eight masses a body."""
    mass, place, velocity = [], [], []
    for body in system.bodies:
        second = 0.5 * np.trace(body.inertia_matrix) * np.eye(3) - body.inertia_matrix
        values, axes = np.linalg.eigh(second)
        for k in range(3):
            for sign in (-1.0, 1.0):
                local = (
                    np.asarray(body.centre_of_mass) + sign * np.sqrt(3.0 * max(values[k], 0.0) / body.mass) * axes[:, k]
                )
                one = system.layout.lift(body, body.point_map(local))
                mass.append(body.mass / 6.0)
                place.append(one(q))
                velocity.append(one.rate(qdot))
    m, x, v = np.array(mass), np.array(place), np.array(velocity)
    centre = np.einsum("p,pti->ti", m, x) / m.sum()
    momentum = np.einsum("p,pti->ti", m, v)
    spin = np.einsum("p,pti->ti", m, np.cross(x - centre, v - momentum / m.sum()))
    return centre, momentum, spin
