"""Open, analyse and close again and again, in library and window: ``python -m tests.faults.cycles 200``.

Memory may grow by 50 MB after some cycles that warm up, and not one file may stay open.
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
from pathlib import Path

from benchmarks.window_cycles import WARM, open_files, resident_mb, run_cycles
from biomec.io.project import load_project, save_project
from biomec.pipeline.reopen import open_again
from biomec.reporting.files.analysis_files import write_analysis
from tests.core.pipeline.standing import swaying_session

ALLOWED_MB = 50.0


def library_cycles(count: int, folder: Path) -> tuple[list[float], list[int]]:
    """Memory [MB] and open files after each cycle."""
    save_project(swaying_session(0.4), folder / "a.biomec")
    memory, files = [], []
    for _ in range(count):
        analysis = open_again(load_project(folder / "a.biomec")).run_all()
        write_analysis(analysis, folder / "results", overwrite=True)
        load_project(folder / "results" / "session.biomec")
        del analysis
        gc.collect()
        memory.append(resident_mb())
        files.append(open_files())
    return memory, files


def steady(what: str, memory: list[float], files: list[int]) -> bool:
    """Print the growth after the first cycles; False if it is too large."""
    warm = min(WARM, len(memory) // 2)
    growth, opened = memory[-1] - memory[warm], files[-1] - files[warm]
    print(
        f"{what}: {len(memory)} cycles, memory {memory[warm]:.1f} to {memory[-1]:.1f} MB ({growth:+.1f}), "
        f"open files {files[warm]} to {files[-1]} (most {max(files[warm:])})",
        flush=True,
    )
    return growth <= ALLOWED_MB and opened <= 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("count", type=int, nargs="?", default=200)
    parser.add_argument("--library", action="store_true", help="leave the window out")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="biomec-cycles-") as folder:
        good = steady("library", *library_cycles(options.count, Path(folder)))
        if not options.library:
            good &= steady("window", *run_cycles(options.count, Path(folder)))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
