"""Marker tables that other programs write as CSV: ``time, NAME_X, NAME_Y, NAME_Z`` and the ASCII export of Nexus."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.notices import Notice, info
from biomec.io.clock import check_rate, first_frame, read_clock
from biomec.io.labels import unique_names
from biomec.io.points import sort_points, trial_of_points
from biomec.io.table import printed_step, read_table
from biomec.io.text import TextFile, cells, delimiter_of, leading_number, without_trailing_blanks
from biomec.io.units import metres
from biomec.recording import Analog, LabAxes, Markers, Subject, Trial

_WITH_UNIT = re.compile(r"(.*?)\s*[\[(]([^\[\]()]*)[\])]")
_AXIS = re.compile(r"(.+?)[._ :-]?([XYZ])", re.IGNORECASE)
_TIME = ("time", "time_s", "t", "times", "time (s)", "time [s]", "tempo")
_FRAME = ("frame", "frames", "frame#", "field")


def split_unit(column: str) -> tuple[str, str]:
    """(name, unit) of a column such as ``Biceps [mV]``; the unit is empty where there is none."""
    match = _WITH_UNIT.fullmatch(column.strip())
    return (match.group(1), match.group(2).strip()) if match else (column.strip(), "")


def read_marker_csv(text: TextFile, zeros_are_missing: bool = True) -> Trial:
    """Read a table with a header line, or the trajectories of a Nexus ASCII export.

    Columns of a plain table are ``time`` (or a frame number and a rate), three a marker, and any others, which become
    analog channels. A unit may stand behind a name: ``C7_X [mm]``.
    """
    at = next(k for k in range(1, len(text.lines) + 1) if text.line(k).strip())
    first = text.line(at).strip().strip('"').strip(",;\t")
    if first.lower() in ("trajectories", "devices", "joints", "model outputs"):
        return _nexus(text, zeros_are_missing)
    delimiter = delimiter_of(text.line(at), ("\t", ";", ","))
    columns = without_trailing_blanks(cells(text.line(at), delimiter))
    names = [split_unit(column) for column in columns]
    lower = [name.lower() for name, _ in names]
    time = next((k for k, name in enumerate(lower) if name in _TIME or columns[k].lower() in _TIME), None)
    if time is None or len(columns) < 2:
        raise text.fault(
            "this table is not understood: name the columns on the first line, one of them 'time', three a marker "
            "(NAME_X, NAME_Y, NAME_Z).",
            at,
        )
    table = read_table(text, at + 1, columns, delimiter)
    per_second = 1000.0 if names[time][1].lower() in ("ms", "msec") else 1.0
    printed_s = printed_step(text, table.lines, time, delimiter) / per_second
    clock = read_clock(text, table.values[:, time] / per_second, table.lines, None, printed_s=printed_s)
    values = clock.spread(table.values)
    labels, at_columns = _triples([name for name, _ in names])
    counters = [k for k, name in enumerate(lower) if name in _FRAME]
    other = {time, *at_columns, *counters}
    rest = [k for k in range(len(columns)) if k not in other]
    notices: tuple[Notice, ...] = (*table.notices, *clock.notices)
    p_W, unit_notices = metres(
        values[:, at_columns].reshape(len(values), -1, 3), names[at_columns[0]][1] if labels else "m"
    )
    if len({names[k][1] for k in at_columns}) > 1:
        raise text.fault("the markers have different units; export them all in one unit.", at)
    points = sort_points(labels, p_W, clock.rate_hz, zeros_are_missing)
    analog = None
    if rest:
        channel_names, renamed = unique_names([names[k][0] for k in rest], "column")
        units = tuple(names[k][1] for k in rest)
        analog = Analog(channel_names, values[:, rest], units, clock.rate_hz, 0.0 if labels else clock.start_s)
        notices += renamed
    return Trial(
        source=text.source,
        markers=points.markers if labels else Markers.none(len(values), clock.rate_hz),
        axes=LabAxes("+y", "+x"),
        subject=Subject(points.subject),
        unlabelled=points.unlabelled,
        other_subjects=points.other_subjects,
        analog=analog,
        first_frame=first_frame(clock.start_s, clock.rate_hz) if labels else 1,
        notices=(*notices, *unit_notices, *points.notices),
    )


def _triples(names: Sequence[str]) -> tuple[list[str], list[int]]:
    """Labels of markers and the columns of their coordinates, wherever three columns in a row are NAME_X, _Y, _Z."""
    labels: list[str] = []
    columns: list[int] = []
    k = 0
    while k + 2 < len(names):
        found = [_AXIS.fullmatch(name) for name in names[k : k + 3]]
        parts = [(match.group(1), match.group(2).upper()) for match in found if match]
        if [axis for _, axis in parts] == ["X", "Y", "Z"] and len({name for name, _ in parts}) == 1:
            labels.append(parts[0][0])
            columns += [k, k + 1, k + 2]
            k += 3
        else:
            k += 1
    return labels, columns


def _nexus(text: TextFile, zeros_are_missing: bool) -> Trial:
    """Trajectories of a Nexus ASCII export: section, rate, names, axes, units, rows, blank line; Z is up."""
    at = next(
        (k for k, line in enumerate(text.lines, 1) if line.strip().strip('"').strip(",;\t").lower() == "trajectories"),
        0,
    )
    if not at:
        raise text.fault("this export holds no trajectories; export it again with them.")
    rate = leading_number(text.line(at + 1).strip().strip('"'))
    delimiter = delimiter_of(text.line(at + 3))
    named = cells(text.line(at + 2), delimiter)
    axes, units = cells(text.line(at + 3), delimiter), cells(text.line(at + 4), delimiter)
    columns = without_trailing_blanks(axes)
    count = (len(columns) - 2) // 3
    if rate is None or count < 1 or columns[2:] != ["X", "Y", "Z"] * count:
        raise text.fault("the trajectories need a rate, names, and columns X, Y, Z for every marker.", at + 3)
    check_rate(text, rate)
    labels = [(named[2 + 3 * k] if 2 + 3 * k < len(named) else "") for k in range(count)]
    last = next((k for k in range(at + 5, len(text.lines) + 1) if not text.line(k).strip(",; \t")), len(text.lines) + 1)
    ended = text.ended or last <= len(text.lines)
    part = TextFile(text.name, text.source, text.lines[: last - 1], ended)
    full = [*columns[:2], *(f"{label} {axis}" for label in labels for axis in "XYZ")]
    table = read_table(part, at + 5, full, delimiter)
    if not len(table.lines):
        raise text.fault("the trajectories have no rows.", at)
    frames: FloatArray = table.values[:, 0]
    clock = read_clock(text, (frames - 1.0) / rate, table.lines, rate, numbers=frames)
    unit = next((word for word in units[2:] if word), "")
    p_W, unit_notices = metres(clock.spread(table.values[:, 2:]).reshape(-1, count, 3), unit)
    points = sort_points(labels, p_W, rate, zeros_are_missing)
    others = [
        word
        for line in text.lines
        if (word := line.strip().strip('"').strip(",;\t").lower()) in ("devices", "joints", "model outputs", "events")
    ]
    note = (
        (info("sections-skipped", f"The sections {', '.join(others)} of this export were not read."),) if others else ()
    )
    start = float(frames[0]) if np.isfinite(frames[0]) else None
    notices = (*table.notices, *clock.notices, *unit_notices, *note)
    return trial_of_points(text.source, points, clock, start, notices, LabAxes("+z", "+x"))
