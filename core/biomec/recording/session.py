"""One recording with everything that belongs to it: what was measured, what was asked for, what came out."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from biomec._version import __version__
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Notice
from biomec.recording.clinical_notes import ClinicalNotes
from biomec.recording.series import Analog
from biomec.recording.trial import Source, Subject, Trial

Json: TypeAlias = "bool | int | float | str | tuple[Json, ...] | Mapping[str, Json] | None"
"""What settings are made of. Lists become tuples and dictionaries read-only, so that a session cannot be changed."""


def frozen_json(value: Any, where: str = "settings") -> Json:
    """Return a read-only copy of ``value``, or a sentence that names the part which is not plain data."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and math.isnan(value):
        return math.nan  # there is one NaN in plain data
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return tuple(frozen_json(item, f"{where}[{k}]") for k, item in enumerate(value))
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return FrozenDict({str(key): frozen_json(item, f"{where}.{key}") for key, item in value.items()})
    raise BiomecError(f"{where} is a {type(value).__name__}; use texts, numbers, true or false, lists and tables.")


@dataclass(frozen=True, eq=False)
class Result:
    """What one step of an analysis gave: named arrays of numbers, and plain data about them.

    arrays   : name -> array of truth values, integers, real or complex numbers, any shape. Read-only.
    metadata : settings used, names of rows and columns, units, notices …
    """

    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        arrays = {}
        for name, array in self.arrays.items():
            copy = np.array(array, order="C")  # the type of its numbers is kept
            if copy.dtype.kind not in "biufc":
                raise BiomecError(f"Array {name} of a result holds {copy.dtype}, not numbers; text goes to metadata.")
            copy.setflags(write=False)
            arrays[name] = copy
        object.__setattr__(self, "arrays", FrozenDict(arrays))
        object.__setattr__(self, "metadata", frozen_json(self.metadata, "metadata"))

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self.arrays:
            raise BiomecError(f"The result has no array {name}; it has {', '.join(self.arrays) or 'none'}.")
        return self.arrays[name]


class Storable(Protocol):
    """What a step of the pipeline gave, if it can be stored with a session."""

    def to_result(self) -> Result:
        """Return it as plain arrays and data."""


@dataclass(frozen=True)
class Original:
    """A file as it was imported, byte for byte."""

    source: Source
    content: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if Source.of_bytes(self.source.name, self.source.format, self.content) != self.source:
            raise BiomecError(f"{self.source.name}: these are not the bytes of the file that was imported.")


@dataclass(frozen=True)
class EmgAlignment:
    """Which frames of the whole recording the dynamic trial was saved with, counted from 1, both inclusive.

    An EMG file holds the whole recording: frame ``first`` happens at t0 = (first − 1) / rate on its clock, and what was
    saved ends at last / rate.
    """

    first: int
    last: int

    def __post_init__(self) -> None:
        if not 1 <= self.first <= self.last:
            raise BiomecError(f"Frames {self.first} to {self.last} are not a stretch; frames count from 1.")

    @classmethod
    def of(cls, trial: Trial) -> EmgAlignment:
        """Return the frames by the trial's own word."""
        return cls(max(1, trial.first_frame), max(1, trial.first_frame) + trial.frames - 1)

    def apply(self, emg: Analog, rate_hz: float) -> Analog:
        """Keep the samples in [t0, last / rate_hz], on the clock of the trial; ``rate_hz`` is the trial's."""
        t0, end = (self.first - 1) / rate_hz, self.last / rate_hz
        position = (np.array([t0, end]) - emg.start_s) * emg.rate_hz
        first = max(0, int(np.ceil(position[0] - 1e-6)))  # a millionth of a sample absorbs rounding of times
        stop = max(first, min(emg.samples, int(np.floor(position[1] + 1e-6)) + 1))
        begin = emg.start_s + first / emg.rate_hz
        return replace(emg, values=emg.values[first:stop], start_s=begin - t0)


@dataclass(frozen=True)
class Record:
    """One line of the history of a session: what was done, by which version, with which settings, to what.

    when    : UTC, ISO 8601 (``2026-03-01T12:00:00Z``)
    inputs  : name -> fingerprint of what went in
    """

    step: str
    when: str
    biomec: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", frozen_json(self.settings, f"settings of {self.step}"))
        object.__setattr__(self, "inputs", frozen_json(self.inputs, f"inputs of {self.step}"))


@dataclass(frozen=True, eq=False)
class Session:
    """One recording and its analysis; immutable, so that an older one is what undo returns to.

    dynamic       : the movement, as measured
    static        : the calibration, or None where there is none
    emg_alignment : how separately stored EMG was cut to the dynamic trial; None where that was not needed
    subject       : what is known of the person from user, files and file name together; ``recorded`` the day likewise
    settings      : what the user chose, plain data
    results       : step -> result
    provenance    : the history, oldest first
    originals     : imported files, byte for byte, where the user wants them kept
    notices       : what the import found, assumed or missed
    notes         : what a clinician wrote about it, and which cycles were excluded by hand
    """

    dynamic: Trial
    static: Trial | None = None
    emg_alignment: EmgAlignment | None = None
    subject: Subject = field(default_factory=Subject)
    recorded: date | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    results: Mapping[str, Result] = field(default_factory=dict)
    provenance: tuple[Record, ...] = ()
    originals: tuple[Original, ...] = ()
    notices: tuple[Notice, ...] = ()
    notes: ClinicalNotes = field(default_factory=ClinicalNotes)

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", frozen_json(self.settings))
        object.__setattr__(self, "results", FrozenDict(dict(self.results)))
        for name in ("provenance", "originals", "notices"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    @cached_property
    def fingerprint(self) -> str:
        """Fingerprint of what was measured and of the subject; results made of it are current while it stays."""
        digest = hashlib.sha256(repr(self.subject).encode())
        for trial in (self.dynamic, self.static):
            if trial is None:
                continue
            markers, axes = trial.markers, trial.axes
            digest.update(repr((markers.names, markers.rate_hz, trial.first_frame, axes.up, axes.forward)).encode())
            digest.update(np.ascontiguousarray(markers.p_WM).tobytes())
            digest.update(repr(trial.events).encode())
            if trial.dismissed_events:
                digest.update(repr(trial.dismissed_events).encode())
            for plate in trial.plates:
                digest.update(repr((plate.name, plate.rate_hz, plate.start_s)).encode())
                for array in (plate.force, plate.moment, plate.origin, plate.up):
                    digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def with_settings(self, **settings: Any) -> Session:
        """Return the session with these settings changed."""
        return replace(self, settings={**self.settings, **settings})

    def with_result(self, step: str, result: Result, record: Record | None = None) -> Session:
        """Return the session with the result of a step, and with its line in the history."""
        history = self.provenance if record is None else (*self.provenance, record)
        return replace(self, results={**self.results, step: result}, provenance=history)

    def with_step(self, step: str, result: Result | Storable, when: str | None = None, **settings: Any) -> Session:
        """Return the session with what a step gave, and with its line in the history; the trials stay as measured.

        The line holds the step's options, the version of Biomec, the fingerprints of the recordings, and further
        ``settings`` worth keeping, such as ``marker_set="plug-in-gait"``. ``when``: UTC, ISO 8601; now if not given.
        """
        stored = result if isinstance(result, Result) else result.to_result()
        if when is None:
            when = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        trials = {"dynamic": self.dynamic, "static": self.static}
        inputs = {name: trial.source.sha256 for name, trial in trials.items() if trial is not None}
        options = stored.metadata.get("options", {})
        record = Record(step, when, __version__, {**settings, "options": options} if options else settings, inputs)
        return self.with_result(step, stored, record)
