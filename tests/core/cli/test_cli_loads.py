"""`biomec loads-study`, `biomec compare` and `biomec rank`, as a user types them."""

import json
import shutil

import numpy as np
import pytest

from biomec.cli import main
from biomec.io.project import load_project, save_project
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.reopen import reopened
from biomec.recording import Session
from biomec.reporting.statistics.load_condition import exercise_of
from biomec.reporting.statistics.load_ranking import rank_exercises
from biomec.virtual import PushUp, RecordOptions, VirtualPerson, record

OPTIONS = RecordOptions(50.0, 250.0, noise_mm=0.3, plate_noise_n=0.5, seed=1)


@pytest.fixture(scope="module")
def grips(tmp_path_factory):
    """Projects of both grips, with nothing computed yet."""
    folder = tmp_path_factory.mktemp("grips")
    for grip in ("closed", "open"):
        one = record(PushUp(grip, cycles=2), VirtualPerson(), OPTIONS)
        session = Session(one.dynamic, one.static, subject=one.person.subject)
        save_project(Analysis(session).stored(), folder / f"{grip}.biomec")
    return folder


def test_two_grips_are_compared_for_programs_and_for_people(grips, capsys):
    files = [str(grips / "open.biomec"), str(grips / "closed.biomec")]
    assert main(["compare", *files, "--joint", "right elbow", "--unit", "per-kg", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["first"] == {"title": "open.biomec", "repetitions": 2}
    assert {name.rsplit(" ", 1)[1] for name in facts["loads"]} == {"force", "moment"}
    assert len(facts["loads"]) == 6
    flexion = facts["loads"]["right elbow flexion moment"]
    assert flexion["unit"] == "N·m/kg"
    assert flexion["n"] == [2, 2]
    assert main(["compare", *files, "--joint", "right elbow"]) == 0
    shown = capsys.readouterr().out
    assert "closed.biomec against open.biomec" in shown
    assert "Right elbow flexion moment [N·m]" in shown


def test_exercises_are_put_in_order_by_the_same_numbers_as_in_python(grips, capsys):
    files = [grips / "open.biomec", grips / "closed.biomec"]
    joints = ["right glenohumeral", "right elbow"]
    assert main(["rank", *map(str, files), "--joint", joints[0], "--joint", joints[1], "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    analyses = {path.name: reopened(load_project(path)).analysis.run_until("loads") for path in files}
    found = rank_exercises([exercise_of(analysis, name) for name, analysis in analyses.items()], joints)
    assert facts["joints"] == joints
    assert facts["order"] == {reading: list(found.order(reading)) for reading in ("patient", "athlete")}
    assert [one["burden"] for one in facts["exercises"].values()] == found.burden.tolist()
    assert {one["cycles"] for one in facts["exercises"].values()} == {2}
    # by hand: the least force that soft tissue holds, and torque off the elbow's axis, in parts of their means
    values = np.array([[*one.force["soft tissue"][[one.joints.index(j) for j in joints]],
                        one.moment["off axis"][one.joints.index(joints[1])]] for one in found.exercises])  # fmt: skip
    assert facts["order"]["patient"][0] == files[int((values / values.mean(axis=0)).mean(axis=1).argmin())].name
    assert main(["rank", *map(str, files)]) == 0
    shown = capsys.readouterr().out
    assert "For a patient, the gentlest first: " in shown
    assert "Exercises by joint load" in shown


def test_an_order_needs_two_recordings_that_differ(grips, capsys):
    assert main(["rank", str(grips / "open.biomec")]) == 1
    assert "at least two exercises" in capsys.readouterr().err
    opened, closed = str(grips / "open.biomec"), str(grips / "closed.biomec")
    assert main(["rank", opened, closed, closed]) == 1
    assert "closed.biomec: it was given twice" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["compare", "rank"])
def test_a_file_that_is_not_there_is_told_before_anything_is_computed(grips, capsys, monkeypatch, command):
    monkeypatch.setattr(Analysis, "run_until", lambda *_: pytest.fail("computed"))
    assert main([command, str(grips / "open.biomec"), str(grips / "nowhere.biomec")]) == 1
    assert "nowhere.biomec: there is no such file" in capsys.readouterr().err


def test_loads_with_and_without_the_ribs_are_not_compared(grips, tmp_path, capsys):
    out = str(tmp_path / "borne")
    assert main(["analyze", str(grips / "open.biomec"), "--joints", "all", "--out", out]) == 0
    assert "The ribs would have to pull on the scapula" in capsys.readouterr().err
    for command in ("compare", "rank"):
        assert main([command, f"{out}/session.biomec", str(grips / "closed.biomec")]) == 1
        printed = capsys.readouterr().err
        assert "session.biomec has loads with the contacts" in printed
        assert "closed.biomec without them" in printed


def test_files_of_the_same_name_are_told_apart_by_their_folders(grips, tmp_path, capsys):
    """Results of `biomec analyze` are all called session.biomec, and compared with each other under one name."""
    files = []
    for grip in ("open", "closed"):
        (tmp_path / grip).mkdir()
        files.append(str(tmp_path / grip / "session.biomec"))
        shutil.copy(grips / f"{grip}.biomec", files[-1])
    assert main(["compare", *files, "--joint", "right elbow"]) == 0
    assert "closed/session.biomec against open/session.biomec" in capsys.readouterr().out


def test_the_study_of_preparing_has_six_configurations(grips, capsys):
    assert main(["loads-study", str(grips / "closed.biomec"), "--joint", "right elbow", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    force = np.array(facts["force_difference_N"])
    assert force.shape == (6, 6)
    assert np.array_equal(force, force.T)
    assert facts["joint"] == "right elbow"
    assert len(facts["configurations"]) == 6


def test_a_joint_that_is_not_there_and_a_file_that_is_not_there_are_sentences(grips, tmp_path, capsys):
    assert main(["loads-study", str(grips / "closed.biomec"), "--joint", "tail"]) == 1
    assert "There is no joint tail; there are" in capsys.readouterr().err
    assert main(["compare", str(tmp_path / "no.biomec"), str(grips / "open.biomec")]) == 1
    assert "no.biomec: there is no such file" in capsys.readouterr().err
