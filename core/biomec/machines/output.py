"""Answers of studies as text and files: headline figures for programs, curves as a table, a report to be read."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from biomec.base.errors import BiomecError, FileError
from biomec.base.plain_text import table
from biomec.base.together import replaced_together
from biomec.machines.blueprint import with_values
from biomec.machines.columns import Columns, columns_of
from biomec.machines.motors import GROUP, torque_file
from biomec.machines.study import Run

CURVES, FIGURES, REPORT, MACHINE = "curves.csv", "figures.json", "report.txt", "machine.toml"
TORQUES = "torques.csv"
FILES = (CURVES, FIGURES, REPORT, MACHINE)
"""What a run is written as, without the first where it has no curves; `Run.files` come besides."""


def headline(run: Run) -> dict[str, Any]:
    """Headline figures by their keys, and how the run ended, as plain data; what is not a number is None."""
    about: dict[str, Any] = {
        "machine": run.machine.name,
        "analysis": run.study,
        "status": run.status,
        "succeeded": run.succeeded,
        "notices": list(run.notices),
    }
    return about | {key: plain(value) for key, value in run.figures.items()}


def plain(value: float) -> float | None:
    """A number that JSON can hold: None for what is not one."""
    number = float(value)
    return number if math.isfinite(number) else None


def curves_table(run: Run) -> str:
    """Time and all curves as a table with commas; missing values are empty."""
    rows = [["time [s]", *(f"{one.group}: {one.name}{f' [{one.unit}]' * bool(one.unit)}" for one in run.curves)]]
    for k, time in enumerate(run.time_s):
        values = (one.values[k] if k < len(one.values) else math.nan for one in run.curves)
        rows.append([f"{time:.9g}", *("" if math.isnan(v) else f"{v:.9g}" for v in values)])
    return table(rows)


def torque_columns(run: Run) -> Columns:
    """Torques of the motors of a run, as a table that a machine can be given."""
    if TORQUES in run.files:
        return columns_of(run.files[TORQUES], run.title)
    motors = [one for one in run.curves if one.group == GROUP]
    if not motors:
        raise BiomecError(f"{run.title} has no torques of motors. Optimal control, or the sharing of torques, has.")
    torques = np.column_stack([one.values for one in motors])
    return columns_of(torque_file(run.time_s, torques, [one.name for one in motors]), run.title)


def report(run: Run) -> str:
    """What a person reads first: machine, parameters, options, how it ended, figures, notices, text."""
    machine = run.machine
    lines = [f"{machine.title}: {run.title}", "", f"Status: {run.status}", ""]
    lines += [f"{key:32s} {number_text(value)}" for key, value in run.figures.items()]
    lines += ["", *run.notices] if run.notices else []
    lines += ["", "Parameters"]
    for name, one in machine.blueprint.parameters.items():
        lines.append(f"{name:12s} {number_text(machine.values[name]):>14s} {one.unit:8s} {one.about}".rstrip())
    lines += ["", "Options"]
    lines += [f"{one.name:20s} {getattr(run.options, one.name)}" for one in fields(run.options)]
    lines += ["", run.text] if run.text else []
    return "\n".join(lines).rstrip() + "\n"


def number_text(value: float) -> str:
    """A number with six digits, with a true minus sign; a dash for what is not one."""
    return f"{value:.6g}".replace("-", "−") if math.isfinite(value) else "–"


def machine_file(run: Run) -> str:
    """The machine file with the values of the parameters that the run had."""
    return with_values(run.machine.blueprint.text, run.machine.values, run.machine.blueprint.source)


def written_files(run: Run) -> dict[str, str]:
    """Name -> content of all files of a run."""
    figures = json.dumps(headline(run), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    curves = {CURVES: curves_table(run)} if run.curves else {}
    return {**run.files, **curves, FIGURES: figures, REPORT: report(run), MACHINE: machine_file(run)}


def write_run(run: Run, folder: Path, *, overwrite: bool = False) -> list[Path]:
    """Write a run into a folder, which is made if it is not there; return what was written."""
    files = written_files(run)
    refuse_existing(folder, tuple(dict.fromkeys((*FILES, *files))), overwrite)
    with replaced_together(folder, FIGURES, FILES) as stage:
        for name, content in files.items():
            (stage / Path(name).name).write_text(content, encoding="utf-8")
    return [folder / Path(name).name for name in files]


def refuse_existing(folder: Path, names: tuple[str, ...] = FILES, overwrite: bool = False) -> None:
    """Raise a sentence if files would be lost."""
    there = [name for name in names if (folder / name).exists()]
    if there and not overwrite:
        raise FileError(
            folder.name,
            f"it holds results already ({', '.join(there)}). Choose another folder, or overwrite them.",
            ("overwrite", ""),
        )
