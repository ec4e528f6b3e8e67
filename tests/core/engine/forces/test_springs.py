"""Springs, dampers and actuators: closed forms, energy, and exact stiffness and damping matrices."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError
from biomec.engine import AngleCoordinate, LengthCoordinate, Revolute, System, planar_bar
from biomec.engine.body import Body
from biomec.engine.forces.applied import together, weight
from biomec.engine.forces.device_springs import AngleElement, PointElement
from biomec.engine.forces.springs import CoordinateElement, HingeElement, Linear, LineElement, springs
from biomec.engine.forward.integrators import IntegratorOptions
from biomec.engine.forward.lagrangian import StabilisedLagrange
from biomec.engine.forward.simulation import Stepped, simulate
from biomec.engine.reference.planar import four_bar
from biomec.engine.reference.spatial import bennett
from tests.core.engine.forward.mechanisms import mechanism, random_state

H = 1e-6


@dataclass(frozen=True)
class Cubic:
    """A law with curvature, so that a slope taken for a ratio shows."""

    k: float

    def value(self, x):
        return self.k * x**3

    def slope(self, x):
        return 3.0 * self.k * x**2


LAWS = {"spring": Cubic(40.0), "damper": Cubic(3.0)}
ELEMENTS = {
    "line in space": (bennett, LineElement("e", **LAWS, first="bar2.B", second="bar4.B")),
    "line to the ground": (bennett, LineElement("e", **LAWS, first="ground.origin", second="bar3.B")),
    "hinge in space": (bennett, HingeElement("e", **LAWS, start="bar1.x", end="bar2.x", axis="bar1.second")),
    "line in the plane": (lambda: four_bar(shared=False), LineElement("e", **LAWS, first="crank.A", second="ground.P")),
    "hinge in the plane": (lambda: four_bar(shared=False), HingeElement("e", **LAWS, start="crank.x", end="coupler.x")),
    "hinge to the ground": (four_bar, HingeElement("e", **LAWS, start="ground.x", end="crank.x")),
    "angle about an axis": (bennett, AngleElement("e", **LAWS, start="bar1.x", end="bar2.x", axis="bar1.second")),
    "points held together": (bennett, PointElement("e", first="bar2.B", second="bar4.B", k=70.0, c=3.0)),
    "added length": (
        lambda: System(four_bar().bodies, [LengthCoordinate("s", "ground.origin", "coupler.B")], ground={"P": (3, 0)}),
        CoordinateElement("e", **LAWS, coordinate="s"),
    ),
}


@pytest.fixture(params=ELEMENTS)
def case(request):
    build, element = ELEMENTS[request.param]
    return build(), element


def _derivative(f, x):
    return np.stack([(f(x + H * e) - f(x - H * e)) / (2 * H) for e in np.eye(x.size)], axis=-1)


def test_stiffness_and_damping_are_the_derivatives(case, rng):
    """K = −∂Q/∂q and C = −∂Q/∂q̇ with actuator, spring and damper acting at once, away from the constraints."""
    system, element = case
    q, qdot = system.reference + 0.1 * rng.normal(size=system.n), rng.normal(size=system.n)
    found = element.force(system, q, qdot, 1.7)
    K = -_derivative(lambda x: element.force(system, x, qdot, 1.7).Q, q)
    C = -_derivative(lambda x: element.force(system, q, x, 1.7).Q, qdot)
    scale = np.abs(K).max()
    assert scale > 1.0
    assert_allclose(found.K, K, rtol=0, atol=1e-8 * scale)  # central difference: truncation h², rounding eps/h
    assert_allclose(found.C, C, rtol=0, atol=1e-8 * scale)


def test_many_frames_equal_one_at_a_time(case, rng):
    system, element = case
    q = system.reference + 0.05 * rng.normal(size=(3, system.n))
    qdot, drive = rng.normal(size=(3, system.n)), rng.normal(size=3)
    together = element.force(system, q, qdot, drive)
    for t in range(3):
        alone = element.force(system, q[t], qdot[t], drive[t])
        for a, b in zip(together, alone, strict=True):
            assert_allclose(a[t], b, atol=1e-12)


def test_line_spring_pulls_with_its_law():
    """Two points 3 m apart, spring of 10 N/m and 1 m: 20 N towards each other; nothing else moves."""
    system = System([planar_bar("a", 1.0), planar_bar("b", 1.0, position=(3.0, 0.0))])
    spring = LineElement("e", Linear(10.0, rest=1.0), first="a.A", second="b.A")
    Q = spring.force(system, system.reference, np.zeros(system.n)).Q
    assert_allclose(Q, [20, 0, 0, 0, -20, 0, 0, 0], atol=1e-12)


def test_power_of_a_hinge_is_torque_times_relative_speed(rng):
    """Actuator of 5 N m on the four-bar's crank joint A: Qᵀq̇ = 5 (ω_coupler − ω_crank) on a motion it allows."""
    system = four_bar(shared=False)
    q = system.reference
    qdot = np.linalg.svd(system.jacobian(q))[2][-1]  # the only motion of the linkage
    speeds = [
        float(
            (body.angular_velocity_map(system.layout.body_coordinates(q, name)) @ qdot[system.layout.columns(name)])[0]
        )
        for name, body in system.layout.bodies.items()
    ]
    motor = HingeElement("motor", start="crank.x", end="coupler.x")
    assert_allclose(motor.force(system, q, qdot, 5.0).Q @ qdot, 5.0 * (speeds[1] - speeds[0]), rtol=1e-12)


def test_hinge_angle_equals_the_added_coordinate():
    """The same spring, once as torques and once on an added angle, drives a pendulum alike."""
    bar = planar_bar("bar", 1.0, 1.0, attitude=np.array([[0.6, -0.8], [0.8, 0.6]]))
    pin = Revolute("pin", "ground.origin", "bar.A")
    plain, mixed = System([bar], [pin]), System([bar], [pin, AngleCoordinate("angle", "ground.x", "bar.x")])
    angle = np.arctan2(0.8, 0.6)
    assert_allclose(mixed.reference[-1], angle)
    law = Linear(7.0, rest=0.2)
    torque = HingeElement("spring", law, start="ground.x", end="bar.x")
    scalar = CoordinateElement("spring", law, coordinate="angle")
    q, still = plain.reference, np.zeros(plain.n)
    turning = np.array([0.0, 0.0, -0.8, 0.6])  # q̇ of one radian a second
    power = torque.force(plain, q, still).Q @ turning
    assert_allclose(power, -7.0 * (angle - 0.2), rtol=1e-12)
    mixed_power = scalar.force(mixed, mixed.reference, np.zeros(mixed.n)).Q @ np.append(turning, 1.0)
    assert_allclose(mixed_power, power, rtol=1e-12)


def test_elements_say_what_is_wrong():
    system = four_bar()
    with pytest.raises(BiomecError, match="Element e: its two ends meet"):
        LineElement("e", first="crank.A", second="coupler.A").force(system, system.reference, np.zeros(4))
    with pytest.raises(BiomecError, match="Element e: there is no added coordinate s"):
        CoordinateElement("e", coordinate="s").force(system, system.reference, np.zeros(4))


@pytest.mark.parametrize(("name", "axis"), [("Bennett", "bar1.second"), ("pendulum", None)])
def test_forces_are_those_of_the_elements(name, axis):
    system, rng = mechanism(name), np.random.default_rng(3)
    q, qdot = random_state(system, rng, spread=0.02)
    elements = [
        LineElement("rope", Linear(300.0, 0.7), Linear(4.0), first="bar1.com", second="bar2.com"),
        LineElement("tie", Linear(50.0, 0.1), first="ground.origin", second="bar2.com"),
        HingeElement("hinge", Linear(7.0, 0.2), Linear(0.3), start="bar1.x", end="bar2.x", axis=axis),
    ]
    if axis is None:
        elements.append(HingeElement("to ground", None, Linear(0.3), start="ground.x", end="bar2.x"))
    known = sum(one.force(system, q, qdot).Q for one in elements)
    np.testing.assert_allclose(springs(system, elements)(0.0, q, qdot), known, rtol=0, atol=1e-11 * np.abs(known).max())


def test_a_mass_on_a_damped_spring_swings_as_the_closed_form_says():
    m, k, c = 2.0, 50.0, 1.5
    ball = Body(
        name="ball", points={}, basis=("origin", "x", "y", "z"), mass=m, inertia=np.eye(3), position=(0, -1.2, 0)
    )
    system = System([ball], name="ball")
    element = LineElement("spring", Linear(k, 1.0), Linear(c), first="ground.origin", second="ball.origin")
    forces = together(weight(system), springs(system, [element]))
    stepper = Stepped(StabilisedLagrange(system), forces, IntegratorOptions(tolerance=1e-10))
    found = simulate(stepper, system.reference, np.zeros(12), 1.0, 0.001)
    rest, w, decay = -1.0 - m * 9.81 / k, np.sqrt(k / m - (c / (2 * m)) ** 2), c / (2 * m)
    t, start = found.time_s, -1.2 - rest
    known = rest + start * np.exp(-decay * t) * (np.cos(w * t) + decay / w * np.sin(w * t))
    np.testing.assert_allclose(found.q[:, 1], known, rtol=0, atol=1e-8)
    assert np.abs(found.energy_drift).max() < 2e-5  # [J] of 20; work of spring and damper is known by trapezes


def test_ends_that_meet_are_refused():
    system = mechanism("spatial pendulum")
    element = LineElement("none", Linear(1.0), first="rod1.B", second="rod1.B")
    with pytest.raises(BiomecError, match="none: its two ends meet"):
        springs(system, [element])(0.5, np.array(system.reference), np.zeros(system.n))
