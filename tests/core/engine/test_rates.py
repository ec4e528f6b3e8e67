"""Velocities and accelerations: projections, analysis, partition, and the matrices R and S."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError
from biomec.engine import PositionSolver, System, planar_bar
from biomec.engine.driven_motion import accelerations, velocities
from biomec.engine.projection import ProjectionOptions, Projector
from biomec.engine.reference.human import contact_points, human_motion, human_system, human_tree
from biomec.engine.reference.planar import four_bar, four_bar_points, slider_crank, slider_position
from biomec.engine.reference.spatial import bennett
from biomec.engine.structure import null_space, partition_coordinates

H = 1e-4


@pytest.fixture(scope="module")
def human():
    system = human_system()
    tree = human_tree()
    rng = np.random.default_rng(3)
    q = tree.coordinates(system, human_motion(tree, 24, rng))
    return system, q, rng.normal(size=q.shape), rng.normal(size=q.shape)


def test_projection_is_the_nearest_admissible_velocity_in_the_mass_metric(human):
    """Against the closed form q̇ = q̇* − M⁻¹Φqᵀ(ΦqM⁻¹Φqᵀ)⁺Φq q̇*, with dense algebra."""
    system, q, v, _ = human
    found = Projector(system, options=ProjectionOptions(passes=4)).velocities(q, v)
    M_inverse = np.linalg.inv(system.mass_matrix.toarray())
    for t in (0, 7):
        J = system.jacobian(q[t])
        expected = v[t] - M_inverse @ J.T @ np.linalg.pinv(J @ M_inverse @ J.T, rcond=1e-12) @ (J @ v[t])
        assert_allclose(found.value[t], expected, rtol=0, atol=1e-7)  # condition of ΦqM⁻¹Φqᵀ ~ 1e7 × round-off
    assert_allclose(found.before, np.linalg.norm(np.einsum("tmn,tn->tm", system.jacobian(q), v), axis=1), rtol=1e-12)


def test_penalty_leaves_one_over_alpha_and_multipliers_take_it_away(human):
    system, q, v, _ = human
    after = {
        (alpha, passes): Projector(
            system, metric="identity", options=ProjectionOptions(alpha=alpha, passes=passes)
        ).velocities(q, v).after.max()
        for alpha in (1e4, 1e6)
        for passes in (1, 2, 3)
    }  # fmt: skip
    assert 50 < after[1e4, 1] / after[1e6, 1] < 200
    assert after[1e4, 2] < 0.1 * after[1e4, 1]
    assert after[1e6, 3] < 1e-9


def test_published_size_of_the_violations(human):
    """‖Φ̇‖ of order 1e-9 and ‖Φ̈‖ of order 1e-8 or better after the projections [Nunes2017]."""
    system, q, v, a = human
    projector = Projector(system)
    qdot = projector.velocities(q, v)
    qddot = projector.accelerations(q, qdot.value, a)
    assert qdot.after.max() < 1e-9
    assert qddot.after.max() < 1e-8
    c = system.acceleration_rhs(q, qdot.value)
    assert_allclose(np.einsum("tmn,tn->tm", system.jacobian(q), qddot.value), c, atol=1e-8)


def test_contacts_do_not_slip(human):
    system, q, v, a = human
    contacts = contact_points(system, q)
    projector = Projector(system, contacts=contacts)
    qdot = projector.velocities(q, v).value
    palm = system.layout.point("hand_R.palm_R")
    assert np.abs(palm.rate(qdot)).max() < 1e-8
    assert np.abs(palm.rate(projector.accelerations(q, qdot, a).value)).max() < 1e-7


def test_projection_says_what_it_cannot_do(human):
    system, q, v, _ = human
    with pytest.raises(BiomecError, match="bar has no mass in every direction"):
        Projector(System([planar_bar("bar", 1.0)]))
    with pytest.raises(BiomecError, match="Projection options"):
        ProjectionOptions(alpha=-1.0)
    with pytest.raises(BiomecError, match="Projection options"):
        ProjectionOptions(passes=0)
    with pytest.raises(BiomecError, match="made for 3 frames, but the coordinates have 24"):
        Projector(system, contacts=contact_points(system, q[:3])).velocities(q, v)
    indefinite = np.eye(system.n)
    indefinite[:2, :2] = [[1.0, 2.0], [2.0, 1.0]]
    lost = Projector(System(system.bodies), metric=indefinite).velocities(q, v)
    assert np.isnan(lost.value).all()
    assert np.isnan(lost.after).all()


def test_a_broken_frame_does_not_spoil_the_others(human):
    system, q, _, _ = human
    broken = q[:3].copy()
    broken[1, 5] = np.nan
    found = velocities(system, broken)
    assert np.isnan(found.value[1]).all()
    assert found.rank.tolist() == [208, 0, 208]


def test_projection_refuses_what_it_does_not_know(human):
    system, q, v, _ = human
    with pytest.raises(BiomecError, match="The metric is"):
        Projector(system, metric="mass")
    with pytest.raises(BiomecError, match="Give all coordinates"):
        Projector(system).velocities(q, v[:3])


@pytest.mark.parametrize("shared", [True, False])
def test_four_bar_rates_are_derivatives_of_the_closed_form(shared):
    system = four_bar(shared=shared, driven=True)
    A, B = (system.layout.point(name) for name in ("crank.A", "coupler.B"))
    phi = 0.7
    drive = system.drive({"crank angle": phi}, {"crank angle": 1.3}, {"crank angle": -0.4})
    start = PositionSolver(system).solve(four_bar(angle=phi, shared=shared).reference, drive=drive)
    q = start.q[0]
    qdot = velocities(system, q, drive)
    qddot = accelerations(system, q, qdot.value, drive)
    assert qdot.rank == qddot.rank == system.n
    assert max(qdot.residual, qddot.residual) < 1e-12

    def path(t):
        return np.concatenate(four_bar_points(phi + 1.3 * t - 0.2 * t * t))

    first = (path(H) - path(-H)) / (2 * H)
    second = (path(H) - 2 * path(0.0) + path(-H)) / H**2
    assert_allclose(np.concatenate([A.rate(qdot.value), B.rate(qdot.value)]), first, atol=1e-7)  # h² truncation
    assert_allclose(np.concatenate([A.rate(qddot.value), B.rate(qddot.value)]), second, atol=1e-6)  # eps/h² rounding


def test_slider_speed():
    system = slider_crank()
    phi = np.linspace(0.2, 6.0, 9)
    drive = system.drive({"crank angle": phi}, {"crank angle": 2.0})
    q = np.array([slider_crank(angle=a).reference for a in phi])
    speed = system.layout.point("slider.B").rate(velocities(system, q, drive).value)[:, 0]
    assert_allclose(speed, 2.0 * (slider_position(phi + H) - slider_position(phi - H)) / (2 * H), atol=1e-8)


@pytest.mark.parametrize("build", [four_bar, bennett, human_system], ids=lambda f: f.__name__)
def test_null_space_identities(build, rng):
    """Φq R = 0, B R = I, B S = 0, and q̇ = S b + R ż solves both equations for consistent b."""
    system = build()
    J = system.jacobian(system.reference)
    found = null_space(J)
    g = found.B.shape[0]
    assert g == system.n - np.linalg.matrix_rank(J, tol=1e-9)
    scale = np.abs(found.R).max()
    assert_allclose(J @ found.R, 0.0, atol=1e-12 * scale)
    assert_allclose(found.B @ found.R, np.eye(g), atol=1e-11)
    assert_allclose(found.B @ found.S, 0.0, atol=1e-10)
    b, zdot = J @ rng.normal(size=system.n), rng.normal(size=g)  # b in the range: consistent with redundant rows
    qdot = found.S @ b + found.R @ zdot
    assert_allclose(J @ qdot, b, atol=1e-10 * scale)
    assert_allclose(found.B @ qdot, zdot, atol=1e-10)
    assert_allclose(velocities(system, system.reference, B=found.B, zdot=zdot).value, found.R @ zdot, atol=1e-9 * scale)


def test_partition_counts_and_refuses_bad_choices():
    system = human_system()
    J = system.jacobian(system.reference)
    chosen = partition_coordinates(J)
    assert chosen.independent.size == 44
    assert np.intersect1d(chosen.independent, chosen.dependent).size == 0
    assert np.linalg.matrix_rank(J[:, chosen.dependent], tol=1e-9) == 208
    with pytest.raises(BiomecError, match="3 independent velocities were given for 44 degrees of freedom"):
        null_space(J, np.eye(system.n)[:3])
    dead = four_bar()
    straight = np.array([1.0, 0.0, 3.0, 2.5])  # crank along the base: y_A, not x_A, can be chosen
    with pytest.raises(BiomecError, match="do not determine the motion"):
        null_space(dead.jacobian(straight), np.eye(4)[:1])
