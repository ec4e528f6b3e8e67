"""The least change of a movement that makes it obey the equations of the whole body, by Gauss-Newton in bands.

Unknown are the coefficients c of splines that are added to the coordinates y(t) of a tree, one for each frame and
freedom, and changes G of the forces and moments on hands and feet. In every frame the six equations of the root hold,

    r(c, G) = w(y, ẏ, ÿ) − F − B G = 0

with what the motion asks for, w (`engine.tree.balance_kernels`), and the measured F; gliding contacts stay closed. Each
step is the least in ½ Σ cᵀ W c + ½ Σ G²/σ² that takes the linearised residual away,

    Δc = −W⁻¹ Aᵀ λ,   ΔG = Σ Bᵀ λ,   (A W⁻¹ Aᵀ + B Σ Bᵀ) λ = r

whose matrix is banded in time (`engine.banded`). W measures places and attitudes of all bodies by their usual errors.
To first order the sum of the steps is the nearest motion, whatever weights velocities and accelerations have in the
same measure: every frequency of r has to be answered at that frequency. Terms of second order are left out on purpose:
with them fast trembling pays, because its mean moment is not zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from biomec.base.arrays import BoolArray, FloatArray
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.engine import banded
from biomec.engine.banded import SplineFrames
from biomec.engine.forward.reference_motion import ReferenceMotion
from biomec.engine.forward.tree_balance import BalancedFrames, balanced_frames, metric, with_errors

ENOUGH = 1e-8  # N, N m: round-off of the sums is a hundredth of it
PROMISED = 1e-6  # N, N m in every frame
STEPS, HALVINGS = 25, 8
SHORTEST = 12  # frames


@dataclass(frozen=True, eq=False)
class ForceChanges:
    """What may change of the forces, in T frames with C components.

    columns : (T, 6, C) force and moment about the laboratory's origin of a unit of each
    variance : (T, C) squared usual errors, 0 for what does not change;  most : (C,) limits of the changes
    """

    columns: FloatArray
    variance: FloatArray
    most: FloatArray


@dataclass(frozen=True, eq=False)
class Balanced:
    """A stretch that obeys the equations.

    frames : the motion;  coefficients : (T, g) of the splines of the change
    forces : (T, C) changes;  at_most : (T, C) those that stopped at their limits
    steps  : how many were made;  residual : largest force [N] and moment about the origin [N m] left
    slack  : share of the change that runs along motions which obey the equations; 0 for the nearest one
    """

    frames: BalancedFrames
    splines: SplineFrames
    coefficients: FloatArray
    forces: FloatArray
    at_most: BoolArray
    steps: int
    residual: tuple[float, float]
    slack: float


def balanced_motion(
    reference: ReferenceMotion,
    times: FloatArray,
    wanted: FloatArray,
    position_m: float,
    turn_rad: float,
    changes: ForceChanges,
    progress: Progress | None = None,
) -> Balanced:
    """Nearest motion at equal times (T,) inside the reference's whose residual is zero.

    wanted : (T, 6) measured force [N] and moment about the laboratory's origin [N m]
    """
    if len(times) < SHORTEST:
        raise BiomecError(f"Dynamically consistent motion needs {SHORTEST} frames in a row; there are {len(times)}.")
    problem = _Problem(reference, times, wanted, changes)
    measure = with_errors(reference.space, position_m, turn_rad)
    W = metric(measure, problem.at(np.zeros((len(times), reference.space.size))))
    inverse = np.linalg.inv(np.linalg.cholesky(W))
    c, G = np.zeros((len(times), reference.space.size)), np.zeros(changes.variance.shape)
    free = changes.variance > 0.0
    left = problem.at(c)
    r = problem.residual(left, G)
    steps = 0
    while steps < STEPS and np.abs(r).max() > ENOUGH:
        normal = _Normal(problem, left, inverse)
        solve = normal.factor(changes, free)
        load = solve(r)
        while True:  # changes of forces that leave their limits stay there from now on
            dG = np.einsum("tic,ti->tc", changes.columns, load[:, :6]) * changes.variance * free
            beyond = np.asarray(free & (np.abs(G + dG) > changes.most))
            if not beyond.any():
                break
            G = np.where(beyond, np.clip(G + dG, -changes.most, changes.most), G)
            free &= ~beyond
            r = problem.residual(left, G)
            solve = normal.factor(changes, free)
            load = solve(r)
        dc = normal.change(load)
        before, size = float((r * load).sum()), 1.0
        for _ in range(HALVINGS):
            trial = problem.at(c + size * dc)
            r_trial = problem.residual(trial, G + size * dG)
            if np.isfinite(r_trial).all() and float((r_trial * solve(r_trial)).sum()) <= (1.0 - 0.5 * size) * before:
                break
            size *= 0.5
        else:
            break
        c, G, left, r = c + size * dc, G + size * dG, trial, r_trial
        steps += 1
        if progress is not None:
            progress(min(0.95, steps / 6.0))
    force, moment = float(np.abs(r[:, :3]).max()), float(np.abs(r[:, 3:6]).max())
    if not max(force, moment) <= PROMISED:
        raise BiomecError(
            f"The motion could not be made to agree with the plates: {force:.2g} N and {moment:.2g} N·m are left after "
            f"{steps} steps. Let both be trusted in part, adjust the masses too, or choose a shorter stretch."
        )
    at_most = np.asarray((changes.variance > 0.0) & ~free)
    slack = _Normal(problem, left, inverse).slack(changes, free, c, G)
    return Balanced(left, problem.splines, c, G, at_most, steps, (force, moment), slack)


class _Problem:
    """The residual as a function of coefficients and changes of forces."""

    def __init__(
        self, reference: ReferenceMotion, times: FloatArray, wanted: FloatArray, changes: ForceChanges
    ) -> None:
        self.space, self.base = reference.space, reference.base
        self.measured = [np.ascontiguousarray(curve(times)) for curve in reference.curves]
        self.splines = banded.spline_frames(times)
        self.wanted, self.changes = wanted, changes

    def at(self, c: FloatArray) -> BalancedFrames:
        """The motion with coefficients c (T, g)."""
        jets = [one + more for one, more in zip(self.measured, self.splines.jets(c), strict=True)]
        return balanced_frames(self.space, self.base, *jets)

    def residual(self, frames: BalancedFrames, G: FloatArray) -> FloatArray:
        """(T, 6 + l): force, moment, and gaps of gliding contacts."""
        given = self.wanted + np.einsum("tic,tc->ti", self.changes.columns, G)
        return np.concatenate([frames.wrench - given, frames.gap], axis=1)


class _Normal:
    """The banded equations of one step."""

    def __init__(self, problem: _Problem, frames: BalancedFrames, inverse: FloatArray) -> None:
        self.start, self.inverse = problem.splines.start, inverse
        count, g = inverse.shape[:2]
        rows = 6 + frames.gap.shape[1]
        by = np.zeros((3, count, g, rows))
        for level, part in zip(by, (frames.by_y, frames.by_ydot, frames.by_yddot), strict=True):
            level[..., :6] = part
        by[0, ..., 6:] = frames.by_gap
        self.rows = np.empty((count, banded.WIDTH, g, rows))
        banded.scaled_rows(self.start, problem.splines.basis, by, inverse, self.rows, np.empty((g, rows)))
        self.band = np.empty((banded.bandwidth(self.start, rows) + 1, count * rows))
        banded.normal_band(self.start, self.rows, self.band)

    def factor(self, changes: ForceChanges, free: BoolArray) -> _Solve:
        """Factor with the changes of forces that are free (T, C)."""
        count, _, _, rows = self.rows.shape
        band = self.band.copy()
        square = np.einsum("tic,tc,tjc->tij", changes.columns, changes.variance * free, changes.columns)
        for i in range(6):
            for j in range(i + 1):
                band[i - j, j::rows][:count] += square[:, i, j]
        return _Solve(band, rows)

    def change(self, load: FloatArray) -> FloatArray:
        """Δc (T, g) of multipliers (T, R)."""
        to = np.empty(self.inverse.shape[:2])
        banded.spread(self.start, self.rows, load, to)
        return -np.asarray(np.einsum("tji,tj->ti", self.inverse, to))

    def slack(self, changes: ForceChanges, free: BoolArray, c: FloatArray, G: FloatArray) -> float:
        """Share of the change x = (c, G) along the motions that obey the equations, by the same measure.

        At the nearest motion x is normal to these. With J = (A, −B) the part along them is what projection leaves,

            |x|² − (J x)ᵀ (J M⁻¹ Jᵀ)⁻¹ J x,   M = diag(W, Σ⁻¹)

        Going along it would shorten the change by at most about half the square of this share.
        """
        u = np.einsum("tij,tj->ti", np.linalg.inv(self.inverse).swapaxes(1, 2), c)
        near = self.start[:, None] + np.arange(banded.WIDTH)
        Jx = np.einsum("tmgr,tmg->tr", self.rows, u[near])
        moved = np.where(free, G, 0.0)
        Jx[:, :6] -= np.einsum("tic,tc->ti", changes.columns, moved)
        whole = float((u**2).sum()) + float((moved**2 / np.where(free, changes.variance, 1.0)).sum())
        across = float((Jx * self.factor(changes, free)(Jx)).sum())
        return float(np.sqrt(max(0.0, 1.0 - across / whole))) if whole > 0.0 else 0.0


class _Solve:
    """Cholesky's factors of a band, its rows scaled to a unit diagonal: forces, moments and gaps differ in size."""

    def __init__(self, band: FloatArray, rows: int) -> None:
        self.rows = rows
        self.scale = 1.0 / np.sqrt(band[0])
        for below in range(len(band)):
            columns = band.shape[1] - below
            band[below, :columns] *= self.scale[below:] * self.scale[:columns]
        try:
            self.factors = scipy.linalg.cholesky_banded(band, overwrite_ab=True, lower=True, check_finite=False)
        except np.linalg.LinAlgError as error:
            raise BiomecError(
                "The motion of this body cannot balance every force and moment, for example because too few of its "
                "segments move. Trust the motion instead, and let the forces change."
            ) from error

    def __call__(self, r: FloatArray) -> FloatArray:
        found = scipy.linalg.cho_solve_banded((self.factors, True), self.scale * r.reshape(-1), check_finite=False)
        return np.asarray(self.scale * found).reshape(-1, self.rows)
