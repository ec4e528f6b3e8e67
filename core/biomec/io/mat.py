"""MAT: a trial as one MATLAB structure, for people who go on in MATLAB or Octave.

The file holds one variable, ``trial``. Texts are char, lists of names are cells, missing samples are NaN, what is not
there is ``[]``::

    trial.format, .version                          'biomec trial', 1
    trial.source.name, .format, .sha256, .size      the file that was read
    trial.axes.up, .forward, .authority, .forward_authority          '+y', '+x', 'assumed', 'assumed'
    trial.subject.name, .sex, .mass_kg, .height_m, .birth_date       NaN or '' where unknown; dates 'yyyy-mm-dd'
    trial.subject.measures.leg_length_D …                            m and rad, D right, E left
    trial.recorded                                  'yyyy-mm-dd' or ''
    trial.first_frame                               number of the first frame
    trial.markers.names, .position_m, .rate_hz, .residual_m          position is frames × markers × 3
    trial.unlabelled                                as markers, or []
    trial.other_subjects{k}                         as markers, with .subject
    trial.outputs.names, .kinds, .units, .values, .rate_hz           values is frames × outputs × 3
    trial.plates{k}.name, .force_N, .moment_Nm, .rate_hz, .origin_m, .up, .corners_m, .type, .start_s
    trial.analog, trial.emg                         .names, .units, .values (samples × channels), .rate_hz, .start_s
    trial.events.time_s, .label, .context, .origin
    trial.notices.severity, .code, .sentence

An analysis is written beside it as ``results.<step>.<array>``, in SI units and radians; `biomec.io.mat_session` reads
it back, what is here passes it over.

Files of version 5 to 7.2 and, if they hold this structure, of version 7.3 are read; version 5 is written.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from biomec.base.arrays import FloatArray
from biomec.base.atomic import atomic_path
from biomec.base.errors import BiomecError, FileError
from biomec.base.notices import Notice, Severity
from biomec.io.mat_tree import read_tree
from biomec.recording import (
    Analog,
    Authority,
    Event,
    ForcePlate,
    LabAxes,
    Markers,
    Outputs,
    Result,
    Source,
    Subject,
    Trial,
)

_FORMAT, _VERSION = "biomec trial", 1


def read_mat(path: str | os.PathLike[str]) -> Trial:
    """Read a trial from a MATLAB file that Biomec, MATLAB or Octave wrote with the structure above."""
    path = Path(path)
    variables = read_tree(path)
    stored = variables.get("trial")
    if not (isinstance(stored, Mapping) and isinstance(stored.get("format"), str) and stored["format"] == _FORMAT):
        there = ", ".join(list(variables)[:8]) or "nothing"
        raise FileError(
            path.name,
            f"this MATLAB file holds {there}, not a recording of Biomec (a structure 'trial' that Biomec wrote).",
        )
    return trial_from_tree(path.name, stored)


def trial_from_tree(file: str, stored: Mapping[str, Any]) -> Trial:
    """Return the trial of a structure of the file of that name."""
    reader = _Reader(file, stored)
    if reader.number(stored, "version") != _VERSION:
        raise FileError(file, "this file was written by a newer Biomec; use that to open it.")
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # absurd numbers are refused, not warned about
            return reader.trial()
    except FileError:
        raise
    except (BiomecError, ValueError) as error:  # values that no trial can have
        raise FileError(file, str(error)) from error


class _Reader:
    """Fields of the stored structure with the type that they must have, or a fault that names the field."""

    def __init__(self, file: str, stored: Mapping[str, Any]) -> None:
        self.file, self.stored = file, stored

    def fault(self, name: str, needs: str) -> FileError:
        return FileError(self.file, f"the field {name} of the structure 'trial' must be {needs}.")

    def struct(self, name: str) -> Mapping[str, Any] | None:
        value = self.stored.get(name)
        if isinstance(value, Mapping):
            return value
        if value is None or len(value) == 0:
            return None
        raise self.fault(name, "a structure or []")

    def text(self, struct: Mapping[str, Any], name: str) -> str:
        value = struct.get(name, "")
        if isinstance(value, str):
            return value
        if value is not None and np.size(value) == 0:
            return ""
        raise self.fault(name, "text")

    def texts(self, struct: Mapping[str, Any], name: str) -> tuple[str, ...]:
        value = struct.get(name, [])
        if isinstance(value, str):
            return (value,) if value else ()
        items = [item if isinstance(item, str) else "" for item in value]
        if isinstance(value, np.ndarray) and value.size:
            raise self.fault(name, "a cell with texts")
        return tuple(items)

    def array(self, struct: Mapping[str, Any], name: str, axes: int) -> FloatArray:
        value = struct.get(name)
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "buif" or value.ndim > max(axes, 2):
            raise self.fault(name, f"an array of numbers with {axes} axes")
        array = np.ascontiguousarray(value, dtype=np.float64)  # sums of MATLAB's order differ in the last digit
        if axes == 1:
            return array.ravel(order="F")
        return array.reshape(array.shape + (1,) * (axes - array.ndim))  # MATLAB drops axes of length 1 at the end

    def number(self, struct: Mapping[str, Any], name: str) -> float:
        values = self.array(struct, name, 1)
        if values.size != 1:
            raise self.fault(name, "one number")
        return float(values[0])

    def whole(self, struct: Mapping[str, Any], name: str) -> int:
        value = self.number(struct, name)
        if not np.isfinite(value) or value != int(value):
            raise self.fault(name, "a whole number")
        return int(value)

    def known(self, struct: Mapping[str, Any], name: str) -> float | None:
        values = self.array(struct, name, 1) if name in struct else np.zeros(0)
        return float(values[0]) if values.size == 1 and np.isfinite(values[0]) else None

    def day(self, struct: Mapping[str, Any], name: str) -> date | None:
        word = self.text(struct, name)
        return date.fromisoformat(word) if word else None

    def markers(self, struct: Mapping[str, Any]) -> Markers:
        names = self.texts(struct, "names")
        position = self.array(struct, "position_m", 3)
        residual = self.array(struct, "residual_m", 2) if np.size(struct.get("residual_m", [])) else None
        return Markers(names, position, self.number(struct, "rate_hz"), residual)

    def analog(self, name: str) -> Analog | None:
        struct = self.struct(name)
        if struct is None:
            return None
        names, units = self.texts(struct, "names"), self.texts(struct, "units")
        values = self.array(struct, "values", 2)
        return Analog(names, values, units, self.number(struct, "rate_hz"), self.number(struct, "start_s"))

    def plate(self, struct: Mapping[str, Any]) -> ForcePlate:
        corners = self.array(struct, "corners_m", 2) if np.size(struct.get("corners_m", [])) else None
        return ForcePlate(
            self.text(struct, "name"),
            self.array(struct, "force_N", 2),
            self.array(struct, "moment_Nm", 2),
            self.number(struct, "rate_hz"),
            self.array(struct, "origin_m", 1),
            self.array(struct, "up", 1),
            corners,
            self.whole(struct, "type"),
            self.number(struct, "start_s"),
        )

    def structs(self, name: str) -> list[Mapping[str, Any]]:
        value = self.stored.get(name)
        items = [value] if isinstance(value, Mapping) else list(value) if value is not None else []
        if not all(isinstance(item, Mapping) for item in items):
            raise self.fault(name, "a cell with structures")
        return items

    def events(self) -> tuple[Event, ...]:
        struct = self.struct("events")
        if struct is None:
            return ()
        columns = [self.texts(struct, name) for name in ("label", "context", "origin")]
        times = self.array(struct, "time_s", 1).tolist()
        if any(len(column) != len(times) for column in columns):
            raise self.fault("events", "lists of the same length")
        return tuple(Event(*row) for row in zip(times, *columns, strict=True))

    def notices(self) -> tuple[Notice, ...]:
        struct = self.struct("notices")
        if struct is None:
            return ()
        columns = [self.texts(struct, name) for name in ("severity", "code", "sentence")]
        return tuple(Notice(Severity(level), code, words) for level, code, words in zip(*columns, strict=True))

    def outputs(self) -> Outputs | None:
        struct = self.struct("outputs")
        if struct is None:
            return None
        names, kinds, units = (self.texts(struct, name) for name in ("names", "kinds", "units"))
        return Outputs(names, kinds, units, self.array(struct, "values", 3), self.number(struct, "rate_hz"))

    def measures(self, struct: object) -> dict[str, float]:
        return {name: self.number(struct, name) for name in struct} if isinstance(struct, Mapping) else {}

    def trial(self) -> Trial:
        source, axes, subject = (self.struct(name) or {} for name in ("source", "axes", "subject"))
        markers, unlabelled = self.struct("markers"), self.struct("unlabelled")
        if markers is None:
            raise self.fault("markers", "a structure")
        return Trial(
            source=Source(
                self.text(source, "name"),
                self.text(source, "format"),
                self.text(source, "sha256"),
                self.whole(source, "size"),
            ),
            markers=self.markers(markers),
            axes=LabAxes(
                self.text(axes, "up"),
                self.text(axes, "forward"),
                Authority(self.text(axes, "authority")),
                Authority(self.text(axes, "forward_authority")),
            ),
            subject=Subject(
                self.text(subject, "name"),
                self.text(subject, "sex") or None,
                self.known(subject, "mass_kg"),
                self.known(subject, "height_m"),
                self.day(subject, "birth_date"),
                self.measures(subject.get("measures")),
            ),
            recorded=self.day(self.stored, "recorded"),
            unlabelled=None if unlabelled is None else self.markers(unlabelled),
            other_subjects={self.text(one, "subject"): self.markers(one) for one in self.structs("other_subjects")},
            outputs=self.outputs(),
            plates=tuple(self.plate(one) for one in self.structs("plates")),
            analog=self.analog("analog"),
            emg=self.analog("emg"),
            events=self.events(),
            first_frame=self.whole(self.stored, "first_frame"),
            notices=self.notices(),
        )


def write_mat(
    trial: Trial, path: str | os.PathLike[str], results: Mapping[str, Result] | None = None
) -> tuple[Notice, ...]:
    """Write the whole trial; everything that is read back is the same bit for bit.

    results : step -> result, written beside the trial as ``results.<step>.<array>``, with ``.names`` where it has any
    """
    write_variables(Path(path), trial, results or {}, {})
    return ()


def write_variables(path: Path, trial: Trial, results: Mapping[str, Result], others: Mapping[str, Any]) -> None:
    """Write a trial, results, and further variables."""
    with atomic_path(path) as beside, beside.open("wb") as file:
        try:
            variables = {"trial": trial_to_tree(trial)} | ({"results": _results(results)} if results else {})
            scipy.io.savemat(file, {**variables, **others}, do_compression=True, long_field_names=True)
        except (ValueError, TypeError, OverflowError, MemoryError) as error:
            words = f"the trial is too large for a MATLAB file of version 5 ({error}); save it as a project instead."
            raise FileError(path.name, words) from error


def _results(results: Mapping[str, Result]) -> dict[str, Any]:
    """Structure of the arrays of all steps; what MATLAB cannot have in the name of a field becomes an underscore."""
    found: dict[str, Any] = {}
    for step, result in results.items():
        fields: dict[str, Any] = {field_name(name): array for name, array in result.arrays.items()}
        names = result.metadata.get("names")
        if isinstance(names, (list, tuple)):
            fields["names"] = _cell([str(name) for name in names])
        if fields:
            found[field_name(step)] = fields
    return found


def field_name(name: str) -> str:
    """Name that a field of a structure can have."""
    word = re.sub(r"\W", "_", name, flags=re.ASCII)[:63]
    return word if word[:1].isalpha() else f"x{word}"[:63]


def _cell(items: Sequence[Any]) -> np.ndarray[Any, Any]:
    """Cell column with the items as they are."""
    cell = np.empty((len(items), 1), dtype=object)
    for k, item in enumerate(items):
        cell[k, 0] = item
    return cell


def _markers(markers: Markers) -> dict[str, Any]:
    residual = np.zeros((0, 0)) if markers.residual is None else markers.residual
    return {
        "names": _cell(markers.names),
        "position_m": markers.p_WM,
        "rate_hz": markers.rate_hz,
        "residual_m": residual,
    }


def _analog(analog: Analog | None) -> Any:
    if analog is None:
        return np.zeros((0, 0))
    fields = {"names": _cell(analog.names), "units": _cell(analog.units), "values": analog.values}
    return fields | {"rate_hz": analog.rate_hz, "start_s": analog.start_s}


def trial_to_tree(trial: Trial) -> dict[str, Any]:
    """Return the structure of a trial."""
    nothing = np.zeros((0, 0))
    subject, outputs, events, notices = trial.subject, trial.outputs, trial.events, trial.notices
    return {
        "format": _FORMAT,
        "version": float(_VERSION),
        "source": {
            "name": trial.source.name,
            "format": trial.source.format,
            "sha256": trial.source.sha256,
            "size": float(trial.source.size),
        },
        "axes": {
            "up": trial.axes.up,
            "forward": trial.axes.forward,
            "authority": trial.axes.authority.value,
            "forward_authority": trial.axes.forward_authority.value,
        },
        "subject": {
            "name": subject.name,
            "sex": subject.sex or "",
            "mass_kg": np.nan if subject.mass_kg is None else subject.mass_kg,
            "height_m": np.nan if subject.height_m is None else subject.height_m,
            "birth_date": "" if subject.birth_date is None else subject.birth_date.isoformat(),
            "measures": dict(subject.measures) or nothing,
        },
        "recorded": "" if trial.recorded is None else trial.recorded.isoformat(),
        "first_frame": float(trial.first_frame),
        "markers": _markers(trial.markers),
        "unlabelled": nothing if trial.unlabelled is None else _markers(trial.unlabelled),
        "other_subjects": _cell(
            [{"subject": name} | _markers(markers) for name, markers in trial.other_subjects.items()]
        ),
        "outputs": nothing
        if outputs is None
        else {
            "names": _cell(outputs.names),
            "kinds": _cell(outputs.kinds),
            "units": _cell(outputs.units),
            "values": outputs.values,
            "rate_hz": outputs.rate_hz,
        },
        "plates": _cell([_plate(plate) for plate in trial.plates]),
        "analog": _analog(trial.analog),
        "emg": _analog(trial.emg),
        "events": nothing
        if not events
        else {
            "time_s": np.array([[event.time_s] for event in events]),
            "label": _cell([event.label for event in events]),
            "context": _cell([event.context for event in events]),
            "origin": _cell([event.origin for event in events]),
        },
        "notices": nothing
        if not notices
        else {
            "severity": _cell([notice.severity.value for notice in notices]),
            "code": _cell([notice.code for notice in notices]),
            "sentence": _cell([notice.sentence for notice in notices]),
        },
    }


def _plate(plate: ForcePlate) -> dict[str, Any]:
    return {
        "name": plate.name,
        "force_N": plate.force,
        "moment_Nm": plate.moment,
        "rate_hz": plate.rate_hz,
        "origin_m": plate.origin,
        "up": plate.up,
        "corners_m": np.zeros((0, 0)) if plate.corners is None else plate.corners,
        "type": float(plate.type),
        "start_s": plate.start_s,
    }
