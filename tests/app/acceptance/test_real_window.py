"""The program on a screen (in memory), used with real keys and a real mouse; what is on the screen is read back."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.app.acceptance.x_screen import is_installed, screen_in_memory
from tests.places import ROOT
from tests.real_data import recording

pytestmark = pytest.mark.skipif(not is_installed(), reason="there is no Xvfb: the Debian package xvfb brings it")


def play(scenario, file, folder):
    """What was seen when a scenario was played on a new screen."""
    own = folder / "own"
    with screen_in_memory() as display:
        variables = {name: value for name, value in os.environ.items() if name != "VTK_DEFAULT_OPENGL_WINDOW"}
        variables |= {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "QT_QPA_PLATFORMTHEME": ""}
        variables |= dict.fromkeys(("XDG_CONFIG_HOME", "XDG_DATA_HOME", "BIOMEC_EXTENSIONS"), str(own))
        run = subprocess.run(
            [sys.executable, "-X", "faulthandler", "-m", "tests.app.acceptance.real_window", scenario, file, folder],
            env=variables, capture_output=True, text=True, timeout=800, cwd=ROOT,
        )  # fmt: skip
    assert run.returncode == 0, (run.stdout, run.stderr[-3000:])
    assert "Traceback" not in run.stderr, run.stderr[-3000:]
    return json.loads(run.stdout.splitlines()[-1])


def test_everything_by_keyboard(squat_files, squat_measured, tmp_path):
    seen = play("by_keyboard", squat_files["c3d"], tmp_path)
    for name in ("start page", "menu File", "import dialog"):
        assert seen[f"{name}, one colour"] < 0.97, name  # a blank window has one colour
    assert seen["frames"] == squat_measured.session.dynamic.frames
    assert seen["figure, coloured"] > 0.02  # limbs are blue and orange; the floor and the sky are grey
    assert seen["plots, coloured"] > 0.005
    assert seen["changed at rest"] == 0.0
    assert seen["changed by playing"] > 0.01
    assert seen["question"].startswith("Save the changes of")


def test_a_visit_becomes_a_pdf_with_five_clicks(tmp_path):
    visit = tmp_path / "visit"
    visit.mkdir()
    for name in ("HC030A01.c3d", "HC030A05.c3d"):
        shutil.copyfile(recording(f"gait_pig_pair/{name}"), visit / name)
    seen = play("to_a_report", visit / "HC030A05.c3d", tmp_path)
    assert seen["clicks"] == 5
    assert seen["written"] == ["HC030A05 report.pdf"]
    assert (visit / seen["written"][0]).read_bytes().startswith(b"%PDF")


def test_a_plug_in_gait_pair_by_clicks_alone(tmp_path):
    seen = play("by_clicks", recording("gait_pig_pair/HC030A05.c3d"), tmp_path)
    assert seen["static"] == "HC030A01.c3d"
    assert seen["figure, coloured"] > 0.01
    assert seen["plots, coloured"] > 0.005
    assert seen["curves"]
    assert seen["seconds to joint angles"] < 300.0  # five minutes are what a new user is promised
