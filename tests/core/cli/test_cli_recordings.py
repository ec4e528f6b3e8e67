"""`biomec info`, `biomec convert` and `biomec import`, as a person at a terminal meets them."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from biomec.cli import main
from biomec.io.project import load_project, save_project
from biomec.io.registry import read_trial, write_trial
from biomec.pipeline.reopen import reopened
from biomec.recording import LabAxes, Session
from biomec.signals.label_swaps import WRIST, swap_labels
from biomec.virtual import RecordOptions, VirtualPerson, Walk, record
from tests.core.recording.examples import full_trial
from tests.real_data import recording


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "ensaio ç.mat"
    write_trial(full_trial(), path)
    return path


def said(capsys) -> str:
    return capsys.readouterr().out


# --------------------------------------------------------------------------------------------------------------- info
def test_info_of_the_walk(capsys):
    assert main(["info", str(recording("gait_pig_pair", "HC030A05.c3d"))]) == 0
    text = said(capsys)
    for words in (
        "HC030A05.c3d    C3D, 1.2 MB",
        "197 frames at 100 Hz, 1.970 s, first frame 286",
        "HC030A, 45.8 kg, 1.48 m",
        "up +z (file), forward +y (evidence)",
        "Plate 1: type 2, 1970 samples at 1000 Hz",
        "0.170 s  Right    Foot Strike",  # 3.02 s on the clock of the recording, which began 2.85 s before frame 286
    ):
        assert words in text


@pytest.mark.parametrize(
    ("parts", "facts"),
    [
        (("gait_pig_pair", "HC030A05.c3d"), {"format": "C3D", "frames": 197, "first_frame": 286, "rate_hz": 100.0}),
        (("gait_pig_pair", "HC030A01.c3d"), {"format": "C3D", "frames": 300, "first_frame": 1}),
        (("gait_opensim2354", "subject01_walk1.trc"), {"format": "TRC", "frames": 151, "rate_hz": 60.0}),
        (("gait_opensim2354", "subject01_walk1_grf.mot"), {"format": "MOT", "rate_hz": 600.0}),
        (("gait_opensim2354", "reference", "inverse_dynamics.sto"), {"format": "STO"}),
        (("shoulder_scapula", "scapula_clavicle_markers.c3d"), {"other_subjects": {"Kinova": 12}}),
        (("shoulder_scapula", "ABD01.trc"), {"frames": 1091, "rate_hz": 100.0}),
    ],
)
def test_info_for_programs(parts, facts, capsys):
    assert main(["info", "--json", str(recording(*parts))]) == 0
    report = json.loads(said(capsys))
    assert {key: report[key] for key in facts} == facts


def test_info_of_a_project_tells_of_the_session(tmp_path, capsys):
    save_project(Session(full_trial(), full_trial(3), settings={"cutoff_hz": 6}), tmp_path / "a.biomec")
    assert main(["info", "--json", str(tmp_path / "a.biomec")]) == 0
    report = json.loads(said(capsys))
    assert report["project"]["settings"] == ["cutoff_hz"]
    assert report["frames"] == 40


@pytest.mark.parametrize("command", ["info", "convert"])
def test_a_file_that_is_not_there(command, tmp_path, capsys):
    arguments = [command, str(tmp_path / "nada ç.c3d"), *([str(tmp_path / "b.trc")] if command == "convert" else [])]
    assert main(arguments) == 1
    shown = capsys.readouterr()
    assert shown.err.startswith("nada ç.c3d: there is no such file in ")
    assert shown.out == ""


def test_a_folder_and_a_file_of_another_kind(tmp_path, capsys):
    assert main(["info", str(tmp_path)]) == 1
    assert "this is a folder" in capsys.readouterr().err
    (tmp_path / "a.c3d").write_bytes(b"not a C3D file at all")
    assert main(["info", str(tmp_path / "a.c3d")]) == 1
    assert capsys.readouterr().err.startswith("a.c3d: ")


def test_a_file_whose_name_is_no_text(tmp_path):
    """Names on Linux are bytes; one that is not UTF-8 must not stop the report."""
    path = os.fsencode(tmp_path) + b"/\xff\xfe.trc"
    write_trial(replace(full_trial(), notices=()), tmp_path / "a.trc")
    try:
        os.rename(tmp_path / "a.trc", path)
    except OSError:
        pytest.skip("this file system takes only names that are text")
    run = subprocess.run([sys.executable, "-m", "biomec", "info", path], capture_output=True)
    assert run.returncode == 0, run.stderr
    assert b"40 frames" in run.stdout


# ------------------------------------------------------------------------------------------------------------ convert
def test_the_walk_becomes_an_opensim_file(tmp_path, capsys):
    out = tmp_path / "walk.trc"
    source = recording("gait_pig_pair", "HC030A05.c3d")
    assert main(["convert", str(source), str(out), "--axes", "y-up"]) == 0
    shown = capsys.readouterr()
    assert shown.out == f"{out} written: 197 frames, 59 markers.\n"
    assert "does not hold" in shown.err
    assert "force plates" in shown.err
    was, is_ = read_trial(source), read_trial(out)
    # walks along +y, Z up -> walks along +x, Y up: (x, y, z) becomes (y, z, x)
    np.testing.assert_allclose(is_.markers["LASI"], was.markers["LASI"][:, [1, 2, 0]], atol=1e-12)


def test_without_a_wish_nothing_is_turned(file, tmp_path):
    assert main(["convert", str(file), str(tmp_path / "b.biomec")]) == 0
    again = load_project(tmp_path / "b.biomec").dynamic
    assert again.markers.p_WM.tobytes() == full_trial().markers.p_WM.tobytes()
    assert (again.axes.up, again.axes.forward) == ("+z", "-y")


@pytest.mark.parametrize(
    ("wish", "axes"),
    [
        ("z-up", LabAxes("+z", "-y")),  # up is right already: nothing turns
        ("y-up", LabAxes("+y", "+x")),
        ("x-up", LabAxes("+x", "+y")),
        ("+y,-z", LabAxes("+y", "-z")),
        ("Y,X", LabAxes("+y", "+x")),
        ("-y-up", LabAxes("-y", "+x")),
    ],
)
def test_axes_are_turned_as_asked(wish, axes, file, tmp_path):
    assert main(["convert", str(file), str(tmp_path / "b.mat"), f"--axes={wish}"]) == 0
    again = read_trial(tmp_path / "b.mat")
    assert (again.axes.up, again.axes.forward) == (axes.up, axes.forward)
    expected = full_trial().turned(axes)
    np.testing.assert_array_equal(again.markers.p_WM, expected.markers.p_WM)
    np.testing.assert_array_equal(again.plates[0].force, expected.plates[0].force)


def test_the_users_word_on_the_axes_of_the_input_wins(file, tmp_path):
    out = tmp_path / "b.mat"
    assert main(["convert", str(file), str(out), "--from-axes", "+y,+x", "--axes", "+z,+x"]) == 0
    p = full_trial().markers.p_WM
    np.testing.assert_array_equal(read_trial(out).markers.p_WM, p[..., [0, 2, 1]] * [1.0, -1.0, 1.0])


def test_frames_are_counted_as_the_file_counts_them(file, tmp_path, capsys):
    assert main(["convert", str(file), str(tmp_path / "b.mat"), "--frames", "13-20"]) == 0
    part = read_trial(tmp_path / "b.mat")
    assert (part.frames, part.first_frame) == (8, 13)
    np.testing.assert_array_equal(part.markers.p_WM, full_trial().markers.p_WM[2:10])
    capsys.readouterr()
    assert main(["convert", str(file), str(tmp_path / "c.mat"), "--frames", "1-20"]) == 1
    assert "frames 1 to 20 were asked for; it holds 11 to 50" in capsys.readouterr().err
    assert not (tmp_path / "c.mat").exists()


def test_a_wrong_unit_can_be_put_right(file, tmp_path):
    assert main(["convert", str(file), str(tmp_path / "b.mat"), "--scale", "0.001"]) == 0
    np.testing.assert_array_equal(read_trial(tmp_path / "b.mat").markers.p_WM, full_trial().markers.p_WM * 0.001)


def test_nothing_is_overwritten_without_force(file, tmp_path, capsys):
    out = tmp_path / "b.trc"
    out.write_text("mine")
    assert main(["convert", str(file), str(out)]) == 1
    assert "exists and was not overwritten. Use --force" in capsys.readouterr().err
    assert out.read_text() == "mine"
    assert main(["convert", str(file), str(out), "--force"]) == 0
    assert read_trial(out).frames == 40


def test_the_source_is_not_overwritten_even_with_force(file, capsys):
    before = file.read_bytes()
    assert main(["convert", str(file), str(file.parent / "." / file.name), "--force", "--frames", "11-12"]) == 1
    assert "the file that is read" in capsys.readouterr().err
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    "wish", [["--axes", "w-up"], ["--axes", "+z,-z"], ["--axes", "a,b,c"], ["--frames", "20"], ["--frames", "9-3"]]
)
def test_a_wish_that_cannot_be_is_refused(wish, file, tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["convert", str(file), str(tmp_path / "b.mat"), *wish])
    assert "error: argument" in capsys.readouterr().err


def test_an_unknown_format_cannot_be_written(file, tmp_path, capsys):
    assert main(["convert", str(file), str(tmp_path / "b.docx")]) == 1
    assert "says no format that Biomec writes" in capsys.readouterr().err


# ------------------------------------------------------------------------------------------------------------- import
def test_import_brings_what_belongs_together(tmp_path, capsys):
    out = tmp_path / "walk.biomec"
    assert main(["import", str(recording("gait_opensim2354", "subject01_walk1.trc")), str(out)]) == 0
    shown = capsys.readouterr()
    assert shown.out.endswith("subject01_walk1.trc, subject01_static.trc, subject01_walk1_grf.mot.\n")
    assert "No EMG file was found" in shown.err
    assert load_project(out).static.frames == 300
    assert main(["import", str(recording("gait_opensim2354", "subject01_walk1.trc")), str(out)]) == 1
    assert "--force" in capsys.readouterr().err


def test_import_and_analysis_repair_exchanged_labels_on_request(tmp_path, capsys):
    """What the user saw: an exchange was reported, and nothing but another program could undo it."""
    made = record(Walk(strides=1), VirtualPerson(), RecordOptions(50.0, 50.0, marker_set="plug-in-gait"))
    for trial, name in ((made.dynamic, "walk"), (made.static, "walk_static")):
        write_trial(swap_labels(trial, "LWRA", "LWRB"), tmp_path / f"{name}.c3d")
    out, files = tmp_path / "walk.biomec", [str(tmp_path / "walk.c3d"), "--static", str(tmp_path / "walk_static.c3d")]
    assert main(["import", files[0], str(out), *files[1:]]) == 0
    as_labelled = reopened(load_project(out)).analysis.run_until("preparation").preparation
    assert WRIST in {notice.code for notice in as_labelled.notices}
    capsys.readouterr()
    assert main(["import", files[0], str(out), *files[1:], "--force", "--repair-swaps"]) == 0
    assert "The labels LWRA and LWRB were exchanged from frame 1 to" in capsys.readouterr().err
    mended = reopened(load_project(out)).analysis.run_until("preparation").preparation
    for trial, before in ((mended.dynamic, as_labelled.dynamic), (mended.static, as_labelled.static)):
        np.testing.assert_array_equal(trial.markers["LWRA"], before.markers["LWRB"])
    assert WRIST not in {notice.code for notice in mended.notices}


def test_import_leaves_out_what_the_user_does_not_want(tmp_path):
    out = tmp_path / "walk.biomec"
    source = str(recording("gait_opensim2354", "subject01_walk1.trc"))
    assert main(["import", source, str(out), "--static", "none", "--plates", "none", "--emg", "none"]) == 0
    session = load_project(out)
    assert session.static is None
    assert session.dynamic.plates == ()


def test_a_project_has_its_own_ending(file, tmp_path, capsys):
    assert main(["import", str(file), str(tmp_path / "a.h5")]) == 1
    assert "must end with .biomec" in capsys.readouterr().err


def test_what_is_said_to_be_written_was_written(file, tmp_path, capsys):
    """A MOT file holds no markers, but "59 markers" were said to be written."""
    assert main(["convert", str(file), str(tmp_path / "b.mot")]) == 0
    said = capsys.readouterr().out
    assert "markers" not in said
    assert "force plate" in said


@pytest.mark.parametrize("module", ["biomec", "biomec.cli"])
def test_both_modules_are_the_command(module, file):
    """`python -m biomec.cli info FILE` printed nothing and said that all was well."""
    run = subprocess.run([sys.executable, "-m", module, "info", str(file)], capture_output=True, check=True)
    assert b"40 frames" in run.stdout


def test_zeros_are_kept_if_the_user_says_so(tmp_path, capsys):
    trial = full_trial()
    p = trial.markers.p_WM.copy()
    p[3, 0] = 0.0
    write_trial(replace(trial, markers=replace(trial.markers, p_WM=p), notices=()), tmp_path / "a.trc")
    for option, lost in (([], True), (["--keep-zeros"], False)):
        assert main(["info", str(tmp_path / "a.trc"), *option]) == 0
        assert ("(0, 0, 0)" in capsys.readouterr().out) == lost
        assert main(["convert", str(tmp_path / "a.trc"), str(tmp_path / "b.mat"), "--force", *option]) == 0
        capsys.readouterr()
        assert np.isnan(read_trial(tmp_path / "b.mat").markers.p_WM[3, 0]).all() == lost
