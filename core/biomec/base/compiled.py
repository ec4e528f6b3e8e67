"""The one way Biomec compiles a hot loop."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.core.event import Listener, install_listener

from biomec.base.compiled_cache import VERSIONS, CompiledCache
from biomec.base.garbage import without_search
from biomec.base.own_files import folder_from_environment, make_own_folder

P = ParamSpec("P")
T = TypeVar("T")
KEPT_CACHES = 6  # of each source file
_CONFIG: Any = numba.config
_PACKAGE = Path(__file__).parents[1]
_IMPORT = re.compile(r"^\s*(?:from biomec\.?([\w.]*) import (\([^)]*\)|[^\n]*)|import biomec\.([\w.]+))", re.MULTILINE)


def compiled(function: Callable[P, T]) -> Callable[P, T]:
    """Compile ``function`` with numba, cached on disk, without holding the interpreter lock.

    Frames are shared between threads by the caller, never by the compiled code itself, so that a window's worker, a
    test and a batch run can use it side by side. Multiply-adds may be fused; nothing else is reordered.
    """
    made: Any = numba.njit(nogil=True, fastmath={"contract"}, error_model="numpy")(function)
    if hasattr(made, "_cache"):  # plain Python if NUMBA_DISABLE_JIT is set
        made._compiler.compile = _undisturbed(made._compiler.compile)
        folder = _cache_folder(Path(function.__code__.co_filename))
        if folder is not None:
            made._cache = CompiledCache(function, folder)
    return cast(Callable[P, T], made)


def _undisturbed(compile_: Callable[..., Any]) -> Callable[..., Any]:
    """Compile without Python's search for garbage, which took a sixth of the time.

    Numba makes millions of small objects that refer to each other, needs most of them until it is done, and compiles
    what a function calls within; numba's own lock lets one thread compile at a time.
    """

    def compiling(*arguments: Any) -> Any:
        with without_search():
            return compile_(*arguments)

    return compiling


class _Watch(Listener):
    """Tells what is being compiled, and whether in the thread that made it."""

    def __init__(self, before: Callable[[str, bool], None]) -> None:
        self._before, self._thread = before, threading.get_ident()

    def on_start(self, event: Any) -> None:
        self._before(str(event.data["dispatcher"].py_func.__name__), threading.get_ident() == self._thread)

    def on_end(self, event: Any) -> None:
        """Nothing happens at the end."""


@contextmanager
def watched_compiling(before: Callable[[str, bool], None]) -> Iterator[None]:
    """Call ``before`` with the name of every function to compile, and whether by this thread; what it raises stops it.

    Code that lies in the cache on disk is not compiled, so that nothing is called for it.
    """
    with install_listener("numba:compile", _Watch(before)):
        yield


@cache
def _cache_folder(source: Path) -> Path | None:
    """Folder for the compiled code of one file, named after that file and everything of Biomec that it imports.

    Numba notices a change of a function's own file, but not of a function or constant that it takes from another file:
    a folder for each state of all sources behind a file is what keeps old code from being run. A change compiles again
    only what depends on it. None if there is no place for it.
    """
    base = _base()
    if base is None or not source.is_file():
        return None
    digest = hashlib.sha256(repr(VERSIONS).encode())
    for file in sorted(_sources(source)):
        digest.update(_content(file))
    folder = base / f"{_name(source)}-{digest.hexdigest()[:16]}"
    with suppress(OSError):  # a read-only home or a full disk: what is there can be used, and the rest is compiled
        make_own_folder(folder)
        _forget_old(base, folder, _name(source))
    return folder


def _name(source: Path) -> str:
    """Dotted name of a file within the package; its stem if it lies elsewhere."""
    inside = source.is_relative_to(_PACKAGE)
    return ".".join(source.relative_to(_PACKAGE).with_suffix("").parts) if inside else source.stem


def _sources(source: Path) -> set[Path]:
    """A file and all files of the package that it imports, directly or not."""
    found: set[Path] = set()
    waiting = [source]
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting += _imported(file)
    return found


@cache
def _content(file: Path) -> bytes:
    """What a source has; it is read once, though many compiled files rest on it."""
    return file.read_bytes()


@cache
def _imported(source: Path) -> tuple[Path, ...]:
    """Files of the package that a source names in its imports: modules, packages, and modules of packages."""
    files = []
    for package, names, module in _IMPORT.findall(_content(source).decode("utf-8")):
        place = _PACKAGE.joinpath(*(package or module).split("."))
        files += [place.with_suffix(".py"), place / "__init__.py"]
        files += [place / f"{name}.py" for name in re.findall(r"\w+", names)]
    return tuple(file for file in files if file.is_file())


def _base() -> Path | None:
    """Where compiled code is kept: the user's folder for caches, unless BIOMEC_CACHE_DIR names another."""
    chosen = os.environ.get("BIOMEC_CACHE_DIR") or _CONFIG.CACHE_DIR
    if chosen:
        return Path(chosen).absolute() / "compiled"
    if sys.platform == "win32":
        place = folder_from_environment("LOCALAPPDATA")
    else:
        home = Path(os.path.expanduser("~"))  # stays "~" where nobody knows it
        usual = home / ("Library/Caches" if sys.platform == "darwin" else ".cache") if home.is_absolute() else None
        place = (None if sys.platform == "darwin" else folder_from_environment("XDG_CACHE_HOME")) or usual
    return None if place is None else place / "biomec" / "compiled"


def _forget_old(base: Path, current: Path, name: str) -> None:
    """Remove all but the newest caches of a source file."""
    os.utime(current)
    others = [folder for folder in base.glob(f"{name}-*") if folder != current]
    others.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in others[KEPT_CACHES - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)
