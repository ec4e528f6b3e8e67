"""Files that only this user can have written: read and replaced with a check of owner and permissions.

What a program runs from disk, such as compiled code or extensions, must come from its own user, and so must unsaved
work that it takes for the user's own. File and folder are opened first and looked at afterwards, so that nobody can
exchange them in between. Windows keeps others out of a user's profile by itself; there nothing is checked.
"""

from __future__ import annotations

import os
import secrets
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from biomec.base.errors import FileError

PART = ".part"  # end of the name of a file that is being written


def folder_from_environment(variable: str) -> Path | None:
    """Folder that an environment variable names; None if it is unset, empty or relative, as the XDG rules demand."""
    named = Path(os.environ.get(variable, ""))
    return named if named.is_absolute() else None


def doubt(found: os.stat_result) -> str | None:
    """Why somebody else may have written a file or folder, as the end of a sentence; None if only this user can."""
    if sys.platform == "win32":
        return None
    if found.st_uid != os.geteuid():
        return "belongs to another user"
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "can be changed by other users"
    return None


def read_own(path: Path) -> bytes:
    """Bytes of a file; a `FileError` if other users could have written it or its folder, or if it is not a file."""
    with open_own(path) as file:
        return file.read()


def open_own(path: Path) -> BinaryIO:
    """A file to read; a `FileError` if other users could have written it or its folder, or if it is not a file."""
    if sys.platform == "win32":
        return path.open("rb")
    folder = _open_own_folder(path.parent)
    try:
        handle = os.open(path.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    finally:
        os.close(folder)
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise FileError(path.name, "this is not a file.")
        _refuse(path, "it", found)
    except BaseException:
        os.close(handle)
        raise
    return os.fdopen(handle, "rb")


def write_own(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, for this user alone (0600); a `FileError` if others can write to its folder."""
    part = f".{secrets.token_hex(8)}{PART}"
    if sys.platform == "win32":
        temporary = path.with_name(part)
        try:
            temporary.write_bytes(content)
            os.replace(temporary, path)
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        return
    folder = _open_own_folder(path.parent)
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(part, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(OSError):
                os.unlink(part, dir_fd=folder)
            raise
    finally:
        os.close(folder)


def make_own_folder(folder: Path) -> None:
    """Make a folder, and those above it, that only this user can write to; one that exists stays as it is."""
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)


def _open_own_folder(folder: Path) -> int:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _refuse(folder, "the folder", os.fstat(handle))
    except FileError:
        os.close(handle)
        raise
    return handle


def _refuse(path: Path, what: str, found: os.stat_result) -> None:
    reason = doubt(found)
    if reason is not None:
        raise FileError(str(path), f"{what} {reason}.")
