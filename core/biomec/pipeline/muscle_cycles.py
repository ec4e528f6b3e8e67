"""Cycles that count for muscles: those that count for the loads of every joint that a muscle crosses.

A muscle that shares a guessed or unknown torque has a guessed or unknown activation, so that its mean over such cycles,
and its timing, say nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from biomec.base.frozen import FrozenDict
from biomec.body.muscles.emg_comparison import TimingAgreement, usual_timing
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.load_cycles import cycles_of_joint
from biomec.signals.cycles import Cycles

FOOT_OFF = "foot off"
SIDES = ("right", "left")
BOTH = "both"


def cycles_of_muscles(analysis: Analysis, muscles: Sequence[str]) -> Mapping[str, Cycles]:
    """The groups of cycles as they count for some muscles together."""
    crossed = analysis.muscles.model.crossed_joints
    joints = tuple(dict.fromkeys(joint for name in muscles for joint in crossed.get(name, ())))
    known = analysis.derived(_by_joints)
    if joints not in known:
        known[joints] = cycles_of_joints(analysis, joints)
    return known[joints]


def _by_joints(_: Analysis) -> dict[tuple[str, ...], Mapping[str, Cycles]]:
    """Joints -> the cycles that count for all of them, filled as somebody asks."""
    return {}


def cycles_of_joints(analysis: Analysis, joints: Sequence[str]) -> Mapping[str, Cycles]:
    """The groups of cycles as they count for all of some joints: a cycle that one of them leaves out does not count."""
    found = dict(analysis.cycles.groups)
    for joint in joints:
        for name, cycles in cycles_of_joint(analysis, joint).items():
            known = found[name]
            left_out = FrozenDict({**known.left_out, **cycles.left_out})
            found[name] = replace(known, left_out=left_out, source=known.source or cycles.source)
    return FrozenDict(found)


def cycles_of_side(analysis: Analysis, muscles: Sequence[str], side: str) -> Cycles | None:
    """Cycles over which muscles of a side ("right", "left", "" for neither) are averaged; None without any."""
    if "cycles" not in analysis.done:
        return None
    groups = cycles_of_muscles(analysis, muscles)
    return groups.get((side or SIDES[0]).capitalize()) or groups.get(BOTH)


def foot_off_of(cycles: Cycles | None) -> float | None:
    """Mean foot off of the valid cycles [%]; None for movements without steps."""
    if cycles is None or cycles.phase != FOOT_OFF or not cycles.valid.any():
        return None
    found = cycles.phase_changes_percent[cycles.valid]
    return float(np.nanmean(found)) if np.isfinite(found).any() else None


def muscle_timing(analysis: Analysis) -> tuple[TimingAgreement, ...]:
    """Computed activity over the gait cycles of each side beside the usual one, in the order of the table of muscles.

    Empty for movements without steps; muscles without a cycle whose loads were measured have no row.
    """
    if "cycles" not in analysis.done or analysis.cycles.phase != FOOT_OFF:
        return ()
    found, table = analysis.muscles, analysis.settings.emg.table
    rows: list[TimingAgreement] = []
    for side in SIDES:
        group = analysis.cycles.groups.get(side.capitalize())
        if group is None:
            continue

        def spans(muscles: Sequence[str], side: str = side) -> list[tuple[int, int]]:
            cycles = cycles_of_side(analysis, muscles, side)
            if cycles is None or cycles.source:  # what rests on an estimate is no evidence about timing
                return []
            return [(int(a), int(b)) for a, b in cycles.spans[cycles.valid] if b < found.forces.frames]

        rows += usual_timing(found.forces, found.fitted.muscles, table, side, spans, foot_off_of(group))
    return tuple(sorted(rows, key=lambda one: table.names.index(one.muscle)))
