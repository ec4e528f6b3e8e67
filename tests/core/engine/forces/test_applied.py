"""Forces and torques as generalised forces: power, resultants, and freedom from singular directions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError
from biomec.engine import System
from biomec.engine.forces.applied import point_force, resultant, torque, wrench
from biomec.engine.reference.human import human_system
from biomec.engine.structure import null_space
from tests.core.engine.examples import BASES, planar_body, spatial_body

TORQUES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "any": (0.3, -2.0, 0.7), "none": (0, 0, 0)}


@pytest.fixture(params=BASES)
def body_system(request):
    return System([spatial_body("b", request.param)])


def _rigid_velocity(system, v, w):
    """q̇ of the rigid motion with velocity v at the laboratory origin and angular velocity w."""
    body = system.layout.bodies["b"]
    q = system.reference
    parts = []
    for k, name in enumerate(body.basis):
        x = q[3 * k : 3 * k + 3]
        parts.append(np.cross(w, x) + (v if name in body.points else 0.0))
    return np.concatenate(parts)


@pytest.mark.parametrize("h", TORQUES.values(), ids=TORQUES)
def test_torque_is_pure_in_every_direction(body_system, rng, h):
    """Its power is h·ω for every rigid motion, its force is zero, its moment is h; a vertical one too."""
    q = body_system.reference
    Q = torque(body_system, "b", q, h)
    for _ in range(5):
        v, w = rng.normal(size=3), rng.normal(size=3)
        assert_allclose(Q @ _rigid_velocity(body_system, v, w), np.dot(h, w), atol=1e-12)
    force, moment = resultant(body_system, "b", q, Q)
    assert_allclose(force, 0.0, atol=1e-13)
    assert_allclose(moment, h, atol=1e-12)


@pytest.mark.parametrize("h", [TORQUES["y"], TORQUES["any"]], ids=["y", "any"])
def test_torque_moves_the_body_like_the_couple_of_two_forces(body_system, h):
    """The couple of [Nunes2017] Eqs. 5.12-5.17 differs by rigid-body rows only: RᵀQ is the same."""
    q = body_system.reference
    body = body_system.layout.bodies["b"]
    k = int(np.argmin(np.abs(h)))
    n = np.cross(h, np.eye(3)[k])
    n /= np.linalg.norm(n)
    local = body.attitude_matrix.T @ n
    couple = body.vector_map(local).T @ np.cross(h, n)
    R = null_space(body_system.jacobian(q)).R
    assert_allclose(R.T @ torque(body_system, "b", q, h), R.T @ couple, atol=1e-11 * np.abs(R).max())


def test_wrench_at_a_laboratory_point(body_system, rng):
    q = body_system.reference
    point, force, moment = rng.normal(size=(3, 3))
    Q = wrench(body_system, "b", q, point, force, moment)
    for _ in range(5):
        v, w = rng.normal(size=3), rng.normal(size=3)
        power = force @ (v + np.cross(w, point)) + moment @ w
        assert_allclose(Q @ _rigid_velocity(body_system, v, w), power, atol=1e-11)
    found_force, about = resultant(body_system, "b", q, Q)
    first = q[:3]  # the first basic point
    assert_allclose(found_force, force, atol=1e-12)
    assert_allclose(about, moment + np.cross(point - first, force), atol=1e-11)


def test_point_force_is_the_transposed_map(body_system, rng):
    force = rng.normal(size=(4, 3))
    Q = point_force(body_system, "b.S", force)
    assert Q.shape == (4, 12)
    assert_allclose(Q, force @ body_system.layout.bodies["b"].point_map("S"), atol=1e-15)


def test_many_frames_and_the_plane(rng):
    system = System([planar_body("b", "1p1v")])
    q = np.array([system.layout.bodies["b"].coordinates(rng.normal(size=2), np.eye(2)) for _ in range(3)])
    h = rng.normal(size=(3, 1))
    turning = np.array([[0.0, -1.0], [1.0, 0.0]])
    qdot = (q.reshape(3, 2, 2) @ turning.T).reshape(3, 4)  # one radian a second about the laboratory origin
    assert_allclose(np.einsum("ti,ti->t", torque(system, "b", q, h), qdot), h[:, 0], atol=1e-13)
    f, p = rng.normal(size=(2, 3, 2))
    power = np.einsum("ti,ti->t", f, p @ turning.T) + h[:, 0]
    assert_allclose(np.einsum("ti,ti->t", wrench(system, "b", q, p, f, h), qdot), power, atol=1e-12)


def test_whole_body_in_many_frames():
    """A weight in the hand and the same weight taken away leave the gravity force as it is."""
    system = human_system()
    q = np.tile(system.reference, (5, 1))
    palm = system.layout.point("hand_R.palm_R")(q)
    load = np.tile([0.0, -98.1, 0.0], (5, 1))
    Q = point_force(system, "hand_R.palm_R", load) + wrench(system, "hand_R", q, palm, -load)
    R = null_space(system.jacobian(system.reference)).R
    assert_allclose(Q @ R, 0.0, atol=1e-9 * np.abs(R).max())


def test_wrong_shapes_and_names_are_told(body_system):
    with pytest.raises(BiomecError, match="A force needs 3 components"):
        point_force(body_system, "b.S", (1.0, 2.0))
    with pytest.raises(BiomecError, match=r"Torque on b: give 3 component\(s\)"):
        torque(body_system, "b", body_system.reference, (1.0,))
    with pytest.raises(BiomecError, match="Point force: there is no body hand"):
        point_force(body_system, "hand.palm", (1.0, 2.0, 3.0))
