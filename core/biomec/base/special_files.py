"""Pipes and devices are not files: a program that opens one may wait for ever, or read without end."""

from __future__ import annotations

import os
import stat
from importlib.resources.abc import Traversable
from pathlib import Path

from biomec.base.errors import FileError

_KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


def refuse_special(path: Path | Traversable) -> None:
    """Raise a sentence if ``path`` is a pipe, a device or a socket; whatever else is wrong is said on opening it."""
    if not isinstance(path, Path):
        return  # within a package
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return
    for is_kind, words in _KINDS:
        if is_kind(mode):
            raise FileError(path.name, f"this is {words}, not a file. Biomec reads and writes files only.")
