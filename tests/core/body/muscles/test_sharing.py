"""Load sharing: published frames by three criteria, optimality, and three solvers beside each other."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.body.muscles.conic import Cones
from biomec.body.muscles.newton_qp import Costs
from biomec.body.muscles.sharing import (
    INFEASIBLE,
    NO_MOTION,
    SOLVED,
    TIE_BREAK,
    SharingProblem,
    conic_frame,
    independent_groups,
    quadratic_frame,
    share,
    with_strength,
)
from tests.core.body.muscles.reference_frames import reference_frames


def costs(frames, muscles, free=0, power=2, low=0.01, high=1.0):
    """Muscles between bounds, then variables that are free; all count alike."""
    n = muscles + free
    powers = np.full(n, 2)
    powers[:muscles] = power
    least, most = np.full((frames, n), -np.inf), np.full((frames, n), np.inf)
    least[:, :muscles], most[:, :muscles] = low, high
    return Costs(powers, np.ones(n), np.zeros((frames, n)), np.zeros((frames, n)), least, most)


def reference_problem(criterion):
    given = reference_frames()
    T, M, K = given.arms.shape
    columns = np.zeros((T, M + K, K))
    columns[:, :M] = given.arms * given.optimum[..., None]
    columns[:, M + np.arange(K), np.arange(K)] = 1.0
    levelled = np.arange(M + K) < M if criterion == "min-max" else None
    power = 3 if criterion == "cubic" else 2
    return SharingProblem(columns, given.wanted, costs(T, M, K, power), levelled, reserves=M)


def drawn_problem(seed, frames=20, muscles=40, rows=6, reserves=True, demand=1.0, power=2):
    """Arms and forces as legs have them, and torques that activations drawn at random make, or more."""
    rng = np.random.default_rng(seed)
    force = rng.uniform(150.0, 2500.0, (frames, muscles))
    arms = rng.normal(0.0, 0.03, (frames, muscles, rows)) * (rng.random((muscles, rows)) < 0.5)
    columns = arms * force[..., None]
    wanted = demand * np.einsum("tmk,tm->tk", columns, np.clip(rng.beta(0.5, 2.0, (frames, muscles)), 0.01, 1.0))
    if reserves:
        columns = np.concatenate([columns, np.broadcast_to(np.eye(rows), (frames, rows, rows))], axis=1)
    free = rows if reserves else 0
    return SharingProblem(columns, wanted, costs(frames, muscles, free, power), reserves=muscles if reserves else None)


# what separates the stored solutions from exact ones: nine digits, and the accuracy of an interior-point method
STORED = {"quadratic": 1e-6, "cubic": 5e-6, "min-max": 5e-5}


@pytest.mark.parametrize("criterion", STORED)
def test_published_frames_come_out(criterion):
    given, found = reference_frames(), share(reference_problem(criterion))
    assert (found.status == SOLVED).all()
    assert found.residual.max() < 1e-8  # N·m
    M = len(given.muscles)
    assert_allclose(found.x[:, :M], given.activation[criterion], rtol=0, atol=STORED[criterion])
    if criterion == "quadratic":
        assert_allclose(found.x[:, M:], given.reserve, rtol=0, atol=1e-6)  # N·m
    if criterion == "min-max":  # where they differ most, ours costs less

        def cost(a, reserve):
            return a.max(axis=1) + TIE_BREAK * (a * a).sum(axis=1) + (reserve * reserve).sum(axis=1)

        stored = given.activation[criterion]
        left = given.wanted - np.einsum("tmk,tm->tk", given.arms, stored * given.optimum)
        assert (cost(found.x[:, :M], found.x[:, M:]) <= cost(stored, left) + 1e-9).all()


@pytest.mark.parametrize("power", [2, 3])
def test_solutions_are_optimal(power):
    """Karush-Kuhn-Tucker: multipliers from the reserves, whose cost is theirs alone, explain every activation."""
    problem = reference_problem("quadratic" if power == 2 else "cubic")
    M = len(reference_frames().muscles)
    x = share(problem).x
    multiplier = 2.0 * x[:, M:]
    gradient = power * x[:, :M] ** (power - 1) - np.einsum("tmk,tk->tm", problem.columns[:, :M], multiplier)
    projected = np.clip(x[:, :M] - gradient, 0.01, 1.0) - x[:, :M]
    # multipliers of 1e-2 times columns of 300 N·m magnify the round-off of the reserves, 1e-14 N·m
    assert np.abs(projected).max() < 1e-7


@pytest.mark.parametrize("demand", [1.0, 3.0])
def test_newton_and_an_active_set_method_agree(demand):
    problem = drawn_problem(1, demand=demand)
    found = share(problem)
    assert (found.status == SOLVED).all()
    theirs = np.array([quadratic_frame(problem, t) for t in range(len(found.x))])
    scale = np.maximum(1.0, np.abs(theirs))  # reserves reach 100 N·m where three times the strength is asked for
    assert np.abs((found.x - theirs) / scale).max() < 1e-9


@pytest.mark.parametrize("power", [2, 3])
def test_newton_and_an_interior_point_method_agree(power):
    problem = drawn_problem(2, frames=5, power=power)
    theirs = np.array([conic_frame(problem, t) for t in range(5)])
    assert_allclose(share(problem).x, theirs, rtol=0, atol=1e-4)  # as near as an interior point comes to bounds


def test_no_reserves_leave_an_exact_solution():
    problem = drawn_problem(3, reserves=False)
    found = share(problem)
    assert (found.status == SOLVED).all()
    theirs = np.array([quadratic_frame(problem, t) for t in range(len(found.x))])
    assert_allclose(found.x, theirs, rtol=0, atol=1e-9)


def test_too_much_is_infeasible_and_stronger_muscles_make_it():
    problem = drawn_problem(4, frames=3, reserves=False)
    problem.wanted[1] = np.einsum("mk,m->k", problem.columns[1], np.where(problem.columns[1, :, 0] > 0.0, 1.5, 0.01))
    found = share(problem)
    assert found.status.tolist() == [SOLVED, INFEASIBLE, SOLVED]
    assert np.isnan(found.x[1]).all()
    assert share(with_strength(problem, 40, 10.0)).status[1] == SOLVED


def test_frames_without_motion_are_left_alone():
    problem = drawn_problem(5, frames=4)
    before = share(problem).x
    problem.wanted[2, 1] = np.nan
    found = share(problem)
    assert found.status.tolist() == [SOLVED, SOLVED, NO_MOTION, SOLVED]
    assert np.isnan(found.x[2]).all()
    assert (found.x[[0, 1, 3]] == before[[0, 1, 3]]).all()


def test_limbs_are_solved_by_themselves():
    """Two problems in one, sharing no row: the same activations as alone, bit by bit."""
    one, other = drawn_problem(6, muscles=20, rows=3), drawn_problem(7, muscles=25, rows=4)
    columns = np.zeros((20, 23 + 29, 7))
    columns[:, :23, :3], columns[:, 23:, 3:] = one.columns, other.columns
    merged = Costs(*(np.concatenate(pair, axis=-1) for pair in zip(one.costs, other.costs, strict=True)))
    both = SharingProblem(columns, np.hstack([one.wanted, other.wanted]), merged)
    assert [len(rows) for _, rows, _ in independent_groups(both)] == [3, 4, 0]  # the last: muscles of no row
    alone = np.hstack([share(one).x[:, :20], share(other).x[:, :25]])
    assert (np.hstack([share(both).x[:, :20], share(both).x[:, 23:48]]) == alone).all()


def test_the_number_of_threads_changes_nothing(monkeypatch):
    problem = drawn_problem(8, frames=100)
    monkeypatch.setenv("BIOMEC_THREADS", "1")
    alone = share(problem).x
    monkeypatch.setenv("BIOMEC_THREADS", "3")
    assert (share(problem).x == alone).all()


def test_measured_activations_draw_the_others():
    problem = drawn_problem(9, frames=5)
    M, plain = 40, share(drawn_problem(9, frames=5)).x
    m = int(np.abs(problem.columns[0, :M]).sum(axis=1).argmax())
    problem.costs.pull[:, m], problem.costs.target[:, m] = 10.0, 0.8
    drawn = share(problem)
    theirs = np.array([quadratic_frame(problem, t) for t in range(5)])
    assert_allclose(drawn.x, theirs, rtol=0, atol=1e-9)
    assert (np.abs(drawn.x[:, m] - 0.8) < np.abs(plain[:, m] - 0.8)).all()
    problem.costs.low[:, m] = problem.costs.high[:, m] = 0.8
    fixed = share(problem)
    assert (fixed.status == SOLVED).all()
    assert (fixed.x[:, m] == 0.8).all()
    others = np.arange(M) != m
    assert not np.allclose(fixed.x[:, :M][:, others], plain[:, :M][:, others], atol=1e-3)


@pytest.mark.parametrize("power", [2, 3])
def test_cones_are_kept_and_cost_no_more_than_they_must(power):
    """A cone that the free solution leaves: the solution lies on its rim. One that it keeps changes nothing."""
    problem = drawn_problem(10, frames=4, power=power)
    n = problem.columns.shape[1]
    rng = np.random.default_rng(0)
    matrix = rng.normal(0.0, 500.0, (4, 1, 3, n))
    matrix[..., 40:] = 0.0
    free = share(problem).x
    s = np.einsum("tckn,tn->tck", matrix, free)
    offset = -s.copy()
    offset[:2, :, 0] += 50.0  # s = (50, 0, 0) within the cone, in two frames
    offset[2:, :, 1] += 50.0  # s = (0, 50, 0) outside
    kept = SharingProblem(problem.columns, problem.wanted, problem.costs, None, Cones(matrix, offset), 40)
    found = share(kept)
    assert (found.status == SOLVED).all()
    assert_allclose(found.x[:2], free[:2], rtol=0, atol=1e-12)
    s = offset[2:] + np.einsum("tckn,tn->tck", matrix[2:], found.x[2:])
    assert_allclose(np.hypot(s[..., 1], s[..., 2]), s[..., 0], rtol=0, atol=1e-3)  # N, of forces of some 1000 N


@pytest.mark.parametrize("power", [2, 3])
def test_solutions_on_the_edge_of_a_cone_cost_no_more_than_those_of_an_interior_point_method(power):
    """Cones that the free solution leaves, in every frame; with a slip that costs, as muscle forces have it."""
    frames, random = 12, np.random.default_rng(11)
    problem = drawn_problem(9, frames=frames, power=power)
    n = problem.columns.shape[1]
    free = share(problem).x
    matrix = 100.0 * random.standard_normal((frames, 1, 3, n))
    matrix[..., 40:] = 0.0
    offset = random.uniform(-200.0, 200.0, (frames, 1, 3)) - np.einsum("tckn,tn->tck", matrix, free)
    offset[:, 0, 0] -= 250.0  # the free solution lies outside
    cones = Cones(matrix, offset)
    assert not cones.hold(free).any()
    kept = SharingProblem(problem.columns, problem.wanted, problem.costs, None, cones, 40)
    found = share(kept)
    assert (found.status == SOLVED).all()
    assert cones.hold(found.x).all()
    theirs = np.array([conic_frame(kept, t) for t in range(frames)])
    weight = problem.costs.weight

    def cost(x):
        return (weight * np.abs(x) ** problem.costs.power).sum(axis=1)

    assert_allclose(cost(found.x), cost(theirs), rtol=2e-6)
    assert_allclose(found.x, theirs, rtol=0, atol=2e-3)
    assert (cost(found.x) <= cost(theirs) * (1.0 + 1e-8)).all()
