"""`biomec loads-study` and `biomec compare`, as a user types them."""

import json

import numpy as np
import pytest

from biomec.cli import main
from biomec.io.project import save_project
from biomec.pipeline.analysis import Analysis
from biomec.recording import Session
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
