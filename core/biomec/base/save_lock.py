"""One program at a time saves a file; the others wait until it is done."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from biomec.base.errors import FileError
from biomec.base.leftovers import is_there, locked

PATIENCE_S = 20.0  # longer than any save takes
_PAUSE_S = 0.05


@contextmanager
def save_lock(path: Path, patience_s: float | None = None) -> Iterator[None]:
    """Hold the right to save a file that other programs save too, such as a project.

    The system takes it back from a program that ends, however it ends. Other users of a shared folder wait too. Where
    files cannot be locked, on some network drives, the save goes on without.
    """
    try:
        path = path.resolve()
    except (OSError, RuntimeError):  # saving says what is wrong with the name
        yield
        return
    beside = path.with_name(f".{path.name[:40]}.lock")
    handle = _acquired(beside, path.name, PATIENCE_S if patience_s is None else patience_s)
    try:
        yield
    finally:
        if handle is not None:
            with suppress(OSError):
                beside.unlink()  # while it is held: whoever waits for it notices, and begins anew
            os.close(handle)


def _opened(beside: Path) -> int:
    """Open the lock, which is empty and made if needed; one that another user has made need only be readable."""
    no_link = getattr(os, "O_NOFOLLOW", 0)
    try:
        return os.open(beside, os.O_RDWR | os.O_CREAT | no_link, 0o666)
    except PermissionError:
        return os.open(beside, os.O_RDONLY | no_link)


def _acquired(beside: Path, name: str, patience_s: float) -> int | None:
    end = time.monotonic() + patience_s
    while True:
        try:
            handle = _opened(beside)
        except OSError:
            return None  # a folder that cannot be written: saving says so
        try:
            if locked(handle) and is_there(handle, beside):
                return handle
        except OSError:
            os.close(handle)
            return None
        os.close(handle)
        if time.monotonic() > end:
            raise FileError(name, "another program is saving it. Try again in a moment.")
        time.sleep(_PAUSE_S)
