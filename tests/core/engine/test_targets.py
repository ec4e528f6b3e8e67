"""Measured points as soft targets: minimal coordinates, Newton on the conditions of the optimum, and whole bodies."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from biomec.base.arrays import planar_rotation
from biomec.base.errors import BiomecError
from biomec.engine import FrameStatus, PointTargets, PositionOptions, PositionSolver, System
from biomec.engine.reference.human import contact_points, human_motion, human_system, human_tree
from biomec.engine.reference.planar import pendulum
from biomec.engine.reference.spatial import random_tree, spatial_pendulum
from biomec.engine.reference.trees import FREEDOMS, perturbed
from biomec.engine.system import KEPT
from tests.core.engine.examples import CONSTRAINT_EXAMPLES

WEAK = 1e-6  # a pull to the start that decides only what no target does
FRAMES = 32
REACH = 0.1


def with_markers(system, reach=REACH):
    """The same system with three markers on every body, along its axes."""
    bodies = []
    for body in system.bodies:
        places = reach * np.eye(system.layout.dimension)
        points = {k: p for k, p in body.points.items() if k not in ("origin", "com")}
        markers = {f"marker{k}": place for k, place in enumerate(places)}
        bodies.append(replace(body, points=points | markers))
    return System(
        bodies, system.constraints, name=system.name, ground=system.layout.ground, directions=_directions(system)
    )


def _directions(system):
    return {k: v for k, v in system.layout.directions.items() if k not in ("x", "y", "z")}


def marker_names(system):
    return [f"{body.name}.{point}" for body in system.bodies for point in body.points if point.startswith("marker")]


def markers_at(system, q, names=None):
    return {name: system.layout.point(name)(q) for name in names or marker_names(system)}


def noisy(points, rng, sigma):
    return {name: place + sigma * rng.normal(size=place.shape) for name, place in points.items()}


def gradient(system, targets, result, q_star, weight, contacts=None):
    """W(q − q*) + Σ w Cᵀ(Cq − p) + Φqᵀλ, with dense maps."""
    total = weight * (result.q - q_star)
    away = np.nan_to_num(targets.residual(result.q)) * targets.weights[..., None]
    for k, name in enumerate(targets.names):
        total += away[:, k] @ system.layout.point(name).dense(system.n)
    J = system.jacobian(result.q)
    if contacts is not None:
        J = np.concatenate([J, contacts.jacobian(system.n)], axis=1)
    return total + np.einsum("tmn,tm->tn", J, result.multipliers)


@pytest.fixture(scope="module")
def human():
    """The 21-body system with 63 markers, a consistent motion, and starts 3 cm and 0.1 rad away from it."""
    rng = np.random.default_rng(11)
    tree, system = human_tree(), with_markers(human_system())
    q = tree.coordinates(system, human_motion(tree, FRAMES, rng))
    return system, q, perturbed(system, q, rng, 0.03, np.rad2deg(0.1))


# ---------------------------------------------------------------------- independent solutions


@pytest.mark.parametrize("shared", [False, True], ids=["own points", "points shared with the ground"])
def test_a_double_pendulum_in_minimal_coordinates(shared, rng):
    """The same weighted sum of squares over two angles, by another algorithm and without constraints."""
    bare = pendulum([-1.0, -0.4], 0.5, shared=shared)
    system = with_markers(bare)
    names = [f"bar{k}.marker{i}" for k in (1, 2) for i in (0, 1)]
    weights = dict(zip(names, (1.0, 0.5, 2.0, 0.25), strict=True))

    def coordinates(angles):
        tip, parts = np.zeros(2), {}
        for body, angle in zip(system.bodies, angles, strict=True):
            parts[body.name] = body.coordinates(tip, planar_rotation(angle))
            tip = tip + planar_rotation(angle) @ (0.5, 0.0)
        q = np.empty(system.n)
        for name, values in parts.items():
            columns = system.layout.columns(name)
            q[columns[columns >= 0]] = values[columns >= 0]
        return q

    truth = coordinates((-0.8, -0.1))
    points = noisy(markers_at(system, truth[None], names), rng, 0.02)
    start = system.reference
    W = 1e-2

    def residuals(angles):
        q = coordinates(angles)
        away = [np.sqrt(weights[n]) * (system.layout.point(n)(q) - points[n][0]) for n in names]
        return np.concatenate([*away, np.sqrt(W) * (q - start)])

    minimal = least_squares(residuals, (-1.0, -0.4), xtol=1e-15, ftol=1e-15, gtol=1e-15)
    targets = PointTargets.at(system.layout, points, weights)
    result = PositionSolver(system, metric=W).solve(start, targets=targets)
    assert result.status.tolist() == [FrameStatus.PHI]
    assert_allclose(result.q[0], coordinates(minimal.x), rtol=0, atol=1e-8)  # differences in least_squares: √eps
    assert_allclose(  # constraints violated by 1e-10 at most change the objective by their multipliers times that
        targets.objective(result.q)[0] + 0.5 * W * ((result.q - start) ** 2).sum(),
        minimal.cost,
        rtol=1e-12,
        atol=1e-10 * np.linalg.norm(result.multipliers),
    )


def test_a_chain_of_rods_in_rotation_vectors(rng):
    system = with_markers(spatial_pendulum(3, 0.4))
    names = marker_names(system)

    def coordinates(vectors):
        tip, parts = np.zeros(3), []
        for body, vector in zip(system.bodies, np.reshape(vectors, (3, 3)), strict=True):
            attitude = Rotation.from_rotvec(vector).as_matrix() @ body.attitude_matrix
            parts.append(body.coordinates(tip, attitude))
            tip = tip + 0.4 * attitude[:, 0]
        return np.concatenate(parts)

    truth = coordinates(0.2 * rng.normal(size=9))
    points = noisy(markers_at(system, truth[None]), rng, 0.02)
    start = system.reference

    def residuals(vectors):
        q = coordinates(vectors)
        away = [system.layout.point(name)(q) - points[name][0] for name in names]
        return np.concatenate([*away, np.sqrt(WEAK) * (q - start)])

    minimal = least_squares(residuals, np.zeros(9), xtol=1e-15, ftol=1e-15, gtol=1e-15)
    targets = PointTargets.at(system.layout, points)
    result = PositionSolver(system, metric=WEAK).solve(start, targets=targets)
    assert result.valid.all()
    assert_allclose(result.q[0], coordinates(minimal.x), rtol=0, atol=1e-7)  # differences in least_squares: √eps


@pytest.mark.parametrize("seed", range(4))
def test_random_trees_in_joint_coordinates(seed):
    """Hinges, universal and spherical joints: the tree moves by joint coordinates, which know no constraints."""
    rng = np.random.default_rng(seed)
    tree = random_tree(4, rng)
    system = with_markers(tree.system())
    sizes = [FREEDOMS[joint.kind] for joint in tree.joints]

    def coordinates(x):
        parts = np.split(np.asarray(x), np.cumsum(sizes)[:-1])
        return tree.coordinates(system, {j.name: p[None] for j, p in zip(tree.joints, parts, strict=True)})[0]

    points = noisy(markers_at(system, coordinates(0.15 * rng.normal(size=sum(sizes)))[None]), rng, 0.01)
    start = coordinates(np.zeros(sum(sizes)))

    def residuals(x):
        q = coordinates(x)
        away = [system.layout.point(name)(q) - place[0] for name, place in points.items()]
        return np.concatenate([*away, 0.1 * (q - start)])

    minimal = least_squares(residuals, np.zeros(sum(sizes)), xtol=1e-15, ftol=1e-15, gtol=1e-15)
    result = PositionSolver(system, metric=0.01).solve(start, targets=PointTargets.at(system.layout, points))
    assert result.valid.all()
    assert_allclose(result.q[0], coordinates(minimal.x), rtol=0, atol=1e-7)  # differences in least_squares: √eps


def test_newton_on_the_dense_conditions_of_the_optimum_stays_at_the_solution(human, rng):
    """∇(objective) + Φqᵀλ = 0 and Φ = 0 by pseudo-inverse, with differenced second derivatives, ellipsoids too."""
    system, q, start = human
    targets = PointTargets.at(system.layout, noisy(markers_at(system, q[:1]), rng, 0.02))
    result = PositionSolver(system, metric=WEAK).solve(start[:1], targets=targets)
    assert result.valid.all()
    n, m = system.n, system.m
    C = np.concatenate([system.layout.point(name).dense(n) for name in targets.names])
    stiffness = WEAK * np.eye(n) + C.T @ C
    x, lam, h = result.q[0] + 1e-4 * rng.normal(size=n), result.multipliers[0], 1e-5
    for _ in range(6):
        J = system.jacobian(x)
        steps = h * np.eye(n)
        difference = (system.jacobian(x + steps) - system.jacobian(x - steps)) / (2.0 * h)
        second = np.einsum("cmn,m->nc", difference, lam)
        K = np.block([[stiffness + 0.5 * (second + second.T), J.T], [J, np.zeros((m, m))]])
        force = WEAK * (x - start[0]) + C.T @ (C @ x - targets.targets[0]) + J.T @ lam
        move = np.linalg.lstsq(K, -np.concatenate([force, system.residual(x)]), rcond=1e-12)[0]
        x, lam = x + move[:n], lam + move[n:]
    assert np.linalg.norm(move[:n]) < 1e-9
    assert_allclose(x, result.q[0], rtol=0, atol=1e-9)
    # a minimum, not a saddle: the second derivatives are positive along every motion that the constraints allow
    allowed = np.linalg.svd(J)[2][208:]
    assert np.linalg.eigvalsh(allowed @ K[:n, :n] @ allowed.T).min() > 0.0


# ---------------------------------------------------------------------- the whole body


def test_a_motion_without_noise_comes_back(human):
    system, q, start = human
    targets = PointTargets.at(system.layout, markers_at(system, q))
    solver = PositionSolver(system, metric=WEAK)
    first = solver.solve(start, targets=targets)
    assert_array_equal(first.status, FrameStatus.PHI)
    assert first.iterations.mean() < 8
    assert first.iterations.max() <= 20  # scapulae that start centimetres inside the rib cage take longer
    # the pull to a start 0.1 away shifts by WEAK × 0.1 over the stiffness of markers, 3 × 0.1², some directions less
    assert np.abs(first.q - q).max() < 1e-4
    again = solver.solve(first.q, targets=targets)  # now the start is 1e-4 away, or less
    assert_allclose(again.q, q, rtol=0, atol=1e-8)
    assert again.violation.max() < 1e-10


def test_a_frame_by_itself_is_the_frame_among_others(human, rng):
    """They share the decision to keep a factor for the last step, and nothing else."""
    system, q, start = human
    points = noisy(markers_at(system, q), rng, 0.01)
    solver = PositionSolver(system, metric=WEAK)
    among = solver.solve(start, targets=PointTargets.at(system.layout, points))
    for k in range(0, FRAMES, 5):
        one = PointTargets.at(system.layout, {name: place[k : k + 1] for name, place in points.items()})
        alone = solver.solve(start[k : k + 1], targets=one)
        assert_allclose(alone.q[0], among.q[k], rtol=0, atol=1e-9)


def test_the_optimum_and_its_multipliers(human, rng):
    """W(q − q*) + Σ w Cᵀ(Cq − p) + Φqᵀλ = 0; of Newton's steps none of 1e-7 is left."""
    system, q, start = human
    points = noisy(markers_at(system, q), rng, 0.02)
    targets = PointTargets.at(system.layout, points, {name: 0.1 + rng.random() for name in points})
    result = PositionSolver(system, metric=WEAK).solve(start, targets=targets)
    assert_array_equal(result.status, FrameStatus.PHI)
    assert result.iterations.max() <= 20
    settled = PositionSolver(system, metric=WEAK, options=PositionOptions(step_tolerance=1e-12)).solve(
        start, targets=targets
    )
    assert np.linalg.norm(result.q - settled.q, axis=1).max() < 1e-7
    assert np.linalg.norm(system.residual(result.q), axis=1).max() < 1e-10
    assert np.abs(gradient(system, targets, result, start, WEAK)).max() < 1e-9
    # nearer to the targets than the truth is, because it may follow the noise
    assert (targets.objective(result.q) < targets.objective(q)).all()


def test_large_residuals_and_few_markers_converge(human, rng):
    """Two markers a body at 5 cm, displaced by 20 mm, and bodies with none: Gauss-Newton would not converge."""
    full, q, start = human
    system = with_markers(full, 0.05)
    without = ("radius_R", "hand_L", "scapula_R")
    names = [name for name in marker_names(system) if not name.endswith("2") and name.split(".")[0] not in without]
    targets = PointTargets.at(system.layout, noisy(markers_at(system, q, names), rng, 0.02))
    result = PositionSolver(system, metric=WEAK).solve(start, targets=targets)
    assert_array_equal(result.status, FrameStatus.PHI)
    assert result.iterations.mean() < 15
    assert np.abs(gradient(system, targets, result, start, WEAK)).max() < 1e-9


def test_starts_far_away_end_at_the_same_place(human, rng):
    """From the standing pose into postures 0.8 rad (σ) away in every joint, and from 3 m beside."""
    system, _, _ = human
    tree = human_tree()
    q = tree.coordinates(system, human_motion(tree, FRAMES, rng, 0.8))
    targets = PointTargets.at(system.layout, noisy(markers_at(system, q), rng, 0.01))
    is_point = np.concatenate([[name in body.points for name in body.basis] for body in system.bodies])
    beside = q + np.outer(is_point, (3.0, 0.0, 0.0)).ravel()
    # a pull of 1e-9 moves ends that start a metre apart by less than 1e-6 where markers determine them well enough
    solver = PositionSolver(system, metric=1e-9)
    near, far = solver.solve(q, targets=targets), solver.solve(beside, targets=targets)
    standing = solver.solve(np.tile(system.reference, (FRAMES, 1)), targets=targets)
    for result in (near, far, standing):
        assert_array_equal(result.status, FrameStatus.PHI)
        assert result.iterations.max() <= 25
        assert_allclose(result.q, near.q, rtol=0, atol=1e-6)


def test_contacts_and_targets_together(human, rng):
    system, q, _ = human
    contacts = contact_points(system, q)
    targets = PointTargets.at(system.layout, noisy(markers_at(system, q), rng, 0.005))
    solver = PositionSolver(system, metric=WEAK)
    held, free = solver.solve(q, contacts=contacts, targets=targets), solver.solve(q, targets=targets)
    assert held.valid.all()
    assert np.abs(contacts.residual(held.q)).max() < 1e-10
    assert np.abs(contacts.residual(free.q)).max() > 1e-3
    assert np.abs(gradient(system, targets, held, q, WEAK, contacts)).max() < 1e-9
    assert (targets.objective(held.q) > targets.objective(free.q)).all()


def test_a_body_that_nobody_saw_stays_near_the_start(human):
    """All but the right hand is seen where it is, so the hand keeps the attitude it starts with."""
    system, _, _ = human
    tree = human_tree()
    motion = human_motion(tree, 4, np.random.default_rng(2))
    q = tree.coordinates(system, motion)
    start = tree.coordinates(system, motion | {"wrist_R": motion["wrist_R"] + 0.3})
    names = [name for name in marker_names(system) if not name.startswith("hand_R")]
    targets = PointTargets.at(system.layout, markers_at(system, q, names))
    result = PositionSolver(system, metric=WEAK).solve(start, targets=targets)
    hand = system.layout.columns("hand_R")
    assert result.valid.all()
    assert np.abs(q - start)[:, hand].max() > 0.1
    assert_allclose(result.q, start, rtol=0, atol=1e-7)


# ---------------------------------------------------------------------- weights, frames, laboratory


def test_weight_zero_not_seen_and_absent_are_the_same(human, rng):
    system, q, start = human
    points = noisy(markers_at(system, q), rng, 0.01)
    lost = "thigh_R.marker1"
    others = {name: place for name, place in points.items() if name != lost}
    unseen = points | {lost: np.where(np.arange(FRAMES)[:, None] % 2, np.nan, points[lost])}
    switched = np.where(np.arange(FRAMES) % 2, 0.0, 1.0)
    solver = PositionSolver(system, metric=WEAK)

    def solved(given, weights=None):
        return solver.solve(start, targets=PointTargets.at(system.layout, given, weights))

    absent, zero, every = solved(others), solved(points, {lost: 0.0}), solved(points)
    missing, off = solved(unseen), solved(points, {lost: switched})
    assert_allclose(zero.q, absent.q, rtol=0, atol=1e-12)
    assert_array_equal(missing.q, off.q)
    assert_allclose(missing.q[1::2], absent.q[1::2], rtol=0, atol=1e-12)
    assert_allclose(missing.q[::2], every.q[::2], rtol=0, atol=1e-12)
    assert np.abs(every.q - absent.q).max() > 1e-4


def test_targets_of_weight_zero_leave_the_position_problem(human):
    system, q, _ = human
    start = perturbed(system, q, np.random.default_rng(1))
    targets = PointTargets.at(system.layout, markers_at(system, q), dict.fromkeys(marker_names(system), 0.0))
    pulled, plain = PositionSolver(system).solve(start, targets=targets), PositionSolver(system).solve(start)
    assert pulled.valid.all()
    assert_allclose(pulled.q, plain.q, rtol=0, atol=1e-7)  # the plain search stops on ‖Φ‖, 1e-7 from its minimum


def test_what_a_system_keeps_is_that_of_its_own_weights_and_markers(human, rng):
    """Tables are kept between trials: by other weights or markers nothing of an earlier trial may come in."""
    system, q = human[0], human[1][:3]
    names = marker_names(system)
    noisy_places = noisy(markers_at(system, q), rng, 0.01)
    asked = [(names, 1e-6), (names[::2], 1e-6), (names, 1e-3), (names, np.linspace(1e-6, 1e-4, system.n))] * 2

    def solved(on, chosen, metric):
        targets = PointTargets.at(on.layout, {name: noisy_places[name] for name in chosen})
        pulls = np.full(on.n, metric) if np.isscalar(metric) else metric
        return PositionSolver(on, metric=pulls).solve(q, targets=targets).q

    for chosen, metric in asked:
        fresh = System(system.bodies, system.constraints, gravity=system.gravity)
        assert_array_equal(solved(system, chosen, metric), solved(fresh, chosen, metric))
    made = [system.derived(("number", k), lambda k=k: [k]) for k in range(3 * KEPT)]
    assert made == [[k] for k in range(3 * KEPT)]
    assert len(system._derived) == KEPT


def test_only_ratios_of_weights_count(human, rng):
    """Weights of 1e6, as variances of 1 mm would give, with the pull to the start in proportion."""
    system, q, start = human
    points = noisy(markers_at(system, q), rng, 0.01)
    plain = PositionSolver(system, metric=WEAK).solve(start, targets=PointTargets.at(system.layout, points))
    heavy = PointTargets.at(system.layout, points, dict.fromkeys(points, 1e6))
    scaled = PositionSolver(system, metric=1e6 * WEAK).solve(start, targets=heavy)
    assert scaled.valid.all()
    assert_allclose(scaled.q, plain.q, rtol=0, atol=1e-8)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), size=st.integers(1, 6))
def test_moving_and_turning_the_laboratory_changes_nothing_else(seed, size):
    rng = np.random.default_rng(seed)
    system = with_markers(random_tree(size, rng).system())
    start = perturbed(system, system.reference[None].copy(), rng)
    points = noisy(markers_at(system, start), rng, 0.01)
    R, shift = Rotation.random(rng=rng).as_matrix(), 0.1 * rng.normal(size=3)

    def moved(q):
        is_point = np.concatenate([[name in b.points for name in b.basis] for b in system.bodies])
        return (q.reshape(len(q), -1, 3) @ R.T + is_point[:, None] * shift).reshape(q.shape)

    solver = PositionSolver(system, metric=1e-3)
    first = solver.solve(start, targets=PointTargets.at(system.layout, points))
    turned = {name: place @ R.T + shift for name, place in points.items()}
    second = solver.solve(moved(start), targets=PointTargets.at(system.layout, turned))
    assert first.valid.all()
    assert second.valid.all()
    assert_allclose(second.q, moved(first.q), rtol=0, atol=1e-8)


def test_frames_do_not_depend_on_their_neighbours(human, rng):
    system, q, start = human
    points = noisy(markers_at(system, q), rng, 0.02)
    broken = start.copy()
    broken[3, 17] = np.nan
    solver = PositionSolver(system, metric=WEAK)
    whole = solver.solve(start, targets=PointTargets.at(system.layout, points))
    hurt = solver.solve(broken, targets=PointTargets.at(system.layout, points))
    alone = PointTargets.at(system.layout, {name: place[20] for name, place in points.items()})
    assert hurt.status[3] == FrameStatus.MISSING
    assert_array_equal(np.delete(hurt.q, 3, axis=0), np.delete(whole.q, 3, axis=0))
    assert_allclose(solver.solve(start[20], targets=alone).q[0], whole.q[20], rtol=0, atol=1e-12)


def test_a_search_that_was_cut_short_is_not_valid(human, rng):
    system, q, start = human
    targets = PointTargets.at(system.layout, noisy(markers_at(system, q), rng, 0.02))
    result = PositionSolver(system, metric=WEAK, options=PositionOptions(max_iterations=3)).solve(
        start, targets=targets
    )
    assert_array_equal(result.status, FrameStatus.MAX_ITER)


# ---------------------------------------------------------------------- the targets themselves


@pytest.mark.parametrize("build", CONSTRAINT_EXAMPLES.values(), ids=CONSTRAINT_EXAMPLES)
def test_residuals_of_every_kind_of_body(build, rng):
    """C q − p from four coefficients a component is the place of the point less where it was seen."""
    system = build()
    q = rng.normal(size=(5, system.n))
    dim = system.layout.dimension
    names = [f"{body.name}.com" for body in system.bodies]
    points = {name: rng.normal(size=(5, dim)) for name in names}
    points[names[0]][2, 1] = np.nan
    targets = PointTargets.at(system.layout, points)
    residual = targets.residual(q)
    assert residual.shape == (5, len(names), dim)
    for k, name in enumerate(names):
        expected = system.layout.point(name)(q) - points[name]
        expected[np.isnan(expected).any(axis=1)] = np.nan
        assert_allclose(residual[:, k], expected, rtol=0, atol=1e-13)
    assert targets.weights[2, 0] == 0.0
    assert targets.targets.shape == (5, dim * len(names))


def test_a_place_that_does_not_move_is_given_once(human):
    system, q, _ = human
    points = markers_at(system, q)
    points["foot_R.marker0"] = points["foot_R.marker0"][0]
    targets = PointTargets.at(system.layout, points)
    assert_array_equal(targets.weights, 1.0)
    k = targets.names.index("foot_R.marker0")
    assert np.ptp(targets.targets[:, 3 * k : 3 * k + 3], axis=0).tolist() == [0.0, 0.0, 0.0]


def test_wrong_targets_are_refused(human):
    system, q, start = human
    layout = system.layout
    here = markers_at(system, q, ["thigh_R.marker0"])
    with pytest.raises(BiomecError, match="no point is given"):
        PointTargets.at(layout, {})
    with pytest.raises(BiomecError, match="there is no body tail"):
        PointTargets.at(layout, {"tail.tip": q[:, :3]})
    with pytest.raises(BiomecError, match="body thigh_R has no nose"):
        PointTargets.at(layout, {"thigh_R.nose": q[:, :3]})
    with pytest.raises(BiomecError, match="fixed to the ground"):
        PointTargets.at(layout, {"ground.origin": q[:, :3]})
    with pytest.raises(BiomecError, match=r"thigh_R.marker0: give its place as 3 coordinates a frame"):
        PointTargets.at(layout, {"thigh_R.marker0": q[:, :2]})
    with pytest.raises(BiomecError, match=r"thigh_R.marker1: it has 5 frames, but another target has 32"):
        PointTargets.at(layout, here | {"thigh_R.marker1": q[:5, :3]})
    with pytest.raises(BiomecError, match=r"a weight is given for hand_R.marker0, but no measured place"):
        PointTargets.at(layout, here, {"hand_R.marker0": 1.0})
    for wrong in (-1.0, np.nan, np.inf):
        with pytest.raises(BiomecError, match="weights are zero or more"):
            PointTargets.at(layout, here, {"thigh_R.marker0": wrong})
    with pytest.raises(BiomecError, match="one weight, or one for each of 32 frames"):
        PointTargets.at(layout, here, {"thigh_R.marker0": np.ones(5)})
    with pytest.raises(BiomecError, match="made for 32 frames, but the coordinates have 3"):
        PositionSolver(system).solve(start[:3], targets=PointTargets.at(layout, here))
    with pytest.raises(BiomecError, match="made for another system"):
        PositionSolver(pendulum([0.1])).solve(np.zeros((32, 4)), targets=PointTargets.at(layout, here))
    with pytest.raises(BiomecError, match="tolerances must be positive"):
        PositionOptions(step_tolerance=0.0)
