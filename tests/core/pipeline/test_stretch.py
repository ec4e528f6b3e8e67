"""A stretch of a recording is a session of its own, which opens with the steps that the whole one had."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.io
from numpy.testing import assert_array_equal

from biomec.base.errors import BiomecError
from biomec.io.project import load_project, save_project
from biomec.io.registry import read_trial
from biomec.pipeline.analysis import Analysis, analyze
from biomec.pipeline.reopen import open_again
from biomec.pipeline.settings import AnalysisSettings, ContactChoice, SignalSettings
from biomec.pipeline.stretch import CycleSpan, covering, cycle_spans, stretch_session
from biomec.reporting.files.other_programs import write_angles, write_recording
from tests.core.pipeline.standing import swaying_session

UNFILTERED = AnalysisSettings(signals=SignalSettings(marker_filter=None, plate_filter=None))


@pytest.fixture(scope="module")
def whole() -> Analysis:
    return analyze(swaying_session(), UNFILTERED)


def test_a_saved_stretch_opens_as_a_full_session(whole, tmp_path):
    save_project(stretch_session(whole, 10, 29), tmp_path / "part.biomec")
    part = open_again(load_project(tmp_path / "part.biomec"))
    assert part.session.dynamic.frames == 20
    assert part.session.dynamic.first_frame == whole.session.dynamic.first_frame + 10
    assert set(part.done) == set(whole.done)
    # unfiltered and rigid: the part has the angles that the whole has there, but for the start of the search
    np.testing.assert_allclose(part.angles.values, whole.angles.values[10:30], atol=1e-7)
    assert part.session.provenance[-1].step == "stretch"


def test_choices_by_hand_go_with_the_stretch(whole):
    choices = (ContactChoice("P", 0.05, None), ContactChoice("P", 0.25, "right foot"), ContactChoice("P", 9.0, None))
    settings = replace(UNFILTERED, signals=replace(UNFILTERED.signals, by_hand=choices))
    rate = whole.session.dynamic.rate_hz
    session = stretch_session(whole.with_settings(settings), round(0.1 * rate), round(0.4 * rate))
    (kept,) = session.settings["analysis"]["signals"]["by_hand"]
    assert kept["segment"] == "right foot"
    assert kept["at_s"] == pytest.approx(0.15)


def test_a_stretch_outside_is_refused(whole):
    with pytest.raises(BiomecError, match="do not lie within"):
        stretch_session(whole, 10, 5000)


def test_cycles_are_named_and_put_together(whole):
    assert cycle_spans(Analysis(swaying_session())) == ()
    spans = cycle_spans(whole)
    assert all(isinstance(span, CycleSpan) for span in spans)
    assert covering((CycleSpan("1", 3, 9, True), CycleSpan("2", 9, 14, True))) == (3, 14)
    with pytest.raises(BiomecError, match="at least one cycle"):
        covering(())


@pytest.mark.parametrize("suffix", [".c3d", ".trc", ".csv", ".mat"])
@pytest.mark.parametrize("measured", [True, False])
def test_a_recording_is_exported_and_read_back(whole, tmp_path, suffix, measured):
    path = tmp_path / f"out{suffix}"
    write_recording(whole, path, measured)
    source = whole.session.dynamic if measured else whole.signals.trial
    back = read_trial(path, examine=False)
    assert set(source.markers.names) <= set(back.markers.names)
    # C3D holds single precision in mm; the others are exact
    np.testing.assert_allclose(
        back.markers.select(source.markers.names).p_WM, source.markers.p_WM, atol=1e-6 if suffix == ".c3d" else 1e-12
    )


def test_joint_angles_are_exported_for_opensim(whole, tmp_path):
    write_angles(whole, tmp_path / "angles.sto")
    back = read_trial(tmp_path / "angles.sto", examine=False).analog
    assert back.rate_hz == pytest.approx(whole.signals.trial.rate_hz)
    assert len(back.names) == len(whole.angles.names)
    scale = np.where(np.array(back.units) == "deg", 1.0, 180.0 / np.pi)  # the reader may turn degrees into radians
    assert_array_equal(np.isnan(back.values), np.isnan(whole.angles.values))
    np.testing.assert_allclose(back.values * scale, np.degrees(whole.angles.values), atol=1e-9)


def test_a_matlab_file_holds_the_results_too(whole, tmp_path):
    write_recording(whole, tmp_path / "out.mat")
    results = scipy.io.loadmat(tmp_path / "out.mat", simplify_cells=True)["results"]
    assert_array_equal(results["angles"]["values"], whole.angles.values)
    assert list(results["angles"]["names"]) == list(whole.angles.names)
    assert_array_equal(results["positions"]["q"], whole.positions.q)
