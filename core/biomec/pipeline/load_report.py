"""What a report says about the loads of the joints: how far to trust them, and how large they were."""

from __future__ import annotations

import numpy as np

from biomec.analysis.report_table import NOTHING, Section, Table, facts, number, power
from biomec.arrays import FloatArray
from biomec.dynamics.joint_loads import largest_difference
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.load_output import CONVENTION

LOADS = "Joint loads"
WORDS = {"good": "They can be used.", "check": "Look at them with care.", "poor": "They are not to be relied upon."}
GRAVITY = 9.81  # m/s²
RIGHT, LEFT = "right ", "left "


def loads_section(analysis: Analysis) -> Section:
    """Trust first, then peaks of every joint on both sides."""
    found = analysis.loads
    trust, loads = found.trust, found.carried
    external = found.external
    contacts = list(dict.fromkeys(external.segments))
    share = 100.0 * float(external.estimated.mean()) if external.frames else 0.0
    about: dict[str, str | None] = {
        "Methods": f"{found.newton_euler.method} and {found.multibody.method}",
        "They differ by": None,
        "Loads told here": f"{loads.method}: the ribs bear the scapulae" if loads.contacts else None,
        "External forces on": ", ".join(contacts) or "nobody",
        "Frames with an estimated ground reaction": number(share, 0, "%"),
        "Residual on": f"{loads.root}, over {int(trust.residuals.counted.sum())} frames",
    }
    if not found.multibody.contacts:
        force, torque = largest_difference(loads, found.multibody)
        about["They differ by"] = f"{power(force)} N and {power(torque)} N·m at most"
    weighed = trust.balance.plates_kg
    about["Mass by the plates and of the model"] = (
        None if weighed is None else f"{number(weighed, 1)} and {number(trust.balance.model_kg, 1, 'kg')}"
    )
    tables = [facts("", about), *_residual(analysis), *_peaks(analysis)]
    return Section(LOADS, (trust.verdict, WORDS[trust.level]), tuple(tables))


def _residual(analysis: Analysis) -> list[Table]:
    size = analysis.loads.trust.residuals
    if not size.verdicts:
        return []
    found = (size.force_rms[3], size.force_peak[3], size.torque_rms[3], size.torque_peak[3])
    rows = [("Here", *(number(float(value), 1) for value in found), "")]
    for one in size.verdicts:
        limit = one.threshold
        limits = (limit.force_rms, limit.force_peak, limit.torque_rms, limit.torque_peak)
        kept = "kept" if one.kept else "exceeded"
        rows.append((f"Limit of {limit.name}", *(number(value, 0) for value in limits), kept))
    columns = ("Residual", "Force, RMS [N]", "peak", "Torque, RMS [N·m]", "peak", "")
    return [Table("Residual against published limits", columns, tuple(rows))]


def _peaks(analysis: Analysis) -> list[Table]:
    found = analysis.loads
    loads = found.carried
    weight = GRAVITY * float(analysis.loaded.body.measures["mass"])
    columns = {
        joint: (
            _largest(np.linalg.norm(loads.force[:, j], axis=1)),
            _largest(np.linalg.norm(loads.torque[:, j], axis=1)),
            _largest(found.power.joint[:, j]),
            -_largest(-found.power.joint[:, j]),
        )
        for j, joint in enumerate(loads.joints)
    }
    both, middle = [], []
    for joint in reversed(loads.joints):
        if joint.startswith(LEFT) and joint.replace(LEFT, RIGHT, 1) in columns:
            continue
        if joint.startswith((RIGHT, LEFT)):
            name = joint.split(" ", 1)[1]
            sides = [_cells(columns.get(f"{side}{name}"), weight) for side in (RIGHT, LEFT)]
            both.append((name.capitalize(), *sides[0], *sides[1]))
        else:
            middle.append((joint.capitalize(), *_cells(columns[joint], weight)))
    side = ("Force [N]", "[% weight]", "Moment [N·m]", "Power [W]")
    note = f"{CONVENTION} Greatest size over the frames with a motion; power: greatest and least."
    tables = [Table("Peaks, right and left", ("Joint", *side, *side), tuple(both), note)] if both else []
    if middle:
        tables.append(Table("Peaks, trunk and head", ("Joint", *side), tuple(middle), "" if both else note))
    return tables


def _cells(peaks: tuple[float, float, float, float] | None, weight: float) -> tuple[str, str, str, str]:
    if peaks is None:
        return NOTHING, NOTHING, NOTHING, NOTHING
    force, torque, high, low = peaks
    share, powers = number(100.0 * force / weight, 0), f"{number(high, 0)} / {number(low, 0)}"
    return number(force, 0), share, number(torque, 1), powers


def _largest(values: FloatArray) -> float:
    there = values[np.isfinite(values)]
    return float(there.max()) if there.size else float("nan")
