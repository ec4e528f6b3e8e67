"""The report of a mirrored person is the same with the sides exchanged; how the laboratory lies changes no number."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.engine.rotations import elementary
from biomec.io.marker_set_file import load_marker_set
from biomec.pipeline.analysis import KINEMATICS, Analysis, analyze
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
        # The way of walking is that of the pelvis's centre of mass, and by the table of inertia the centres of mass of
        # pelvis, thorax and head lie up to 1 mm beside the midline, to the same side in everybody: a mirrored person
        # does not have a mirrored one. That turns the way by 1e-5° and changes loads by less than 1e-3 N·m/kg or W/kg.
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


# ------------------------------------------------------------------------------------ with noise, step by step

MIRROR = np.array([1.0, 1.0, -1.0])
NAMES = load_marker_set("biomec-full")


def noisy(session):
    """The same with 2 mm of noise on every marker, in the static too."""
    rng = np.random.default_rng(1)

    def trial(one):
        markers = one.markers
        places = markers.p_WM + rng.normal(scale=2e-3, size=markers.p_WM.shape)
        return replace(one, markers=replace(markers, p_WM=places))

    return replace(session, dynamic=trial(session.dynamic), static=trial(session.static))


@pytest.fixture(scope="module")
def both():
    """Analyses of a noisy walk and of its mirror image with sides exchanged, with cut-offs that the data choose."""
    plain = noisy(session())
    pair = (plain, moved(plain, np.diag(MIRROR), exchange=True))
    return tuple(Analysis(one, AnalysisSettings()).run_until(KINEMATICS) for one in pair)


def exchanged(name):
    return name.replace("right", "@").replace("left", "right").replace("@", "left")


def test_markers_of_a_mirrored_recording_are_rebuilt_and_filtered_mirrored_with_noise(both):
    """Markers of the static only, such as the spines of the pelvis, were up to 16 mm off: rebuilt from one side."""
    mine, its = (one.signals for one in both)
    assert {NAMES.mirrored(name) for name in mine.markers.names} == set(its.markers.names)
    for k, name in enumerate(mine.markers.names):
        other = NAMES.mirrored(name)
        assert_allclose(its.markers[other], mine.markers[name] * MIRROR, atol=1e-12, err_msg=name)
        assert_allclose(its.filtered.cutoff_hz[its.markers.index(other)], mine.filtered.cutoff_hz[k], atol=1e-9)
    assert mine.static.frames_used == its.static.frames_used
    assert [one.time_s for one in mine.events.events] == [one.time_s for one in its.events.events]


def test_segments_of_a_mirrored_recording_are_mirrored_with_noise(both):
    """Attitudes of all, and centres of mass but for the distance beside the midline that the table of inertia gives."""
    mine, its = (one.segments for one in both)
    beside = {}
    for k, name in enumerate(mine.names):
        other = its.index(exchanged(name))
        mirrored = mine.R_WB[:, k] * np.outer(MIRROR, MIRROR)
        assert_allclose(its.R_WB[:, other], mirrored, atol=1e-10, err_msg=name)
        away = np.einsum("tji,tj->ti", its.R_WB[:, other], its.p_com[:, other] - mine.p_com[:, k] * MIRROR)
        assert_allclose(away, np.broadcast_to(away[0], away.shape), atol=1e-10, err_msg=name)
        beside[name] = away[0]
    for name, away in beside.items():
        if name == exchanged(name):  # twice the distance beside the midline, 0.5 mm of the pelvis
            assert 0.0 < np.linalg.norm(away) < 2.5e-3, name
        else:
            assert_allclose(away, 0.0, atol=1e-10, err_msg=name)


def test_angles_of_a_mirrored_recording_are_mirrored_with_noise(both):
    mine, its = (visit_of([one]).cycles() for one in both)
    assert {(OTHER[side], name) for side, name in mine} == set(its)
    for (side, name), curve in mine.items():
        # pelvis and foot count from the way of the pelvis's centre of mass, which is not mirrored to 1 mm: over a
        # stride, in which the pelvis turns by less than 0.1° from one end to the other, that is 1e-4°
        from_the_way = name.startswith("pelvis") or name == "foot progression"
        atol = 1e-4 if from_the_way else 1e-9
        assert_allclose(its[OTHER[side], name].curves, curve.curves, atol=atol, err_msg=f"{side} {name}")
