"""Springs and dampers as forces of a simulation: those of the elements themselves, and swings of known period."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.engine.body import Body
from biomec.engine.forces.actuators import HingeElement, Linear, LineElement
from biomec.engine.forces.applied import together, weight
from biomec.engine.forces.springs import springs
from biomec.engine.forward.integrators import IntegratorOptions
from biomec.engine.forward.lagrangian import StabilisedLagrange
from biomec.engine.forward.simulation import Stepped, simulate
from biomec.engine.system import System
from tests.core.engine.forward.mechanisms import mechanism, random_state


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
