"""What residual reduction changed: residual before and after, masses, loads of the joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from biomec.body.loads.residual_reduction import READABLE, ReducedResiduals
from biomec.body.loads.residuals import Residuals
from biomec.reporting.tables import NOTHING, Section, Table, number, plain_number

MM, PERCENT = 1e3, 100.0
SIZES = (("force_rms", "N"), ("force_peak", "N"), ("torque_rms", "Nm"), ("torque_peak", "Nm"))
SMALLEST = 0.05  # N, N m: what is less would be written as zero


def reduction_facts(reduced: ReducedResiduals | None) -> dict[str, Any] | None:
    """Residual before and after and the largest changes, as plain data; None where nothing was asked to be reduced."""
    if reduced is None:
        return None
    facts: dict[str, Any] = {
        f"residual_{name}_{unit}": {
            when: plain_number(getattr(one, name)[3])
            for when, one in (("before", reduced.before), ("after", reduced.after))
        }
        for name, unit in SIZES
    }
    segments, change = reduced.segments, reduced.change
    facts["mass_kg"] = {
        when: sum(getattr(one, f"mass_{when}") for one in segments) if segments else float(reduced.motion.mass.sum())
        for when in ("before", "after")
    }
    facts["largest_mass_change"] = _largest({one.segment: one.mass_after - one.mass_before for one in segments}, "kg")
    facts["largest_centre_shift"] = _largest(
        {one.segment: MM * float(np.linalg.norm(one.centre_shift)) for one in segments}, "mm"
    )
    facts["landmark_shift_rms_mm"] = MM * reduced.marker_rms_m
    facts["landmark_shift_max_mm"] = MM * reduced.marker_largest_m
    facts["body_shift_max_mm"] = 0.0 if change is None else MM * change.shift_most
    facts["body_turn_max_deg"] = 0.0 if change is None else float(np.degrees(change.turn_most))
    facts["trunk_lean_max_deg"] = 0.0 if change is None else float(np.degrees(change.lean_most))
    facts["segments"] = {
        one.segment: {
            "mass_before_kg": one.mass_before,
            "mass_after_kg": one.mass_after,
            "centre_shift_mm": [MM * x for x in one.centre_shift],
        }
        for one in segments
    }
    return facts


def _largest(changes: dict[str, float], unit: str) -> dict[str, Any] | None:
    """Segment that was changed most, and by how much."""
    if not changes:
        return None
    segment = max(changes, key=lambda name: abs(changes[name]))
    return {"segment": segment, unit: changes[segment]}


def reduction_sections(reduced: ReducedResiduals) -> tuple[Section, ...]:
    """Residual before and after, and every change, in tables."""
    rows = []
    for name, unit in (("force_rms", "N"), ("force_peak", "N"), ("torque_rms", "N·m"), ("torque_peak", "N·m")):
        what, how = name.split("_")
        here = [float(getattr(one, name)[3]) for one in (reduced.before, reduced.after)]
        how = how.upper() if how == "rms" else how
        title = "Moment" if what == "torque" else what.capitalize()
        rows.append((f"{title}, {how} [{unit}]", _size(here[0]), _size(here[1])))
    rows += [(one.threshold.name, _kept(reduced.before, k), _kept(reduced.after, k))
             for k, one in enumerate(reduced.before.verdicts)]  # fmt: skip
    sentences = tuple(notice.sentence for notice in reduced.notices if notice.code != "inertia-adjusted")
    sections = [Section("Residual", sentences, (Table("", ("Residual", "Before", "After"), tuple(rows)),))]
    if reduced.segments:
        lines = []
        for one in reduced.segments:
            shift = [number(MM * x, 1) for x in one.centre_shift]
            change = PERCENT * (one.mass_after - one.mass_before) / one.mass_before if one.mass_before > 0.0 else np.nan
            lines.append(
                (one.segment, number(one.mass_before, 2), number(one.mass_after, 2), number(change, 1), *shift)
            )
        total = [sum(getattr(one, name) for one in reduced.segments) for name in ("mass_before", "mass_after")]
        share = PERCENT * (total[1] - total[0]) / total[0]
        lines.append(("whole body", number(total[0], 2), number(total[1], 2), number(share, 1), *(NOTHING,) * 3))
        columns = ("Segment", "Before [kg]", "After [kg]", "Change [%]", "X [mm]", "Y [mm]", "Z [mm]")
        note = "X, Y, Z: how far the centre of mass was moved, in the axes of the segment."
        sections.append(Section("Masses", (), (Table("", columns, tuple(lines), note),)))
    sections.append(Section("Joints", (), (_joint_table(reduced),)))
    return tuple(sections)


def _kept(size: Residuals, k: int) -> str:
    return "kept" if size.verdicts and size.verdicts[k].kept else "exceeded"


def _joint_table(reduced: ReducedResiduals) -> Table:
    """Greatest force and moment of every joint before and after, over the frames that count."""
    rows = []
    there = reduced.before.counted
    for j, joint in enumerate(reduced.loads.joints):
        cells = []
        for what, digits in (("force", 0), ("torque", 1)):
            peaks = [float(np.linalg.norm(getattr(one, what)[there, j], axis=1).max(initial=0.0))
                     for one in (reduced.loads_before, reduced.loads)]  # fmt: skip
            cells += [number(peak, digits) for peak in peaks]
        rows.append((joint.capitalize(), *cells))
    columns = ("Joint", "Force before [N]", "Force after [N]", "Moment before [N·m]", "Moment after [N·m]")
    return Table("", columns, tuple(rows), "Greatest size over the frames in which plates bear the whole body.")


def _size(value: float) -> str:
    """A residual; a small one with more digits, as far as anybody reads."""
    return number(value, 1) if not value < SMALLEST else number(value, 3) if value >= READABLE else f"< {READABLE:g}"
