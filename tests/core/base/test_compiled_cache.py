"""Damaged, foreign or unwritable compiled code does no harm: the result is right and nothing is raised."""

import errno
import logging
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType

import numba
import pytest
from numba.core.codegen import JITCPUCodegen

from biomec.base import compiled, compiled_cache, own_files

SOURCE = "from biomec.base.compiled import compiled\n@compiled\ndef twice(x):\n    return x + x\n"
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="owners and permissions as POSIX has them")


class Sessions:
    """One program after another with the same cache: each has a new dispatcher for the same source."""

    def __init__(self, folder: Path) -> None:
        self.source = folder / "twice_source.py"
        self.source.write_text(SOURCE)
        self.cache = folder / "cache"

    def begin(self):
        """The function, as a new program has it."""
        module = ModuleType(self.source.stem)
        sys.modules[module.__name__] = module
        exec(compile(SOURCE, str(self.source), "exec"), module.__dict__)
        return module.twice

    def run(self) -> bool:
        """Whether the code came from the cache; the number is right in either case."""
        twice = self.begin()
        assert twice(21) == 42
        return bool(sum(twice.stats.cache_hits.values()))

    def found(self):
        """What the cache has for a whole number."""
        twice = self.begin()
        return twice._cache.load_overload((numba.int64,), twice.targetctx)

    @property
    def entry(self) -> Path:
        """The only file of the cache."""
        (found,) = self.files
        return found

    @property
    def files(self) -> list[Path]:
        return [one for one in self.cache.rglob("*") if one.is_file()]


@pytest.fixture
def sessions(tmp_path, monkeypatch):
    monkeypatch.setenv("BIOMEC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(compiled_cache, "_told", set())
    monkeypatch.setitem(sys.modules, "twice_source", None)  # put back at the end
    return Sessions(tmp_path)


@pytest.fixture
def filled(sessions):
    assert not sessions.run()
    assert sessions.run()
    return sessions


def refuse_pickles(monkeypatch):
    """Reading a pickle would run what it holds."""
    monkeypatch.setattr(pickle, "loads", lambda *_: pytest.fail("unchecked bytes were unpickled"))


def test_damaged_entries_are_never_unpickled_and_compiled_again(filled, monkeypatch, caplog):
    sound = filled.entry.read_bytes()
    flips = [sound[:at] + bytes([sound[at] ^ 0x40]) + sound[at + 1 :] for at in (0, 30, 60, len(sound) // 2, -2)]
    evil = pickle.dumps(pytest.fail)
    cut = [sound[:length] for length in (0, 10, 40, len(sound) // 2, len(sound) - 1)]
    whole = [b"garbage", evil, compiled_cache.HEAD + b"\0" * 32 + evil, sound + b"\0", sound[:55] + evil]
    read = []
    monkeypatch.setattr(compiled_cache, "read_own", lambda path: read.pop())
    damaged = [*flips, *cut, *whole]
    refuse_pickles(monkeypatch)
    (key,) = {one.name for one in filled.files}
    caplog.set_level(logging.INFO)
    for content in damaged:
        read.append(content)
        assert filled.found() is None, content[:60]
    assert len([one for one in caplog.messages if "is damaged; twice is compiled again" in one]) == len(damaged)
    assert filled.entry.name == key


@pytest.mark.parametrize("damage", [lambda sound: sound[:-100], lambda sound: sound[:200] + b"!!" + sound[202:]])
def test_a_damaged_entry_is_replaced_by_a_sound_one(filled, damage):
    sound = filled.entry.read_bytes()
    filled.entry.write_bytes(damage(sound))
    assert not filled.run()
    assert filled.run()


def test_an_entry_under_the_name_of_another_is_not_used(filled):
    """The checksum also covers what an entry is for: types, sources, processor, versions."""
    entry, sound = filled.entry, filled.entry.read_bytes()
    key = b"other types"
    payload = sound[len(compiled_cache.HEAD) + 32 :]
    entry.write_bytes(compiled_cache.HEAD + compiled_cache._checksum(key, payload) + payload)
    assert not filled.run()


def test_sound_bytes_that_cannot_be_rebuilt_are_compiled_again(filled, monkeypatch):
    def fail(*_):
        raise TypeError("made by another numba")

    monkeypatch.setattr(compiled_cache.pickle, "loads", fail)
    assert not filled.run()


@pytest.mark.parametrize("changed", ["VERSIONS", "cpu", "setting"])
def test_other_versions_processors_and_settings_have_entries_of_their_own(filled, monkeypatch, changed):
    if changed == "VERSIONS":
        monkeypatch.setattr(compiled_cache, "VERSIONS", ("3", "0", "0", "0"))
    elif changed == "cpu":
        monkeypatch.setattr(JITCPUCodegen, "magic_tuple", lambda self: ("x86_64", "a newer one", "+avx99"))
    else:
        monkeypatch.setattr(numba.config, "BOUNDSCHECK", 1)
    assert not filled.run()
    assert len(filled.files) == 2


@POSIX
@pytest.mark.parametrize("place", ["file", "folder"])
def test_code_of_another_user_is_not_run(filled, monkeypatch, caplog, place):
    """Simulated: who runs the tests cannot give files away."""
    watched = os.stat(filled.entry if place == "file" else filled.entry.parent).st_ino
    real = os.fstat

    def foreign(handle):
        found = real(handle)
        return os.stat_result((*found[:4], os.geteuid() + 1, *found[5:])) if found.st_ino == watched else found

    monkeypatch.setattr(own_files.os, "fstat", foreign)
    with monkeypatch.context() as inner:
        refuse_pickles(inner)
        assert filled.found() is None
    assert not filled.run()
    (line,) = caplog.messages
    assert "belongs to another user" in line


@POSIX
@pytest.mark.parametrize("place", ["file", "folder"])
@pytest.mark.parametrize("mode", [0o020, 0o002])
def test_code_that_others_can_change_is_not_run(filled, monkeypatch, caplog, place, mode):
    opened = filled.entry if place == "file" else filled.entry.parent
    opened.chmod(opened.stat().st_mode | mode)
    refuse_pickles(monkeypatch)
    assert filled.found() is None
    (line,) = caplog.messages
    assert "can be changed by other users" in line


@POSIX
def test_links_and_pipes_in_the_cache_are_not_followed(filled, monkeypatch):
    entry = filled.entry
    entry.rename(entry.with_suffix(".kept"))
    refuse_pickles(monkeypatch)
    entry.symlink_to(entry.with_suffix(".kept"))
    assert filled.found() is None
    entry.unlink()
    os.mkfifo(entry, 0o600)
    assert filled.found() is None


@POSIX
def test_only_this_user_can_change_what_is_kept_whatever_the_mask(sessions):
    before = os.umask(0)
    try:
        sessions.run()
    finally:
        os.umask(before)
    assert sessions.entry.stat().st_mode & 0o777 == 0o600
    assert sessions.entry.parent.stat().st_mode & 0o777 == 0o700
    assert sessions.run()


@pytest.mark.parametrize("fault", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT])
@pytest.mark.parametrize("call", ["open", "replace", "mkdir"])
def test_an_analysis_goes_on_when_nothing_can_be_kept(sessions, monkeypatch, caplog, fault, call):
    """A full disk under the cache used to stop the analysis."""

    def fail(*given, **named):
        raise OSError(fault, os.strerror(fault))

    if call == "mkdir":
        monkeypatch.setattr(Path, "mkdir", fail)
    else:
        real = getattr(os, call)
        writes = call == "replace" or sys.platform == "win32"
        monkeypatch.setattr(
            own_files.os, call,
            lambda *given, **named: fail() if writes or given[1] & os.O_CREAT else real(*given, **named),
        )  # fmt: skip
    assert not sessions.run()
    monkeypatch.undo()
    assert sessions.files == []  # nothing half-written
    (line,) = caplog.messages
    assert "cannot be kept" in line
    assert os.strerror(fault) in line


def test_a_full_disk_says_so_once_in_a_session(sessions, monkeypatch, caplog):
    def full(path, content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(compiled_cache, "write_own", full)
    sessions.run()
    sessions.run()
    assert len(caplog.messages) == 1


def test_what_killed_programs_left_is_removed(sessions):
    sessions.run()
    old, new = (sessions.entry.with_name(f".{name}.part") for name in ("old", "new"))
    for leftover in (old, new):
        leftover.write_bytes(b"half")
    os.utime(old, (0, 0))
    sessions.begin()(1.5)
    assert not old.exists()
    assert new.exists()


def test_without_a_home_nothing_is_kept_and_no_temporary_folder_is_left(tmp_path, monkeypatch):
    """A home that cannot be written used to leave a folder in the temporary directory at every start."""
    (tmp_path / "file").write_text("")
    for name in ("BIOMEC_CACHE_DIR", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "file" / "no folder"))
    monkeypatch.setattr(compiled_cache, "_told", set())
    monkeypatch.setattr(tempfile, "mkdtemp", lambda *_, **__: pytest.fail("a temporary folder was made"))
    monkeypatch.setitem(sys.modules, "twice_source", None)
    assert not Sessions(tmp_path).run()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file", "twice_source.py"]


@pytest.mark.parametrize("value", ["", "relative/folder"])
@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the rules of XDG")
def test_an_empty_or_relative_folder_for_caches_counts_as_unset(monkeypatch, tmp_path, value):
    monkeypatch.delenv("BIOMEC_CACHE_DIR", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", value)
    assert compiled._base() == tmp_path / ".cache" / "biomec" / "compiled"


def test_a_program_with_a_damaged_cache_prints_its_result_and_nothing_else(filled):
    filled.entry.write_bytes(b"garbage")
    program = (
        f"import sys; sys.path.insert(0, {str(filled.source.parent)!r}); import twice_source as t; print(t.twice(4))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=dict(os.environ))
    assert (done.returncode, done.stdout, done.stderr) == (0, "8\n", "")
