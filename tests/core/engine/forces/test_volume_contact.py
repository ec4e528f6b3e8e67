"""Soles that press by the volume below the ground: closed forms of volume, rest, friction and power."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.engine.body import Body
from biomec.engine.forces.applied import together, weight
from biomec.engine.forces.ground_contact import ARCTAN, TANH
from biomec.engine.forces.volume_contact import PRINTED, ContactSole, VolumeContact, VolumeMaterial, profile, sole
from biomec.engine.forward.integrators import IntegratorOptions
from biomec.engine.forward.lagrangian import StabilisedLagrange
from biomec.engine.forward.simulation import Ending, Stepped, simulate
from biomec.engine.system import System

MASS, LENGTH, WIDTH = 20.0, 0.25, 0.1
INERTIA = 0.5 * np.eye(3)
SOFT = VolumeMaterial(stiffness=5e5, exponent=0.79, damping=1e6, friction=0.5, slip_speed=0.02, curve=TANH)
X, Z = np.linspace(0.0, LENGTH, 7), np.linspace(-0.5 * WIDTH, 0.5 * WIDTH, 3)


def block(height: float) -> System:
    """A heavy foot with its origin at a height."""
    body = Body(
        name="foot", points={}, basis=("origin", "x", "y", "z"), mass=MASS, inertia=INERTIA,
        centre_of_mass=(0.5 * LENGTH, 0.0, 0.0), position=(0.0, height, 0.0),
    )  # fmt: skip
    return System([body], name="block", gravity=(0.0, -9.81, 0.0))


def flat(material: VolumeMaterial = SOFT) -> ContactSole:
    return sole("sole", "foot", X, Z, np.zeros((7, 3)), material)


def still(system: System, at: float = 0.0) -> np.ndarray:
    """Coordinates with the origin moved up."""
    q = np.array(system.reference)
    q[1] += at
    return q


def test_the_volume_below_a_flat_sole_is_a_box_and_below_a_round_one_a_cap():
    system, depth = block(-0.004), 0.004
    found = VolumeContact(system, [flat()]).state(still(system), np.zeros(system.n))
    assert found.volume[0] == pytest.approx(LENGTH * WIDTH * depth, rel=1e-12)
    np.testing.assert_allclose(found.point[0], [0.5 * LENGTH, -depth, 0.0], atol=1e-12)
    radius, x = 0.1, np.linspace(-0.05, 0.05, 41)
    height = -np.sqrt(radius**2 - x[:, None] ** 2 - x[None, :] ** 2)
    ball = sole("ball", "foot", x, x, height, SOFT, samples=(200, 200))
    system = block(radius - depth)
    found = VolumeContact(system, [ball]).state(still(system), np.zeros(system.n))
    # the sum over squares of 0.5 mm under a cap of 28 mm radius
    assert found.volume[0] == pytest.approx(np.pi * depth**2 * (radius - depth / 3.0), rel=2e-3)


def test_a_tilted_wedge_has_its_area_and_centroid():
    """In the plane of a profile that rises by 1 in 10: a triangle below the ground."""
    rising = profile("edge", "foot", X, 0.1 * X)
    points = np.column_stack([rising.points, np.zeros(len(rising.areas))])
    system = block(-0.01)
    contact = VolumeContact(system, [ContactSole("edge", "foot", points, rising.areas, SOFT)])
    found = contact.state(still(system), np.zeros(system.n))
    assert found.volume[0] == pytest.approx(0.5 * 0.1 * 0.01, rel=1e-3)  # to x = 0.1; samples of 1.25 mm
    assert found.point[0, 0] == pytest.approx(0.1 / 3.0, rel=1e-2)


def test_a_foot_comes_to_rest_where_the_volume_bears_its_weight():
    system = block(-0.001)
    damped = VolumeMaterial(stiffness=5e5, exponent=0.79, damping=5e7, friction=0.5, curve=TANH)  # 97 % of critical
    contact = VolumeContact(system, [flat(damped)])
    stepper = Stepped(StabilisedLagrange(system), together(weight(system), contact), IntegratorOptions())
    run = simulate(stepper, still(system), np.zeros(system.n), 0.2, 2e-4)
    assert run.ending is Ending.COMPLETED
    depth = (MASS * 9.81 / SOFT.stiffness) ** (1.0 / SOFT.exponent) / (LENGTH * WIDTH)
    assert -run.q[-1, 1] == pytest.approx(depth, rel=1e-3)
    lost = run.energy_drift  # what contact takes is counted as its work
    assert np.abs(lost).max() < 1e-3 * MASS * 9.81 * depth + 1e-6


@pytest.mark.parametrize(("curve", "limit"), [(TANH, 1.0), (ARCTAN, 1.0), (PRINTED, 0.5 * np.pi)])
def test_friction_of_a_sliding_sole_tends_to_its_limit(curve, limit):
    system = block(-0.002)
    material = VolumeMaterial(stiffness=5e5, damping=0.0, friction=0.34, curve=curve)
    qdot = np.zeros(system.n)
    qdot[0] = 1e4 * material.slip_speed
    found = VolumeContact(system, [flat(material)]).state(still(system), qdot)
    assert -found.force[0, 0] / found.force[0, 1] == pytest.approx(0.34 * limit, rel=1e-3)


def test_generalised_forces_have_the_power_of_the_force_at_the_centroid():
    system = block(-0.003)
    contact = VolumeContact(system, [flat()])
    rng = np.random.default_rng(3)
    v, omega = 0.1 * rng.normal(size=3), rng.normal(size=3)
    qdot = np.concatenate([v, *(np.cross(omega, e) for e in np.eye(3))])
    found = contact.state(still(system), qdot)
    origin = still(system)[:3]
    at = v + np.cross(omega, found.point[0] - origin)
    assert contact(0.0, still(system), qdot) @ qdot == pytest.approx(float(found.force[0] @ at), rel=1e-9)


def test_slopes_are_those_of_finite_differences_for_shifts_of_the_foot():
    system, step = block(-0.003), 1e-7
    contact = VolumeContact(system, [flat()])
    qdot = np.zeros(system.n)
    qdot[:3] = 0.02, -0.05, 0.01
    found = contact.slopes(still(system), qdot)
    for axis in range(3):
        shift = np.zeros(system.n)
        shift[axis] = step
        q = still(system)
        along = (contact.state(q + shift, qdot).force - contact.state(q - shift, qdot).force) / (2.0 * step)
        faster = (contact.state(q, qdot + shift).force - contact.state(q, qdot - shift).force) / (2.0 * step)
        np.testing.assert_allclose(found.stiffness[:, :, axis], along, rtol=1e-5, atol=0.1)  # of 2e5 N/m
        np.testing.assert_allclose(found.damping[:, :, axis], faster, rtol=1e-5, atol=0.01)


def test_the_published_constants_are_the_defaults():
    one = VolumeMaterial()
    assert (one.stiffness, one.exponent, one.damping, one.friction, one.slip_speed) == (1e5, 0.79, 2e6, 0.34, 0.034)


def test_what_cannot_be_is_a_sentence():
    with pytest.raises(BiomecError, match="must be positive"):
        VolumeMaterial(stiffness=0.0)
    with pytest.raises(BiomecError, match="curve of friction"):
        VolumeMaterial(curve="steep")
    system = block(0.0)
    with pytest.raises(BiomecError, match="needs 3 numbers"):
        VolumeContact(system, [ContactSole("edge", "foot", np.zeros((3, 2)), np.ones(3))])
