"""Markers that were moved between the static and the movement.

A plate on the thigh that slipped by 5 cm after the static turned both hips by 9° without a word about the cause.
"""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.body.kinematics.consistency import ConsistencyOptions
from biomec.body.kinematics.moved_markers import moved_segments, with_places
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.settings import AnalysisSettings
from biomec.recording import Session
from biomec.reporting.demo import true_angles
from biomec.reporting.statistics.angle_ranges import angle_errors
from biomec.signals.local_frames import least_squares_frame
from biomec.virtual import RecordOptions, VirtualPerson, Walk, record

BY = np.array([[50.0, -20.0, 0.0], [40.0, -30.0, 20.0], [60.0, -10.0, -10.0], [30.0, -20.0, 30.0]]) * 1e-3  # m
LEG = ("hip flexion", "knee flexion", "ankle dorsiflexion")


@pytest.fixture(scope="module")
def acquisition():
    return record(Walk(), VirtualPerson(), RecordOptions(50.0, 100.0))


@pytest.fixture(scope="module")
def slipped(acquisition):
    """A recording whose left thigh plate was moved, by what, and its analysis."""
    given, moved = session(acquisition, "left thigh")
    return given, moved, analysed(given, True, "angles")


def session(acquisition, *segments: str) -> tuple[Session, dict[str, np.ndarray]]:
    """The recording with the four markers of plates moved in their segments, and by what, in axes of the static."""
    markers, static = acquisition.dynamic.markers, acquisition.static.markers
    p, moved = np.array(markers.p_WM), {}
    for segment in segments:
        side, part = segment.split()
        plate = {"thigh": "CLCX", "shank": "CLPN"}[part]
        names = [name for name in markers.names if name.startswith(f"{plate}_{'DE'[side == 'left']}_")]
        assert len(names) == len(BY)
        places = np.stack([np.nanmean(static[name], axis=0) for name in names])
        _, R = least_squares_frame(np.stack([markers[name] for name in names], axis=1), places)  # rigid: no noise
        for name, by in zip(names, BY, strict=True):
            p[:, markers.index(name)] += R @ by
            moved[name] = by
    dynamic = replace(acquisition.dynamic, markers=replace(markers, p_WM=p))
    return Session(dynamic, acquisition.static, subject=acquisition.person.subject), moved


def analysed(given: Session, found: bool, until: str) -> Analysis:
    options = ConsistencyOptions(method="markers", moved_markers=found)
    return Analysis(given, AnalysisSettings(positions=options)).run_until(until)


def errors_deg(analysis: Analysis, acquisition) -> dict[str, float]:
    found = angle_errors(analysis.angles, true_angles(acquisition))
    return {one.name: float(np.degrees(one.rms)) for one in found if one.name.endswith(LEG)}


def segments_of(analysis: Analysis):
    return moved_segments(analysis.body.person, analysis.signals.markers, analysis.signals.reconstruction.origin)


def test_a_plate_that_slipped_is_found_where_it_sits(slipped):
    _, moved, analysis = slipped
    (one,) = segments_of(analysis)
    assert one.segment == "left thigh"
    part = analysis.body.person.system.layout.bodies["left thigh"]
    for name, by in moved.items():  # 1 mm: filters change the place a little where the leg turns fast
        assert_allclose(part.attitude_matrix @ (one.places[name] - part.points[name]), by, atol=1e-3)
    (notice,) = [notice for notice in analysis.positions.notices if notice.code == "markers-moved"]
    assert set(notice.about) == set(moved)
    for name, by in moved.items():
        assert f"{name} ({1e3 * one.by[name]:.0f} mm)" in notice.sentence
        assert one.by[name] == pytest.approx(np.linalg.norm(by), abs=1e-3)
    assert "Record a static" in notice.sentence


def test_angles_of_both_legs_are_the_true_ones_again(acquisition, slipped):
    """The pelvis joins the legs: a thigh seen wrongly turns the other hip as well."""
    given, _, analysis = slipped
    before = errors_deg(analysed(given, False, "angles"), acquisition)
    now = errors_deg(analysis, acquisition)
    assert min(before["left hip flexion"], before["right hip flexion"]) > 5.0
    assert max(now.values()) < 0.2  # filters leave 0.1


def test_skin_that_slides_with_the_movement_is_not_taken_for_it():
    options = RecordOptions(50.0, 100.0, noise_mm=1.0, soft_tissue_mm=25.0)
    sliding = record(Walk(), VirtualPerson(), options)
    analysis = analysed(Session(sliding.dynamic, sliding.static, subject=sliding.person.subject), True, "body")
    assert segments_of(analysis) == ()


def test_where_neighbours_slipped_as_well_it_is_told_and_nothing_is_made_up(acquisition):
    given, _ = session(acquisition, "left thigh", "left shank")
    analysis = analysed(given, True, "positions")
    found = segments_of(analysis)
    assert {one.segment for one in found} == {"left thigh"}  # of the shank, only one end gapes steadily
    assert all(not one.places for one in found)
    assert with_places(analysis.body.person, found) is analysis.body.person
    (notice,) = [notice for notice in analysis.positions.notices if notice.code == "markers-moved"]
    assert notice.about == ("left thigh",)
    assert "or of the segments beside it" in notice.sentence
