"""One program at a time: whoever writes a project or a folder of results waits for whoever does so already."""

import os
from pathlib import Path

import pytest

from biomec.base import save_lock as module
from biomec.base.errors import FileError
from biomec.base.save_lock import save_lock
from biomec.base.together import replaced_together
from biomec.cli import main
from biomec.io.project import load_project, save_project
from biomec.io.registry import write_trial
from biomec.io.shared_project import save_as_read
from biomec.recording import Session, Subject
from tests.core.recording.examples import full_trial
from tests.other_user import ADMINISTRATOR, as_another_user, open_folder


def session(name: str) -> Session:
    return Session(full_trial(frames=4), subject=Subject(name))


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE_S", 0.0)
    save_project(session("old"), tmp_path / "a.biomec")
    write_trial(full_trial(frames=4), tmp_path / "walk.emt")
    return tmp_path / "a.biomec"


def by_import(path: Path) -> None:
    _told(["import", str(path.with_name("walk.emt")), str(path), "--force"])


def by_convert(path: Path) -> None:
    _told(["convert", str(path.with_name("walk.emt")), str(path), "--force"])


def _told(arguments: list[str]) -> None:
    if main(arguments) != 0:
        raise FileError("told", "on the terminal")


def by_results(path: Path) -> None:
    with replaced_together(path.parent, "summary.json", shared=[path.name]) as stage:
        (stage / "summary.json").write_text("new")
        save_project(session("new"), stage / path.name)


WRITERS = {
    "save": lambda path: save_as_read(session("new"), path, None),
    "export": lambda path: write_trial(full_trial(frames=4), path, overwrite=True),
    "import": by_import,
    "convert": by_convert,
    "results": by_results,
}


@pytest.mark.parametrize("writer", WRITERS)
def test_nothing_is_written_while_another_program_saves(writer, project):
    """The command line replaced a project in the moment in which the window had just checked that it was unchanged."""
    before = project.read_bytes()
    with save_lock(project), pytest.raises(FileError):
        WRITERS[writer](project)
    assert project.read_bytes() == before
    WRITERS[writer](project)
    assert load_project(project).subject.name != "old"
    assert not list(project.parent.glob(".*"))  # neither locks nor half files


def test_two_results_are_never_mixed_in_one_folder(project):
    folder = project.parent
    with save_lock(folder / "summary.json"), pytest.raises(FileError, match="another program is saving it"):
        by_results(project)
    assert not (folder / "summary.json").exists()
    assert load_project(project).subject.name == "old"


@pytest.mark.skipif(os.name != "posix", reason="links as POSIX has them")
def test_a_link_in_place_of_the_lock_is_not_followed(project):
    victim = project.with_name("victim")
    project.with_name(".a.biomec.lock").symlink_to(victim)
    save_as_read(session("new"), project, None)
    assert load_project(project).subject.name == "new"
    assert not victim.exists()


@ADMINISTRATOR
def test_another_user_of_a_shared_folder_waits_too(monkeypatch):
    monkeypatch.setattr(module, "PATIENCE_S", 0.0)
    with open_folder() as shared:

        def save() -> str:
            with save_lock(shared / "a.biomec"):
                return "saved"

        with save_lock(shared / "a.biomec"):
            assert as_another_user(save) == "FileError: a.biomec: another program is saving it. Try again in a moment."
        assert as_another_user(save) == "saved"
