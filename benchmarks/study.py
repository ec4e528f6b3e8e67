"""A batch over many trials: ``python -m benchmarks.study``.

Cost of a trial from 10 to 1000 trials (a second of standing and swaying each, so that the bookkeeping would show), and
how much two processes gain over one on push-ups. With ``--cycles 5 --rate 500`` the push-ups are as long as the
published ones. Takes some minutes; leave the machine alone meanwhile, for the gain is a ratio of wall-clock times.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from biomec.study.batch import run_batch
from biomec.study.study import open_study
from biomec.study.tables import write_tables
from biomec.study.virtual_push_ups import VirtualStudy, make_recordings
from tests.core.study.small import write_sway

COUNTS = (10, 100, 1000)
TARGET_GAIN = 1.7  # of two processes over one, on two cores


@dataclass(frozen=True)
class Batch:
    """Seconds of a batch: by the clock, of its processes, of opening the study and of writing the tables."""

    trials: int
    wall_s: float
    cpu_s: float
    open_s: float
    tables_s: float
    memory_mb: float


def swaying(folder: Path, trials: int) -> Path:
    """A study of so many trials, which differ in the name that their header holds, and so in their content."""
    first = write_sway(folder / "person 0", "barefoot0", 30)
    text, static = first.read_text(encoding="utf-8"), first.parent / "static.trc"
    for k in range(1, trials):
        place = folder / f"person {k // 10}"
        if not place.exists():
            place.mkdir()
            shutil.copy(static, place)
        (place / f"barefoot{k}.trc").write_text(text.replace(first.name, f"barefoot{k}.trc"), encoding="utf-8")
    return folder


def measured(folder: Path, jobs: int) -> Batch:
    """Analyse a study anew by so many processes."""
    shutil.rmtree(folder / "biomec-study", ignore_errors=True)
    begun = time.process_time()
    study = open_study(folder)
    opened = time.process_time() - begun
    children, begun = _children_s(), time.perf_counter()
    report = run_batch(study, jobs=jobs)
    wall, cpu = time.perf_counter() - begun, _children_s() - children
    if report.failed or report.unwritten:
        raise SystemExit(f"{report.sentence} {report.unwritten}")
    begun = time.process_time()
    write_tables(open_study(folder))
    return Batch(len(study.trials), wall, cpu, opened, time.process_time() - begun, report.memory_mb)


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def print_growth(counts: Sequence[int] = COUNTS) -> None:
    """Cost of a trial in studies of so many."""
    print("\nA batch of short trials by one process, processor time of a trial:")
    print(f"  {'trials':>8}{'analysis [ms]':>16}{'opening [ms]':>15}{'tables [ms]':>14}{'against the first':>20}"
          f"{'memory [MB]':>14}")  # fmt: skip
    first = 0.0
    for count in counts:
        with tempfile.TemporaryDirectory(prefix="biomec-batch-") as place:
            done = measured(swaying(Path(place), count), 1)
        each = (done.cpu_s + done.open_s + done.tables_s) / count
        first = first or each
        print(f"  {count:8}{1e3 * done.cpu_s / count:16.0f}{1e3 * done.open_s / count:15.1f}"
              f"{1e3 * done.tables_s / count:14.1f}{each / first:20.2f}{done.memory_mb:14.0f}", flush=True)  # fmt: skip


def print_gain(people: int, cycles: int, rate_hz: float) -> None:
    """Two processes against one, in turns, on push-ups with both grips."""
    with tempfile.TemporaryDirectory(prefix="biomec-batch-") as place:
        folder = Path(place)
        make_recordings(folder, VirtualStudy(people, 1, cycles, rate_hz))
        measured(folder, 2)  # compiles
        found = {jobs: [measured(folder, jobs) for _ in range(2)] for jobs in (1, 2)}
    best = {jobs: min(some, key=lambda one: one.wall_s) for jobs, some in found.items()}
    print(f"\n{2 * people} push-up recordings of {cycles} cycles at {rate_hz:g} Hz:")
    for jobs, one in best.items():
        print(f"  {jobs} process{'es' if jobs > 1 else '  '} {one.wall_s:8.1f} s, {one.cpu_s / one.trials:6.2f} s of "
              f"processor time a trial, at most {one.memory_mb:.0f} MB in a process")  # fmt: skip
    print(f"  two are {best[1].wall_s / best[2].wall_s:.2f} times as fast as one (target {TARGET_GAIN:g})")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Cost of a trial in a batch, and what two processes gain.")
    parser.add_argument("--counts", type=int, nargs="*", default=COUNTS, help="trials of the studies of short trials")
    parser.add_argument("--people", type=int, default=6, help="of the push-ups; 0: leave these out")
    parser.add_argument("--cycles", type=int, default=2)
    parser.add_argument("--rate", type=float, default=100.0)
    options = parser.parse_args()
    print_growth(options.counts)
    if options.people:
        print_gain(options.people, options.cycles, options.rate)
