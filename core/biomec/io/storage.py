"""MOT and STO: OpenSim's tables over time, for force plates and for anything else that has a name and a time."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import FileError
from biomec.base.notices import Notice, warning
from biomec.io.clock import channel_start, read_clock
from biomec.io.labels import unique_names, writable_names
from biomec.io.left_out import left_out
from biomec.io.plate_columns import columns_of_plates, plates_of_columns
from biomec.io.table import check_rows, printed_step, read_table, table_text
from biomec.io.text import (
    TextFile,
    cells,
    count_of,
    delimiter_of,
    number,
    read_text,
    without_trailing_blanks,
    write_text,
)
from biomec.recording import Analog, ForcePlate, LabAxes, Markers, Trial

_UNITS_KEY = "biomec_units"  # our own header line: units of the columns behind time, separated by |
_OLD_KEYS = ("datacolumns", "datarows", "range", "name", "otherdata")
_UNIT_OF_ENDING = (
    (re.compile(r"_t[xyz](/value)?$", re.IGNORECASE), "m"),
    (re.compile(r"(_moment|_torque_[xyz])$", re.IGNORECASE), "N m"),
    (re.compile(r"(_force|_force_v[xyz])$", re.IGNORECASE), "N"),
    (re.compile(r"_force_p[xyz]$", re.IGNORECASE), "m"),
)


def read_storage(path: str | os.PathLike[str]) -> Trial:
    """Read a MOT or STO file: plates where the names of columns say so, analog channels for all other columns.

    Plates follow OpenSim (``ground_force_vx``, ``1_ground_force_px``, ``ground_torque_r_y`` …) or name the plate
    (``Pe_D_ground_force_vx``, ``Pe_D.Fx``, ``Pe_D.COPx``). Channels are in degrees where the file says so.
    """
    path = Path(path)
    text = read_text(path, "STO" if path.suffix.lower() == ".sto" else "MOT")
    header, title, at = _header(text)
    while at <= len(text.lines) and not text.line(at).strip():
        at += 1
    delimiter = delimiter_of(text.line(at), ("\t", ";", ","))
    columns = without_trailing_blanks(cells(text.line(at), delimiter))
    if not columns or columns[0].lower() not in ("time", "time_s", "t"):
        raise text.fault(f"the first column must be time; here it is {columns[0] if columns else 'missing'!r}.", at)
    if len(columns) < 2:
        raise text.fault("there is no column beside time.", at)
    table = read_table(text, at + 1, columns, delimiter)
    printed_s = printed_step(text, table.lines, 0, delimiter)
    clock = read_clock(text, table.values[:, 0], table.lines, number(header.get("datarate", "")), printed_s=printed_s)
    notices = [*table.notices, *clock.notices, *_check_counts(header, len(table.lines), len(columns))]
    names, renamed = unique_names(columns[1:], "column")
    notices += renamed
    values = clock.spread(table.values[:, 1:])
    start_s, frames, late = channel_start(clock)
    notices += late
    axes = LabAxes("+y", "+x")
    plates, rest, plate_notices = plates_of_columns(names, values, clock.rate_hz, start_s, axes.up_vector)
    notices += plate_notices
    analog = None
    if rest:
        units = _units(header, title, names)
        rest_units = tuple(units[k] for k in rest)
        analog = Analog(tuple(names[k] for k in rest), values[:, rest], rest_units, clock.rate_hz, start_s)
    return Trial(
        source=text.source,
        markers=Markers.none(frames, clock.rate_hz),
        axes=axes,
        plates=plates,
        analog=analog,
        notices=tuple(notices),
    )


def _header(text: TextFile) -> tuple[dict[str, str], str, int]:
    """Values by key in lower case, the title, and the number of the line behind ``endheader``."""
    header: dict[str, str] = {}
    title = ""
    for at, line in enumerate(text.lines, 1):
        words = line.strip().strip(",;")
        if words.lower() == "endheader":
            kind = header.get("datatype", "double").lower()
            if kind not in ("double", "float"):
                raise text.fault(f"the columns hold {header['datatype']}; export the file with plain numbers (double).")
            return header, title, at + 1
        key, equals, value = words.partition("=")
        if equals:
            header[key.strip().lower()] = value.strip()
        elif words.lower().startswith(_OLD_KEYS) and len(words.split()) > 1:
            key, value = words.split(None, 1)
            header[key.lower()] = value
        elif at == 1:
            title = words
    raise text.fault("this is not a MOT or STO file: there is no line 'endheader'.")


def _check_counts(header: dict[str, str], rows: int, columns: int) -> list[Notice]:
    notices = list(check_rows(rows, count_of(header.get("nrows", header.get("datarows", ""))), "rows"))
    stated = count_of(header.get("ncolumns", header.get("datacolumns", "")))
    if stated is not None and stated != columns:
        words = f"The header states {stated} columns, but {columns} are named; these were read."
        notices.append(warning("columns-not-as-stated", words))
    return notices


def _units(header: dict[str, str], title: str, names: Sequence[str]) -> list[str]:
    """Units of the columns: our own header line, the usual endings of names, the file's word on degrees."""
    own = header.get(_UNITS_KEY, "").split("|")
    if len(own) == len(names):
        return own
    angles = "deg" if header.get("indegrees", "").lower() in ("yes", "true", "1") else ""
    if not angles and title.lower().startswith("coordinates"):
        angles = "rad"
    return [next((unit for ending, unit in _UNIT_OF_ENDING if ending.search(name)), angles) for name in names]


def write_storage(trial: Trial, path: str | os.PathLike[str], *, content: str | None = None) -> tuple[Notice, ...]:
    """Write plates and channels that share one clock as MOT or STO; numbers read back are the same bits.

    content : "plates", "analog" or "emg" is what sets the clock; if it is not given, the first of these that the trial
              has. Whatever else of the trial runs on the same clock is written too, the rest is named in a notice.
    """
    path = Path(path)
    there: dict[str, ForcePlate | Analog] = {}
    if trial.plates and trial.plates[0].samples:
        there["plates"] = trial.plates[0]
    for kind, channels in (("analog", trial.analog), ("emg", trial.emg)):
        if channels is not None and channels.samples and channels.names:
            there[kind] = channels
    if content is None:
        content = next(iter(there), "plates")
    if content not in there:
        raise FileError(path.name, f"the trial has no {content}, so there is nothing to write.")
    leader = there[content]
    clock = (leader.rate_hz, leader.start_s, leader.samples)
    plates = [plate for plate in trial.plates if (plate.rate_hz, plate.start_s, plate.samples) == clock]
    plate_names, renamed = writable_names([plate.name for plate in plates], "\t")
    columns: list[str] = []
    units: list[str] = []
    parts: list[FloatArray] = []
    stored: set[str] = set()
    if plates:
        columns, values = columns_of_plates(plates, plate_names)
        parts.append(values)
        units += ["N", "N", "N", "m", "m", "m", "N m", "N m", "N m"] * len(plates)
        stored.add("plates")
    for kind in ("analog", "emg"):
        one = there.get(kind)
        if isinstance(one, Analog) and (one.rate_hz, one.start_s, one.samples) == clock:
            columns += one.names
            units += one.units
            parts.append(one.values)
            stored.add(kind)
    names, renamed_columns = writable_names(columns, "\t")
    write_text(path, _lines(path.name, names, units, np.concatenate(parts, axis=1), leader.rate_hz, leader.start_s))
    others = tuple(plate.name for plate in trial.plates if plate not in plates) if plates else ()
    if others:
        words = f"One file holds one clock: {', '.join(others)} runs on another than {plates[0].name} and was left out."
        renamed += (warning("plates-on-another-clock", words, *others),)
    return (*renamed, *renamed_columns, *left_out(trial, path.suffix.lstrip(".").upper() or "MOT", stored))


def _lines(
    file: str, names: Sequence[str], units: Sequence[str], values: FloatArray, rate_hz: float, start_s: float
) -> Iterator[str]:
    plain_units = ["".join(c for c in unit if c.isprintable() and c != "|").strip() for unit in units]
    yield writable_names([file], "\t=")[0][0]
    yield "version=1"
    yield f"nRows={len(values)}"
    yield f"nColumns={len(names) + 1}"
    yield f"inDegrees={'yes' if 'deg' in units else 'no'}"
    yield f"DataRate={float(rate_hz)!r}"
    yield f"{_UNITS_KEY}={'|'.join(plain_units)}"
    yield "endheader"
    yield "time\t" + "\t".join(names)
    time_s = (start_s + np.arange(len(values)) / rate_hz).tolist()
    for t, row in zip(time_s, table_text(values, missing="nan"), strict=True):
        yield f"{t!r}\t{row}"
