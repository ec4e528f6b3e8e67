"""A file layer for tests: counts and records what is done to files below a folder, and fails or dies at one of them.

`Files` stands in for the functions of Python that change files, while a block runs. What Qt and ezc3d write by
themselves is seen when the file is renamed or flushed.
`after_power_loss` replays what was recorded onto a disk that keeps only what was flushed, and any part of the rest.
"""

from __future__ import annotations

import builtins
import io
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

Fault = Callable[[], None]
Disk = dict[str, bytes | None]
"""Path below the folder -> content of a file; None: a folder."""


@dataclass
class Change:
    """One thing that was done.

    what    : "names" (entries of folders were set or removed), "data", "cut", "sync" or "sync folder"
    names   : path -> number of the file that has this name now; None: nobody
    file    : number of the file whose data changed or were flushed
    """

    what: str
    names: dict[str, int | None] = field(default_factory=dict)
    file: int = -1
    offset: int = 0
    data: bytes = b""
    folder: str = ""


class Files:
    """Files below ``root`` while a block runs.

    due  : called with number (from 0) and name of an operation that is about to begin; returns a fault that raises or
           kills, or None. A write that fails has written its first half.
    done : names of the operations in their order
    """

    def __init__(self, root: Path, due: Callable[[int, str], Fault | None] = lambda number, name: None) -> None:
        self.root = os.path.realpath(root)
        self.due, self.done, self.struck = due, [], 0
        self.before = disk(Path(root))
        self.log: list[Change] = []
        self.names: dict[str, int | None] = {name: k for k, name in enumerate(self.before)}
        self._files = len(self.before)
        self._foreign: set[int] = set()  # files that others write too
        self._patches: list[Any] = []

    # ------------------------------------------------------------------ a block

    def __enter__(self) -> Files:
        stand_ins: dict[str, Callable[..., Any]] = {
            "open": self._os_open, "write": self._os_write, "fsync": self._fsync, "mkdir": self._mkdir,
            "rmdir": self._remove(os.rmdir, "rmdir"), "unlink": self._remove(os.unlink, "unlink"),
            "remove": self._remove(os.remove, "unlink"), "replace": self._rename(os.replace),
            "rename": self._rename(os.rename), "link": self._link, "chmod": self._chmod,
        }  # fmt: skip
        self._real = {name: getattr(os, name) for name in stand_ins}
        self._real_open = io.open
        self._patches = [patch.object(os, name, stand_in) for name, stand_in in stand_ins.items()]
        self._patches += [patch.object(io, "open", self._open), patch.object(builtins, "open", self._open)]
        self._patches += [patch.object(shutil, "_USE_CP_SENDFILE", False, create=True)]  # it copies unseen
        for one in self._patches:
            one.start()
        return self

    def __exit__(self, *_: object) -> None:
        for one in reversed(self._patches):
            one.stop()

    # ------------------------------------------------------------------ bookkeeping

    def _ours(self, path: Any, dir_fd: int | None = None) -> str | None:
        """Path below the root, or None."""
        if not isinstance(path, (str, os.PathLike)):
            return None
        text = os.fsdecode(path)
        if dir_fd is not None:
            text = os.path.join(os.readlink(f"/proc/self/fd/{dir_fd}"), text)
        folder, name = os.path.split(os.path.abspath(text))
        return self._below(os.path.join(os.path.realpath(folder), name))

    def _below(self, text: str) -> str | None:
        return os.path.relpath(text, self.root) if text.startswith(self.root + os.sep) or text == self.root else None

    def _of_handle(self, handle: int) -> str | None:
        return self._below(os.readlink(f"/proc/self/fd/{handle}"))

    def step(self, name: str) -> Fault | None:
        """Count an operation, and return the fault that is due."""
        fault = self.due(len(self.done), name)
        self.done.append(name)
        self.struck += fault is not None
        return fault

    def begin(self, name: str) -> None:
        """Count an operation, and let it fail if a fault is due."""
        fault = self.step(name)
        if fault is not None:
            fault()

    def rename_entries(self, **names: int | None) -> None:
        self.names.update(names)
        self.log.append(Change("names", names))

    def _new(self) -> int:
        self._files += 1
        return self._files

    def _number(self, name: str) -> int:
        """Number of a file, which others may have made."""
        number = self.names.get(name)
        if number is None:
            number = self._new()
            self._foreign.add(number)
            self.rename_entries(**{name: number})
            self._recorded(name, number)
        return number

    def _recorded(self, name: str, number: int) -> None:
        with self._real_open(os.path.join(self.root, name), "rb") as file:
            content = file.read()
        self.log += [Change("cut", file=number), Change("data", file=number, data=content)]

    def _opened(self, name: str, was: bool, cut: bool) -> int:
        if not was:
            self.rename_entries(**{name: self._new()})
        number = self.names[name]
        assert number is not None
        if was and cut:
            self.log.append(Change("cut", file=number))
        return number

    # ------------------------------------------------------------------ stand-ins

    def _open(self, file: Any, mode: str = "r", buffering: int = -1, *args: Any, **options: Any) -> Any:
        writes = set(mode) & set("wax+")
        if isinstance(file, int) and writes and self._of_handle(file) is not None:
            return self._wrapped(
                file, self._of_handle(file), mode, buffering, args, options
            )  # counted when it was opened
        name = self._ours(file) if writes else None
        if name is None:
            return self._real_open(file, mode, buffering, *args, **options)
        assert not os.path.islink(file), "links are replaced, not written through"
        self.begin("create" if set(mode) & set("wax") else "open")
        was = os.path.exists(file)
        return self._wrapped(os.fspath(file), name, mode, buffering, args, options, was)

    def _wrapped(
        self, file: Any, name: Any, mode: str, buffering: int, args: Any, options: dict[str, Any], was: bool = True
    ) -> Any:
        raw = _Raw(file, mode.replace("b", "").replace("t", ""))
        raw.files, raw.number = self, self._opened(name, was, "w" in mode)
        if buffering == 0:
            return raw
        buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        if "b" in mode:
            return buffered
        return io.TextIOWrapper(buffered, *args, **{key: value for key, value in options.items() if key != "opener"})

    def _os_open(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        name = self._ours(path, dir_fd) if writes else None
        if name is not None:
            self.begin("create" if flags & os.O_CREAT else "open")
            was = os.path.exists(os.path.join(self.root, name))
        handle = self._real["open"](path, flags, mode, dir_fd=dir_fd)
        if name is not None:
            self._opened(name, was, bool(flags & os.O_TRUNC))
        return int(handle)

    def _os_write(self, handle: int, data: Any) -> int:
        assert not os.path.isfile(f"/proc/self/fd/{handle}") or self._of_handle(handle) is None, "not recorded"
        return int(self._real["write"](handle, data))

    def _fsync(self, handle: int) -> None:
        name = self._of_handle(handle)
        if name is None:
            return self._real["fsync"](handle)
        folder = os.path.isdir(f"/proc/self/fd/{handle}")
        self.begin("sync folder" if folder else "sync")
        if folder:
            self.log.append(Change("sync folder", folder="" if name == "." else name))
        else:
            number = self._number(name)
            if number in self._foreign:
                self._recorded(name, number)
            self.log.append(Change("sync", file=number))
        return None  # the disk itself need not be asked: only what is recorded counts

    def _mkdir(self, path: Any, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        name = self._ours(path, dir_fd)
        if name is not None and not os.path.exists(os.path.join(self.root, name)):
            self.begin("mkdir")
        self._real["mkdir"](path, mode, dir_fd=dir_fd)
        if name is not None:
            self.rename_entries(**{name: -1})

    def _remove(self, real: Callable[..., None], what: str) -> Callable[..., None]:
        def remove(path: Any, *, dir_fd: int | None = None) -> None:
            name = self._ours(path, dir_fd)
            if name is not None and os.path.lexists(os.path.join(self.root, name)):
                self.begin(what)
            real(path, dir_fd=dir_fd)
            if name is not None:
                self.rename_entries(**{name: None})

        return remove

    def _rename(self, real: Callable[..., None]) -> Callable[..., None]:
        def rename(old: Any, new: Any, **options: Any) -> None:
            before, after = self._ours(old, options.get("src_dir_fd")), self._ours(new, options.get("dst_dir_fd"))
            if before is not None or after is not None:
                assert before is not None, "files come from the same disk"
                assert after is not None, "files stay on the same disk"
                assert not os.path.isdir(os.path.join(self.root, before)), "folders that are renamed are not recorded"
                self.begin("rename")
                self._number(before)
            real(old, new, **options)
            if before is not None and after is not None:
                self.rename_entries(**{after: self.names[before], before: None})

        return rename

    def _link(self, old: Any, new: Any, **options: Any) -> None:
        before, after = self._ours(old), self._ours(new)
        if after is not None:
            self.begin("link")
        self._real["link"](old, new, **options)
        if before is not None and after is not None:
            self.rename_entries(**{after: self.names[before]})

    def _chmod(self, path: Any, mode: int, **options: Any) -> None:
        if self._ours(path) is not None:
            self.begin("chmod")
        self._real["chmod"](path, mode, **options)


class _Raw(io.FileIO):
    files: Files
    number: int

    def write(self, data: Any) -> int:
        content = bytes(data)
        fault = self.files.step("write")
        if fault is not None:
            self._written(content[: len(content) // 2])
            fault()
        return self._written(content)

    def _written(self, content: bytes) -> int:
        offset = self.tell()
        count = super().write(content)
        self.files.log.append(Change("data", file=self.number, offset=offset, data=content[:count]))
        return count


def disk(root: Path) -> Disk:
    """Files and folders below a folder."""
    return {
        path.relative_to(root).as_posix(): None if path.is_dir() else path.read_bytes()
        for path in sorted(root.rglob("*"))
    }


def onto(found: Disk, root: Path) -> None:
    """Put files and folders into an empty folder."""
    for name, content in found.items():
        if content is None:
            (root / name).mkdir(exist_ok=True, parents=True)
        else:
            (root / name).write_bytes(content)


# ---------------------------------------------------------------------------------------------------------- power loss
def after_power_loss(files: Files, rng: np.random.Generator, draws: int = 3) -> Iterator[tuple[int, Disk]]:
    """Disks that a power loss may leave: how many recorded changes came before it, and what lies there.

    Names are safe once their folder is flushed, data once their file is. Of the rest nothing, everything, names without
    data, data without names, or some of it reached the disk. A rename is one step, as on every file system with a
    journal.
    """
    for end in range(len(files.log) + 1):
        seen = set()
        ways = [(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0), *[(0.5, 0.5)] * draws]
        for names, data in ways:
            left = _left(files, end, names, data, rng)
            key = hash(frozenset(left.items()))
            if key not in seen:
                seen.add(key)
                yield end, left


def only_flushed(files: Files) -> Disk:
    """What is certainly on the disk at the end."""
    return _left(files, len(files.log), 0.0, 0.0, np.random.default_rng(0))


def _left(files: Files, end: int, names: float, data: float, rng: np.random.Generator) -> Disk:
    log = files.log[:end]
    entries: dict[str, int | None] = {name: k for k, name in enumerate(files.before)}
    content = {k: bytearray(there) for k, there in enumerate(files.before.values()) if there is not None}
    folders = {k for k, there in enumerate(files.before.values()) if there is None} | {-1}
    stopped: set[int] = set()  # files whose later data are lost: they arrive in their order
    folder_flushed = {one.folder: k for k, one in enumerate(log) if one.what == "sync folder"}  # the last time
    file_flushed = {one.file: k for k, one in enumerate(log) if one.what == "sync"}
    for k, change in enumerate(log):
        if change.what == "names":
            parents = {os.path.dirname(name) for name in change.names}
            safe = any(folder_flushed.get(parent, -1) > k for parent in parents)
            if safe or rng.random() < names:
                entries.update(change.names)
        elif change.what in ("data", "cut") and change.file not in stopped:
            safe = file_flushed.get(change.file, -1) > k
            if not safe and rng.random() >= data:
                stopped.add(change.file)
                continue
            there = content.setdefault(change.file, bytearray())
            if change.what == "cut":
                there.clear()
            there[change.offset : change.offset + len(change.data)] = change.data
    kept: Disk = {}
    for name, number in sorted(entries.items()):
        if number is not None and (os.path.dirname(name) in kept or not os.path.dirname(name)):
            kept[name] = None if number in folders else bytes(content.get(number, b""))
    return kept
