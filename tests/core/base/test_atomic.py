"""A save that fails, or is killed, leaves the file that was there."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from biomec.base.atomic import atomic_path
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


def test_what_a_killed_save_left_is_removed_after_a_day(tmp_path):
    """Every killed save left a hidden file beside the project, for ever."""
    old, young, other = (tmp_path / f".{name}.0123456789ab.part" for name in ("a[1].csv", "b.csv", "c.csv"))
    for leftover in (old, young, other):
        leftover.write_bytes(b"half")
    os.utime(old, (0, 0))
    os.utime(other, (0, 0))
    for name in ("a[1].csv", "b.csv"):
        with atomic_path(tmp_path / name) as path:
            path.write_bytes(b"whole")
    assert not old.exists()
    assert young.exists()  # somebody may still be writing it
    assert other.exists()  # not ours to judge
