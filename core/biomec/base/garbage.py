"""Python's search for garbage, left out where it only costs time."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_search() -> Iterator[None]:
    """Do what makes many objects that all stay, such as loading modules, without looking through them again and again.

    Whoever has stopped the search before keeps it stopped.
    """
    searched = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searched:
            gc.enable()
