"""Limits on what a small file may demand: memory is counted before it is taken."""

from __future__ import annotations

import os
import sys
from importlib.resources.abc import Traversable
from pathlib import Path

from biomec.base.errors import FileError
from biomec.base.special_files import refuse_special

MB = 1 << 20
SMALL = 256 * MB  # what any file may take, however short it is
LONGEST_DESCRIPTION = 4 * MB  # of a file that a person writes by hand; those that come with Biomec have up to 40 kB


class TooMuchError(ValueError):
    """A file asks for more memory than its size explains, or than is free."""


class Budget:
    """Bytes that the content of one file may take; `take` counts them and refuses what goes beyond."""

    def __init__(self, size: int, times: float) -> None:
        """Allow ``times`` the size of the file in bytes, 256 MB at least, and never more than half the free memory."""
        self.limit = int(min(max(SMALL, times * size), free_memory() / 2))
        self.taken = 0

    def take(self, size: int) -> None:
        """Count bytes that are about to be used."""
        self.taken += size
        if self.taken > self.limit:
            raise TooMuchError(
                f"its content would take more than {self.limit // MB} MB of memory, which its size does not explain "
                "or this computer does not have free"
            )


def whole_file(path: Path | Traversable, times: float = 1.0, most: int | None = None) -> bytes:
    """All bytes of a file. A `FileError` before anything is read if that would take too much; OSError as usual.

    times : bytes of memory that reading the content takes for each byte of the file
    most  : bytes that such a file may have, whatever memory is free
    """
    refuse_special(path)
    if isinstance(path, Path):
        size = path.stat().st_size
        if most is not None and size > most:
            raise FileError(
                path.name, f"the file has {size / MB:.0f} MB; one of this kind has {most // MB} MB at most."
            )
        if size > SMALL and times * size > free_memory() / 2:
            words = f"the file has {size / MB:.0f} MB, too much for the memory that is free ({free_memory() // MB} MB)."
            raise FileError(path.name, f"{words} Close other programs, or open a shorter recording.")
    return path.read_bytes()


def free_memory() -> int:
    """Bytes of memory that programs may still take; a cautious guess where the system does not say."""
    try:
        if sys.platform.startswith("linux"):
            for line in Path("/proc/meminfo").read_text("ascii").splitlines():
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (OSError, ValueError, AttributeError, IndexError):
        return 4096 * MB
