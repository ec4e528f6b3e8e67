"""Bodies: maps of points and vectors, mass matrices, rotation, and descriptions that cannot be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from biomec.base.errors import DescriptionError
from biomec.engine import Body, planar_bar
from tests.core.engine.examples import BASES, planar_body, spatial_body

KINDS = [*BASES]
seeds = st.integers(0, 2**32 - 1)


def _moving(body: Body, rng: np.random.Generator):
    """A pose and a rigid velocity of it, and the natural coordinates of both."""
    R, p = Rotation.random(rng=rng).as_matrix(), rng.normal(size=3)
    v, w = rng.normal(size=3), rng.normal(size=3)
    q = body.coordinates(p, R)
    points = [v + np.cross(w, R @ body.points[name]) for name in body.basic_points]
    vectors = [np.cross(w, R @ body.vectors[name]) for name in body.basic_vectors]
    return R, p, v, w, q, np.concatenate(points + vectors)


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds)
def test_maps_give_the_place_and_velocity_of_any_point(kind, seed):
    rng = np.random.default_rng(seed)
    body = spatial_body("b", kind)
    R, p, v, w, q, qdot = _moving(body, rng)
    local = rng.normal(size=3)
    assert_allclose(body.point_map(local) @ q, p + R @ local, atol=1e-12)
    assert_allclose(body.point_map(local) @ qdot, v + np.cross(w, R @ local), atol=1e-12)
    assert_allclose(body.vector_map(local) @ q, R @ local, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds)
def test_mass_matrix_gives_the_kinetic_energy_of_a_rigid_body(kind, seed):
    """½ q̇ᵀMq̇ = ½ m|v_G|² + ½ ωᵀJω for every rigid motion; the right-hand side is Newton-Euler's."""
    rng = np.random.default_rng(seed)
    body = spatial_body("b", kind)
    R, _, v, w, _, qdot = _moving(body, rng)
    v_G = v + np.cross(w, R @ body.points["com"])
    expected = 0.5 * body.mass * v_G @ v_G + 0.5 * w @ R @ body.inertia_matrix @ R.T @ w
    assert_allclose(0.5 * qdot @ body.mass_matrix @ qdot, expected, rtol=1e-12)
    assert np.linalg.eigvalsh(body.mass_matrix).min() > 0.0


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds)
def test_angular_velocity_map(kind, seed):
    rng = np.random.default_rng(seed)
    body = spatial_body("b", kind)
    _, _, _, w, q, qdot = _moving(body, rng)
    assert_allclose(body.angular_velocity_map(q) @ qdot, w, atol=1e-12)
    assert_allclose(body.angular_velocity_map(qdot) @ qdot, 0.0, atol=1e-12)  # so that ω̇ = G q̈


@pytest.mark.parametrize("kind", ["2p", "1p1v"])
@given(seed=seeds)
def test_planar_body(kind, seed):
    rng = np.random.default_rng(seed)
    body = planar_body("b", kind)
    angle, w = rng.uniform(-3, 3), rng.normal()
    R = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    turn = w * np.array([[0.0, -1.0], [1.0, 0.0]]) @ R
    p, v = rng.normal(size=2), rng.normal(size=2)
    q = body.coordinates(p, R)
    points = [v + turn @ body.points[name] for name in body.basic_points]
    qdot = np.concatenate(points + [turn @ body.vectors[name] for name in body.basic_vectors])
    local = rng.normal(size=2)
    assert_allclose(body.point_map(local) @ q, p + R @ local, atol=1e-12)
    assert_allclose(body.vector_map(local) @ q, R @ local, atol=1e-12)
    v_G = v + turn @ body.points["com"]
    assert_allclose(
        0.5 * qdot @ body.mass_matrix @ qdot, 0.5 * body.mass * v_G @ v_G + 0.5 * body.inertia_matrix[0, 0] * w**2
    )
    assert_allclose(body.angular_velocity_map(q) @ qdot, w, atol=1e-12)


def test_uniform_bar_has_the_textbook_mass_matrix():
    eye = np.eye(2)
    assert_allclose(planar_bar("b", 0.7, 3.0).mass_matrix, 0.5 * np.block([[2 * eye, eye], [eye, 2 * eye]]), atol=1e-15)


def test_unit_segment_has_the_textbook_transformation():
    """1p3v to 2p2v with r2 = r1 + u: the row of u is [−I I 0 0] [Nunes2017, Eqs. 2.25-2.27]."""
    shape = {"mass": 2.0, "centre_of_mass": (0.1, 0.2, -0.3), "inertia": np.diag([0.2, 0.3, 0.4])}
    points = {"r1": np.zeros(3), "r2": np.array([1.0, 0.0, 0.0])}
    one = Body("one", points, ("r1", "x", "y", "z"), **shape)
    two = Body("two", points, ("r1", "r2", "y", "z"), **shape)
    E = np.eye(12)
    E[3:6, :3], E[3:6, 3:6] = -np.eye(3), np.eye(3)
    assert_allclose(two.mass_matrix, E.T @ one.mass_matrix @ E, atol=1e-14)


def test_basis_elements_map_to_themselves_exactly():
    body = spatial_body("b", "2p2v")
    for k, name in enumerate(body.basis):
        map_ = body.point_map(name) if name in body.points else body.vector_map(name)
        assert_allclose(map_, np.eye(12)[3 * k : 3 * k + 3], rtol=0, atol=0)


def _scapula(off_diagonal_sign: float) -> Body:
    """Inertia tensor of a scapula [Quental2012]; the sign of its products decides whether it can exist."""
    J = np.array([[0.0163, 0.0039, -0.0028], [0.0039, 0.0277, 0.0049], [-0.0028, 0.0049, 0.0164]])
    flipped = np.diag(np.diag(J)) + off_diagonal_sign * (J - np.diag(np.diag(J)))
    return Body("scapula", {"P": np.zeros(3)}, ("P", "x", "y", "z"), mass=1.4, inertia=flipped)


def test_sign_of_the_products_of_inertia():
    """The printed Π has the other sign off the diagonal, and its smallest eigenvalue is −8.0e-4 instead of 1.1e-4."""
    smallest = np.linalg.eigvalsh(_scapula(+1.0).mass_matrix[3::3, 3::3]).min()
    assert_allclose(smallest, 1.1e-4, atol=0.05e-4)
    with pytest.raises(DescriptionError, match=r"Body scapula.*negative eigenvalue -7.99e-04.*signs of the products"):
        _scapula(-1.0)


GOOD = {"name": "b", "points": {"P": np.zeros(3), "Q": np.ones(3)}, "basis": ("P", "Q", "x", "y")}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"basis": ("P", "x", "y", "w")}, "Body b: basis element w is neither one of its points"),
        ({"basis": ("x", "P", "y", "z")}, "points before vectors"),
        ({"basis": ("P", "x", "y")}, "a basis of kind 1p2v cannot carry a 3-D body"),
        ({"basis": ("P", "x", "y", "d"), "vectors": {"d": (1, 1, 0)}}, "Body b: its basis .* is .*flat"),
        ({"vectors": {"x": (0, 1, 0)}}, "Body b: vector x is always there"),
        ({"vectors": {"d": (0, 0, 0)}}, "Body b: vector d has no length"),
        ({"mass": -1.0}, "Body b: its mass is -1"),
        ({"mass": float("nan")}, "Body b: its mass is nan"),
        ({"inertia": [[1, 2, 0], [0, 1, 0], [0, 0, 1]]}, "Body b: its inertia tensor is not symmetric"),
        ({"inertia": np.diag([1.0, 1.0, 3.0])}, "Body b: no distribution of mass has this inertia tensor"),
        ({"inertia": [1.0, 2.0]}, "Body b: give its inertia as a 3 × 3 tensor"),
        ({"attitude": 2 * np.eye(3)}, "Body b: its reference attitude is not a rotation"),
        ({"attitude": np.diag([1.0, 1.0, -1.0])}, "Body b: its reference attitude is not a rotation"),
        ({"shared": {"com": "ground.origin"}}, "Body b: only basis elements can be shared, not com"),
        ({"points": {"P": np.zeros(3), "Q": np.ones(2)}}, "Body b: give every point 3 coordinates"),
        ({"points": {"P": np.zeros(3), "Q": (0, np.inf, 0)}}, "Body b: point Q has a coordinate that is not a number"),
        ({"points": {"P": np.zeros(3), "com": np.ones(3)}}, "Body b: point com is always there"),
        ({"attitude": 1.000004 * np.eye(3)}, "Body b: its reference attitude is not a rotation"),
        ({"position": (0, 0)}, "Body b: its reference position needs 3 coordinates"),
        ({"centre_of_mass": (0, 0)}, "Body b: its centre of mass needs 3 coordinates"),
    ],
)
def test_impossible_bodies_are_refused_by_name(change, sentence):
    with pytest.raises(DescriptionError, match=sentence):
        Body(**{**GOOD, **change})


def test_planar_bodies_too_small_or_with_negative_inertia_are_refused():
    with pytest.raises(DescriptionError, match="Body b: its basis A, B is 1e-09 m long"):
        planar_bar("b", 1e-9, 1.0)
    with pytest.raises(DescriptionError, match="Body b: its inertia is -1 kg m²"):
        Body("b", {"A": (0, 0), "B": (1, 0)}, ("A", "B"), inertia=-1.0)
