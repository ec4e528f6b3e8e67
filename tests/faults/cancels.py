"""Cancel an analysis at random moments, then let it run: ``python -m tests.faults.cancels 1000 --seed 1``.

It is cancelled at its n-th report of progress, or at the first report after some time, as the window does. It begins
anew or where some steps are done already. The analysis that follows must give the same numbers, bit by bit, as one that
was never disturbed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import time

import numpy as np

from biomec.base.progress import Cancelled
from biomec.pipeline.analysis import Analysis
from tests.core.pipeline.standing import swaying_session


def digest(analysis: Analysis) -> str:
    """Hash of every number that an analysis holds, but not of the time that it took."""
    found = hashlib.sha256(analysis.session.fingerprint.encode())
    for name, result in sorted(analysis.stored().results.items()):
        found.update(name.encode() + json.dumps(result.metadata, sort_keys=True, default=str).encode())
        for key, array in sorted((key, array) for key, array in result.arrays.items() if key != "seconds"):
            found.update(f"{key} {array.dtype} {array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


class Impatient:
    """Cancels at the n-th report, or at the first one after some time [s]."""

    def __init__(self, stop: int, seconds: float) -> None:
        self.left, self.end = stop, time.perf_counter() + seconds

    def __call__(self, fraction: float) -> None:
        self.left -= 1
        if self.left == 0 or time.perf_counter() > self.end:
            raise Cancelled("enough")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("count", type=int, nargs="?", default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    rng = np.random.default_rng(options.seed)
    measured = Analysis(swaying_session(0.4))
    right = digest(measured.run_all())
    cancelled = wrong = 0
    starts = []
    for start in (measured, *(measured.run_until(step) for step in ("signals", "body", "positions"))):
        reports: list[float] = []
        began = time.perf_counter()
        assert digest(start.run_all(reports.append)) == right
        starts.append((start, len(reports), time.perf_counter() - began))
    number = -1
    while cancelled < options.count:
        number += 1
        by_time = bool(rng.integers(2))
        start, reports, seconds = starts[int(rng.integers(len(starts)))]
        stop = -1 if by_time else int(rng.integers(1, reports + 1))
        done = tuple(start.done)
        os.environ["BIOMEC_THREADS"] = str(1 + number % 2)
        try:
            start.run_all(Impatient(stop, rng.uniform(0.0, 0.7 * seconds) if by_time else np.inf))
        except Cancelled:
            cancelled += 1
            if cancelled % 20 == 0:
                print(f"\r{cancelled} of {options.count}, {wrong} with other numbers", end="", flush=True)
        same = tuple(start.done) == done and digest(start.run_all()) == right
        if not same:
            wrong += 1
            print(f"\ncancel {number} at report {stop} (seed {options.seed}): other numbers", flush=True)
    print(f"\n{cancelled} cancels in {number + 1} runs, seed {options.seed}: {wrong} left other numbers")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
