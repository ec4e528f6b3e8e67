"""Steps beside the measurement: what a session stores of them, and what comes back from a project file."""

import re
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from biomec import __version__
from biomec.base.errors import BiomecError
from biomec.base.notices import gathered_notices, info, problem, warning
from biomec.io import load_marker_set, load_project, save_project
from biomec.recording import Result, Session, stored_markers, stored_notices, stored_plates
from biomec.recording.step import plain_data
from biomec.signals import (
    PLATE_FILTER,
    CutoffChoice,
    FilterOptions,
    ManualCutoff,
    SampleOrigin,
    filter_markers,
    filter_plates,
    reconstruct,
    static_pose,
)
from tests.core.recording.examples import full_trial
from tests.core.signals.marker_bodies import hide, keep, moving_trial, static_trial

FULL = load_marker_set("biomec-full")
FIXED = FilterOptions(CutoffChoice.FIXED, 6.0, (ManualCutoff("C7", (5.0, 6.0, 7.0)),))


@pytest.fixture(scope="module")
def steps():
    """A session of a body with a hidden marker, and the steps from it to filtered markers."""
    static = static_trial(FULL)
    measured = hide(keep(moving_trial(FULL), FULL.followed), "C7", 10, 19)
    rebuilt = reconstruct(measured, static_pose(static, FULL), FULL)
    return Session(measured, static), rebuilt, filter_markers(rebuilt.markers, FIXED)


def test_rebuilt_markers_are_stored_beside_the_measured_ones(steps, tmp_path):
    """Saved after `replace(trial, markers=rebuilt.markers)`, a project showed repaired markers as if measured."""
    session, rebuilt, filtered = steps
    done = session.with_step("reconstruction", rebuilt, marker_set=FULL.name).with_step("filter", filtered)
    save_project(done, tmp_path / "walk.biomec")
    loaded = load_project(tmp_path / "walk.biomec")

    assert_array_equal(loaded.dynamic.markers.p_WM, session.dynamic.markers.p_WM)
    assert np.isnan(loaded.dynamic.markers["C7"][10:20]).all()
    stored = loaded.results["reconstruction"]
    again = stored_markers(stored)
    assert again.names == rebuilt.markers.names
    assert again.rate_hz == rebuilt.markers.rate_hz
    assert_array_equal(again.p_WM, rebuilt.markers.p_WM)
    column = again.index("C7")
    assert (stored["origin"][10:20, column] == SampleOrigin.REBUILT).all()
    assert (stored["origin"][:10, column] == SampleOrigin.MEASURED).all()
    assert stored.metadata["origins"] == {"missing": 0, "measured": 1, "rebuilt": 2, "interpolated": 3}
    assert stored.metadata["quality"][column]["name"] == "C7"
    assert stored_notices(stored) == rebuilt.notices != ()
    assert_array_equal(stored_markers(loaded.results["filter"]).p_WM, filtered.markers.p_WM)
    assert stored_notices(loaded.results["filter"]) == filtered.notices != ()

    first, second = loaded.provenance
    assert (first.step, first.biomec, second.step) == ("reconstruction", __version__, "filter")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", first.when)
    assert first.settings["marker_set"] == "biomec-full"
    assert first.settings["options"] == plain_data(rebuilt.options)
    assert (first.settings["options"]["pose"], first.settings["options"]["gap_limit_s"]) == ("triad", 0.2)
    assert second.settings["options"]["manual"] == ({"name": "C7", "hz": (5.0, 6.0, 7.0)},)
    assert first.inputs == {"dynamic": session.dynamic.source.sha256, "static": session.static.source.sha256}


def test_filtered_plates_come_back_on_the_measured_ones(tmp_path):
    session = Session(full_trial(frames=200))
    filtered = filter_plates(session.dynamic.plates, replace(PLATE_FILTER, choice=CutoffChoice.FIXED, cutoff_hz=10.0))
    save_project(session.with_step("plates", filtered, when="2026-03-01T12:00:00Z"), tmp_path / "a.biomec")
    loaded = load_project(tmp_path / "a.biomec")
    assert loaded.provenance[0].when == "2026-03-01T12:00:00Z"
    plates = stored_plates(loaded.results["plates"], loaded.dynamic.plates)
    assert len(plates) == len(filtered.plates) > 0
    for plate, expected, measured in zip(plates, filtered.plates, session.dynamic.plates, strict=True):
        assert_array_equal(plate.force, expected.force)
        assert_array_equal(plate.moment, expected.moment)
        assert_array_equal(plate.origin, measured.origin)
        assert plate.name == measured.name
    assert_array_equal(loaded.results["plates"]["cutoff_hz"], filtered.cutoff_hz)
    with pytest.raises(BiomecError, match="they must be the same"):
        stored_plates(loaded.results["plates"], ())


def test_a_step_without_markers_says_so():
    session = Session(full_trial()).with_step("angles", Result({"q": np.zeros(3)}))
    assert session.provenance[0].settings == {}
    assert stored_notices(session.results["angles"]) == ()
    with pytest.raises(BiomecError, match="holds no markers"):
        stored_markers(session.results["angles"])


def test_notices_of_all_steps_together_each_once():
    trial = replace(full_trial(), notices=(info("a", "A."), problem("b", "B.")))
    session = Session(trial, notices=(warning("c", "C."), info("a", "A.")))
    assert [str(notice) for notice in gathered_notices(trial, session)] == ["B.", "C.", "A."]
    assert gathered_notices() == ()
