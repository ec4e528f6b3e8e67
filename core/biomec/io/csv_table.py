"""CSV: Biomec's own tables, which any spreadsheet opens, and the plain marker tables that other programs write.

Biomec's own file is one or more tables, one for each clock. A table starts with lines ``# key = value``, then one line
that names the columns with their units, then the rows; missing is an empty cell::

    # biomec recording = 1
    # up = +y
    # forward = +x
    # table = markers
    # rate_hz = 100.0
    time_s,C7.X [m],C7.Y [m],C7.Z [m]
    0.0,0.1021,1.4013,-0.0211
    # table = emg
    # rate_hz = 1000.0
    time_s,Biceps [V]
    0.0,2.1e-05

Tables are ``markers``, ``plate`` (force and moment about its origin), ``analog``, ``emg`` and ``events``.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError, FileError
from biomec.base.notices import Notice
from biomec.base.plain_text import cell, from_cell, one_line, table
from biomec.io.clock import Clock, read_clock
from biomec.io.labels import writable_names
from biomec.io.left_out import left_out
from biomec.io.marker_csv import read_marker_csv, split_unit
from biomec.io.points import all_points, sort_points
from biomec.io.table import TextTable, check_rows, printed_step, read_table, table_text
from biomec.io.text import TextFile, cells, count_of, number, read_text, without_trailing_blanks, write_text
from biomec.recording import Analog, Authority, Event, ForcePlate, LabAxes, Markers, Subject, Trial
from biomec.recording.trial import MEASURES

_TITLE = "biomec recording"
_VERSION = "1"


@dataclass(frozen=True)
class _Block:
    """One table of the file: what the lines above it say, and where its names and rows stand."""

    keys: dict[str, str]
    names_line: int
    last_line: int


def read_csv(path: str | os.PathLike[str], *, zeros_are_missing: bool = True) -> Trial:
    """Read a CSV file: Biomec's own, or a table of markers with columns ``time, NAME_X, NAME_Y, NAME_Z``.

    In tables of other programs points at (0, 0, 0) are missing, unless stated otherwise.
    """
    text = read_text(path, "CSV")
    first = next((line for line in text.lines if line.strip()), "")
    if not first.lstrip("# ").startswith(_TITLE):
        return read_marker_csv(text, zeros_are_missing)
    general, blocks = _blocks(text)
    if general.get(_TITLE) != _VERSION:
        raise text.fault(f"this file was written by a newer Biomec (version {general.get(_TITLE)!r} of the format).")
    try:
        return _trial(text, general, blocks)
    except FileError:
        raise
    except BiomecError as error:  # values that no trial can have
        raise text.fault(str(error)) from error


def _blocks(text: TextFile) -> tuple[dict[str, str], list[_Block]]:
    """The lines above the first table, and the tables."""
    general: dict[str, str] = {}
    blocks: list[_Block] = []
    keys, names_line = general, 0
    for at, line in enumerate([*text.lines, "# table = end"], 1):
        if line.startswith("#"):
            key, _, value = line.lstrip("# ").partition("=")
            key = key.strip()
            value = _kept(value.strip().rstrip(",").strip(), from_cell)  # spreadsheets fill lines up with commas
            if key == "table":
                if keys is not general:
                    blocks.append(_Block(keys, names_line, at - 1))
                keys, names_line = {}, 0
            keys[key] = value
        elif names_line == 0 and line.strip():
            names_line = at
    return general, blocks


def _trial(text: TextFile, general: dict[str, str], blocks: list[_Block]) -> Trial:
    notices: list[Notice] = []
    axes = LabAxes(
        general.get("up", "+y"),
        general.get("forward", "+x"),
        _authority(general, "up_authority"),
        _authority(general, "forward_authority"),
    )
    trial: Trial | None = None
    plates: list[ForcePlate] = []
    channels: dict[str, Analog] = {}
    events: tuple[Event, ...] = ()
    for block in blocks:
        kind = block.keys["table"]
        if kind == "events":
            events = _events(text, block)
            continue
        table, columns, clock = _numbers(text, block)
        notices += (*table.notices, *clock.notices, *check_rows(len(table.lines), count_of(block.keys.get("rows", ""))))
        values = clock.spread(table.values[:, 1:])
        if kind == "markers":
            labels, p_W = _positions(text, block, columns, values)
            points = sort_points(labels, p_W, clock.rate_hz, zeros_are_missing=False)
            notices += points.notices
            trial = Trial(
                text.source, points.markers, axes, unlabelled=points.unlabelled, other_subjects=points.other_subjects
            )
        elif kind == "plate":
            plates.append(_plate(text, block, values, clock))
        elif kind in ("analog", "emg"):
            named = [split_unit(column) for column in columns]
            units = tuple(unit for _, unit in named)
            channels[kind] = Analog(tuple(n for n, _ in named), values, units, clock.rate_hz, clock.start_s)
        else:
            raise text.fault(f"Biomec knows no table of the kind {kind!r}.", block.names_line)
    if trial is None:
        rate = number(general.get("rate_hz", "")) or 1.0
        trial = Trial(text.source, Markers.none(count_of(general.get("frames", "")) or 0, rate), axes)
    return replace(
        trial,
        subject=_subject(general),
        recorded=_date(general.get("recorded", "")),
        plates=tuple(plates),
        analog=channels.get("analog"),
        emg=channels.get("emg"),
        events=events,
        first_frame=int(number(general.get("first_frame", "")) or 1),
        notices=tuple(notices),
    )


def _authority(general: dict[str, str], key: str) -> Authority:
    word = general.get(key, "")
    return Authority(word) if word in set(Authority) else Authority.ASSUMED


def _date(word: str) -> date | None:
    try:
        return date.fromisoformat(word) if word else None
    except ValueError as error:
        raise BiomecError(f"{word!r} is not a date; write year-month-day.") from error


def _subject(general: dict[str, str]) -> Subject:
    mass, height = number(general.get("mass_kg", "")), number(general.get("height_m", ""))
    return Subject(
        general.get("subject", ""),
        general.get("sex") or None,
        mass,
        height,
        _date(general.get("birth_date", "")),
        {key: value for key in MEASURES if (value := number(general.get(key, ""))) is not None},
    )


def _numbers(text: TextFile, block: _Block) -> tuple[TextTable, list[str], Clock]:
    """Table, names of the columns behind time, and clock of a block."""
    if not block.names_line:
        raise text.fault(f"the table {block.keys['table']} has no line that names its columns.", block.last_line)
    columns = [from_cell(one) for one in without_trailing_blanks(cells(text.line(block.names_line), ","))]
    if not columns or columns[0] != "time_s":
        raise text.fault(f"the first column must be time_s, not {columns[0] if columns else ''!r}.", block.names_line)
    ended = text.ended or block.last_line < len(text.lines)
    part = replace(text, lines=text.lines[: block.last_line], ended=ended)
    table = read_table(part, block.names_line + 1, columns, ",")
    stated = number(block.keys.get("rate_hz", ""))
    printed_s = printed_step(text, table.lines, 0, ",")
    return table, columns[1:], read_clock(text, table.values[:, 0], table.lines, stated, printed_s=printed_s)


def _positions(text: TextFile, block: _Block, columns: list[str], values: FloatArray) -> tuple[list[str], FloatArray]:
    labels = [column.removesuffix(".X [m]") for column in columns[::3]]
    if columns != [f"{label}.{axis} [m]" for label in labels for axis in "XYZ"]:
        raise text.fault("markers need columns 'NAME.X [m]', 'NAME.Y [m]', 'NAME.Z [m]'.", block.names_line)
    return labels, values.reshape(len(values), -1, 3)


def _plate(text: TextFile, block: _Block, values: FloatArray, clock: Clock) -> ForcePlate:
    def vector(key: str, count: int) -> FloatArray:
        found = [number(word) for word in block.keys.get(key, "").split()]
        if len(found) != count or None in found:
            raise text.fault(f"the plate above this line needs {count} numbers for {key}.", block.names_line)
        return np.array(found, dtype=np.float64)

    if values.shape[1] != 6:
        raise text.fault("a plate needs three columns of force and three of moment behind time.", block.names_line)
    corners = vector("corners_m", 12).reshape(4, 3) if "corners_m" in block.keys else None
    return ForcePlate(
        block.keys.get("name", ""),
        values[:, :3],
        values[:, 3:],
        clock.rate_hz,
        vector("origin_m", 3),
        vector("up_normal", 3),
        corners,
        count_of(block.keys.get("type", "")) or 0,
        clock.start_s,
    )


def _events(text: TextFile, block: _Block) -> tuple[Event, ...]:
    events = []
    for at in range(block.names_line + 1, block.last_line + 1):
        row = next(csv.reader([text.line(at)]), [])
        if not row or not any(row):
            continue
        time = number(row[0])
        if time is None or len(row) < 4:
            raise text.fault("an event needs time, label, context and origin.", at)
        events.append(Event(time, *map(from_cell, row[1:4])))
    return tuple(events)


def write_csv(trial: Trial, path: str | os.PathLike[str]) -> tuple[Notice, ...]:
    """Write a trial as tables; every number with as many digits as it needs to be read back bit for bit."""
    path = Path(path)
    labels, p_W, _ = all_points(trial)
    names, renamed = writable_names(labels, ',"#')
    notices = [*renamed]
    channels: list[tuple[str, Analog, tuple[str, ...]]] = []
    for kind, analog in (("analog", trial.analog), ("emg", trial.emg)):
        if analog is not None and analog.samples:
            channel_names, renamed = writable_names(analog.names, ',"#')
            channels.append((kind, analog, channel_names))
            notices += renamed
    write_text(path, _lines(trial, names, p_W, channels))
    kept = {"markers", "unlabelled", "other_subjects", "plates", "corners", "events", "subject", "recorded"}
    kept |= {"first_frame", "axes"} | {kind for kind, _, _ in channels}
    return (*notices, *left_out(trial, "CSV", kept))


def _lines(
    trial: Trial, names: tuple[str, ...], p_W: FloatArray, channels: list[tuple[str, Analog, tuple[str, ...]]]
) -> Iterator[str]:
    subject = trial.subject
    general = {
        _TITLE: _VERSION,
        "up": trial.axes.up,
        "forward": trial.axes.forward,
        "up_authority": trial.axes.authority.value,
        "forward_authority": trial.axes.forward_authority.value,
        "first_frame": trial.first_frame,
        "frames": trial.frames,
        "rate_hz": float(trial.rate_hz),
        "subject": writable_names([subject.name], "")[0][0] if subject.name else "",
        "sex": subject.sex or "",
        "mass_kg": subject.mass_kg if subject.mass_kg is not None else "",
        "height_m": subject.height_m if subject.height_m is not None else "",
        "birth_date": subject.birth_date or "",
        **subject.measures,
        "recorded": trial.recorded or "",
    }
    yield from (f"# {key} = {_kept(str(value), cell)}" for key, value in general.items() if value != "")
    if names and trial.frames:
        columns = [f"{name}.{axis} [m]" for name in names for axis in "XYZ"]
        yield from _table("markers", {}, columns, p_W.reshape(trial.frames, -1), trial.rate_hz, 0.0)
    for plate in trial.plates:
        keys = {"name": writable_names([plate.name], "")[0][0], "type": str(plate.type)}
        keys |= {"origin_m": _vector(plate.origin), "up_normal": _vector(plate.up)}
        keys |= {} if plate.corners is None else {"corners_m": _vector(plate.corners)}
        columns = [f"{what}{axis} [{unit}]" for what, unit in (("F", "N"), ("M", "N m")) for axis in "xyz"]
        values = np.concatenate([plate.force, plate.moment], axis=1)
        if plate.samples:
            yield from _table("plate", keys, columns, values, plate.rate_hz, plate.start_s)
    for kind, analog, channel_names in channels:
        columns = [f"{name} [{_unit(unit)}]" for name, unit in zip(channel_names, analog.units, strict=True)]
        yield from _table(kind, {}, columns, analog.values, analog.rate_hz, analog.start_s)
    if trial.events:
        yield "# table = events"
        yield "time_s,label,context,origin"
        for event in trial.events:
            yield table([[repr(event.time_s), event.label, event.context, event.origin]]).rstrip("\n")


def _kept(value: str, change: Callable[[str], str]) -> str:
    """What stands behind a key: its parts between commas are cells to a spreadsheet, but the first ends one."""
    first, *others = value.split(",")
    return ",".join([change(f"#{first}")[1:], *map(change, others)])


def _unit(unit: str) -> str:
    """A unit that a name of a column can hold."""
    return re.sub(r'[,"#\[\]]', "_", one_line(unit))


def _vector(values: FloatArray) -> str:
    return " ".join(map(repr, values.ravel().tolist()))


def _table(
    kind: str, keys: dict[str, str], columns: list[str], values: FloatArray, rate_hz: float, start_s: float
) -> Iterator[str]:
    yield f"# table = {kind}"
    yield from (f"# {key} = {_kept(value, cell)}" for key, value in keys.items())
    yield f"# rate_hz = {float(rate_hz)!r}"
    yield f"# rows = {len(values)}"
    yield "time_s," + ",".join(map(cell, columns))
    time_s = (start_s + np.arange(len(values)) / rate_hz).tolist()
    for t, row in zip(time_s, table_text(values, ","), strict=True):
        yield f"{t!r},{row}"
