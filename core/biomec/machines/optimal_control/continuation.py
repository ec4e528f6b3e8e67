"""From an easy problem to a hard one in steps, each begun with the answer of the one before.

Every attempt is recorded with its settings and how it ended, as the history of [Silva2007] keeps it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from biomec.base.errors import BiomecError
from biomec.base.plain_text import table
from biomec.base.progress import Progress, part_of
from biomec.machines.machine import Machine
from biomec.machines.optimal_control.collocation import CollocationOptions, solve_collocation
from biomec.machines.optimal_control.guess import path_guess
from biomec.machines.optimal_control.planar_model import PlanarModel
from biomec.machines.optimal_control.problem import Problem, Trajectory
from biomec.machines.optimal_control.shooting import ShootingOptions, solve_shooting
from biomec.machines.optimal_control.solution import Audit, Solution, apart, audited
from biomec.machines.optimal_control.status import TIME_IS_UP
from biomec.machines.optimal_control.task import SEPARATOR, Task, machine_problem, numbers
from biomec.machines.time_limit import TimeUp, limited

BEFORE = ("run", "iterations", "status", "time_s", "J", "l_max", "deviation")
AFTER = ("duration_s", "method", "integrator", "tolerance", "limit", "N", "start")


@dataclass(frozen=True)
class RunAttempt:
    """One attempt.

    values : parameters of the machine that were changed, such as K, C, g
    start  : what it began with: ``kinematics``, ``zero`` or ``run 3``
    deviation : largest residual of the path that is written last, such as of the crank's speed
    """

    run: int
    iterations: int
    status: str
    time_s: float
    cost: float
    path_max: float
    deviation: float
    values: Mapping[str, float]
    duration_s: float
    method: str
    integrator: str
    tolerance: float
    limit: float
    intervals: int
    start: str


@dataclass(frozen=True)
class RunLog:
    """All attempts of a session, in order."""

    entries: tuple[RunAttempt, ...] = field(default=())

    def with_run(
        self,
        solution: Solution,
        audit: Audit | None,
        values: Mapping[str, float],
        start: str,
        deviation: float = np.nan,
    ) -> RunLog:
        """The log with one attempt more."""
        new = RunAttempt(
            run=len(self.entries) + 1,
            iterations=solution.iterations,
            status=solution.status.code,
            time_s=solution.seconds,
            cost=solution.cost,
            path_max=np.nan if audit is None else audit.path_max,
            deviation=deviation,
            values=dict(values),
            duration_s=solution.problem.duration_s,
            method=solution.method,
            integrator=solution.integrator,
            tolerance=solution.tolerance,
            limit=solution.problem.limit,
            intervals=solution.intervals,
            start=start,
        )
        return RunLog((*self.entries, new))

    def rows(self) -> list[list[str]]:
        """Head and rows of the table."""
        names = list(dict.fromkeys(name for one in self.entries for name in one.values))
        table = [[*BEFORE, *names, *AFTER]]
        for one in self.entries:
            shown = [_text(one.values.get(name, np.nan)) for name in names]
            row = [f"{one.run:03d}", str(one.iterations), one.status, f"{one.time_s:.2f}", _text(one.cost)]
            row += [_text(one.path_max), _text(one.deviation), *shown, _text(one.duration_s)]
            row += [one.method, one.integrator]
            row += [_text(one.tolerance), _text(one.limit), str(one.intervals), one.start]
            table.append(row)
        return table

    def csv_text(self) -> str:
        """The table with commas, for a file."""
        return table(self.rows())

    def text(self) -> str:
        """The table to be read."""
        return aligned(self.rows())


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows with columns below each other."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)


def _text(value: float) -> str:
    return f"{value:.5g}" if np.isfinite(value) else "–"


DURATION, LIMIT = "duration", "limit"  # what a step may change besides parameters of the machine
KINEMATICS, ZERO = "kinematics", "zero torques"
TIGHTENED = 2  # times that a path is aimed at more narrowly, because it was left between the points of the mesh
LITTLE = 2.0  # times the limit: what is mended in that way
STARTS = (KINEMATICS, ZERO)


@dataclass(frozen=True)
class ContinuationStep:
    """Changes of one step: values of parameters, and duration [s] and limit of the path where they are not None."""

    values: Mapping[str, float] = field(default_factory=dict)
    duration_s: float | None = None
    limit: float | None = None


@dataclass(frozen=True, eq=False)
class Attempt:
    """One step that was solved, or tried."""

    machine: Machine
    task: Task
    model: PlanarModel
    solution: Solution
    audit: Audit | None
    deviation: float


@dataclass(frozen=True, eq=False)
class Chain:
    """All attempts in order, and their log; the last one is the answer."""

    attempts: tuple[Attempt, ...]
    log: RunLog

    @property
    def last(self) -> Attempt:
        """The answer."""
        return self.attempts[-1]


def steps_of(text: str) -> tuple[ContinuationStep, ...]:
    """Steps of a text such as ``g = 0 1 2 9.81; K = 5e4 5e4 5e4 5e6``: a name and its values, as many of each.

    ``duration`` and ``limit`` are names too. One value of a name holds in all steps.
    """
    lists: dict[str, list[float]] = {}
    for part in (one.strip() for one in text.split(SEPARATOR)):
        name, sign, listed = part.partition("=")
        if part and not sign:
            raise BiomecError(f'Optimal control: the steps: "{part}" is not understood. Write g = 0 5 9.81.')
        if part:
            lists[name.strip()] = list(numbers(listed, "steps"))
    if not lists:
        return ()
    count = max(len(values) for values in lists.values())
    for name, values in lists.items():
        if len(values) not in (1, count):
            raise BiomecError(f"Optimal control: the steps: {name} has {len(values)} values, others have {count}.")
    made = []
    for k in range(count):
        now = {name: values[min(k, len(values) - 1)] for name, values in lists.items()}
        duration, limit = now.pop(DURATION, None), now.pop(LIMIT, None)
        made.append(ContinuationStep(now, duration, limit))
    return tuple(made)


def continued(
    machine: Machine,
    task: Task,
    steps: Sequence[ContinuationStep] = (),
    options: CollocationOptions | ShootingOptions = CollocationOptions(),
    start: str = KINEMATICS,
    logged: Sequence[str] = (),
    audit: bool = True,
    guess: Trajectory | None = None,
    progress: Progress | None = None,
    limit_s: float = 0.0,
) -> Chain:
    """Solve a task, through steps if there are any; a step that fails ends the chain.

    A machine with closed loops is begun in both ways, and the cheaper answer is taken; if there is none, it is solved
    on coarser meshes first. limit_s : seconds after which it ends, 0 for none

    start  : of the first step, unless there is a ``guess``;  logged : parameters that the log tells in any case
    audit  : integrate every answer again; where the last one leaves the path between the points of the mesh by less
             than `LITTLE` times the limit, solve again for a narrower one
    """
    every = tuple(steps) or (ContinuationStep(),)
    progress = limited(progress, limit_s)
    log, attempts, before = RunLog(), [], guess
    origin = "given" if guess is not None else start
    for k, step in enumerate(every):
        watch = part_of(progress, k / len(every), (k + 1) / len(every))
        now = machine.with_values(dict(step.values)) if step.values else machine
        asked = replace(
            task,
            duration_s=task.duration_s if step.duration_s is None else step.duration_s,
            limit=task.limit if step.limit is None else step.limit,
        )
        problem, model = machine_problem(now, asked)
        first = begun(problem, start) if before is None else before.stretched(problem.duration_s)
        used = {name: now.values[name] for name in (*step.values, *logged) if name in now.values}
        tried: list[tuple[Solution, str]] = []
        if before is None and isinstance(options, CollocationOptions) and problem.dynamics.closure is not None:
            tried = _searched(problem, first, options, start, audit, part_of(watch, 0.0, 0.5))
            for solution, words in tried[:-1]:
                attempts.append(Attempt(now, asked, model, solution, None, path_deviation(solution, None)))
                log = log.with_run(solution, None, used, words, path_deviation(solution, None))
            watch = part_of(watch, 0.5, 1.0)
        for again in range(TIGHTENED + 1):
            mine = part_of(watch, 1.0 - 0.3**again, 1.0 - 0.3 ** (again + 1))
            if tried and not again:
                solution, origin = tried[-1]
            else:
                solution = _solved(problem, first, options, before is not None, part_of(mine, 0.0, 0.7))
            look = audit and np.isfinite(solution.controls).all() and np.isfinite(solution.cost)
            try:
                checked = audited(solution, part_of(mine, 0.7, 1.0)) if look else None
            except TimeUp:
                checked, solution = None, replace(solution, status=TIME_IS_UP)
            off = path_deviation(solution, checked)
            attempts.append(Attempt(now, asked, model, solution, checked, off))
            log = log.with_run(solution, checked, used, origin, off)
            passing = k < len(every) - 1
            if passing or again == TIGHTENED or checked is None or not tightenable(solution, checked):
                break
            problem = replace(problem, aim=problem.aim * problem.limit / checked.path_max)
        if k == len(every) - 1 and checked is not None and isinstance(options, CollocationOptions):
            others = [one for one, _ in tried[:-1] if one.status.succeeded]
            for made, look_again in _refined([solution, *others], checked, options, part_of(watch, 0.9, 1.0)):
                off = path_deviation(made, look_again)
                attempts.append(Attempt(now, asked, model, made, look_again, off))
                log = log.with_run(made, look_again, used, "finer mesh", off)
            attempts.sort(key=lambda one: one.audit is not None)  # the one that is judged comes last
            solution = attempts[-1].solution
        if not solution.status.succeeded:
            break
        before, origin = solution.trajectory, f"run {len(attempts):03d}"
    return Chain(tuple(attempts), log)


REFINED = 3  # times at most that a mesh is halved because the motion is too violent for it
MOST_INTERVALS = 2000
HIGHEST_DEGREE = 5  # of polynomials on finer meshes: they follow fast motions with the fewest points
SETTLED = 1e-3  # of a cost: a plan that changes less from mesh to mesh is found
FOLLOWED = 0.01  # rad, m, or of the largest rate: so near the end of the plan its torques lead
COARSE = (4, 2)  # the mesh that is asked for is this many times as fine as those that are solved before it
NEAR = 0.1  # rad or m between the ends of plan and audit
FEWEST = 8  # intervals of a coarse mesh


def _searched(
    problem: Problem,
    first: Trajectory,
    options: CollocationOptions,
    start: str,
    checking: bool,
    progress: Progress | None,
) -> list[tuple[Solution, str]]:
    """Solutions from both guesses, and from coarser meshes if neither leads to one; the best comes last."""
    other = ZERO if start == KINEMATICS else KINEMATICS
    found = []
    for k, words in enumerate((start, other)):
        guess = first if words == start else begun(problem, other)
        found.append((_solved(problem, guess, options, False, part_of(progress, 0.3 * k, 0.3 * k + 0.3)), words))
        if found[-1][0].status in (TIME_IS_UP,) or not found[-1][0].iterations:
            return found  # nothing can be searched for, or there is no time
    if not any(one.status.succeeded for one, _ in found):
        before, words = first, start
        for k, times in enumerate((*COARSE, 1)):
            mesh = replace(options, intervals=max(min(FEWEST, options.intervals), options.intervals // times))
            made = _solved(problem, before, mesh, k > 0, part_of(progress, 0.6 + 0.13 * k, 0.73 + 0.13 * k))
            found.append((made, words))
            if not made.status.succeeded:
                break
            before, words = made.trajectory, "coarser mesh"
    fine = [one for one in found if one[0].status.succeeded and one[0].intervals > options.intervals]
    best = min(fine, key=lambda one: one[0].cost) if fine else found[0]
    if len(fine) > 1 and checking:  # a cheaper answer that its torques do not lead to is none
        ends = [(one, apart(one[0], audited(one[0], part_of(progress, 0.9, 1.0)))) for one in fine]
        near = [one for one, off in ends if off < NEAR]
        best = min(near, key=lambda one: one[0].cost) if near else min(ends, key=lambda one: one[1])[0]
    return [*(one for one in found if one is not best), best]


def _refined(
    begun_with: Sequence[Solution], audit: Audit, options: CollocationOptions, progress: Progress | None
) -> list[tuple[Solution, Audit | None]]:
    """Solutions on finer and finer meshes, with polynomials of the highest degree, while torques lead elsewhere.

    A coarse mesh has solutions that are none of the machine; where a finer one has none nearby, the next of the coarse
    ones is tried. The last solution with an audit is the best that was found; none if the first one is good.
    """
    found: list[tuple[Solution, Audit | None]] = []
    for coarse in begun_with if strays(begun_with[0], audit) else ():
        solution = coarse
        for finer in range(1, REFINED + 1):
            mesh = replace(options, intervals=2**finer * options.intervals, degree=max(HIGHEST_DEGREE, options.degree))
            if mesh.intervals > MOST_INTERVALS:
                return found
            made = _solved(solution.problem, solution.trajectory, mesh, True, progress)
            try:
                checked = audited(made, progress) if made.status.succeeded else None
            except TimeUp:
                made, checked = replace(made, status=TIME_IS_UP), None
            found.append((made, checked))
            if made.status is TIME_IS_UP or (checked is not None and not strays(made, checked)):
                return found
            if checked is None:
                break
            if abs(made.cost - solution.cost) < SETTLED * abs(made.cost):
                return found  # the plan no longer changes: the motion is unstable, and no mesh will mend that
            solution = made
    return found


def strays(solution: Solution, audit: Audit) -> bool:
    """Whether the mesh is too coarse for the motion: integrated again, the torques do not lead where they should."""
    return solution.status.succeeded and apart(solution, audit) > FOLLOWED


def tightenable(solution: Solution, audit: Audit) -> bool:
    """Whether a solution leaves the path between its points by so little that aiming lower will mend it."""
    problem = solution.problem
    return (
        solution.status.succeeded
        and audit.complete
        and problem.limit > 0.0
        and not audit.kept(problem.limit)
        and audit.path_max < LITTLE * problem.limit
    )


def begun(problem: Problem, start: str) -> Trajectory:
    """A cold start: motion along the path with its torques, or without any."""
    found = path_guess(problem)
    return found if start == KINEMATICS else replace(found, controls=np.zeros_like(found.controls))


def path_deviation(solution: Solution, audit: Audit | None) -> float:
    """Largest size of the residual of the path that is written last; of the audited motion where there is one."""
    import casadi as ca

    problem = solution.problem
    if not problem.path_size:
        return float("nan")
    one = problem.dynamics
    shown: Solution | Audit = audit if audit is not None and audit.complete else solution
    value = ca.Function("f", [one.x, one.u, one.t], [problem.path[-1]]).map(len(shown.time_s))
    return float(np.abs(np.asarray(value(shown.states.T, shown.controls.T, shown.time_s[None, :]))).max())


def _solved(
    problem: Problem,
    guess: Trajectory,
    options: CollocationOptions | ShootingOptions,
    warm: bool,
    progress: Progress | None,
) -> Solution:
    if isinstance(options, ShootingOptions):
        return solve_shooting(problem, guess, options, progress)
    return solve_collocation(problem, guess, replace(options, warm=warm or options.warm), progress)
