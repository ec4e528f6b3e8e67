"""A limit on how long a search may take: progress that ends it when the time is up."""

from __future__ import annotations

import time
from collections.abc import Callable

from biomec.base.progress import Cancelled, Progress


class TimeUp(Cancelled):
    """The time that was allowed is over."""


def limited(progress: Progress | None, seconds: float, clock: Callable[[], float] = time.monotonic) -> Progress:
    """The progress, which raises `TimeUp` once so many seconds have gone by; 0 is no limit."""
    end = clock() + seconds if seconds > 0.0 else float("inf")

    def tell(fraction: float) -> None:
        if progress is not None:
            progress(fraction)
        if clock() > end:
            raise TimeUp

    return tell
