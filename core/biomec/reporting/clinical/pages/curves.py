"""Pages of angles, moments and powers over the cycle: mean ± SD, and every cycle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from biomec.reporting.clinical.blocks import EVERY, MEAN, Block, Grid, LeftOut, Page
from biomec.reporting.clinical.consistency import consistency_table
from biomec.reporting.clinical.definition import PageEntry
from biomec.reporting.clinical.material import Material
from biomec.reporting.clinical.pages.own_angles import arm_and_trunk, joint_grid
from biomec.reporting.clinical.panels import kinematic_grid, kinetic_grid
from biomec.reporting.clinical.visit import SIDES

KINEMATICS, KINETICS = "Kinematics", "Kinetics"
CROWDED = 6  # cycles of a side above which right and left have a page each
"""Angles of the grid that are not among the nine of the Gait Profile Score; a model may have none of them."""
Make = Callable[[Material, PageEntry, str, Sequence[str]], Grid | None]


def _angles(material: Material, entry: PageEntry, style: str, sides: Sequence[str]) -> Grid | None:
    if not material.walks:
        return joint_grid(material, arm_and_trunk, style, sides)
    nine = entry.nine_curves or not material.beyond_nine
    return kinematic_grid(
        material.visits[:1],
        material.norm,
        style,
        nine,
        material.source,
        sides,
        material.definition.band_sd,
    )


def _loads(material: Material, entry: PageEntry, style: str, sides: Sequence[str]) -> Grid | None:
    if not material.walks:
        return None
    return kinetic_grid(material.visits[:1], material.norm, style, material.source, sides, material.definition.band_sd)


def _mean(what: str, make: Make, material: Material, entry: PageEntry) -> Page | LeftOut:
    title = entry.title or f"{what}, mean"
    grid = make(material, entry, MEAN, SIDES)
    why = _empty(what, grid)
    return LeftOut(title, why) if grid is None or why else Page(entry.kind, title, (grid,), True)


def _every(what: str, make: Make, material: Material, entry: PageEntry) -> tuple[Page, ...] | LeftOut:
    title = entry.title or f"{what}, every cycle"
    whole = make(material, entry, EVERY, SIDES)
    why = _empty(what, whole)
    if whole is None or why:
        return LeftOut(title, why)
    counts = [len(course.curves) for row in whole.rows for panel in row if panel for course in panel.courses]
    if max(counts) < 2:
        return LeftOut(title, "There is one cycle; it is shown on the page before.")
    if max(counts) <= CROWDED:
        return (Page(entry.kind, title, _with_consistency(whole), True),)
    pages = []
    for side in SIDES:
        grid = make(material, entry, EVERY, (side,))
        if grid is not None and not _empty(what, grid):
            pages.append(Page(entry.kind, f"{title}, {side}", _with_consistency(grid), True))
    return tuple(pages)


def _with_consistency(grid: Grid) -> tuple[Block, ...]:
    """The grid, and how well its cycles repeat."""
    table = consistency_table(grid)
    return (grid,) if table is None else (grid, table)


def _empty(what: str, grid: Grid | None) -> str:
    """Why a grid has nothing to show; "" if it has."""
    if grid is None:
        return "Curves of loads are shown for walking." if what == KINETICS else "No joint moves enough to be shown."
    panels = [panel for row in grid.rows for panel in row if panel is not None]
    if any(panel.courses for panel in panels):
        return ""
    reasons = dict.fromkeys(panel.missing for panel in panels if panel.missing)
    return f"{'; '.join(reasons).capitalize()}." if reasons else "There are no cycles."


kinematics_page = partial(_mean, KINEMATICS, _angles)
kinematics_cycles_page = partial(_every, KINEMATICS, _angles)
kinetics_page = partial(_mean, KINETICS, _loads)
kinetics_cycles_page = partial(_every, KINETICS, _loads)
