"""EMT: the text format of BTS systems, for tracks of points and for tracks of EMG."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError, FileError
from biomec.base.notices import Notice, Scope, info, warning
from biomec.io.clock import Clock, channel_start, check_rate, read_clock
from biomec.io.labels import unique_names, writable_names
from biomec.io.left_out import left_out
from biomec.io.points import all_points, sort_points, trial_of_points
from biomec.io.table import TextTable, check_rows, printed_step, read_table, table_text
from biomec.io.text import (
    TextFile,
    cells,
    count_of,
    delimiter_of,
    leading_number,
    read_text,
    without_trailing_blanks,
    write_text,
)
from biomec.io.units import PER_METRE, PER_VOLT, metres, plain_unit
from biomec.recording import Analog, LabAxes, Markers, Trial

_HEADER_LINES = 200
_AXIS = re.compile(r"(.+?)[.\s_]?([XYZ])", re.IGNORECASE)
_COUNTERS = ("frame", "sample", "item")


def read_emt(path: str | os.PathLike[str], *, zeros_are_missing: bool = True) -> Trial:
    """Read an EMT file of points or of EMG; empty cells and, unless told otherwise, points at (0, 0, 0) are missing.

    The file says what it holds (``Type:``); if it does not, ``_EMG`` in its name and the names of its columns do.
    Tracks of another kind become analog channels.
    """
    text = read_text(path, "EMT")
    header, at = _header(text)
    delimiter = delimiter_of(text.line(at), ("\t", ";"))
    columns = without_trailing_blanks(cells(text.line(at), delimiter))
    first = _first_track(text, columns, at)
    table = read_table(text, at + 1, columns, delimiter)
    rate = leading_number(header.get("frequency", ""))
    kind = _kind(header.get("type", ""), text.name, columns[first:])
    counter = table.values[:, 0] if kind == "points" and columns[0].lower().startswith(_COUNTERS) else None
    printed_s = printed_step(text, table.lines, first - 1, delimiter)
    start_time = leading_number(header.get("start time", "")) or 0.0
    clock, unclear = _clock(text, table, columns[:first], rate, start_time, printed_s, counter)
    notices = (*table.notices, *check_rows(len(table.lines), count_of(header.get("frames", ""))), *clock.notices)
    values = clock.spread(table.values[:, first:])
    unit = header.get("measure unit", "")
    if kind == "points":
        labels = _point_labels(text, columns[first:], at)
        tracks = _check_tracks(count_of(header.get("tracks", "")), len(labels))
        p_W, unit_notices = metres(values.reshape(len(values), -1, 3), unit)
        points = sort_points(labels, p_W, clock.rate_hz, zeros_are_missing)
        number = None if counter is None else float(counter[0])
        return trial_of_points(text.source, points, clock, number, (*notices, *unclear, *tracks, *unit_notices))
    names, renamed = unique_names(columns[first:], "track")
    tracks = _check_tracks(count_of(header.get("tracks", "")), len(names))
    values, unit, unit_notices = _volts(values, unit) if kind == "emg" else (values, unit, ())
    start_s, frames, late = channel_start(clock)
    channels = Analog(names, values, (unit,) * len(names), clock.rate_hz, start_s)
    other = () if kind == "emg" else (_other_kind(header.get("type", "")),)
    return Trial(
        source=text.source,
        markers=Markers.none(frames, clock.rate_hz),
        axes=LabAxes("+y", "+x"),
        analog=channels if kind == "other" else None,
        emg=channels if kind == "emg" else None,
        notices=(*notices, *unclear, *tracks, *unit_notices, *renamed, *other, *late),
    )


def _header(text: TextFile) -> tuple[dict[str, str], int]:
    """Values of the header by key in lower case, and the number of the line that names the columns."""
    top = next((k for k in range(1, len(text.lines) + 1) if text.line(k).strip()), 1)
    if not text.line(top).strip().lower().startswith("bts"):
        raise text.fault("this is not an EMT file: it does not start with 'BTS ASCII format'.", top)
    header: dict[str, str] = {}
    for at in range(top + 1, min(_HEADER_LINES, len(text.lines)) + 1):
        line = text.line(at).strip()
        key, colon, value = line.partition(":")
        if line.lower().startswith((*_COUNTERS, "time")) and not line.lower().startswith("frames"):
            return header, at
        if colon:
            header[" ".join(key.lower().split())] = value.strip()
    raise text.fault("no line names the columns (Frame, Time, tracks …).")


def _first_track(text: TextFile, columns: Sequence[str], at: int) -> int:
    """How many columns stand before the tracks: frame and time, or one of them."""
    first = 0
    while first < min(2, len(columns)) and columns[first].lower().startswith((*_COUNTERS, "time")):
        first += 1
    if first == 0:
        raise text.fault("the first column must be Frame or Time.", at)
    if first >= len(columns):
        raise text.fault("no track is named behind Frame and Time.", at)
    return first


def _clock(
    text: TextFile,
    table: TextTable,
    before: Sequence[str],
    rate: float | None,
    start_s: float,
    printed_s: float,
    counter: FloatArray | None,
) -> tuple[Clock, tuple[Notice, ...]]:
    """Clock from the time column, or from the frame numbers and the stated frequency."""
    if before[-1].lower().startswith("time"):
        time_s = table.values[:, len(before) - 1]
        clock = read_clock(text, time_s, table.lines, rate, printed_s=printed_s, numbers=counter)
        if start_s and abs(clock.start_s - start_s) > 0.5 / clock.rate_hz:
            if clock.start_s == 0.0:
                return replace(clock, start_s=start_s), ()
            words = f"The header states a start at {start_s:g} s; the times, which were believed, {clock.start_s:g} s."
            return clock, (warning("start-disagrees", words),)
        return clock, ()
    if rate is None:
        raise text.fault("there is neither a column Time nor a Frequency in the header.")
    check_rate(text, rate)
    numbers = table.values[:, 0]
    time_s = start_s + (numbers - numbers[:1]) / rate
    return read_clock(text, time_s, table.lines, rate, numbers=counter), ()


def _kind(type_: str, file: str, tracks: Sequence[str]) -> str:
    """points, emg or other: by the file's word, then by its name, then by its columns."""
    word = type_.lower()
    if "point" in word:
        return "points"
    if "emg" in word or (not word and "_emg" in file.lower()):
        return "emg"
    spatial = len(tracks) % 3 == 0 and all(_AXIS.fullmatch(track) for track in tracks)
    return "points" if not word and spatial else "other"


def _point_labels(text: TextFile, tracks: Sequence[str], at: int) -> list[str]:
    """Names of points from NAME.X NAME.Y NAME.Z."""
    labels = []
    for k in range(0, len(tracks), 3):
        found = [_AXIS.fullmatch(track) for track in tracks[k : k + 3]]
        parts = [(match.group(1), match.group(2).upper()) for match in found if match]
        if [axis for _, axis in parts] != ["X", "Y", "Z"] or len({name for name, _ in parts}) != 1:
            there = ", ".join(tracks[k : k + 3])
            raise text.fault(f"a point needs three columns NAME.X, NAME.Y, NAME.Z; here they are {there}.", at)
        labels.append(parts[0][0])
    return labels


def _check_tracks(stated: int | None, named: int) -> tuple[Notice, ...]:
    if stated is None or stated == named:
        return ()
    words = f"The header states {stated} tracks, but {named} are named; these were read."
    return (warning("tracks-not-as-stated", words),)


def _volts(values: FloatArray, unit: str) -> tuple[FloatArray, str, tuple[Notice, ...]]:
    per_volt = PER_VOLT.get(plain_unit(unit))
    if per_volt is None:
        said = f"the unit {unit!r}" if unit else "no unit"
        words = f"The EMG has {said}, not volts; the numbers were kept as they are."
        note = warning("unit-unknown", words, scope=Scope.ASIDE)
        return values, unit, (note,)
    return (values if per_volt == 1.0 else values / per_volt), "V", ()


def _other_kind(type_: str) -> Notice:
    said = f"tracks of the type {type_!r}" if type_ else "tracks of no stated type"
    return info("tracks-of-another-kind", f"The file holds {said}; they were kept as analog channels.")


def write_emt(
    trial: Trial, path: str | os.PathLike[str], *, tracks: str | None = None, unit: str | None = None
) -> tuple[Notice, ...]:
    """Write the points (``tracks="points"``) or the EMG (``tracks="emg"``) of a trial; an EMT file holds one kind.

    If ``tracks`` is not given, the points are written if there are any. In metres and volts, the default, a file that
    is read back holds the same bits.
    """
    path = Path(path)
    if tracks is None:
        tracks = "points" if trial.markers.names or trial.emg is None else "emg"
    if tracks == "points":
        labels, p_W, zeros = all_points(trial)
        if not labels or not trial.frames:
            raise FileError(path.name, "the trial has no markers, so there is nothing to write as points.")
        names, renamed = writable_names(labels, "\t")
        columns = [f"{name}.{axis}" for name in names for axis in "XYZ"]
        unit = unit or "m"
        values = p_W.reshape(trial.frames, -1) * PER_METRE[unit]
        start = (trial.first_frame - 1) / trial.rate_hz
        lines = _lines("Point 3D tracks", unit, len(names), columns, values, trial.rate_hz, start, trial.first_frame)
        stored, lost = {"markers", "unlabelled", "other_subjects", "first_frame"}, zeros
    elif tracks == "emg":
        emg = trial.emg
        if emg is None or not emg.samples or not emg.names:
            raise FileError(path.name, "the trial has no EMG, so there is nothing to write.")
        names, renamed = writable_names(emg.names, "\t")
        in_volts = all(plain_unit(one) == "v" for one in emg.units)
        if not in_volts and len(set(emg.units)) > 1:
            raise FileError(path.name, f"the EMG channels have several units ({', '.join(emg.units)}); EMT holds one.")
        unit = (unit or "V") if in_volts else emg.units[0]
        values = emg.values * (PER_VOLT[plain_unit(unit)] if in_volts else 1.0)
        lines = _lines("Emg tracks", unit, len(names), names, values, emg.rate_hz, emg.start_s, 1)
        stored, lost = {"emg"}, ()
    else:
        raise BiomecError(f"An EMT file holds 'points' or 'emg', not {tracks!r}.")
    write_text(path, lines)
    return (*renamed, *lost, *left_out(trial, "EMT", stored))


def _lines(
    type_: str,
    unit: str,
    tracks: int,
    columns: Sequence[str],
    values: FloatArray,
    rate_hz: float,
    start_s: float,
    first: int,
) -> Iterator[str]:
    yield "BTS ASCII format"
    yield ""
    yield f"Type:\t{type_}"
    yield f"Measure unit:\t{unit}"
    yield ""
    yield f"Tracks:\t{tracks}"
    yield f"Frequency:\t{float(rate_hz)!r} Hz"
    yield f"Frames:\t{len(values)}"
    yield f"Start time:\t{float(start_s)!r}"
    yield ""
    yield "Frame\tTime\t" + "\t".join(columns)
    time_s = (start_s + np.arange(len(values)) / rate_hz).tolist()
    for k, (t, row) in enumerate(zip(time_s, table_text(values), strict=True)):
        yield f"{first + k}\t{t!r}\t{row}"
