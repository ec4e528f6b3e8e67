"""Kill a program at random moments while it writes: ``python -m tests.faults.kills 1000 --seed 1``.

A child writes version after version. It is killed at its n-th operation on files, which can be repeated, or from
outside after some time, without the file layer. What it wrote last, or was about to write, must be there, and it must
be possible to write again.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path

import numpy as np

from biomec.io.project import load_project
from tests.faults.cases import CASES, NAMES, Case
from tests.faults.layer import Files

PROJECTS = ("tables", "results")  # these have a project beside them, which can always be opened


def kill_myself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die(case: Case, folder: Path, after: int | None, seconds: float) -> int | None:
    """Let a child write until it is killed; return the version that it reported last, None if none.

    after : number of the operation that it does not survive; None: it is killed after some time
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            _write_for_ever(case, folder, after, lambda version: os.write(writing, bytes([version])))
        finally:
            os._exit(1)
    os.close(writing)
    if after is None:
        time.sleep(seconds)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    reported = b""
    while part := os.read(reading, 4096):
        reported += part
    os.close(reading)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), "the child ended by itself"
    assert os.WTERMSIG(status) == signal.SIGKILL, "the child ended by itself"
    return reported[-1] if reported else None


def _write_for_ever(case: Case, folder: Path, after: int | None, report: Callable[[int], object]) -> None:
    version = 1
    layer = Files(folder, lambda number, name: kill_myself if number == after else None)
    with nullcontext() if after is None else layer:
        while True:
            case.write(folder, version)
            report(version)
            version = 1 - version


def judged(case: Case, folder: Path, reported: int | None) -> str:
    """How it was found: "old", "new", or "incomplete"; raises if anything else is there."""
    last = 0 if reported is None else reported
    found = case.found(folder)
    if found is None:
        assert case.together or case.lost, "nothing is there"
    if case.name in PROJECTS:
        assert load_project(folder / "results" / "session.biomec").subject.name in NAMES
    case.write(folder, 1)
    assert case.found(folder) == 1, "it cannot be written again"
    if found is None:
        return "incomplete"
    return "old" if found == last else "new"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("count", type=int, nargs="?", default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first kill")
    options = parser.parse_args(arguments)
    operations, seconds = {}, {}
    with tempfile.TemporaryDirectory() as place:
        for case in CASES:
            folder = Path(place) / case.name
            folder.mkdir()
            case.write(folder, 0)
            with Files(folder) as files:
                case.write(folder, 1)
            operations[case.name] = len(files.done)
            began = time.perf_counter()
            case.write(folder, 0)
            seconds[case.name] = time.perf_counter() - began
    found: Counter[tuple[str, str]] = Counter()
    faults = 0
    for number in range(options.first, options.first + options.count):
        case = CASES[number % len(CASES)]
        rng = np.random.default_rng([options.seed, number])
        after = int(rng.integers(2 * operations[case.name])) if number // len(CASES) % 2 == 0 else None
        with tempfile.TemporaryDirectory() as place:
            case.write(Path(place), 0)
            try:
                reported = die(case, Path(place), after, rng.uniform(0.0, 3.0 * seconds[case.name]))
                found[case.name, judged(case, Path(place), reported)] += 1
            except Exception as error:
                faults += 1
                print(
                    f"\n{case.name}, kill {number} (seed {options.seed}): {type(error).__name__}: {error}", flush=True
                )
        if number % 50 == 49:
            print(f"\r{number + 1 - options.first} of {options.count}, {faults} faults", end="", flush=True)
    print()
    for case in CASES:
        counts = ", ".join(f"{what} {found[case.name, what]}" for what in ("old", "new", "incomplete"))
        print(f"{case.name:16} {operations[case.name]:4} operations a save; found after a kill: {counts}")
    print(f"{options.count} kills, seed {options.seed}: {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
