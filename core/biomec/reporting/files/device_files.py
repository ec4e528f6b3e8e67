"""Devices of an analysis in its files: torques of orthoses apart from the person's, cuffs, forces of crutches."""

from __future__ import annotations

from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.body.loads.device_loads import DeviceLoads, device_columns
from biomec.pipeline.analysis import Analysis
from biomec.reporting.tables import by_frame, plain_number, table_text

DEVICES_CSV = "devices.csv"


def has_devices(analysis: Analysis) -> bool:
    """Whether somebody's loads were computed with devices on."""
    return "loads" in analysis.done and bool(analysis.body.person.devices or analysis.loads.devices)


def devices_csv(analysis: Analysis) -> str:
    """Angles and torques of braces, the person's beside them, gaps and forces of cuffs, forces at crutch tips."""
    loads = analysis.loads
    names, values = device_columns(loads.devices)
    columns, parts = list(names), [values] if names else []
    aids = loads.aids
    for k, device in enumerate(() if aids is None else aids.devices):
        assert aids is not None
        columns += [f"{device}, force at the tip {axis} (N)" for axis in "XYZ"]
        parts.append(aids.loads.force[:, k])
    data = np.concatenate(parts, axis=1) if parts else np.zeros((analysis.signals.trial.frames, 0))
    return table_text(["frame", "time_s", *columns], by_frame(analysis.signals.trial), data)


def devices_summary(analysis: Analysis) -> dict[str, Any] | None:
    """Devices, their springs, and the largest torques, forces and misalignments; None where there are none."""
    if not has_devices(analysis):
        return None
    person, loads = analysis.body.person, analysis.loads
    aids = loads.aids
    return {
        "devices": [device.name for device in person.devices],
        "mass_kg": plain_number(person.device_kg),
        "springs": [spring.name for spring in person.springs],
        "torques": _shares(loads.devices),
        "cuffs": {
            cuff.name: {
                "misalignment_max_mm": _largest(1e3 * np.linalg.norm(cuff.gap, axis=1)),
                "force_max_N": _largest(np.linalg.norm(cuff.force, axis=1)),
            }
            for cuff in loads.devices.cuffs
        },
        "crutches": {
            device: {"force_max_N": _largest(np.linalg.norm(aids.loads.force[:, k], axis=1))}
            for k, device in enumerate(() if aids is None else aids.devices)
            if aids is not None
        },
    }


def _shares(devices: DeviceLoads) -> dict[str, Any]:
    return {
        f"{share.joint} {share.axis}": {
            f"{who}_{what}_Nm": plain_number(float(of(getattr(share, who))))
            for who in ("total", "person", "device")
            for what, of in (("max", np.nanmax), ("min", np.nanmin))
        }
        for share in devices.shares
        if np.isfinite(share.total).any()
    }


def _largest(values: FloatArray) -> float | None:
    known = values[np.isfinite(values)]
    return plain_number(float(known.max())) if known.size else None
