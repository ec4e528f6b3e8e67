"""A trial as a group of an HDF5 file: its arrays as datasets, all the rest as one JSON text beside them.

<trial>/json                            everything that is not an array
<trial>/markers/p_WM, residual          also unlabelled/…, other_subjects/0/…
<trial>/outputs/values, analog/values, emg/values
<trial>/plates/0/force, moment, origin, up, corners, to_surface
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from biomec.base.notices import Notice, Scope, Severity
from biomec.recording import (
    Analog,
    Authority,
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
    content = json.loads(bytes(group["json"][()]))
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


def _optional(group: h5py.Group, name: str) -> NDArray[Any] | None:
    return read_array(group, name) if name in group else None


# -------------------------------------------------------------------------------------------------------- small parts
def notice_to_json(notice: Notice) -> list[Any]:
    """Return a notice as plain data."""
    return [
        notice.severity.value, notice.code, notice.sentence, list(notice.about), notice.frames, notice.scope.value
    ]  # fmt: skip


def notice_from_json(stored: list[Any]) -> Notice:
    """Return a notice from `notice_to_json`."""
    severity, code, sentence, about, frames, *scope = stored  # older projects have no scope
    stretch = None if frames is None else (frames[0], frames[1])
    return Notice(Severity(severity), code, sentence, tuple(about), stretch, Scope(scope[0]) if scope else Scope.PART)


def source_to_json(source: Source) -> list[Any]:
    """Return a source as plain data."""
    return [source.name, source.format, source.sha256, source.size]


def source_from_json(stored: list[Any]) -> Source:
    """Return a source from `source_to_json`."""
    name, format_, sha256, size = stored
    return Source(name, format_, sha256, size)


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


def subject_from_json(stored: Mapping[str, Any]) -> Subject:
    """Return a subject from `subject_to_json`."""
    return Subject(
        stored["name"],
        stored["sex"],
        stored["mass_kg"],
        stored["height_m"],
        day_from_json(stored["birth_date"]),
        stored.get("measures", {}),  # projects of the first version have none
    )


def day_from_json(stored: str | None) -> date | None:
    """Return a day from its ISO text."""
    return None if stored is None else date.fromisoformat(stored)


# -------------------------------------------------------------------------------------------------------------- series
def _write_markers(group: h5py.Group, markers: Markers) -> dict[str, Any]:
    write_array(group, "p_WM", markers.p_WM)
    write_array(group, "residual", markers.residual)
    return {"names": markers.names, "rate_hz": markers.rate_hz}


def _read_markers(group: h5py.Group, stored: Mapping[str, Any]) -> Markers:
    return Markers(tuple(stored["names"]), read_array(group, "p_WM"), stored["rate_hz"], _optional(group, "residual"))


def _write_analog(group: h5py.Group, analog: Analog) -> dict[str, Any]:
    write_array(group, "values", analog.values)
    return {"names": analog.names, "units": analog.units, "rate_hz": analog.rate_hz, "start_s": analog.start_s}


def _read_analog(group: h5py.Group, stored: Mapping[str, Any]) -> Analog:
    return Analog(
        tuple(stored["names"]),
        read_array(group, "values"),
        tuple(stored["units"]),
        stored["rate_hz"],
        stored["start_s"],
    )


def _write_outputs(group: h5py.Group, outputs: Outputs) -> dict[str, Any]:
    write_array(group, "values", outputs.values)
    return {"names": outputs.names, "kinds": outputs.kinds, "units": outputs.units, "rate_hz": outputs.rate_hz}


def _read_outputs(group: h5py.Group, stored: Mapping[str, Any]) -> Outputs:
    return Outputs(
        tuple(stored["names"]),
        tuple(stored["kinds"]),
        tuple(stored["units"]),
        read_array(group, "values"),
        stored["rate_hz"],
    )


PLATE_ARRAYS = ("force", "moment", "origin", "up", "corners", "to_surface")


def _write_plate(group: h5py.Group, plate: ForcePlate) -> dict[str, Any]:
    for name in PLATE_ARRAYS:
        write_array(group, name, getattr(plate, name))
    return {"name": plate.name, "rate_hz": plate.rate_hz, "type": plate.type, "start_s": plate.start_s}


def _read_plate(group: h5py.Group, stored: Mapping[str, Any]) -> ForcePlate:
    return ForcePlate(
        stored["name"],
        read_array(group, "force"),
        read_array(group, "moment"),
        stored["rate_hz"],
        read_array(group, "origin"),
        read_array(group, "up"),
        _optional(group, "corners"),
        stored["type"],
        stored["start_s"],
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
    stored = read_json(group)
    up, forward, authority, forward_authority = stored["axes"]
    return Trial(
        source_from_json(stored["source"]),
        _read_markers(group["markers"], stored["markers"]),
        LabAxes(up, forward, Authority(authority), Authority(forward_authority)),
        subject=subject_from_json(stored["subject"]),
        recorded=day_from_json(stored["recorded"]),
        unlabelled=_read_markers(group["unlabelled"], stored["unlabelled"]) if "unlabelled" in stored else None,
        other_subjects={
            name: _read_markers(group[f"other_subjects/{k}"], part)
            for k, (name, part) in enumerate(stored["other_subjects"].items())
        },
        outputs=_read_outputs(group["outputs"], stored["outputs"]) if "outputs" in stored else None,
        plates=tuple(_read_plate(group[f"plates/{k}"], part) for k, part in enumerate(stored["plates"])),
        analog=_read_analog(group["analog"], stored["analog"]) if "analog" in stored else None,
        emg=_read_analog(group["emg"], stored["emg"]) if "emg" in stored else None,
        events=tuple(Event(*event) for event in stored["events"]),
        first_frame=stored["first_frame"],
        notices=tuple(notice_from_json(notice) for notice in stored["notices"]),
        dismissed_events=tuple(Event(*event) for event in stored.get("dismissed_events", ())),
    )


def _plain_event(event: Event) -> list[float | str]:
    return [event.time_s, event.label, event.context, event.origin]
