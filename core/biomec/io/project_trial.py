"""A trial as a group of an HDF5 file: its arrays as datasets, all the rest as one JSON text beside them.

<trial>/json                            everything that is not an array
<trial>/markers/p_WM, residual          also unlabelled/…, other_subjects/0/…
<trial>/outputs/values, analog/values, emg/values
<trial>/plates/0/force, moment, origin, up, corners, to_surface
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from biomec.base.notices import Notice, Scope
from biomec.base.plain_types import made_from, parsed_json
from biomec.recording import (
    Analog,
    Event,
    ForcePlate,
    LabAxes,
    Markers,
    Outputs,
    Source,
    Subject,
    Trial,
)


# --------------------------------------------------------------------------------------------------- texts and arrays
def write_json(group: h5py.Group, content: Mapping[str, Any]) -> None:
    """Store plain data. ASCII only: a name may hold what UTF-8 cannot."""
    text = json.dumps(content, ensure_ascii=True, default=dict)  # `default` meets read-only tables
    group.create_dataset("json", data=np.bytes_(text.encode("ascii")))


def read_json(group: h5py.Group) -> dict[str, Any]:
    """Return plain data stored by `write_json`."""
    content = parsed_json(bytes(group["json"][()]))
    if not isinstance(content, dict):
        raise ValueError("not a table")
    return content


def write_array(group: h5py.Group, name: str, array: NDArray[Any] | None) -> None:
    """Store an array bit for bit; None is not stored."""
    if array is not None:
        group.create_dataset(name, data=array)


def read_array(group: h5py.Group, name: str) -> NDArray[Any]:
    """Return an array as it was stored, read-only, in its own memory."""
    dataset = group[name]
    array = np.empty(dataset.shape, dataset.dtype)
    if array.size:
        dataset.read_direct(array)
    array.setflags(write=False)
    return array


def _measured(group: h5py.Group, name: str) -> NDArray[Any]:
    """Return an array of real numbers."""
    array = read_array(group, name)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{group.name}/{name} holds {array.dtype}, not real numbers")
    return array


def _optional(group: h5py.Group, name: str) -> NDArray[Any] | None:
    return _measured(group, name) if name in group else None


# -------------------------------------------------------------------------------------------------------- small parts
def notice_to_json(notice: Notice) -> list[Any]:
    """Return a notice as plain data."""
    plain = [notice.severity.value, notice.code, notice.sentence, list(notice.about), notice.frames]
    return plain if notice.scope is Scope.PART else [*plain, notice.scope.value]


def source_to_json(source: Source) -> list[Any]:
    """Return a source as plain data."""
    return [source.name, source.format, source.sha256, source.size]


def subject_to_json(subject: Subject) -> dict[str, Any]:
    """Return a subject as plain data."""
    born = None if subject.birth_date is None else subject.birth_date.isoformat()
    return {
        "name": subject.name,
        "sex": subject.sex,
        "mass_kg": subject.mass_kg,
        "height_m": subject.height_m,
        "birth_date": born,
        "measures": dict(subject.measures),
    }


# ------------------------------------------------------------------------------------------------------------- schemas
@dataclass(frozen=True)
class StoredMarkers:
    """What is stored of markers beside their arrays."""

    names: tuple[str, ...]
    rate_hz: float


@dataclass(frozen=True)
class StoredAnalog:
    """What is stored of analog channels beside their samples."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    rate_hz: float
    start_s: float


@dataclass(frozen=True)
class StoredOutputs:
    """What is stored of another program's results beside their values."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    units: tuple[str, ...]
    rate_hz: float


@dataclass(frozen=True)
class StoredPlate:
    """What is stored of a force plate beside its arrays."""

    name: str
    rate_hz: float
    type: int
    start_s: float


@dataclass(frozen=True)
class StoredTrial:
    """What is stored of a trial beside its arrays. What has a default came later than the first version."""

    source: Source
    axes: LabAxes
    subject: Subject
    recorded: date | None
    first_frame: int
    events: tuple[Event, ...]
    notices: tuple[Notice, ...]
    markers: StoredMarkers
    other_subjects: Mapping[str, StoredMarkers]
    plates: tuple[StoredPlate, ...]
    dismissed_events: tuple[Event, ...] = ()
    unlabelled: StoredMarkers | None = None
    outputs: StoredOutputs | None = None
    analog: StoredAnalog | None = None
    emg: StoredAnalog | None = None


# -------------------------------------------------------------------------------------------------------------- series
def _write_markers(group: h5py.Group, markers: Markers) -> dict[str, Any]:
    write_array(group, "p_WM", markers.p_WM)
    write_array(group, "residual", markers.residual)
    return {"names": markers.names, "rate_hz": markers.rate_hz}


def _read_markers(group: h5py.Group, stored: StoredMarkers) -> Markers:
    return Markers(stored.names, _measured(group, "p_WM"), stored.rate_hz, _optional(group, "residual"))


def _write_analog(group: h5py.Group, analog: Analog) -> dict[str, Any]:
    write_array(group, "values", analog.values)
    return {"names": analog.names, "units": analog.units, "rate_hz": analog.rate_hz, "start_s": analog.start_s}


def _read_analog(group: h5py.Group, stored: StoredAnalog) -> Analog:
    return Analog(stored.names, _measured(group, "values"), stored.units, stored.rate_hz, stored.start_s)


def _write_outputs(group: h5py.Group, outputs: Outputs) -> dict[str, Any]:
    write_array(group, "values", outputs.values)
    return {"names": outputs.names, "kinds": outputs.kinds, "units": outputs.units, "rate_hz": outputs.rate_hz}


def _read_outputs(group: h5py.Group, stored: StoredOutputs) -> Outputs:
    return Outputs(stored.names, stored.kinds, stored.units, _measured(group, "values"), stored.rate_hz)


PLATE_ARRAYS = ("force", "moment", "origin", "up", "corners", "to_surface")


def _write_plate(group: h5py.Group, plate: ForcePlate) -> dict[str, Any]:
    for name in PLATE_ARRAYS:
        write_array(group, name, getattr(plate, name))
    return {"name": plate.name, "rate_hz": plate.rate_hz, "type": plate.type, "start_s": plate.start_s}


def _read_plate(group: h5py.Group, stored: StoredPlate) -> ForcePlate:
    return ForcePlate(
        stored.name,
        _measured(group, "force"),
        _measured(group, "moment"),
        stored.rate_hz,
        _measured(group, "origin"),
        _measured(group, "up"),
        _optional(group, "corners"),
        stored.type,
        stored.start_s,
        _optional(group, "to_surface"),
    )


# -------------------------------------------------------------------------------------------------------------- trial
def write_trial_group(group: h5py.Group, trial: Trial) -> None:
    """Store a trial in an empty group."""
    axes = trial.axes
    content: dict[str, Any] = {
        "source": source_to_json(trial.source),
        "axes": [axes.up, axes.forward, axes.authority.value, axes.forward_authority.value],
        "subject": subject_to_json(trial.subject),
        "recorded": None if trial.recorded is None else trial.recorded.isoformat(),
        "first_frame": trial.first_frame,
        "events": [_plain_event(event) for event in trial.events],
        "dismissed_events": [_plain_event(event) for event in trial.dismissed_events],
        "notices": [notice_to_json(notice) for notice in trial.notices],
        "markers": _write_markers(group.create_group("markers"), trial.markers),
        "other_subjects": {
            name: _write_markers(group.create_group(f"other_subjects/{k}"), markers)
            for k, (name, markers) in enumerate(trial.other_subjects.items())
        },
        "plates": [_write_plate(group.create_group(f"plates/{k}"), plate) for k, plate in enumerate(trial.plates)],
    }
    if trial.unlabelled is not None:
        content["unlabelled"] = _write_markers(group.create_group("unlabelled"), trial.unlabelled)
    if trial.outputs is not None:
        content["outputs"] = _write_outputs(group.create_group("outputs"), trial.outputs)
    if trial.analog is not None:
        content["analog"] = _write_analog(group.create_group("analog"), trial.analog)
    if trial.emg is not None:
        content["emg"] = _write_analog(group.create_group("emg"), trial.emg)
    write_json(group, content)


def read_trial_group(group: h5py.Group) -> Trial:
    """Return the trial stored by `write_trial_group`; KeyError, TypeError or ValueError where the group is not one."""
    stored = made_from(StoredTrial, read_json(group), group.name.strip("/"))
    return Trial(
        stored.source,
        _read_markers(group["markers"], stored.markers),
        stored.axes,
        subject=stored.subject,
        recorded=stored.recorded,
        unlabelled=None if stored.unlabelled is None else _read_markers(group["unlabelled"], stored.unlabelled),
        other_subjects={
            name: _read_markers(group[f"other_subjects/{k}"], part)
            for k, (name, part) in enumerate(stored.other_subjects.items())
        },
        outputs=None if stored.outputs is None else _read_outputs(group["outputs"], stored.outputs),
        plates=tuple(_read_plate(group[f"plates/{k}"], part) for k, part in enumerate(stored.plates)),
        analog=None if stored.analog is None else _read_analog(group["analog"], stored.analog),
        emg=None if stored.emg is None else _read_analog(group["emg"], stored.emg),
        events=stored.events,
        first_frame=stored.first_frame,
        notices=stored.notices,
        dismissed_events=stored.dismissed_events,
    )


def _plain_event(event: Event) -> list[float | str]:
    return [event.time_s, event.label, event.context, event.origin]
