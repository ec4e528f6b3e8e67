"""Clinical curves as pictures, drawings, pages and tables of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QRectF, QSizeF

from biomec.base.errors import FileError
from biomec.base.plain_text import table
from biomec.reporting.clinical.blocks import Grid
from biomec_app.kit.clipboard import copy_drawing, copy_picture, copy_text
from biomec_app.plots.clinical.grid_painter import paint_grid
from biomec_app.plots.clinical.look import PAPER, Look
from biomec_app.plots.paper import Paper, write_content
from biomec_app.session.context import COPIES, SAVES

RIM = 10.0  # points of the screen around the curves


def paper_of(grid: Grid, look: Look, size: QSizeF) -> Paper:
    """The sheet on which a grid is drawn as it is on the screen, but black on white."""
    dots = 72.0 * look.point
    field = QRectF(RIM, RIM, size.width() - 2.0 * RIM, size.height() - 2.0 * RIM)
    return Paper(size, dots, lambda painter: paint_grid(painter, field, grid, replace(look, theme=PAPER)))


def grid_rows(grid: Grid, names: Sequence[str]) -> list[list[object]]:
    """A row of a table for each curve: panel, unit, what it is, and its values at each percent of the cycle."""
    panels = [panel for row in grid.rows for panel in row if panel is not None and not panel.missing]
    percents = next((one.percent for panel in panels for one in panel.courses), ())
    head: list[object] = ["curve", "unit", "up is", "side", "visit", "trial", "cycle", "frames"]
    rows: list[list[object]] = [[*head, *(f"{percent:g} %" for percent in percents)]]
    for panel in panels:
        first: list[object] = [panel.name, panel.unit, panel.up]
        if panel.band is not None:
            for what, values in (("norm, mean", panel.band.mean), ("norm, lower edge", panel.band.low),
                                 ("norm, upper edge", panel.band.high)):  # fmt: skip
                rows.append([*first, what, "", "", "", "", *map(_cell, values)])
        for course in panel.courses:
            who: list[object] = [*first, course.side, course.visit + 1]
            rows.append([*who, "", "mean", "", *map(_cell, course.mean)])
            rows.append([*who, "", "SD", "", *map(_cell, course.sd)])
            for curve, origin in zip(course.curves, course.origins, strict=False):
                trial = names[origin.trial] if course.visit == 0 and origin.trial < len(names) else origin.trial + 1
                where: list[object] = [trial, origin.number + 1, f"{origin.first + 1}-{origin.last + 1}"]
                rows.append([*who, *where, *map(_cell, curve)])
    return rows


def _cell(value: float) -> str:
    return f"{value:.8g}" if value == value else ""


def copy_grid(grid: Grid, look: Look, size: QSizeF, names: Sequence[str], kind: str) -> None:
    """Put a grid on the clipboard as one of `COPIES`."""
    if kind == "png":
        copy_picture(paper_of(grid, look, size).image())
    elif kind == "svg":
        copy_drawing(paper_of(grid, look, size).svg())
    elif kind == "data":
        copy_text(table(grid_rows(grid, names), "\t"))
    else:
        raise FileError("figure", f"cannot be copied as {kind}; there are {', '.join(COPIES)}.")


def save_grid(grid: Grid, look: Look, size: QSizeF, names: Sequence[str], path: Path) -> None:
    """Write a grid to a file of the kind that its name ends with, one of `SAVES`; for any thread."""
    kind = path.suffix.lower().removeprefix(".")
    if kind not in SAVES:
        raise FileError(path.name, f"is no kind of figure; give a name that ends with .{', .'.join(SAVES)}.")
    if kind == "csv":
        write_content(path, table(grid_rows(grid, names), ",").encode())
        return
    paper = paper_of(grid, look, size)
    write_content(path, paper.image() if kind == "png" else paper.svg() if kind == "svg" else paper.pdf())
