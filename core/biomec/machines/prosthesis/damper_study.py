"""The study `damper-study`: which damper? A parameter of the knee varied over a range, and the values that touch the
stop most gently while the knee is still straight in time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress, part_of
from biomec.machines.machine import Machine
from biomec.machines.prosthesis.curves import leg_figures, named, swing_run
from biomec.machines.prosthesis.readouts import leg_refusal, readouts
from biomec.machines.prosthesis.swing import Swing, SwingSettings, simulate_swing, top
from biomec.machines.prosthesis.swing_study import refusal
from biomec.machines.study import Run, Study, option, time_limit

OBJECTIVES = ("contact_impulse_Ns", "contact_peak_N", "contact_speed_m_s", "contact_work_J")
COLUMNS = ("contact_onset_s", "contact_speed_m_s", "contact_peak_N", "contact_impulse_Ns", "contact_work_J",
           "flexion_max_deg", "drive_work_J", "damper_work_J")  # fmt: skip
ROUGH = SwingSettings(tolerance=1e-6, every=0.02)  # figures to about 1e-5; the history is not shown
GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0


@dataclass(frozen=True)
class SwingTrial:
    """One swing of a study.

    values      : of the varied parameters
    figures     : of `metrics`;  status : how the swing ended
    """

    values: Mapping[str, float]
    figures: Mapping[str, float]
    status: str

    def feasible(self, latest_extension_s: float) -> bool:
        """Whether the swing came to its end and the knee met its stop in time."""
        return self.status == "completed" and self.figures["contact_onset_s"] <= latest_extension_s


@dataclass(frozen=True)
class DamperOptimum:
    """Best trial, all trials in the order they were made, and whether the best one meets the condition."""

    best: SwingTrial
    trials: tuple[SwingTrial, ...]
    objective: str
    latest_extension_s: float
    feasible: bool
    at_bound: bool


def metrics(swing: Swing) -> dict[str, float]:
    """Figures that are compared: touch, flexion, extension, works. A stop that is not met has an onset of infinity."""
    keep = (
        "contact_peak_N",
        "contact_impulse_Ns",
        "contact_duration_s",
        "contact_work_J",
        "drive_work_J",
        "damper_work_J",
    )
    found = {name: swing.figures[name] for name in keep}
    found["contact_speed_m_s"] = swing.figures.get("contact_speed_m_s", 0.0)
    found["contact_onset_s"] = swing.figures.get("contact_onset_s", np.inf)
    if leg_refusal(swing.machine) is None:
        flexion = readouts(swing.moving, swing.fine).flexion
        found["flexion_max_deg"] = float(np.rad2deg(top(swing.fine.time_s, flexion, swing.stretches)[0]))
    return found


def tried(machine: Machine, values: Mapping[str, float], settings: SwingSettings = ROUGH) -> SwingTrial:
    """The swing with other values of parameters; one that cannot be simulated says so in its status."""
    try:
        swing = simulate_swing(machine.with_values(values), settings)
    except BiomecError as error:
        nothing = dict.fromkeys((*OBJECTIVES, "contact_onset_s"), np.inf)
        return SwingTrial(dict(values), nothing, str(error))
    return SwingTrial(dict(values), metrics(swing), swing.status)


def optimal_damper(
    machine: Machine,
    bounds: Mapping[str, tuple[float, float]],
    objective: str = "contact_impulse_Ns",
    latest_extension_s: float = 0.25,
    scan: int = 7,
    refinements: int = 14,
    settings: SwingSettings = ROUGH,
    progress: Progress | None = None,
) -> DamperOptimum:
    """Values within bounds (both above 0) that make the objective least among swings that meet the stop in time.

    One parameter: a scan on a logarithmic scale, then golden section between the neighbours of its best value.
    Several: Nelder and Mead's method from the best of a scan of each, with trials that are late put behind all others.
    """
    if objective not in OBJECTIVES:
        raise BiomecError(f"There is no objective {objective}. The objectives are {', '.join(OBJECTIVES)}.")
    if not bounds:
        raise BiomecError("Name at least one parameter to be optimised.")
    for name, (low, high) in bounds.items():
        if not 0.0 < low < high:
            raise BiomecError(f"The bounds of {name} must be above 0, the lower one first.")
        machine.blueprint.checked({name: low})
        machine.blueprint.checked({name: high})
    trials: list[SwingTrial] = []
    total = scan * len(bounds) + refinements * len(bounds)

    def trial(values: Mapping[str, float]) -> SwingTrial:
        made = tried(machine, values, settings)
        trials.append(made)
        if progress is not None:
            progress(min(len(trials) / total, 1.0))
        return made

    def rank(one: SwingTrial) -> tuple[int, float]:
        """Feasible ones first, by objective; then those that are late, by how late."""
        if one.feasible(latest_extension_s):
            return 0, one.figures[objective]
        return (1, one.figures["contact_onset_s"]) if one.status == "completed" else (2, 0.0)

    names = list(bounds)
    if len(names) == 1:
        _golden(trial, rank, names[0], bounds[names[0]], scan, refinements)
    else:
        _simplex(trial, rank, machine, bounds, scan, refinements)
    best = min(trials, key=rank)
    edges = [abs(np.log(best.values[name] / edge)) < 0.01 for name, pair in bounds.items() for edge in pair]
    return DamperOptimum(
        best, tuple(trials), objective, latest_extension_s, best.feasible(latest_extension_s), any(edges)
    )


def _golden(
    trial: Callable[[Mapping[str, float]], SwingTrial],
    rank: Callable[[SwingTrial], tuple[int, float]],
    name: str,
    bounds: tuple[float, float],
    scan: int,
    refinements: int,
) -> None:
    """Scan and golden section of the logarithm of one parameter; an optimum may lie at the edge of what is feasible."""
    grid = np.linspace(np.log(bounds[0]), np.log(bounds[1]), max(scan, 3))
    made = [rank(trial({name: float(np.exp(x))})) for x in grid]
    k = min(range(len(made)), key=lambda i: made[i])
    a, b = grid[max(k - 1, 0)], grid[min(k + 1, len(grid) - 1)]
    x, y = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
    at_x, at_y = rank(trial({name: float(np.exp(x))})), rank(trial({name: float(np.exp(y))}))
    for _ in range(max(refinements - 2, 0)):
        if at_x < at_y:
            b, y, at_y = y, x, at_x
            x = b - GOLDEN * (b - a)
            at_x = rank(trial({name: float(np.exp(x))}))
        else:
            a, x, at_x = x, y, at_y
            y = a + GOLDEN * (b - a)
            at_y = rank(trial({name: float(np.exp(y))}))


def _simplex(
    trial: Callable[[Mapping[str, float]], SwingTrial],
    rank: Callable[[SwingTrial], tuple[int, float]],
    machine: Machine,
    bounds: Mapping[str, tuple[float, float]],
    scan: int,
    refinements: int,
) -> None:
    """Nelder and Mead's method on logarithms, from the best of a scan of each parameter."""
    from scipy.optimize import minimize

    names = list(bounds)
    best: dict[str, float] = {name: float(np.clip(machine.values[name], *bounds[name])) for name in names}
    leader = rank(trial(best))
    for name in names:
        low, high = np.log(bounds[name])
        for x in np.linspace(low, high, max(scan, 3)):
            one = trial({**best, name: float(np.exp(x))})
            if rank(one) < leader:
                leader, best = rank(one), dict(one.values)
    scale = max(abs(leader[1]), 1e-12)

    def value(x: FloatArray) -> float:
        inside = np.exp(np.clip(x, *np.log([bounds[name] for name in names]).T))
        stage, size = rank(trial(dict(zip(names, inside.tolist(), strict=True))))
        return size / scale if stage == 0 else 1e6 * (stage + min(size, 1e3))

    minimize(
        value,
        np.log([best[name] for name in names]),
        method="Nelder-Mead",
        options={"maxfev": refinements * len(names), "xatol": 1e-3, "fatol": 1e-6},
    )


def study_text(trials: Sequence[SwingTrial]) -> str:
    """Trials as a table to be read, sorted by their values."""
    lines = ["".join(f"{name:>20}" for name in (*trials[0].values, *COLUMNS)) + "   ended"]
    lines += ["".join(f"{cell:20.6g}" for cell in cells) + f"   {status}" for cells, status in _rows(trials)]
    return "\n".join(lines)


def study_table(trials: Sequence[SwingTrial]) -> str:
    """The same with commas between the columns."""
    lines = [",".join((*trials[0].values, *COLUMNS, "ended"))]
    lines += [",".join(f"{cell:.9g}" for cell in cells) + f',"{status}"' for cells, status in _rows(trials)]
    return "\n".join(lines) + "\n"


def _rows(trials: Sequence[SwingTrial]) -> list[tuple[list[float], str]]:
    ordered = sorted(trials, key=lambda one: tuple(one.values.values()))
    return [
        ([*one.values.values(), *(one.figures.get(name, np.nan) for name in COLUMNS)], one.status) for one in ordered
    ]


def best_swing(
    machine: Machine, optimum: DamperOptimum, settings: SwingSettings, progress: Progress | None = None
) -> Swing:
    """The swing with the best values, in full."""
    return simulate_swing(machine.with_values(optimum.best.values), settings, part_of(progress, 0.0, 1.0))


# ------------------------------------------------------------------------------------------------------------ the study


@dataclass(frozen=True)
class DamperOptions:
    """Options of the study."""

    parameters: str = option("c", "Parameters to be varied, with commas between them, such as c or c,k")
    lowest: float = option(0.2, "Lowest value over the present one")
    highest: float = option(4.0, "Highest value over the present one")
    objective: str = option("contact_impulse_Ns", "What is to be least", choices=OBJECTIVES)
    latest_extension_s: float = option(0.25, "The stop must be met by this time", "s")
    scan: int = option(7, "Values of each parameter that are tried first")
    refinements: int = option(14, "Further trials of each parameter around the best one")
    time_limit_s: float = time_limit()


def run_damper(machine: Machine, options: DamperOptions, progress: Progress | None = None) -> Run:
    """Answer the study; curves and animation are those of the best swing."""
    names = [name.strip() for name in options.parameters.split(",") if name.strip()]
    if not 0.0 < options.lowest < options.highest:
        raise BiomecError("The lowest value must be above 0 and below the highest one.")
    machine.blueprint.checked({name: machine.values.get(name, 0.0) for name in names})
    bounds = {}
    for name in names:
        value, known = machine.values[name], machine.blueprint.parameters[name]
        if not value > 0.0:
            raise BiomecError(f"{name} is {value:g}; only parameters above 0 are varied by factors.")
        bounds[name] = (max(options.lowest * value, known.minimum), min(options.highest * value, known.maximum))
    found = optimal_damper(
        machine, bounds, options.objective, options.latest_extension_s, options.scan, options.refinements,
        progress=part_of(progress, 0.0, 0.95),
    )  # fmt: skip
    swing = best_swing(machine, found, SwingSettings(), part_of(progress, 0.95, 1.0))
    figures = {f"best_{name}": value for name, value in found.best.values.items()}
    figures |= named({**swing.figures, **leg_figures(swing)}, machine)
    figures["trials"] = float(len(found.trials))
    figures.setdefault("contact_onset_s", np.nan)
    status = "completed"
    if not found.feasible:
        status = f"no value within the bounds meets the stop by {options.latest_extension_s:g} s"
    notices = ("The best value lies at a bound; wider bounds may hold a better one.",) if found.at_bound else ()
    values = ", ".join(f"{name} = {value:.6g}" for name, value in found.best.values.items())
    return swing_run(
        "damper-study",
        f"Gentlest stop: {values}",
        swing.machine,
        options,
        swing.moving,
        swing.history,
        figures,
        status=status,
        succeeded=found.feasible,
        notices=notices,
        text=study_text(found.trials),
        files={"trials.csv": study_table(found.trials)},
    )


STUDY = Study(
    "damper-study",
    "Best damper",
    "Vary damping (or another parameter) and find what meets the stop most gently while the knee is straight in time.",
    DamperOptions,
    refusal,
    run_damper,
)
