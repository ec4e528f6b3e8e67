"""Frames whose joint force would leave its cone: the solution lies on the cone's edge, where a plane touches it.

On the edge |(s₁, s₂)| = s₀ at the angle φ of (s₁, s₂) the cone is as good as the plane

    cos φ s₁ + sin φ s₂ − s₀ = 0

a row like any other, so that the same fast method solves the frame. The angle of that solution is compared with φ, and
φ moved by the secant rule until both agree: what is left to show is that the plane presses and does not pull, which is
so where the solution without the cone lies beyond it (Karush-Kuhn-Tucker).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, IntArray
from biomec.body.muscles.conic import Cones

MOST_TURNS = 25
SAME_ANGLE = 1e-10  # [rad]; a cone is then kept to its square, of the force
LONGEST_TURN = 0.7  # [rad] of one step

Solve = Callable[[IntArray, FloatArray, FloatArray], tuple[FloatArray, BoolArray]]
"""(numbers of frames, (F, n) columns of one more row, (F,) its right side) -> (F, n) solutions, (F,) solved."""


def edge_solutions(cones: Cones, free: FloatArray, frames: IntArray, solve: Solve) -> tuple[FloatArray, BoolArray]:
    """Solutions (F, n) of some frames of a programme with one cone, and whether they were found (F,).

    free : (T, n) solutions without the cone, which they violate
    """
    matrix, offset = cones.matrix[frames, 0], cones.offset[frames, 0]  # (F, 3, n), (F, 3)

    def force(x: FloatArray, which: IntArray) -> FloatArray:
        return np.asarray(offset[which] + np.einsum("fkn,fn->fk", matrix[which], x))

    everyone = np.arange(len(frames))
    without = force(free[frames], everyone)
    angle = np.arctan2(without[:, 2], without[:, 1])
    before, off_before = np.full(len(frames), np.nan), np.full(len(frames), np.nan)
    x, found = np.full((len(frames), matrix.shape[2]), np.nan), np.zeros(len(frames), dtype=np.bool_)
    left = everyone
    for _ in range(MOST_TURNS):
        if not left.size:
            break
        plane = np.stack([-np.ones(left.size), np.cos(angle[left]), np.sin(angle[left])], axis=1)
        columns = np.einsum("fk,fkn->fn", plane, matrix[left])
        tried, solved = solve(frames[left], columns, -np.einsum("fk,fk->f", plane, offset[left]))
        s = force(tried, left)
        off = np.angle(np.exp(1j * (np.arctan2(s[:, 2], s[:, 1]) - angle[left])))
        pressing = np.einsum("fk,fk->f", plane, without[left]) > 0.0
        done = solved & (np.abs(off) <= SAME_ANGLE) & pressing
        x[left[done]], found[left[done]] = tried[done], True
        with np.errstate(divide="ignore", invalid="ignore"):
            secant = -off * (angle[left] - before[left]) / (off - off_before[left])
        turn = np.clip(np.where(np.isfinite(secant), secant, off), -LONGEST_TURN, LONGEST_TURN)
        before[left], off_before[left] = angle[left], off
        angle[left] += turn
        left = left[solved & ~done]
    return x, found
