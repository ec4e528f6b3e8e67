"""The trial that every engine gets: 3.67 s of the 21-body tree at 500 Hz, each body displaced as a measured one is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.engine.position import PositionSolver
from biomec.engine.reference.human import human_motion, human_system, human_tree
from biomec.engine.reference.trees import ReferenceTree, perturbed
from biomec.engine.system import System

FRAMES = 1834
RATE_HZ = 500.0
POSITION_M = 0.003
ANGLE_DEG = 0.9


@dataclass(frozen=True)
class Trial:
    """Coordinates (T, n) of the human-like tree: consistent ones, and measured ones near them."""

    tree: ReferenceTree
    system: System
    consistent: FloatArray
    measured: FloatArray

    def rates(self) -> tuple[FloatArray, FloatArray]:
        """Velocities and accelerations (T, n) by differences: near the constraints, but not on them."""
        qdot = np.gradient(self.consistent, 1.0 / RATE_HZ, axis=0)
        return qdot, np.gradient(qdot, 1.0 / RATE_HZ, axis=0)


def human_trial(frames: int = FRAMES, seed: int = 1834) -> Trial:
    """Make the trial; the same for the same seed."""
    rng = np.random.default_rng(seed)
    tree, system = human_tree(), human_system()
    q = PositionSolver(system).solve(tree.coordinates(system, human_motion(tree, frames, rng))).q
    return Trial(tree, system, q, perturbed(system, q, rng, POSITION_M, ANGLE_DEG))
