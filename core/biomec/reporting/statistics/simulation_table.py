"""All formulations and integrators on one recorded movement, as a table: cost, constraints, distance to the movement.

The input is the resultant of the movement itself, Q(t) = M q̈(t), so that an exact simulation returns it: what remains
is the error of the method ([Nunes2017] Tables 5.4 and 5.5). Independent coordinates (R), the semi-recursive formulation
(SR) and Gear's integrator stand beside those that were published.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.engine.forces.applied import Forces, recorded
from biomec.engine.forward.formulation import FormulationOptions
from biomec.engine.forward.formulations import FORMULATIONS
from biomec.engine.forward.integrators import IntegratorOptions
from biomec.engine.forward.simulation import Ending, Simulation, Stepper, simulate
from biomec.engine.system import System
from biomec.pipeline.analysis import Analysis

CODES = {one.code: one for one in FORMULATIONS.values() if one.code}
"""Code of a published table -> formulation."""
LAP = next(code for code, one in CODES.items() if one.finds_positions)
INTEGRATORS = ("trapezoidal", "adams", "gear")
ROWS = (*(code for code in CODES if code != LAP), LAP)
PUBLISHED = (("trapezoidal", "adams"), ("LC", "LE", "LP", "LA"))
PUBLISHED_STEPS, PUBLISHED_STEP_S = 1834, 0.002
LEVELS = ("q", "qdot", "qddot")
WARM = 6  # steps of a run that does not count, so that compiling is not timed


@dataclass(frozen=True)
class TableOptions:
    """How the table is computed; defaults as published where that is known.

    step_s, steps : length [s] and number of the steps; fewer if the movement is shorter
    tolerance, max_iterations : of the corrector [m], and at most so many passes of it
    integrators, formulations : rows; LAP has the trapezoidal rule inside and is one row
    """

    step_s: float = PUBLISHED_STEP_S
    steps: int = PUBLISHED_STEPS
    tolerance: float = 1e-6
    integrators: tuple[str, ...] = INTEGRATORS
    formulations: tuple[str, ...] = ROWS
    formulation: FormulationOptions = field(default_factory=FormulationOptions)
    max_iterations: int = 50

    def __post_init__(self) -> None:
        wrong = [one for one in self.formulations if one not in CODES]
        counts = (self.steps, self.max_iterations)
        if wrong or not (0.0 < self.step_s < np.inf and self.tolerance > 0.0 and all(one > 0 for one in counts)):
            raise BiomecError(
                f"Simulation table: formulations are {', '.join(CODES)}; step, number of steps, "
                "tolerance and iterations must be positive."
            )


@dataclass(frozen=True, eq=False)
class ConsistentMovement:
    """A movement that obeys the constraints: times (T,) [s] and q, q̇, q̈ (T, n). Arrays are read-only."""

    system: System
    time_s: FloatArray
    q: FloatArray
    qdot: FloatArray
    qddot: FloatArray


@dataclass(frozen=True)
class TableRow:
    """One run; means over its steps, with standard deviations where they are called so.

    seconds, iterations : mean and standard deviation of a step: processor time [s], passes of the corrector
    increment           : last change ‖(Δq, h Δq̇)‖ of the corrector [m]
    violation, rate_violation, acceleration_violation : ‖Φ‖, ‖Φ̇‖, ‖Φ̈‖
    distance            : |simulated − recorded| over all coordinates and frames: mean and standard deviation of q [m],
                          q̇ [m/s], q̈ [m/s²]; NaN if the run ended before its first frame
    """

    integrator: str
    formulation: str
    seconds: tuple[float, float]
    iterations: tuple[float, float]
    increment: float
    violation: float
    rate_violation: float
    acceleration_violation: float
    distance: tuple[tuple[float, float], ...]
    steps: int
    ending: Ending
    sentence: str


def recorded_movement(analysis: Analysis, options: TableOptions = TableOptions()) -> ConsistentMovement:
    """Return the consistent motion of an analysis from the border of its first valid cycle, as long as it is whole."""
    motion, rate = analysis.motion, analysis.signals.trial.rate_hz
    levels = [np.asarray(getattr(motion, name)) for name in LEVELS]
    known = np.logical_and.reduce([np.isfinite(level).all(axis=1) for level in levels])
    first = 0
    for cycles in analysis.cycles.groups.values():
        whole = [int(span[0]) for span, valid in zip(cycles.spans, cycles.valid, strict=True) if valid]
        if whole:
            first = whole[0]
            break
    if not known[first:].any():
        raise BiomecError("The recording has no frames of a consistent motion to simulate. Check the notices of it.")
    first += int(np.argmax(known[first:]))
    gap = np.flatnonzero(~known[first:])
    last = first + int(gap[0]) if gap.size else len(known)
    last = min(last, first + int(np.ceil(options.steps * options.step_s * rate - 1e-9)) + 1)
    return movement(analysis.body.person.system, np.arange(first, last) / rate, *(one[first:last] for one in levels))


def movement(
    system: System, time_s: FloatArray, q: FloatArray, qdot: FloatArray, qddot: FloatArray
) -> ConsistentMovement:
    """Return a movement that begins at time zero."""
    if len(time_s) < 4 or not all(np.isfinite(one).all() for one in (time_s, q, qdot, qddot)):
        raise BiomecError("A movement to simulate needs at least four frames, all of them known.")
    return ConsistentMovement(system, *(read_only(one) for one in (time_s - time_s[0], q, qdot, qddot)))


def simulation_table(
    moved: ConsistentMovement,
    options: TableOptions = TableOptions(),
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> tuple[TableRow, ...]:
    """Simulate a movement from its resultant forces by every integrator and formulation."""
    forces = recorded(moved.time_s, moved.qddot @ moved.system.mass_matrix.T)
    steps = min(options.steps, int(moved.time_s[-1] / options.step_s + 1e-9))
    if steps < 1:
        raise BiomecError("The movement is shorter than a step of the simulation.")
    runs = _rows(options)
    rows = []
    start = np.array(moved.q[0]), np.array(moved.qdot[0])
    for k, (family, code) in enumerate(runs):
        if cancelled is not None and cancelled():
            break
        part = None if progress is None else _share(progress, k, len(runs))
        simulate(_stepper(family, code, moved, forces, options), *start, WARM * options.step_s, options.step_s)
        found = simulate(
            _stepper(family, code, moved, forces, options), *start, steps * options.step_s, options.step_s,
            progress=part, cancelled=cancelled,
        )  # fmt: skip
        rows.append(_row(family, code, found, moved))
    return tuple(rows)


def _rows(options: TableOptions) -> list[tuple[str, str]]:
    """Integrator and formulation of every row: those that were published first, in their order."""
    runs = [(one, code) for one in options.integrators for code in options.formulations if code != LAP]
    ours = [(one, code) for one, code in runs if one not in PUBLISHED[0] or code not in PUBLISHED[1]]
    inside = [("trapezoidal", LAP)] if LAP in options.formulations else []
    return [*(run for run in runs if run not in ours), *inside, *ours]


def _stepper(family: str, code: str, moved: ConsistentMovement, forces: Forces, options: TableOptions) -> Stepper:
    integrator = IntegratorOptions(
        family, start="trapezoidal", tolerance=options.tolerance, max_iterations=options.max_iterations
    )
    return CODES[code].stepper(moved.system, forces, options.formulation, integrator)


def written_table(rows: Sequence[TableRow], title: str) -> str:
    """The table as text: a line a run."""
    lines = [
        title,
        f"{'integrator':13}{'form.':6}{'ms/step':>14}{'iterations':>13}{'last |Δq|':>11}{'|Φ|':>10}{'|dΦ|':>10}"
        f"{'|ddΦ|':>10}{'q [m]':>20}{'dq [m/s]':>20}{'ddq [m/s²]':>20}",
    ]
    for one in rows:
        away = "".join(f"{f'{mean:.1e} ± {sd:.1e}':>20}" for mean, sd in one.distance)
        lines.append(
            f"{one.integrator if one.formulation != LAP else '':13}{one.formulation:6}"
            f"{f'{1e3 * one.seconds[0]:.2f} ± {1e3 * one.seconds[1]:.2f}':>14}"
            f"{f'{one.iterations[0]:.1f} ± {one.iterations[1]:.1f}':>13}{one.increment:11.0e}"
            f"{one.violation:10.0e}{one.rate_violation:10.0e}{one.acceleration_violation:10.0e}{away}"
            + ("" if one.ending is Ending.COMPLETED else f"  {one.sentence}")
        )
    return "\n".join(lines)


def _row(family: str, code: str, found: Simulation, moved: ConsistentMovement) -> TableRow:
    h = float(np.diff(found.time_s[:2])[0]) if len(found.time_s) > 1 else np.inf
    at = np.rint(moved.time_s / h).astype(np.int64)  # frames that are also steps
    there = (np.abs(at * h - moved.time_s) < 1e-6) & (at < len(found.time_s)) & (at > 0)
    distance = []
    for level in LEVELS:
        away = np.abs(getattr(found, level)[at[there]] - getattr(moved, level)[there])
        distance.append((float(away.mean()), float(away.std())) if away.size else (np.nan, np.nan))

    def mean(values: FloatArray) -> float:
        return float(values[1:].mean()) if len(values) > 1 else np.nan

    def spread(values: FloatArray) -> tuple[float, float]:
        return (mean(values), float(values[1:].std())) if len(values) > 1 else (np.nan, np.nan)

    return TableRow(
        integrator=family,
        formulation=code,
        seconds=spread(found.seconds),
        iterations=spread(np.asarray(found.iterations, dtype=np.float64)),
        increment=mean(found.increment),
        violation=mean(found.violation),
        rate_violation=mean(found.rate_violation),
        acceleration_violation=mean(found.acceleration_violation),
        distance=tuple(distance),
        steps=len(found.time_s) - 1,
        ending=found.ending,
        sentence=found.sentence,
    )


def _share(progress: Progress, k: int, count: int) -> Progress:
    return lambda part: progress((k + part) / count)
