"""A session through a MATLAB file and back: the same bit for bit, results included."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.io
from numpy.testing import assert_array_equal

from biomec.base.errors import FileError
from biomec.io.mat import read_mat
from biomec.io.mat_session import read_mat_session, write_mat_session
from biomec.pipeline.analysis import Analysis, analyze
from biomec.pipeline.reopen import open_again
from biomec.recording import Original, Source
from biomec.reporting.files.other_programs import write_recording
from tests.core.pipeline.standing import swaying_session


@pytest.fixture(scope="module")
def whole() -> Analysis:
    return analyze(swaying_session())


@pytest.mark.parametrize("measured", [True, False])
def test_an_analysis_comes_back_with_equal_numbers(whole, tmp_path, measured):
    path = tmp_path / "whole.mat"
    assert write_recording(whole, path, measured) == ()
    session = read_mat_session(path)
    stored = whole.stored()
    assert session.fingerprint == stored.fingerprint
    assert session.subject == stored.subject
    assert session.settings == stored.settings
    assert [record.step for record in session.provenance] == [record.step for record in stored.provenance]
    for step, result in stored.results.items():
        assert session.results[step].metadata == result.metadata
        for name, array in result.arrays.items():
            back = session.results[step].arrays[name]
            assert (back.dtype, back.shape) == (array.dtype, array.shape), (step, name)
            assert_array_equal(back, array)
    again = open_again(session)
    assert tuple(again.done) == tuple(whole.done)
    assert not again.stale
    for ours, theirs in (
        (again.motion.q, whole.motion.q),
        (again.motion.qdot, whole.motion.qdot),
        (again.motion.qddot, whole.motion.qddot),
        (again.angles.values, whole.angles.values),
    ):
        assert_array_equal(ours, theirs)
    assert not [notice for notice in again.notices if notice.code == "results-differ"]
    wanted = whole.session.dynamic if measured else whole.signals.trial
    assert_array_equal(read_mat(path).markers.p_WM, wanted.markers.p_WM)


def test_matlab_finds_the_results_under_their_names(whole, tmp_path):
    write_recording(whole, tmp_path / "whole.mat")
    seen = scipy.io.loadmat(tmp_path / "whole.mat", simplify_cells=True)
    assert_array_equal(seen["results"]["angles"]["values"], whole.angles.values)


def test_files_that_are_not_held_are_told(whole, tmp_path):
    content = b"imported"
    original = Original(Source.of_bytes("walk.emt", "EMT", content), content)
    notices = write_mat_session(replace(whole.stored(), originals=(original,)), tmp_path / "whole.mat")
    assert "walk.emt" in notices[0].sentence
    assert read_mat_session(tmp_path / "whole.mat").originals == ()


def test_a_recording_alone_is_no_session_and_a_changed_one_is_refused(whole, tmp_path):
    from biomec.io.mat import write_mat

    write_mat(whole.session.dynamic, tmp_path / "trial.mat")
    assert read_mat_session(tmp_path / "trial.mat") is None
    path = tmp_path / "whole.mat"
    write_recording(whole, path)
    variables = scipy.io.loadmat(path, simplify_cells=True)
    for change, words in (
        ({"version": 9.0}, "newer Biomec"),
        ({"json": "{}"}, "not what Biomec wrote"),
        ({"json": "no json"}, "not what Biomec wrote"),
    ):
        stored = {name: value for name, value in variables["session"].items() if name in ("format", "json", "version")}
        scipy.io.savemat(tmp_path / "other.mat", {"session": stored | change})
        with pytest.raises(FileError, match=words):
            read_mat_session(tmp_path / "other.mat")
    short = {name: value for name, value in variables.items() if not name.startswith("__")}
    short["results"]["angles"]["values"] = np.zeros((2, 2))
    scipy.io.savemat(tmp_path / "short.mat", short, long_field_names=True)
    with pytest.raises(FileError):
        read_mat_session(tmp_path / "short.mat")
