"""Compiled code kept on disk, which can be lost or damaged at any time without harm.

An entry is one file for one function and one combination of argument types. It begins with a checksum over its content
and over all that it depends on, which is checked before anything else is read from it: compiled code is stored as a
pickle, so that reading it runs it. What is damaged, or could have been written by another user, is compiled again.
"""

from __future__ import annotations

import hashlib
import logging
import pickle
import re
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import sigutils
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from biomec.base.leftovers import LEFTOVER_AGE_S
from biomec.base.own_files import PART, make_own_folder, read_own, write_own

HEAD = b"Biomec compiled code 1\n"
SUFFIX = ".nbc"
VERSIONS = (sys.version, numba.__version__, llvmlite.__version__, np.__version__)
CHOICES = ("OPT", "BOUNDSCHECK", "LOOP_VECTORIZE", "SLP_VECTORIZE", "ENABLE_AVX", "USING_SVML", "DEBUGINFO_DEFAULT")
"""Settings of numba that change what is compiled."""
_LOG = logging.getLogger(__name__)
_told: set[str] = set()
_CONFIG: Any = numba.config
_rebuilt: Any = CompileResult._rebuild
_types: Any = sigutils.normalize_signature
_dumped: Any = dumps


class CompiledCache(NullCache):
    """Compiled code of one function in a folder. It never raises: without an entry that is sound there is none.

    folder : is named after the sources, see `biomec.base.compiled`; made when something is to be kept
    """

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._function, self._folder = function, folder

    @property
    def cache_path(self) -> str:
        """Folder of the entries."""
        return str(self._folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Compiled code for argument types; None if there is none that can be trusted."""
        target_context.refresh()
        try:
            key = self._key(sig, target_context.codegen())
            content = read_own(self._path(key))
        except FileNotFoundError:
            return None
        except Exception as fault:  # whatever it is: compiling needs no cache
            _tell(f"Compiled code in {self._folder} is not used: {_words(fault)}.")
            return None
        payload = content[len(HEAD) + hashlib.sha256().digest_size :]
        if content[: len(content) - len(payload)] != HEAD + _checksum(key, payload):
            _LOG.info("%s is damaged; %s is compiled again.", self._path(key), self._function.__name__)
            return None
        try:
            found = _rebuilt(target_context, *pickle.loads(payload))
        except Exception as fault:  # sound bytes that this numba cannot use
            _LOG.info("%s cannot be used (%r); it is compiled again.", self._path(key), fault)
            return None
        return found if tuple(found.signature.args) == tuple(_types(sig)[0]) else None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was just compiled; if that is impossible, it is compiled again in the next session."""
        if data.library.has_dynamic_globals or any(not one.can_cache for one in data.lifted):
            _LOG.info("%s cannot be kept on disk.", self._function.__name__)
            return
        try:
            key = self._key(sig, data.codegen)
            payload = _dumped(data._reduce())
            make_own_folder(self._folder)
            self._forget_leftovers()
            write_own(self._path(key), HEAD + _checksum(key, payload) + payload)
        except Exception as fault:  # whatever it is: the code itself is there
            place = self._folder.parent
            _tell(f"Compiled code cannot be kept in {place}, so that every start compiles it: {_words(fault)}.")

    def flush(self) -> None:
        """Remove the entries of this function."""
        for entry in self._folder.glob(f"{self._name}-*{SUFFIX}"):
            with suppress(OSError):
                entry.unlink()

    @property
    def _name(self) -> str:
        return f"{re.sub(r'[^0-9A-Za-z_]', '_', self._function.__name__)}-{self._function.__code__.co_firstlineno}"

    def _path(self, key: bytes) -> Path:
        return self._folder / f"{self._name}-{hashlib.sha256(key).hexdigest()[:32]}{SUFFIX}"

    def _key(self, sig: Any, codegen: Any) -> bytes:
        """All that compiled code depends on: sources, argument types, processor, versions and settings."""
        code = self._function.__code__
        cells = _dumped(tuple(cell.cell_contents for cell in self._function.__closure__ or ()))
        choices = tuple(str(getattr(_CONFIG, name, None)) for name in CHOICES)
        parts = (self._folder.name, self._function.__qualname__, code.co_firstlineno, code.co_code, cells, str(sig),
                 codegen.magic_tuple(), VERSIONS, choices)  # fmt: skip
        return repr(parts).encode()

    def _forget_leftovers(self) -> None:
        """Remove what killed programs left half-written."""
        for leftover in self._folder.glob(f".*{PART}"):
            with suppress(OSError):
                if time.time() - leftover.stat().st_mtime > LEFTOVER_AGE_S:
                    leftover.unlink()


def _checksum(key: bytes, payload: bytes) -> bytes:
    digest = hashlib.sha256(hashlib.sha256(key).digest())
    digest.update(payload)
    return digest.digest()


def _words(fault: Exception) -> str:
    """What went wrong, as the end of a sentence."""
    said = fault.strerror if isinstance(fault, OSError) else None
    return (said or str(fault) or type(fault).__name__).rstrip(".")


def _tell(sentence: str) -> None:
    """Say once in a session that compiled code is not kept."""
    if not _told:
        _LOG.warning("%s", sentence)
    _told.add(sentence)
