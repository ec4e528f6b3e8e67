"""TRC: trajectories of markers as text, the format of OpenSim and of several capture systems."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import FileError
from biomec.base.notices import Notice, warning
from biomec.io.clock import read_clock
from biomec.io.labels import writable_names
from biomec.io.left_out import left_out
from biomec.io.points import all_points, sort_points, trial_of_points
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
from biomec.io.units import PER_METRE, metres
from biomec.recording import Trial

HEADER_KEYS = (
    "DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units", "OrigDataRate", "OrigDataStartFrame", "OrigNumFrames",
)  # fmt: skip
_HEADER_LINES = 50  # the keys stand on the second line; look no further than this


def read_trc(path: str | os.PathLike[str], *, zeros_are_missing: bool = True) -> Trial:
    """Read a TRC file. Empty cells, NaN and, unless told otherwise, (0, 0, 0) are missing samples."""
    text = read_text(path, "TRC")
    keys, at = _header(text)
    labels, columns, delimiter, first_row, notices = _columns(text, at + 2, count_of(keys.get("nummarkers", "")))
    table = read_table(text, first_row, columns, _delimiter_of_rows(text, first_row, delimiter))
    clock = read_clock(
        text,
        table.values[:, 1],
        table.lines,
        number(keys.get("datarate", "")) or None,
        printed_s=printed_step(text, table.lines, 1, delimiter),
        numbers=table.values[:, 0],
    )
    p_W, unit_notices = metres(table.values[:, 2:].reshape(-1, len(labels), 3), keys.get("units", ""))
    points = sort_points(labels, clock.spread(p_W), clock.rate_hz, zeros_are_missing)
    count = check_rows(len(table.lines), count_of(keys.get("numframes", "")))
    numbered = float(table.values[0, 0])
    start = numbered if np.isfinite(numbered) else number(keys.get("origdatastartframe", ""))
    notices = (*notices, *table.notices, *count, *clock.notices, *unit_notices)
    return trial_of_points(text.source, points, clock, start, notices)


def _delimiter_of_rows(text: TextFile, first_row: int, delimiter: str | None) -> str | None:
    """What parts the numbers: as in the header, but blanks where the rows have none of its tabs."""
    rows = (line for line in text.lines[first_row - 1 :] if line.strip())
    return delimiter if delimiter is None or delimiter in next(rows, delimiter) else None


def _header(text: TextFile) -> tuple[dict[str, str], int]:
    """Values of the header by key in lower case, and the number of the line with the keys."""
    for at in range(1, min(_HEADER_LINES, len(text.lines)) + 1):
        line = text.line(at)
        keys = [cell.lower() for cell in line.split()]
        if "datarate" in keys and "nummarkers" in keys:
            delimiter = delimiter_of(line, ("\t",))
            names = [cell.lower() for cell in cells(line, delimiter)]
            values = cells(text.line(at + 1), delimiter_of(text.line(at + 1), ("\t",)))
            return dict(zip(names, values, strict=False)), at
    raise text.fault("this is not a TRC file: no line names DataRate and NumMarkers.")


def _columns(
    text: TextFile, at: int, stated: int | None
) -> tuple[list[str], list[str], str | None, int, tuple[Notice, ...]]:
    """Labels, column names, delimiter, line of the first row, and notices, from the two lines that name the columns."""
    while at <= len(text.lines) and not text.line(at).strip():
        at += 1
    line = text.line(at)
    delimiter = delimiter_of(line, ("\t",))
    row = without_trailing_blanks(cells(line, delimiter))
    if len(row) < 2 or not row[0].lower().startswith("frame") or not row[1].lower().startswith("time"):
        raise text.fault("the columns must be named here, starting with Frame# and Time.", at)
    spaced = all(not cell for k, cell in enumerate(row[2:]) if k % 3)  # a name, two empty cells, the next name
    labels = row[2::3] if spaced else [cell for cell in row[2:] if cell]
    axes = [cell for cell in cells(text.line(at + 1), delimiter) if cell]
    has_axes = bool(axes) and number(axes[0]) is None
    if has_axes and len(axes) % 3 == 0 and len(axes) // 3 > len(labels):
        labels += [""] * (len(axes) // 3 - len(labels))  # points without a name at the end of the line
    if not labels:
        raise text.fault("no marker is named here.", at)
    notices: tuple[Notice, ...] = ()
    if stated is not None and stated != len(labels):
        words = f"The header states {stated} markers, but {len(labels)} are named on line {at}; these were read."
        notices = (warning("markers-not-as-stated", words),)
    columns = ["Frame#", "Time", *(f"{label or 'unnamed'} {axis}" for label in labels for axis in "XYZ")]
    return labels, columns, delimiter, at + (2 if has_axes else 1), notices


def write_trc(trial: Trial, path: str | os.PathLike[str], *, unit: str = "m") -> tuple[Notice, ...]:
    """Write the markers as TRC with the eight header keys that OpenSim asks for; missing samples are empty cells.

    In metres a file that is read back holds the same bits; in another unit the last digit may differ.
    """
    path = Path(path)
    labels, p_W, zeros = all_points(trial)
    if not labels or not trial.frames:
        raise FileError(path.name, "the trial has no markers, so there is nothing to write as TRC.")
    names, renamed = writable_names(labels, "\t")
    write_text(path, _lines(path.name, names, p_W * PER_METRE[unit], trial, unit))
    stored = {"markers", "unlabelled", "other_subjects", "first_frame"}
    return (*renamed, *zeros, *left_out(trial, "TRC", stored))


def _lines(file: str, names: tuple[str, ...], p: FloatArray, trial: Trial, unit: str) -> Iterator[str]:
    rate, frames, start = repr(float(trial.rate_hz)), trial.frames, trial.first_frame
    yield f"PathFileType\t4\t(X/Y/Z)\t{writable_names([file], chr(9))[0][0]}"
    yield "\t".join(HEADER_KEYS)
    yield f"{rate}\t{rate}\t{frames}\t{len(names)}\t{unit}\t{rate}\t{start}\t{frames}"
    yield "Frame#\tTime\t" + "\t\t\t".join(names) + "\t\t"
    yield "\t\t" + "\t".join(f"X{k}\tY{k}\tZ{k}" for k in range(1, len(names) + 1))
    yield ""
    time_s = ((np.arange(frames) + (start - 1)) / trial.rate_hz).tolist()
    rows = table_text(p.reshape(frames, -1))
    for k, (t, row) in enumerate(zip(time_s, rows, strict=True)):
        yield f"{start + k}\t{t!r}\t{row}"
