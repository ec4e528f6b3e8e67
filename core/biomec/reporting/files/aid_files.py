"""Questions about aids in files: what joints bear with others, and springs that were fitted to a moment."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from biomec.base.toml_table import written
from biomec.body.anatomy.model import SpringDefinition
from biomec.body.anatomy.model_devices import HINGE
from biomec.body.loads.aid_what_if import AidComparison, AidResult, JointBurden
from biomec.body.loads.device_calibration import DeviceCalibration
from biomec.body.loads.device_loads import device_columns
from biomec.pipeline.analysis import Analysis
from biomec.reporting.tables import by_frame, plain_number, table_text


def burden_rows(results: Sequence[AidResult], words: Sequence[str] = ()) -> dict[str, dict[str, JointBurden]]:
    """Joint -> variant -> what it bears; only joints with one of the words, if there are any."""
    if not results:
        return {}
    joints = [one.joint for one in results[0].burdens]
    chosen = [joint for joint in joints if not words or any(word in joint for word in words)]
    return {joint: {one.variant.title: one.burden(joint) for one in results} for joint in chosen}


def what_if_files(analysis: Analysis, found: AidComparison) -> dict[str, str]:
    """File -> text: largest torques and forces, their curves frame by frame, and all of it for programs."""
    results = found.results
    rows = burden_rows(results)
    head = [(joint, title) for joint, by in rows.items() for title in by]
    values = [
        (one.torque_Nm, one.torque_rms_Nm, one.device_Nm, one.force_N) for by in rows.values() for one in by.values()
    ]
    columns = ["joint", "variant", "person_max_Nm", "person_rms_Nm", "device_max_Nm", "force_max_N"]
    told = {
        "variants": [
            {"title": one.variant.title, "notices": [notice.sentence for notice in one.notices]} for one in results
        ],
        "unanswered": [{"title": one.variant.title, "reason": one.sentence} for one in found.unanswered],
        "joints": {
            joint: {title: _burden(one) for title, one in by.items()} for joint, by in rows.items()
        },
    }  # fmt: skip
    return {
        "aids_what_if.csv": table_text(columns, head, np.array(values).reshape(len(head), 4)),
        "aids_what_if_curves.csv": _curves(analysis, results),
        "aids_what_if.json": json.dumps(told, indent=2, ensure_ascii=False, allow_nan=False) + "\n",
    }


def _curves(analysis: Analysis, results: Sequence[AidResult]) -> str:
    names: list[str] = []
    parts = []
    for one in results:
        names += [f"{one.variant.title}: {joint}, torque of the person (N·m)" for joint in one.loads.joints]
        parts.append(one.person_torque)
        worn, values = device_columns(one.devices)
        if worn:
            names += [f"{one.variant.title}: {name}" for name in worn]
            parts.append(values)
    return table_text(["frame", "time_s", *names], by_frame(analysis.signals.trial), np.concatenate(parts, axis=1))


def _burden(one: JointBurden) -> dict[str, Any]:
    return {
        "person_max_Nm": plain_number(one.torque_Nm),
        "person_rms_Nm": plain_number(one.torque_rms_Nm),
        "device_max_Nm": plain_number(one.device_Nm),
        "force_max_N": plain_number(one.force_N),
    }


def calibration_files(analysis: Analysis, found: DeviceCalibration) -> dict[str, str]:
    """File -> text: moments before and after, numbers for programs, and the springs for a model file."""
    before, after = found.rmse
    trial = analysis.signals.trial
    head = by_frame(trial)[found.frames]
    moments = np.stack([found.measured, found.before, found.after], axis=1)
    told = {
        "spring": found.lock,
        "sentence": found.sentence,
        "rmse_before_Nm": plain_number(before),
        "rmse_after_Nm": plain_number(after),
        "fitted": [
            {"name": one.name, "unit": one.unit, "before": plain_number(one.before), "after": plain_number(one.after),
             "standard_error": plain_number(one.error)}
            for one in found.fitted
        ],
        "notices": [notice.sentence for notice in found.notices],
    }  # fmt: skip
    changed = [spring for spring in found.person.springs if spring.name in found.changes]
    columns = ["frame", "time_s", "measured_Nm", "before_Nm", "after_Nm"]
    return {
        "device_calibration.csv": table_text(columns, head, moments),
        "device_calibration.json": json.dumps(told, indent=2, ensure_ascii=False, allow_nan=False) + "\n",
        "springs.toml": "\n".join(_spring(one) for one in changed),
    }


def _spring(spring: SpringDefinition) -> str:
    """A row for a model file: springs of the same name in a file with a base take the place of the base's."""
    lines = ["[[spring]]", f"name = {written(spring.name)}", f"type = {written(spring.kind)}"]
    unit, damper = ("nm_per_rad", "nms_per_rad") if spring.kind == HINGE else ("n_per_m", "ns_per_m")
    if spring.kind == HINGE:
        lines += [f"joint = {written(spring.joint)}", f"axis = {written(spring.axis)}"]
        lines += [f"supports = {written(spring.supports)}"] if spring.supports != spring.joint else []
    elif spring.kind == "cuff":
        owners, point = [end.partition(".")[0] for end in (spring.first, spring.second)], spring.first.partition(".")[2]
        lines += [f"between = [{', '.join(written(one) for one in owners)}]", f"point = {written(point)}"]
    else:
        lines.append(f"between = [{', '.join(written(one) for one in (spring.first, spring.second))}]")
    lines.append(f"stiffness_{unit} = {spring.stiffness:.6g}")
    if spring.damping:
        lines.append(f"damping_{damper} = {spring.damping:.6g}")
    if spring.free is not None:
        free = f"free_deg = {np.degrees(spring.free):.6g}" if spring.kind == HINGE else f"free_m = {spring.free:.6g}"
        lines.append(free)
    if spring.acts != "both":
        lines.append(f"acts = {written(spring.acts)}")
    return "\n".join(lines) + "\n"
