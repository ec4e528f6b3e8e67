"""Tables of an analysis as CSV text, and numbers as JSON knows them."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.recording import Trial


def table_text(
    columns: Sequence[str], head: Iterable[Sequence[Any]], values: FloatArray | None = None, digits: int = 7
) -> str:
    """CSV text: leading cells as they are, then numbers with so many digits; what is missing stays empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for k, cells in enumerate(head):
        numbers = () if values is None else values[k]
        writer.writerow([*cells, *("" if math.isnan(x) else f"{x:.{digits}g}" for x in numbers)])
    return text.getvalue()


def by_frame(trial: Trial) -> list[list[str | int]]:
    """Number and time of every frame, the first two cells of a row."""
    return [[trial.first_frame + k, f"{t:.6f}"] for k, t in enumerate(trial.time_s)]


def plain_number(value: float | None) -> float | None:
    """Plain number, or None where there is none: JSON knows no NaN."""
    return float(value) if value is not None and np.isfinite(value) else None
