"""Loads of an analysis over its valid cycles: as a condition to compare, as an exercise to rank, and their peaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from biomec.base.arrays import IntArray
from biomec.base.errors import BiomecError
from biomec.body.loads.joint_stress import joint_stress
from biomec.body.loads.load_components import LoadReading
from biomec.body.loads.load_peaks import JointPeaks, joint_peaks
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.load_reading import chosen_loads, chosen_power, motion_of_loads, read_loads
from biomec.reporting.statistics.load_condition import LoadCondition, condition
from biomec.reporting.statistics.load_ranking import ExerciseLoad, exercise_load


def loads_over_cycles(
    analysis: Analysis, title: str, reading: LoadReading | None = None, joints: Sequence[str] = (), side: str = ""
) -> LoadCondition:
    """Loads over the valid cycles of an analysis, as one condition of a comparison.

    reading : as the settings choose, if not given
    joints  : only these; all if none is named
    side   : whose cycles count, where both sides have their own; without it the first that has a valid one
    """
    spans = valid_spans(analysis, title, side)
    curves = read_loads(analysis, reading)
    if joints:
        loads = chosen_loads(analysis)
        there = [loads.joints[loads.index(name)] for name in joints]
        curves = curves.chosen(name for name, joint in zip(curves.names, curves.joint, strict=True) if joint in there)
    return condition(title, curves.names, curves.units, curves.values, spans, analysis.signals.trial.rate_hz)


def exercise_of(analysis: Analysis, title: str) -> ExerciseLoad:
    """What a recording asks of the joints over its valid cycles, as one exercise of a ranking."""
    body, loads = analysis.body.person, chosen_loads(analysis)
    stress = joint_stress(loads, motion_of_loads(analysis), body.model, body.joint_axes())
    rate_hz, mass_kg = analysis.signals.trial.rate_hz, float(body.measures["mass"])
    return exercise_load(title, loads, stress, valid_spans(analysis, title), rate_hz, mass_kg)


def peaks_of(analysis: Analysis) -> tuple[JointPeaks, ...]:
    """Peaks of the loads, joint by joint, over the frames in which they can be used."""
    return joint_peaks(chosen_loads(analysis), chosen_power(analysis).joint, analysis.loads.trust)


def refuse_unlike(analyses: Mapping[str, Analysis]) -> None:
    """Raise a sentence if the ribs bear the scapulae in some of these analyses only: their loads are not alike."""
    borne = {title: bool(chosen_loads(one).contacts) for title, one in analyses.items()}
    if len(set(borne.values())) > 1:
        with_ribs, without = (", ".join(t for t, there in borne.items() if there is one) for one in (True, False))
        raise BiomecError(
            f"{with_ribs} has loads with the contacts of the scapulae on the ribs, {without} without them. Compute "
            "both in the same way (--joints, or Keep All Joint Constraints) before they are compared."
        )


def valid_spans(analysis: Analysis, title: str, side: str = "") -> IntArray:
    """First and last frame (K, 2) of the valid cycles of a side, or of the first side that has one."""
    cycles = analysis.cycles.groups
    wanted = [side] if side else [name for name, one in cycles.items() if one.valid.any()]
    if not wanted or wanted[0] not in cycles or not cycles[wanted[0]].valid.any():
        raise BiomecError(f"{title} has no valid cycle, so that its loads cannot be compared over cycles.")
    chosen = cycles[wanted[0]]
    return np.asarray(chosen.spans)[np.asarray(chosen.valid)]
