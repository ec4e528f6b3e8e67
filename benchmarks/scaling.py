"""How the cost grows with the number of frames and of bodies."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from benchmarks.problem import ANGLE_DEG, POSITION_M, Trial
from benchmarks.timing import Task, exponent, interleaved
from biomec.engine.dense import solve_positions_dense
from biomec.engine.position import PositionSolver
from biomec.engine.reference.spatial import spatial_pendulum
from biomec.engine.reference.trees import perturbed

FRAMES = (128, 256, 512, 1024, 2048)
BODIES = (8, 16, 32, 64, 128)
DENSE_BODIES = (8, 16, 32, 64)
CHAIN_FRAMES = 256


@dataclass(frozen=True)
class Growth:
    """Processor seconds of a whole job at several sizes: best pass of several, taken in turns."""

    name: str
    sizes: tuple[int, ...]
    seconds: list[float]

    @property
    def exponent(self) -> float:
        """Slope in logarithms; 1 is linear."""
        return exponent(self.sizes, self.seconds)


def with_frames(trial: Trial, passes: int) -> Growth:
    """Position problem of the human-like tree, for more and more frames."""
    solver = PositionSolver(trial.system)
    repeats = -(-max(FRAMES) // len(trial.measured))
    q = np.tile(trial.measured, (repeats, 1))
    tasks = [Task(str(size), lambda size=size: solver.solve(q[:size]), 1) for size in FRAMES]
    timings = interleaved(tasks, passes)
    return Growth("position, frames", FRAMES, [timings[str(size)].best_cpu for size in FRAMES])


def with_bodies(passes: int) -> tuple[Growth, Growth, Growth, list[int]]:
    """Position problem of pendulum chains: ours, dense, the preparation of a solver, and iterations, by bodies."""
    rng = np.random.default_rng(64)
    tasks, prepared, iterations = [], [], []
    for count in BODIES:
        begin = time.process_time()
        system = spatial_pendulum(count)
        solver = PositionSolver(system)
        solver.solve(system.reference)  # the first solution plans the elimination
        prepared.append(time.process_time() - begin)
        measured = perturbed(system, np.tile(system.reference, (CHAIN_FRAMES, 1)), rng, POSITION_M, ANGLE_DEG)
        iterations.append(int(solver.solve(measured).iterations.max()))
        tasks.append(Task(f"ours {count}", lambda s=solver, q=measured: s.solve(q), 1))
        if count in DENSE_BODIES:
            tasks.append(Task(f"dense {count}", lambda s=system, q=measured[:2]: solve_positions_dense(s, q), 1))
    timings = interleaved(tasks, passes)
    ours = Growth("position, bodies", BODIES, [timings[f"ours {count}"].best_cpu for count in BODIES])
    dense = Growth("dense, bodies", DENSE_BODIES, [timings[f"dense {count}"].best_cpu / 2 for count in DENSE_BODIES])
    return ours, dense, Growth("preparation, bodies", BODIES, prepared), iterations
