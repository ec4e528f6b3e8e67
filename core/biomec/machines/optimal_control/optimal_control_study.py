"""The study `optimal-control`: which torques do a machine's task at the least cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress, part_of
from biomec.machines.closed_chain.inverse import inverse_dynamics
from biomec.machines.closed_chain.reactions import reaction_curves, reaction_figures
from biomec.machines.closed_chain.sharing import Method, comparison_table, shared, work_left_riemann, work_trapezoid
from biomec.machines.closed_chain.study_parts import key
from biomec.machines.machine import Machine, load_machine
from biomec.machines.motors import torque_file
from biomec.machines.optimal_control.loads import optimal_reactions
from biomec.machines.optimal_control.planar_model import PlanarModel
from biomec.machines.optimal_control.solution import Audit, apart
from biomec.machines.optimal_control.status import NOT_KEPT
from biomec.machines.optimal_control.task import looks_like_degrees
from biomec.machines.output import TORQUES
from biomec.machines.reference_points import reference_point_model
from biomec.machines.study import Run, Study, StudyCurve, curve, option, time_limit

if TYPE_CHECKING:
    from biomec.machines.optimal_control.continuation import Attempt, Chain
    from biomec.machines.optimal_control.problem import Problem
    from biomec.machines.optimal_control.task import Task


COLLOCATION, SHOOTING = "collocation", "shooting"
MISSED = 0.01  # rad, rad/s or m: path and end may be missed by so much without a word
EXCEEDED = 1e-3  # of a bound, likewise
GRAZED, ENTERED = 1e-4, 1e-2  # [m] by which a stop may be entered between points without a word, and at all
LOST = 0.1  # the same: a path that was to be held exactly is not held, an end is not reached
CHANGED = ("K", "C", "g")  # parameters that a log of runs always tells, where a machine has them


@dataclass(frozen=True)
class OptimalControlOptions:
    """Options of the study."""

    motors: str = option("", "Motors that act, with commas; empty: all")
    cost: str = option("", "What is integrated over time, such as torque_A**2; empty: the weighted squares of torques")
    weights: str = option("", "Weights of the squares of torques, with commas; empty: all 1")
    path: str = option("", "What the machine must keep at zero all the time, with semicolons, such as gap_x_D; gap_y_D")
    limit: float = option(0.0, "Largest sum of squares of the path; 0 holds the path exactly")
    end: str = option("", "Where it ends, such as angle_bar = pi/2; rate_bar = 0")
    bounds: str = option("", "Bounds, such as torque_A = -5, 5")
    duration_s: float = option(0.0, "Duration; 0 takes that of the machine", "s")
    steps: str = option(
        "", "Values of parameters to go through, such as g = 0 5 9.81; each begins with the last answer"
    )
    start: str = option("kinematics", "What the first solution begins with", choices=("kinematics", "zero torques"))
    method: str = option(COLLOCATION, "How it is solved", choices=(COLLOCATION, SHOOTING))
    intervals: int = option(100, "Intervals of the mesh")
    degree: int = option(3, "Points of collocation in an interval", choices=(1, 2, 3, 4, 5))
    order: int = option(2, "Order of the splines of shooting", choices=(2, 4))
    integrator: str = option("implicit", "Integrator of shooting", choices=("implicit", "RK4"))
    tolerance: float = option(1e-7, "Tolerance of the solver")
    max_iterations: int = option(400, "Largest number of iterations")
    time_limit_s: float = time_limit()
    audit: bool = option(True, "Integrate the answer again by another method and look between the points of the mesh")
    compare: str = option("", "Machine whose prescribed motion is compared, such as four-bar")


def refusal(machine: Machine) -> str | None:
    """Why a machine cannot be asked."""
    from biomec.machines.optimal_control.planar_model import refusal as refused

    sentence = refused(machine)
    if sentence is None and not machine.motors:
        return "it has no motors. Describe one under [[motor]]."
    return sentence


def run_optimal_control(machine: Machine, options: OptimalControlOptions, progress: Progress | None = None) -> Run:
    """Answer the study."""
    from biomec.machines.optimal_control.collocation import CollocationOptions
    from biomec.machines.optimal_control.continuation import continued, steps_of
    from biomec.machines.optimal_control.shooting import ShootingOptions
    from biomec.machines.optimal_control.task import Task

    if not 2 <= options.intervals <= 2000:
        raise BiomecError(f"Optimal control: {options.intervals} intervals are not possible; take 2 to 2000.")
    if not (options.tolerance > 0.0 and options.max_iterations > 0):
        raise BiomecError("Optimal control: tolerance and iterations must be positive.")
    task = Task(
        motors=tuple(one.strip() for one in options.motors.split(",") if one.strip()),
        cost=options.cost,
        weights=options.weights,
        path=options.path,
        limit=options.limit,
        end=options.end,
        bounds=options.bounds,
        duration_s=options.duration_s,
    )
    solver: CollocationOptions | ShootingOptions
    if options.method == SHOOTING:
        solver = ShootingOptions(
            options.intervals, options.order, options.integrator, options.tolerance, options.max_iterations
        )
    else:
        solver = CollocationOptions(
            options.intervals, options.degree, tolerance=options.tolerance, max_iterations=options.max_iterations
        )
    chain = continued(
        machine, task, steps_of(options.steps), solver, options.start, CHANGED, options.audit,
        progress=part_of(progress, 0.0, 0.97),
    )  # fmt: skip
    return _answer(chain, options)


def _answer(chain: Chain, options: OptimalControlOptions) -> Run:
    last = chain.last
    solution, audit = last.solution, last.audit
    if not (solution.status.succeeded or solution.iterations):
        return _unsearched(chain, options)
    good = audit is not None and audit.complete
    shown = audit if audit is not None and audit.complete else solution
    time_s, states, controls = shown.time_s, shown.states, shown.controls
    status, succeeded, notices = _judged(last, options)
    figures = _figures(last, time_s, controls)
    turned = strokes(last.model, last.machine, states) if np.isfinite(states).all() else np.full(controls.shape, np.nan)
    for word, works in (("work", work_trapezoid(controls, turned)), ("work_left", left_sums(time_s, controls, turned))):
        figures |= {f"{word}_{key(name)}_J": float(work) for name, work in zip(last.model.motors, works, strict=True)}
    figures |= {"iterations": float(solution.iterations), "attempts": float(len(chain.attempts))}
    reactions = optimal_reactions(last.machine, last.model, states, controls) if np.isfinite(states).all() else ()
    figures |= reaction_figures(reactions)
    text = chain.log.text()
    if options.compare and good and audit is not None:
        table, methods = compared(last.machine, last.model, audit, options.compare)
        text += "\n\n" + table
        figures |= {f"{one.name.replace('-', '_')}_torque_squared_integral": one.cost for one in methods[:-1]}
    return Run(
        study=STUDY.key,
        title=f"Optimal control, {solution.method}",
        machine=last.machine,
        options=options,
        time_s=time_s,
        curves=(*_curves(last, time_s, states, controls), *reaction_curves(reactions)),
        figures=figures,
        poses=_poses(last, states),
        status=status,
        succeeded=succeeded,
        notices=notices,
        text=text,
        files={"runs.csv": chain.log.csv_text(), TORQUES: torque_file(*solution.torque_table(), last.model.motors)},
    )


def _unsearched(chain: Chain, options: OptimalControlOptions) -> Run:
    """Answer to a task that could not even be begun: there are only words, as a guess would be taken for an answer."""
    last = chain.last
    status, succeeded, notices = _judged(last, options)
    return Run(
        study=STUDY.key,
        title=f"Optimal control, {last.solution.method}",
        machine=last.machine,
        options=options,
        time_s=np.zeros(0),
        curves=(),
        figures={"cost": np.nan, "iterations": 0.0, "attempts": float(len(chain.attempts))},
        status=status,
        succeeded=succeeded,
        notices=(*notices, "Nothing was searched for, so that there are no torques and no motion to show."),
        text=chain.log.text(),
        files={"runs.csv": chain.log.csv_text()},
    )


def _judged(last: Attempt, options: OptimalControlOptions) -> tuple[str, bool, tuple[str, ...]]:
    """Status, whether the answer can be used, and sentences for the user."""
    solution, audit, problem = last.solution, last.audit, last.solution.problem
    status, succeeded = solution.status.words, solution.status.succeeded
    notices: list[str] = []
    notices += looks_like_degrees(last.task)
    given = [one.name for one in last.machine.motors if one.torque is not None]
    if given:
        notices.append(
            f"The torques that the file gives to {', '.join(given)} are left out: optimal control finds torques itself."
        )
    if nothing_asked(last.task, problem):
        notices.append("No path and no end was asked for; no torque at all is the least.")
    if solution.status is NOT_KEPT:
        notices.append(
            "The motion and the torques are those of the last iteration; they do not keep to what was asked for. "
            "The task may be impossible: wider bounds or a wider limit, or more iterations, may help."
        )
    if not succeeded:
        have, need = len(last.model.motors), len(last.model.coordinates) - last.model.closure.numel()
        if have < need:
            notices.append(
                f"{have} {'motor drives' if have == 1 else 'motors drive'} {need} degrees of freedom. "
                "More motors, a stiffer tie or a wider limit may make the task possible."
            )
    elif audit is not None and not audit.complete:
        status = (
            f"the torques could not be integrated again beyond {audit.time_s[-1]:.3g} s: the answer is not reliable"
        )
        succeeded = False
        notices.append(
            "The motors may lose their hold there, or the mesh may be too coarse. Take more intervals, or other motors."
        )
    elif audit is not None and not held(audit, problem.limit):
        if far_off(audit, problem.limit):
            status, succeeded = "the path is not held between the points of the mesh: the answer is not reliable", False
        by = (
            f"the path reaches {audit.path_max / problem.limit:.2f} times its limit"
            if problem.limit > 0.0
            else (
                f"{_residuals(options.path)[int(audit.off.argmax())]} is off by {audit.off.max():.2g} (rad, rad/s or m)"
            )
        )
        notices.append(f"Between the points of the mesh {by}. Take more intervals, or a higher degree.")
    if succeeded and audit is not None and audit.complete:
        notices += _bounds_left(audit, problem)
    if succeeded and last.model.gaps:
        pressed, words = _stops_kept(last)
        notices += words
        if pressed:
            status, succeeded = "the plan goes through a stop: the answer is not reliable", False
    missed = _missed(last)
    if succeeded and missed > MISSED:
        if missed > LOST:
            status, succeeded = "the torques do not lead to the end: the answer is not reliable", False
        notices.append(
            f"Integrated again, the torques miss the end by {missed:.2g} (rad, rad/s or m): an unstable motion "
            "magnifies small errors. Take more intervals, or a higher degree."
        )
    astray = apart(solution, audit) if audit is not None and audit.complete else 0.0
    if succeeded and astray > MISSED:
        if astray > LOST:
            status, succeeded = "integrated again, the torques lead elsewhere: the answer is not reliable", False
        notices.append(
            f"Integrated again, the motion ends {astray:.2g} (rad, rad/s or m) from the plan. Take more intervals or a "
            "higher degree; bounds of the rates help where the motion is violent."
        )
    if np.isfinite(last.deviation) and succeeded:
        notices.append(
            f"The last residual of the path, {_residuals(options.path)[-1]}, stays within {last.deviation:.4g}."
        )
    return status, succeeded, tuple(notices)


def _stops_kept(last: Attempt) -> tuple[bool, list[str]]:
    """Whether a stop is gone through, and a sentence for every stop."""
    shown = last.audit if last.audit is not None and last.audit.complete else last.solution
    least = last.solution.problem.least_clear(shown.states)
    words = [
        f"The motion keeps clear of the stop {name}, by {1e3 * max(gap, 0.0):.3g} mm at least; optimal control "
        "does not lean on stops."
        if gap >= -GRAZED
        else f"Between the points of the mesh the motion enters the stop {name} by {-1e3 * gap:.3g} mm. Take more "
        "intervals."
        for name, gap in zip(last.model.gaps, least, strict=True)
    ]
    return bool((least < -ENTERED).any()), words


def _bounds_left(audit: Audit, problem: Problem) -> list[str]:
    """A sentence for every state and torque that leaves its bounds by a thousandth or more."""
    one = problem.dynamics
    names = (*one.states, *(f"torque of {name}" for name in one.controls))
    sides = np.abs([np.append(problem.low, problem.least), np.append(problem.high, problem.most)])
    sizes = np.maximum(np.where(np.isfinite(sides), sides, 0.0).max(axis=0), MISSED)
    return [
        f"Between the points of the mesh the {name} exceeds its bounds by {by:.2g}. Take more intervals."
        for name, by, size in zip(names, audit.beyond, sizes, strict=True)
        if by > EXCEEDED * size
    ]


def held(audit: Audit, limit: float) -> bool:
    """Whether the path is kept well enough that nothing need be said of it."""
    return audit.kept(limit) if limit > 0.0 else bool(audit.off.max(initial=0.0) <= MISSED)


def far_off(audit: Audit, limit: float) -> bool:
    """Whether a path is left so far that the answer is none."""
    from biomec.machines.optimal_control.continuation import LITTLE

    return audit.path_max > LITTLE * limit if limit > 0.0 else bool(audit.off.max(initial=0.0) > LOST)


def nothing_asked(task: Task, problem: Problem) -> bool:
    """Whether nothing makes a motor act: squares of torques are the cost, and no torques keep to all that is asked."""
    free = np.isneginf(problem.low).all() and np.isposinf(problem.high).all()
    rest = (problem.least <= 0.0).all() and (problem.most >= 0.0).all()
    return not any(one.strip() for one in (task.path, task.end, task.cost)) and bool(free and rest)


def _missed(last: Attempt) -> float:
    """How far the audited motion ends from where it should."""
    asked = np.isfinite(last.solution.problem.end)
    if last.audit is None or not last.audit.complete or not asked.any():
        return 0.0
    return float(np.abs(last.audit.states[-1] - last.solution.problem.end)[asked].max())


def _residuals(path: str) -> list[str]:
    return [one.strip() for one in path.split(";") if one.strip()]


def _figures(last: Attempt, time_s: FloatArray, controls: FloatArray) -> dict[str, float]:
    solution, audit = last.solution, last.audit
    squares = np.sum(controls**2, axis=1)
    figures = {
        "cost": solution.cost,
        "cost_integrated_again": np.nan if audit is None else audit.cost,
        "torque_max_Nm": float(controls.max()),
        "torque_min_Nm": float(controls.min()),
        "torque_squared_integral": float(np.trapezoid(squares, time_s)),
    }
    for k, name in enumerate(last.model.motors):
        figures[f"torque_{key(name)}_max_Nm"] = float(controls[:, k].max())
        figures[f"torque_{key(name)}_min_Nm"] = float(controls[:, k].min())
    if solution.problem.path_size:
        figures["path_limit"] = solution.problem.limit
        figures["path_max"] = np.nan if audit is None else audit.path_max
        figures["path_last_deviation"] = last.deviation
    return figures


def _curves(last: Attempt, time_s: FloatArray, states: FloatArray, controls: FloatArray) -> tuple[StudyCurve, ...]:
    """Torques, coordinates, rates, powers, forces of ties and springs, the path; named as in other studies."""
    import casadi as ca

    from biomec.machines.optimal_control.solution import path_values

    model, problem = last.model, last.solution.problem
    one = problem.dynamics
    n = model.q.numel()
    found = [curve("Motor torques", name, "N·m", controls[:, k]) for k, name in enumerate(model.motors)]
    for k, label in enumerate(model.coordinates):
        turns, name = label.startswith("angle"), label.removeprefix("angle of ").removeprefix("way of ")
        scale, unit = (np.rad2deg(1.0), "deg") if turns else (1.0, "m")
        found.append(curve("Angles" if turns else "Ways", name, unit, scale * states[:, k]))
        found.append(curve("Angular velocities" if turns else "Speeds", name, f"{unit}/s", scale * states[:, n + k]))
    groups = {"power_": ("Motor power", "W"), "force_": ("Forces", "N"), "spring_force_": ("Forces", "N"),
              "damper_force_": ("Forces", "N"), "gap_x": ("Gaps", "m"), "gap_y": ("Gaps", "m")}  # fmt: skip
    for name, expression in one.names.items():
        for begin, (group, unit) in groups.items():
            if name.startswith(begin) and not isinstance(expression, float | int):
                value = ca.Function("f", [one.x, one.u, one.t], [expression]).map(len(time_s))
                values = np.asarray(value(states.T, controls.T, time_s[None, :])).ravel()
                found.append(curve(group, name.removeprefix("power_").replace("_", " "), unit, values))
    if problem.path_size:
        found.append(curve("Path", "sum of squares", "", path_values(problem, time_s, states, controls)))
        found.append(curve("Path", "limit", "", np.full(len(time_s), problem.limit)))
    return tuple(found)


def _poses(last: Attempt, states: FloatArray) -> dict[str, FloatArray]:
    import casadi as ca

    model = last.model
    made = {}
    for name, placed in model.bodies.items():
        value = ca.Function("pose", [model.q], [ca.vertcat(placed.origin, placed.angle)]).map(len(states))
        made[name] = read_only(np.asarray(value(states[:, : model.q.numel()].T)).T)
    return made


STUDY = Study(
    "optimal-control",
    "Optimal control",
    "Find the torques that do a task at the least cost while the machine keeps to a path, within bounds, to an end.",
    OptimalControlOptions,
    refusal,
    run_optimal_control,
)


# ------------------------------------------------------------------------------------------- the same motion prescribed


SAMPLES = 101  # as the published tables have them


def strokes(model: PlanarModel, machine: Machine, states: FloatArray) -> FloatArray:
    """Angles (T, motors) that the motors of a model turn through [rad]."""
    import casadi as ca

    zero = ca.SX(0)
    angles = {name: placed.angle for name, placed in model.bodies.items()}
    acting = [one for one in machine.motors if one.name in model.motors]
    turns = [angles.get(one.distal, zero) - angles.get(one.proximal, zero) for one in acting]
    value = ca.Function("s", [model.q], [ca.vertcat(*turns)]).map(len(states))
    return np.asarray(value(states[:, : model.q.numel()].T)).T


def left_sums(time_s: FloatArray, controls: FloatArray, turned: FloatArray) -> FloatArray:
    """Work of each motor by left sums over as many instants as the published table has (Table 3.4), (motors,) [J]."""
    at = np.linspace(0.0, time_s[-1], SAMPLES)
    u, r = (np.stack([np.interp(at, time_s, column) for column in values.T], axis=1) for values in (controls, turned))
    return work_left_riemann(u, r)


def prescribed(machine: Machine, name: str, motors: Sequence[str], samples: int = SAMPLES) -> tuple[Method, ...]:
    """Methods for a machine whose motion is prescribed, with the parameters that it shares with another machine.

    name : of the machine that comes with Biomec, such as ``four-bar``
    """
    same = load_machine(name)
    same = same.with_values({key: machine.values[key] for key in same.values if key in machine.values})
    times = np.linspace(0.0, same.duration_s, samples)
    turn = inverse_dynamics(reference_point_model(same), times)
    return tuple(shared(turn, list(motors), method) for method in ("pseudo-inverse", "pointwise"))


def compared(machine: Machine, model: PlanarModel, audit: Audit, name: str) -> tuple[str, tuple[Method, ...]]:
    """Table of cost, peaks and work of optimal control and of both methods, and the methods."""
    optimal = Method(
        "optimal control", model.motors, audit.time_s, audit.controls, strokes(model, machine, audit.states)
    )
    methods = (*prescribed(machine, name, model.motors), optimal)
    return comparison_table(methods), methods
