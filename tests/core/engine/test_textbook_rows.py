"""The whole-body pattern's rows, one by one, against the printed table of the nine constraint types."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.engine.reference.human import RADII, contact_points, human_system
from tests.oracles import nine_constraints as book


@pytest.fixture(scope="module")
def human():
    system = human_system()
    rng = np.random.default_rng(5)
    q = system.reference + 0.05 * rng.normal(size=system.n)
    return system, q, system.residual(q), system.jacobian(q)


def _slots(system, body):
    """Dense maps of a body's four basis elements over all coordinates: plain selections."""
    start = system.layout.columns(body)[0]
    eye = np.eye(system.n)
    return [eye[start + 3 * k : start + 3 * k + 3] for k in range(4)]


def _check(human, rows, expected):
    _, _, Phi, Phi_q = human
    values = np.concatenate([np.atleast_1d(value) for value, _ in expected])
    jacobian = np.vstack([np.atleast_2d(line) for _, line in expected])
    assert len(rows) == len(values)
    assert_allclose(Phi[rows], values, rtol=0, atol=1e-13)
    assert_allclose(Phi_q[rows], jacobian, rtol=0, atol=1e-12)


def test_rigid_body_of_a_point_and_three_vectors(human):
    system, q, _, _ = human
    _, u, v, w = _slots(system, "thorax")
    units = [book.unit(q, c) for c in (u, v, w)]
    angles = [book.angle(q, *pair, 0.0) for pair in ((u, v), (u, w), (v, w))]
    _check(human, system.rows_of("thorax", "rigid"), units + angles)


def test_rigid_body_of_two_points_and_two_vectors(human):
    system, q, _, _ = human
    body = system.layout.bodies["scapula_R"]
    r1, r2, a, b = _slots(system, "scapula_R")
    line = body.points["lower_R"] - body.points["upper_R"]
    expected = [
        book.length(q, r1, r2, np.linalg.norm(line)),
        book.unit(q, a),
        book.unit(q, b),
        book.angle(q, a, b, 0.0),
        book.angle_to_line(q, a, r1, r2, line[0]),  # a is the body's x axis, b its z axis
        book.angle_to_line(q, b, r1, r2, line[2]),
    ]
    _check(human, system.rows_of("scapula_R", "rigid"), expected)


def test_joints(human):
    """Elbow (spherical and revolute rows) and ankle (universal row), with maps from X'⁻¹ solved here."""
    system, q, _, _ = human

    def vector_map(body, local):
        r1, r2, a, b = _slots(system, body)
        shape = system.layout.bodies[body]
        names = shape.basis
        X = np.column_stack([shape.points[names[1]] - shape.points[names[0]], *(shape.vectors[n] for n in names[2:])])
        c = np.linalg.solve(X, local)
        return c[0] * (r2 - r1) + c[1] * a + c[2] * b

    humerus, ulna = (system.layout.bodies[name] for name in ("humerus_R", "ulna_R"))
    _check(human, system.rows_of("elbow_R", "spherical"), [
        book.spherical(q, _slots(system, "humerus_R")[1], _slots(system, "ulna_R")[0])
    ])  # fmt: skip
    axes = [
        vector_map("humerus_R", humerus.vectors["elbow_R_axis0"]),
        vector_map("ulna_R", ulna.vectors["elbow_R_axis0"]),
    ]
    _check(human, system.rows_of("elbow_R", "revolute"), [book.revolute(q, *axes)])
    shank, foot = system.layout.bodies["shank_R"], system.layout.bodies["foot_R"]
    w_i = vector_map("shank_R", shank.vectors["ankle_R_axis0"])
    _, u, v, w = _slots(system, "foot_R")
    local = foot.vectors["ankle_R_axis1"]
    u_j = local[0] * u + local[1] * v + local[2] * w
    cosine = float((w_i @ system.reference) @ (u_j @ system.reference))
    value, jacobian = book.universal(q, w_i, u_j)
    _check(human, system.rows_of("ankle_R", "universal"), [(value - cosine, jacobian)])


def test_ellipsoid_contact(human):
    system, q, _, _ = human
    thorax = system.layout.bodies["thorax"]
    r1, *axes = _slots(system, "thorax")
    local = thorax.points["ellipsoid"]
    centre = r1 + sum(c * axis for c, axis in zip(local, axes, strict=True))
    A_c = thorax.attitude_matrix  # thorax components -> laboratory components of the standing pose
    expected = book.ellipsoid(q, _slots(system, "scapula_R")[0], centre, axes, A_c, RADII)
    _check(human, system.rows_of("lower_R"), [expected])


def test_temporary_point_is_where_it_was_measured(human):
    system, q, _, _ = human
    contacts = contact_points(system, q[None])
    C = contacts.jacobian(system.n)[0]
    palm = system.layout.point("hand_R.palm_R")
    value, jacobian = book.temporary(q, palm.dense(system.n), palm(q))
    assert_allclose(contacts.residual(q[None])[0][:3], value, atol=1e-14)
    assert_allclose(C[:3], jacobian, atol=1e-12)
