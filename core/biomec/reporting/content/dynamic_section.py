"""What dynamically consistent motion changed: residual, motion, angles, joint moments, forces; before and after."""

from __future__ import annotations

from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.body.loads.dynamic_motion import DynamicChange
from biomec.body.loads.residual_reduction import ReducedResiduals
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.consistent_angles import consistent_angles
from biomec.reporting.content.reduction_section import reduction_facts, reduction_sections
from biomec.reporting.tables import Section, Table, by_frame, number, plain_number, table_text
from biomec.signals.stretches import stretches

MM = 1e3
STATUS = ("measured", "soft end", "consistent", "hurried")


def change_sections(analysis: Analysis) -> tuple[Section, ...]:
    """What residual reduction changed, in the tables that suit it; nothing where nothing was reduced."""
    reduced = analysis.loads.reduced
    if reduced is None:
        return ()
    return reduction_sections(reduced) if reduced.dynamics is None else dynamic_sections(analysis)


def change_facts(analysis: Analysis) -> dict[str, Any] | None:
    """The same as plain data."""
    reduced = analysis.loads.reduced
    return reduction_facts(reduced) if reduced is None or reduced.dynamics is None else dynamic_facts(analysis)


def dynamic_sections(analysis: Analysis) -> tuple[Section, ...]:
    """Residual, segments, angles, moments and forces, in tables; nothing if the motion was not made consistent."""
    reduced = analysis.loads.reduced
    if reduced is None or reduced.dynamics is None:
        return ()
    change = reduced.dynamics
    first, *others = reduction_sections(reduced)
    sections = [first, Section("Segments", (), (_segments(change),)), Section("Angles", (), (_angles(analysis),))]
    sections.append(Section("Moments", (), (_moments(reduced),)))
    if change.force_most > 0.0:
        sections.append(Section("Forces", (), (_forces(reduced),)))
    return (*sections, *(one for one in others if one.title == "Masses"))


def dynamic_facts(analysis: Analysis) -> dict[str, Any]:
    """The same as plain data: `reduction_facts`, and what moved, turned and changed."""
    reduced = analysis.loads.reduced
    facts = reduction_facts(reduced)
    assert reduced is not None  # who asks has made the motion consistent
    assert facts is not None
    change, base = reduced.dynamics, analysis.signals.trial.first_frame
    assert change is not None
    names, sizes = angle_changes(analysis)
    turned = np.degrees(np.stack([change.turn_rms, change.turn_most]))
    place = MM * np.stack([change.place_rms, change.place_most])
    loads = moment_changes(reduced)
    return {
        **facts,
        "trust": reduced.options.dynamics.trust if reduced.options.dynamics is not None else None,
        "frames": [[base + a, base + b - 1] for a, b in stretches(change.consistent).tolist()],
        "steps": change.steps,
        "share_along_consistent_motions": change.slack,
        "frames_left_out": int(change.hurried.sum()),
        "place_rms_mm": MM * change.place_rms_m,
        "turn_rms_deg": float(np.degrees(change.turn_rms_rad)),
        "segments_moved": {
            name: {"rms_mm": place[0, k], "most_mm": place[1, k], "rms_deg": turned[0, k], "most_deg": turned[1, k]}
            for k, name in enumerate(change.segments)
        },
        "angles_deg": {
            name: {"rms": plain_number(rms), "most": plain_number(most)}
            for name, (rms, most) in zip(names, np.degrees(sizes).tolist(), strict=True)
        },
        "moments_Nm": {
            name: {"rms_change": rms, "peak_before": before, "peak_after": after}
            for name, (rms, before, after) in zip(reduced.loads.joints, loads.tolist(), strict=True)
        },
        "force_change_max_N": change.force_most,
        "moment_change_max_Nm": change.moment_most,
        "stopped_at_limits": change.stopped,
    }


def consistent_csv(analysis: Analysis) -> str | None:
    """One row a frame: residual before and after, and joint angles of the consistent motion; None if there is none."""
    reduced = analysis.loads.reduced
    if reduced is None or reduced.dynamics is None:
        return None
    change = reduced.dynamics
    names = [
        f"residual {what} {axis} {when} ({unit})"
        for when in ("before", "after")
        for what, unit in (("force", "N"), ("moment", "N m"))
        for axis in "XYZ"
    ]
    found = consistent_angles(analysis)
    columns = [
        part for one in (reduced.loads_before, reduced.loads) for part in (one.residual_force, one.residual_torque)
    ]
    status = change.changed.astype(int) + change.consistent
    if not change.changed.any():  # the forces alone were changed
        status = 2 * change.consistent
    status = np.where(change.hurried, 3, status)
    rows = [[*head, STATUS[int(code)]] for head, code in zip(by_frame(analysis.signals.trial), status, strict=True)]
    heads = ["frame", "time_s", "motion", *names, *(f"{name} (deg)" for name in found.names)]
    return table_text(heads, rows, np.concatenate([*columns, np.degrees(found.values)], axis=1))


def angle_changes(analysis: Analysis) -> tuple[tuple[str, ...], FloatArray]:
    """Names (A,) of angles and by how much they changed (A, 2): RMS and most, over the consistent frames [rad]."""
    reduced = analysis.loads.reduced
    assert reduced is not None
    assert reduced.dynamics is not None
    after = consistent_angles(analysis)
    difference = (after.values - analysis.angles.values)[reduced.dynamics.consistent]
    sizes = np.full((len(after.names), 2), np.nan)
    for k, column in enumerate(difference.T):
        known = column[np.isfinite(column)]
        if known.size:
            sizes[k] = np.sqrt((known**2).mean()), np.abs(known).max()
    return after.names, sizes


def moment_changes(reduced: ReducedResiduals) -> FloatArray:
    """(J, 3) of every joint over the consistent frames: RMS change of the moment, its peak before and after [N m]."""
    assert reduced.dynamics is not None
    there = reduced.dynamics.consistent
    before, after = (one.torque[there] for one in (reduced.loads_before, reduced.loads))
    change = np.sqrt(((after - before) ** 2).sum(axis=2).mean(axis=0))
    peaks = [np.linalg.norm(one, axis=2).max(axis=0) for one in (before, after)]
    return np.stack([change, *peaks], axis=1)


def _segments(change: DynamicChange) -> Table:
    rows = []
    for k, name in enumerate(change.segments):
        place = [number(MM * float(size[k]), 1) for size in (change.place_rms, change.place_most)]
        turn = [number(float(np.degrees(size[k])), 2) for size in (change.turn_rms, change.turn_most)]
        rows.append((name.capitalize(), *place, *turn))
    total = number(MM * change.place_rms_m, 1), number(float(np.degrees(change.turn_rms_rad)), 2)
    rows.append(("All", total[0], number(MM * float(change.place_most.max()), 1), total[1],
                 number(float(np.degrees(change.turn_most.max())), 2)))  # fmt: skip
    columns = ("Segment", "Moved, RMS [mm]", "Most [mm]", "Turned, RMS [°]", "Most [°]")
    return Table("", columns, tuple(rows), "Centres of mass and attitudes, over the consistent frames.")


def _angles(analysis: Analysis) -> Table:
    names, sizes = angle_changes(analysis)
    rows = tuple(
        (name.capitalize(), number(rms, 2), number(most, 2))
        for name, (rms, most) in zip(names, np.degrees(sizes).tolist(), strict=True)
    )
    return Table("", ("Angle", "Change, RMS [°]", "Most [°]"), rows, "Over the consistent frames.")


def _moments(reduced: ReducedResiduals) -> Table:
    rows = tuple(
        (joint.capitalize(), *(number(size, 1) for size in sizes))
        for joint, sizes in zip(reduced.loads.joints, moment_changes(reduced).tolist(), strict=True)
    )
    columns = ("Joint", "Change, RMS [N·m]", "Peak before [N·m]", "Peak after [N·m]")
    return Table("", columns, rows, "Size of the moment, over the consistent frames.")


def _forces(reduced: ReducedResiduals) -> Table:
    change = reduced.dynamics
    assert change is not None
    rows = []
    for k, segment in enumerate(reduced.external.segments):
        sizes = [float(np.linalg.norm(one[:, k], axis=1).max(initial=0.0)) for one in (change.force, change.moment)]
        if max(sizes) > 0.0:
            rows.append((segment.capitalize(), number(sizes[0], 1), number(sizes[1], 2)))
    note = "Largest change of what the ground does; one row a contact with a plate. The plates are trusted in part."
    return Table("", ("On the", "Force [N]", "Moment [N·m]"), tuple(rows), note)
