"""Cycles in numbers: how long they are, and what every angle does in them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomec.body.kinematics.joint_angles import JointAngles
from biomec.reporting.statistics.angle_ranges import CYCLES_OF, angle_range, angle_rows, cycle_curves
from biomec.reporting.statistics.signal_cycles import BY_HAND, NOT_CONVERGED, cycles_in_words, left_out
from biomec.reporting.tables import Table, degrees, number
from biomec.signals.cycle_average import CycleCurves
from biomec.signals.cycles import Cycles


def cycle_table(cycles: Mapping[str, Cycles], first_frame: int = 1) -> Table:
    """Every cycle: frames, duration, where the phase changes, and whether it counts. Sides are told apart."""
    rows = []
    for name, one in cycles.items():
        parts = zip(one.spans, one.durations_s, one.phase_changes_percent, one.valid, strict=True)
        for k, ((first, last), seconds, phase, ok) in enumerate(parts, start=1):
            label = str(k) if name == "both" else f"{name.lower()} {k}"
            frames = f"{first_frame + int(first)} to {first_frame + int(last)}"
            why = BY_HAND if int(first) in one.excluded else NOT_CONVERGED
            counts = "yes" if ok else f"no, {why}"
            rows.append((label, frames, number(float(seconds), 3), number(float(phase), 1), counts))
    note = " ".join(_durations(name, one) for name, one in cycles.items() if len(one)) or "No cycles were found."
    return Table("Cycles", ("Cycle", "Frames", "Duration [s]", "Phase changes at [%]", "Valid"), tuple(rows), note)


def _durations(name: str, cycles: Cycles) -> str:
    """Mean and standard deviation of the valid cycles of one side, in a sentence."""
    whose = "" if name == "both" else f"{name} side: "
    durations = cycles.durations_s[cycles.valid]
    told = cycles_in_words(durations.size, left_out(cycles, durations.size))
    if not durations.size:
        return _sentence(f"{whose}no cycle is valid throughout ({told}).")
    spread = number(float(durations.std(ddof=1)), 3) if durations.size > 1 else "–"
    return _sentence(f"{whose}a cycle lasts {number(float(durations.mean()), 3)} ± {spread} s (mean ± SD of {told}).")


def _sentence(words: str) -> str:
    return words[0].upper() + words[1:]


def angle_table(angles: JointAngles, curves: Mapping[str, CycleCurves]) -> Table:
    """Every angle over its valid cycles: mean lowest and highest, range ± SD, and mean SD of the curve [°].

    An angle of a side is judged by the cycles of that side, and one of the midline by those of one side, which are
    named: cycles of right and left are never mixed.
    The column before the last is the mean over 0-100 % of the standard deviation between cycles: how well they repeat.
    """
    rows = []
    for row in angle_rows(angles):
        for side, name in row.sides.items():
            found = angle_range(angles, name, curves, side)
            chosen = cycle_curves(curves, side)
            whose = next((one for one in CYCLES_OF[side] if one in curves), "")
            repeats = float("nan")
            if chosen is not None:
                sd = chosen.sd[:, angles.names.index(name)]
                repeats = float(sd[np.isfinite(sd)].mean()) if np.isfinite(sd).any() else float("nan")
            rows.append(
                (
                    name[0].upper() + name[1:],
                    degrees(found.lowest),
                    degrees(found.highest),
                    degrees(found.range),
                    degrees(found.spread),
                    degrees(repeats),
                    f"{found.cycles} {whose.lower()}"
                    if whose in ("Right", "Left") and found.cycles
                    else str(found.cycles),
                )
            )
    columns = ("Angle", "Lowest [°]", "Highest [°]", "Range [°]", "SD of range [°]", "SD of curve [°]", "Cycles")
    note = (
        "Means over the valid cycles, of each side its own."
        if curves
        else "Over all valid frames; there are no valid cycles."
    )
    return Table("Angles", columns, tuple(rows), note)
