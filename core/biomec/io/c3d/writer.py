"""Write a trial as a C3D file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from biomec.base.arrays import BoolArray, FloatArray
from biomec.base.atomic import atomic_path
from biomec.base.errors import FileError
from biomec.base.notices import Notice, warning
from biomec.io.c3d.grid import SampleGrid, grid_for
from biomec.io.c3d.header import read_head
from biomec.io.c3d.layout import FULL_WORD, VALUES_PER_POINT, DataLayout, find_layout
from biomec.io.c3d.measures import written_measures
from biomec.io.c3d.parameters import INTEGER, REAL, TEXT
from biomec.io.c3d.plates import NOMINAL, NotUnderstood, plate_axes
from biomec.io.c3d.points import LISTS
from biomec.io.labels import listed, unique_names
from biomec.io.left_out import PARTS, left_out
from biomec.recording import Analog, ForcePlate, Markers, Trial

MOST_CHANNELS = 255  # more would need continued parameters that other programs do not read
MOST_ENTRIES = 255  # of one parameter
LIST_OF_KIND = {kind: name for name, (kind, _) in LISTS.items()}
NOMINAL_SIDE_M = 0.5  # of a plate whose corners nobody knows
MM = 1e3  # millimetres in a metre
NOT_WHOLE = "it could not be written whole: the disk may be full."
Parameter: TypeAlias = NDArray[Any] | list[str]


def write_c3d(
    trial: Trial, path: str | os.PathLike[str], *, stated: Mapping[tuple[str, str], Parameter] | None = None
) -> tuple[Notice, ...]:
    """Write points in mm, plates as type 2, EMG and analog channels, events, subject and axes.

    Reals of single precision, so coordinates keep seven digits. What C3D cannot hold is in the notices.

    stated : (group, name) -> value of parameters that the file shall state instead of what the trial says
    """
    file = Path(path).name
    if not trial.frames:
        raise FileError(file, "a C3D file needs at least one frame.")
    points = _points(trial)
    channels = _channels(trial)
    if len(channels.names) > MOST_CHANNELS:
        raise FileError(
            file, f"{len(channels.names)} analog channels do not fit a C3D file, which takes {MOST_CHANNELS}."
        )
    if not points.labels and not channels.names:
        raise FileError(file, "there is nothing to write: the trial has no points and no analog channels.")
    with atomic_path(path) as temporary:
        parameters = {**_extra_parameters(trial, points, channels), **(stated or {})}
        _write_with_ezc3d(file, trial, points, channels, parameters, temporary)
        _lay_points_over(_made(file, trial.frames, temporary), points, temporary)
    return (*points.notices, *channels.notices, *left_out(trial, "C3D", set(PARTS) - {"recorded"}))


@dataclass(eq=False)
class _Points:
    """Points in file units: labels, coordinates (T, 3) each, residuals (T,) or None; outputs by list."""

    labels: list[str] = field(default_factory=list)
    values: list[FloatArray] = field(default_factory=list)
    residuals: list[FloatArray | None] = field(default_factory=list)
    lists: dict[str, list[str]] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)
    scale: float = 0.01

    def add(self, prefix: str, markers: Markers) -> None:
        for k, name in enumerate(markers.names):
            self.labels.append(prefix + name)
            self.values.append(MM * markers.p_WM[:, k])
            self.residuals.append(None if markers.residual is None else MM * markers.residual[:, k])


def _points(trial: Trial) -> _Points:
    points = _Points()
    points.add("", trial.markers)
    for name, markers in trial.other_subjects.items():
        points.add(f"{name}:", markers)
    if trial.unlabelled is not None:
        points.add("", trial.unlabelled)
    largest = max((float(np.nanmax(np.abs(v), initial=0.0)) for v in points.values), default=0.0)
    worst = max((float(np.nanmax(r, initial=0.0)) for r in points.residuals if r is not None), default=0.0)
    points.scale = max(largest / 32000.0, worst / 255.0, 1e-3)
    n_lengths = len(points.labels)
    if trial.outputs is not None:
        points.labels += trial.outputs.names
        points.values += [trial.outputs.values[:, k] for k in range(len(trial.outputs.names))]
        points.residuals += [None] * len(trial.outputs.names)
    unique, notices = unique_names(points.labels, "point")
    points.labels = list(unique)
    points.notices += notices
    if trial.outputs is not None:
        odd: list[str] = []
        for label, kind, unit in zip(points.labels[n_lengths:], trial.outputs.kinds, trial.outputs.units, strict=True):
            name = LIST_OF_KIND.get(kind, "SCALARS")
            points.lists.setdefault(name, []).append(label)
            known = points.units.setdefault(name, unit)
            if known != unit or kind not in LIST_OF_KIND:
                odd.append(f"{label} ({kind}, {unit or 'no unit'})")
        if odd:
            sentence = f"C3D has one unit for each kind of model output; those of {listed(odd)} are not kept."
            points.notices.append(warning("c3d-written-outputs", sentence))
    lengths = zip(points.labels, points.values[:n_lengths], strict=False)
    zeros = [label for label, values in lengths if (values == 0.0).all(axis=1).any()]
    if zeros:
        sentence = f"Samples at exactly (0, 0, 0) of {listed(zeros)} mean missing samples to most readers of C3D."
        points.notices.append(warning("c3d-written-zeros", sentence, *zeros))
    return points


@dataclass(eq=False)
class _Channels:
    """Analog channels on one grid, and the plates that own the first of them."""

    grid: SampleGrid
    names: list[str] = field(default_factory=list)
    units: list[str] = field(default_factory=list)
    blocks: list[FloatArray] = field(default_factory=list)
    corners: list[FloatArray] = field(default_factory=list)
    nominal: list[bool] = field(default_factory=list)
    plate_names: list[str] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)

    def add(self, names: Sequence[str], units: Sequence[str], values: FloatArray, rate: float, start: float) -> None:
        placed, notices = self.grid.place(values, rate, start, f"The channels {listed(list(names))}")
        self.names += names
        self.units += [unit.replace(" ", "") for unit in units]
        self.blocks.append(placed)
        self.notices += notices


def _channels(trial: Trial) -> _Channels:
    series: list[Analog] = [analog for analog in (trial.emg, trial.analog) if analog is not None]
    rates = [plate.rate_hz for plate in trial.plates] + [analog.rate_hz for analog in series]
    channels = _Channels(grid_for(trial.frames, trial.rate_hz, rates))
    for plate in trial.plates:
        _add_plate(channels, plate)
    for analog in series:
        channels.add(analog.names, analog.units, analog.values, analog.rate_hz, analog.start_s)
    unique, notices = unique_names(channels.names, "analog channel")
    channels.names = list(unique)
    channels.notices += notices
    return channels


def _add_plate(channels: _Channels, plate: ForcePlate) -> None:
    """A plate as type 2 whose sensors lie in the surface's centre: force and moment there, in plate axes."""
    corners = plate.corners
    if corners is None:
        corners = _nominal_corners(plate)
        channels.notices.append(
            warning(
                "c3d-written-corners",
                f"The corners of {plate.name} are not known; a square of {NOMINAL_SIDE_M:g} m about its origin was "
                "written. Do not judge from it whether a foot is on the plate.",
                plate.name,
            )
        )
    try:
        R_WP = plate_axes(corners)
    except NotUnderstood as reason:
        sentence = f"{plate.name} was not written, because {reason}."
        channels.notices.append(warning("c3d-written-plate", sentence, plate.name))
        return
    arm = plate.origin - corners.mean(axis=0)
    moment = plate.moment + np.cross(arm, plate.force)
    values = np.hstack([plate.force @ R_WP, MM * moment @ R_WP])
    names = [f"{plate.name}.{signal}" for signal in ("Fx", "Fy", "Fz", "Mx", "My", "Mz")]
    channels.add(names, ["N"] * 3 + ["Nmm"] * 3, values, plate.rate_hz, plate.start_s)
    channels.corners.append(corners)
    channels.nominal.append(plate.corners is None)
    channels.plate_names.append(plate.name)


def _nominal_corners(plate: ForcePlate) -> FloatArray:
    """Corners (4, 3) of a square about the origin, its z axis against the normal."""
    helper = np.eye(3)[int(np.argmin(np.abs(plate.up)))]
    x = np.cross(helper, plate.up)
    x /= np.linalg.norm(x)
    y = np.cross(-plate.up, x)
    signs = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
    return np.asarray(plate.origin + 0.5 * NOMINAL_SIDE_M * (signs @ np.stack([x, y])))


def _write_with_ezc3d(
    file: str,
    trial: Trial,
    points: _Points,
    channels: _Channels,
    parameters: Mapping[tuple[str, str], Parameter],
    temporary: Path,
) -> None:
    import ezc3d  # here, because only writing needs it

    content = ezc3d.c3d()
    groups = content["parameters"]
    n_points, frames = len(points.labels), trial.frames
    content["header"]["points"]["first_frame"] = trial.first_frame - 1  # ezc3d counts from 0
    content["data"]["points"] = np.zeros((4, n_points, frames))  # laid over afterwards
    content["data"]["analogs"] = (
        np.hstack(channels.blocks).T[None]
        if channels.names
        else np.zeros((1, 0, frames * channels.grid.samples_per_frame))
    )
    del content["data"]["rotations"]
    groups["POINT"]["RATE"]["value"] = np.array([trial.rate_hz])
    groups["POINT"]["LABELS"]["value"] = list(points.labels)
    groups["POINT"]["UNITS"]["value"] = ["mm"]
    groups["POINT"]["SCALE"]["value"] = np.array([-points.scale])
    groups["ANALOG"]["RATE"]["value"] = np.array([channels.grid.rate_hz])
    groups["ANALOG"]["LABELS"]["value"] = list(channels.names)
    groups["ANALOG"]["UNITS"]["value"] = list(channels.units)
    for (group, name), value in parameters.items():
        groups.create_group_if_needed(group)
        groups[group][name] = {"value": value, "type": _type(value), "description": "", "is_locked": False}
    # ezc3d writes only to names that end in .c3d
    own = temporary.with_name(temporary.name + ".c3d")
    try:
        content.write(str(own))
        os.replace(own, temporary)
    except (RuntimeError, ValueError, TypeError) as fault:
        raise FileError(file, f"it cannot be written as C3D: {fault}.") from fault
    finally:
        with suppress(OSError):
            own.unlink(missing_ok=True)


def _extra_parameters(trial: Trial, points: _Points, channels: _Channels) -> Mapping[tuple[str, str], Parameter]:
    """Everything beside the data: axes, outputs, plates, events, subjects, frame numbers."""
    last = trial.first_frame + trial.frames - 1
    extra: dict[tuple[str, str], Parameter] = {
        ("POINT", "X_SCREEN"): [trial.axes.forward.upper()],
        ("POINT", "Y_SCREEN"): [trial.axes.up.upper()],
        ("TRIAL", "ACTUAL_START_FIELD"): _pair(trial.first_frame),
        ("TRIAL", "ACTUAL_END_FIELD"): _pair(last),
        ("TRIAL", "CAMERA_RATE"): np.array([trial.rate_hz]),
        ("MANUFACTURER", "SOFTWARE"): ["Biomec"],  # by which readers know that angles are in radians
    }
    if trial.frames >= FULL_WORD:
        extra["POINT", "LONG_FRAMES"] = np.array([float(trial.frames)])
    for name, members in points.lists.items():
        for part in range(0, len(members), MOST_ENTRIES):
            number = "" if part == 0 else str(part // MOST_ENTRIES + 1)
            extra["POINT", name + number] = members[part : part + MOST_ENTRIES]
        if LISTS[name][1] != "UNITS" and points.units[name]:
            extra["POINT", LISTS[name][1]] = [points.units[name]]
    count = len(channels.corners)
    if count:
        extra |= {
            ("FORCE_PLATFORM", "USED"): np.array([count]),
            ("FORCE_PLATFORM", "TYPE"): np.full(count, 2),
            ("FORCE_PLATFORM", "ZERO"): np.array([0, 0]),
            ("FORCE_PLATFORM", "CORNERS"): MM * np.stack([corners.T for corners in channels.corners], axis=2),
            ("FORCE_PLATFORM", "ORIGIN"): np.zeros((3, count)),
            ("FORCE_PLATFORM", "CHANNEL"): np.arange(1, 6 * count + 1).reshape(count, 6).T,
            ("FORCE_PLATFORM", "LABELS"): channels.plate_names,
        }
        if any(channels.nominal):  # so that nobody who reads this believes them
            extra["FORCE_PLATFORM", NOMINAL] = np.array(channels.nominal, dtype=np.int64)
    if trial.events:
        absolute = np.array([event.time_s for event in trial.events]) + (trial.first_frame - 1) / trial.rate_hz
        minutes = np.floor(absolute / 60.0)
        extra |= {
            ("EVENT", "USED"): np.array([len(trial.events)]),
            ("EVENT", "TIMES"): np.stack([minutes, absolute - 60.0 * minutes]),
            ("EVENT", "LABELS"): [event.label for event in trial.events],
            ("EVENT", "CONTEXTS"): [event.context for event in trial.events],
        }
    names = [trial.subject.name, *trial.other_subjects]
    extra["SUBJECTS", "USED"] = np.array([len(names)])
    extra["SUBJECTS", "NAMES"] = names
    extra["SUBJECTS", "USES_PREFIXES"] = np.array([int(bool(trial.other_subjects))])
    if trial.subject.mass_kg is not None:
        extra["PROCESSING", "Bodymass"] = np.array([trial.subject.mass_kg])
    if trial.subject.height_m is not None:
        extra["PROCESSING", "Height"] = np.array([MM * trial.subject.height_m])
    extra |= written_measures(trial.subject)
    return extra


def _type(value: Parameter) -> int:
    """Type of a parameter, as the format counts them."""
    if isinstance(value, list):
        return TEXT
    return INTEGER if np.issubdtype(value.dtype, np.integer) else REAL


def _pair(number: int) -> NDArray[np.int64]:
    """A frame number as two 16-bit words, the lower first, in the signed numbers that ezc3d stores."""
    words = np.array([number % 65536, number // 65536])
    return np.where(words > 32767, words - 65536, words)


def _made(file: str, frames: int, temporary: Path) -> DataLayout:
    """Layout of the file that ezc3d made; ezc3d does not notice a disk that is full."""
    try:
        with temporary.open("rb") as stream:
            layout, _ = find_layout(file, *read_head(file, stream))
    except FileError as fault:
        raise FileError(file, NOT_WHOLE) from fault
    if layout.frames != frames:
        raise FileError(file, NOT_WHOLE)
    return layout


def _lay_points_over(layout: DataLayout, points: _Points, temporary: Path) -> None:
    """Write the points and the header's scale into the file that ezc3d made.

    ezc3d stores the fourth word of a point as two integers; the standard wants a real number, −1 for a missing sample,
    else the residual in steps of the scale [C3D2021]. It also leaves the scale of the header at −1.
    """
    with temporary.open("r+b") as stream:
        stream.seek(12)
        stream.write(np.array([-points.scale], "<f4").tobytes())
    if not points.labels:
        return
    shape = (layout.frames, layout.values_per_frame)
    block = np.memmap(temporary, "<f4", "r+", offset=layout.start, shape=shape)
    for k, (values, residual) in enumerate(zip(points.values, points.residuals, strict=True)):
        missing: BoolArray = np.asarray(np.isnan(values).all(axis=1))
        at = VALUES_PER_POINT * k
        block[:, at : at + 3] = np.where(missing[:, None], 0.0, values)
        steps = np.zeros(len(values)) if residual is None else np.nan_to_num(np.round(residual / points.scale))
        block[:, at + 3] = np.where(missing, -1.0, np.clip(steps, 0.0, 255.0))
    block.flush()
