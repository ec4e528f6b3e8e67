"""Figures and their data as files: written whole or not at all, and without a date, so that equal figures are equal."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from biomec.base.atomic import atomic_path
from biomec.base.errors import FileError
from biomec.base.plain_text import xml
from biomec_app.figures.kind import Column, table_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DATES = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
KINDS = tuple(DATES)


def write_figure(figure: Figure, kind: str) -> bytes:
    """The bytes of a figure as "png", "svg" or "pdf"."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    written = io.BytesIO()
    if kind == "png":  # lays out and draws once; savefig gives the same bytes, but draws twice
        FigureCanvasAgg(figure).print_png(written, metadata=DATES[kind])
    else:
        figure.savefig(written, format=kind, metadata=DATES[kind])
    return xml(written.getvalue()) if kind == "svg" else written.getvalue()


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure to a file of the kind that its name ends with."""
    kind = path.suffix.lower().removeprefix(".")
    if kind not in KINDS:
        raise FileError(path.name, f"a figure can be saved as {', '.join(KINDS)} or csv; change the end of the name.")
    content = write_figure(figure, kind)
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)


def save_table(columns: Sequence[Column], path: Path) -> None:
    """Write the data of a figure as a table with commas."""
    with atomic_path(path) as temporary:
        temporary.write_text(table_text(columns), encoding="utf-8")
