"""State equations compiled to machine code, for long simulations: seconds to compile, then microseconds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.compiled import compiled as with_numba
from biomec.machines.symbolic.compiled import SCALAR, values_function
from biomec.machines.symbolic.equations import EquationsOfMotion

FastRates = Callable[..., FloatArray]


@with_numba
def eliminate(S: FloatArray, r: FloatArray) -> None:
    """Solve S a = r in place by Gauss elimination with row exchange; r becomes a, NaN if S is singular."""
    n = len(r)
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(S[i, k]) > abs(S[best, k]):
                best = i
        if S[best, k] == 0.0:
            r[:] = np.nan
            return
        if best != k:
            for j in range(k, n):
                S[k, j], S[best, j] = S[best, j], S[k, j]
            r[k], r[best] = r[best], r[k]
        for i in range(k + 1, n):
            f = S[i, k] / S[k, k]
            for j in range(k + 1, n):
                S[i, j] -= f * S[k, j]
            r[i] -= f * r[k]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            r[i] -= S[i, j] * r[j]
        r[i] /= S[i, i]


def fast_rates(equations: EquationsOfMotion, *, stabilisation: float = 0.0) -> FastRates:
    """ẋ (2n,) of x (2n,), u (m,) and, if they differ from those of the equations, values of the parameters; arrays."""
    import numba

    coords, inputs = equations.coordinates, equations.inputs
    matrix, right = equations.saddle(stabilisation)
    arguments = {"x": coords.x, "u": inputs, "p": tuple(equations.parameters)}
    terms: Any = numba.njit(values_function(arguments, {"S": matrix, "r": right}, SCALAR))
    size, n = right.rows, equations.n
    parameters = np.array(equations.values, dtype=np.float64)
    solve: Any = eliminate

    @numba.njit
    def rates(x: FloatArray, u: FloatArray, p: FloatArray) -> FloatArray:
        flat = terms(x, u, p)
        S, r, made = np.empty((size, size)), np.empty(size), np.empty(2 * n)
        for i in range(size):
            for j in range(size):
                S[i, j] = flat[i * size + j]
            r[i] = flat[size * size + i]
        solve(S, r)
        for k in range(n):
            made[k] = x[n + k]
            made[n + k] = r[k]
        return made

    compiled: Any = rates
    return lambda x, u, p=parameters: compiled(x, u, p)
