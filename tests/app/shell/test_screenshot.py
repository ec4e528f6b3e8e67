"""`biomec --screenshot OUT.png [FILE]`: nobody can answer there, so that it ends with a picture or with a sentence."""

import os
import subprocess
import sys

import pytest
from PySide6.QtGui import QImage

from biomec.cli import main
from biomec.virtual import RecordOptions, record, squat, write_acquisition
from biomec_app.shell import main as program

PATIENCE_S = 600  # a message box would wait for ever


@pytest.fixture
def biomec(tmp_path):
    """Run the command with a folder for temporary files of its own; return what became of it."""
    place = tmp_path / "temporary"
    place.mkdir()

    def run(*arguments):
        command = [sys.executable, "-m", "biomec.cli", "--screenshot", *map(str, arguments)]
        environment = {**os.environ, "TMPDIR": str(place), "QT_QPA_PLATFORM": "offscreen"}
        run.left = lambda: [one.name for one in place.iterdir() if one.name.startswith("biomec")]
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, env=environment)

    return run


def assert_a_sentence(ended, *words):
    assert ended.returncode == 1, ended.stderr
    assert "Traceback" not in ended.stderr
    for word in words:
        assert word in ended.stderr


def test_a_recording_is_drawn_and_nothing_else_is_left(biomec, tmp_path):
    files = write_acquisition(record(squat(1), options=RecordOptions(rate_hz=50.0)), tmp_path / "lab", ("c3d",))
    picture = tmp_path / "new" / "window.png"
    ended = biomec(picture, files["c3d"])
    assert ended.returncode == 0, ended.stderr
    assert (QImage(str(picture)).width(), QImage(str(picture)).height()) == (1600, 1000)
    assert [one.name for one in picture.parent.iterdir()] == ["window.png"]
    assert biomec.left() == []


def test_a_broken_file_ends_with_a_sentence_instead_of_waiting_for_an_answer(biomec, tmp_path):
    broken = tmp_path / "broken.c3d"
    broken.write_bytes(bytes(2000))
    assert_a_sentence(biomec(tmp_path / "window.png", broken), "broken.c3d")
    assert not (tmp_path / "window.png").exists()
    assert biomec.left() == []


def test_an_analysis_that_fails_ends_with_a_sentence_instead_of_waiting_for_an_answer(biomec, tmp_path):
    few = tmp_path / "few.csv"
    few.write_text("time,C7.x,C7.y,C7.z\n" + "".join(f"{k / 100},0.1,1.4,0.2\n" for k in range(100)), "utf-8")
    assert_a_sentence(biomec(tmp_path / "window.png", few), "few.csv")
    assert not (tmp_path / "window.png").exists()


@pytest.mark.parametrize(
    ("name", "words"), [("picture.xyz", ".png"), ("picture", ".png"), ("a file/window.png", "folder")]
)
def test_a_picture_that_cannot_be_written_is_refused_at_once(tmp_path, name, words, capsys):
    (tmp_path / "a file").write_text("no folder", "utf-8")
    assert main(["--screenshot", str(tmp_path / name), str(tmp_path / "is not read.c3d")]) == 1
    said = capsys.readouterr().err
    assert words in said
    assert "is not read" not in said


def test_who_waits_for_work_leaves_it_the_processor(qapp, monkeypatch):
    """It asked without rest, and the analysis that was waited for took six times as long."""
    asked, slept_s = [], []
    monkeypatch.setattr(program, "sleep", slept_s.append)
    program.wait(qapp, lambda: asked.append(1) or len(asked) > 20)
    assert len(slept_s) == 20
    assert min(slept_s) >= 0.002
