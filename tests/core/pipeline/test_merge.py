"""Two programs computed with one project: runs of both are kept, and nothing else is mixed."""

from dataclasses import replace

import pytest

from biomec.base.errors import BiomecError
from biomec.cli import simulate as command
from biomec.io.project import load_project, save_project
from biomec.io.shared_project import project_hash, save_as_read
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.merge import merged_runs, save_merged
from biomec.pipeline.reopen import reopened
from biomec.recording import Subject
from tests.core.pipeline.standing import swaying_session
from tests.core.pipeline.tiny_run import tiny_run

LATER = "2026-03-02T12:00:00Z"


@pytest.fixture(scope="module")
def measured():
    return Analysis(swaying_session(0.2))


def other_person(analysis):
    return replace(analysis, session=replace(analysis.session, subject=Subject("other", "male", 90.0, 1.8)))


def other_settings(analysis):
    body = replace(analysis.settings.body, model="legs")
    return analysis.with_settings(replace(analysis.settings, body=body))


def runs(path):
    return list(reopened(load_project(path)).analysis.simulations)


def test_runs_of_both_are_kept(measured, tmp_path):
    """Both programs reported success, and the run of one was gone."""
    path = tmp_path / "a.biomec"
    save_project(measured.stored(), path)
    seen = project_hash(path)
    save_as_read(measured.with_simulation(tiny_run("theirs")).stored(), path, seen)
    merged, now = save_merged(measured.with_simulation(tiny_run("ours")), path, seen)
    assert sorted(merged.simulations) == sorted(runs(path)) == ["ours", "theirs"]
    assert now == project_hash(path)


def test_a_run_that_both_have_is_one(measured):
    both = measured.with_simulation(tiny_run("same"))
    assert list(merged_runs(both, both.stored()).simulations) == ["same"]


@pytest.mark.parametrize(
    ("theirs", "words"),
    [
        (other_person, "recording, its events or the subject"),
        (other_settings, "settings of the analysis differ"),
        (lambda analysis: analysis.with_simulation(tiny_run("same", LATER)), "a simulation same, and they differ"),
    ],
    ids=["person", "settings", "run"],
)
def test_what_differs_is_not_mixed_and_the_file_stays(measured, tmp_path, theirs, words):
    path = tmp_path / "a.biomec"
    save_project(measured.stored(), path)
    seen = project_hash(path)
    save_project(theirs(measured).stored(), path)
    before = path.read_bytes()
    with pytest.raises(BiomecError, match=words):
        save_merged(measured.with_simulation(tiny_run("same")), path, seen)
    assert path.read_bytes() == before


def test_the_command_line_keeps_the_runs_of_both(measured, tmp_path, capsys):
    path = tmp_path / "a.biomec"
    save_project(measured.stored(), path)
    seen = project_hash(path)
    save_project(measured.with_simulation(tiny_run("theirs")).stored(), path)
    assert command._saved(measured.with_simulation(tiny_run("ours")), path, seen) == path
    assert "saved 1 more simulations meanwhile; all are kept" in capsys.readouterr().err
    assert sorted(runs(path)) == ["ours", "theirs"]


def test_the_command_line_saves_beside_what_cannot_be_merged(measured, tmp_path, capsys):
    path = tmp_path / "a.biomec"
    save_project(measured.stored(), path)
    seen = project_hash(path)
    save_project(other_person(measured).stored(), path)
    before = path.read_bytes()
    beside = command._saved(measured.with_simulation(tiny_run("ours")), path, seen)
    assert beside == tmp_path / "a_2.biomec"
    assert path.read_bytes() == before
    assert runs(beside) == ["ours"]
    assert "Saved as a_2.biomec instead" in capsys.readouterr().err
