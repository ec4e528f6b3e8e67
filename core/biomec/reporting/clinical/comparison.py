"""Visits compared: value beside value, the change, and whether so large a change can be told from none.

The first visit is the reported one; a change is its value less that of another visit. A change is held against the
laboratory's own smallest detectable change (MDC), else a published one, else it is "unknown"; and against the least
change that matters to patients (MCID), where one is published.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.reporting.clinical.blocks import MEAN, Block, Page, Words
from biomec.reporting.clinical.curve_differences import difference_table, method_words
from biomec.reporting.clinical.panels import NINE_GRID, kinematic_grid, kinetic_grid
from biomec.reporting.clinical.visit import SIDES, Visit, labels_of
from biomec.reporting.clinical_curves import OWN
from biomec.reporting.clinical_presentation import BY_NAME, KINEMATIC_GRID, KINETIC_GRID, SAGITTAL
from biomec.reporting.indices.discrete_values import WINDOWS, discrete_values
from biomec.reporting.indices.profile_score import (
    DETECTABLE_DEG,
    IMPORTANT_DEG,
    NINE,
    ProfileScore,
    overall_score,
    profile_score,
)
from biomec.reporting.norms.norm import NormSet
from biomec.reporting.statistics.time_and_distance import BOTH, PARAMETERS
from biomec.reporting.tables import NOTHING, Table, number, with_spread
from biomec.signals.gait_parameters import StrideKind

UNKNOWN = "unknown"
SPEEDS_APART = 0.1  # of the reported speed; beyond it curves differ by the speed alone
SAGITTAL_MDC_DEG = 5.0  # about, angles of young healthy adults in two sessions [Wilken2012]; for sagittal ones only
GPS = "Gait Profile Score"
COMPARED = ("speed", "cadence", "stride_length", "step_length", "step_width", "stride_time", "foot_off",
            "single_support", "double_support")  # fmt: skip
"""Figures of time and distance that are compared."""
WITHOUT_SIDE = ("speed", "cadence")
DIGITS = {"°": 1, "% cycle": 0}


@dataclass(frozen=True)
class Detectable:
    """What a change of a value is held against; None where nobody knows.

    mdc  : smallest change that can be told from none, at 95 %;  mcid : least change that matters to patients
    source : where both come from
    """

    mdc: float | None = None
    mcid: float | None = None
    source: str = ""


@dataclass(frozen=True)
class ComparedValue:
    """A value in several visits, the reported one first.

    side   : "right", "left" or "both"
    values : (mean, SD, number) in each visit; NaN and 0 where it is not known
    """

    name: str
    unit: str
    side: str
    digits: int
    values: tuple[tuple[float, float, int], ...]
    detectable: Detectable = field(default_factory=Detectable)

    def change(self, visit: int = 1) -> float:
        """Value of the reported visit less that of another; NaN where one of them is missing."""
        return self.values[0][0] - self.values[visit][0]

    def verdict(self, visit: int = 1) -> str:
        """Whether the change can be told from none, and whether it matters; "" where nothing tells."""
        change, mdc, mcid = abs(self.change(visit)), self.detectable.mdc, self.detectable.mcid
        if not math.isfinite(change):
            return ""
        words = []
        if mdc is not None:
            words.append("beyond MDC" if change > mdc else "within MDC")
        if mcid is not None and (mdc is None or change > mdc):
            words.append("matters" if change >= mcid else "below MCID")
        return ", ".join(words)


PUBLISHED: Mapping[str, Detectable] = FrozenDict(
    {
        GPS: Detectable(DETECTABLE_DEG, IMPORTANT_DEG, "MDC [GaitReference2023], MCID [Baker2012]"),
        **{
            window.name: Detectable(SAGITTAL_MDC_DEG, None, "young healthy adults, two sessions [Wilken2012]")
            for window in WINDOWS
            if window.unit == "°" and BY_NAME[window.curve].plane == SAGITTAL and window.taken != "range"
        },
    }
)
"""Name of a value -> what is published about its change; values that are not in it are unknown."""


def detectable(name: str, own: Mapping[str, float] | None = None) -> Detectable:
    """What a change is held against: the laboratory's own MDC of that value, else the published one."""
    known = PUBLISHED.get(name, Detectable())
    if own is not None and name in own:
        if not own[name] > 0.0:
            raise BiomecError(f"The smallest detectable change of {name} is {own[name]:g}; it must be positive.")
        return Detectable(float(own[name]), known.mcid, "MDC of the laboratory")
    return known


# --------------------------------------------------------------------------------------------------------------- values
def compared_times(visits: Sequence[Visit], own: Mapping[str, float] | None = None) -> tuple[ComparedValue, ...]:
    """Figures of time and distance of each side, those of straight strides; a figure that no visit has is left out."""
    found = [one.time_and_distance for one in visits]
    rows = []
    for key in COMPARED:
        about = PARAMETERS[key]
        for side in (BOTH,) if key in WITHOUT_SIDE else tuple(side.capitalize() for side in SIDES):
            spreads = [None if one is None else one.spread(key, side) for one in found]
            values = tuple((math.nan, math.nan, 0) if one is None else (one.mean, one.sd, one.count) for one in spreads)
            if any(count for _, _, count in values):
                rows.append(
                    ComparedValue(about.title, about.unit, side.lower(), about.digits, values,
                                  detectable(about.title, own))
                )  # fmt: skip
    return tuple(rows)


def compared_discrete(
    visits: Sequence[Visit], source: str = OWN, own: Mapping[str, float] | None = None
) -> tuple[ComparedValue, ...]:
    """Values taken from the curves of each side, mean and SD over cycles."""
    found = [{side: _discrete(one, side, source) for side in SIDES} for one in visits]
    rows = []
    for window in WINDOWS:
        for side in SIDES:
            values = tuple(one[side].get(window.name, (math.nan, math.nan, 0)) for one in found)
            if any(count for _, _, count in values):
                digits = DIGITS.get(window.unit, 2)
                name = window.name[0].upper() + window.name[1:]
                rows.append(ComparedValue(name, window.unit, side, digits, values, detectable(window.name, own)))
    return tuple(rows)


def compared_scores(
    visits: Sequence[Visit], norm: NormSet | None, source: str = OWN, own: Mapping[str, float] | None = None
) -> tuple[ComparedValue, ...]:
    """Gait Profile Score of each side and of both; empty without a norm of all nine curves."""
    means = norm_means(norm)
    if len(means) < len(NINE):
        return ()
    scores = [{side: score_of(one, side, means, source) for side in SIDES} for one in visits]
    rows = []
    for side in (*SIDES, BOTH):
        values = tuple(_score(one, side) for one in scores)
        if any(count for _, _, count in values):
            rows.append(ComparedValue(GPS, "°", side, 1, values, detectable(GPS, own)))
    return tuple(rows)


def score_of(visit: Visit, side: str, means: Mapping[str, FloatArray], source: str = OWN) -> ProfileScore | None:
    """Gait Profile Score of the cycles of a side that have all nine curves; None without any, and for turns or stairs.

    means : curve -> mean (101,) of the norm
    """
    every = visit.cycles(source)
    pooled = [every.get((side, name)) for name in NINE]
    if visit.kind is not StrideKind.STRAIGHT or any(one is None for one in pooled):
        return None
    places = [{(at.trial, at.number): k for k, at in enumerate(one.origins)} for one in pooled if one is not None]
    common = [key for key in places[0] if all(key in other for other in places[1:])]
    if not common:
        return None
    curves = {
        name: one.curves[[at[key] for key in common]]
        for name, one, at in zip(NINE, pooled, places, strict=True)
        if one is not None
    }
    return profile_score(curves, means)


def norm_means(norm: NormSet | None) -> dict[str, FloatArray]:
    """Curve of the Gait Profile Score -> its mean in a norm, where it may be used."""
    bands = {} if norm is None else {name: norm.band(name) for name in NINE}
    return {name: band.mean for name, band in bands.items() if band is not None}


def speeds_note(visits: Sequence[Visit]) -> tuple[str, ...]:
    """Speeds of all visits, and a warning for each that differs by more than a tenth from the reported one."""
    labels = [label or "this visit" for label in labels_of(visits)]
    speeds = [one.speed_m_s for one in visits]
    known = ", ".join(
        f"{label} {number(speed, 2, 'm/s') if speed is not None else 'not known'}"
        for label, speed in zip(labels, speeds, strict=True)
    )
    sentences = [f"Speeds: {known}."]
    reported = speeds[0]
    for label, speed in zip(labels[1:], speeds[1:], strict=True):
        if reported and speed and abs(reported - speed) > SPEEDS_APART * speed:
            apart = 100.0 * abs(reported / speed - 1.0)
            sentences.append(
                f"The speed differs by {apart:.0f} % from {label}. Every curve, and a score against a norm, changes "
                "with the speed: part of the change is due to it."
            )
    return tuple(sentences)


def deviation_share(curves: FloatArray, mean: FloatArray, sd: FloatArray) -> tuple[float, float, float]:
    """Shares [%] of the cycle in which the mean of curves (K, N) lies within 1 SD of a norm (N,), 1 to 2, beyond 2."""
    known = sd > 0.0
    z = np.abs(curves.mean(axis=0)[known] - mean[known]) / sd[known]
    if not z.size:
        return math.nan, math.nan, math.nan
    near, far = float((z < 1.0).mean()), float((z > 2.0).mean())
    return 100.0 * near, 100.0 * (1.0 - near - far), 100.0 * far


# ----------------------------------------------------------------------------------------------------------------- page
def comparison_page(
    visits: Sequence[Visit],
    norm: NormSet | None,
    title: str = "Comparison",
    source: str = OWN,
    own: Mapping[str, float] | None = None,
    nine: bool = False,
    deviations: float = 1.0,
) -> tuple[Page, ...]:
    """Grids of both visits, a side a page, where their curves differ, and the tables of values.

    own : name of a value -> the laboratory's own smallest detectable change
    """
    if len(visits) < 2:
        raise BiomecError("A comparison needs two visits at least.")
    speeds = Words(speeds_note(visits))
    pages = []
    for side in SIDES:
        blocks: list[Block] = [speeds, kinematic_grid(visits, norm, MEAN, nine, source, (side,), deviations)]
        pages.append(Page("comparison", f"{title}, {side}: angles", tuple(blocks), True))
        loads = kinetic_grid(visits, norm, MEAN, source, (side,), deviations)
        if any(panel.courses for row in loads.rows for panel in row if panel is not None):
            pages.append(Page("comparison", f"{title}, {side}: loads", (speeds, loads), True))
    grids = (("Angles", NINE_GRID if nine else KINEMATIC_GRID), ("Loads", KINETIC_GRID))
    found = [difference_table(what, visits, [name for row in grid for name in row], source) for what, grid in grids]
    different = [one for one in found if one is not None]
    if different:
        blocks = [speeds, method_words(visits), *different]
        pages.append(Page("comparison", f"{title}: where curves differ", tuple(blocks), len(visits) > 2))
    tables = comparison_tables(visits, norm, source, own)
    pages.append(Page("comparison", f"{title}: values", (Words(speeds_note(visits)), *tables)))
    return tuple(pages)


def comparison_tables(
    visits: Sequence[Visit], norm: NormSet | None, source: str = OWN, own: Mapping[str, float] | None = None
) -> tuple[Table, ...]:
    """Tables of scores, of time and distance, and of values of the curves; those without a row are left out."""
    named = (
        ("Scores", compared_scores(visits, norm, source, own)),
        ("Time and distance", compared_times(visits, own)),
        ("Values of the curves", compared_discrete(visits, source, own)),
    )
    return tuple(_table(caption, rows, visits) for caption, rows in named if rows)


def _table(caption: str, rows: Sequence[ComparedValue], visits: Sequence[Visit]) -> Table:
    labels = labels_of(visits)
    others = range(1, len(visits))
    changes = ["Change"] if len(visits) == 2 else [f"Change from {labels[k]}" for k in others]
    matters = ["MCID"] if any(row.detectable.mcid is not None for row in rows) else []
    judged = ["Change is"] if len(visits) == 2 and any(row.verdict() for row in rows) else []
    columns = ("", "Side", *labels[1:], labels[0], *changes, "MDC", *matters, *judged)
    made = []
    for row in rows:
        means = [with_spread(mean, sd, row.digits) for mean, sd, _ in row.values]
        mdc, mcid = row.detectable.mdc, row.detectable.mcid
        made.append(
            (
                f"{row.name} [{row.unit}]",
                row.side,
                *means[1:],
                means[0],
                *(_signed(row.change(k), row.digits) for k in others),
                UNKNOWN if mdc is None else number(mdc, row.digits),
                *(NOTHING if mcid is None else number(mcid, row.digits) for _ in matters),
                *(row.verdict() or NOTHING for _ in judged),
            )
        )
    sources = dict.fromkeys(row.detectable.source for row in rows if row.detectable.source)
    note = (
        f"Mean ± SD over the cycles of a visit; change: {labels[0]} less the other. MDC: smallest change that can be "
        "told from none."
    )
    if matters:
        note += " MCID: least change that matters to patients."
    if sources:
        note += f" Sources: {'; '.join(sources)}."
    return Table(caption, columns, tuple(made), note)


def _signed(value: float, digits: int) -> str:
    text = number(value, digits)
    return f"+{text}" if math.isfinite(value) and float(f"{value:.{digits}f}") > 0.0 else text


def _discrete(visit: Visit, side: str, source: str) -> dict[str, tuple[float, float, int]]:
    """Name of a value -> mean, SD and number of cycles."""
    curves: dict[str, FloatArray] = {}
    off: dict[str, FloatArray] = {}
    for (of, name), pooled in visit.cycles(source).items():
        if of == side:
            curves[name], off[name] = pooled.curves, pooled.foot_off
    if not curves:
        return {}
    return {
        one.window.name: (one.mean, one.sd, int(np.isfinite(one.values).sum()))
        for one in discrete_values(curves, off)
        if math.isfinite(one.mean)
    }


def _score(scores: Mapping[str, ProfileScore | None], side: str) -> tuple[float, float, int]:
    right, left = scores["right"], scores["left"]
    if side == BOTH:
        if right is None or left is None:
            return math.nan, math.nan, 0
        return overall_score(right, left), math.nan, min(right.cycles, left.cycles)
    score = scores[side]
    return (math.nan, math.nan, 0) if score is None else (score.mean, score.sd, score.cycles)
