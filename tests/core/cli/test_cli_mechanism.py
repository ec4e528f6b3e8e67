"""`biomec mechanism`, as a user types it."""

import csv
import json
import tomllib

import pytest

from biomec.cli import main
from biomec.machines.machine import load_machine, machine_names
from tests.core.machines.swing_study import STUDY

SWING = ["mechanism", "four-bar", "--analysis", "swing-test"]


@pytest.fixture(autouse=True)
def swing(monkeypatch):
    """The study of this test among the others."""
    from biomec.machines import studies

    real = studies.studies
    monkeypatch.setattr(studies, "studies", lambda: (*real(), STUDY))


def test_programs_get_one_object_and_nothing_else(capsys):
    assert main([*SWING, "--set", "L1=0.6", "--json"]) == 0
    said = capsys.readouterr()
    facts = json.loads(said.out)
    assert facts["torque_max_Nm"] == 0.6
    assert facts["torque_nothing_Nm"] is None
    assert facts["status"] == "completed"
    assert facts["notices"] == ["The torque is one-sided."]
    assert said.err == "The torque is one-sided.\n"


def test_people_read_figures_and_text(capsys):
    assert main([*SWING, "--option", "turn=30", "--option", "smooth=no"]) == 0
    said = capsys.readouterr().out
    assert "Swing by 30°" in said
    assert "torque_max_Nm" in said
    assert "of two lines" in said


def test_a_run_that_failed_is_told_and_is_the_exit_code(capsys):
    assert main([*SWING, "--option", "method=failing", "--json"]) == 1
    said = capsys.readouterr()
    assert json.loads(said.out)["succeeded"] is False
    assert "ran away after 0.3 s" in said.err


def test_files_hold_curves_figures_report_machine_and_exports(tmp_path, capsys):
    out = tmp_path / "out"
    assert main([*SWING, "--set", "L1=0.6", "--out", str(out)]) == 0
    names = {"curves.csv", "figures.json", "report.txt", "machine.toml", "equations.c"}
    assert {path.name for path in out.iterdir()} == names
    rows = list(csv.reader((out / "curves.csv").read_text("utf-8").splitlines()))
    assert rows[0] == ["time [s]", "Angles: crank [deg]", "Torques: A [N·m]", "Torques: B [N·m]"]
    assert len(rows) == 22
    assert rows[1] == ["0", "0", "0.6", ""]  # the hole in B is an empty cell
    assert load_machine(out / "machine.toml").values["L1"] == 0.6
    assert tomllib.loads((out / "machine.toml").read_text("utf-8"))["name"] == "four-bar"
    assert "length of the crank" in (out / "report.txt").read_text("utf-8")
    assert main([*SWING, "--out", str(out)]) == 1
    assert "holds results already" in capsys.readouterr().err
    assert main([*SWING, "--out", str(out), "--force"]) == 0


def test_everything_is_listed(capsys):
    assert main(["mechanism", "--list"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in machine_names())
    assert main(["mechanism", "bennett", "--list"]) == 0
    assert "cannot run. It is made for machines in one plane." in capsys.readouterr().out
    assert main(["mechanism", "four-bar", "--list", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["parameters"]["L1"] == {
        "value": 0.5, "unit": "m", "about": "length of the crank AB", "minimum": 0.05, "maximum": 5.0,
    }  # fmt: skip
    assert facts["analyses"]["swing-test"]["options"]["turn"] == "how far it turns. In deg. Default: 90 deg."


PRESET = """
name = "rod"
dimension = 2
analysis = "kinematics"
[parameters]
L = 1.0
[[body]]
name = "rod"
points = { O = [0.0, 0.0], P = ["=L", 0.0] }
basis = ["O", "P"]
mass = 1.0
[[preset]]
name = "long"
analysis = "swing-test"
values = { L = 3.0 }
options = { frames = 5 }
"""


def test_a_preset_brings_its_values_analysis_and_options_which_the_user_may_change(tmp_path, capsys):
    file = tmp_path / "rod.toml"
    file.write_text(PRESET, encoding="utf-8")
    assert main(["mechanism", str(file), "--preset", "long", "--json", "--out", str(tmp_path / "a")]) == 0
    assert json.loads(capsys.readouterr().out)["torque_max_Nm"] == 3.0
    assert len((tmp_path / "a" / "curves.csv").read_text("utf-8").splitlines()) == 6
    assert main(["mechanism", str(file), "--preset", "long", "--set", "L=2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["torque_max_Nm"] == 2.0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Which machine?"),
        (["four-baar"], 'did you mean "four-bar"?'),
        (["nowhere.toml"], "there is no such file"),
        (["four-bar", "--analysis", "swing-tset"], 'did you mean "swing-test"?'),
        (["four-bar", "--analysis", "swing-test", "--set", "L1"], "write it as --set NAME=VALUE"),
        (["four-bar", "--analysis", "swing-test", "--set", "L1=long"], "long is not a number"),
        (["four-bar", "--analysis", "swing-test", "--set", "L1=99"], "out of its range"),
        (["four-bar", "--analysis", "swing-test", "--set", "L9=1"], "there is no parameter L9"),
        (["four-bar", "--analysis", "swing-test", "--option", "frames=many"], "is not a whole number"),
        (["four-bar", "--analysis", "swing-test", "--option", "frames="], 'frames: "" is not a whole number'),
        (["four-bar", "--analysis", "swing-test", "--option", "=3"], "write it as --option NAME=VALUE"),
        (["four-bar", "--analysis", "swing-test", "--set", "L1="], "write it as --set NAME=VALUE"),
        (["four-bar", "--analysis", "swing-test", "--option", "method=best"], "is not one of exact"),
        (["four-bar", "--preset", "none-such"], "there is no preset none-such"),
        (["bennett", "--analysis", "swing-test"], "It is made for machines in one plane."),
    ],
)
def test_what_does_not_fit_is_a_sentence(arguments, words, capsys):
    assert main(["mechanism", *arguments]) == 1
    said = capsys.readouterr()
    assert words in said.err
    assert said.out == ""


def test_a_text_of_a_preset_can_be_emptied(capsys):
    """The preset lets motors A and B act; emptied, the option lets all of them act."""
    few = ["--option", "intervals=10", "--option", "duration_s=0.2", "--option", "audit=no", "--json"]
    assert main(["mechanism", "tied-triple-pendulum", "--preset", "case-6", *few, "--option", "motors="]) == 0
    assert "torque_C_max_Nm" in json.loads(capsys.readouterr().out)


def test_the_torque_of_the_four_bar_linkage_as_published(capsys):
    """[Silva2007] prints 203.47 and -232.28 N m."""
    assert main(["mechanism", "four-bar", "--analysis", "inverse", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["torque_max_Nm"] == pytest.approx(203.469, abs=5e-4)
    assert facts["torque_min_Nm"] == pytest.approx(-232.284, abs=5e-4)
    assert facts["torque_squared_integral"] == pytest.approx(10184.0, abs=1.0)


def test_the_contact_of_the_knee_prosthesis(capsys):
    """The converged second simulation."""
    assert main(["mechanism", "knee-prosthesis", "--preset", "sim2", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    wanted = {"contact_onset_s": 0.211147, "contact_peak_N": 8839.0, "contact_impulse_Ns": 196.14,
              "contact_duration_s": 0.0824}  # fmt: skip
    for key, value in wanted.items():
        assert facts[key] == pytest.approx(value, rel=1e-3), key
