"""Keeps the memory of the program small, and the search for garbage short.

The allocator of Linux gives back little by itself. Each thread that allocates gets a pool of its own, up to eight a
core, and what one pool has free no other can use: with a new thread for every figure and analysis they fill up in turn.
Elsewhere the system needs no help.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from PySide6.QtCore import QObject, QTimer

ARENA_MAX = -8  # M_ARENA_MAX of malloc.h
LOOK_MS = 30
GROWN = 0.25  # everything is searched once so much has been added to it: Python's own rule
POOLS = 2  # one for the window, one for whatever works beside it


@cache
def _allocator() -> ctypes.CDLL | None:
    """The C library, if it is the one that can be asked."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        library = ctypes.CDLL("libc.so.6")
    except OSError:
        return None
    return library if hasattr(library, "malloc_trim") and hasattr(library, "mallopt") else None


def share_memory() -> bool:
    """Let all threads allocate from few pools; True if the system can do so. To be called before there are threads."""
    library = _allocator()
    return library is not None and bool(library.mallopt(ARENA_MAX, POOLS))


def keep_loaded() -> None:
    """Let Python's search for garbage pass over all that is there by now: modules, which stay.

    With them it takes a fifth of a second, again and again, in which the window stands still.
    """
    gc.freeze()


HELD_S = 5.0  # work that takes longer than figures do no longer holds up the search
_together_since: float | None = None  # when a piece of work began that keeps its parts together until it is done


class Garbage(QObject):
    """Searches for garbage in the window's thread, and in no other, as often as Python does by itself.

    Python searches in whichever thread happens to allocate. A thread that computes beside the window then destroys the
    closed windows it finds, while Qt may be styling or laying out the same widgets: the program ends without a word.
    To be made in the window's thread; `stop` gives the search back to Python.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._old = 0  # objects that survived the last search of everything
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def look(self) -> None:
        """Search what is due by Python's own thresholds, unless a piece of work keeps its parts together."""
        since = _together_since
        if since is not None and time.monotonic() - since < HELD_S:
            return
        counts, limits = gc.get_count(), gc.get_threshold()
        if not counts[0] > limits[0] > 0:
            return
        if counts[1] <= limits[1]:
            gc.collect(0)
        elif counts[2] <= limits[2] or len(gc.get_objects(2)) <= (1.0 + GROWN) * self._old:
            gc.collect(1)
        else:
            gc.collect()
            self._old = len(gc.get_objects(2))

    def stop(self) -> None:
        """Let Python search by itself again."""
        self._timer.stop()
        gc.enable()


@contextmanager
def own_garbage() -> Iterator[None]:
    """Search what a piece of work has made only once it is done, so that all of it is young.

    A drawn figure leaves tens of thousands of parts that hold each other. Left to age, they were searched together
    with everything else that is there, for a tenth of a second and more. One piece of work at a time.
    """
    global _together_since
    _together_since = time.monotonic()
    try:
        yield
    finally:
        _together_since = None


def give_back() -> bool:
    """Give what is free back to the system, such as after a recording was closed; True if anything was."""
    library = _allocator()
    return library is not None and bool(library.malloc_trim(0))
