"""Grids of clinical curves, of one visit or of several laid over each other, with norm bands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.reporting.clinical.blocks import MEAN, Band, Course, Grid, Panel, course_of
from biomec.reporting.clinical.visit import SIDES, PooledCurve, Visit, labels_of
from biomec.reporting.clinical_curves import OWN
from biomec.reporting.clinical_presentation import (
    ANGLE,
    BY_NAME,
    KINEMATIC_GRID,
    KINETIC_GRID,
    NINE,
    ClinicalCurve,
    shown_range,
)
from biomec.reporting.norms.norm import GRID, NormSet
from biomec.signals.gait_parameters import StrideKind

NINE_GRID = (NINE[0:3], NINE[3:6], NINE[6:9])
"""The nine curves of the Gait Profile Score: pelvis, hip, and knee, ankle, foot."""
FOOT_OFF = "foot off"  # name of the norm's parameter


def kinematic_grid(
    visits: Sequence[Visit],
    norm: NormSet | None,
    style: str = MEAN,
    nine: bool = False,
    source: str = OWN,
    sides: Sequence[str] = SIDES,
    deviations: float = 1.0,
) -> Grid:
    """Angles of pelvis, hip, knee and ankle in three planes.

    visits : the reported one first;  norm : None for no bands;  nine : only the curves of the Gait Profile Score
    style  : `MEAN` or `EVERY` cycle;  source : whose curves;  sides : which are drawn; the scale is that of both
    deviations : half the width of the band in standard deviations of the norm
    """
    rows = NINE_GRID if nine else KINEMATIC_GRID
    return _grid("Kinematics", rows, visits, norm, style, source, sides, deviations)


def kinetic_grid(
    visits: Sequence[Visit],
    norm: NormSet | None,
    style: str = MEAN,
    source: str = OWN,
    sides: Sequence[str] = SIDES,
    deviations: float = 1.0,
) -> Grid:
    """Moments of hip, knee and ankle in three planes, and their power; only cycles on a plate of their own foot."""
    return _grid("Kinetics", KINETIC_GRID, visits, norm, style, source, sides, deviations)


def panel_of(
    row: ClinicalCurve,
    visits: Sequence[Visit],
    norm: NormSet | None,
    source: str = OWN,
    sides: Sequence[str] = SIDES,
    deviations: float = 1.0,
) -> Panel:
    """One curve of all visits; ``missing`` says why there is nothing to draw."""
    found = [one.cycles(source) for one in visits]
    every = [curves[side, row.name].curves for curves in found for side in SIDES if (side, row.name) in curves]
    if row.kind == ANGLE:
        standing = [visit.static(source).get((side, row.name)) for visit in visits for side in SIDES]
        every += [np.array([value]) for value in standing if value is not None and every]
    low, high, grown = shown_range(row, every)
    labels = labels_of(visits)
    courses = tuple(
        _course(curves[side, row.name], row, side, k, label, visit.static(source))
        for k, (visit, curves, label) in enumerate(zip(visits, found, labels, strict=True))
        for side in sides
        if (side, row.name) in curves
    )
    missing = "" if courses else _why_missing(row, visits[0], sides, source)
    band = None if not courses else norm_band(row, visits[0], norm, deviations)
    return Panel(row.name, row.title, row.unit, row.up, row.down, low, high, grown, courses, band, missing=missing)


def norm_band(row: ClinicalCurve, visit: Visit, norm: NormSet | None, deviations: float = 1.0) -> Band | None:
    """Norm behind a curve; None where there is none, and for strides in a turn or on stairs, which it does not suit."""
    curve = norm.band(row.name) if norm is not None and visit.kind is StrideKind.STRAIGHT else None
    if norm is None or curve is None:
        return None
    low, high = curve.band(deviations)
    off = next((one.mean for one in norm.parameters if one.name == FOOT_OFF), None)
    return Band(GRID, low, high, curve.mean, off, deviations)


def norm_note(norm: NormSet | None, visit: Visit, deviations: float = 1.0) -> str:
    """What stands behind the curves, for a footer."""
    if norm is None:
        return "No norm."
    if visit.kind is not StrideKind.STRAIGHT:
        return f"No norm: the norms are of straight level walking, these strides are not ({visit.kind})."
    return f"Grey: mean ± {deviations:g} SD of {norm.about.title} ({norm.about.people})."


def _grid(
    caption: str,
    names: Sequence[Sequence[str]],
    visits: Sequence[Visit],
    norm: NormSet | None,
    style: str,
    source: str,
    sides: Sequence[str],
    deviations: float,
) -> Grid:
    rows = tuple(
        tuple(panel_of(BY_NAME[name], visits, norm, source, sides, deviations) for name in row) for row in names
    )
    labels = labels_of(visits)
    counts = [
        f"{label}: {visit.counts_in_words(source)}" if label else f"Cycles: {visit.counts_in_words(source)}"
        for label, visit in zip(labels, visits, strict=True)
    ]
    wide = [panel.name for row in rows for panel in row if panel.grown]
    words = [f"{one}." for one in counts]
    bands = [panel.band for row in rows for panel in row if panel.band is not None]
    if norm is not None and visits[0].kind is StrideKind.STRAIGHT and not bands:
        words.append(f"No norm: {norm.about.title} has none of these curves.")
    else:
        words.append(norm_note(norm, visits[0], deviations))
    if wide:
        words.append(f"Wider scale than usual: {', '.join(wide)}.")
    return Grid(caption, rows, style, " ".join(words))


def _course(
    pooled: PooledCurve, row: ClinicalCurve, side: str, visit: int, label: str, static: Mapping[tuple[str, str], float]
) -> Course:
    name = ", ".join(filter(None, (side.capitalize(), label)))
    course = course_of(side, pooled.curves, name, visit, pooled.origins)
    return replace(
        course,
        foot_off=_mean(pooled.foot_off),
        opposite_foot_off=_mean(pooled.opposite_foot_off),
        opposite_contact=_mean(pooled.opposite_contact),
        static=static.get((side, row.name)) if row.kind == ANGLE else None,
    )


def _mean(values: FloatArray) -> float | None:
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else None


def _why_missing(row: ClinicalCurve, visit: Visit, sides: Sequence[str], source: str) -> str:
    """Why a visit has no such curve."""
    if not any(visit.count(ANGLE, side, source) for side in sides):
        return "no cycle counts"
    if row.kind == ANGLE:
        return "not an angle of this model"
    if any(visit.count(row.kind, side, source) for side in sides):
        return "not a load of this model"
    if not any(one.session.dynamic.plates for one in visit.analyses):
        return "no force plate"
    if not any("loads" in one.done for one in visit.analyses):
        return "loads were not computed"
    return "no cycle with the foot alone on a plate"
