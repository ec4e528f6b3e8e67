"""Keeps the memory of the program small, and the search for garbage short.

The allocator of Linux gives back little by itself. Each thread that allocates gets a pool of its own, up to eight a
core, and what one pool has free no other can use: with a new thread for every figure and analysis they fill up in turn.
Elsewhere the system needs no help.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

ARENA_MAX = -8  # M_ARENA_MAX of malloc.h
POOLS = 2  # one for the window, one for whatever works beside it


@cache
def _allocator() -> ctypes.CDLL | None:
    """The C library, if it is the one that can be told."""
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


@contextmanager
def own_garbage() -> Iterator[None]:
    """Search what a piece of work has made, and only that, for garbage as soon as it is done.

    A drawn figure leaves tens of thousands of parts that hold each other. Left to age, they were searched together
    with everything else that is there, for a tenth of a second and more.
    """
    automatic = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.collect(0)
        if automatic:
            gc.enable()


def give_back() -> bool:
    """Give what is free back to the system, such as after a recording was closed; True if anything was."""
    library = _allocator()
    return library is not None and bool(library.malloc_trim(0))
