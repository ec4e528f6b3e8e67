"""Disks that fail at every operation on files, and power that goes: ``python -m tests.faults.disks``.

Whatever is written, the old or the new must be there afterwards, and who asked for it must be told in a sentence.
"""

from __future__ import annotations

import argparse
import errno
import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

import numpy as np

from biomec.base.errors import FileError
from tests.faults.cases import CASES, Case, temporary_files
from tests.faults.layer import Fault, Files, after_power_loss, only_flushed, onto

Due = Callable[[int, str], Fault | None]
GROWS = {"create", "write", "mkdir", "link", "sync"}
REMOVES = {"unlink", "rmdir"}


def failing(number: int) -> Fault:
    def fail() -> None:
        raise OSError(number, os.strerror(number))

    return fail


def full(k: int) -> Due:
    """From the k-th operation on, nothing more fits on the disk."""
    return lambda number, name: failing(errno.ENOSPC) if number >= k and name in GROWS else None


def read_only(k: int) -> Due:
    """From the k-th operation on, nothing can be changed."""
    return lambda number, name: failing(errno.EROFS) if number >= k else None


def broken_once(k: int) -> Due:
    """The k-th operation fails."""
    return lambda number, name: failing(errno.EIO) if number == k else None


FAULTS = {"full": full, "read-only": read_only, "broken once": broken_once}


def fail_everywhere(case: Case, fault: str, place: Path) -> int:
    """Let a disk fail at every operation of a save in turn; return how many were tried."""
    tried = 0
    for old in (0, None):
        for k in count():
            folder = place / f"{old}-{k}"
            folder.mkdir()
            if old is not None:
                case.write(folder, old)
            sentence = None
            with Files(folder, FAULTS[fault](k)) as files:
                try:
                    case.write(folder, 1)
                except FileError as error:
                    sentence = str(error)
            where = (old, k, files.done, sentence)
            allowed = {old, 1} | ({None} if case.lost or (case.together and fault == "read-only") else set())
            assert case.found(folder) in (allowed if sentence else {1}), where
            assert sentence is None or (sentence.endswith(".") and "Errno" not in sentence), where
            cannot_remove = fault == "read-only" or (k < len(files.done) and files.done[k] in REMOVES)
            if not cannot_remove:
                assert temporary_files(folder) == [], where
            if k >= len(files.done):
                break
        assert sentence is None
        assert k > 2
        tried += k
    return tried


def lose_power(case: Case, old: int | None, place: Path, draws: int = 3) -> int:
    """Let the power go at every moment of a save; return how many different disks it may leave."""
    before = place / "before"
    before.mkdir()
    if old is not None:
        case.write(before, old)
    with Files(before) as files:
        case.write(before, 1)
    states = [*after_power_loss(files, np.random.default_rng(20261118), draws), (-1, only_flushed(files))]
    known: dict[frozenset[tuple[str, bytes | None]], int | None] = {}
    for k, (end, left) in enumerate(states):
        key = frozenset(left.items())
        if key not in known:
            folder = place / str(k)
            folder.mkdir()
            onto(left, folder)
            known[key] = case.found(folder)
        assert known[key] in {old, 1} | ({None} if case.together or case.lost else set()), (end, list(left))
    assert case.lost or known[key] == 1, "what was reported as saved is gone"
    return len(known)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=20, help="random disks for each moment of a power loss")
    parser.add_argument("--only", metavar="CASE", choices=[case.name for case in CASES])
    options = parser.parse_args(arguments)
    bad = 0
    logging.disable()  # the sentences about compiled code are checked, not shown
    for case in CASES:
        if case.name != options.only and (options.only or case.name == "compilation"):
            continue  # a compilation does the same to files as "compiled code"
        words, began = [], time.perf_counter()
        tries: list[tuple[str, Callable[[Path], int]]] = [
            *((name, partial(fail_everywhere, case, name)) for name in FAULTS),
            ("power over an old one", partial(lose_power, case, 0, draws=options.draws)),
            ("power at first", partial(lose_power, case, None, draws=options.draws)),
        ]
        for name, tried in tries:
            with tempfile.TemporaryDirectory() as place:
                try:
                    words.append(f"{name} {tried(Path(place))}")
                except AssertionError as error:
                    bad += 1
                    words.append(f"{name} FAILED: {str(error)[:1000]}")
        print(f"{case.name}: {', '.join(words)}; {time.perf_counter() - began:.0f} s", flush=True)
    print(f"{bad} faults")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
