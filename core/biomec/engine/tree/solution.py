"""Compiled solution of the reduced equations of a tree, with the rows that close its loops."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.compiled import compiled

DEPENDENT = 1e-12  # pivot of J_z M̄⁻¹ J_zᵀ, relative to its diagonal, below which a row depends on those before it


@compiled
def factor_tree(above: IntArray, M: FloatArray) -> int:
    """Replace M̄ by its factors Lᵀ D L, which keep the pattern of the tree; −1, or a velocity without inertia.

    [Featherstone2008] §6.5: from the ends to the root, only ancestors of a velocity are touched.
    """
    for k in range(M.shape[0] - 1, -1, -1):
        if not M[k, k] > 0.0:
            return k
        i = above[k]
        while i >= 0:
            a = M[k, i] / M[k, k]
            j = i
            while j >= 0:
                M[i, j] -= a * M[k, j]
                j = above[j]
            M[k, i] = a
            i = above[i]
    return -1


@compiled
def outwards(above: IntArray, M: FloatArray, x: FloatArray) -> None:
    """Solve Lᵀ y = x in place."""
    for i in range(x.size - 1, -1, -1):
        j = above[i]
        while j >= 0:
            x[j] -= M[i, j] * x[i]
            j = above[j]


@compiled
def inwards(above: IntArray, M: FloatArray, x: FloatArray) -> None:
    """Solve D L y = x in place."""
    for i in range(x.size):
        x[i] /= M[i, i]
        j = above[i]
        while j >= 0:
            x[i] -= M[i, j] * x[j]
            j = above[j]


@compiled
def solve_tree(
    above: IntArray, M: FloatArray, Q_bar: FloatArray, J: FloatArray, c: FloatArray, x: FloatArray, load: FloatArray
) -> int:
    """z̈ (g,) and λ (l,) of M̄ z̈ + J_zᵀ λ = Q̄, J_z z̈ = c_z; M̄ is replaced by its factors.

    λ solves J_z M̄⁻¹ J_zᵀ λ = J_z M̄⁻¹ Q̄ − c_z; a row that depends on those before it gets none. Returns −1, or the
    number of a velocity without inertia.
    """
    g, size = x.size, c.size
    bad = factor_tree(above, M)
    if bad >= 0:
        return bad
    x[:] = Q_bar
    outwards(above, M, x)
    if size:
        Y = J.copy()
        S = np.empty((size, size))
        for r in range(size):
            outwards(above, M, Y[r])
            load[r] = -c[r]
            for i in range(g):
                load[r] += Y[r, i] * x[i] / M[i, i]
            for q in range(r + 1):
                S[r, q] = 0.0
                for i in range(g):
                    S[r, q] += Y[r, i] * Y[q, i] / M[i, i]
        _solve_definite(S, load)
        for r in range(size):
            for i in range(g):
                x[i] -= Y[r, i] * load[r]
    inwards(above, M, x)
    return -1


@compiled
def _solve_definite(S: FloatArray, x: FloatArray) -> None:
    """Solve S y = x in place by L D Lᵀ of the lower triangle, leaving out rows that depend on those before them."""
    size = x.size
    used = np.ones(size)
    for k in range(size):
        whole = S[k, k]
        for i in range(k):
            if used[i] > 0.0:
                total = S[k, i]
                for j in range(i):
                    total -= S[k, j] * S[i, j] * S[j, j] * used[j]
                S[k, i] = total / S[i, i]
            else:
                S[k, i] = 0.0
        for j in range(k):
            S[k, k] -= S[k, j] * S[k, j] * S[j, j] * used[j]
        if not S[k, k] > DEPENDENT * whole:
            used[k] = 0.0
    for k in range(size):
        for j in range(k):
            x[k] -= S[k, j] * x[j]
        x[k] *= used[k]
    for k in range(size):
        if used[k] > 0.0:
            x[k] /= S[k, k]
    for k in range(size - 1, -1, -1):
        if used[k] == 0.0:
            x[k] = 0.0
        for j in range(k):
            x[j] -= S[k, j] * x[k]
