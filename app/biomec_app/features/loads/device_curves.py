"""Curves of devices: torques of person and orthosis, misalignment and forces of cuffs, forces of crutches."""

from __future__ import annotations

from collections.abc import Iterator

from biomec.pipeline.analysis import Analysis
from biomec_app.curves.curve import AXES as LABORATORY
from biomec_app.curves.curve import Curve, along, capital, column, side_of_name
from biomec_app.features.loads.readings import has_loads

DEVICES = "Devices"
SHARES = (("total", "person and device"), ("person", "person"), ("device", "device"))
LIMB_AXES = ("forward", "up", "right")
STEP = "loads"


def devices(analysis: Analysis) -> Iterator[Curve]:
    """All of them; none where nobody wears a device."""
    if not has_loads(analysis):
        return
    yield from _torques(analysis)
    yield from _cuffs(analysis)
    yield from _tips(analysis)


def _torques(analysis: Analysis) -> Iterator[Curve]:
    time = analysis.session.dynamic.time_s
    for share in analysis.loads.devices.shares:
        side, stem = side_of_name(share.joint)
        for key, words in SHARES:
            yield Curve(
                f"device torque/{key}/{share.joint}/{share.axis}", DEVICES, capital(stem), side,
                f"{share.axis} torque, {words}", f"{share.joint} {share.axis} torque, {words}", "N·m",
                column(time, getattr(share, key)), f"{capital(stem)} and its device",
                f"torque about the axis of {share.axis}, {words}", step=STEP, least=5.0, joint=share.joint,
            )  # fmt: skip
        yield Curve(
            f"device angle/{share.joint}/{share.axis}", DEVICES, capital(stem), side, "angle of the device",
            f"{share.joint}, angle of the device", "°", column(time, share.angle, scale=57.29577951308232),
            f"{capital(stem)} and its device", "angle of the device", step=STEP, least=2.0,
        )  # fmt: skip


def _cuffs(analysis: Analysis) -> Iterator[Curve]:
    time = analysis.session.dynamic.time_s
    for cuff in analysis.loads.devices.cuffs:
        side, stem = side_of_name(cuff.name)
        limb = side_of_name(cuff.segments[0])[1]
        for k, axis in enumerate(LIMB_AXES):
            yield Curve(
                f"cuff gap/{cuff.name}/{axis}", DEVICES, capital(stem), side, f"misalignment {axis}",
                f"{cuff.name}, misalignment {axis}", "mm", column(time, cuff.gap, k, scale=1e3), capital(stem),
                f"device against the {limb}, {axis}", step=STEP, least=2.0,
            )  # fmt: skip
            yield Curve(
                f"cuff force/{cuff.name}/{axis}", DEVICES, capital(stem), side, f"force {axis}",
                f"{cuff.name}, force {axis}", "N", column(time, cuff.force, k), capital(stem),
                f"force on the {limb}, {axis}", step=STEP, least=5.0,
            )  # fmt: skip


def _tips(analysis: Analysis) -> Iterator[Curve]:
    aids, time = analysis.loads.aids, analysis.session.dynamic.time_s
    if aids is None:
        return
    for k, device in enumerate(aids.devices):
        side, stem = side_of_name(device)
        for i, axis in enumerate(LABORATORY):
            yield Curve(
                f"aid force/{device}/{axis[0]}", DEVICES, capital(stem), side, f"force {axis[0]}",
                f"{device}, force {axis[0]} at the tip", "N", column(time, aids.loads.force, k, i), capital(stem),
                f"force of the floor on the tip, {along(axis)}", step=STEP, least=10.0,
            )  # fmt: skip
