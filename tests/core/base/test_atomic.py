"""A save that fails, or is killed, leaves the file that was there."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from biomec.base import leftovers
from biomec.base.atomic import atomic_path, keep_permissions
from biomec.base.errors import FileError


def test_a_finished_block_replaces_the_file_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "ação çã 測.txt"
    target.write_text("old")
    with atomic_path(target) as beside:
        assert beside.parent == tmp_path
        beside.write_text("new")
        assert target.read_text() == "old"  # nothing changes before the end
    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


def test_a_failing_block_changes_nothing(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")

    def save() -> None:
        with atomic_path(target) as beside:
            beside.write_text("ne")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        save()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_faults_of_the_file_system_name_the_file(tmp_path: Path) -> None:
    with (
        pytest.raises(FileError, match=r"^a\.txt: .*No such file or directory"),
        atomic_path(tmp_path / "no" / "a.txt"),
    ):
        pass
    with pytest.raises(FileError, match="folder"), atomic_path(tmp_path):
        pass
    with pytest.raises(FileError, match=r"^full\.txt: .*No space left"), atomic_path(tmp_path / "full.txt"):
        raise OSError(28, "No space left on device")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="links and permission bits as on POSIX")
def test_a_link_stays_a_link_and_permissions_are_kept(tmp_path: Path) -> None:
    target, link = tmp_path / "a.txt", tmp_path / "link.txt"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    with atomic_path(link) as beside:
        beside.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o640
    circle = tmp_path / "circle"
    circle.symlink_to(circle)
    with pytest.raises(FileError, match=r"^circle: "), atomic_path(circle):
        pass


@pytest.mark.skipif(os.name != "posix", reason="kill as on POSIX")
def test_killing_the_program_during_a_save_loses_nothing(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    code = (
        "import sys\nfrom biomec.base.atomic import atomic_path\n"
        "with atomic_path(sys.argv[1]) as beside:\n"
        "    beside.write_text('half'); print('now', flush=True); sys.stdin.read()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(target)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "now"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert target.read_text() == "old"


@pytest.mark.skipif(os.name != "posix", reason="files are locked as on POSIX")
def test_what_a_killed_save_left_is_removed_by_the_next_one(tmp_path):
    """Every killed save left a hidden file beside the project, with the patient's data, for a day or for ever."""
    left, other = (tmp_path / f".{name}.0123456789ab.part" for name in ("a[1].csv", "c.csv"))
    for leftover in (left, other):
        leftover.write_bytes(b"half")
    with atomic_path(tmp_path / "a[1].csv") as path:
        path.write_bytes(b"whole")
        with atomic_path(tmp_path / "a[1].csv") as second:  # another save of the same file, at the same time
            second.write_bytes(b"whole")
        assert path.exists()  # somebody is still writing it
    assert not left.exists()
    assert other.exists()  # of another file
    assert sorted(one.name for one in tmp_path.iterdir()) == [other.name, "a[1].csv"]


def test_where_nothing_can_be_locked_age_decides(tmp_path, monkeypatch):
    def no_locks(handle):
        raise OSError("no locks here")

    monkeypatch.setattr(leftovers, "locked", no_locks)
    old, young = (tmp_path / f".a.csv.{digit * 12}.part" for digit in "12")
    for leftover in (old, young):
        leftover.write_bytes(b"half")
    os.utime(old, (0, 0))
    with atomic_path(tmp_path / "a.csv") as path:
        path.write_bytes(b"whole")
    assert not old.exists()
    assert young.exists()  # somebody may still be writing it


@pytest.mark.skipif(os.name != "posix", reason="permission bits as on POSIX")
@pytest.mark.parametrize(("before", "private", "expected"), [
    (None, True, 0o600), (None, False, 0o644), (0o600, False, 0o600), (0o664, True, 0o664), (0o640, True, 0o640),
])  # fmt: skip
def test_nobody_else_can_read_what_is_being_written(tmp_path, before, private, expected):
    """A project that only its owner could read lay open to everybody while it was saved."""
    target = tmp_path / "a.biomec"
    if before is not None:
        target.write_text("old")
        target.chmod(before)
    mask = os.umask(0o022)
    try:
        with atomic_path(target, private) as beside:
            assert beside.stat().st_mode & 0o777 == expected
            assert beside.stat().st_size == 0
            beside.write_text("new")
            assert beside.stat().st_mode & 0o777 == expected
    finally:
        os.umask(mask)
    assert target.stat().st_mode & 0o777 == expected


@pytest.mark.skipif(os.name != "posix", reason="groups as on POSIX")
def test_a_group_that_cannot_be_kept_gets_what_everybody_has(tmp_path, monkeypatch):
    target, new = tmp_path / "a", tmp_path / "b"
    target.write_text("old")
    new.write_text("new")
    target.chmod(0o664)
    new.chmod(0o600)

    def refused(*_):
        raise PermissionError(1, "Operation not permitted")

    stats = Path.stat

    def other_group(self, **how):
        found = stats(self, **how)
        return os.stat_result([*found[:5], found.st_gid + 1, *found[6:]]) if self == target else found

    monkeypatch.setattr(os, "chown", refused)
    monkeypatch.setattr(Path, "stat", other_group)
    keep_permissions(target, new)
    monkeypatch.undo()
    assert new.stat().st_mode & 0o777 == 0o644
