"""Muscles with states of their own on the simulations of the engine: a hinged rod against its own equations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from biomec.base.arrays import planar_rotation
from biomec.base.errors import BiomecError
from biomec.engine.body import planar_bar
from biomec.engine.forces.activation import constant, played
from biomec.engine.forces.applied import weight
from biomec.engine.forces.hill_curves import DEGROOTE
from biomec.engine.forces.hill_muscle import ElasticMuscle, HillParameters, elastic_equilibrium
from biomec.engine.forces.muscles import HillMuscles, MuscleOptions
from biomec.engine.forward.formulation import FormulationOptions
from biomec.engine.forward.formulations import FORMULATIONS
from biomec.engine.forward.independent import IndependentCoordinates
from biomec.engine.forward.integrators import IntegratorOptions
from biomec.engine.forward.lagrangian import StabilisedLagrange
from biomec.engine.forward.simulation import Ending, Stepped, simulate
from biomec.engine.forward.variable_step import ErrorControl, simulate_adaptive, simulate_to_tolerance
from biomec.engine.joints import Revolute
from biomec.engine.paths.cords import Coordinate, Cord, Cords, PathPoint
from biomec.engine.system import System
from tests.oracles import one_hinge_muscle as oracle

START, EXCITED = -0.6, 0.35


def rod(angle: float = START) -> System:
    """The rod of the oracle, in the plane."""
    bar = planar_bar("rod", oracle.LENGTH, oracle.MASS, attitude=planar_rotation(angle))
    return System([bar], [Revolute("pin", "ground.origin", "rod.A")], name="rod")


CORDS = Cords(
    ("ground", "rod"),
    (Cord("lifter", (PathPoint("ground", np.array([0.0, oracle.HEIGHT, 0.0])),
                     PathPoint("rod", np.array([oracle.REACH, 0.0, 0.0])))),),
)  # fmt: skip
LIFTER = HillParameters(*(np.array([x]) for x in (oracle.FMAX, oracle.LOPT, oracle.LTS, oracle.PENNATION, oracle.VMAX)))


def lifter(system: System, excitation: float = EXCITED, tendon: str = "elastic", muscle: HillParameters = LIFTER):
    return HillMuscles(system, CORDS, muscle, constant([excitation]), MuscleOptions(tendon), activation=[0.05])


def _angle(system: System, q: np.ndarray) -> np.ndarray:
    tip = system.layout.point("rod.B")(q)
    return np.arctan2(tip[..., 1], tip[..., 0])


def test_the_motion_is_that_of_the_same_equations_written_by_hand():
    """Angle, activation and fibre within the error of both integrators, 1e-9 a step."""
    system, times = rod(), np.linspace(0.0, 0.4, 9)
    expected = oracle.motion(START, 0.05, EXCITED, times)
    muscle = lifter(system)
    assert muscle.start(0.0, system.reference, np.zeros(system.n))[1] == pytest.approx(
        oracle.fibre_at_rest(oracle.path(START)[0], 0.05), abs=1e-12
    )
    run = simulate_to_tolerance(
        IndependentCoordinates(system, stabilised=True), weight(system), system.reference, np.zeros(system.n), 0.4,
        method="radau", rtol=1e-9, atol=1e-11, inner=muscle,
    )  # fmt: skip
    assert run.ending is Ending.COMPLETED
    assert run.time_s[-1] == pytest.approx(0.4)
    assert np.ptp(expected[:, 0]) > 0.5  # the muscle lifts the rod by more than 30°
    assert _angle(system, run.q[-1]) == pytest.approx(expected[-1, 0], abs=2e-7)
    assert run.inner[-1, :2] == pytest.approx(expected[-1, 2:], abs=2e-7)


# OpenSim 4.6, DeGrooteFregly2016Muscle, elastic tendon in its explicit form, which leaves the damping of fibres out;
# activation held at 0.08, Runge-Kutta-Merson to 1e-9: time [s], angle [rad], fibre length (of the optimal), force [N]
OPENSIM = (
    (0.05, -0.5737451626834243, 1.070998282716427, 86.69146422788936),
    (0.10, -0.5031147103472405, 1.0388616923962468, 75.36848308505822),
    (0.15, -0.4016428013015064, 0.9885649261033226, 64.00856408048833),
    (0.20, -0.28377587905779433, 0.9255496765600109, 54.08714271706112),
)


def test_the_equations_written_by_hand_are_those_of_opensim_where_fibres_are_not_damped():
    """The other program's own integration: 1e-9 rad and 1e-6 N; the test above ties ours to the same equations."""
    times, *found = np.array(OPENSIM).T
    states = oracle.motion(START, 0.08, 0.08, times, damping=0.0)
    force = [oracle.FMAX * oracle.pull(oracle.path(angle)[0], fibre)[0] for angle, _, _, fibre in states]
    assert states[:, 0] == pytest.approx(found[0], abs=1e-9)
    assert states[:, 3] == pytest.approx(found[1], abs=1e-9)
    assert force == pytest.approx(found[2], abs=1e-6)


@pytest.mark.parametrize("tendon", ["elastic", "rigid"])
@pytest.mark.parametrize(("family", "order", "energy", "state"), [("trapezoidal", 2, 3.9, 3.5), ("adams", 4, 8.0, 5.0)])
def test_energy_is_balanced_to_the_order_of_existing_integrators(tendon, family, order, energy, state):
    """T + V + E − W_c + W_d stays. Halving the step divides its drift by 4 with order 2, and by 8 or more with order 4.

    The fibre's first milliseconds are too quick for these steps to show the orders of the states: less is asked there.
    """
    system = rod()
    ends, drifts = [], []
    for step in (1e-3, 5e-4, 2.5e-4):
        muscle = lifter(system, tendon=tendon)
        stepper = Stepped(
            IndependentCoordinates(system), weight(system), IntegratorOptions(family, order, tolerance=1e-13), muscle
        )
        run = simulate(stepper, system.reference, np.zeros(system.n), 0.1, step)
        assert run.ending is Ending.COMPLETED
        did = muscle.history(run.time_s, run.q, run.qdot, run.inner)
        total = run.kinetic + run.potential + did.elastic_energy - did.contractile_work + did.damping_work
        ends.append(np.append(run.inner[-1, :2], _angle(system, run.q[-1])))
        drifts.append(np.ptp(total))
    assert drifts[0] > energy * drifts[1] > energy**2 * drifts[2]
    assert drifts[-1] < 1e-5 * did.contractile_work[-1]
    assert np.linalg.norm(ends[0] - ends[1]) > state * np.linalg.norm(ends[1] - ends[2])


def test_formulations_and_kinds_of_steps_agree():
    system = rod()
    start = (system.reference, np.zeros(system.n), 0.1)
    exact = simulate_to_tolerance(
        StabilisedLagrange(system, FormulationOptions(alpha=1e7)), weight(system), *start, method="runge-kutta 8",
        inner=lifter(system),
    )  # fmt: skip
    options = IntegratorOptions("trapezoidal", tolerance=1e-12)
    made = FORMULATIONS["augmented"].stepper(
        system, weight(system), FormulationOptions(alpha=1e7), options, inner=lifter(system)
    )
    adapted = simulate_adaptive(made, *start, ErrorControl(position=1e-8, velocity=1e-6))
    assert adapted.ending is Ending.COMPLETED
    assert adapted.inner.shape == (len(adapted.time_s), 4)
    assert _angle(system, adapted.q[-1]) == pytest.approx(_angle(system, exact.q[-1]), abs=1e-6)
    assert adapted.inner[-1] == pytest.approx(exact.inner[-1], abs=1e-5)
    with pytest.raises(BiomecError, match="cannot carry the states of muscles"):
        FORMULATIONS["index-3"].stepper(system, weight(system), FormulationOptions(), options, inner=lifter(system))


def test_a_short_tendon_moves_as_a_rigid_one():
    """The tendon's stretch is proportional to its slack length: so is what it changes."""
    apart = []
    for slack in (0.02, 0.01, 0.005):
        system = rod()
        fibre = oracle.path(START)[0] - slack
        muscle = HillParameters(*(np.array([x]) for x in (60.0, fibre, slack, 0.0, 10.0)))
        ends = []
        for tendon in ("elastic", "rigid"):
            run = simulate_to_tolerance(
                IndependentCoordinates(system), weight(system), system.reference, np.zeros(system.n), 0.1,
                method="radau", rtol=1e-8, atol=1e-10, inner=lifter(system, 0.5, tendon, muscle),
            )  # fmt: skip
            ends.append(_angle(system, run.q[-1]))
        apart.append(abs(ends[0] - ends[1]))
    assert apart[0] / apart[1] == pytest.approx(2.0, rel=0.1)
    assert apart[1] / apart[2] == pytest.approx(2.0, rel=0.1)


def test_a_muscle_that_is_held_comes_to_its_equilibrium():
    system = rod()
    muscle = lifter(system, 0.8)
    still = np.zeros(system.n)
    run = solve_ivp(
        lambda t, y: muscle.rates(t, system.reference, still, y)[1], (0.0, 1.5),
        muscle.start(0.0, system.reference, still), "LSODA", rtol=1e-10, atol=1e-12,
    )  # fmt: skip
    one = ElasticMuscle(*(float(x[0]) for x in LIFTER))
    assert run.y[0, -1] == pytest.approx(0.8, abs=1e-9)
    assert run.y[1, -1] == pytest.approx(elastic_equilibrium(one, oracle.path(START)[0], 0.8, DEGROOTE), abs=1e-9)


@pytest.mark.parametrize("tendon", ["elastic", "rigid"])
def test_without_dynamics_the_activation_is_the_excitation(tendon):
    system = rod()
    excited = played([0.0, 0.1, 0.2], [[0.0], [0.4], [0.2]])
    muscle = HillMuscles(system, CORDS, LIFTER, excited, MuscleOptions(tendon, dynamics=False))
    stepper = Stepped(IndependentCoordinates(system), weight(system), IntegratorOptions("trapezoidal"), muscle)
    run = simulate(stepper, system.reference, np.zeros(system.n), 0.2, 1e-3)
    did = muscle.history(run.time_s, run.q, run.qdot, run.inner)
    assert did.activation[[0, 50, 100, 150, 200], 0] == pytest.approx([0.0, 0.2, 0.4, 0.3, 0.2], abs=1e-12)
    assert did.force.min() >= 0.0  # tendons never push
    assert (did.activation[:, 0] == np.array([excited(t)[0] for t in run.time_s])).all()


def test_what_cannot_be_gets_a_sentence():
    system = rod()
    with pytest.raises(BiomecError, match="not the parameters of as many muscles"):
        HillMuscles(system, CORDS, HillParameters(*(np.ones(2) for _ in range(5))), constant([0.1]))
    with pytest.raises(BiomecError, match=r"Muscle lifter: force, fibre length"):
        HillMuscles(system, CORDS, LIFTER._replace(lopt=np.array([-0.1])), constant([0.1]))
    with pytest.raises(BiomecError, match=r"at 0\.0000 s the excitation is not 1 numbers"):
        HillMuscles(system, CORDS, LIFTER, constant([0.1, 0.2])).start(0.0, system.reference, np.zeros(system.n))
    with pytest.raises(BiomecError, match=r'tendons are elastic or rigid .* not "soft"'):
        MuscleOptions("soft")
    with pytest.raises(BiomecError, match="at times that increase"):
        played([0.0, 0.0], [[0.1], [0.2]])
    points = tuple(PathPoint(name, np.zeros(3), "bend") for name in ("ground", "rod"))
    bending = Cords(("ground", "rod"), (Cord("lifter", points),), (), (Coordinate("bend", "ground", "rod"),))
    with pytest.raises(BiomecError, match="Give angles"):
        HillMuscles(system, bending, LIFTER, constant([0.1]))


def test_a_run_ends_where_an_excitation_is_not_known():
    system = rod()
    muscle = HillMuscles(system, CORDS, LIFTER, lambda t: np.array([0.1 if t < 0.05 else np.nan]))
    stepper = Stepped(IndependentCoordinates(system), weight(system), inner=muscle)
    with pytest.raises(BiomecError, match="the excitation is not"):
        simulate(stepper, system.reference, np.zeros(system.n), 0.2, 1e-3)
