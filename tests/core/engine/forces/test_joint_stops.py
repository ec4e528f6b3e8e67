"""Stops of joint angles: what they leave free, the work they do, how they catch a chain."""

from itertools import pairwise

import numpy as np
import pytest

from biomec.base.errors import BiomecError, DescriptionError
from biomec.body.kinematics.joint_angles import joint_angles
from biomec.body.tracking.joint_ranges import (
    load_joint_ranges,
    parse_joint_ranges,
    shipped_joint_ranges,
    stops_of,
)
from biomec.engine.body import planar_bar
from biomec.engine.forces.applied import together, weight
from biomec.engine.forces.joint_stops import AngleStop, JointStops, StopLaw
from biomec.engine.forward.formulation import FormulationOptions
from biomec.engine.forward.index3 import Index3
from biomec.engine.forward.integrators import IntegratorOptions
from biomec.engine.forward.lagrangian import StabilisedLagrange
from biomec.engine.forward.simulation import Ending, Stepped, simulate
from biomec.engine.forward.variable_step import ErrorControl, simulate_adaptive
from biomec.engine.joints import Revolute
from biomec.engine.reference.planar import pendulum
from biomec.engine.system import System
from tests.core.body.loads.people import person, push_up
from tests.core.engine.forward.mechanisms import random_state


@pytest.fixture(scope="module")
def whole_body():
    body = person("m21")
    return body, JointStops(body.system, stops_of(body, load_joint_ranges("aaos")))


def test_angles_are_those_of_the_joint_angles(whole_body):
    body, stops = whole_body
    acquisition = push_up()
    q, qdot = acquisition.truth.q[60], acquisition.truth.qdot[60]
    known = joint_angles(
        body.attitudes(q[None]), body.model.angles, static=body.attitudes(body.system.reference), axes=body.joint_axes()
    )
    found = stops.state(q, qdot)
    assert len(stops.names) == 3 + 3 + 2 * (3 + 1 + 1 + 2 + 3 + 1 + 2)
    for name, angle in zip(stops.names, found.angle, strict=True):
        assert angle == pytest.approx(known[name][0], abs=1e-9), name


def test_rates_are_those_of_the_angles(whole_body):
    body, stops = whole_body
    q, qdot = random_state(body.system, np.random.default_rng(5), spread=0.02)
    h = 1e-6
    moved = [stops.state(q + step * qdot, qdot).angle for step in (-h, h)]  # rigid to second order of h
    found = stops.state(q, qdot).rate
    np.testing.assert_allclose(found, (moved[1] - moved[0]) / (2 * h), rtol=1e-5, atol=1e-5 * np.abs(found).max())


def test_within_the_ranges_nothing_acts(whole_body):
    body, stops = whole_body
    q = np.array(body.system.reference)
    state = stops.state(q, np.zeros_like(q))
    inside = state.beyond <= 0.0
    assert inside.sum() > 0.9 * len(inside)
    assert (state.torque[inside] == 0.0).all()


def test_the_power_of_the_stops_is_that_of_their_torques(whole_body):
    """Q·q̇ = Σ τ θ̇, in attitudes far out of every range, and the force is the gradient of the energy."""
    body, _ = whole_body
    narrow = [
        AngleStop(
            s.name, s.proximal, s.distal, -0.011, 0.01, 10.0, s.sign, s.sequence, s.index, s.axis, s.zero, s.reference
        )
        for s in stops_of(body, load_joint_ranges("aaos"))
    ]
    stops = JointStops(body.system, narrow, StopLaw(damping=0.0))
    q, qdot = random_state(body.system, np.random.default_rng(6), spread=0.02)
    state, Q = stops.state(q, qdot), stops(0.0, q, qdot)
    assert (state.beyond > 0.0).sum() > 20
    assert Q @ qdot == pytest.approx(float(state.torque @ state.rate), rel=1e-9)
    h = 1e-6
    change = (stops.energy(q + h * qdot) - stops.energy(q - h * qdot)) / (2 * h)
    assert -Q @ qdot == pytest.approx(change, rel=1e-5)


def hinge(lower: float, upper: float, damping: float, start: float = 0.0) -> tuple[System, JointStops]:
    """A bar on a hinge without weight, with stops."""
    c, s = np.cos(start), np.sin(start)
    bar = planar_bar("bar", 1.0, 3.0, ends=("A", "B"), attitude=np.array([[c, -s], [s, c]]))
    system = System([bar], [Revolute("hinge", "ground.origin", "bar.A")], name="bar", gravity=(0.0, 0.0))
    stop = AngleStop("hinge", "ground", "bar", lower, upper, 100.0, sequence="ZXY", index=0)
    return system, JointStops(system, [stop], StopLaw(damping=damping))


@pytest.mark.parametrize("damping", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_an_angle_leaves_its_stop_as_the_closed_form_says(damping, side):
    """∫ ω dω/(1 + c ω) inwards = ½ ω₀² outwards, whatever f: ω₀² = 2 (c ω − ln(1 + c ω))/c²."""
    system, stops = hinge(-0.1, 0.1, damping)
    omega = 4.0
    q = np.array(system.reference)
    qdot = np.concatenate([np.zeros(2), [0.0, side * omega]])
    stepper = Stepped(
        StabilisedLagrange(system, FormulationOptions(alpha=1e6)), stops, IntegratorOptions(tolerance=1e-10)
    )
    found = simulate(stepper, q, qdot, 0.6, 1e-3)
    rate = np.array([stops.state(*state).rate[0] for state in zip(found.q, found.qdot, strict=True)])
    inside = np.array([stops.beyond(q, "hinge") < -0.02 for q in found.q])
    back = rate[inside & (side * rate < 0.0)]
    known = omega if damping == 0.0 else np.sqrt(2.0 * (damping * omega - np.log1p(damping * omega))) / damping
    np.testing.assert_allclose(np.abs(back), known, rtol=1e-4)
    assert len(back) > 5


def test_angles_beyond_half_a_turn_meet_the_nearer_stop():
    """A range of −60° to 180°: at 190° the upper stop acts, not the lower one, although the angle reads −170°."""
    _, stops = hinge(np.radians(-60.0), np.radians(180.0), 0.0)
    for degrees, side in ((190.0, -1.0), (-70.0, 1.0)):
        system, _ = hinge(-1.0, 1.0, 0.0, np.radians(degrees))
        state = stops.state(np.array(system.reference), np.zeros(4))
        assert state.beyond[0] == pytest.approx(np.radians(10.0))
        assert np.sign(state.torque[0]) == side


def test_a_chain_released_against_its_stops_is_caught_by_them():
    system = pendulum([0.0, 0.0, 0.0, 0.0], length=0.3, mass=2.0)
    names = ["ground", *(body.name for body in system.bodies)]
    limits = [AngleStop(f"{b} to {a}", a, b, -0.2, 0.2, 200.0) for a, b in pairwise(names)]
    stops = JointStops(system, limits, StopLaw(damping=0.5))
    stepper = Stepped(StabilisedLagrange(system), together(weight(system), stops), IntegratorOptions(tolerance=1e-8))
    found = simulate(stepper, system.reference, np.zeros(system.n), 1.5, 0.0005)
    assert found.ending is Ending.COMPLETED
    assert found.kinetic[-300:].max() < 0.5 * found.kinetic.max()
    energy = found.kinetic + found.potential + np.array([stops.energy(q) for q in found.q])
    assert energy[-1] < -15.0  # of 47 J that it can lose; the rest is in the stops, or still swings
    assert np.diff(energy).max() < 1e-6 * found.kinetic.max()  # nothing puts any in


@pytest.mark.parametrize("code", [StabilisedLagrange, Index3])
def test_hard_stops_and_long_steps_end_with_a_time_and_variable_steps_get_through(code):
    """A stop of 1e5 N·m/rad swings a thousand times a second; steps of 20 ms cannot follow it."""
    system = pendulum([0.0, 0.0], length=0.3, mass=2.0)
    names = ["ground", *(body.name for body in system.bodies)]
    stops = JointStops(system, [AngleStop(f"{b} to {a}", a, b, -0.2, 0.2, 1e5) for a, b in pairwise(names)])
    forces, still = together(weight(system), stops), np.zeros(system.n)
    options = IntegratorOptions("trapezoidal")
    stepper = Index3(system, forces, integrator=options) if code is Index3 else Stepped(code(system), forces, options)
    long = simulate(stepper, system.reference, still, 0.3, 0.02)
    assert long.ending in (Ending.NOT_CONVERGED, Ending.DIVERGED, Ending.UNSOLVABLE)
    assert long.sentence.startswith("Stopped at 0.")
    assert 0.0 < long.time_s[-1] < 0.3
    assert np.isfinite(long.q).all()
    short = simulate_adaptive(stepper, system.reference, still, 0.2, ErrorControl(1e-5, 1e-2))
    assert short.ending is Ending.COMPLETED, short.sentence
    assert max(stops.beyond(q, "bar1 to ground") for q in short.q) > 0.0  # it was stopped


def test_shipped_ranges_have_sources_and_know_the_joints_of_the_models():
    for name in shipped_joint_ranges():
        table = load_joint_ranges(name)
        assert table.sources
        for model in ("m21", "m17", "legs"):
            assert len(stops_of(person(model), table)) >= 12


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("upper_deg = 20.0", "upper_deg = -90.0"), "end higher"),
        (("stiffness = 3.0", "stiffness = 0.0"), "more than 0"),
        (("angle", "angel"), "angel"),
    ],
)
def test_wrong_tables_are_refused(change, message):
    text = (
        'name = "a"\ntitle = "b"\nsources = ["c"]\n[[range]]\njoint = "* knee"\nangle = "flexion"\n'
        "lower_deg = 0.0\nupper_deg = 20.0\nstiffness = 3.0\n"
    )
    assert len(parse_joint_ranges(text, "x.toml").ranges) == 2
    with pytest.raises(DescriptionError, match=message):
        parse_joint_ranges(text.replace(*change), "x.toml")
    with pytest.raises(DescriptionError, match="twice"):
        parse_joint_ranges(text + text[text.index("[[") :], "x.toml")


def test_wrong_stops_are_refused():
    system = pendulum([0.0])
    with pytest.raises(BiomecError, match="ends higher"):
        AngleStop("a", "ground", "bar1", 1.0, 0.0, 1.0)
    with pytest.raises(BiomecError, match="three different axes"):
        AngleStop("a", "ground", "bar1", 0.0, 1.0, 1.0, sequence="YXY")
    with pytest.raises(BiomecError, match="no body"):
        JointStops(system, [AngleStop("a", "ground", "bar7", 0.0, 1.0, 1.0)])
    stops = JointStops(system, [AngleStop("a", "ground", "bar1", 0.0, 1.0, 1.0)])
    with pytest.raises(BiomecError, match="no stop of b"):
        stops.beyond(np.array(system.reference), "b")
