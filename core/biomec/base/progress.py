"""How long work tells its caller how far it is, and how the caller stops it."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TypeAlias

from biomec.base.errors import BiomecError

Progress: TypeAlias = Callable[[float], None]
"""Called with the fraction done, 0 to 1. Raise `Cancelled` inside it to stop the work; nothing is left half changed."""


class Cancelled(BiomecError):
    """The user stopped the work."""


def thread_count() -> int:
    """Threads for frame-parallel work: BIOMEC_THREADS from the environment, or one a core we may use."""
    wish = os.environ.get("BIOMEC_THREADS", "")
    if wish.isdecimal():
        return max(1, int(wish))
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def part_of(progress: Progress | None, begin: float, end: float) -> Progress | None:
    """Progress of a part of the work, which lasts from ``begin`` to ``end`` of the whole; None if nobody watches."""
    if progress is None:
        return None
    return lambda fraction: progress(begin + (end - begin) * fraction)


def in_parallel(work: Callable[[slice], None], frames: int, batch: int, progress: Progress | None = None) -> None:
    """Run ``work`` on slices of ``batch`` frames over `thread_count` threads; it must release the interpreter lock.

    An exception in ``work`` or in ``progress`` cancels what has not started and is raised here.
    """
    slices = [slice(first, min(first + batch, frames)) for first in range(0, frames, batch)]
    workers = min(len(slices), thread_count())
    if workers <= 1:
        for done, part in enumerate(slices, start=1):
            work(part)
            if progress is not None:
                progress(done / len(slices))
        return
    with ThreadPoolExecutor(workers, thread_name_prefix="biomec") as pool:
        pending = {pool.submit(work, part) for part in slices}
        try:
            while pending:
                finished, pending = wait(pending, timeout=0.05, return_when=FIRST_EXCEPTION)
                for future in finished:
                    future.result()
                if progress is not None:
                    progress(1.0 - len(pending) / len(slices))
        except BaseException:
            for future in pending:
                future.cancel()
            raise
