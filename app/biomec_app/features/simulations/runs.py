"""The simulations of an analysis: names, what is to be said about each, and all beside each other. Knows no Qt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.errors import BiomecError
from biomec.base.fields import label_of
from biomec.base.plain_text import comment
from biomec.body.tracking.what_if import WhatIf
from biomec.engine.forward.formulations import FORMULATIONS
from biomec.engine.forward.simulation import Ending
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.replay import python_text
from biomec.pipeline.simulation_run import SimulationRun
from biomec.pipeline.simulation_settings import (
    AUTO,
    CONTACT,
    FEET,
    MUSCLES,
    RESULTANT,
    SimulationSettings,
    fitting_integrators,
)
from biomec.reporting.tables import NOTHING, Section, Table, number, power
from biomec_app.curves.curve import capital

MM, MS = 1e3, 1e3
NONE = "There are no simulations yet. Run one with Dynamics ▸ Simulation."
ENDINGS = {
    Ending.COMPLETED: "complete",
    Ending.STOPPED: "stopped",
    Ending.EVENT: "ended by an event",
    Ending.NOT_CONVERGED: "did not converge",
    Ending.DIVERGED: "ran away",
    Ending.UNSOLVABLE: "not solvable",
    Ending.NO_NUMBER: "a force is not a number",
    Ending.TOO_LONG: "too many steps",
}


@dataclass(frozen=True)
class RunFacts:
    """What is to be said about a run, as texts.

    rows : name of a quantity -> its value
    """

    name: str
    ending: str
    sentence: str
    rows: dict[str, str]
    completed: bool
    stale: bool


def run_facts(analysis: Analysis, run: SimulationRun) -> RunFacts:
    """Facts of a run of an analysis."""
    settings, base = run.settings, analysis.session.dynamic.first_frame
    whole = (run.last - run.first) / run.rate_hz
    taken = slice(1, None)  # the start is not a step
    stretch = f"cycle {settings.cycle}, " if settings.cycle is not None else ""
    steps = len(run.step_time_s) - 1
    rows = {
        "Input": input_words(settings),
        "Equations and steps": f"{method_words(settings)}; {_step(run)}",
        "Changed": changed_words(settings) or "nothing",
        "Stretch": f"{stretch}frames {base + run.first} to {base + run.last}",
        "Reached": f"{run.reached_s:.2f} s of {whole:.2f} s",
        "Steps": f"{steps}",
        "Iterations a step": _mean(run.iterations[taken], 1),
        "Processor time": f"{run.seconds.sum():.2f} s, {MS * run.seconds.sum() / max(steps, 1):.2f} ms a step",
        "‖Φ‖, largest": power(float(run.violation.max())),
        "‖dΦ/dt‖, largest": power(float(run.rate_violation.max())),
        "‖d²Φ/dt²‖, largest": power(float(run.acceleration_violation.max())),
        "Distance, positions": _distance(run, "q", MM, "mm"),
        "Distance, velocities": _distance(run, "qdot", 1.0, "m/s"),
        "Distance, accelerations": _distance(run, "qddot", 1.0, "m/s²"),
        "Angle farthest off": _worst({name: float(np.degrees(one)) for name, one in run.angle_rms.items()}, "°"),
        "Moment farthest off": _worst(run.torque_rms, "N·m"),
        "Residual force": _rms(run.residual_force, "N"),
        "Energy without a source": f"{number(float(np.abs(run.energy_drift).max()), 2)} J",
    }
    if run.stop_names and np.any(run.stop_torques):
        largest = np.abs(run.stop_torques).max(axis=0)
        most = int(np.argmax(largest))
        rows["Stop that bears most"] = f"{capital(run.stop_names[most])}, {_short(float(largest[most]))} N·m"
    for row, names, values, unit in (
        ("Most active muscle", run.muscle_names, run.activations, ""),
        ("Largest reserve", run.reserve_names, run.reserves, " N·m"),
    ):
        if values.size:
            largest = np.abs(values).max(axis=0)
            most = int(np.argmax(largest))
            rows[row] = f"{capital(names[most])}, {_short(float(largest[most]))}{unit}"
    if run.contacts and np.any(run.ground_change):
        rows["Ground reactions changed by"] = _rms(run.ground_change.sum(axis=1), "N")
    stale = run.name in analysis.stale_simulations
    return RunFacts(run.name, ENDINGS[run.ending], run.sentence, rows, run.completed, stale)


def comparison(analysis: Analysis, names: Sequence[str] = ()) -> tuple[Section, ...]:
    """All runs, or those named, beside each other."""
    runs = [analysis.simulations[name] for name in (names or tuple(analysis.simulations))]
    if not runs:
        raise BiomecError(NONE)
    facts = [run_facts(analysis, run) for run in runs]
    words = ("Input", "Equations and steps", "Changed", "Stretch", "Reached")
    asked = Table("", ("Run", *words, "How it ended"), tuple(
        (one.name, *(one.rows[word] for word in words), one.sentence) for one in facts
    ))  # fmt: skip
    cost = Table("Cost and constraints", COST, tuple(_cost(run) for run in runs))
    near = Table("Distance to the recording", NEAR, tuple(_near(run) for run in runs), NOTE)
    return Section("Results", (), (cost, near)), Section("Settings", (), (asked,))


COST = ("Run", "Steps", "ms a step", "Iterations", "‖Φ‖", "‖dΦ/dt‖", "‖d²Φ/dt²‖")
NEAR = ("Run", "Place [mm]", "Velocity [m/s]", "Acceleration [m/s²]", "Angles [°]", "Moments [N·m]")
NOTE = (
    "‖Φ‖ and its derivatives: mean violation of the constraints and of their rates. Place, velocity, acceleration: "
    "mean over all coordinates and frames. Angles, moments: root mean square difference from the recording and from "
    "inverse dynamics, of all joints together."
)


def _cost(run: SimulationRun) -> tuple[str, ...]:
    steps = len(run.step_time_s) - 1
    return (
        run.name,
        str(steps),
        number(MS * float(run.seconds.sum()) / max(steps, 1), 2),
        _mean(run.iterations[1:], 1),
        *(power(float(one.mean())) for one in (run.violation, run.rate_violation, run.acceleration_violation)),
    )


def _near(run: SimulationRun) -> tuple[str, ...]:
    return (
        run.name,
        *(_short(one) for one in (MM * run.spread["q"].mean, run.spread["qdot"].mean, run.spread["qddot"].mean)),
        _short(_together(np.degrees(run.angles - run.measured_angles))),
        _short(_together(run.torques - run.inverse_torques)),
    )


def free_name(analysis: Analysis, wish: str) -> str:
    """The wish, or the wish with a number that no run has yet."""
    there = analysis.simulations
    if wish not in there:
        return wish
    return next(name for k in range(2, len(there) + 3) if (name := f"{wish} ({k})") not in there)


def named(analysis: Analysis, settings: SimulationSettings) -> SimulationSettings:
    """Settings with a name that is free: the user's, or one in words."""
    return replace(settings, name=free_name(analysis, settings.name.strip() or short_name(settings)))


def renamed(analysis: Analysis, before: str, after: str) -> Analysis:
    """The analysis with a run called otherwise, in its place."""
    after = after.strip()
    if not after:
        raise BiomecError("A simulation needs a name.")
    if after != before and after in analysis.simulations:
        raise BiomecError(f'There is a simulation "{after}" already. Choose another name.')
    runs = {}
    for name, run in analysis.simulations.items():
        if name == before:
            run = replace(run, settings=replace(run.settings, name=after))
        runs[run.name if name == before else name] = run
    return replace(analysis, simulations=runs)


def without(analysis: Analysis, names: Iterable[str]) -> Analysis:
    """The analysis without some runs."""
    for name in names:
        analysis = analysis.without_simulation(name)
    return analysis


def run_line(settings: SimulationSettings, remark: str = "") -> str:
    """Python that runs a simulation and keeps it."""
    line = f"analysis = analysis.with_simulation(run_simulation(analysis, {python_text(settings)}))"
    return f"{line}  # {comment(remark)}" if remark else line


def rename_line(before: str, after: str) -> str:
    """Python that calls a run otherwise."""
    return (
        f"analysis = replace(analysis, simulations={{({after!r} if name == {before!r} else name): "
        f"(replace(run, settings=replace(run.settings, name={after!r})) if name == {before!r} else run) "
        "for name, run in analysis.simulations.items()})"
    )


def delete_line(names: Sequence[str]) -> str:
    """Python that leaves runs out."""
    return "\n".join(f"analysis = analysis.without_simulation({name!r})" for name in names)


def distance_words(run: SimulationRun) -> str:
    """Mean distance of all coordinates to the recorded motion, in a unit that suits it."""
    metres = run.spread["q"].mean
    return f"{MM * metres:.3g} mm" if not metres < 1e-4 else f"{1e6 * metres:.2g} µm"


def _step(run: SimulationRun) -> str:
    lengths = np.diff(run.step_time_s)
    if not lengths.size:
        return "no step"
    if np.ptp(lengths) < 1e-3 * lengths.mean():
        return f"{MS * float(lengths.mean()):.3g} ms"
    return f"{MS * float(lengths.min()):.2g} to {MS * float(lengths.max()):.2g} ms"


def _distance(run: SimulationRun, level: str, scale: float, unit: str) -> str:
    mean, sd = (scale * one for one in run.spread[level])
    return f"{_short(mean)} ± {_short(sd)} {unit}"


def _short(value: float) -> str:
    """Three digits that count; powers of ten for what is very small."""
    if not np.isfinite(value):
        return NOTHING
    return power(value) if 0.0 < value < 1e-3 else f"{value:.3g}"


def _mean(values: np.ndarray, digits: int) -> str:
    return number(float(np.mean(values)), digits) if len(values) else NOTHING


def _worst(found: dict[str, float], unit: str) -> str:
    known = {name: value for name, value in found.items() if np.isfinite(value)}
    if not known:
        return NOTHING
    name = max(known, key=lambda one: known[one])
    return f"{capital(name)}, {_short(known[name])} {unit} RMS"


def _rms(values: np.ndarray, unit: str) -> str:
    known = values[np.isfinite(values).all(axis=1)] if len(values) else values
    return f"{_short(float(np.sqrt((known**2).sum(axis=1).mean())))} {unit} RMS" if len(known) else NOTHING


def _together(difference: np.ndarray) -> float:
    known = difference[np.isfinite(difference)]
    return float(np.sqrt((known**2).mean())) if known.size else float("nan")


def integrators_for(input: str, formulation: str) -> tuple[str, ...]:
    """Integrators that an input and a formulation can have, the automatic one first."""
    kind = SimulationSettings(input=input).formulation_kind if formulation == AUTO else FORMULATIONS[formulation]
    fitting = fitting_integrators(kind, input)
    return (AUTO, *(one.key for one in fitting)) if fitting else ()


def input_words(settings: SimulationSettings) -> str:
    """What moves the body and what holds it, in short."""
    held = "" if settings.root == AUTO else f"; held by {label_of(type(settings), 'root', settings.root).lower()}"
    return label_of(type(settings), "input", settings.input) + held


def changed_words(settings: SimulationSettings) -> str:
    """What is different from the recording, stops of the joints too; empty if nothing is."""
    stops = "stops at the joints" if settings.joint_stops else ""
    return ", ".join(words for words in (what_if_words(settings.what_if), stops) if words)


def method_words(settings: SimulationSettings) -> str:
    """Equations and integrator."""
    order = f", order {settings.order_words}" if settings.order_words else ""
    return f"{settings.formulation_kind.name}; {settings.integrator_kind.title}{order}"


def what_if_words(changes: WhatIf) -> str:
    """What is different from the recording; empty if nothing is."""
    phrases = []
    if changes.mass != 1.0:
        phrases.append(f"mass × {changes.mass:g}")
    phrases += [f"mass of {names} × {factor:g}" for names, factor in _both_sides(changes.masses)]
    phrases += [f"{mass:g} kg at {names}" for names, mass in _both_sides(changes.carried)]
    if changes.gravity != 1.0:
        phrases.append(f"gravity × {changes.gravity:g}")
    if changes.grip_m:
        phrases.append(f"grip {abs(100.0 * changes.grip_m):g} cm {'wider' if changes.grip_m > 0.0 else 'narrower'}")
    phrases += [f"{names} {100.0 * share:g} % weaker" for names, share in _both_sides(changes.weakened)]
    phrases += [f"{names} × {factor:g}" for names, factor in _both_sides(changes.springs)]
    return ", ".join(phrases)


def _both_sides(table: Mapping[str, float]) -> list[tuple[str, float]]:
    """Names with their values; both sides of the same value as one."""
    found: list[tuple[str, float]] = []
    for name, value in table.items():
        stem = name.removeprefix("right ").removeprefix("left ")
        pair = {f"right {stem}", f"left {stem}"}
        same = pair <= set(table) and len({table[one] for one in pair}) == 1
        entry = (f"both {plural(stem)}" if same else name, value)
        if entry not in found:
            found.append(entry)
    return found


def plural(stem: str) -> str:
    """Both of a part: "feet", "elbows"."""
    if stem.endswith("foot"):
        return f"{stem[:-4]}feet"
    if stem.endswith(("x", "s")):
        return f"{stem}es"
    return f"{stem} joints" if stem.endswith(("ar", "al")) else f"{stem}s"


def short_name(settings: SimulationSettings) -> str:
    """Name of a run that the user has not named, in words."""
    stretch = f", cycle {settings.cycle}" if settings.cycle is not None else ""
    changed = what_if_words(settings.what_if)
    input = {RESULTANT: "Resultant", "inverse": "Played back", "pd": "PD", "computed-torque": "Computed torque",
             "underactuated": "Ground holds", MUSCLES: "Muscles"}[settings.input]  # fmt: skip
    method = ""
    if (settings.formulation, settings.integrator) != (AUTO, AUTO):
        formulation = settings.formulation_kind.title.split(" (")[0].split(",")[0]
        integrator = settings.integrator_kind.title.split(" (")[0].split(",")[0].split("-Bash")[0]
        order = f" {settings.order_words}" if settings.order_words else ""
        method = f", {formulation}, {integrator}{order}"
    if settings.root == CONTACT:
        input = "On contacts"
    if settings.root == FEET:
        input = "On its feet"
    stops = ", stops" if settings.joint_stops else ""
    return f"{input}{method}{stretch}{stops}{f', {changed}' if changed else ''}"
