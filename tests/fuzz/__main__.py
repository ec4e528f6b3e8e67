"""``python -m tests.fuzz 100000``: damaged files by the ten thousand, with progress; findings are made small and saved.

``--seed`` and the number of an input name it for ever; ``--replay FILE`` tries a saved one again.
"""

import argparse
import resource
import sys
import tempfile
from pathlib import Path
from time import process_time

from tests.fuzz.harness import Finding, fuzz, shrunk, tried
from tests.fuzz.targets import TARGETS

MEMORY = 3 << 30  # of the whole program, beside what it has at the start


def main() -> int:
    """Try so many files; the exit code is 1 if one was not refused with a sentence."""
    parser = argparse.ArgumentParser(description="Damaged files by the ten thousand.")
    parser.add_argument("count", type=int, nargs="?", default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--only", metavar="TARGET", choices=[one.name for one in TARGETS])
    parser.add_argument("--save", type=Path, default=Path("fuzz-findings"))
    parser.add_argument("--replay", type=Path)
    options = parser.parse_args()
    _limit_memory()
    if options.replay is not None:
        target = next(one for one in TARGETS if one.name == options.replay.name.split("@")[0])
        with tempfile.TemporaryDirectory() as folder:
            what = tried(target, options.replay.read_bytes(), Path(folder))
        print(what or "read, or refused with a sentence")
        return 1 if what else 0
    targets = [one for one in TARGETS if options.only in (None, one.name)]
    every = max(1, options.count // 100)
    known = 0

    def show(count: int, found: list[Finding]) -> None:
        nonlocal known
        for one in found[known:]:
            print(f"\n{one.target} {one.number} (seed {options.seed}): {one.what}", flush=True)
        known = len(found)
        if count % every == 0:
            print(f"\r{count} of {options.count}, {known} findings, {process_time():.0f} s", end="", flush=True)

    found = fuzz(range(options.first, options.first + options.count), options.seed, targets, show)
    print()
    for one in found:
        options.save.mkdir(parents=True, exist_ok=True)
        path = options.save / f"{one.target}@{options.seed}-{one.number}"
        path.write_bytes(shrunk(one))
        print(f"{path}: {one.what}")
    print(f"{options.count} inputs, seed {options.seed}: {len(found)} findings")
    return 1 if found else 0


def _limit_memory() -> None:
    """Let what takes too much memory fail here, instead of ending other programs."""
    if sys.platform.startswith("linux"):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY,) * 2)


if __name__ == "__main__":
    sys.exit(main())
