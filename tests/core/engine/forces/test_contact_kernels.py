"""Laws of contact: their slopes against finite differences, and where they give nothing."""

import numpy as np
import pytest

from biomec.engine.forces.contact_kernels import (
    contact_force,
    contact_slopes,
    friction_curve,
    hunt_crossley,
    split_velocity,
)
from biomec.engine.forces.ground_contact import ARCTAN, TANH, ContactMaterial, ContactSphere, Ground, GroundContact
from tests.core.body.loads.people import person

STEP = 1e-7
NORMAL = np.array([0.6, 0.8, 0.0])


def law(depth: float, v: np.ndarray, kind: float) -> np.ndarray:
    normal, force = np.empty(3), np.empty(3)
    hunt_crossley(depth, -float(v @ NORMAL), 2e5, 1.5, 2.0, normal)
    contact_force(normal[0], v, NORMAL, 0.7, 0.03, kind, force)
    return force


@pytest.mark.parametrize("kind", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("v", [(0.05, -0.1, 0.02), (0.0, 0.0, 0.0), (1e-6, 0.0, 2e-6), (-0.4, 0.1, 0.3)])
def test_slopes_of_a_contact_force_are_those_of_finite_differences(kind, v):
    v = np.array(v)
    normal = np.empty(3)
    stiffness, damping = np.empty((3, 3)), np.empty((3, 3))
    hunt_crossley(0.004, -float(v @ NORMAL), 2e5, 1.5, 2.0, normal)
    contact_slopes(normal, v, NORMAL, 0.7, 0.03, kind, stiffness, damping)
    for k, e in enumerate(np.eye(3)):
        shift = -float(e @ NORMAL) * STEP  # of the depth, for a point that moves along e
        along = (law(0.004 + shift, v, kind) - law(0.004 - shift, v, kind)) / (2.0 * STEP)
        faster = (law(0.004, v + STEP * e, kind) - law(0.004, v - STEP * e, kind)) / (2.0 * STEP)
        np.testing.assert_allclose(stiffness[:, k], along, rtol=1e-6, atol=1e-3)  # of 2e4 N/m
        np.testing.assert_allclose(damping[:, k], faster, rtol=1e-5, atol=1e-3)  # of 1e3 N s/m


def test_what_pulls_or_does_not_touch_gives_nothing():
    normal = np.ones(3)
    hunt_crossley(-1e-3, 0.0, 1e5, 1.5, 1.0, normal)
    assert not normal.any()
    hunt_crossley(1e-3, -1.1, 1e5, 1.5, 1.0, normal)  # leaves faster than 1/λ
    assert not normal.any()


@pytest.mark.parametrize(("kind", "limit"), [(0.0, 1.0), (1.0, 1.0), (2.0, 0.5 * np.pi)])
def test_friction_curves_reach_their_limits_and_begin_straight(kind, limit):
    found = np.empty(2)
    friction_curve(1e5, kind, found)
    assert found[0] * 1e5 == pytest.approx(limit, rel=1e-4)
    before, after = np.empty(2), np.empty(2)
    friction_curve(0.999e-3, kind, before)  # by series
    friction_curve(1.001e-3, kind, after)
    np.testing.assert_allclose(before, after, rtol=1e-5)


def test_a_velocity_is_split_along_the_plane():
    v, t = np.array([0.3, -0.2, 0.5]), np.empty(3)
    into, sliding = split_velocity(v, NORMAL, t)
    assert into == pytest.approx(-float(v @ NORMAL))
    assert t @ NORMAL == pytest.approx(0.0, abs=1e-15)
    assert sliding == pytest.approx(np.linalg.norm(t))


@pytest.mark.parametrize("curve", [TANH, ARCTAN])
def test_spheres_give_the_slopes_of_their_forces_with_place_and_velocity(curve):
    """Bodies that are shifted and given a velocity as a whole: all points move alike."""
    system = person("m21").system
    material = ContactMaterial(curve=curve)
    spheres = [ContactSphere("heel", "right foot", (-0.05, -0.03, 0.0), 0.03, material)]
    spheres += [ContactSphere("ball", "right foot", (0.13, -0.03, 0.01), 0.02, material)]
    lowest = min(float(system.layout.point("right foot.CALC_D")(system.reference)[1]), 1.0)
    contact = GroundContact(system, spheres, Ground((0.0, lowest - 0.02, 0.0)))
    q = system.reference
    shifts = []
    for axis in range(3):
        shift = np.zeros(system.n)
        for body in system.bodies:
            point = system.layout.point(f"{body.name}.origin")
            used = np.abs(point.matrix[axis]) > 0.0
            shift[point.columns[used]] = np.linalg.pinv(point.matrix[axis : axis + 1, used])[:, 0]
        shifts.append(shift)
    qdot = 0.02 * shifts[0] - 0.03 * shifts[1] + 0.01 * shifts[2]
    found = contact.slopes(q, qdot)
    np.testing.assert_array_equal(found.force, contact.state(q, qdot).force)
    assert (found.force[:, 1] > 10.0).all()
    for axis, shift in enumerate(shifts):
        step = 1e-7
        along = (contact.state(q + step * shift, qdot).force - contact.state(q - step * shift, qdot).force) / (2 * step)
        faster = (contact.state(q, qdot + step * shift).force - contact.state(q, qdot - step * shift).force) / (
            2 * step
        )
        np.testing.assert_allclose(found.stiffness[:, :, axis], along, rtol=1e-5, atol=0.1)  # of 4e4 N/m
        np.testing.assert_allclose(found.damping[:, :, axis], faster, rtol=1e-5, atol=0.01)  # of 1e3 N s/m
