"""Limits on what a small file may demand: memory is counted before it is taken."""

from __future__ import annotations

import os
import sys
from pathlib import Path

MB = 1 << 20
SMALL = 256 * MB  # what any file may take, however short it is


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
