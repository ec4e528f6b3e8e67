"""`biomec analyze` and `biomec demo`, as a user types them."""

import argparse
import importlib
import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

from biomec.body.loads.load_components import LoadReading
from biomec.body.loads.residual_reduction import ReductionOptions
from biomec.body.plug_in_gait.parameters import PlugInGaitOptions
from biomec.cli import analysis as command
from biomec.cli import main
from biomec.io.project import load_project
from biomec.pipeline.settings import AnalysisSettings, BodySettings
from biomec.reporting import demo
from biomec.reporting.files.analysis_files import FILES, OF_CONSISTENCY, OF_DEVICES, OF_GAIT, OF_MUSCLES
from biomec.signals import PLATE_FILTER, CutoffChoice, FilterOptions
from biomec.virtual import PushUp, RecordOptions, VirtualPerson, record, write_acquisition
from tests.real_data import recording

PERSON = VirtualPerson(81.6, 1.79, "male")


def instead(module: str, made):
    """`import_module` that gives something else for one module."""
    real = importlib.import_module
    return lambda name, package=None: made() if name == module else real(name, package)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    acquisition = record(PushUp("closed", cycles=1), PERSON, RecordOptions(rate_hz=50.0, plate_rate_hz=250.0))
    return write_acquisition(acquisition, tmp_path_factory.mktemp("lab"), ["emt"])["emt"]


@pytest.fixture(scope="module")
def analysed(files, tmp_path_factory):
    """Folder with the results of one analysis."""
    out = tmp_path_factory.mktemp("results") / "out"
    assert main(["analyze", str(files), "--sex", "m", "--out", str(out)]) == 0
    return out


def test_one_command_goes_from_files_to_angles(files, tmp_path, capsys):
    out = tmp_path / "out"
    person = ["--mass", "81.6", "--height", "1.79", "--sex", "m"]
    assert main(["analyze", str(files), *person, "--model", "m21", "--out", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "21 segments, 252 natural coordinates, 214 constraint rows (6 redundant), 44 degrees of freedom" in shown
    assert {path.name for path in out.iterdir()} == {
        name for name in FILES if name not in (*OF_CONSISTENCY, *OF_DEVICES, *OF_GAIT, *OF_MUSCLES)
    }
    facts = json.loads((out / "summary.json").read_text("utf-8"))
    assert facts["model"]["dof"] == 44
    assert facts["consistency"]["converged"] == facts["consistency"]["frames"]
    assert {key: facts["subject"][key] for key in ("sex", "mass_kg", "height_m", "assumed")} == {
        "sex": "male", "mass_kg": 81.6, "height_m": 1.79, "assumed": [],
    }  # fmt: skip
    used = [one for one in facts["model"]["ellipsoids"] if one["used"]]
    assert {one["preset"] for one in used} == {"epfl"}
    assert len(used) == 4
    # the mean of the markers stands for the centre of mass of a body in motion: some tenths of a per cent
    assert facts["subject"]["weighed_kg"] == pytest.approx(81.6, rel=0.01)
    assert facts["cycles"] == {"by": "elbow flexion", "found": 1, "valid": 1}
    assert load_project(out / "session.biomec").provenance[0].step == "import"


def test_a_project_is_analysed_again_to_the_same_numbers(analysed, tmp_path):
    assert main(["analyze", str(analysed / "session.biomec"), "--sex", "m", "--out", str(tmp_path / "b")]) == 0
    for name in ("angles.csv", "coordinates.csv"):
        assert (analysed / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_project_keeps_its_settings_where_nothing_else_is_asked_for(files, tmp_path):
    """A project made with --model m17 --method markers was analysed again as m21 by coordinates, without a word."""
    first, again, other = (tmp_path / name for name in "abc")
    assert (
        main(["analyze", str(files), "--sex", "m", "--model", "m17", "--method", "markers", "--out", str(first)]) == 0
    )
    assert main(["analyze", str(first / "session.biomec"), "--out", str(again)]) == 0
    assert main(["analyze", str(first / "session.biomec"), "--model", "m21", "--out", str(other)]) == 0
    facts = [json.loads((folder / "summary.json").read_text("utf-8")) for folder in (first, again, other)]
    assert [one["model"]["name"] for one in facts] == ["m17", "m17", "m21"]
    assert [one["consistency"]["method"] for one in facts] == ["markers"] * 3
    assert (first / "angles.csv").read_bytes() == (again / "angles.csv").read_bytes()


def test_settings_of_one_analysis_serve_another(files, tmp_path):
    assert (
        main(
            [
                "analyze",
                str(files),
                "--sex",
                "m",
                "--cutoff",
                "6",
                "--filter",
                "critically-damped",
                "--out",
                str(tmp_path / "a"),
            ]
        )
        == 0
    )
    stored = tmp_path / "a" / "settings.json"
    signals = json.loads(stored.read_text("utf-8"))["signals"]
    assert signals["marker_filter"]["cutoff_hz"] == 6.0
    assert signals["marker_filter"]["filter"] == signals["plate_filter"]["filter"] == "critically-damped"
    arguments = ["analyze", str(files), "--sex", "m", "--settings", str(stored), "--out", str(tmp_path / "b")]
    assert main(arguments) == 0
    assert (tmp_path / "a" / "angles.csv").read_bytes() == (tmp_path / "b" / "angles.csv").read_bytes()


def asked(*words: str, settings: AnalysisSettings = AnalysisSettings()) -> AnalysisSettings:
    """Settings that a command line asks for; nothing is computed."""
    parser = argparse.ArgumentParser()
    command.add_commands(parser.add_subparsers())
    return command._settings(parser.parse_args(["analyze", "walk.c3d", "--out", "out", *words]), settings)


def test_options_are_fields_of_the_settings():
    chosen = asked(
        *("--model", "m17", "--method", "markers", "--filter", "critically-damped", "--cutoff", "6", "--joints", "all"),
        *("--load-method", "newton-euler", "--load-axes", "distal", "--subtract-static", "--reduce", "masses"),
        *("--set", "signals.static.largest_deviation_m=4 mm", "--set", "load_reading.normalisation=mass"),
    )
    assert (chosen.body.model, chosen.positions.method, chosen.loads.constraints) == ("m17", "markers", "all")
    assert chosen.signals.marker_filter == FilterOptions(CutoffChoice.FIXED, 6.0, filter="critically-damped")
    assert chosen.signals.plate_filter == replace(PLATE_FILTER, filter="critically-damped")
    assert chosen.load_reading == LoadReading("distal", normalisation="mass", method="Newton-Euler")
    assert chosen.angles.subtract_static
    assert chosen.loads.reduction == ReductionOptions(motion=None)
    assert chosen.signals.static.largest_deviation_m == 0.004
    off = asked("--no-filter", settings=chosen).signals
    assert (off.marker_filter, off.plate_filter) == (None, None)
    again = asked("--set", "signals.plate_filter.cutoff_hz=30", settings=replace(chosen, signals=off)).signals
    assert again.plate_filter == replace(PLATE_FILTER, cutoff_hz=30.0)


def test_what_nobody_asks_for_stays_as_it_was():
    """A project that showed Newton-Euler loads in distal axes was analysed again with multibody ones in joint axes."""
    stored = AnalysisSettings(
        load_reading=LoadReading("distal", method="Newton-Euler"),
        body=BodySettings(plug_in_gait=PlugInGaitOptions(compute=False)),
    )
    assert asked(settings=stored) == stored
    assert asked("--model", "m17", settings=stored) == replace(stored, body=replace(stored.body, model="m17"))


def test_files_beside_a_project_are_refused(analysed, tmp_path, capsys):
    project = str(analysed / "session.biomec")
    assert main(["analyze", project, "--forces", "other.mot", "--out", str(tmp_path / "b")]) == 1
    assert "a project has its files already, so --forces means nothing" in capsys.readouterr().err
    assert main(["analyze", project, "--axes", "z-up", "--out", str(tmp_path / "b")]) == 1
    assert "so --axes means nothing" in capsys.readouterr().err


def test_results_are_kept_unless_the_user_forces(files, analysed, tmp_path, capsys):
    out = tmp_path / "out"
    shutil.copytree(analysed, out)
    (out / "angles.csv").write_text("kept", "utf-8")
    assert main(["analyze", str(files), "--out", str(out)]) == 1
    assert "holds results already" in capsys.readouterr().err
    assert (out / "angles.csv").read_text("utf-8") == "kept"
    assert main(["analyze", str(files), "--sex", "m", "--out", str(out), "--force"]) == 0
    assert (out / "angles.csv").read_bytes() == (analysed / "angles.csv").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--mass", "8.16", "--height", "1.79"], "does not go with a height of 1.79 m"),
        (["--mass", "816"], "a mass of 816 is impossible"),
        (["--model", "m12"], 'no model "m12"'),
        (["--marker-set", "pig"], 'no marker set "pig"'),
        (["--angles", "isbn"], "convention isbn"),
        (["--measure", "knee_wide=0.1"], "there is no measure knee_wide"),
        (["--functional", "right ear=nowhere.c3d"], "nowhere.c3d"),
        (["--static", "nowhere.emt"], "nowhere.emt"),
        (["--cycles", "nose flexion"], "There is no angle nose flexion"),
        (["--cutoff", "-6"], "--cutoff: -6 is out of range; it must be at least 0 Hz."),
        (["--load-axes", "distol"], '--load-axes: "distol" is not one of joint, proximal, distal, laboratory; did you'),
        (["--set", "signals.gap_limit_s=1"], 'did you mean "signals.reconstruction.gap_limit_s"?'),
        (["--set", "signals.static.largest_deviation_m=5"], "give 5 its unit: 5 mm or 5 m."),
        (["--set", "loads=newton"], "--set loads is a group of settings. Its settings are loads.method, "),
    ],
)
def test_what_cannot_be_done_is_a_sentence(arguments, sentence, files, tmp_path, capsys):
    assert main(["analyze", str(files), "--out", str(tmp_path / "out"), *arguments]) == 1
    said = capsys.readouterr().err
    assert sentence in said
    assert "Traceback" not in said
    assert not (tmp_path / "out").exists()


def test_a_broken_model_file_is_told_with_its_line(files, tmp_path, capsys):
    model = tmp_path / "mine.toml"
    model.write_text(
        'name = "mine"\ntitle = "Mine"\nroots = ["pelvis"]\n\n[[segment]]\nname = "pelvis"\nbassis = ["CAL"]\n'
    )
    assert main(["analyze", str(files), "--model", str(model), "--out", str(tmp_path / "out")]) == 1
    assert (
        'mine.toml, line 7: Segment pelvis: there is no key "bassis"; did you mean "basis"?' in capsys.readouterr().err
    )


def test_without_a_static_one_frame_stands_in_for_it(tmp_path, capsys):
    options = RecordOptions(rate_hz=50.0, plate_rate_hz=250.0, removed=False)
    folder = tmp_path / "lab"
    path = write_acquisition(record(PushUp("closed", cycles=1), PERSON, options), folder, ["emt"])["emt"]
    assert main(["analyze", str(path), "--static", "none", "--out", str(tmp_path / "out")]) == 0
    assert "stands in for it" in capsys.readouterr().err + (tmp_path / "out" / "summary.json").read_text("utf-8")


def test_residuals_are_reduced_on_request_and_the_terminal_says_so(files, tmp_path, capsys):
    wrong = ["analyze", str(files), "--mass", "87", "--height", "1.79", "--sex", "m"]
    assert main([*wrong, "--out", str(tmp_path / "a")]) == 0
    assert "Residual reduction" not in capsys.readouterr().err
    assert main([*wrong, "--reduce", "--out", str(tmp_path / "b")]) == 0
    shown = capsys.readouterr()
    assert "warning: Residual reduction changed the data" in shown.err
    assert "warning: Masses and centres of mass were changed" in shown.err
    assert "Residual reduction changed the data" in shown.out  # the verdict
    plain, reduced = (
        json.loads((tmp_path / name / "summary.json").read_text("utf-8"))["inverse_dynamics"] for name in "ab"
    )
    assert plain["reduced"] is None
    assert reduced["residual_force_rms_N"] < 0.5 * plain["residual_force_rms_N"]
    stored = asked("--reduce")
    assert stored.loads.reduction == ReductionOptions()
    assert asked("--reduce", "motion").loads.reduction == ReductionOptions(inertia=None)
    assert asked("--reduce", "none", settings=stored).loads.reduction is None


def test_the_demo_leaves_results_and_says_how_near_to_the_truth_they_are(tmp_path, monkeypatch, capsys):
    drawn = []
    pictures = type("Pictures", (), {"draw": staticmethod(lambda analysis, folder, truth: drawn.append(folder) or [])})
    monkeypatch.setattr(
        importlib, "import_module", instead("biomec_app.figures.report.demo_pictures", lambda: pictures)
    )
    assert main(["demo", "--no-window", "--out", str(tmp_path / "demo")]) == 0
    assert drawn == [tmp_path / "demo"]
    shown = capsys.readouterr().out
    assert "1885 of 1885 frames obey the model" in shown
    assert "cycles by elbow flexion: 5 valid of 5" in shown
    error = float(shown.split("known motion: ")[1].split("°")[0])
    assert 0.0 < error < 1.5
    facts = json.loads((tmp_path / "demo" / "summary.json").read_text("utf-8"))
    assert facts["consistency"]["phi_max"] < 1e-10


def test_the_demo_without_the_desktop_part_still_gives_its_results(tmp_path, monkeypatch, capsys):
    def refuse():
        raise ModuleNotFoundError(name="vtk")

    monkeypatch.setattr(importlib, "import_module", instead("biomec_app.figures.report.demo_pictures", refuse))
    monkeypatch.setattr(demo, "push_up", lambda grip: PushUp(grip, cycles=1))  # the whole one is analysed above
    assert main(["demo", "--out", str(tmp_path)]) == 0
    assert "There are no pictures" in capsys.readouterr().err
    assert (tmp_path / "angles.csv").exists()


def test_a_gait_laboratorys_pair_is_analysed_by_one_command(tmp_path):
    walk, static = recording("gait_pig_pair", "HC030A05.c3d"), recording("gait_pig_pair", "HC030A01.c3d")
    assert main(["analyze", str(walk), "--static", str(static), "--sex", "m", "--out", str(tmp_path / "out")]) == 0
    facts = json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))
    assert facts["model"]["name"] == "plug-in-gait"
    assert facts["model"]["segments"] == 15
    assert facts["consistency"]["converged"] == 197
    assert facts["cycles"]["by"] == "events"
    assert np.isfinite(facts["markers"]["rms_mm"])
