"""The one way Biomec compiles a hot loop."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.core.event import Listener, install_listener

P = ParamSpec("P")
T = TypeVar("T")
KEPT_CACHES = 3
_CONFIG: Any = numba.config


def compiled(function: Callable[P, T]) -> Callable[P, T]:
    """Compile ``function`` with numba, cached on disk, without holding the interpreter lock.

    Frames are shared between threads by the caller, never by the compiled code itself, so that a window's worker, a
    test and a batch run can use it side by side. Multiply-adds may be fused; nothing else is reordered.
    """
    before = _CONFIG.CACHE_DIR
    _CONFIG.CACHE_DIR = str(_CACHE)  # read while decorating, and put back for other users of numba
    try:
        decorate = numba.njit(cache=True, nogil=True, fastmath={"contract"}, error_model="numpy")
        return cast(Callable[P, T], decorate(function))
    finally:
        _CONFIG.CACHE_DIR = before


class _Watch(Listener):
    """Tells what is being compiled, and whether in the thread that made it."""

    def __init__(self, told: Callable[[str, bool], None]) -> None:
        self._told, self._thread = told, threading.get_ident()

    def on_start(self, event: Any) -> None:
        self._told(str(event.data["dispatcher"].py_func.__name__), threading.get_ident() == self._thread)

    def on_end(self, event: Any) -> None:
        """Nothing is told at the end."""


@contextmanager
def watched_compiling(told: Callable[[str, bool], None]) -> Iterator[None]:
    """Tell the name of every function before it is compiled, and whether by this thread; what ``told`` raises stops it.

    Code that lies in the cache on disk is not compiled, so that nothing is told of it.
    """
    with install_listener("numba:compile", _Watch(told)):
        yield


def _cache_folder() -> Path:
    """Folder for compiled code, named after the sources.

    Numba notices a change of a function's own file, but not of a compiled function that it calls from another file: a
    folder for each state of the sources is what keeps old code from being run.
    """
    digest = hashlib.sha256(sys.version.encode() + numba.__version__.encode())
    for source in sorted(Path(__file__).parent.rglob("*.py")):
        text = source.read_bytes()
        if b"@compiled" in text:
            digest.update(text)
    base = Path(os.environ.get("BIOMEC_CACHE_DIR") or _CONFIG.CACHE_DIR or _user_cache() / "biomec")
    folder = base / f"compiled-{digest.hexdigest()[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _forget_old(base, folder)
    except OSError:  # a read-only home: compile anew in every session rather than not at all
        return Path(tempfile.mkdtemp(prefix="biomec-compiled-"))
    return folder


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", tempfile.gettempdir()))
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _forget_old(base: Path, current: Path) -> None:
    os.utime(current)
    others = [folder for folder in base.glob("compiled-*") if folder != current]
    others.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in others[KEPT_CACHES - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)


_CACHE = _cache_folder()
