"""Cycles in numbers: how long they are, and what every angle does in them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomec.analysis.angle_ranges import angle_range, angle_rows, cycle_curves
from biomec.analysis.report_table import Table, degrees, number
from biomec.kinematics.joint_angles import JointAngles
from biomec.signals.cycle_average import CycleCurves
from biomec.signals.cycles import Cycles


def cycle_table(cycles: Mapping[str, Cycles], first_frame: int = 1) -> Table:
    """Every cycle: frames, duration, where the phase changes, and whether it counts."""
    rows = []
    for name, one in cycles.items():
        parts = zip(one.spans, one.durations_s, one.phase_changes_percent, one.valid, strict=True)
        for k, ((first, last), seconds, phase, ok) in enumerate(parts, start=1):
            label = str(k) if name == "both" else f"{name.lower()} {k}"
            frames = f"{first_frame + int(first)} to {first_frame + int(last)}"
            rows.append((label, frames, number(float(seconds), 3), number(float(phase), 1), "yes" if ok else "no"))
    durations = np.concatenate([one.durations_s[one.valid] for one in cycles.values()]) if cycles else np.empty(0)
    note = "No cycles were found."
    if durations.size:
        spread = number(float(durations.std(ddof=1)), 3) if durations.size > 1 else "–"
        note = f"Duration of the {durations.size} valid cycles: {number(float(durations.mean()), 3)} ± {spread} s."
    elif rows:
        note = "No cycle is valid throughout."
    return Table("Cycles", ("Cycle", "Frames", "Duration [s]", "Phase changes at [%]", "Valid"), tuple(rows), note)


def angle_table(angles: JointAngles, curves: Mapping[str, CycleCurves]) -> Table:
    """Every angle over its valid cycles: mean lowest and highest, range ± SD, and mean SD of the curve [°].

    The last column is the mean over 0-100 % of the standard deviation between cycles: how well they repeat.
    """
    rows = []
    for row in angle_rows(angles):
        for side, name in row.sides.items():
            found = angle_range(angles, name, curves, side)
            chosen = cycle_curves(curves, side)
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
                    str(found.cycles),
                )
            )
    columns = ("Angle", "Lowest [°]", "Highest [°]", "Range [°]", "SD of range [°]", "SD of curve [°]", "Cycles")
    note = "Means over the valid cycles." if curves else "Over all valid frames; there are no valid cycles."
    return Table("Angles", columns, tuple(rows), note)
