"""The command `biomec`, as a person at a terminal meets it."""

import json
import os
import re
import subprocess
import sys
import tomllib
from types import SimpleNamespace

import pytest

import biomec
from biomec import doctor
from biomec.base.errors import BiomecError
from biomec.base.notices import info, problem, warning
from biomec.cli import main, window
from biomec.cli.arguments import tell
from biomec.doctor import Extra, Package, Probe, Report
from tests.places import ROOT


def report(*, numpy: str | None = "2.4.6", probes: tuple[Probe, ...] = ()) -> Report:
    cluster = Extra("cluster", (Package("dask", None),))
    return Report("0.1", "3.12.1", "Linux x86_64", (Package("numpy", numpy),), (cluster,), probes)


def test_the_module_and_the_command_say_the_same_version():
    run = subprocess.run([sys.executable, "-m", "biomec", "--version"], capture_output=True, text=True, check=True)
    assert run.stdout == f"biomec {biomec.__version__}\n"


def test_without_arguments_the_help_is_shown(capsys):
    assert main([]) == 0
    shown = capsys.readouterr().out
    assert "doctor" in shown
    assert "demo" in shown


def test_doctor_knows_what_is_installed_here(capsys):
    code = main(["doctor", "--json"])
    said = json.loads(capsys.readouterr().out)
    assert said["healthy"] is (code == 0)
    assert said["biomec"] == biomec.__version__
    versions = {package["name"]: package["version"] for package in said["required"]}
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert versions.keys() == {re.split(r"[<>=]", one)[0] for one in declared}
    assert all(versions.values())
    assert {"app", "cluster", "oracles", "test"} <= {extra["name"] for extra in said["extras"]}


def test_a_part_that_was_not_asked_for_is_no_problem():
    said = report()
    assert said.healthy
    assert 'pip install "biomec[cluster]"' in said.as_text()
    assert "Everything that is installed works." in said.as_text()


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (report(numpy=None), "The library needs numpy. Install again with: pip install biomec"),
        (
            report(probes=(Probe("qt", True, "Qt 6"), Probe("vtk", False, "no GL", "Do this."))),
            "VTK cannot draw: no GL. Do this.",
        ),
    ],
    ids=["required package missing", "graphics broken"],
)
def test_what_is_broken_is_said_in_a_sentence_and_in_the_exit_code(broken, sentence, monkeypatch, capsys):
    monkeypatch.setattr(doctor, "examine", lambda: broken)
    assert main(["doctor"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == sentence


def test_an_error_raised_on_purpose_is_a_sentence_and_not_a_trace(monkeypatch, capsys):
    def refuse():
        raise BiomecError("Joint knee has no axis. Give it one.")

    monkeypatch.setattr(doctor, "examine", refuse)
    assert main(["doctor"]) == 1
    assert capsys.readouterr().err == "Joint knee has no axis. Give it one.\n"


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path):
    """`biomec info FILE | head -1` ended in a trace of calls."""
    file = tmp_path / "one.csv"
    file.write_text("time,A_X,A_Y,A_Z\n0.00,0.1,1.0,0.2\n0.01,0.1,1.1,0.2\n")
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "biomec", "info", str(file)]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


def test_info_tells_of_a_copied_marker(tmp_path, capsys):
    """Two markers with the same numbers in every frame looked like two markers."""
    rows = "\n".join(f"{k / 100:.2f},{k / 100:.3f},1.0,0.2,{k / 100:.3f},1.0,0.2" for k in range(50))
    file = tmp_path / "twice.csv"
    file.write_text(f"time,A_X,A_Y,A_Z,B_X,B_Y,B_Z\n{rows}\n")
    assert main(["info", str(file)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "A and B" in said


def test_several_files_open_in_the_window(tmp_path, monkeypatch, capsys):
    """`biomec walk.c3d static.c3d` was refused."""
    opened = []
    monkeypatch.setattr(window, "has_screen", lambda: True)
    monkeypatch.setattr(
        window, "program", lambda: SimpleNamespace(run=lambda *files, extensions: opened.append(files) or 0)
    )
    files = [tmp_path / "walk.c3d", tmp_path / "static.c3d"]
    for file in files:
        file.touch()
    assert main([str(file) for file in files]) == 0
    assert opened == [tuple(files)]
    assert main([str(files[0]), str(tmp_path / "none.c3d")]) != 0
    assert "none.c3d: there is no such file" in capsys.readouterr().err


def test_the_terminal_lists_the_worst_first_and_each_notice_once(capsys):
    """A partial strike stood below five warnings about filters and the subject."""
    notices = [info("c", "A fact."), warning("a", "A doubt."), problem("b", "A fault."), warning("a", "A doubt.")]
    tell(notices)
    assert capsys.readouterr().err.splitlines() == ["problem: A fault.", "warning: A doubt."]
