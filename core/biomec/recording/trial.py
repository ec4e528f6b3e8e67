"""The one data model of what was measured: a trial, its subject, its events and its source."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError, FileError
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Notice
from biomec.base.special_files import refuse_special
from biomec.recording.axes import LabAxes
from biomec.recording.plate import ForcePlate
from biomec.recording.series import Analog, Markers, Outputs


@dataclass(frozen=True)
class Source:
    """The file a trial was read from, and proof that it is still the same file.

    name   : file name without folder
    format : "C3D", "EMT", …
    sha256 : hash of the file's bytes, hexadecimal
    size   : bytes
    """

    name: str
    format: str
    sha256: str
    size: int

    @classmethod
    def of(cls, path: Path, format: str) -> Source:
        """Describe a file on disk, without holding it in memory."""
        refuse_special(path)
        try:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
                return cls(path.name, format, digest, file.tell())
        except OSError as error:
            raise FileError(path.name, f"cannot be read ({error.strerror}).") from error

    @classmethod
    def of_bytes(cls, name: str, format: str, content: bytes) -> Source:
        """Describe a file whose bytes are at hand."""
        return cls(name, format, hashlib.sha256(content).hexdigest(), len(content))


_LENGTHS = {
    "leg_length": 1.6,
    "knee_width": 0.4,
    "ankle_width": 0.3,
    "asis_trochanter": 0.4,
    "shoulder_offset": 0.3,
    "elbow_width": 0.3,
    "wrist_width": 0.3,
    "hand_thickness": 0.2,
}
_ANGLES = {
    "thigh_rotation": 3.2,
    "shank_rotation": 3.2,
    "tibial_torsion": 3.2,
    "ankle_abduction": 1.6,
    "foot_plantar_flexion": 1.6,
    "foot_rotation": 1.6,
}
MEASURES: Mapping[str, float] = FrozenDict(
    {f"{key}_{side}": limit for key, limit in (_LENGTHS | _ANGLES).items() for side in "DE"}
    | {"asis_distance": 0.8, "marker_diameter": 0.1, "head_offset": 1.6}
)
"""Measures of a person, D right and E left, with the size beyond which they are a slip of the unit [m, rad]."""
ANGLE_MEASURES = (*_ANGLES, "head_offset")
"""Measures that are angles, without their side."""


def is_angle(measure: str) -> bool:
    """Whether a measure (``tibial_torsion_D``, or without its side) is an angle [rad]; the others are lengths [m]."""
    return measure.removesuffix("_D").removesuffix("_E") in ANGLE_MEASURES


@dataclass(frozen=True)
class Subject:
    """What is known about the person; None where nobody has said it.

    measures : lengths [m] and angles [rad] that were taken on the person, such as ``leg_length_D``: see `MEASURES`
    """

    name: str = ""
    sex: str | None = None  # "female" or "male"
    mass_kg: float | None = None
    height_m: float | None = None
    birth_date: date | None = None
    measures: Mapping[str, float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if self.sex not in (None, "female", "male"):
            raise BiomecError(f"Subject {self.name}: sex is {self.sex!r}; the inertia tables know female and male.")
        for what, value, limit in (("mass", self.mass_kg, 500.0), ("height", self.height_m, 3.0)):
            if value is not None and not 0.0 < value < limit:
                raise BiomecError(f"Subject {self.name}: a {what} of {value:g} is impossible; check the unit (kg, m).")
        for key, value in self.measures.items():
            if key not in MEASURES:
                raise BiomecError(f"Subject {self.name}: there is no measure {key}; there are {', '.join(MEASURES)}.")
            if not abs(value) < MEASURES[key]:
                raise BiomecError(
                    f"Subject {self.name}: the measure {key} is {value:g}; it cannot be beyond {MEASURES[key]:g}. "
                    f"Check the unit (m, rad)."
                )
        object.__setattr__(self, "measures", FrozenDict({str(k): float(v) for k, v in self.measures.items()}))

    def age_on(self, day: date) -> int | None:
        """Full years on a day."""
        if self.birth_date is None:
            return None
        born = self.birth_date
        return day.year - born.year - ((day.month, day.day) < (born.month, born.day))


@dataclass(frozen=True, order=True)
class Event:
    """Something that happened at a time of the trial.

    time_s  : on the clock of the trial, whose first stored frame is at 0 [s]
    label   : "Foot Strike", "Foot Off", or any text
    context : "Left", "Right" or "General"
    origin  : "file", "plates", "kinematics", "signal" or "manual"
    """

    time_s: float
    label: str
    context: str = "General"
    origin: str = "file"

    def __post_init__(self) -> None:
        if not np.isfinite(self.time_s):
            raise BiomecError(f"Event {self.label} ({self.context}) has the time {self.time_s}; it must be a number.")


@dataclass(frozen=True, eq=False)
class Trial:
    """One recording, as measured: SI units, laboratory axes of the file, missing samples NaN.

    markers        : what the cameras saw of the subject
    unlabelled     : points without a name (``*12``), kept apart
    other_subjects : name -> markers of further people in the same file
    outputs        : results of other programs stored as points
    plates         : force plates
    analog         : all analog channels that are not a plate's; ``emg`` those known to be EMG
    dismissed_events : events that the user took away; none is found again where one of them was
    first_frame    : number that the file gives to its first frame (1 unless it was cut from a longer recording)
    notices        : what was found, assumed or repaired while reading
    """

    source: Source
    markers: Markers
    axes: LabAxes
    subject: Subject = Subject()
    recorded: date | None = None
    unlabelled: Markers | None = None
    other_subjects: Mapping[str, Markers] = field(default_factory=dict)
    outputs: Outputs | None = None
    plates: tuple[ForcePlate, ...] = ()
    analog: Analog | None = None
    emg: Analog | None = None
    events: tuple[Event, ...] = ()
    first_frame: int = 1
    notices: tuple[Notice, ...] = ()
    dismissed_events: tuple[Event, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "plates", tuple(self.plates))
        object.__setattr__(self, "events", tuple(sorted(self.events)))
        object.__setattr__(self, "dismissed_events", tuple(sorted(self.dismissed_events)))
        object.__setattr__(self, "notices", tuple(self.notices))
        object.__setattr__(self, "other_subjects", FrozenDict(dict(self.other_subjects)))
        names = [plate.name for plate in self.plates]
        if len(set(names)) != len(names):
            raise BiomecError(f"{self.source.name}: two force plates have the same name ({', '.join(names)}).")
        beside: dict[str, Markers | Outputs | None] = {"Unlabelled points": self.unlabelled, "Outputs": self.outputs}
        beside |= {f"Markers of {name}": markers for name, markers in self.other_subjects.items()}
        for what, series in beside.items():
            if series is not None and (series.frames, series.rate_hz) != (self.frames, self.rate_hz):
                raise BiomecError(
                    f"{self.source.name}: {what} have {series.frames} frames at {series.rate_hz:g} Hz, "
                    f"the markers {self.frames} at {self.rate_hz:g} Hz; one trial has one camera clock."
                )

    @property
    def rate_hz(self) -> float:
        """Frames a second."""
        return self.markers.rate_hz

    @property
    def frames(self) -> int:
        """Number of frames."""
        return self.markers.frames

    @property
    def duration_s(self) -> float:
        """Frames divided by the rate [s]."""
        return self.frames / self.rate_hz

    @property
    def time_s(self) -> FloatArray:
        """(T,) time of every frame, the first at 0 [s]."""
        return np.arange(self.frames) / self.rate_hz

    def plate(self, name: str) -> ForcePlate:
        """Return the plate of that name, or raise a sentence that lists what there is."""
        for plate in self.plates:
            if plate.name == name:
                return plate
        there = ", ".join(plate.name for plate in self.plates) or "none"
        raise BiomecError(f"{self.source.name}: there is no force plate {name}; there are {there}.")

    def with_notices(self, *notices: Notice) -> Trial:
        """Return the trial with further notices."""
        return replace(self, notices=(*self.notices, *notices))

    def turned(self, axes: LabAxes) -> Trial:
        """Return the trial in other laboratory axes: points, plates and forces turned, outputs left as they are."""
        if (axes.up, axes.forward) == (self.axes.up, self.axes.forward):
            return replace(self, axes=axes)

        def vectors(array: FloatArray) -> FloatArray:
            return self.axes.turn(array, axes)

        def turn(markers: Markers) -> Markers:
            return replace(markers, p_WM=vectors(markers.p_WM))

        def turn_plate(plate: ForcePlate) -> ForcePlate:
            return replace(
                plate,
                force=vectors(plate.force),
                moment=vectors(plate.moment),
                origin=vectors(plate.origin),
                up=vectors(plate.up),
                corners=None if plate.corners is None else vectors(plate.corners),
                to_surface=None if plate.to_surface is None else vectors(plate.to_surface),
            )

        return replace(
            self,
            axes=axes,
            markers=turn(self.markers),
            unlabelled=None if self.unlabelled is None else turn(self.unlabelled),
            other_subjects={name: turn(markers) for name, markers in self.other_subjects.items()},
            plates=tuple(turn_plate(plate) for plate in self.plates),
        )

    def stretch(self, first: int, last: int) -> Trial:
        """Return frames ``first`` to ``last`` (from 0, inclusive) as a trial of its own, its clock starting at 0.

        Notices about frames outside the stretch stay behind; the others keep their words, and count from its start.
        """
        if not 0 <= first <= last < self.frames:
            raise BiomecError(
                f"{self.source.name}: frames {first} to {last} do not lie within the {self.frames} frames of the trial."
            )
        start, stop = first / self.rate_hz, (last + 1) / self.rate_hz

        def cut(markers: Markers) -> Markers:
            residual = None if markers.residual is None else markers.residual[first : last + 1]
            return replace(markers, p_WM=markers.p_WM[first : last + 1], residual=residual)

        def cut_plate(plate: ForcePlate) -> ForcePlate:
            part, begin = _samples(plate.start_s, plate.rate_hz, plate.samples, start, stop)
            return replace(plate, force=plate.force[part], moment=plate.moment[part], start_s=begin - start)

        def cut_analog(analog: Analog) -> Analog:
            part, begin = _samples(analog.start_s, analog.rate_hz, analog.samples, start, stop)
            return replace(analog, values=analog.values[part], start_s=begin - start)

        def cut_events(events: tuple[Event, ...]) -> tuple[Event, ...]:
            inside = (event for event in events if start - slack <= event.time_s < stop - slack)
            return tuple(replace(event, time_s=max(0.0, event.time_s - start)) for event in inside)

        def cut_notice(notice: Notice) -> Notice:
            if notice.frames is None:
                return notice
            return replace(notice, frames=(max(notice.frames[0], first) - first, min(notice.frames[1], last) - first))

        outputs = self.outputs
        slack = 1e-6 / self.rate_hz  # absorbs rounding of times
        return replace(
            self,
            markers=cut(self.markers),
            unlabelled=None if self.unlabelled is None else cut(self.unlabelled),
            other_subjects={name: cut(markers) for name, markers in self.other_subjects.items()},
            outputs=None if outputs is None else replace(outputs, values=outputs.values[first : last + 1]),
            plates=tuple(cut_plate(plate) for plate in self.plates),
            analog=None if self.analog is None else cut_analog(self.analog),
            emg=None if self.emg is None else cut_analog(self.emg),
            events=cut_events(self.events),
            dismissed_events=cut_events(self.dismissed_events),
            first_frame=self.first_frame + first,
            notices=tuple(
                cut_notice(notice)
                for notice in self.notices
                if notice.frames is None or (notice.frames[0] <= last and notice.frames[1] >= first)
            ),
        )


def _samples(begin_s: float, rate_hz: float, count: int, start_s: float, stop_s: float) -> tuple[slice, float]:
    """Samples within [start, stop) and the time of the first of them; the tolerance absorbs rounding of times."""
    first = max(0, int(np.ceil((start_s - begin_s) * rate_hz - 1e-6)))
    last = min(count, int(np.ceil((stop_s - begin_s) * rate_hz - 1e-6)))
    return slice(first, max(first, last)), begin_s + first / rate_hz
