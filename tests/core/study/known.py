"""A study whose tables hold known numbers: what is computed from them can be checked against a formula."""

import csv
import io
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from biomec.pipeline.analysis import KINEMATICS, Analysis
from biomec.study.batch import tasks_of
from biomec.study.study import Study, open_study
from biomec.study.task import run_task
from tests.core.study.small import reopened, sway, write_sway

CYCLES = {"open": 3, "closed": 2}
CURVE = "right elbow flexion"
PERCENT = np.linspace(0.0, 100.0, 101)


def offset(person: int, condition: str, cycle: int, visit: int) -> float:
    """Height of a cycle: people differ by tens, conditions by 5 and a little more or less, cycles by parts."""
    return (
        10.0 * person + (5.0 + 0.5 * (person % 3)) * (condition == "closed") + 0.3 * cycle + 0.2 * visit * (person % 2)
    )


def shape(height: float, condition: str) -> np.ndarray:
    """A curve: conditions differ in the middle of the cycle only."""
    hump = np.where(np.abs(PERCENT - 50.0) < 20.0, 1.0, 0.0)
    return np.sin(np.pi * PERCENT / 100.0) + height - (5.0 * (1.0 - hump) if condition == "closed" else 0.0)


def write_known(folder: Path, people: int, visits: int = 2, first: str = "p") -> Path:
    """Recordings of people in folders p0, p1 …, of two conditions and some visits, and what study.toml says of them."""
    length = 30
    for person in range(people):
        for visit in range(1, visits + 1):
            for condition in CYCLES:
                write_sway(folder / f"{first}{person}" / f"v{visit}", f"{condition}1", length)
                length += 2
    lines = "".join(
        f'[[subject]]\ncode = "S{k}"\nfolders = ["{first}{k}"]\ngroup = "{"ab"[k % 2]}"\n' for k in range(people)
    )
    (folder / "study.toml").write_text(lines)
    return folder


def analysed_known(folder: Path) -> Study:
    """The study with tables of known numbers, written in the place of an analysis."""
    opened = open_study(folder)
    opened.results.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patched:
        know(patched, opened)
        for task in tasks_of(opened):
            run_task(task)
    return reopened(opened)


def know(patched: pytest.MonkeyPatch, study: Study) -> None:
    """Let every trial of a study be analysed to known numbers, without any computation."""
    same = _swaying()  # of every trial: only its tables count here
    by_id = {one.id: one for one in study.trials}
    now = []

    def analysed(task):
        now[:] = [by_id[task.id]]
        return same

    patched.setattr("biomec.study.task.analysed", analysed)
    patched.setattr("biomec.study.task.trial_tables", lambda analysis: known_tables(now[0]))


@cache
def _swaying() -> Analysis:
    return Analysis(sway(30)).run_until(KINEMATICS)


def known_tables(trial):
    person, condition = int(trial.subject[1:]), trial.condition
    angles, values = io.StringIO(), io.StringIO()
    rows, numbers = csv.writer(angles), csv.writer(values)
    rows.writerow(["side", "cycle", "percent", f"{CURVE} [deg]", "nothing [deg]"])
    numbers.writerow(["table", "variable", "unit", "measure", "side", "cycle", "value"])
    for cycle in range(1, CYCLES[condition] + 1):
        height = offset(person, condition, cycle, trial.visit)
        for percent, value in zip(PERCENT, shape(height, condition), strict=True):
            rows.writerow(["both", cycle, f"{percent:g}", repr(float(value)), ""])
        numbers.writerow(["angles", CURVE, "deg", "peak", "both", cycle, repr(height)])
    return {"angles": angles.getvalue(), "values": values.getvalue()}
