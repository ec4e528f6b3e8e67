"""Page of indices: Movement Analysis Profile, Gait Profile Score, GDI*, and values taken from the curves."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.pipeline.analysis import Analysis
from biomec.reporting.clinical.blocks import Bar, Bars, Block, LeftOut, Page, Words
from biomec.reporting.clinical.definition import PageEntry
from biomec.reporting.clinical.ground_reaction import VERTICAL, ground_reactions
from biomec.reporting.clinical.material import Material
from biomec.reporting.clinical.visit import SIDES
from biomec.reporting.indices.arm_profile import arm_curves, arm_profile
from biomec.reporting.indices.discrete_values import WINDOWS, DiscreteValue, discrete_values
from biomec.reporting.indices.gdi_star import gdi_star
from biomec.reporting.indices.profile_score import (
    LEG,
    NINE,
    ProfileScore,
    movement_analysis_profile,
    only,
    overall_score,
)
from biomec.reporting.indices.scapulohumeral import rhythms
from biomec.reporting.tables import NOTHING, Table, number, with_spread

KIND, TITLE = "indices", "Indices and values"
DIGITS = {"°": 1, "% cycle": 0}


def indices_page(material: Material, entry: PageEntry) -> Page | LeftOut:
    """Scores against the norm and values of the curves; of arms where the movement is not a walk."""
    title = entry.title or TITLE
    blocks = _of_a_walk(material, entry.six_right) if material.walks else _of_arms(material.visit.first)
    if not blocks:
        return LeftOut(title, material.unscored() if material.walks else "There are no indices of this movement.")
    return Page(KIND, title, tuple(blocks))


# --------------------------------------------------------------------------------------------------------------- scores
def _of_a_walk(material: Material, six_right: bool) -> list[Block]:
    blocks: list[Block] = []
    scores, reference = material.scores, material.reference
    if scores:
        healthy = {} if reference is None else reference.variables
        blocks.append(_profile_bars(scores, healthy, material, six_right))
        right, left = (scores.get(side) for side in SIDES)
        blocks.append(movement_analysis_profile(right, left, healthy, six_right=six_right))
        blocks += _gdi(scores, material)
    values = values_of(material)
    if not scores and values:
        blocks.append(Words((material.unscored(),), "Gait Profile Score"))
    if values:
        blocks.append(_value_table(values, material))
    return blocks


def _profile_bars(
    scores: Mapping[str, ProfileScore], healthy: Mapping[str, float], material: Material, six_right: bool
) -> Bars:
    def mean(side: str, name: str) -> float | None:
        return None if side not in scores else scores[side].variable(name)[0]

    bars = [
        Bar(name[0].upper() + name[1:], "°", mean("right", name), mean("left", name), None, healthy.get(name))
        for name in NINE
    ]
    right, left = (scores[side].mean if side in scores else None for side in SIDES)
    if six_right and "right" in scores:
        right = only(scores["right"], LEG).mean
    both = overall_score(scores["right"], scores["left"]) if len(scores) == len(SIDES) else None
    bars.append(Bar("Gait Profile Score", "°", right, left, both, material.usual_score))
    return Bars("Movement Analysis Profile", tuple(bars), True)


def _gdi(scores: Mapping[str, ProfileScore], material: Material) -> list[Block]:
    reference = material.reference
    if reference is None:
        return []
    found = {side: gdi_star(score, reference) for side, score in scores.items()}
    rows = tuple(
        (
            side.capitalize(),
            with_spread(scores[side].mean, scores[side].sd),
            NOTHING if one.value is None else with_spread(one.value, one.sd, 0),
            str(scores[side].cycles),
        )
        for side, one in found.items()
    )
    sentences = dict.fromkeys(notice.sentence for one in found.values() for notice in one.notices)
    note = " ".join(
        (
            f"100 is the mean of the norm's {reference.limbs} limbs, 10 points are one SD of them. Both scores take "
            "all nine curves of the side.",
            *sentences,
        )
    )
    columns = ("", "Gait Profile Score [°]", f"GDI* (n = {reference.limbs})", "Cycles")
    return [Table("Scores", columns, rows, note)]


# --------------------------------------------------------------------------------------------------------------- values
def values_of(material: Material) -> dict[str, tuple[DiscreteValue, ...]]:
    """Side -> values of its curves, each over the cycles that have the curve."""
    found: dict[str, tuple[DiscreteValue, ...]] = {}
    ground = ground_reactions(material.visit)
    for side in SIDES:
        curves: dict[str, FloatArray] = {}
        off: dict[str, FloatArray] = {}
        for (of, name), one in material.visit.cycles(material.source).items():
            if of == side:
                curves[name], off[name] = one.curves, one.foot_off
        if side in ground:
            reaction = ground[side]
            curves[VERTICAL], off[VERTICAL] = reaction.whole(VERTICAL), reaction.foot_off
        if curves:
            found[side] = discrete_values(curves, off)
    return {side: values for side, values in found.items() if values}


def _value_table(values: Mapping[str, tuple[DiscreteValue, ...]], material: Material) -> Table:
    norms = {} if material.norm is None else {one.name: one for one in material.norm.discrete}
    by_name = {side: {one.window.name: one for one in found} for side, found in values.items()}
    rows, edge = [], False
    for window in WINDOWS:
        mine = [by_name.get(side, {}).get(window.name) for side in SIDES]
        if all(one is None or not math.isfinite(one.mean) for one in mine):
            continue
        digits, norm = DIGITS.get(window.unit, 2), norms.get(window.name)
        edge = edge or any(one is not None and one.edge for one in mine)
        rows.append(
            (
                f"{window.name[0].upper()}{window.name[1:]} [{window.unit}]",
                *(_cell(one, digits) for one in mine),
                NOTHING if norm is None else with_spread(norm.mean, norm.sd, digits),
                *(NOTHING if one is None or norm is None else number(one.z(norm.mean, norm.sd)) for one in mine),
            )
        )
    note = "Mean ± SD over cycles. z: how many SD of the norm the mean lies above the norm's."
    if edge:
        note += " edge: in some cycle the extreme is at the edge of its window and may be no extreme of the curve."
    columns = ("Value", "Right", "Left", "Norm", "z right", "z left")
    return Table("Values of the curves", columns, tuple(rows), note)


def _cell(one: DiscreteValue | None, digits: int) -> str:
    if one is None or not math.isfinite(one.mean):
        return NOTHING
    return with_spread(one.mean, one.sd, digits) + (" edge" if one.edge else "")


# ----------------------------------------------------------------------------------------------------------------- arms
def _of_arms(analysis: Analysis) -> list[Block]:
    """Distance of either arm from the other one, and the rhythm of the shoulder blades."""
    blocks: list[Block] = []
    try:
        right, left = (arm_curves(analysis, side) for side in SIDES)
        scores = {"right": arm_profile(right, left), "left": arm_profile(left, right)}
    except BiomecError as error:
        blocks.append(Words((str(error),), "Arm profile"))
    else:
        rows = [
            (name[0].upper() + name[1:], *(with_spread(*scores[side].variable(name)) for side in SIDES))
            for name in scores["right"].names
        ]
        rows.append(("All angles", *(with_spread(scores[side].mean, scores[side].sd) for side in SIDES)))
        note = (
            "Root mean square distance of the cycles of one arm from the mean of the other [°]. It is a distance, not "
            "a score: there is no norm of this movement."
        )
        blocks.append(Table("Arm profile, one arm against the other", ("", "Right [°]", "Left [°]"), tuple(rows), note))
    blocks += [
        rhythm.table(f"Scapulohumeral rhythm, {side}")
        for side, rhythm in rhythms(analysis).items()
        if np.isfinite(rhythm.ratio).any()
    ]
    return blocks
