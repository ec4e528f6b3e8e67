"""A walk and its mirror image: the body, its motion and the ground reflected, and inverse dynamics done anew."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.arrays import FloatArray
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.multibody_inverse import multibody_loads
from biomec.body.loads.newton_euler import newton_euler
from biomec.engine.body import Body
from biomec.engine.forces.external_loads import external_loads
from biomec.engine.joints import Constraint, EllipsoidContact
from biomec.engine.system import System
from biomec.engine.tree.joint_tree import joint_tree
from biomec.virtual import RecordOptions, VirtualPerson, Walk, record
from tests.core.body.loads.people import Moving, truth_of

MIRROR = np.array([1.0, 1.0, -1.0])  # z points to the right; a couple or an angular velocity gets the opposite signs
ROUND_OFF = 1e-10  # N and N·m, of loads that reach 850 N; a reflection changes only signs, and no difference was found


@cache
def walk() -> Moving:
    """One foot bears while the other swings, and the inertia table puts the trunk's mass a little aside."""
    return truth_of(record(Walk(), VirtualPerson(), RecordOptions(50.0, 50.0)))


def other(name: str) -> str:
    """Name of the same on the other side; landmarks, whose side is a letter, keep theirs."""
    return name.replace("right", "~").replace("left", "right").replace("~", "left")


def mirrored_body(body: Body) -> Body:
    """The mirror image of a segment. Its axes are x and y reflected, and −z reflected: a right-handed frame again."""
    S = np.diag(MIRROR)
    return replace(
        body,
        name=other(body.name),
        points={other(name): place * MIRROR for name, place in body.points.items()},
        vectors={other(name): axis * MIRROR for name, axis in body.vectors.items() if name not in ("x", "y", "z")},
        centre_of_mass=np.asarray(body.centre_of_mass) * MIRROR,
        inertia=S @ np.asarray(body.inertia) @ S,
        position=np.asarray(body.position) * MIRROR,
        attitude=S @ np.asarray(body.attitude) @ S,
    )


def mirrored_constraint(one: Constraint) -> Constraint:
    names = {key: other(value) for key, value in vars(one).items() if isinstance(value, str)}
    if isinstance(one, EllipsoidContact) and one.attitude is not None:
        return replace(one, **names, attitude=np.diag(MIRROR) @ np.asarray(one.attitude) @ np.diag(MIRROR))
    return replace(one, **names)


def mirrored_coordinates(system: System, image: System, level: FloatArray) -> FloatArray:
    """Reflect positions, velocities or accelerations (T, n): a basic z is the opposite of the reflected one."""
    result = np.empty_like(level)
    for body in system.bodies:
        given, wanted = system.layout.columns(body.name), image.layout.columns(other(body.name))
        for k, element in enumerate(body.basis):
            part = slice(3 * k, 3 * k + 3)
            sign = -1.0 if element == "z" else 1.0
            result[:, wanted[part]] = sign * MIRROR * level[:, given[part]]
    return result


@cache
def mirrored_walk() -> Moving:
    given = walk()
    system = given.tree.system
    image = System(
        [mirrored_body(body) for body in system.bodies],
        [mirrored_constraint(one) for one in system.constraints],
        gravity=system.gravity * MIRROR,
    )
    ground = given.external
    external = external_loads(
        [other(name) for name in ground.segments],
        ground.point * MIRROR, ground.force * MIRROR, -ground.moment * MIRROR,
    )  # fmt: skip
    levels = (mirrored_coordinates(system, image, level) for level in (given.q, given.qdot, given.qddot))
    return Moving(given.model, joint_tree(image, given.model.model.roots), *levels, external)


def loads_of(moving: Moving, method: str) -> JointLoads:
    if method == "newton-euler":
        return newton_euler(moving.tree, moving.segments, moving.q, moving.external)
    name, _, constraints = method.partition(", ")
    return multibody_loads(moving.tree, moving.q, moving.qddot, moving.external, name, constraints or "spherical")


def test_the_mirror_image_is_a_person_in_motion_and_another_one():
    """Its constraints hold at all levels, and its right leg does not bear what its left leg bears at the same time."""
    given, image = walk(), mirrored_walk()
    system = image.tree.system
    for t in (0, len(image.q) // 3, len(image.q) - 1):
        q, qdot, qddot = image.q[t], image.qdot[t], image.qddot[t]
        Phi = system.jacobian(q)
        assert np.abs(system.residual(q)).max() < 1e-10
        assert np.abs(Phi @ qdot).max() < 1e-9
        assert np.abs(Phi @ qddot - system.acceleration_rhs(q, qdot)).max() < 1e-8
    loads = loads_of(given, "newton-euler")
    right, left = (loads.force[:, loads.index(f"{side} hip")] for side in ("right", "left"))
    assert np.abs(right * MIRROR - left).max() > 500.0


@pytest.mark.parametrize("method", ["newton-euler", "newton", "lagrange", "velocity", "newton, all", "lagrange, all"])
def test_a_mirrored_walk_carries_mirrored_loads(method):
    """Forces reflect, torques reflect with the opposite sign, right and left change places."""
    given, image = (loads_of(moving, method) for moving in (walk(), mirrored_walk()))
    assert sorted(image.joints) == sorted(other(joint) for joint in given.joints)
    for j, joint in enumerate(given.joints):
        k = image.index(other(joint))
        assert (image.proximal[k], image.distal[k]) == (other(given.proximal[j]), other(given.distal[j]))
        assert_allclose(image.force[:, k], given.force[:, j] * MIRROR, rtol=0, atol=ROUND_OFF, err_msg=joint)
        assert_allclose(image.torque[:, k], -given.torque[:, j] * MIRROR, rtol=0, atol=ROUND_OFF, err_msg=joint)
    assert_allclose(image.residual_force, given.residual_force * MIRROR, rtol=0, atol=ROUND_OFF)
    assert_allclose(image.residual_torque, -given.residual_torque * MIRROR, rtol=0, atol=ROUND_OFF)
    assert len(given.contacts) == (4 if method.endswith("all") else 0)
    for c, contact in enumerate(given.contacts):
        k = image.contacts.index(other(contact))
        assert_allclose(image.contact_force[:, k], given.contact_force[:, c] * MIRROR, rtol=0, atol=ROUND_OFF)
