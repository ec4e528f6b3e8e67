"""The one way Biomec compiles a hot loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
T = TypeVar("T")


def compiled(function: Callable[P, T]) -> Callable[P, T]:
    """Compile ``function`` with numba, cached on disk, without holding the interpreter lock.

    Frames are shared between threads by the caller, never by the compiled code itself, so that a window's worker, a
    test and a batch run can use it side by side. Multiply-adds may be fused; nothing else is reordered.
    """
    decorate = numba.njit(cache=True, nogil=True, fastmath={"contract"}, error_model="numpy")
    return cast(Callable[P, T], decorate(function))
