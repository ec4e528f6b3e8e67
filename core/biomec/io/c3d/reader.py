"""Read a C3D file into a trial, with what it says about units, axes and the subject."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.errors import BiomecError, FileError
from biomec.base.limits import MB, SMALL, Budget, TooMuchError
from biomec.base.notices import Notice, info, problem, warning
from biomec.base.special_files import refuse_special
from biomec.io.c3d.channels import Channels, read_channels, si_unit, sort_channels
from biomec.io.c3d.data_block import ChannelSink, PointSink, peek_points, read_data
from biomec.io.c3d.events import read_events
from biomec.io.c3d.header import read_head
from biomec.io.c3d.layout import DataLayout, find_layout
from biomec.io.c3d.measures import read_measures
from biomec.io.c3d.parameters import Parameters, as_written
from biomec.io.c3d.plates import PlateSetup, build_plate, floor_axis, plate_columns, read_setups, zero_samples
from biomec.io.c3d.points import NamedPoints, SortedPoints, sort_points
from biomec.io.labels import listed
from biomec.io.units import PER_METRE, plain_unit
from biomec.recording import Analog, Authority, ForcePlate, LabAxes, Markers, Outputs, Source, Subject, Trial
from biomec.recording.axes import DIRECTIONS

FRAMES_TO_GUESS = 200  # frames looked at to tell metres from millimetres
LARGEST_LAB_M = 20.0
_TIMES = 10.0  # memory for a byte of the file: 16-bit numbers become doubles, some of them twice
MM = 1e3  # millimetres in a metre


def read_c3d(path: str | os.PathLike[str], zeros_are_missing: bool = True) -> Trial:
    """Read a C3D file of any processor, with integers or reals, in SI units and the file's own laboratory axes.

    Many systems write a lost sample as exactly (0, 0, 0): unless stated otherwise such samples of markers are missing.

    A file that is damaged or cut off raises `FileError`. What was assumed, left out or put right is in the notices.
    """
    path = Path(path)
    refuse_special(path)
    try:
        with path.open("rb") as stream:
            return _read(path.name, stream, zeros_are_missing)
    except OSError as fault:
        raise FileError(path.name, f"it cannot be read: {fault.strerror or fault}.") from fault
    except FileError:
        raise
    except BiomecError as fault:
        raise FileError(path.name, str(fault)) from fault


def _read(file: str, stream: BinaryIO, zeros_are_missing: bool) -> Trial:
    header, parameters, processor, size = read_head(file, stream)
    layout, notices = find_layout(file, header, parameters, processor, size)
    _refuse_vast(file, layout, size)
    points = sort_points(file, parameters, layout.points)
    metres, unit_notices = _length_unit(file, stream, layout, parameters, points)
    axes, axes_notices = read_axes(file, parameters, floor_axis(parameters))
    channels = read_channels(file, parameters, layout.channels)
    setups, plate_notices = read_setups(file, parameters, channels, metres)
    duration_s = layout.frames / layout.rate_hz
    events, event_notices = read_events(file, header, parameters, layout.first_frame, layout.rate_hz, duration_s)
    found = [*notices, *points.notices, *unit_notices, *axes_notices, *channels.notices, *plate_notices]
    found += [*event_notices, *_clock(file, layout, parameters), *_damage(file, parameters)]

    sinks = _PointSinks(layout, points, metres, zeros_are_missing)
    signals = _ChannelSinks(layout, channels, setups)
    sha256 = read_data(file, stream, layout, sinks.all, signals.all, channels.unsigned)
    subject, subject_notices = read_subject(file, parameters, points.subject, sinks.seen())
    found += [*subject_notices, *sinks.zero_notices(file)]
    plates, build_notices = signals.plates(file, setups, layout, parameters)
    return Trial(
        source=Source(file, "C3D", sha256, size),
        markers=sinks.markers(),
        axes=axes,
        subject=subject,
        unlabelled=sinks.unlabelled(),
        other_subjects=sinks.others(),
        outputs=sinks.outputs(),
        plates=plates,
        analog=signals.analog(),
        emg=signals.emg(),
        events=events,
        first_frame=layout.first_frame,
        notices=(*found, *build_notices),
    )


def _refuse_vast(file: str, layout: DataLayout, size: int) -> None:
    """Refuse what would not fit into the free memory, and a file that is mostly something else than its recording."""
    values = layout.frames * layout.values_per_frame
    try:
        Budget(size, _TIMES).take(2 * 8 * values)  # doubles; some analog channels are read twice, as plates are
    except TooMuchError as error:
        raise FileError(file, f"{error}.") from error
    if size - layout.start > SMALL + _TIMES * layout.frames * layout.frame_bytes:
        held = layout.frames * layout.frame_bytes
        words = f"it states {layout.frames} frames, which take {held / MB:.0f} of its {size / MB:.0f} MB"
        raise FileError(file, f"{words}; it is damaged. Export it again from the capture system.")


def _length_unit(
    file: str, stream: BinaryIO, layout: DataLayout, parameters: Parameters, points: SortedPoints
) -> tuple[float, tuple[Notice, ...]]:
    """Metres in one length unit: the file's word, else by the size of the coordinates, which fill no hall."""
    stated = read_length_unit(parameters)
    if stated is not None:
        return stated, ()
    if not len(points.markers.columns):
        return 1e-3, (info("c3d-unit-assumed", f"{file} does not state its length unit; millimetres are assumed."),)
    sample = peek_points(file, stream, layout, points.markers.columns, FRAMES_TO_GUESS)
    sizes = np.abs(sample[np.isfinite(sample)])
    metres = 1.0 if len(sizes) and float(np.percentile(sizes, 99.0)) < LARGEST_LAB_M else 1e-3
    word = "metres" if metres == 1.0 else "millimetres"
    said = parameters.text("POINT", "UNITS")
    what = f"states the length unit {said!r}, which is not understood" if said else "does not state its length unit"
    sentence = f"{file} {what}; {word} are taken from the size of the coordinates."
    return metres, (warning("c3d-unit-guessed", sentence),)


def _damage(file: str, parameters: Parameters) -> tuple[Notice, ...]:
    """Say so if parameters do not fill their place in the file."""
    if not parameters.doubtful:
        return ()
    sentence = (
        f"{file}: the parameters {listed(parameters.doubtful)} do not fit their place, so the file may be damaged; "
        "compare names, units and plates with the capture system."
    )
    return (problem("c3d-parameters-doubtful", sentence),)


def _clock(file: str, layout: DataLayout, parameters: Parameters) -> tuple[Notice, ...]:
    """Say so if the stated analog rate does not fit the samples that each frame holds."""
    stated = parameters.number("ANALOG", "RATE")
    if not layout.channels or stated is None or abs(stated - layout.analog_rate_hz) <= 1e-3 * layout.analog_rate_hz:
        return ()
    sentence = (
        f"{file} states an analog rate of {stated:g} Hz, but holds {layout.samples_per_frame} samples with each frame, "
        f"which makes {layout.analog_rate_hz:g} Hz; the latter is used."
    )
    return (warning("c3d-analog-rate", sentence),)


class _PointSinks:
    """Arrays for the points of every sort, and what they become."""

    def __init__(self, layout: DataLayout, points: SortedPoints, metres: float, zeros_are_missing: bool) -> None:
        def sink(named: NamedPoints) -> PointSink:
            return PointSink(named.columns, layout.frames, metres, zeros_are_missing)

        self._points, self._rate_hz, self._metres = points, layout.rate_hz, metres
        self._markers, self._unlabelled = sink(points.markers), sink(points.unlabelled)
        self._others = {name: sink(named) for name, named in points.others.items()}
        self._outputs = PointSink(
            points.outputs.columns, layout.frames, zero_is_missing=False, with_residual=False
        )  # in the file's own units
        every = (self._markers, self._unlabelled, *self._others.values(), self._outputs)
        self.all = [sink for sink in every if len(sink.columns)]
        if not len(self._markers.columns):
            self._markers.values.setflags(write=False)

    def markers(self) -> Markers:
        return self._as_markers(self._points.markers, self._markers)

    def unlabelled(self) -> Markers | None:
        named = self._points.unlabelled
        return self._as_markers(named, self._unlabelled) if named.names else None

    def others(self) -> dict[str, Markers]:
        return {name: self._as_markers(self._points.others[name], sink) for name, sink in self._others.items()}

    def outputs(self) -> Outputs | None:
        named = self._points.outputs
        if not named.names:
            return None
        return Outputs(named.names, self._points.kinds, self._points.units, self._outputs.values, self._rate_hz)

    def seen(self) -> dict[str, FloatArray]:
        """Label -> (T, 3) [mm] of the subject's markers and of modelled points."""
        points, markers = self._points, self._markers.values
        there = {name: MM * markers[:, k] for k, name in enumerate(points.markers.names)}
        outputs = zip(points.outputs.names, points.kinds, strict=True)
        modelled = [(k, name) for k, (name, kind) in enumerate(outputs) if kind == "modelled point"]
        return there | {name: MM * self._metres * self._outputs.values[:, k] for k, name in modelled}

    def zero_notices(self, file: str) -> tuple[Notice, ...]:
        """Name the markers with samples at exactly (0, 0, 0)."""
        zeros = dict(zip(self._points.markers.names, self._markers.zeros, strict=True))
        names = [name for name, count in zeros.items() if count]
        if not names or not self._markers.zero_is_missing:
            return ()
        sentence = f"{file}: samples at exactly (0, 0, 0) are taken as missing, for markers {listed(names)}."
        return (info("c3d-zero-is-missing", sentence, *names),)

    def _as_markers(self, named: NamedPoints, sink: PointSink) -> Markers:
        residual = sink.residual
        if residual is not None and not np.nanmax(residual, initial=0.0) > 0.0:
            residual = None  # the capture system did not estimate its errors
        return Markers(named.names, sink.values, self._rate_hz, residual)


class _ChannelSinks:
    """Arrays for the channels of plates, of EMG and the others, and what they become."""

    def __init__(self, layout: DataLayout, channels: Channels, setups: tuple[PlateSetup, ...]) -> None:
        self._channels, self._rate_hz = channels, layout.analog_rate_hz
        self._of_plates = plate_columns(setups)
        emg, rest = sort_channels(channels, set(self._of_plates))
        samples = layout.frames * layout.samples_per_frame

        def sink(columns: IntArray, si: bool) -> ChannelSink:
            factor = np.array([si_unit(channels.units[c])[0] if si else 1.0 for c in columns])
            return ChannelSink(columns, samples, channels.gain[columns] * factor, channels.offset[columns])

        self._plates = sink(np.array(self._of_plates, dtype=np.int64), False)
        self._emg, self._rest = sink(emg, True), sink(rest, True)
        self.all = [sink for sink in (self._plates, self._emg, self._rest) if len(sink.columns)]

    def emg(self) -> Analog | None:
        return self._as_analog(self._emg)

    def analog(self) -> Analog | None:
        return self._as_analog(self._rest)

    def plates(
        self, file: str, setups: tuple[PlateSetup, ...], layout: DataLayout, parameters: Parameters
    ) -> tuple[tuple[ForcePlate, ...], tuple[Notice, ...]]:
        """Plates from their channels."""
        baseline = zero_samples(parameters, layout.frames, layout.samples_per_frame)
        plates: list[ForcePlate] = []
        notices: list[Notice] = []
        for setup in setups:
            columns = [self._of_plates.index(column) for column in setup.columns]
            plate, notes = build_plate(file, setup, self._plates.values, columns, self._rate_hz, baseline)
            plates.append(plate)
            notices += notes
        return tuple(plates), tuple(notices)

    def _as_analog(self, sink: ChannelSink) -> Analog | None:
        if not len(sink.columns):
            return None
        names = tuple(self._channels.names[c] for c in sink.columns)
        units = tuple(si_unit(self._channels.units[c])[1] for c in sink.columns)
        return Analog(names, sink.values, units, self._rate_hz)


def read_length_unit(parameters: Parameters) -> float | None:
    """Metres in one length unit of the file, or None where it does not say."""
    per_metre = PER_METRE.get(plain_unit(parameters.text("POINT", "UNITS")))
    return None if per_metre is None else 1.0 / per_metre


def read_axes(file: str, parameters: Parameters, floor: str | None) -> tuple[LabAxes, tuple[Notice, ...]]:
    """Axes by POINT:Y_SCREEN (up) and X_SCREEN (across the screen, taken as forward).

    Without these, ``floor``, the axis that the plates are square to, is evidence of what is up; else Z is assumed.
    """
    across, up = (_direction(parameters.text("POINT", name)) for name in ("X_SCREEN", "Y_SCREEN"))
    if up is None and floor in ("y", "z"):
        sentence = (
            f"{file} does not say how its axes point; {floor.upper()} is taken as up, as the force plates lie so."
        )
        return LabAxes(f"+{floor}", "+x", Authority.EVIDENCE), (info("c3d-axes-from-plates", sentence),)
    if up is None:
        return LabAxes("+z", "+x", Authority.ASSUMED), (
            info("c3d-axes-assumed", f"{file} does not say how its axes point; Z is taken as up, as is usual for C3D."),
        )
    if across is None or across[1] == up[1]:
        across = "+y" if up[1] == "x" else "+x"
    return LabAxes(up, across, Authority.FILE), ()


def _direction(text: str) -> str | None:
    word = text.strip().lower()
    word = word if word[:1] in ("+", "-") else "+" + word
    return word if word in DIRECTIONS else None


def read_subject(
    file: str, parameters: Parameters, name: str, seen: Mapping[str, FloatArray] | None = None
) -> tuple[Subject, tuple[Notice, ...]]:
    """Name, body mass [kg], height (mm in most files, by its size where it is in m or cm) and measures of the subject.

    seen : label -> (T, 3) [mm] of markers and stored segments, which help to read the measures
    """
    notices: list[Notice] = []
    names = parameters.texts("SUBJECTS", "NAMES")
    index = names.index(name) if name in names else 0

    def value(*keys: tuple[str, str]) -> float | None:
        for group, key in keys:
            numbers = parameters.numbers(group, key)
            if len(numbers):
                number = float(numbers[index] if index < len(numbers) else numbers[0])
                if np.isfinite(number) and number != 0.0:  # 0 is what programs write before anybody measured
                    return as_written(number)
        return None

    mass = value(("PROCESSING", "BODYMASS"), ("SUBJECT", "MASS"), ("SUBJECT", "WEIGHT"), ("SUBJECTS", "MASS"))
    height = value(("PROCESSING", "HEIGHT"), ("SUBJECT", "HEIGHT"), ("SUBJECTS", "HEIGHT"))
    if height is not None:
        height *= 1.0 if height < 3.0 else 1e-2 if height < 300.0 else 1e-3
    known: dict[str, float] = {}
    for key, number in (("mass_kg", mass), ("height_m", height)):
        if number is None:
            continue
        try:
            Subject(**{key: number})  # type: ignore[arg-type]
            known[key] = number
        except BiomecError:
            what = key.split("_")[0]
            notices.append(
                warning("c3d-subject", f"{file}: the {what} of the subject, {number:g}, is impossible; ignored.")
            )
    measures, about_measures = read_measures(file, parameters, index, seen)
    subject = Subject(name, mass_kg=known.get("mass_kg"), height_m=known.get("height_m"), measures=measures)
    return subject, (*notices, *about_measures)
