"""Curves and numbers of a study over people: the mean of the cycles of each person first, then people beside people.

Cycles of one person are not independent, so that every person counts once in a level of the comparison: a condition, a
visit, or a group of people. What is compared is what `study.trial_tables` wrote of each trial that counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.base.toml_table import did_you_mean
from biomec.body.loads.load_statistics import MEASURES, mean_and_deviation
from biomec.reporting.statistics.load_condition import PEOPLE, LoadCondition
from biomec.signals.cycle_average import PERCENT_POINTS
from biomec.study.study import Study
from biomec.study.tables import damaged_table, table_lines
from biomec.study.trial_tables import CURVE_HEAD, CURVE_TABLES, VALUES
from biomec.study.trials import StudyTrial

CONDITION, VISIT, GROUP = "condition", "visit", "group"
LEVELS = (CONDITION, VISIT, GROUP)


@dataclass(frozen=True, eq=False)
class Level:
    """One level of a comparison: P people and the means of their cycles.

    people : (P,) codes;  means : curves (P, 101, C) and measures (P, C), NaN where a person lacks a curve
    cycles : (P,) cycles behind the means
    """

    name: str
    people: tuple[str, ...]
    means: LoadCondition
    cycles: tuple[int, ...]

    def only(self, people: Sequence[str]) -> Level:
        """The same of some of the people, in that order."""
        places = [self.people.index(code) for code in people]
        old = self.means
        measures = FrozenDict({name: read_only(values[places]) for name, values in old.measures.items()})
        means = LoadCondition(
            old.title, old.names, old.units, old.percent, read_only(old.curves[places]), measures, old.sample
        )
        return Level(self.name, tuple(people), means, tuple(self.cycles[k] for k in places))


def levels_of(
    study: Study, table: str, by: str = CONDITION, levels: Sequence[str] = (), words: Sequence[str] = ()
) -> tuple[Level, ...]:
    """People in each level, with the means of their cycles.

    table  : angles, loads, muscles or contacts;  by : condition, visit or group
    levels : these, in this order; all in natural order, if none is named
    words  : only curves with one of these in their names
    """
    if table not in CURVE_TABLES:
        raise BiomecError(
            f"There is no table {table}{did_you_mean(table, CURVE_TABLES)} There are {', '.join(CURVE_TABLES)}."
        )
    if by not in LEVELS:
        raise BiomecError(f"A study is compared by {', '.join(LEVELS)}, not by {by}.")
    counted = [one for one in study.trials if one.counts and one.subject and level_of(one, by)]
    if not counted:
        raise BiomecError(
            f"No trial of a known person and {by} is done, so that nothing can be compared. Run `biomec batch` first."
        )
    there = tuple(dict.fromkeys(level_of(one, by) for one in counted))
    wanted = tuple(levels) or tuple(sorted(there))
    for name in wanted:
        if name not in there:
            raise BiomecError(
                f"No trial that is done has the {by} {name}{did_you_mean(name, there)} "
                f"There are {', '.join(there) or 'none'}."
            )
    chosen = [one for one in counted if level_of(one, by) in wanted]
    models = sorted({one.headline.model for one in chosen})
    if len(models) > 1:
        raise BiomecError(
            f"The trials were analysed with {len(models)} models ({', '.join(models)}), whose curves are not alike. "
            "Give all of them one model in the settings of the study."
        )
    names, units = _columns(study, chosen, table, words)
    cells: dict[tuple[str, str], list[StudyTrial]] = {}
    for one in chosen:
        cells.setdefault((level_of(one, by), one.subject), []).append(one)
    return tuple(_level(study, name, table, names, units, cells) for name in wanted)


def level_of(trial: StudyTrial, by: str) -> str:
    """Level of a trial; "" where it has none."""
    return {CONDITION: trial.condition, VISIT: str(trial.visit) if trial.visit else "", GROUP: trial.group}[by]


def _columns(
    study: Study, trials: Iterable[StudyTrial], table: str, words: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names and units of the curves that any trial has; every curve has one unit in all of them."""
    found: dict[str, None] = {}
    for one in trials:
        found |= dict.fromkeys(next(table_lines(study, one, table), [])[len(CURVE_HEAD) :])
    chosen = [name for name in found if not words or any(word.casefold() in name.casefold() for word in words)]
    if not chosen:
        asked = f" with {' or '.join(words)} in its name" if words else ""
        raise BiomecError(f"No trial that is done has a curve{asked} in its table of {table}.")
    units: dict[str, str] = {}
    for column in chosen:
        name, _, rest = column.rpartition(" [")
        unit = rest.rstrip("]")
        if units.setdefault(name, unit) != unit:
            raise BiomecError(
                f"Some trials have {name} in {units[name]} and others in {unit}, which cannot be averaged. Choose the "
                f"same units for {table} in the settings of the study and of its projects, and run the batch again."
            )
    return tuple(units), tuple(units.values())


def _level(
    study: Study,
    name: str,
    table: str,
    names: tuple[str, ...],
    units: tuple[str, ...],
    cells: Mapping[tuple[str, str], Sequence[StudyTrial]],
) -> Level:
    people = [code for code in study.people if (name, code) in cells]
    curves, measures, counts = [], [], []
    for code in people:
        trials = cells[name, code]
        cycles = np.concatenate([_cycles(study, one, table, names, units) for one in trials])
        numbers = [_measures(study, one, table, names) for one in trials]
        curves.append(mean_and_deviation(cycles)[0] if len(cycles) else np.full((PERCENT_POINTS, len(names)), np.nan))
        measures.append({one: _mean([part[one] for part in numbers], len(names)) for one in MEASURES})
        counts.append(len(cycles))
    gathered = FrozenDict({one: read_only([person[one] for person in measures]) for one in MEASURES})
    percent = read_only(np.linspace(0.0, 100.0, PERCENT_POINTS))
    means = LoadCondition(name, names, units, percent, read_only(curves), gathered, PEOPLE)
    return Level(name, tuple(people), means, tuple(counts))


def _cycles(study: Study, trial: StudyTrial, table: str, names: Sequence[str], units: Sequence[str]) -> FloatArray:
    """(K, 101, C) cycles of a trial; NaN where a curve does not count."""
    lines = table_lines(study, trial, table)
    head = {column: k for k, column in enumerate(next(lines, []))}
    places = [head.get(f"{name} [{unit}]") for name, unit in zip(names, units, strict=True)]
    try:
        rows = [[float(line[k] or "nan") if k is not None else np.nan for k in places] for line in lines]
        return np.reshape(np.array(rows, dtype=np.float64), (-1, PERCENT_POINTS, len(names)))
    except ValueError as error:
        raise damaged_table(trial, table, str(error)) from error


def _measures(study: Study, trial: StudyTrial, table: str, names: Sequence[str]) -> dict[str, list[list[float]]]:
    """Measure -> curve -> values of its cycles."""
    place = {name: k for k, name in enumerate(names)}
    found: dict[str, list[list[float]]] = {one: [[] for _ in names] for one in MEASURES}
    lines = table_lines(study, trial, VALUES)
    next(lines, None)
    try:
        for of, name, _, measure, _, _, value in lines:
            if of == table and name in place and measure in found:
                found[measure][place[name]].append(float(value))
    except ValueError as error:
        raise damaged_table(trial, VALUES, str(error)) from error
    return found


def _mean(parts: Sequence[Sequence[Sequence[float]]], count: int) -> FloatArray:
    """(C,) mean over the cycles of all trials of a person."""
    every = [[value for part in parts for value in part[c]] for c in range(count)]
    return np.array([np.mean(values) if values else np.nan for values in every])
