"""The position problem: convergence, the dense oracle, weights, contacts, and configurations that cannot be."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.transform import Rotation

from biomec.base.errors import BiomecError
from biomec.base.progress import Cancelled
from biomec.engine import (
    AngleCoordinate,
    Distance,
    EllipsoidContact,
    FrameStatus,
    PointContacts,
    PositionOptions,
    PositionSolver,
    Revolute,
    System,
    planar_bar,
)
from biomec.engine.dense import solve_positions_dense
from biomec.engine.driven_motion import assemble
from biomec.engine.reference.human import contact_points, human_motion, human_system, human_tree
from biomec.engine.reference.planar import four_bar, four_bar_points
from biomec.engine.reference.spatial import bennett, random_tree
from biomec.engine.reference.trees import perturbed
from tests.core.engine.examples import spatial_body

FRAMES = 100


@pytest.fixture(scope="module")
def human():
    """The 21-body system, a consistent motion of it, and the motion with every body off by 3 mm and 0.9°."""
    rng = np.random.default_rng(7)
    tree, system = human_tree(), human_system()
    q = tree.coordinates(system, human_motion(tree, FRAMES, rng))
    assert np.abs(system.residual(q)).max() < 1e-12  # the motion is exact by construction
    return system, q, perturbed(system, q, rng)


def test_every_frame_converges_within_fifteen_iterations(human):
    system, _, q_star = human
    result = PositionSolver(system).solve(q_star)
    assert_array_equal(result.status, FrameStatus.PHI)
    assert result.iterations.max() <= 15
    assert result.violation.max() < 1e-10
    assert np.linalg.norm(system.residual(result.q), axis=1).max() < 1e-10  # evaluated again, from outside
    assert result.valid.all()
    assert result.summary() == f"{FRAMES} frames: The constraints are satisfied."


@pytest.mark.parametrize("with_contacts", [False, True], ids=["open", "closed"])
def test_same_point_as_the_dense_oracle(human, with_contacts):
    system, _, q_star = human
    some = q_star[:20]
    contacts = contact_points(system, some) if with_contacts else None
    result = PositionSolver(system).solve(some, contacts=contacts)
    q_dense, status, iterations = solve_positions_dense(system, some, contacts=contacts)
    assert_allclose(result.q, q_dense, rtol=0, atol=1e-9)
    assert_array_equal(result.status, status)
    assert_array_equal(result.iterations, iterations)


def test_the_result_is_the_constrained_minimum(human):
    """First-order optimality: what moved, q − q*, has no part along the motions that the constraints allow."""
    system, _, q_star = human
    result = PositionSolver(system).solve(q_star)
    for t in range(0, FRAMES, 10):
        allowed = np.linalg.svd(system.jacobian(result.q[t]))[2][208:]
        # the search stops on ‖Φ‖; along the constraints it is then within rate × last ‖Δq‖ ~ 1e-2 × 3e-6 of the minimum
        assert np.linalg.norm(allowed @ (result.q[t] - q_star[t])) < 1e-7
    # and with the multipliers: W(q − q*) + Φqᵀλ = 0, where λ itself is known to α × tolerance = 1e-3
    gradient = result.q - q_star + np.einsum("tmn,tm->tn", system.jacobian(result.q), result.multipliers)
    assert np.linalg.norm(gradient, axis=1).max() < 1e-3
    assert np.median(np.linalg.norm(gradient, axis=1)) < 1e-5


def test_a_longer_search_changes_the_point_by_less_than_the_noise(human):
    """The stop on ‖Φ‖ leaves the search along the constraints unfinished by the last ‖Δq‖ times its rate (~1 %)."""
    system, _, q_star = human
    result = PositionSolver(system).solve(q_star)
    longer = PositionSolver(system, options=PositionOptions(tolerance=1e-13)).solve(q_star)
    assert np.abs(longer.q - result.q).max() < 1e-7


def test_a_consistent_configuration_stays(human):
    system, q, _ = human
    result = PositionSolver(system).solve(q)
    assert_array_equal(result.iterations, 1)
    assert_allclose(result.q, q, rtol=0, atol=1e-13)


def test_violation_by_type_before_and_after(human):
    system, _, q_star = human
    contacts = contact_points(system, q_star)
    result = PositionSolver(system).solve(q_star, contacts=contacts)
    assert set(result.before) == {"rigid", "spherical", "universal", "revolute", "ellipsoid", "temporary"}
    # every body was moved rigidly and the contacts are where the moved bodies have them
    assert result.before["rigid"].max() < 1e-14
    assert result.before["temporary"].max() < 1e-14
    spherical = np.linalg.norm(system.residual(q_star)[:, system.row_types["spherical"]], axis=1) / 60
    assert_allclose(result.before["spherical"], spherical, rtol=1e-12)
    assert result.before["ellipsoid"].min() > 1e-3
    assert max(values.max() for values in result.after.values()) < 1e-10


def test_contacts_hold_only_in_their_frames(human):
    system, _, q_star = human
    points = {"hand_R": system.layout.point("hand_R.palm_R")(q_star).copy()}
    points["hand_R"][::2] = np.nan
    contacts = PointContacts.at(system.layout, q_star, points)
    assert_array_equal(contacts.active[:, 0], np.arange(FRAMES) % 2 == 1)
    solver = PositionSolver(system)
    held, free = solver.solve(q_star, contacts=contacts), solver.solve(q_star)
    palm = system.layout.point("hand_R.palm_R")
    assert_allclose(palm(held.q)[1::2], points["hand_R"][1::2], atol=1e-9)
    assert_allclose(held.q[::2], free.q[::2], rtol=0, atol=1e-12)
    assert np.abs(palm(free.q)[1::2] - points["hand_R"][1::2]).max() > 1e-3


def test_heavier_coordinates_move_less(human):
    system, _, q_star = human
    weights = np.ones(system.n)
    thorax = system.layout.columns("thorax")
    weights[thorax] = 100.0
    plain, weighted = PositionSolver(system).solve(q_star), PositionSolver(system, metric=weights).solve(q_star)
    assert weighted.valid.all()

    def moved(result):
        return np.linalg.norm((result.q - q_star)[:, thorax], axis=1).mean()

    assert moved(weighted) < 0.3 * moved(plain)
    q_dense, _, _ = solve_positions_dense(system, q_star[:3], W=np.diag(weights))
    assert_allclose(weighted.q[:3], q_dense, rtol=0, atol=1e-9)


def test_the_mass_matrix_can_be_the_metric(human):
    system, _, q_star = human
    result = PositionSolver(system, metric=system.mass_matrix, options=PositionOptions(alpha=1e7)).solve(q_star[:5])
    q_dense, _, _ = solve_positions_dense(system, q_star[:5], W=system.mass_matrix.toarray())
    assert result.valid.all()
    assert_allclose(result.q, q_dense, rtol=0, atol=1e-9)


def test_weights_must_be_positive(human):
    system, _, _ = human
    with pytest.raises(BiomecError, match="Weights must be positive"):
        PositionSolver(system, metric=np.zeros(system.n))
    for wrong in (np.ones(251), np.eye(100), sparse.eye_array(300)):
        with pytest.raises(BiomecError, match="Weights need 252 numbers or a matrix of 252 by 252"):
            PositionSolver(system, metric=wrong)
    with pytest.raises(BiomecError, match="must be symmetric"):
        PositionSolver(system, metric=np.eye(252) + np.eye(252, k=1))


def test_only_ratios_of_weights_count(human):
    system, _, q_star = human
    weights = np.linspace(0.5, 2.0, system.n)
    plain, scaled = (PositionSolver(system, metric=f * weights).solve(q_star[:10]) for f in (1.0, 1e6))
    weights *= 100.0  # the solver keeps its own copy
    assert scaled.valid.all()
    assert_allclose(scaled.q, plain.q, rtol=0, atol=1e-10)


def test_contacts_of_other_frames_are_refused(human):
    """Compiled loops would read foreign memory."""
    system, _, q_star = human
    contacts = contact_points(system, q_star[:17])
    with pytest.raises(BiomecError, match="made for 17 frames, but the coordinates have 100"):
        PositionSolver(system).solve(q_star, contacts=contacts)
    with pytest.raises(BiomecError, match="made for another system"):
        PositionSolver(four_bar()).solve(np.zeros((17, 4)), contacts=contacts)


def test_a_body_squeezed_flat_carries_no_contact(human):
    system, _, q_star = human
    flat = q_star[:3].copy()
    flat[1, system.layout.columns("hand_R")] = 0.0
    contacts = PointContacts.at(system.layout, flat, {"hand_R": (0.0, 1.0, 0.0)})
    assert contacts.active[:, 0].tolist() == [True, False, True]
    none = PointContacts.at(system.layout, flat, {})
    assert_allclose(
        PositionSolver(system).solve(q_star[:3], contacts=none).q, PositionSolver(system).solve(q_star[:3]).q
    )


def test_frames_do_not_depend_on_their_neighbours(human, monkeypatch):
    """One frame alone, any batch, any order of frames, any number of threads: the same numbers."""
    system, _, q_star = human
    monkeypatch.setenv("BIOMEC_THREADS", "1")
    one = PositionSolver(system).solve(q_star)
    monkeypatch.setenv("BIOMEC_THREADS", "4")
    solver = PositionSolver(system)
    whole = solver.solve(q_star)
    assert_array_equal(whole.q, one.q)
    alone = solver.solve(q_star[41])
    backwards = solver.solve(q_star[::-1])
    # lanes are added up in the same order whatever their number, so nothing but the compiler's choice of width differs
    assert_allclose(alone.q[0], whole.q[41], rtol=0, atol=1e-13)
    assert_allclose(backwards.q[::-1], whole.q, rtol=0, atol=1e-13)


def test_missing_frames_are_marked_and_hurt_nobody(human):
    system, _, q_star = human
    broken = q_star[:20].copy()
    broken[3, 17] = np.nan
    broken[4] = np.inf
    result = PositionSolver(system).solve(broken)
    assert_array_equal(np.flatnonzero(result.status == FrameStatus.MISSING), [3, 4])
    good = np.delete(np.arange(20), [3, 4])
    assert_allclose(result.q[good], PositionSolver(system).solve(q_star[good]).q, rtol=0, atol=1e-13)
    assert "2 frames: The coordinates, contacts or driver values of this frame are incomplete." in result.summary()
    assert np.isnan(result.q[[3, 4]]).all()


def test_frozen_results(human):
    system, _, q_star = human
    result = PositionSolver(system).solve(q_star[:2])
    with pytest.raises(ValueError, match="read-only"):
        result.q[0, 0] = 1.0


def test_progress_is_reported_and_can_cancel(human):
    system, _, q_star = human
    seen: list[float] = []
    PositionSolver(system).solve(q_star, progress=seen.append)
    assert seen[-1] == 1.0
    assert seen == sorted(seen)

    def stop(fraction: float) -> None:
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        PositionSolver(system).solve(q_star, progress=stop)


def _wrong_triangle() -> System:
    """Three bars that cannot close: 1 m and 1 m between two pins 3 m apart."""
    bars = [
        planar_bar("left", 1.0, 1.0),
        planar_bar("right", 1.0, 1.0, position=(2.0, 0.0)),
    ]
    joints = [
        Revolute("O", "ground.origin", "left.A"),
        Revolute("top", "left.B", "right.A"),
        Revolute("P", "ground.P", "right.B"),
    ]
    return System(bars, joints, ground={"P": (3.0, 0.0)})


def test_a_wrong_assembly_ends_in_a_status_not_in_an_exception():
    system = _wrong_triangle()
    rng = np.random.default_rng(0)
    result = PositionSolver(system).solve(system.reference + 0.01 * rng.normal(size=(8, system.n)))
    assert not result.valid.any()
    assert set(result.status.tolist()) <= {FrameStatus.DQ, FrameStatus.MAX_ITER, FrameStatus.SINGULAR}
    assert "The constraints are satisfied." not in result.summary()


@pytest.mark.parametrize("build", [lambda: four_bar(shared=False), bennett], ids=["four-bar", "Bennett"])
def test_parts_far_apart_are_assembled(build, rng):
    """Bars drawn anywhere come together; far away the position problem alone would run away, and says so."""
    system = build()
    eye = np.eye(system.layout.dimension)
    drawn = [body.coordinates(rng.normal(size=len(eye)), eye) for body in system.bodies]
    result = assemble(system, np.concatenate(drawn))
    assert result.valid.all()
    assert np.abs(system.residual(result.q)).max() < 1e-10


def test_parts_that_do_not_fit_are_reported():
    """The configuration of least violation: the bars in line between the pins, the joints sharing the missing metre."""
    result = assemble(_wrong_triangle())
    assert result.status.tolist() == [FrameStatus.DQ]
    assert np.isfinite(result.q).all()
    assert 0.1 < result.violation[0] < 1.0


def test_an_added_angle_is_never_valid_as_its_mirror_image():
    """Started anywhere: what is called valid satisfies its row evaluated anew, in whichever form."""
    linkage = four_bar(shared=False)
    angle = AngleCoordinate("theta", "ground.x", "crank.x")
    system = System(linkage.bodies, [*linkage.constraints, angle], ground={"P": (3.0, 0.0)})
    starts = np.tile(system.reference, (63, 1))
    starts[:, -1] = np.linspace(-3.1, 3.1, 63)
    result = PositionSolver(system).solve(starts)
    assert result.valid.sum() > 10
    assert FrameStatus.MIRRORED in result.status
    assert np.abs(system.residual(result.q[result.valid])).max() < 1e-9


def test_an_angle_is_not_taken_for_its_mirror_image():
    """The sine of 146° is the sine of 34°: a search that ends there is not a valid configuration."""
    system = four_bar(driven=True)
    wanted, mirrored = np.deg2rad(146.0), np.deg2rad(34.0)
    drive = system.drive({"crank angle": wanted})
    start = np.concatenate(four_bar_points(mirrored))
    result = PositionSolver(system).solve(start, drive=drive)
    assert result.violation[0] < 1e-10
    assert result.status[0] == FrameStatus.MIRRORED
    near = PositionSolver(system).solve(np.concatenate(four_bar_points(wanted + 0.1)), drive=drive)
    assert near.status[0] == FrameStatus.PHI


def test_redundant_loop(rng):
    system = bennett()
    result = PositionSolver(system).solve(system.reference + 0.02 * rng.normal(size=(30, system.n)))
    assert result.valid.all()
    q_dense, _, _ = solve_positions_dense(system, system.reference + np.zeros((1, system.n)))
    assert_allclose(q_dense[0], system.reference, atol=1e-12)


def test_steep_rows_are_satisfied_although_the_search_hardly_moves():
    """A flat ellipsoid: ‖Δq‖ falls below the tolerance while ‖Φ‖ is still falling, and goes on falling."""
    radii = np.array([1.0, 0.1, 0.01])
    i, j = spatial_body("i"), spatial_body("j", seed=2)
    touching = i.points["T"] + radii * np.array([0.6, 0.0, 0.8])
    place = np.asarray(i.position) + i.attitude_matrix @ touching - j.attitude_matrix @ j.points["S"]
    system = System([i, replace(j, position=place)], [EllipsoidContact("c", "j.S", "i.T", radii)])
    start = system.reference
    rng = np.random.default_rng(2)
    result = PositionSolver(system).solve(perturbed(system, np.tile(start, (20, 1)), rng, 1e-4, 0.05))
    assert result.valid.all()


def test_contradicting_rows_are_reported():
    lengths = {"short": 0.5, "long": 1.0}
    system = System([planar_bar("bar", 1.0)], [Distance(n, "ground.origin", "bar.B", x) for n, x in lengths.items()])
    result = PositionSolver(system).solve(system.reference)
    assert result.status[0] in (FrameStatus.DQ, FrameStatus.MAX_ITER)
    assert result.violation[0] > 0.1


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), size=st.integers(1, 8))
def test_moving_and_turning_the_laboratory_changes_nothing_else(seed, size):
    """W = I weighs points and unit vectors alike in every direction, so the solution moves with the laboratory."""
    rng = np.random.default_rng(seed)
    tree = random_tree(size, rng)
    system = tree.system()
    q_star = perturbed(system, system.reference[None].copy(), rng)
    R, shift = Rotation.random(rng=rng).as_matrix(), rng.normal(size=3)

    def moved(q):
        out = q.reshape(len(q), -1, 3) @ R.T
        is_point = np.concatenate([[name in b.points for name in b.basis] for b in system.bodies])
        return (out + is_point[:, None] * shift).reshape(q.shape)

    solver = PositionSolver(system)
    first, second = solver.solve(q_star), solver.solve(moved(q_star))
    if first.valid.all():
        assert second.valid.all()
        # iteration counts may differ by one at the tolerance, and then the last ‖Δq‖ counts
        assert_allclose(second.q, moved(first.q), rtol=0, atol=1e-5 if first.iterations != second.iterations else 1e-9)


def test_shape_of_the_coordinates_is_checked(human):
    system, _, _ = human
    with pytest.raises(BiomecError, match="252 coordinates a frame"):
        PositionSolver(system).solve(np.zeros((3, 251)))
