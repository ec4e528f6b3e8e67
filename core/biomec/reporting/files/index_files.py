"""Gait indices and values of curves as tables, beside the norm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from biomec.body.loads.load_statistics import mean_and_deviation
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.settings import EVENTS
from biomec.reporting.clinical.definition import ReportDefinition
from biomec.reporting.clinical.material import Material
from biomec.reporting.clinical.pages.indices import values_of
from biomec.reporting.clinical.visit import SIDES, visit_of
from biomec.reporting.indices.discrete_values import DiscreteValue
from biomec.reporting.indices.gdi_star import ProfileReference, gdi_star
from biomec.reporting.indices.profile_score import LEG, NINE, ProfileScore, only, overall_score
from biomec.reporting.norms.choice import choose_norm
from biomec.reporting.norms.norm import NormSet
from biomec.reporting.norms.norm_file import shipped_norm, shipped_norms
from biomec.reporting.tables import plain_number, table_text
from biomec.signals.gait_parameters import StrideKind

NAN = float("nan")


@dataclass(frozen=True, eq=False)
class GaitIndices:
    """Indices and values of a straight walk, by side, against the norm nearest in age and speed, as in the report."""

    norm: NormSet | None
    scores: Mapping[str, ProfileScore]
    values: Mapping[str, tuple[DiscreteValue, ...]]
    reference: ProfileReference | None


def gait_indices(analysis: Analysis) -> GaitIndices | None:
    """Indices of one recording; None of other movements than a straight walk."""
    return analysis.derived(_gait_indices)


def _gait_indices(analysis: Analysis) -> GaitIndices | None:
    if "cycles" not in analysis.done or analysis.cycles.by != EVENTS:
        return None
    visit = visit_of([analysis])
    if visit.kind is not StrideKind.STRAIGHT:
        return None
    norm = choose_norm([shipped_norm(name) for name in shipped_norms()], visit.patient()).norm
    material = Material((visit,), ReportDefinition(), norm)
    return GaitIndices(norm, material.scores, values_of(material), material.reference)


def index_texts(analysis: Analysis) -> dict[str, str]:
    """Files of a straight walk -> their text; a file that would hold no number is not there."""
    found = gait_indices(analysis)
    texts: dict[str, str] = {}
    if found is not None and found.scores and found.norm is not None:
        texts["gait_indices.csv"] = gait_indices_csv(found.scores, found.norm, found.reference)
    if found is not None and found.values:
        texts["discrete_values.csv"] = discrete_values_csv(found.values, found.norm)
    return texts


def index_summary(analysis: Analysis) -> dict[str, Any] | None:
    """Gait Profile Score and GDI* as plain data; None where there are none."""
    found = gait_indices(analysis)
    if found is None or not found.scores or found.norm is None:
        return None
    facts: dict[str, Any] = {"norm": found.norm.name}
    for side, score in found.scores.items():
        star = None if found.reference is None else gdi_star(score, found.reference)
        facts[side] = {
            "gait_profile_score_deg": plain_number(score.mean),
            "gdi_star": None if star is None else star.value,
            "gdi_star_limbs": None if star is None else star.limbs,
            "cycles": score.cycles,
        }
    if set(SIDES) <= set(found.scores):
        both = overall_score(found.scores["right"], found.scores["left"])
        facts["both"] = {"gait_profile_score_deg": plain_number(both)}
    return facts


def gait_indices_csv(scores: Mapping[str, ProfileScore], norm: NormSet, reference: ProfileReference | None) -> str:
    """One row an index and side: mean, standard deviation, cycles, and what the people of the norm have.

    The Gait Profile Score of the right side is there twice: with the pelvis, and without it, as Visual3D counts.
    """
    healthy: Mapping[str, float] = {} if reference is None else reference.variables
    usual = NAN if reference is None else float(np.exp(reference.log_mean + 0.5 * reference.log_sd**2))
    rows: list[tuple[str, str, str, int]] = []
    values: list[tuple[float, float, float]] = []

    def add(index: str, side: str, unit: str, cycles: int, mean: float, sd: float, people: float) -> None:
        rows.append((index, side, unit, cycles))
        values.append((mean, sd, people))

    for side, score in scores.items():
        for name in score.names:
            add(
                f"gait variable score, {name}", side, "deg", score.cycles, *score.variable(name), healthy.get(name, NAN)
            )
        add("gait profile score", side, "deg", score.cycles, score.mean, score.sd, usual)
        if side == "right" and set(LEG) < set(score.names):
            six = only(score, LEG)
            add("gait profile score without pelvis (Visual3D)", side, "deg", six.cycles, six.mean, six.sd, NAN)
        if reference is not None and set(score.names) == set(NINE):
            found = gdi_star(score, reference)
            if found.value is not None:
                add(f"GDI* (n = {found.limbs})", side, "1", score.cycles, found.value, found.sd, 100.0)
    if {"right", "left"} <= set(scores):
        both = min(one.cycles for one in scores.values())
        add("gait profile score", "both", "deg", both, overall_score(scores["right"], scores["left"]), NAN, usual)
    head = ("index", "side", "unit", "cycles", "norm", "mean", "sd", "people of the norm")
    return table_text(head, [(*row, norm.name) for row in rows], np.reshape(values, (-1, 3)) if rows else None)


def discrete_values_csv(values: Mapping[str, tuple[DiscreteValue, ...]], norm: NormSet | None) -> str:
    """One row a value and side: mean, standard deviation, where in the cycle, and the norm with z.

    The column of edges counts the cycles in which an extreme is at the edge of its window.
    """
    norms = {} if norm is None else {one.name: one for one in norm.discrete}
    rows: list[tuple[str, str, str, int, int, str]] = []
    numbers: list[tuple[float, ...]] = []
    for side, found in values.items():
        for one in found:
            count = int(np.isfinite(one.values).sum())
            if not count:
                continue
            known = norms.get(one.window.name)
            usual = (NAN, NAN, NAN) if known is None else (known.mean, known.sd, one.z(known.mean, known.sd))
            name = "" if known is None or norm is None else norm.name
            unit = one.window.unit.replace("°", "deg").replace("·", " ")
            rows.append((one.window.name, side, unit, count, int(one.at_edge.sum()), name))
            numbers.append((one.mean, one.sd, float(mean_and_deviation(one.at_percent)[0]), *usual))
    head = (
        "value", "side", "unit", "cycles", "cycles at the edge", "norm", "mean", "sd", "at (% of the cycle)",
        "norm mean", "norm sd", "z",
    )  # fmt: skip
    return table_text(head, rows, np.reshape(numbers, (-1, 6)) if rows else None)
