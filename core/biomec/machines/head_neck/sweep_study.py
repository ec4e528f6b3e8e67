"""The study `head-impact-sweep`: many blows, by direction, peak, duration, bracing, helmet, or what is in doubt."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from biomec.base.errors import BiomecError
from biomec.base.plain_text import table
from biomec.base.progress import Progress
from biomec.machines.head_neck.impact import cut_off, equilibrium_for
from biomec.machines.head_neck.study import (
    HeadImpactOptions,
    blow_of,
    folder_of,
    impact_options,
    model_of,
    model_options,
    refusal,
)
from biomec.machines.head_neck.sweeps import (
    ROW_FIGURES,
    SweepRow,
    Trial,
    band,
    bracing_trials,
    direction_trials,
    doubtful_trials,
    duration_trials,
    helmet_trials,
    peak_trials,
    risk_map,
    sweep,
)
from biomec.machines.machine import Machine
from biomec.machines.study import Run, Study, curve, option

DIRECTION, PEAK, DURATION, BRACING, HELMET, DOUBT = (
    "direction", "peak", "duration", "bracing", "helmet", "doubtful numbers",
)  # fmt: skip
OVER = (DIRECTION, PEAK, DURATION, BRACING, HELMET, DOUBT)
USUAL = {PEAK: "0.25, 0.5, 1, 1.25", DURATION: "0.5, 1, 2, 4", BRACING: "0, 0.2, 0.4", HELMET: "0, 1, 1.5, 2"}
RISKS = ("moderate_hic", "moderate_bric", "severe_hic")


@dataclass(frozen=True)
class VariedOptions:
    """What is varied."""

    over: str = option(DIRECTION, "What is varied", choices=OVER)
    values: str = option("", "Values: factors of peak or duration, shares of bracing, kg of helmets; empty: usual ones")
    finer: int = option(2, "How often the 20 faces around the head are divided: 0, 1, 2 give 12, 42, 162 directions")
    kept: str = option("", "File (JSON) that keeps the rows, so that a sweep that was stopped can go on")


@dataclass(frozen=True)
class HeadSweepOptions(HeadImpactOptions, VariedOptions):
    """Options of the study: what is varied, then those of a blow and of the model."""

    duration_s: float = option(0.05, "Duration of every run", "s")


def trials_of(options: HeadSweepOptions) -> list[Trial]:
    """The blows of a sweep."""
    blow, how = blow_of(options), impact_options(options)
    if options.over == DOUBT:
        return doubtful_trials(blow, how, model_options(options), folder_of(options.folder))
    values = [] if options.over == DIRECTION else _numbers(options.values or USUAL[options.over])
    if options.over == HELMET:
        return helmet_trials(model_options(options), blow, how, values, folder_of(options.folder))
    model = model_of(options, options.folder)
    if options.over == BRACING:
        return bracing_trials(model, blow, how, values)
    equilibrium = equilibrium_for(model, how)
    if options.over == DIRECTION:
        if not 0 <= options.finer <= 4:
            raise BiomecError(f"Sweep of directions: {options.finer} divisions are impossible; 0 to 4 are.")
        return direction_trials(equilibrium, blow.pulse, how, options.finer)
    made = peak_trials if options.over == PEAK else duration_trials
    return made(equilibrium, blow, how, values)


def run_head_sweep(machine: Machine, options: HeadSweepOptions, progress: Progress | None = None) -> Run:
    """Answer the study."""
    trials = trials_of(options)
    rows = sweep(trials, progress, Path(options.kept) if options.kept else None)
    cut = dict.fromkeys(words for one in trials if (words := cut_off(one.blow, one.options)))
    lost = [row for row in rows if row.status != "completed"]
    number = np.arange(len(rows), dtype=np.float64)
    return Run(
        study="head-impact-sweep",
        title=f"Blows to the head by {options.over}",
        machine=machine,
        options=options,
        time_s=number,
        curves=tuple(curve("Sweep", name, "", [row.figures[name] for row in rows]) for name in ROW_FIGURES),
        figures={
            "blows": len(rows),
            **{f"{name}_{end}": value for name, both in band(rows).items()
               for end, value in zip(("min", "max"), both, strict=True)},
        },
        status="completed" if not lost else f"{len(lost)} of {len(rows)} blows ended early",
        succeeded=len(lost) < len(rows),
        notices=(*cut, *(f"{row.name}: {row.status}." for row in lost)),
        text=_text(rows),
        files={"sweep.csv": sweep_table(rows)},
    )  # fmt: skip


def sweep_table(rows: tuple[SweepRow, ...]) -> str:
    """All rows as a table with commas, with the risks of injury."""
    head = ["blow", *ROW_FIGURES, *(f"risk_{name}" for name in RISKS), "status"]
    body = [
        [row.name, *(row.figures[name] for name in ROW_FIGURES), *(risk[name] for name in RISKS), row.status]
        for row, risk in zip(rows, risk_map(rows), strict=True)
    ]
    return table([head, *body])


def _text(rows: tuple[SweepRow, ...]) -> str:
    width = max(len(row.name) for row in rows)
    lines = [f"{'':{width}s}    HIC15     BrIC   peak [g]  ligament/limit  level/limit"]
    for row in rows:
        f = row.figures
        lines.append(f"{row.name:{width}s}  {f['hic15']:7.1f}  {f['bric']:7.3f}  {f['peak_g']:9.1f}  "
                     f"{f['ligament_share']:14.2f}  {f['level_share']:11.2f}")  # fmt: skip
    return "\n".join(lines)


def _numbers(text: str) -> list[float]:
    try:
        return [float(one) for one in text.replace(";", ",").split(",")]
    except ValueError:
        raise BiomecError(f"Sweep: “{text}” are not numbers with commas between them, such as 0.5, 1, 2.") from None


STUDY = Study(
    "head-impact-sweep",
    "Blows to the head, varied",
    "Many blows: a map of risk by direction, or by peak, duration, bracing, helmet, what the source leaves in doubt.",
    HeadSweepOptions,
    refusal,
    run_head_sweep,
)
