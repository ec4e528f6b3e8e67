"""What a user waits for before the first result: imports, compilation, one frame of each solver.

``python -m benchmarks.startup`` does it once and prints the seconds; `start` runs that in a fresh process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time


def start_cold_and_warm() -> tuple[dict[str, float], dict[str, float]]:
    """Start twice with one new, empty cache of compiled code: the first time compiles, the second one reads."""
    with tempfile.TemporaryDirectory() as cache:
        return _start(cache), _start(cache)


def _start(cache: str) -> dict[str, float]:
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.startup"],
        env={**os.environ, "BIOMEC_CACHE_DIR": cache},
        capture_output=True,
        text=True,
        check=True,
    )
    return {**json.loads(done.stdout), "whole process": time.perf_counter() - begin}


def _main() -> None:
    begin = time.perf_counter()
    from biomec.engine.position import PositionSolver
    from biomec.engine.projection import Projector
    from biomec.engine.reference.human import human_system

    imported = time.perf_counter()
    system = human_system()
    solver, projector = PositionSolver(system), Projector(system)
    q = system.reference[None]
    built = time.perf_counter()
    q = solver.solve(q).q
    solved = time.perf_counter()
    qdot = projector.velocities(q, 0.0 * q).value
    projector.accelerations(q, qdot, 0.0 * q)
    projected = time.perf_counter()
    times = {
        "imports": imported - begin,
        "model": built - imported,
        "first position": solved - built,
        "first projections": projected - solved,
    }
    print(json.dumps(times))


if __name__ == "__main__":
    _main()
