"""Visits compared: changes and their limits, speeds, scores, and the tables that a page shows."""

import math
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.recording import ClinicalNotes
from biomec.reporting.clinical.blocks import Grid
from biomec.reporting.clinical.comparison import (
    GPS,
    PUBLISHED,
    ComparedValue,
    Detectable,
    compared_discrete,
    compared_scores,
    compared_times,
    comparison_page,
    detectable,
    deviation_share,
    speeds_note,
)
from biomec.reporting.clinical.visit import visit_of
from biomec.reporting.indices.discrete_values import WINDOWS
from biomec.reporting.indices.profile_score import profile_score
from biomec.reporting.norms.norm_file import shipped_norm
from tests.core.reporting.clinical.walks import walk

ADULTS = "adults-fukuchi2018"


def visit(day=None, **notes):
    session = replace(walk().session, notes=ClinicalNotes(**notes), recorded=day or walk().session.recorded)
    return visit_of([replace(walk(), session=session)])


def test_a_change_is_held_against_what_can_be_told_and_what_matters():
    def value(now, before, *limits):
        return ComparedValue("x", "°", "right", 1, ((now, 0.1, 3), (before, 0.1, 3)), Detectable(*limits))

    assert value(5.0, 8.0).change() == -3.0
    assert value(5.0, 8.0).verdict() == ""
    assert value(5.0, 8.0, 3.5).verdict() == "within MDC"
    assert value(5.0, 8.0, 2.5).verdict() == "beyond MDC"
    assert value(8.0, 6.5, 1.3, 1.6).verdict() == "beyond MDC, below MCID"
    assert value(8.0, 6.3, 1.3, 1.6).verdict() == "beyond MDC, matters"
    assert value(8.0, 7.0, 1.3, 1.6).verdict() == "within MDC"
    assert value(math.nan, 8.0, 2.5).verdict() == ""


def test_limits_of_the_laboratory_come_first_and_others_are_unknown():
    assert (PUBLISHED[GPS].mdc, PUBLISHED[GPS].mcid) == (1.3, 1.6)
    assert set(PUBLISHED) - {GPS} < {window.name for window in WINDOWS}
    assert PUBLISHED["knee flexion, peak in swing"].mdc == 5.0
    assert "hip rotation, mean in stance" not in PUBLISHED  # the worst angle to repeat; nothing published is taken
    assert detectable("Speed") == Detectable()
    own = detectable(GPS, {GPS: 0.9})
    assert (own.mdc, own.mcid, own.source) == (0.9, 1.6, "MDC of the laboratory")
    with pytest.raises(BiomecError, match="must be positive"):
        detectable(GPS, {GPS: 0.0})


def test_a_visit_compared_with_itself_has_no_change():
    one, norm = visit(), shipped_norm(ADULTS)
    rows = [*compared_times([one, one]), *compared_discrete([one, one]), *compared_scores([one, one], norm)]
    assert len(rows) > 40
    assert {row.change() for row in rows} == {0.0}
    speed = next(row for row in rows if row.name == "Speed")
    assert (speed.side, speed.values[0][0]) == ("both", pytest.approx(one.speed_m_s, rel=0.01))


def test_the_score_is_that_of_the_pooled_cycles():
    one, norm = visit(), shipped_norm(ADULTS)
    found = {row.side: row for row in compared_scores([one, one], norm)}
    names = [name for side, name in one.cycles() if side == "left" and name in norm.curves]
    curves = {name: one.cycles()["left", name].curves for name in names}
    score = profile_score(curves, {name: norm.curves[name].mean for name in names})
    assert found["left"].values[0] == (pytest.approx(score.mean), pytest.approx(score.sd), 3)
    assert set(found) == {"right", "left", "both"}
    assert compared_scores([one, one], None) == ()


def test_speeds_are_printed_and_a_difference_is_warned_of(monkeypatch):
    now, before = visit(date(2026, 3, 2)), visit(date(2025, 3, 3))
    assert len(speeds_note([now, before])) == 1
    before.__dict__["speed_m_s"] = 0.85 * now.speed_m_s
    known, warned = speeds_note([now, before])
    assert f"2 March 2026 {now.speed_m_s:.2f} m/s" in known
    assert "differs by 18 % from 3 March 2025" in warned


def test_pages_hold_both_sides_and_every_value():
    now, before = visit(date(2026, 3, 2)), visit(date(2025, 3, 3))
    pages = comparison_page([now, before], shipped_norm(ADULTS))
    assert [page.title for page in pages] == [
        "Comparison, right: angles", "Comparison, right: loads", "Comparison, left: angles", "Comparison, left: loads",
        "Comparison: where curves differ", "Comparison: values",
    ]  # fmt: skip
    grid = next(block for block in pages[0].blocks if isinstance(block, Grid))
    courses = {(one.side, one.visit) for row in grid.rows for panel in row for one in panel.courses}
    assert courses == {("right", 0), ("right", 1)}
    scores, times, values = (block for block in pages[-1].blocks if hasattr(block, "columns"))
    assert scores.columns == ("", "Side", "3 March 2025", "2 March 2026", "Change", "MDC", "MCID", "Change is")
    assert scores.rows[0][:2] == ("Gait Profile Score [°]", "right")
    assert scores.rows[0][4:] == ("0.0", "1.3", "1.6", "within MDC")
    assert {row[5] for row in times.rows} == {"unknown"}
    assert "Wilken2012" in values.note
    three = comparison_page([now, before, visit(date(2024, 3, 1))], None)[-1].blocks[-1]
    assert three.columns[5:7] == ("Change from 3 March 2025", "Change from 1 March 2024")
    with pytest.raises(BiomecError, match="two visits"):
        comparison_page([now], None)


def test_shares_of_the_cycle_beyond_the_norm():
    mean, sd = np.zeros(100), np.full(100, 2.0)
    curve = np.repeat([1.0, 3.0, 5.0], [50, 30, 20])[None]
    assert deviation_share(curve, mean, sd) == pytest.approx((50.0, 30.0, 20.0))
    assert all(map(math.isnan, deviation_share(curve, mean, np.zeros(100))))
