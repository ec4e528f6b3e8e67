"""Cancel an analysis at random moments, then let it run: ``python -m tests.faults.cancels 1000 --seed 1``.

It is cancelled at its n-th report of progress. The analysis that follows must give the same numbers, bit by bit, as one
that was never disturbed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys

import numpy as np

from biomec.base.progress import Cancelled
from biomec.pipeline.analysis import Analysis
from tests.core.pipeline.standing import swaying_session


def digest(analysis: Analysis) -> str:
    """Hash of every number that an analysis holds."""
    found = hashlib.sha256(analysis.session.fingerprint.encode())
    for name, result in sorted(analysis.stored().results.items()):
        found.update(name.encode() + json.dumps(result.metadata, sort_keys=True, default=str).encode())
        for key, array in sorted(result.arrays.items()):
            found.update(f"{key} {array.dtype} {array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


class Impatient:
    """Cancels at the n-th report."""

    def __init__(self, stop: int) -> None:
        self.left = stop

    def __call__(self, fraction: float) -> None:
        self.left -= 1
        if self.left == 0:
            raise Cancelled("enough")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("count", type=int, nargs="?", default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    measured = Analysis(swaying_session(0.4))
    right = digest(measured.run_all())
    reports: list[float] = []
    assert digest(measured.run_all(reports.append)) == right
    cancelled = wrong = 0
    for number in range(options.count):
        stop = int(rng.integers(1, len(reports) + 1))
        os.environ["BIOMEC_THREADS"] = str(1 + number % 2)
        try:
            measured.run_all(Impatient(stop))
        except Cancelled:
            cancelled += 1
        same = not measured.done and digest(measured.run_all()) == right
        if not same:
            wrong += 1
            print(f"\ncancel {number} at report {stop} (seed {options.seed}): other numbers", flush=True)
        if number % 20 == 19:
            print(f"\r{number + 1} of {options.count}, {wrong} with other numbers", end="", flush=True)
    print(f"\n{options.count} runs, {cancelled} cancelled, seed {options.seed}: {wrong} left other numbers")
    return 1 if wrong or cancelled < options.count // 2 else 0


if __name__ == "__main__":
    sys.exit(main())
