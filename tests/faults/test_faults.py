"""Full disk, read-only disk, broken disk and power loss at every operation on files: the old or the new file loads."""

import errno
import os
import subprocess
import sys
from itertools import count

import numpy as np
import pytest

from biomec.base.errors import FileError
from tests.faults.cases import CASES, temporary_files
from tests.faults.layer import Files, after_power_loss, onto, only_flushed
from tests.places import ROOT

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc which file a handle is")
GROWS = {"create", "write", "mkdir", "link", "sync"}
CHEAP = tuple(case for case in CASES if case.name != "results")  # the same operations as tables, many times over


def failing(number: int):
    def fail():
        raise OSError(number, os.strerror(number))

    return fail


FAULTS = {
    "full": lambda k: lambda number, name: failing(errno.ENOSPC) if number >= k and name in GROWS else None,
    "read-only": lambda k: lambda number, name: failing(errno.EROFS) if number >= k else None,
    "broken once": lambda k: lambda number, name: failing(errno.EIO) if number == k else None,
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("case", CHEAP, ids=lambda case: case.name)
def test_a_disk_that_fails_at_any_operation_leaves_the_old_or_the_new(case, fault, qapp, tmp_path):
    for old in (0, None):
        for k in count():
            folder = tmp_path / f"{old}-{k}"
            folder.mkdir()
            if old is not None:
                case.write(folder, old)
            told = None
            with Files(folder, FAULTS[fault](k)) as files:
                try:
                    case.write(folder, 1)
                except FileError as error:
                    told = str(error)
            where = (old, k, files.done, told)
            allowed = {old, 1} | ({None} if case.together and fault == "read-only" else set())
            assert case.found(folder) in (allowed if told else {1}), where
            assert told is None or (told.endswith(".") and "Errno" not in told), where
            if fault != "read-only":  # there, nothing can be removed any more
                assert temporary_files(folder) == [], where
            if k >= len(files.done):
                break
        assert told is None
        assert k > 4


@pytest.mark.parametrize("old", [0, None])
@pytest.mark.parametrize("case", CHEAP, ids=lambda case: case.name)
def test_after_power_loss_the_old_or_the_new_is_there(case, old, qapp, tmp_path):
    before = tmp_path / "before"
    before.mkdir()
    if old is not None:
        case.write(before, old)
    with Files(before) as files:
        case.write(before, 1)
    states = [*after_power_loss(files, np.random.default_rng(20261118)), (-1, only_flushed(files))]
    known = {}
    for k, (end, left) in enumerate(states):
        key = frozenset(left.items())
        if key not in known:
            place = tmp_path / str(k)
            place.mkdir()
            onto(left, place)
            known[key] = case.found(place)
        assert known[key] in {old, 1} | ({None} if case.together else set()), (end, list(left))
    assert known[key] == 1, "what was reported as saved is gone"


def test_the_layer_notices_a_save_without_flushes(tmp_path):
    """The check itself: without flushes, a power loss may leave an empty file or the old name."""
    path = tmp_path / "a.txt"
    path.write_text("old")
    with Files(tmp_path) as files:
        (tmp_path / "b.txt").write_text("new")
        os.replace(tmp_path / "b.txt", path)
    found = {left["a.txt"] for _, left in after_power_loss(files, np.random.default_rng(1))}
    assert found == {b"old", b"", b"new"}
    assert files.done == ["create", "write", "rename"]


def test_the_layer_does_what_the_system_does(tmp_path):
    with Files(tmp_path) as files:
        (tmp_path / "a").mkdir()
        with (tmp_path / "a" / "b.txt").open("w", encoding="utf-8", newline="\r\n") as file:
            file.write("é\n" * 3)
        with open(tmp_path / "c", "wb") as file:
            file.write(b"123")
            file.seek(1)
            file.write(b"x")
        os.link(tmp_path / "c", tmp_path / "d")
        (tmp_path / "c").unlink()
    assert (tmp_path / "a" / "b.txt").read_bytes() == "é\r\n".encode() * 3
    everything = list(after_power_loss(files, np.random.default_rng(1)))[-1]
    assert everything[0] == len(files.log)
    states = [left for end, left in after_power_loss(files, np.random.default_rng(1)) if end == len(files.log)]
    assert {"a": None, "a/b.txt": "é\r\n".encode() * 3, "d": b"1x3"} in states


def test_a_full_disk_leaves_the_preferences_as_they_were(tmp_path, qapp):
    """Qt writes them by itself: here the system refuses to let any file grow beyond some bytes."""
    import resource

    from biomec_app.session.preferences import Preferences

    file = tmp_path / "p.ini"
    kept = Preferences(file)
    kept.folder, kept.theme = "a" * 200, "dark"
    kept.write()
    whole = file.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for limit in (0, 1, 50, 200):
        changed = Preferences(file)
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
            changed.folder = "b" * 300
            changed.write()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert file.read_bytes() == whole
        changed.write()  # what it could not write it writes later
        assert Preferences(file).folder in ("a" * 200, "b" * 300)
        kept = Preferences(file)
        kept.folder = "a" * 200
        kept.write()
        file.write_bytes(whole)


@pytest.mark.parametrize("program", [("kills", "44"), ("cancels", "8"), ("cycles", "6")], ids=lambda one: one[0])
def test_a_small_sample_of_what_make_endurance_tries(program):
    name, number = program
    run = subprocess.run(
        [sys.executable, "-m", f"tests.faults.{name}", number, *(["--library"] if name == "cycles" else [])],
        cwd=ROOT, capture_output=True, text=True, timeout=800,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
