"""Recordings side by side: what is remembered, read, and said when it cannot be."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError
from biomec.io.project import load_project, save_project
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.reopen import open_again
from biomec.recording.marker_set import Side
from biomec.reporting.demo import run_demo
from biomec.reporting.statistics.conditions import Place, compared_with, condition_name, places, read_condition


@pytest.fixture(scope="module")
def demo(tmp_path_factory) -> tuple[Analysis, Path]:
    folder = tmp_path_factory.mktemp("conditions")
    analysis = run_demo(folder).analysis
    project = folder / "session.biomec"
    if not project.exists():
        save_project(analysis.stored(), project)
    return analysis, project


def test_what_is_compared_is_saved_with_the_session_and_changes_no_result(demo, tmp_path):
    analysis, project = demo
    compared = compared_with(analysis, [("open", project)])
    assert places(compared.session) == (Place("open", project),)
    assert not compared.stale
    save_project(compared.stored(), tmp_path / "one.biomec")
    again = load_project(tmp_path / "one.biomec")
    assert places(again) == (Place("open", project),)
    assert places(compared_with(compared, []).session) == ()


def test_a_condition_has_the_cycles_of_its_own_recording(demo):
    analysis, project = demo
    read = read_condition(Place("open", project))
    column = read.analysis.angles["right elbow flexion"]
    found = read.cycles(Side.RIGHT, read.analysis.signals.trial.time_s, column)
    k = analysis.angles.names.index("right elbow flexion")
    assert_allclose(found.curves.mean, analysis.cycles.curves["both"].mean[:, k], atol=1e-12)
    assert_allclose(found.curves.percent, np.arange(101.0))
    assert found.words == "5 cycles"


def test_a_project_that_was_moved_together_is_found_beside(demo, tmp_path):
    _, project = demo
    moved = tmp_path / project.name
    moved.write_bytes(project.read_bytes())
    lost = Place("open", tmp_path / "elsewhere" / project.name)
    assert read_condition(lost, beside=tmp_path).path == moved
    with pytest.raises(BiomecError, match="is no longer in"):
        read_condition(lost)


def test_what_cannot_be_compared_is_told(demo, tmp_path):
    analysis, project = demo
    other = tmp_path / "note.txt"
    other.write_text("nothing")
    with pytest.raises(BiomecError):
        read_condition(Place("note", other))
    bare = tmp_path / "bare.biomec"
    save_project(Analysis(analysis.session).stored(), bare)
    with pytest.raises(BiomecError, match="no valid cycle"):
        read_condition(Place("bare", bare))
    with pytest.raises(BiomecError, match="3 others at most"):
        compared_with(analysis, [(str(k), project) for k in range(4)])
    with pytest.raises(BiomecError, match="same name"):
        compared_with(analysis, [("a", project), ("a", other)])


def test_names_are_those_of_the_trial_and_never_twice_the_same(demo):
    session = demo[0].session
    assert condition_name(session) == "PushUpClosed1"
    second = condition_name(session, ["PushUpClosed1"])
    third = condition_name(session, ["PushUpClosed1", second])
    assert len({"PushUpClosed1", second, third}) == 3


def test_damaged_notes_of_a_session_are_no_conditions(demo):
    session = demo[0].session
    for damaged in ("text", [1, 2], [{"name": ""}]):
        assert places(session.with_settings(compared_with=damaged)) == ()


def test_opening_again_keeps_what_is_compared(demo, tmp_path):
    analysis, project = demo
    save_project(compared_with(Analysis(analysis.session), [("open", project)]).stored(), tmp_path / "two.biomec")
    assert places(open_again(load_project(tmp_path / "two.biomec")).session) == (Place("open", project),)
