"""Tidy tables of one analysed trial: curves of every cycle, 0 to 100 %, and numbers of every cycle and stride.

A table of curves has a row for each instant of each cycle and a column for each curve, with its unit in its name; the
table of values has a row for each number. Who and which trial it was is added when the tables of a study are joined
(`study.tables`). Cells are empty where a cycle does not count for a curve: loads need a ground reaction that was
measured throughout, muscles one for every joint that they cross.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.body.loads.load_statistics import MEASURES
from biomec.body.muscles.lacking import lower_bounds
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.load_cycles import LoadCycles, load_cycles
from biomec.pipeline.load_reading import read_loads
from biomec.recording.marker_set import Side
from biomec.reporting.files.index_files import gait_indices
from biomec.reporting.indices.gdi_star import gdi_star
from biomec.reporting.indices.profile_score import overall_score
from biomec.reporting.statistics.load_condition import LoadCondition, condition
from biomec.reporting.statistics.time_and_distance import PARAMETERS, time_and_distance
from biomec.reporting.tables import table_text

CURVE_TABLES = ("angles", "loads", "muscles", "contacts")
VALUES = "values"
CURVE_HEAD = ("side", "cycle", "percent")
VALUE_HEAD = ("table", "variable", "unit", "measure", "side", "cycle", "value")
TIME_AND_DISTANCE, INDICES, DISCRETE = "time and distance", "indices", "discrete"
BOTH = "both"
SIDES = {"Right": Side.RIGHT, "Left": Side.LEFT}
Values = list[tuple[tuple[str | int, ...], float]]


@dataclass(frozen=True, eq=False)
class TableCurves:
    """Curves of one table over the frames.

    values : (T, C);  joints : (C,) those whose loads have to be known, none for angles
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    sides: tuple[Side | None, ...]
    values: FloatArray
    joints: tuple[tuple[str, ...], ...]


def trial_tables(analysis: Analysis) -> dict[str, str]:
    """Name of each table -> CSV text; a table without a row is not there."""
    texts: dict[str, str] = {}
    values: Values = []
    for table, curves in curves_of(analysis):
        head: list[tuple[str | int, ...]] = []
        rows: list[FloatArray] = []
        for side, numbers, cycles in cycles_of(analysis, curves):
            for cycle, one in zip(numbers, cycles.curves, strict=True):
                head += [(side.lower(), cycle, f"{percent:g}") for percent in cycles.percent]
                rows.append(one)
            values += _measures(table, side, numbers, cycles)
        if rows:
            named = [f"{name} [{_plain(unit)}]" for name, unit in zip(curves.names, curves.units, strict=True)]
            texts[table] = table_text([*CURVE_HEAD, *named], head, np.concatenate(rows))
    values += [*_strides(analysis), *_indices(analysis)]
    if values:
        texts[VALUES] = table_text(VALUE_HEAD, [cells for cells, _ in values], np.array([[v] for _, v in values]))
    return texts


def curves_of(analysis: Analysis) -> Iterator[tuple[str, TableCurves]]:
    """Name of each table that an analysis has, and its curves over the frames, in units for people."""
    angles = analysis.angles
    none: tuple[tuple[str, ...], ...] = ((),) * len(angles.names)
    units = ("deg",) * len(angles.names)
    yield "angles", TableCurves(angles.names, units, tuple(angles.side), np.degrees(angles.values), none)
    if "loads" in analysis.done:
        loads = read_loads(analysis)
        joints = tuple((joint,) for joint in loads.joint)
        yield "loads", TableCurves(loads.names, loads.units, loads.side, np.asarray(loads.values), joints)
    if "muscles" in analysis.done:
        yield "muscles", _muscles(analysis)
        yield "contacts", _contacts(analysis)


def _muscles(analysis: Analysis) -> TableCurves:
    """Activation and force of every muscle."""
    found = analysis.muscles
    fitted = found.fitted.muscles
    names = tuple(f"{one.sided_title} {what}" for what in ("activation", "force") for one in fitted)
    sides = tuple(one.side for one in fitted) * 2
    joints = tuple(found.model.crossed_joints.get(one.name, ()) for one in fitted) * 2
    units = ("1",) * len(fitted) + ("N",) * len(fitted)
    return TableCurves(names, units, sides, np.hstack([found.forces.activation, found.forces.force]), joints)


def _contacts(analysis: Analysis) -> TableCurves:
    """Contact force of every joint, and the joint force without muscles.

    Where torque is lacking, the contact force is only known to be larger; it is left out.
    """
    found = analysis.muscles
    contacts, least = found.contacts, lower_bounds(found.model, found.forces)
    count = len(contacts.joints)
    names = [f"{joint} {what}" for what in ("contact force", "force without muscles") for joint in contacts.joints]
    sides = tuple(map(_side, contacts.joints)) * 2
    joints = tuple((joint,) for joint in contacts.joints) * 2
    values = np.hstack([np.where(least, np.nan, contacts.size), contacts.net_size])
    return TableCurves(tuple(names), ("N",) * 2 * count, sides, values, joints)


def _side(joint: str) -> Side | None:
    return next((side for side in Side if joint.startswith(f"{side.value} ")), None)


def cycles_of(analysis: Analysis, curves: TableCurves) -> Iterator[tuple[str, list[int], LoadCondition]]:
    """Side, numbers of its valid cycles from 1, and their curves; those of the other side are empty."""
    rate = analysis.signals.trial.rate_hz
    judged = load_cycles(analysis) if "loads" in analysis.done else {}
    for side, group in analysis.cycles.groups.items():
        valid = np.asarray(group.valid)
        if not valid.any():
            continue
        counted = _counted(curves, side, judged.get(side), valid)
        numbers = [int(k) + 1 for k in np.flatnonzero(valid)]
        spans = np.asarray(group.spans)[valid]
        yield side, numbers, condition("", curves.names, curves.units, curves.values, spans, rate, counted=counted)


def _counted(curves: TableCurves, side: str, judged: LoadCycles | None, valid: BoolArray) -> BoolArray:
    """(K, C) valid cycles that count for each curve."""
    own = np.array([SIDES.get(side) in (None, one) or one is None for one in curves.sides], dtype=np.bool_)
    counted = np.tile(own, (int(valid.sum()), 1))
    known: dict[str, BoolArray] = {}
    for c, joints in enumerate(curves.joints):
        for joint in joints:
            if joint not in known:
                there = judged is not None and joint in judged.ground
                known[joint] = (
                    judged.counts(joint)[valid] if there and judged is not None else np.zeros(len(counted), np.bool_)
                )
            counted[:, c] &= known[joint]
    return counted


def _measures(table: str, side: str, numbers: Sequence[int], cycles: LoadCondition) -> Values:
    found: Values = []
    for c, (name, unit) in enumerate(zip(cycles.names, cycles.units, strict=True)):
        for measure in MEASURES:
            of = _plain(f"{unit} s" if measure == "impulse" else unit)
            found += [
                ((table, name, of, measure, side.lower(), cycle), float(value))
                for cycle, value in zip(numbers, cycles.measures[measure][:, c], strict=True)
                if np.isfinite(value)
            ]
    return found


def _plain(unit: str) -> str:
    """A unit that every program reads: "N m", "deg"."""
    return unit.replace("°", "deg").replace("·", " ")


def _strides(analysis: Analysis) -> Values:
    """Time and distance of every stride that counts."""
    walked = time_and_distance(analysis)
    if walked is None:
        return []
    return [
        ((TIME_AND_DISTANCE, PARAMETERS[key].title, _plain(PARAMETERS[key].unit), str(one.kind), one.side.lower(),
          one.number or ""), value)
        for one in walked.strides
        if not one.why
        for key, value in one.values.items()
        if key in PARAMETERS and np.isfinite(value)
    ]  # fmt: skip


def _indices(analysis: Analysis) -> Values:
    """Gait scores and values of clinical curves of a straight walk: means over the cycles of the trial."""
    found = gait_indices(analysis)
    if found is None:
        return []
    rows: Values = []
    for side, score in found.scores.items():
        rows += [
            ((INDICES, f"gait variable score, {name}", "deg", "mean", side, ""), score.variable(name)[0])
            for name in score.names
        ]
        rows.append(((INDICES, "gait profile score", "deg", "mean", side, ""), score.mean))
        star = None if found.reference is None else gdi_star(score, found.reference)
        if star is not None and star.value is not None:
            rows.append(((INDICES, "GDI*", "1", "mean", side, ""), star.value))
    if set(found.scores) >= {"right", "left"}:
        both = overall_score(found.scores["right"], found.scores["left"])
        rows.append(((INDICES, "gait profile score", "deg", "mean", BOTH, ""), both))
    for side, some in found.values.items():
        for one in some:
            unit = _plain(one.window.unit)
            rows.append(((DISCRETE, one.window.name, unit, "mean", side, ""), one.mean))
    return [(cells, float(value)) for cells, value in rows if np.isfinite(value)]
