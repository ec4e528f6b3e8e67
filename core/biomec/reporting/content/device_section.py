"""What a report says about crutches and orthoses: what they weigh, what they carry, and what is left to the person."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.frame_map import listed
from biomec.reporting.files.device_files import has_devices
from biomec.reporting.tables import NOTHING, Section, Table, number

DEVICES = "Crutches and orthoses"
MM = 1e3


def device_section(analysis: Analysis) -> Section | None:
    """Devices, torques of person and device, cuffs and crutches; None where nobody wears a device."""
    if not has_devices(analysis):
        return None
    person = analysis.body.person
    names = [device.name for device in person.devices]
    names += [one.name for one in person.segments if one.given is not None and not one.replaces]
    prostheses = [one for one in person.segments if one.given is not None and one.replaces]
    sentences = []
    if names:
        mass = number(person.device_kg, 1, "kg")
        sentences.append(f"{listed(names)}: {mass} together, which is not part of the person's mass.")
    if prostheses:
        mass = number(sum(one.given.mass for one in prostheses if one.given is not None), 1, "kg")
        sentences.append(f"Prosthesis ({listed([one.name for one in prostheses])}): {mass}, part of the person's mass.")
    tables = [one for one in (_torques(analysis), _cuffs(analysis), _crutches(analysis)) if one is not None]
    return Section(DEVICES, tuple(one[0].upper() + one[1:] for one in sentences), tuple(tables))


def _range(values: FloatArray) -> str:
    known = values[np.isfinite(values)]
    return f"{number(float(known.min()), 0)} to {number(float(known.max()), 0)}" if known.size else NOTHING


def _torques(analysis: Analysis) -> Table | None:
    rows = []
    for share in analysis.loads.devices.shares:
        parts: Mapping[str, FloatArray] = {"all": share.total, "person": share.person, "device": share.device}
        name = f"{share.joint} {share.axis}"
        rows.append((name[0].upper() + name[1:], *(_range(one) for one in parts.values()), listed(list(share.springs))))
    if not rows:
        return None
    note = (
        "About the axis of the springs, proximal on distal. Device: by the law of its springs and the measured angle. "
        "Person: what inverse dynamics leaves to the person."
    )
    columns = ("Joint", "Together [N·m]", "Person [N·m]", "Device [N·m]", "Springs")
    return Table("Torque of person and device", columns, tuple(rows), note)


def _cuffs(analysis: Analysis) -> Table | None:
    rows = [
        (
            cuff.name[0].upper() + cuff.name[1:],
            " and ".join(cuff.segments),
            number(float(np.nanmax(MM * np.linalg.norm(cuff.gap, axis=1))), 1),
            number(float(np.nanmax(np.linalg.norm(cuff.force, axis=1))), 0),
        )
        for cuff in analysis.loads.devices.cuffs
        if np.isfinite(cuff.gap).any()
    ]
    if not rows:
        return None
    columns = ("Cuff", "Between", "Largest misalignment [mm]", "Largest force [N]")
    return Table("Misalignment of device and limb", columns, tuple(rows))


def _crutches(analysis: Analysis) -> Table | None:
    aids = analysis.loads.aids
    if aids is None or not aids.devices:
        return None
    weight = float(np.linalg.norm(analysis.body.person.system.gravity)) * float(analysis.body.person.measures["mass"])
    rows = []
    for k, device in enumerate(aids.devices):
        size = np.linalg.norm(aids.loads.force[:, k], axis=1)
        share = f"{number(100.0 * float(size.max()) / weight, 0)} %"
        rows.append(
            (device[0].upper() + device[1:], number(float(size.max()), 0), share, number(float(size.mean()), 0))
        )
    columns = ("Crutch", "Largest force [N]", "of body weight", "Mean [N]")
    return Table("Measured forces of the crutches", columns, tuple(rows))
