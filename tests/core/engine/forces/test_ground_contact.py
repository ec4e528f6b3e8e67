"""Spheres on the ground: bounces, rolling, sticking and sliding of known closed form."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.tracking.limb_contact import hands_and_feet
from biomec.engine.body import Body
from biomec.engine.forces.applied import together, weight
from biomec.engine.forces.ground_contact import (
    ContactMaterial,
    ContactSphere,
    Ground,
    GroundContact,
    dissipation_of,
)
from biomec.engine.forces.joint_stops import AngleStop, JointStops
from biomec.engine.forward.events import (
    EventWatch,
    SimulationEvent,
    contact_begins,
    contact_ends,
    stop_reached,
    within_step,
)
from biomec.engine.forward.formulation import State
from biomec.engine.forward.index3 import Index3
from biomec.engine.forward.integrators import IntegratorOptions
from biomec.engine.forward.lagrangian import StabilisedLagrange
from biomec.engine.forward.simulation import Ending, Stepped, simulate
from biomec.engine.forward.variable_step import ErrorControl, simulate_adaptive
from biomec.engine.reference.planar import pendulum
from biomec.engine.system import System
from tests.core.body.loads.people import person

RADIUS, MASS = 0.1, 2.0


def ball(height: float, gravity: float = 9.81) -> System:
    """A solid ball with its centre at a height."""
    inertia = 0.4 * MASS * RADIUS**2 * np.eye(3)
    body = Body(
        name="ball", points={}, basis=("origin", "x", "y", "z"), mass=MASS, inertia=inertia, position=(0, height, 0)
    )
    return System([body], name="ball", gravity=(0.0, -gravity, 0.0))


def sphere(**material) -> ContactSphere:
    return ContactSphere("ball", "ball", np.zeros(3), RADIUS, ContactMaterial(**material))


def run(system, contact, qdot, duration, h, watch=None):
    forces = together(weight(system), contact)
    stepper = Stepped(StabilisedLagrange(system), forces, IntegratorOptions(tolerance=1e-10))
    return simulate(stepper, system.reference, qdot, duration, h, stop_when=watch)


def velocity(v: float, spin: float = 0.0, along: float = 0.0) -> np.ndarray:
    """Velocities of the ball: of its centre, and of its axes that turn about z."""
    return np.concatenate([[along, v, 0.0], [0.0, spin, 0.0], [-spin, 0.0, 0.0], np.zeros(3)])


def leaving_speed(v: float, dissipation: float) -> float:
    """Speed u after an impact at v by x dx/(1 + λx) = −K δⁿ dδ/m: λv − ln(1 + λv) = −λu − ln(1 − λu), any K and n."""
    a = dissipation * v
    energy = a - np.log1p(a)
    low, high = 0.0, min(a, 1.0 - 1e-15)
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if -middle - np.log1p(-middle) < energy else (low, middle)
    return low / dissipation


@pytest.mark.parametrize("dissipation", [0.05, 0.3, 2.0])
@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_a_ball_bounces_as_the_closed_form_says(dissipation, exponent):
    system = ball(RADIUS + 0.01, gravity=0.0)
    contact = GroundContact(system, [sphere(stiffness=1e5, exponent=exponent, dissipation=dissipation, friction=0.0)])
    found = run(system, contact, velocity(-2.0), 0.1, 1e-4)
    assert found.ending is Ending.COMPLETED
    assert found.qdot[-1, 1] == pytest.approx(leaving_speed(2.0, dissipation), rel=1e-4)


def test_restitution_is_what_was_asked_for():
    """Hunt and Crossley's law to first order in 1 − c_r; that of Flores within 15 % of it at c_r = 0.5."""
    assert leaving_speed(1.0, dissipation_of(0.98, 1.0)) == pytest.approx(0.98, abs=1e-3)
    assert leaving_speed(1.0, dissipation_of(0.98, 1.0, "lankarani-nikravesh")) == pytest.approx(0.98, abs=1e-3)
    assert leaving_speed(3.0, dissipation_of(0.5, 3.0, "flores")) == pytest.approx(1.5, rel=0.15)
    assert dissipation_of(0.5, 0.0) == dissipation_of(0.5, 0.01) < 100.0  # a resting contact
    with pytest.raises(BiomecError, match="restitution"):
        dissipation_of(0.0, 1.0)
    with pytest.raises(BiomecError, match="the law is"):
        dissipation_of(0.5, 1.0, "hertz")


def test_without_damping_energy_is_kept_and_bounces_last():
    """Period of a bounce: 2 √(2h/g) in the air and a known time on the ground."""
    system, drop = ball(RADIUS + 0.2), 0.2
    stiffness = 2e5
    contact = GroundContact(system, [sphere(stiffness=stiffness, exponent=1.0, dissipation=0.0, friction=0.0)])
    forces = together(weight(system), contact)
    stepper = Stepped(StabilisedLagrange(system), forces, IntegratorOptions(tolerance=1e-11))
    begins, ends = contact_begins(contact, "ball"), contact_ends(contact, "ball")
    watch = EventWatch([begins, ends], stepper.start(0.0, system.reference, np.zeros(12)))
    found = simulate(stepper, system.reference, np.zeros(12), 0.63, 1e-4, stop_when=watch)
    falling = np.sqrt(2.0 * drop / 9.81)
    w, v = np.sqrt(stiffness / MASS), np.sqrt(2.0 * 9.81 * drop)
    pressed = 2.0 * (np.pi - np.arctan2(v, 9.81 / w)) / w  # until the spring has its free length again
    times = [one.time_s for one in watch.occurrences]
    assert [one.name for one in watch.occurrences[:2]] == ["ball touches the ground", "ball leaves the ground"]
    np.testing.assert_allclose(times[:3], [falling, falling + pressed, 3.0 * falling + pressed], rtol=0, atol=2e-5)
    at = found.qdot[np.argmin(np.abs(found.time_s - times[0]))]
    assert watch.occurrences[0].state.qdot[1] == pytest.approx(-v, abs=2e-4)  # the spring begins within that step
    assert at[1] == pytest.approx(-v, abs=2e-3)
    free = np.array([contact.penetration(q, "ball") < 0.0 for q in found.q])
    energy = (found.kinetic + found.potential)[free]
    np.testing.assert_allclose(energy, energy[0], rtol=0, atol=1e-3 * MASS * 9.81 * drop)


def test_it_never_pulls():
    system = ball(RADIUS - 0.01)
    contact = GroundContact(system, [sphere(dissipation=3.0)])
    leaving = contact.state(np.array(system.reference), velocity(+5.0))
    assert leaving.penetration[0] == pytest.approx(0.01)
    assert (leaving.force == 0.0).all()


@pytest.mark.parametrize("curve", ["tanh", "arctan"])
def test_a_sliding_ball_ends_rolling_at_five_sevenths_of_its_speed(curve):
    """Friction of any law: v₁ = 5/7 v₀ for a solid ball; before that the friction is μ m g."""
    sunk = (MASS * 9.81 / 1e6) ** (1 / 1.5)
    system = ball(RADIUS - sunk)
    contact = GroundContact(
        system, [sphere(stiffness=1e6, dissipation=1.0, friction=0.3, slip_speed=0.005, curve=curve)]
    )
    found = run(system, contact, velocity(0.0, along=1.4), 0.35, 5e-4)
    speed = found.qdot[-1, 0]
    assert speed == pytest.approx(1.0, abs=2e-3)  # the last of the slip fades exponentially
    # spin about −z: of the axis x its y component, −ω r = v
    spin = np.cross(found.q[-1, 3:6], found.qdot[-1, 3:6])[2]
    assert -spin * RADIUS == pytest.approx(speed, abs=5e-3)
    early = slice(5, 60)
    slope = np.polyfit(found.time_s[early], found.qdot[early, 0], 1)[0]
    share = 1.0 if curve == "tanh" else 2.0 / np.pi * np.arctan(1.3 / 0.005)
    assert slope == pytest.approx(-0.3 * share * 9.81, rel=5e-3)


def incline(angle: float, friction: float) -> tuple[System, GroundContact]:
    """A block on four points on a slope that falls along x."""
    normal = np.array([np.sin(angle), np.cos(angle), 0.0])
    attitude = np.array([[np.cos(angle), np.sin(angle), 0.0], [-np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
    corners = {f"c{k}": np.array([x, 0.0, z]) for k, (x, z) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1)))}
    block = Body(
        name="block", points=corners, basis=("origin", "x", "y", "z"), mass=4.0, inertia=np.eye(3),
        attitude=attitude,
    )  # fmt: skip
    system = System([block], name="block")
    material = ContactMaterial(stiffness=1e5, exponent=1.0, dissipation=20.0, friction=friction, slip_speed=1e-3)
    spheres = [ContactSphere(name, "block", at, 0.0, material) for name, at in corners.items()]
    return system, GroundContact(system, spheres, Ground(normal=normal))


@pytest.mark.parametrize(("friction", "sticks"), [(0.8, True), (0.3, False)])
def test_a_block_on_a_slope_sticks_or_slides(friction, sticks):
    """At tan a < μ it creeps with v_s artanh(tan a/μ), at tan a > μ it slides with g (sin a − μ cos a)."""
    angle = np.radians(25.0)
    system, contact = incline(angle, friction)
    down = np.array([np.cos(angle), -np.sin(angle), 0.0])
    sunk = 4.0 * 9.81 * np.cos(angle) / 4e5
    q = np.array(system.reference)
    q[:3] -= sunk * np.array([np.sin(angle), np.cos(angle), 0.0])
    forces = together(weight(system), contact)
    options = IntegratorOptions("trapezoidal", tolerance=1e-10)
    stepper = Stepped(StabilisedLagrange(system), forces, options)
    found = simulate(stepper, q, np.zeros(12), 0.1, 1e-4)
    assert found.ending is Ending.COMPLETED
    speed = found.qdot[:, :3] @ down
    if sticks:
        assert speed[-1] == pytest.approx(1e-3 * np.arctanh(np.tan(angle) / friction), rel=1e-3)
    else:
        slope = np.polyfit(found.time_s[-200:], speed[-200:], 1)[0]
        assert slope == pytest.approx(9.81 * (np.sin(angle) - friction * np.cos(angle)), rel=1e-3)
    force = contact.state(found.q[-1], found.qdot[-1]).force.sum(axis=0)
    assert force @ np.array([np.sin(angle), np.cos(angle), 0.0]) == pytest.approx(4.0 * 9.81 * np.cos(angle), rel=1e-3)


def test_friction_never_passes_its_limit():
    system = ball(RADIUS - 0.01)
    for curve in ("tanh", "arctan"):
        contact = GroundContact(system, [sphere(friction=0.5, curve=curve)])
        for along in (0.0, 1e-9, 0.01, 100.0):
            f = contact.state(np.array(system.reference), velocity(0.0, along=along)).force[0]
            assert abs(f[0]) <= 0.5 * f[1]
            assert f[0] * along <= 0.0
    assert f[0] == pytest.approx(-0.5 * f[1], rel=1e-3)


def test_power_of_the_generalised_force_is_that_of_the_contact_forces():
    """Q·q̇ = Σ f·v of the material points, for the hands and feet of a person half sunk into the floor."""
    system = person("m21").system
    contact = GroundContact(system, hands_and_feet(system), Ground(point=(0.0, 0.9, 0.0)))
    q, rng = np.array(system.reference), np.random.default_rng(2)
    omega, slide = rng.normal(size=3), rng.normal(size=3)
    qdot = np.empty(system.n)  # the person as a rigid body
    for body in system.bodies:
        columns = system.layout.columns(body.name)
        parts = q[columns].reshape(-1, 3)
        moved = np.cross(omega, parts)
        moved[: len(body.basic_points)] += slide
        qdot[columns] = moved.ravel()
    found, Q = contact.state(q, qdot), contact(0.0, q, qdot)
    assert (found.penetration > 0.0).sum() > 6
    v = slide + np.cross(omega, found.point)
    assert Q @ qdot == pytest.approx(float(np.sum(found.force * v)), rel=1e-9)
    total = sum(
        Q[system.layout.columns(body.name)].reshape(-1, 3)[: len(body.basic_points)].sum(axis=0)
        for body in system.bodies
    )
    np.testing.assert_allclose(total, found.force.sum(axis=0), rtol=0, atol=1e-9 * np.abs(found.force).sum())


def test_a_stiff_impact_ends_with_a_sentence_or_a_result_and_small_steps_get_through():
    system = ball(RADIUS + 0.05)
    contact = GroundContact(system, [sphere(stiffness=1e8, dissipation=1.0)])
    coarse = run(system, contact, velocity(-2.0), 0.1, 0.01)
    assert coarse.ending in (Ending.NOT_CONVERGED, Ending.DIVERGED)
    assert coarse.sentence.startswith("Stopped at 0.0")
    assert np.isfinite(coarse.q).all()
    stepper = Index3(system, together(weight(system), contact), integrator=IntegratorOptions("trapezoidal"))
    fine = simulate_adaptive(
        stepper, system.reference, velocity(-2.0), 0.05, ErrorControl(1e-7, 1e-2, first_s=1e-3, least_s=1e-8)
    )
    assert fine.ending is Ending.COMPLETED
    assert 0.0 < fine.qdot[-1, 1] < 2.2  # it came back


def test_a_stop_is_an_event_that_can_end_the_run():
    system = pendulum([0.0])
    stops = JointStops(system, [AngleStop("bar", "ground", "bar1", -1.0, 1.0, 50.0)])
    stepper = Stepped(StabilisedLagrange(system), together(weight(system), stops), IntegratorOptions(tolerance=1e-10))
    start = stepper.start(0.0, system.reference, np.zeros(4))
    watch = EventWatch([stop_reached(stops, "bar", ends=True)], start)
    found = simulate(stepper, system.reference, np.zeros(4), 2.0, 0.005, stop_when=watch)
    assert found.ending is Ending.EVENT
    (one,) = watch.occurrences
    assert found.sentence == f"Ended at {one.time_s:.4f} s: bar reaches its stop."
    # ½ (mL²/3) ω² = m g L/2 sin θ
    x = 1.5 * 9.81
    rate = stops.state(one.state.q, one.state.qdot).rate[0]
    assert rate == pytest.approx(-np.sqrt(2.0 * x * np.sin(1.0)), rel=1e-6)


def test_events_lie_between_the_steps_and_in_the_sense_that_was_asked_for():
    def at(t: float) -> State:
        return State(t, np.array([np.sin(t)]), np.array([np.cos(t)]), np.array([-np.sin(t)]), np.zeros(0))

    seen = {}
    for rising in (True, False, None):
        watch = EventWatch([SimulationEvent("zero", lambda now: float(now.q[0]), rising)], at(0.3))
        for t in np.arange(0.4, 10.0, 0.1):
            assert watch(at(float(t))) is None
        seen[rising] = [one.time_s for one in watch.occurrences]
    np.testing.assert_allclose(seen[None], [np.pi, 2 * np.pi, 3 * np.pi], rtol=0, atol=1e-9)  # h⁶/(6! 2⁶) at h = 0.1
    np.testing.assert_allclose(seen[True], [2 * np.pi], rtol=0, atol=1e-9)
    np.testing.assert_allclose(seen[False], [np.pi, 3 * np.pi], rtol=0, atol=1e-9)
    inner = within_step(at(1.0), at(1.1), 1.04)
    for found, known in zip(inner[1:4], at(1.04)[1:4], strict=True):
        np.testing.assert_allclose(found, known, rtol=0, atol=1e-6)


def test_wrong_contacts_are_refused():
    system = ball(1.0)
    with pytest.raises(BiomecError, match="radius"):
        GroundContact(system, [ContactSphere("a", "ball", np.zeros(3), -1.0)])
    with pytest.raises(BiomecError, match="3 numbers"):
        GroundContact(system, [ContactSphere("a", "ball", np.zeros(2), 0.1)])
    with pytest.raises(BiomecError, match="same name"):
        GroundContact(system, [sphere(), sphere()])
    with pytest.raises(BiomecError, match="normal"):
        GroundContact(system, [sphere()], Ground(normal=(0, 0, 0)))
    with pytest.raises(BiomecError, match="no hands and feet"):
        hands_and_feet(system)
    with pytest.raises(BiomecError, match="tanh or arctan"):
        ContactMaterial(curve="step")
    with pytest.raises(BiomecError, match="no contact foot"):
        contact_begins(GroundContact(system, [sphere()]), "foot")
