"""A limit on how long work may take, and a way to stop work that does not ask whether it should go on."""

from __future__ import annotations

import ctypes
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from biomec.base.progress import Cancelled, Progress

ASKED_S = 0.1  # between two questions


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


@contextmanager
def interruptible(progress: Progress) -> Iterator[Progress]:
    """Within it, ``progress`` also stops work in Python that seldom calls it, such as algebra with symbols.

    Another thread asks it ten times a second, with the fraction that was reported last; what it raises is raised here.
    Yields the progress for the work itself.
    """
    here, done, latest = threading.get_ident(), threading.Event(), [0.0]
    stopped: list[Cancelled] = []

    def tell(fraction: float) -> None:
        latest[0] = fraction
        progress(fraction)

    def unsafe() -> bool:
        """Whether the work is in the middle of an import or of clearing up, which must come to their ends."""
        frame = sys._current_frames().get(here)
        while frame is not None:
            code = frame.f_code
            if code.co_filename.startswith("<frozen importlib") or code.co_name == "__del__":
                return True
            frame = frame.f_back
        return False

    def raise_here(kind: type[Cancelled] | None) -> None:
        what = None if kind is None else ctypes.py_object(kind)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(here), what)

    def ask() -> None:
        while not done.wait(ASKED_S):
            try:
                progress(latest[0])
            except Cancelled as error:  # once more if the work swallowed it
                stopped.append(error)
                if not unsafe():
                    raise_here(type(error))

    watcher = threading.Thread(target=ask, name="biomec-watch", daemon=True)
    watcher.start()
    try:
        yield tell
    finally:
        done.set()
        watcher.join()
        raise_here(None)  # what was raised and has not arrived yet
    if stopped:
        raise stopped[0]
