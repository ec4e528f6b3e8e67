"""Head and neck under impact: the cost of a step and of a simulated second, and of a sweep on all cores.

``python -m benchmarks.head_neck``. The published program, in C++, took 12 s for a second at 5 µs: 60 µs a step.
"""

from __future__ import annotations

import time

from biomec.base.progress import thread_count
from biomec.machines.head_neck.equilibrium import find_equilibrium
from biomec.machines.head_neck.impact import PRESETS, PUBLISHED_PULSE, ImpactOptions, simulate_impact
from biomec.machines.head_neck.model import load_head_neck
from biomec.machines.head_neck.sweeps import direction_trials, sweep

PUBLISHED_S = 12.0  # of computing for a simulated second
PASSES = 5


def print_head_neck() -> None:
    """Print processor time of steps of both methods, and a sweep of 12 directions beside one processor."""
    rest = find_equilibrium(load_head_neck())
    for method, step in (("symplectic Euler", 5e-6), ("Runge-Kutta", 2e-5)):
        options = ImpactOptions(duration_s=0.05, method=method, step_s=step)
        simulate_impact(rest, PRESETS["frontal"], options)  # compiled now
        best = min(_seconds(lambda o=options: simulate_impact(rest, PRESETS["frontal"], o)) for _ in range(PASSES))  # type: ignore[misc]
        print(
            f"{method:17} {1e6 * step:4.0f} µs: {1e6 * best * step / options.duration_s:5.1f} µs a step, "
            f"{best / options.duration_s:5.2f} s a simulated second (published {PUBLISHED_S:g})"
        )
    trials = direction_trials(rest, PUBLISHED_PULSE, ImpactOptions(duration_s=0.05), 0)
    begin, before = time.perf_counter(), time.process_time()
    sweep(trials)
    took, used = time.perf_counter() - begin, time.process_time() - before
    print(f"{len(trials)} directions of 50 ms: {took:.1f} s, {used / took:.1f} of {thread_count()} processors at work")


def _seconds(work: object) -> float:
    begin = time.process_time()
    work()  # type: ignore[operator]
    return time.process_time() - begin


if __name__ == "__main__":
    print_head_neck()
