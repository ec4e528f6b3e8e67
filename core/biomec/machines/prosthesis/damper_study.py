"""The study `damper-study`: a parameter varied over its range, and its best value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.errors import BiomecError
from biomec.base.progress import Progress, part_of
from biomec.machines.machine import Machine
from biomec.machines.prosthesis.damper import OBJECTIVES
from biomec.machines.prosthesis.swing_study import refusal
from biomec.machines.study import Run, Study, option


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


def run_damper(machine: Machine, options: DamperOptions, progress: Progress | None = None) -> Run:
    """Answer the study; curves and animation are those of the best swing."""
    from biomec.machines.prosthesis.curves import history_curves, leg_figures, named
    from biomec.machines.prosthesis.damper import best_swing, optimal_damper, study_table, study_text
    from biomec.machines.prosthesis.swing import SwingSettings

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
    return Run(
        study="damper-study",
        title=f"Gentlest stop: {values}",
        machine=swing.machine,
        options=options,
        time_s=swing.history.time_s,
        curves=history_curves(swing.machine, swing.moving, swing.history),
        figures=figures,
        poses=swing.moving.model.poses(swing.history.q),
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
