"""Sharing of torques among muscles, frame by frame: the programme, its solvers, and the status of every frame.

    min Σ wᵢ xᵢᵖ + γᵢ (xᵢ − x̂ᵢ)²   with   A x = b,   lo ≤ x ≤ hi

The unknowns x are activations, reserve torques, contacts that push, and penalties. p = 2 and 3 are solved by Newton's
method on the multipliers (`biomec.body.muscles.newton_qp`), for groups of rows that share no muscle one by one. Frames
that it leaves are solved by DAQP, an exact active-set method [Arnstrom2022], or by Clarabel, an interior-point method
[Goulart2024], which also takes the power cones of p = 3. A joint that must stay in its socket is solved on the edge of
its cone (`biomec.body.muscles.cone_edges`), by Clarabel where that fails.
The least greatest activation (min-max) is a programme for DAQP.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import daqp
import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, IntArray
from biomec.base.progress import Progress, in_parallel, part_of
from biomec.body.muscles.cone_edges import edge_solutions
from biomec.body.muscles.conic import Cones, conic_solution
from biomec.body.muscles.newton_qp import Costs, share_frames

SOLVED, ALMOST, INFEASIBLE, FAILED, NO_MOTION = 0, 1, 2, 3, 4
STATUS_WORDS = {
    SOLVED: "solved",
    ALMOST: "almost",
    INFEASIBLE: "infeasible",
    FAILED: "failed",
    NO_MOTION: "no motion",
}
EXACT_NM, ROUGH_NM = 1e-8, 1e-3  # greatest residual of a row that counts as solved, and as almost solved
TIE_BREAK = 1e-3  # of Σ a² beside the greatest activation, which alone would leave most muscles free
UNBOUNDED = 1e30  # what DAQP takes for no bound
BATCH = 32  # frames between two looks at whether the work was cancelled


@dataclass(frozen=True, eq=False)
class SharingProblem:
    """The programme of T frames with n variables and m rows.

    columns : (T, n, m) what one unit of a variable does in a row [N m];  wanted : (T, m) [N m]
    costs   : of the variables
    levelled : (n,) variables whose greatest value is the cost, beside `TIE_BREAK`; none for p = 2 and 3
    cones   : combinations of the variables that must stay within cones
    reserves : first of m free variables, each of which fills a row by itself and takes up its rounding; None without
    """

    columns: FloatArray
    wanted: FloatArray
    costs: Costs
    levelled: BoolArray | None = None
    cones: Cones | None = None
    reserves: int | None = None


@dataclass(frozen=True, eq=False)
class SharedFrames:
    """x : (T, n), NaN without a solution;  status : (T,) as in `STATUS_WORDS`;  residual : (T,) greatest [N m]."""

    x: FloatArray
    status: IntArray
    residual: FloatArray


def share(problem: SharingProblem, progress: Progress | None = None) -> SharedFrames:
    """Solve all frames, one group of variables that have to do with each other after another."""
    frames, n, m = problem.columns.shape
    known = np.asarray(np.isfinite(problem.columns).all(axis=(1, 2)) & np.isfinite(problem.wanted).all(axis=1))
    x = np.full((frames, n), np.nan)
    infeasible = np.zeros(frames, dtype=np.bool_)
    groups = independent_groups(problem)
    for number, (variables, rows, cones) in enumerate(groups):
        part = problem if len(groups) == 1 else _part(problem, variables, rows, cones)
        within = part_of(progress, number / len(groups), (number + 1) / len(groups))
        x[:, variables], lost = _share_group(part, known, within)
        infeasible |= lost
    x[infeasible] = np.nan
    left_over = problem.wanted - np.einsum("tnm,tn->tm", problem.columns, x)
    if problem.reserves is not None:
        filled = slice(problem.reserves, problem.reserves + m)
        own = np.einsum("tkk->tk", problem.columns[:, filled])
        small = np.abs(left_over) <= ROUGH_NM  # beyond that it is not rounding
        x[:, filled] += np.where(small, left_over / own, 0.0)
        left_over = problem.wanted - np.einsum("tnm,tn->tm", problem.columns, x)
    residual = np.abs(left_over).max(axis=1) if m else np.where(known, 0.0, np.nan)
    status = np.select(
        [~known, infeasible, residual <= EXACT_NM, residual <= ROUGH_NM],
        [NO_MOTION, INFEASIBLE, SOLVED, ALMOST],
        FAILED,
    )
    x[status == FAILED] = np.nan
    return SharedFrames(x, status.astype(np.int64), residual)


def _share_group(problem: SharingProblem, known: BoolArray, progress: Progress | None) -> tuple[FloatArray, BoolArray]:
    """Variables (T, n) of a group, NaN where they were not found, and the frames (T,) that have no solution."""
    x = np.full(problem.columns.shape[:2], np.nan)
    waiting = known.copy()
    if problem.levelled is None:
        solved = _by_newton(problem, x, part_of(progress, 0.0, 0.5))
        if problem.cones is not None:
            solved &= _within_cones(problem, problem.cones, x, solved)
        waiting &= ~solved
        x[~solved] = np.nan
    infeasible = np.zeros(len(x), dtype=np.bool_)
    left = np.flatnonzero(waiting)
    solver = _solver(problem)
    for done, t in enumerate(left):
        found = solver(problem, int(t))
        infeasible[t] = found is None
        if found is not None:
            x[t] = np.clip(found, problem.costs.low[t], problem.costs.high[t])
        if progress is not None and (done % BATCH == 0 or done == len(left) - 1):
            progress(0.5 + 0.5 * (done + 1) / len(left))
    return x, infeasible


def _within_cones(problem: SharingProblem, cones: Cones, x: FloatArray, solved: BoolArray) -> BoolArray:
    """Where solutions x (T, n) are within the cones; with one cone, those that are not are moved to its edge."""
    inside = cones.hold(x)
    beyond = np.flatnonzero(solved & ~inside)
    if cones.matrix.shape[1] != 1 or not beyond.size:
        return inside

    def solve(frames: IntArray, columns: FloatArray, wanted: FloatArray) -> tuple[FloatArray, BoolArray]:
        costs = problem.costs
        own = (np.ascontiguousarray(one[frames]) for one in (costs.pull, costs.target, costs.low, costs.high))
        more = SharingProblem(
            np.concatenate([problem.columns[frames], columns[:, :, None]], axis=2),
            np.concatenate([problem.wanted[frames], wanted[:, None]], axis=1),
            Costs(costs.power, costs.weight, *own),
        )
        found = np.full((len(frames), columns.shape[1]), np.nan)
        return found, _by_newton(more, found, None)

    x[beyond], _ = edge_solutions(cones, x, beyond, solve)
    return cones.hold(x)


def row_scales(columns: FloatArray) -> FloatArray:
    """(T, m) by which rows are divided, so that none counts more for its unit: max(1, greatest entry)."""
    return np.asarray(np.maximum(1.0, np.abs(columns).max(axis=1, initial=0.0)))


def _solver(problem: SharingProblem) -> Callable[[SharingProblem, int], FloatArray | None]:
    """Which method solves the frames that are left; it returns None for an infeasible one."""
    if problem.cones is not None:
        return conic_frame
    if problem.levelled is not None:
        return _level_frame
    return conic_frame if (problem.costs.power == 3).any() else quadratic_frame


def _by_newton(problem: SharingProblem, x: FloatArray, progress: Progress | None) -> BoolArray:
    """Fill x (T, n) where the compiled method solves, and say where it did."""
    scale = row_scales(problem.columns)
    columns = np.ascontiguousarray(problem.columns / scale[:, None])
    wanted, costs = problem.wanted / scale, problem.costs
    steps = np.empty(len(x), dtype=np.int64)

    def work(some: slice) -> None:
        own = (costs.pull[some], costs.target[some], costs.low[some], costs.high[some])
        share_frames(columns[some], wanted[some], Costs(costs.power, costs.weight, *own), x[some], steps[some])

    in_parallel(work, len(x), BATCH, progress)
    return np.asarray(steps >= 0)


def independent_groups(problem: SharingProblem) -> list[tuple[IntArray, IntArray, IntArray]]:
    """Variables, rows and cones that have to do with each other in any frame; variables on their own together.

    What is levelled has to do with everything.
    """
    linked = np.nan_to_num(np.abs(problem.columns)).max(axis=0, initial=0.0) > 0.0  # (n, m)
    n, m = linked.shape
    coned = np.zeros((n, 0), dtype=np.bool_)
    if problem.cones is not None:
        coned = (np.nan_to_num(np.abs(problem.cones.matrix)).max(axis=(0, 2), initial=0.0) > 0.0).T
    if problem.levelled is not None:
        return [(np.arange(n), np.arange(m), np.arange(coned.shape[1]))]
    touched = np.hstack([linked, coned])
    group_of = np.arange(touched.shape[1])
    for own in (np.flatnonzero(one) for one in touched):
        if len(own) > 1:
            group_of[np.isin(group_of, group_of[own])] = group_of[own[0]]
    groups = []
    for group in np.unique(group_of):
        members = np.flatnonzero(group_of == group)
        variables = np.flatnonzero(touched[:, members].any(axis=1))
        groups.append((variables, members[members < m], members[members >= m] - m))
    free = np.flatnonzero(~touched.any(axis=1))
    none = np.zeros(0, dtype=np.int64)
    return [*groups, (free, none, none)] if free.size else groups


def _part(problem: SharingProblem, variables: IntArray, rows: IntArray, cones: IntArray) -> SharingProblem:
    """The programme of some variables, rows and cones."""
    costs = problem.costs
    own = (np.ascontiguousarray(one[:, variables]) for one in (costs.pull, costs.target, costs.low, costs.high))
    kept = None
    if problem.cones is not None and len(cones):
        kept = Cones(problem.cones.matrix[:, cones][..., variables], problem.cones.offset[:, cones])
    return SharingProblem(
        problem.columns[:, variables][:, :, rows], problem.wanted[:, rows],
        Costs(costs.power[variables], costs.weight[variables], *own), None, kept,
    )  # fmt: skip


def quadratic_frame(problem: SharingProblem, t: int) -> FloatArray | None:
    """Solution (n,) of a frame with p = 2 by DAQP, or None if there is none.

    In z = √(2 (w + γ)) (x − c), c = γ x̂/(w + γ), the cost is ½ zᵀz.
    """
    costs = problem.costs
    pull = costs.pull[t]
    total = costs.weight + pull
    centre = pull * costs.target[t] / total
    stretch = np.sqrt(2.0 * total)
    A = problem.columns[t].T
    scale = np.maximum(1.0, np.abs(A).max(axis=1, initial=0.0))[:, None]
    b = (problem.wanted[t] - A @ centre) / scale[:, 0]
    low, high = ((bound[t] - centre) * stretch for bound in (costs.low, costs.high))
    z = _by_daqp(np.eye(len(total)), np.zeros(len(total)), A / scale / stretch, b, low, high)
    return None if z is None else centre + z / stretch


def _level_frame(problem: SharingProblem, t: int) -> FloatArray | None:
    """Solution (n,) of a frame whose cost is the greatest of the levelled variables, by DAQP, or None.

    β is one more variable, a − β ≤ 0 one more row each; where the tie-break alone would be singular in β, DAQP adds a
    proximal term and repeats until it no longer matters.
    """
    assert problem.levelled is not None
    costs, level = problem.costs, np.flatnonzero(problem.levelled)
    n = len(costs.weight)
    H, f = np.zeros((n + 1, n + 1)), np.zeros(n + 1)
    own = np.where(problem.levelled, TIE_BREAK, costs.weight)
    H[np.arange(n), np.arange(n)] = 2.0 * (own + costs.pull[t])
    f[:n] = -2.0 * costs.pull[t] * costs.target[t]
    f[n] = 1.0
    A = problem.columns[t].T
    scale = np.maximum(1.0, np.abs(A).max(axis=1, initial=0.0))[:, None]
    below = np.zeros((len(level), n + 1))
    below[np.arange(len(level)), level] = 1.0
    below[:, n] = -1.0
    low = np.append(costs.low[t], -np.inf)
    high = np.append(costs.high[t], np.inf)
    rows = np.hstack([A / scale, np.zeros((len(A), 1))])
    found = _by_daqp(H, f, rows, problem.wanted[t] / scale[:, 0], low, high, below)
    return None if found is None else found[:n]


def _by_daqp(
    H: FloatArray,
    f: FloatArray,
    A: FloatArray,
    b: FloatArray,
    low: FloatArray,
    high: FloatArray,
    below: FloatArray | None = None,
) -> FloatArray | None:
    """Minimise ½ xᵀHx + fᵀx with A x = b, low ≤ x ≤ high and, if given, ``below`` x ≤ 0; None if infeasible."""
    more = np.zeros((0, len(f))) if below is None else below
    upper = np.concatenate([np.minimum(high, UNBOUNDED), b, np.zeros(len(more))])
    lower = np.concatenate([np.maximum(low, -UNBOUNDED), b, np.full(len(more), -UNBOUNDED)])
    sense = np.concatenate([np.zeros(len(f)), np.full(len(b), 5), np.zeros(len(more))]).astype(np.int32)
    fixed = low == high
    sense[: len(f)][fixed] = 5
    rows = np.ascontiguousarray(np.vstack([A, more]))
    x, _, flag, _ = daqp.solve(
        np.ascontiguousarray(H), f, rows, upper, lower, sense, primal_tol=1e-12, dual_tol=1e-12, iter_limit=10000
    )
    if flag == -1:
        return None
    return np.asarray(x, dtype=np.float64) if flag > 0 else np.full(len(f), np.nan)


def conic_frame(problem: SharingProblem, t: int) -> FloatArray | None:
    """Solution (n,) of a frame by Clarabel, or None if there is none."""
    costs = problem.costs
    cones = None if problem.cones is None else (problem.cones.matrix[t], problem.cones.offset[t])
    weight = costs.weight if problem.levelled is None else np.where(problem.levelled, TIE_BREAK, costs.weight)
    return conic_solution(
        problem.columns[t], problem.wanted[t], costs.power, weight, costs.pull[t], costs.target[t],
        costs.low[t], costs.high[t], problem.levelled, cones,
    )  # fmt: skip


def with_strength(problem: SharingProblem, muscles: int, highest: float) -> SharingProblem:
    """The same problem with muscles, the first variables, that may be activated up to another value."""
    high = problem.costs.high.copy()
    high[:, :muscles] = np.maximum(high[:, :muscles], highest)
    return replace(problem, costs=problem.costs._replace(high=high))
