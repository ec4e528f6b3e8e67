"""`biomec simulate`, as a user types it."""

import csv
import json
import signal

import numpy as np
import pytest

from biomec.cli import main
from biomec.cli import simulate as command
from biomec.io.project import load_project, save_project
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.reopen import reopened
from biomec.recording import Session
from biomec.virtual import PushUp, RecordOptions, VirtualPerson, record, write_acquisition

OPTIONS = RecordOptions(50.0, 250.0, noise_mm=0.3, plate_noise_n=0.5, seed=1)


@pytest.fixture(scope="module")
def acquisition():
    return record(PushUp("closed", cycles=1), VirtualPerson(), OPTIONS)


@pytest.fixture
def project(acquisition, tmp_path):
    session = Session(acquisition.dynamic, acquisition.static, subject=acquisition.person.subject)
    save_project(Analysis(session).stored(), tmp_path / "p.biomec")
    return tmp_path / "p.biomec"


def runs(path):
    return reopened(load_project(path)).analysis.simulations


def test_a_project_keeps_its_runs_and_the_folder_gets_table_and_summary(project, tmp_path, capsys):
    out = tmp_path / "out"
    short = ["simulate", str(project), "--frames", "50-80"]
    assert main([*short, "--input", "resultant", "--name", "published", "--out", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "published: stabilised Lagrange; Adams-Bashforth-Moulton of order 4, 2 ms" in shown
    assert "0.600 s of 0.600 s in 300 steps. Completed." in shown
    facts = json.loads((out / "simulation.json").read_text("utf-8"))
    assert facts["ending"] == "completed"
    assert facts["steps"] == 300
    assert facts["settings"]["input"] == "resultant"
    table = list(csv.reader((out / "simulation.csv").read_text("utf-8").splitlines()))
    assert len(table) == 1 + 31
    assert [row[0] for row in table[1:]] == [str(frame) for frame in range(50, 81)]
    assert facts["frames"] == {"first": 50, "last": 80, "reached": 80}  # as the table and the user count them
    assert facts["settings"]["frames"] == [50, 80]
    run = runs(project)["published"]
    steps = list(csv.DictReader((out / "simulation_steps.csv").read_text("utf-8").splitlines()))
    assert len(steps) == 301
    courses = {name: np.array([float(row[f"{name}_J"]) for row in steps]) for name in facts["energy_J"]}
    assert list(courses) == ["kinetic", "potential", "work", "drift"]
    np.testing.assert_allclose(courses["kinetic"], run.kinetic, rtol=1e-6)
    total = courses["kinetic"] + courses["potential"]
    # the balance of the written columns: seven digits of hundreds of joules leave 5e-5 J each
    np.testing.assert_allclose(courses["drift"], total - total[0] - courses["work"], rtol=0, atol=2e-4)
    for name, course in courses.items():
        energies = facts["energy_J"][name]
        found = [course[0], course[-1], course.min(), course.max()]
        assert [energies[one] for one in ("first", "last", "min", "max")] == pytest.approx(found, rel=1e-6, abs=1e-9)
    np.testing.assert_allclose([float(row["phi"]) for row in steps], run.violation, rtol=1e-6)
    column = table[0].index("right elbow flexion (simulated, deg)")
    flexion = np.degrees(run.angles[:, run.angle_names.index("right elbow flexion")])
    assert [float(row[column]) for row in table[1:]] == pytest.approx(list(flexion), rel=1e-6)

    assert main([*short, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["settings"]["input"] == "computed-torque"
    assert facts["difference_from_recorded"]["q"]["mean"] < 1e-5
    assert main([*short, "--json"]) == 0  # a name of its own, for nothing is lost unasked
    capsys.readouterr()
    assert set(runs(project)) == {"published", facts["name"], f"{facts['name']} (2)"}


def test_a_recording_is_simulated_into_a_folder_with_its_session(acquisition, tmp_path, capsys):
    files = write_acquisition(acquisition, tmp_path / "lab")
    out = tmp_path / "out"
    arguments = ["simulate", str(files["emt"]), "--frames", "50-60", "--out", str(out), "--coordinates"]
    assert main(arguments) == 0
    capsys.readouterr()
    assert len(runs(out / "session.biomec")) == 1
    assert (out / "simulation.csv").read_text("utf-8").startswith("frame,time_s,q0,q1")
    assert main(arguments) == 1
    assert "it holds results already" in capsys.readouterr().err


def test_ctrl_c_keeps_what_was_reached(project, capsys, monkeypatch):
    def progress(analysis, settings):
        def tell(fraction):
            if fraction > 0.1:
                signal.raise_signal(signal.SIGINT)

        return tell

    monkeypatch.setattr(command, "_progress", progress)
    assert main(["simulate", str(project), "--input", "resultant", "--name", "short"]) == 130
    assert "Stopped at" in capsys.readouterr().out
    run = runs(project)["short"]
    assert run.ending.value == "stopped by the user"
    assert 0.0 < run.reached_s < 0.2 * (run.last - run.first) / run.rate_hz


def test_what_if_reaches_the_settings(project, capsys):
    words = ["mass=1.1", "load:right hand=5", "weaken:left elbow=0.3", "grip=0.1"]
    assert main(["simulate", str(project), "--frames", "50-56", "--what-if", *words, "--json"]) == 0
    asked = json.loads(capsys.readouterr().out)["settings"]["what_if"]
    assert asked == {
        "mass": 1.1, "masses": {}, "carried": {"right hand": 5.0}, "gravity": 1.0, "grip_m": 0.1,
        "weakened": {"left elbow": 0.3}, "springs": {},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--root", "contact", "--joint-stops"], {"root": "contact", "joint_stops": True, "input": "computed-torque"}),
        (["--input", "pd", "--stiffness", "2000"], {"input": "pd", "stiffness": 2000.0}),
        (
            ["--input", "resultant", "--formulation", "independent", "--integrator", "gear", "--order", "2"],
            {"formulation": "independent", "integrator": "gear", "order": 2},
        ),
        (
            ["--input", "resultant", "--formulation", "augmented", "--integrator", "generalised-alpha", "--rho", "0.5",
             "--alpha", "1e6", "--xi", "0.7", "--omega", "20", "--constraint-tolerance", "1e-9", "--tolerance", "1e-9",
             "--max-iterations", "80", "--constraint-iterations", "9"],
            {"formulation": "augmented", "integrator": "generalised-alpha", "rho": 0.5, "tolerance": 1e-9,
             "max_iterations": 80,
             "equations": {"alpha": 1e6, "xi": 0.7, "omega": 20.0, "tolerance": 1e-9, "max_iterations": 9}},
        ),
        (
            ["--input", "resultant", "--integrator", "variable", "--error", "1e-5"],
            {"integrator": "variable", "error": 1e-5,
             "equations": {"alpha": 1e5, "xi": 1.0, "omega": 10.0, "tolerance": 1e-10, "max_iterations": 20}},
        ),
    ],
)  # fmt: skip
def test_what_is_asked_for_is_run(project, capsys, words, found):
    assert main(["simulate", str(project), "--frames", "50-56", "--json", *words]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["ending"] == "completed"
    assert facts["difference_from_recorded"]["q"]["mean"] < 1e-3
    assert {name: facts["settings"][name] for name in found} == found
    if "--joint-stops" in words:
        assert facts["stop_torque_max_Nm"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--step", "0"], "must be positive"),
        (["--alpha", "-1"], "must be positive"),
        (["--max-iterations", "0"], "--max-iterations: 0 is out of range; it must be 1 to 1000."),
        (["--table", "--max-iterations", "0"], "--max-iterations: 0 is out of range"),
        (["--integrator", "generalised-alpha", "--rho", "2"], "--rho: 2 is out of range; it must be 0 to 1."),
        (["--step", "2"], "--step: 2 s is out of range; it must be 0 to 1000 ms."),
        (["--input", "hope"], '"hope" is not one of computed-torque, underactuated, pd, inverse, muscles, resultant.'),
        (["--order", "second"], '--order: "second" is not a whole number.'),
        (["--input", "resultant", "--what-if", "mass=2"], "resultant forces belong to the body"),
        (["--formulation", "penalty", "--integrator", "constant-acceleration"], "Choose another integrator"),
        (["--frames", "0-20"], "The recording begins with frame 1"),
        (["--frames", "50-9000"], "cannot be simulated"),
        (["--cycle", "7"], "There is no cycle 7"),
        (["--table", "--cycle", "1"], "leave out --cycle"),
        (["--frames", "50-60", "--what-if", "load:tail=3"], "there is no segment tail"),
    ],
)
def test_what_cannot_be_is_a_sentence(project, capsys, words, sentence):
    assert main(["simulate", str(project), *words]) == 1
    assert sentence in capsys.readouterr().err
    assert runs(project) == {}


@pytest.mark.parametrize("words", [["--what-if", "luck=3"], ["--what-if", "mass=much"]])
def test_words_that_mean_nothing_are_refused_with_what_there_is(project, capsys, words):
    with pytest.raises(SystemExit):
        main(["simulate", str(project), *words])
    assert "argument" in capsys.readouterr().err


def test_the_table_has_a_row_for_every_integrator_and_formulation(project, capsys):
    assert main(["simulate", str(project), "--table", "--step", "0.02", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    found = [(row["integrator"], row["formulation"]) for row in rows]
    published = [(i, f) for i in ("trapezoidal", "adams") for f in ("LC", "LE", "LP", "LA")]
    assert found[:9] == [*published, ("trapezoidal", "LAP")]
    assert set(found[9:]) == {(i, f) for i in ("trapezoidal", "adams", "gear") for f in ("R", "SR")} | {
        ("gear", f) for f in ("LC", "LE", "LP", "LA")
    }
    assert runs(project) == {}


def test_a_file_that_is_not_there_is_a_sentence(tmp_path, capsys):
    assert main(["simulate", str(tmp_path / "no.biomec")]) == 1
    assert "no.biomec: there is no such file" in capsys.readouterr().err
