"""Forces of instrumented aids, such as crutches with strain gauges: one force at the centre of the tip, no moment.

Channels are found by their names (``right crutch Fx``, ``CRUTCH_L_Fz``) or named in the settings. They hold the force
of the floor on the tip, in axes of the device or of the laboratory; filters and frames are those of the force plates.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.fields import setting
from biomec.base.notices import Notice, info, warning
from biomec.body.anatomy.model import DeviceDefinition
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.engine.forces.external_loads import ExternalLoads, external_loads, no_loads
from biomec.recording import Analog, ForcePlate
from biomec.recording.limb_names import LEFT, RIGHT
from biomec.recording.marker_set import Side
from biomec.signals.filtering import FilterOptions, filter_plates
from biomec.signals.plate_resampling import plate_at_frames

AIDS = frozenset({"crutch", "crutches", "stick", "cane", "muleta", "baston", "bastao", "stampella", "aid", "walker"})
FORCE_UNITS = ("N", "")  # of channels: stated, or not
DEVICE, LABORATORY = "device", "laboratory"
COMPONENTS = 3
PUSHED_N = 20.0  # mean along the shaft below which nobody leans on a crutch
UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True)
class AidOptions:
    """Which channels hold the forces of instrumented aids.

    right, left : names of three channels each: x, y, z; empty: found by their names
    axes        : "device", the axes in which the model's file gives its mass, or "laboratory", those of the recording
    reversed    : the channels hold what the tip does to the floor
    newtons     : force for one unit of the channels [N]
    """

    right: tuple[str, ...] = setting(
        (),
        "Channels of the right aid",
        "Three analog channels: x, y, z. Empty: those called right crutch Fx and so on.",
    )
    left: tuple[str, ...] = setting(
        (), "Channels of the left aid", "Three analog channels: x, y, z. Empty: those called left crutch Fx and so on."
    )
    axes: str = setting(
        DEVICE, "Axes of the channels", "Strain gauges turn with the crutch.",
        choices={DEVICE: "of the device, as its model has them", LABORATORY: "of the laboratory"})  # fmt: skip
    reversed: bool = setting(False, "Reverse the forces", "The channels hold what the tip does to the floor.")
    newtons: float = setting(
        1.0, "Newtons a unit", "Calibration of the channels: 1 if they are in newtons, 1000 for kN, any for volts.",
        unit="N", least=0.0)  # fmt: skip

    def __post_init__(self) -> None:
        for name in ("right", "left"):
            names = tuple(getattr(self, name))
            object.__setattr__(self, name, names)
            if names and len(names) != COMPONENTS:
                raise BiomecError(
                    f"Instrumented aids: {name} names {len(names)} channels ({', '.join(names)}). Give three: the "
                    "force along x, y and z."
                )
        if not (np.isfinite(self.newtons) and self.newtons > 0.0):
            raise BiomecError(f"Instrumented aids: newtons a unit is {self.newtons:g}; it must be more than 0.")
        if self.axes not in (DEVICE, LABORATORY):
            raise BiomecError(f'Instrumented aids: axes is {DEVICE} or {LABORATORY}, not "{self.axes}".')


@dataclass(frozen=True, eq=False)
class MeasuredAids:
    """Measured forces of aids as loads of the segments that carry them.

    loads    : on these segments, at the tips, in the frames of the cameras
    devices  : (K,) names, in the order of the loads
    """

    loads: ExternalLoads
    devices: tuple[str, ...]
    notices: tuple[Notice, ...]


def aid_channels(analog: Analog | None, device: DeviceDefinition, options: AidOptions) -> tuple[str, ...]:
    """Three channels of a device, by the settings or by their names; none if there are none."""
    there = () if analog is None else analog.names
    given = options.left if device.side is Side.LEFT else options.right
    absent = [name for name in given if name not in there]
    if absent:
        raise BiomecError(
            f"The recording has no channel {', '.join(absent)}, which the settings name for the {device.name}. It has "
            f"{', '.join(there) or 'no analog channels'}. Correct Channels of the {device.side or 'right'} aid."
        )
    if given:
        return given
    found: dict[str, str] = {}
    units = () if analog is None else analog.units
    for name, unit in zip(there, units, strict=True):
        axis = _axis_of(name, unit, device)
        if axis:
            found.setdefault(axis, name)
    return tuple(found[axis] for axis in "xyz") if set(found) == set("xyz") else ()


def _axis_of(name: str, unit: str, device: DeviceDefinition) -> str:
    """Axis of a force that is named after an aid of the device's side, or an empty text, as for its acceleration."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
    words = set(re.findall(r"[a-z]+", spaced))
    sides = {Side.RIGHT: RIGHT, Side.LEFT: LEFT}
    mine = sides[device.side] if device.side is not None else frozenset[str]()
    other = frozenset[str]().union(*(known for side, known in sides.items() if side is not device.side))
    aid = words & AIDS or {word for word in words for known in AIDS if word[1:] == known and word[0] in "rl"}
    glued = {word[0] for word in words if word[1:] in AIDS and word[0] in "rl"}
    if not aid or not ((words | glued) & mine or not mine) or (words | glued) & other:
        return ""
    axis = re.search(r"(?:^|[^a-z])(f|force)?[_ .]?([xyz])(?:[^a-z]|$)", spaced)
    bare = unit in FORCE_UNITS and words <= aid | mine | glued | {"x", "y", "z"}
    return axis[2] if axis and (axis[1] or bare) else ""


def measured_aids(
    person: SubjectModel,
    analog: Analog | None,
    q: FloatArray,
    rate_hz: float,
    options: AidOptions = AidOptions(),
    filter: FilterOptions | None = None,
    to_biomec: FloatArray | None = None,
) -> MeasuredAids:
    """Forces of the aids of a person in the frames of the coordinates q (T, n), NaN where there is no motion.

    filter    : as of the force plates; None leaves the forces as recorded
    to_biomec : (3, 3) turns components in the axes of the recording into those of q; None if they are the same
    """
    tipped = [device for device in person.devices if device.tip]
    notices: list[Notice] = []
    loads, devices = [], []
    for device in tipped:
        channels = aid_channels(analog, device, options)
        if not channels or analog is None:
            notices.append(_unmeasured(device, analog))
            continue
        force = _in_laboratory(
            person, device, _at_frames(analog, channels, rate_hz, len(q), options, filter), q, options, to_biomec
        )
        notices += _doubts(device, channels, force)
        tip = person.system.layout.point(f"{device.on}.{device.tip}")(q)
        loads.append((device.on, tip, force))
        devices.append(device.name)
    if not loads:
        return MeasuredAids(no_loads(len(q)), (), tuple(notices))
    points, forces = (np.stack([one[k] for one in loads], axis=1) for k in (1, 2))
    found = external_loads([one[0] for one in loads], points, forces)
    return MeasuredAids(found, tuple(devices), tuple(notices))


def _at_frames(
    analog: Analog,
    channels: Sequence[str],
    rate_hz: float,
    frames: int,
    options: AidOptions,
    filter: FilterOptions | None,
) -> FloatArray:
    """Force (T, 3) at the frames [N]; like those of plates, means over the frames' intervals."""
    units = {name: unit for name, unit in zip(analog.names, analog.units, strict=True) if name in channels}
    odd = sorted({unit for unit in units.values() if unit not in FORCE_UNITS})
    if odd and options.newtons == 1.0:
        raise BiomecError(
            f"The channels {', '.join(channels)} are in {', '.join(odd)}, so they are not forces. Give the newtons a "
            "unit in the settings (Instrumented aids), or name other channels for the aid."
        )
    values = options.newtons * np.stack([analog[name] for name in channels], axis=1)
    plate = ForcePlate("aid", values, np.zeros_like(values), analog.rate_hz, np.zeros(3), UP, start_s=analog.start_s)
    if filter is not None:
        (plate,) = filter_plates((plate,), filter).plates
    return plate_at_frames(plate, rate_hz, frames).force


def _in_laboratory(
    person: SubjectModel,
    device: DeviceDefinition,
    force: FloatArray,
    q: FloatArray,
    options: AidOptions,
    to_biomec: FloatArray | None,
) -> FloatArray:
    sign = -1.0 if options.reversed else 1.0
    if options.axes == LABORATORY:
        return np.asarray(sign * (force if to_biomec is None else force @ to_biomec.T))
    layout = person.system.layout
    fixed = layout.bodies[device.on].attitude_matrix.T @ device.frame.attitude(person.static, device.sign)
    R_WB = np.stack([layout.local_vector(device.on, axis)(q) for axis in np.eye(3)], axis=-1)
    return np.asarray(sign * np.einsum("tij,tj->ti", R_WB @ fixed, force))


def _unmeasured(device: DeviceDefinition, analog: Analog | None) -> Notice:
    has = "has no analog channels" if analog is None else f"has the channels {_few(analog.names)}"
    words = (
        f"The force of the {device.name} was not measured: the recording {has}. If it is instrumented, call its "
        f"channels “{device.name} Fx”, “{device.name} Fy”, “{device.name} Fz”, or name them in the settings of the "
        "joint loads. Otherwise its force is estimated where the settings estimate the ground reaction."
    )
    return info("aid-not-measured", words, device.on)


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:6]) + (" …" if len(names) > 6 else "")


def _doubts(device: DeviceDefinition, channels: Sequence[str], force: FloatArray) -> list[Notice]:
    up = force[:, 1]
    there = np.isfinite(up)
    loaded = there & (np.linalg.norm(np.where(there[:, None], force, 0.0), axis=1) > PUSHED_N)
    if not loaded.any():
        words = f"The channels of the {device.name} ({', '.join(channels)}) never show more than {PUSHED_N:g} N."
        return [info("aid-not-used", words, device.on)]
    if float(np.mean(up[loaded])) < 0.0:
        words = (
            f"The channels of the {device.name} ({', '.join(channels)}) pull it to the floor. They probably hold what "
            "the tip does to the floor, or are in other axes: reverse the forces or choose their axes in the settings."
        )
        return [warning("aid-pulls", words, device.on)]
    return []


def together(*loads: ExternalLoads) -> ExternalLoads:
    """All loads as one; those that were estimated stay marked."""
    there = [one for one in loads if one.segments]
    if len(there) <= 1:
        return there[0] if there else loads[0]
    marks = [one.computed or (bool(one.estimated.any()),) * len(one.segments) for one in there]
    point, force, moment = (
        read_only(np.concatenate(parts, axis=1))
        for parts in zip(*((one.point, one.force, one.moment) for one in there), strict=True)
    )
    return ExternalLoads(
        tuple(name for one in there for name in one.segments),
        point,
        force,
        moment,
        read_only(np.any([one.estimated for one in there], axis=0), np.bool_),
        tuple(mark for one in marks for mark in one),
    )
