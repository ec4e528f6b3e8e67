"""Two programs and one project: both reported success, and the result of one was lost."""

import subprocess
import sys
from dataclasses import replace

import pytest

from biomec.base.errors import FileError
from biomec.base.save_lock import save_lock
from biomec.io.project import load_project, save_project
from biomec.io.shared_project import ProjectChangedError, project_hash, save_as_read
from biomec.recording import Session
from tests.core.recording.examples import full_trial
from tests.places import ROOT


def named(name):
    session = Session(full_trial(frames=4))
    return replace(session, subject=replace(session.subject, name=name))


def test_a_project_that_changed_since_it_was_read_is_not_overwritten(tmp_path):
    path = tmp_path / "a.biomec"
    save_project(named("first"), path)
    seen = project_hash(path)
    assert save_as_read(named("theirs"), path, seen) == project_hash(path) != seen
    with pytest.raises(ProjectChangedError, match=r"^a\.biomec: another program has saved this project"):
        save_as_read(named("ours"), path, seen)
    assert load_project(path).subject.name == "theirs"
    save_as_read(named("ours"), path, project_hash(path))
    assert load_project(path).subject.name == "ours"
    assert [one.name for one in tmp_path.iterdir()] == ["a.biomec"]  # nothing is left of the lock


def test_a_project_that_is_gone_or_was_never_there_is_saved(tmp_path):
    assert project_hash(tmp_path / "a.biomec") is None
    save_as_read(named("ours"), tmp_path / "a.biomec", "ab" * 32)
    save_as_read(named("new"), tmp_path / "b.biomec", None)
    assert load_project(tmp_path / "a.biomec").subject.name == "ours"


def test_one_program_saves_at_a_time(tmp_path):
    path = tmp_path / "a.biomec"
    code = (
        "import sys\nfrom pathlib import Path\nfrom biomec.base.save_lock import save_lock\n"
        "with save_lock(Path(sys.argv[1])):\n    print('held', flush=True); sys.stdin.read()\n"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(path)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with other:
        assert other.stdout is not None
        assert other.stdout.readline().strip() == "held"
        with pytest.raises(FileError, match=r"^a\.biomec: another program is saving"), save_lock(path, 0.0):
            pass
        other.kill()  # the lock dies with its owner
    with save_lock(path, 5.0):
        pass


def test_where_nothing_can_be_locked_saving_says_what_is_wrong(tmp_path):
    with pytest.raises(FileError, match="No such file or directory"):
        save_as_read(named("x"), tmp_path / "no" / "a.biomec", None)
