"""The report of a mirrored person is the same with the sides exchanged; how the laboratory lies changes no number."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.engine.rotations import elementary
from biomec.pipeline.analysis import analyze
from biomec.pipeline.settings import AnalysisSettings, SignalSettings
from biomec.recording import Session
from biomec.reporting.clinical.comparison import GPS, compared_discrete, compared_scores, compared_times
from biomec.reporting.clinical.visit import visit_of
from biomec.reporting.clinical_presentation import ANGLE, BY_NAME
from biomec.reporting.norms.norm_file import shipped_norm
from biomec.signals.filtering import CutoffChoice, FilterOptions
from tests.core.reporting.clinical.walks import acquisition, moved

OTHER = {"right": "left", "left": "right", "both": "both"}
NORM = "adults-fukuchi2018"
# One cut-off for all: residual analysis finds one for each axis of the laboratory, so that turning it changes them.
FIXED = FilterOptions(CutoffChoice.FIXED)
SETTINGS = AnalysisSettings(signals=SignalSettings(marker_filter=FIXED, plate_filter=FIXED))


STANCE = slice(0, 86)
"""Of loads: the next contact begins in the last 0.05 s of a cycle, may be estimated, and reaches back by the filter."""


def session():
    found = acquisition()
    return Session(found.dynamic, found.static, subject=found.person.subject)


@pytest.fixture(scope="module")
def visit():
    return visit_of([analyze(session(), SETTINGS)])


@pytest.fixture(scope="module")
def mirrored():
    return visit_of([analyze(moved(session(), np.diag([1.0, 1.0, -1.0]), exchange=True), SETTINGS)])


@pytest.fixture(scope="module")
def turned():
    return visit_of([analyze(moved(session(), elementary(np.radians(37.0), 1)), SETTINGS)])


def numbers(visit):
    """(name, side) -> numbers of every table of a comparison of the visit with itself."""
    rows = [
        *compared_scores([visit, visit], shipped_norm(NORM)),
        *compared_times([visit, visit]),
        *compared_discrete([visit, visit]),
    ]
    return {(row.name, row.side): row.values[0] for row in rows}


def assert_same(visit, other, sides):
    mine, theirs = visit.cycles(), other.cycles()
    assert {(sides[side], name) for side, name in mine} == set(theirs)
    for (side, name), curve in mine.items():
        its = theirs[sides[side], name]
        assert [(one.first, one.last) for one in curve.origins] == [(one.first, one.last) for one in its.origins], name
        angle = BY_NAME[name].kind == ANGLE
        part = slice(None) if angle else STANCE
        # Positions are iterated to 1e-8 m: over a lever of 0.1 m 1e-5°. Differentiated twice at 50 Hz that is
        # 1e-4 m/s², and with masses, levers and joint velocities below 1e-3 N·m/kg or W/kg.
        assert_allclose(
            its.curves[:, part], curve.curves[:, part], atol=1e-5 if angle else 1e-3, err_msg=f"{side} {name}"
        )
        assert_allclose(its.foot_off, curve.foot_off, atol=1e-3)
    for key, value in visit.static().items():
        assert other.static()[sides[key[0]], key[1]] == pytest.approx(value, abs=1e-5), key
    mine, theirs = numbers(visit), numbers(other)
    assert {(name, sides[side]) for name, side in mine} == set(theirs)
    for (name, side), value in mine.items():
        if (name, side) == (GPS, "both") and sides["right"] != "right":
            continue  # it counts the pelvis of the left cycle by its definition [Baker2009]
        assert theirs[name, sides[side]] == pytest.approx(value, abs=1e-3, nan_ok=True), (name, side)
    assert other.speed_m_s == pytest.approx(visit.speed_m_s, abs=1e-6)


def test_sides_of_the_recording_differ(visit):
    """Otherwise exchanging them would show nothing: the feet begin at other frames, and the pelvis turns with one."""
    right, left = (visit.cycles()[side, "pelvis rotation"] for side in ("right", "left"))
    assert {one.first for one in right.origins}.isdisjoint(one.first for one in left.origins)
    assert np.abs(right.curves.mean(axis=0)).max() > 2.0


def test_a_mirrored_person_has_the_same_report_with_sides_exchanged(visit, mirrored):
    assert_same(visit, mirrored, OTHER)


def test_a_turned_laboratory_changes_no_number(visit, turned):
    assert_same(visit, turned, {side: side for side in OTHER})
