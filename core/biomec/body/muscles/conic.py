"""One frame of load sharing as a conic programme: cubic costs, and joint forces that must stay within cones."""

from __future__ import annotations

from dataclasses import dataclass

import clarabel
import numpy as np
import scipy

from biomec.base.arrays import BoolArray, FloatArray, IntArray

ACCURACY = 1e-11
WITHIN = 1e-9  # of the force: a cone is kept by that


@dataclass(frozen=True, eq=False)
class Cones:
    """C cones that affine combinations of the variables must stay in: |(s₁, s₂)| ≤ s₀ with s = offset + matrix x.

    matrix : (T, C, 3, n);  offset : (T, C, 3)
    """

    matrix: FloatArray
    offset: FloatArray

    def hold(self, x: FloatArray) -> BoolArray:
        """(T,) whether variables x (T, n) are in all cones."""
        s = self.offset + np.einsum("tckn,tn->tck", self.matrix, x)
        across = np.hypot(s[..., 1], s[..., 2])
        return np.asarray((across <= s[..., 0] + WITHIN * (1.0 + np.abs(s).max(axis=-1, initial=0.0))).all(axis=1))


def conic_solution(
    columns: FloatArray,
    wanted: FloatArray,
    power: IntArray,
    weight: FloatArray,
    pull: FloatArray,
    target: FloatArray,
    low: FloatArray,
    high: FloatArray,
    levelled: BoolArray | None = None,
    cones: tuple[FloatArray, FloatArray] | None = None,
) -> FloatArray | None:
    """Solution (n,) of min Σ w xᵖ + γ (x − x̂)² with Aᵀ = columns (n, m), or None if there is none. NaN if it failed.

    w x³ is w t with (t, 1, x) in the power cone t^⅓ 1^⅔ ≥ |x|; the greatest of the levelled variables is a variable β.

    cones : matrix (C, 3, n) and offset (C, 3) as in `Cones`
    """
    n, m = columns.shape
    cubic = np.flatnonzero(power == 3)
    level = np.flatnonzero(levelled) if levelled is not None else np.zeros(0, dtype=np.int64)
    size = n + len(cubic) + (1 if len(level) else 0)
    squares = np.where(power == 3, 0.0, weight) + pull
    P = scipy.sparse.csc_matrix((2.0 * squares, (np.arange(n), np.arange(n))), shape=(size, size))
    q = np.zeros(size)
    q[:n] = -2.0 * pull * target
    q[n : n + len(cubic)] = weight[cubic]
    if len(level):
        q[-1] = 1.0
    scale = np.maximum(1.0, np.abs(columns).max(axis=0, initial=0.0))
    blocks = [(columns / scale).T]
    sides = [wanted / scale]
    kinds = [clarabel.ZeroConeT(m)]
    upper, lower = np.flatnonzero(np.isfinite(high)), np.flatnonzero(np.isfinite(low))
    eye = np.eye(n)
    blocks += [eye[upper], -eye[lower]]
    sides += [high[upper], -low[lower]]
    kinds.append(clarabel.NonnegativeConeT(len(upper) + len(lower)))
    rows = [np.hstack([block, np.zeros((len(block), size - n))]) for block in blocks]
    if len(level):
        beneath = np.zeros((len(level), size))
        beneath[np.arange(len(level)), level] = 1.0
        beneath[:, -1] = -1.0
        rows.append(beneath)
        sides.append(np.zeros(len(level)))
        kinds.append(clarabel.NonnegativeConeT(len(level)))
    for k, i in enumerate(cubic):
        power_rows = np.zeros((3, size))
        power_rows[0, n + k] = power_rows[2, i] = -1.0
        rows.append(power_rows)
        sides.append(np.array([0.0, 1.0, 0.0]))
        kinds.append(clarabel.PowerConeT(1.0 / 3.0))
    if cones is not None:
        for matrix, offset in zip(*cones, strict=True):
            unit = max(1.0, float(np.abs(matrix).max()))
            rows.append(np.hstack([-matrix / unit, np.zeros((3, size - n))]))
            sides.append(offset / unit)
            kinds.append(clarabel.SecondOrderConeT(3))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = ACCURACY
    matrix = scipy.sparse.csc_matrix(np.vstack(rows))
    found = clarabel.DefaultSolver(P, q, matrix, np.concatenate(sides), kinds, settings).solve()
    status = str(found.status)
    if "Infeasible" in status:
        return None
    good = status in ("Solved", "AlmostSolved", "InsufficientProgress")
    return np.asarray(found.x, dtype=np.float64)[:n] if good else np.full(n, np.nan)
