"""Interleaved timing: machines change speed while we measure, so everything is measured in turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Task:
    """Something to time: ``run`` does ``count`` units of work (frames, calls)."""

    name: str
    run: Callable[[], object]
    count: float


@dataclass(frozen=True)
class Timing:
    """Seconds for one unit of work, wall clock and processor, one entry a pass.

    The best pass is the one that other programs disturbed least: take ratios from it. The median says what to expect.
    """

    name: str
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    @property
    def best(self) -> float:
        """Shortest wall-clock time [s]."""
        return min(self.wall)

    @property
    def median(self) -> float:
        """Median wall-clock time [s]."""
        return float(np.median(self.wall))

    @property
    def best_cpu(self) -> float:
        """Shortest processor time [s]: what the work costs, however many cores shared it and whoever else ran."""
        return min(self.cpu)

    @property
    def median_cpu(self) -> float:
        """Median processor time [s]."""
        return float(np.median(self.cpu))

    @property
    def cores(self) -> float:
        """Processor time over wall-clock time of the best pass: how many cores were at work."""
        at = int(np.argmin(self.wall))
        return self.cpu[at] / self.wall[at]


def interleaved(tasks: Sequence[Task], passes: int, least_s: float = 0.0) -> dict[str, Timing]:
    """Time every task once a pass, after one pass that does not count; timings by name, for one unit of work.

    least_s : seconds of computing for which a task is repeated in a pass; every run counts by itself
    """
    timings = {task.name: Timing(task.name) for task in tasks}
    for turn in range(passes + 1):
        for task in tasks:
            began = time.process_time()
            while True:
                wall, cpu = time.perf_counter(), time.process_time()
                task.run()
                wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
                if turn:
                    timings[task.name].wall.append(wall / task.count)
                    timings[task.name].cpu.append(cpu / task.count)
                if not turn or time.process_time() - began >= least_s:
                    break
    return timings


def exponent(sizes: Sequence[int], costs: Sequence[float]) -> float:
    """Slope p of cost = a·sizeᵖ, by least squares in logarithms: 1 is linear, 3 is a dense factorisation."""
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])
