"""What programs that were killed while they wrote have left: known by a lock that nobody holds any more, and removed.

A temporary file or folder is locked while somebody writes it; the system takes the lock back from a program that ends,
however it ends. Where files cannot be locked (Windows, some network drives), age decides.
"""

from __future__ import annotations

import importlib
import os
import shutil
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

LEFTOVER_AGE_S = 24 * 3600.0  # older than any save still at work; counts only where nothing can be locked


def locked(handle: int) -> bool:
    """Lock an open file: True if it is ours now, False if another program has it; OSError where there are no locks."""
    try:
        if os.name == "nt":
            windows: Any = importlib.import_module("msvcrt")
            windows.locking(handle, windows.LK_NBLCK, 1)
        else:
            posix: Any = importlib.import_module("fcntl")
            posix.flock(handle, posix.LOCK_EX | posix.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def is_there(handle: int, path: Path) -> bool:
    """Whether an open file still has its name; another program may have removed it meanwhile."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def held(handle: int, path: Path) -> bool:
    """Lock a new temporary file or folder until its handle is closed; False if it was taken for a leftover meanwhile.

    Windows does not let others rename or write what is locked, so nothing is locked there.
    """
    if os.name == "nt":
        return True
    try:
        return locked(handle) and is_there(handle, path)
    except OSError:  # no locks here: age decides
        return True


def remove_leftovers(folder: Path, pattern: str) -> None:
    """Remove temporary files and folders of that pattern of names that no living program writes."""
    with suppress(OSError):  # a folder that cannot be listed has nothing that could be removed
        for path in folder.glob(pattern):
            with suppress(OSError):  # of another user, or gone already
                _remove_if_abandoned(path)


def _remove_if_abandoned(path: Path) -> None:
    found = path.lstat()
    is_folder = stat.S_ISDIR(found.st_mode)
    if not (is_folder or stat.S_ISREG(found.st_mode)):
        return
    handle = None
    try:
        abandoned = time.time() - found.st_mtime > LEFTOVER_AGE_S
        if os.name != "nt":
            handle = os.open(path, os.O_RDONLY if is_folder else os.O_RDWR)
            with suppress(OSError):
                abandoned = locked(handle)
        if abandoned and is_folder:
            shutil.rmtree(path, ignore_errors=True)
        elif abandoned:
            path.unlink()
    finally:
        if handle is not None:
            os.close(handle)
