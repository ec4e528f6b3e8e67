"""The script that makes the environment: its decisions, without installing anything."""

import importlib.util
import subprocess
import sys

import pytest

from biomec.base.system_libraries import (
    BROWSING,
    COMPARING,
    DRAWING,
    SCREEN,
    TESTING,
    apt_command,
    is_present,
    missing_packages,
)
from tests.places import ROOT

SCRIPT = ROOT / "installer" / "environment.py"
on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems need no such libraries")


@pytest.fixture
def environment(monkeypatch):
    monkeypatch.setattr(sys, "path", sys.path.copy())  # the script adds the library's folder
    spec = importlib.util.spec_from_file_location("environment", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_runs_with_the_standard_library_alone():
    run = subprocess.run([sys.executable, "-I", "-S", str(SCRIPT), "--help"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_an_old_python_gets_a_sentence():
    pretend = "import sys, runpy; sys.version_info = (3, 9, 2, 'final', 0); runpy.run_path(sys.argv[1])"
    run = subprocess.run([sys.executable, "-c", pretend, str(SCRIPT)], capture_output=True, text=True)
    assert run.returncode == 1
    assert run.stderr.startswith("Biomec needs Python 3.11 or newer, and this is Python 3.9.")


@pytest.mark.parametrize("library", [*DRAWING, *SCREEN, *COMPARING])
def test_every_library_has_a_package_that_can_be_named_to_apt(library):
    package = (DRAWING | SCREEN | COMPARING)[library]
    assert package == package.lower()
    assert ".so" in library
    assert package.startswith("lib")
    assert " " not in package


@on_linux
def test_each_missing_package_is_named_once_and_in_order():
    nothing_is_there = missing_packages(DRAWING, present=lambda library: False)
    assert nothing_is_there == list(dict.fromkeys(DRAWING.values()))
    assert nothing_is_there.count("libglib2.0-0") == 1
    assert missing_packages(DRAWING, present=lambda library: library != "libEGL.so.1") == ["libegl1"]
    assert missing_packages(DRAWING, present=lambda library: True) == []


@on_linux
def test_presence_is_seen(tmp_path):
    assert is_present("libc.so.6")
    assert not is_present("libno-such-thing.so.9")
    assert not is_present(f"{tmp_path}/*.so")
    (tmp_path / "driver.so").touch()
    assert is_present(f"{tmp_path}/*.so")


def test_who_may_not_install_is_told_the_command(environment, monkeypatch, capsys):
    monkeypatch.setattr(environment, "apt_prefix", lambda: None)
    monkeypatch.setattr(
        environment, "missing_packages", lambda table: ["libegl1", "libgl1"] if table is DRAWING else []
    )
    monkeypatch.setattr(environment, "_run_quietly", lambda command: pytest.fail(f"{command} was run"))
    environment.ensure_system_libraries("app")
    assert capsys.readouterr().out.endswith(f"type: {apt_command(['libegl1', 'libgl1'])}\n")
    assert apt_command(["libegl1", "libgl1"]).endswith("install --no-install-recommends libegl1 libgl1")


@pytest.mark.parametrize(("extras", "wanted"), [("app", []), ("app,test,oracles,dev", ["libgomp1"])])
def test_libraries_of_the_oracles_come_with_them_only(environment, monkeypatch, extras, wanted):
    """On a bare Debian Pinocchio could not be imported: libgomp was missing."""
    asked = []
    monkeypatch.setattr(environment, "missing_packages", lambda table: ["libgomp1"] if table is COMPARING else [])
    monkeypatch.setattr(environment, "apt_install", lambda packages: asked.extend(packages) or True)
    environment.ensure_system_libraries(extras)
    assert asked == wanted


@pytest.mark.parametrize(("extras", "wanted"), [("app", []), ("app,test,oracles,dev", ["xvfb"])])
def test_a_screen_in_memory_comes_with_the_tests_only(environment, monkeypatch, extras, wanted):
    asked = []
    monkeypatch.setattr(environment, "missing_packages", lambda table: ["xvfb"] if table is TESTING else [])
    monkeypatch.setattr(environment, "apt_install", lambda packages: asked.extend(packages) or True)
    environment.ensure_system_libraries(extras)
    assert asked == wanted


def test_a_browser_that_cannot_be_had_leaves_the_rest_in_place(environment, monkeypatch, capsys):
    """Not every system has Chromium as a package; one command for all packages would then install none of them."""
    asked = []
    there = {id(TESTING): ["xvfb"], id(BROWSING): ["chromium"]}
    monkeypatch.setattr(environment, "missing_packages", lambda table: there.get(id(table), []))
    monkeypatch.setattr(environment, "apt_install", lambda packages: asked.append(packages) or packages == ["xvfb"])
    environment.ensure_system_libraries("app,test")
    assert asked == [["xvfb"], ["chromium"]]
    assert "reports in a browser will be left out" in capsys.readouterr().out
    asked.clear()
    environment.ensure_system_libraries("app")
    assert asked == []


def test_what_the_tests_need_includes_what_a_screen_needs():
    assert set(SCREEN) < set(TESTING)
    assert missing_packages(TESTING, present=lambda library: library != "/usr/bin/Xvfb")[-1:] == (
        ["xvfb"] if sys.platform.startswith("linux") else []
    )


@pytest.mark.parametrize(
    ("user", "programs", "sudo_code", "prefix"),
    [
        (0, {"apt-get"}, None, []),
        (0, {}, None, None),
        (1000, {"apt-get"}, None, None),
        (1000, {"apt-get", "sudo"}, 1, None),
        (1000, {"apt-get", "sudo"}, 0, ["sudo", "-n"]),
    ],
    ids=["root", "no apt", "no sudo", "sudo asks", "sudo asks nothing"],
)
def test_when_installing_is_permitted(environment, monkeypatch, user, programs, sudo_code, prefix):
    monkeypatch.setattr(environment.os, "geteuid", lambda: user)
    monkeypatch.setattr(environment.shutil, "which", lambda name: name if name in programs else None)
    monkeypatch.setattr(environment, "_run_quietly", lambda command: sudo_code)
    assert environment.apt_prefix() == prefix


def test_packages_are_installed_after_the_lists_are_renewed(environment, monkeypatch):
    ran = []
    monkeypatch.setattr(environment, "apt_prefix", lambda: ["sudo", "-n"])
    monkeypatch.setattr(environment, "_run_quietly", lambda command: ran.append(" ".join(command)) or 0)
    assert environment.apt_install(["libegl1"])
    assert [command.split("apt-get ")[1].split()[0] for command in ran] == ["update", "install"]
    assert ran[1].endswith("libegl1")


def test_a_failed_installation_shows_its_last_words_without_addresses(environment):
    log = "Looking in indexes: https://some.where/simple\nWARNING: noise\nERROR: no space left on https://some.where/x"
    assert environment.last_words(log, lines=1) == "ERROR: no space left on <address>"
    assert "some.where" not in environment.last_words(log)
    assert "noise" not in environment.last_words(log)


@pytest.mark.parametrize("refused", [False, True])
def test_the_stamp_is_set_only_after_success(environment, monkeypatch, tmp_path, capsys, refused):
    def ensure_venv(folder):
        if refused:
            raise environment.Refused("Do this first.")

    monkeypatch.setattr(environment, "ensure_venv", ensure_venv)
    monkeypatch.setattr(environment, "install_biomec", lambda folder, extras: None)
    monkeypatch.setattr(environment, "ensure_system_libraries", lambda extras: None)
    stamp = tmp_path / "ready"
    assert environment.main(["--stamp", str(stamp)]) == int(refused)
    assert stamp.exists() is not refused
    assert ("Do this first." in capsys.readouterr().err) is refused
