"""Equations of motion as fast functions of numbers: common parts once, the mass matrix factored with numbers.

For long simulations state equations are compiled to machine code: seconds to compile, then microseconds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray
from biomec.base.compiled import compiled as with_numba
from biomec.base.errors import BiomecError
from biomec.machines.symbolic.algebra import Matrix, Symbol, symbol
from biomec.machines.symbolic.equations import EquationsOfMotion
from biomec.machines.symbolic.source import listing, python_steps, python_values

NAMES = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "sqrt", "pi", "copysign")
SCALAR: Mapping[str, Any] = {name: getattr(math, name) for name in NAMES}
ARRAYS: Mapping[str, Any] = {name: getattr(np, name) for name in NAMES}

Values = Callable[..., tuple[Any, ...]]


def values_function(
    arguments: Mapping[str, Sequence[Symbol]], outputs: Mapping[str, Matrix], functions: Mapping[str, Any] = SCALAR
) -> Values:
    """Function of sequences (one for each of ``arguments``) that returns the entries of the outputs, row after row.

    functions : what sin, cos … are: `SCALAR` for numbers, `ARRAYS` for arrays, or those of another library such as
                CasADi, whose symbols may then be given
    """
    lines = listing(arguments, outputs, ("values",))
    shown = "".join(f"*{python_values(one)}, " for one in lines.outputs.values() if len(one))
    body = [f"def values({', '.join(arguments)}):", *python_steps(lines), f"return ({shown})"]
    space = dict(functions)
    exec("\n    ".join(body), space)
    made: Values = space["values"]
    return made


@dataclass(frozen=True, eq=False)
class CompiledEquations:
    """Numbers from equations of motion: made by `compiled`. States are x = (q, q̇) with any leading axes.

    parameters : values in the order of the equations, used unless a call gives others
    """

    equations: EquationsOfMotion
    parameters: tuple[float, ...]
    _one: Values
    _many: Values
    _energies: Values | None
    _slopes: Values

    @property
    def size(self) -> int:
        """Unknowns of the linear equations: accelerations and multipliers."""
        return self.equations.n + int(self.equations.constraints.rows)

    def system(self, x: ArrayLike, u: ArrayLike | None = None) -> tuple[FloatArray, FloatArray]:
        """Matrix (..., k, k) and right side (..., k) of the equations for (q̈, λ)."""
        x, u = self._given(x, u)
        k = self.size
        if x.ndim == 1:
            flat = np.array(self._one(x.tolist(), u.tolist(), self.parameters), dtype=np.float64)
        else:
            flat = self._spread(self._many, x, u)
        return flat[..., : k * k].reshape(*flat.shape[:-1], k, k), flat[..., k * k :]

    def accelerations(self, x: ArrayLike, u: ArrayLike | None = None) -> tuple[FloatArray, FloatArray]:
        """q̈ (..., n) and λ (..., c)."""
        matrix, right = self.system(x, u)
        solved = _solved(matrix, right[..., None])[..., 0]
        return solved[..., : self.equations.n], solved[..., self.equations.n :]

    def xdot(self, x: ArrayLike, u: ArrayLike | None = None) -> FloatArray:
        """ẋ (..., 2n)."""
        x = np.asarray(x, dtype=np.float64)
        return np.concatenate((x[..., self.equations.n :], self.accelerations(x, u)[0]), axis=-1)

    def jacobians(self, x: ArrayLike, u: ArrayLike | None = None) -> tuple[FloatArray, FloatArray]:
        """∂ẋ/∂x (2n, 2n) and ∂ẋ/∂u (2n, m) at one state, by S ∂z = −∂(S z − r) with z = (q̈, λ)."""
        x, u = self._given(x, u)
        n, m = self.equations.n, len(self.equations.inputs)
        matrix, right = self.system(x, u)
        z = _solved(matrix, right)
        by = -_solved(matrix, self.slopes(x, u, z))[:n]
        upper = np.concatenate((np.zeros((n, n)), np.eye(n), np.zeros((n, m))), axis=1)
        both = np.concatenate((upper, by))
        return both[:, : 2 * n], both[:, 2 * n :]

    def slopes(self, x: FloatArray, u: FloatArray, unknowns: FloatArray) -> FloatArray:
        """∂(S z − r)/∂(x, u), (k, 2n + m), at one state and unknowns z = (q̈, λ)."""
        flat = self._slopes(x.tolist(), u.tolist(), unknowns.tolist(), self.parameters)
        return np.array(flat, dtype=np.float64).reshape(self.size, len(x) + len(u))

    def energies(self, x: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Kinetic and potential energy (...) [J]."""
        if self._energies is None:
            raise BiomecError("Only the equations are known, not the energies behind them.")
        x, u = self._given(x, None)
        both = self._spread(self._energies, x, u)
        return both[..., 0], both[..., 1]

    def _given(self, x: ArrayLike, u: ArrayLike | None) -> tuple[FloatArray, FloatArray]:
        n, m = self.equations.n, len(self.equations.inputs)
        x = np.asarray(x, dtype=np.float64)
        u = np.zeros(m) if u is None else np.asarray(u, dtype=np.float64)
        if x.shape[-1:] != (2 * n,) or u.shape[-1:] != (m,):
            raise BiomecError(
                f"The equations take {2 * n} states and {m} inputs, not {x.shape[-1:]} and {u.shape[-1:]}."
            )
        return x, u

    def _spread(self, values: Values, x: FloatArray, u: FloatArray) -> FloatArray:
        batch = x.shape[:-1]
        found = values(np.moveaxis(x, -1, 0), np.moveaxis(u, -1, 0), self.parameters)
        return np.stack([np.broadcast_to(one, batch) for one in found], axis=-1)


def _solved(matrix: FloatArray, right: FloatArray) -> FloatArray:
    try:
        return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)
    except np.linalg.LinAlgError as error:
        raise BiomecError(
            "The equations of motion are singular in this state: a body without inertia is free, or a closed chain "
            "stands in a dead centre."
        ) from error


def compiled(equations: EquationsOfMotion, *, stabilisation: float = 0.0) -> CompiledEquations:
    """Functions of numbers; parameters have the values of the equations.

    stabilisation : [1/s] of closed loops in a simulation, see `EquationsOfMotion.saddle`
    """
    arguments = {"x": equations.coordinates.x, "u": equations.inputs, "p": tuple(equations.parameters)}
    matrix, right = equations.saddle(stabilisation)
    outputs = {"S": matrix, "r": right}
    taken = [*equations.coordinates.x, *equations.inputs, *equations.parameters]
    unknowns = [symbol(f"unknown{k}", taken) for k in range(right.rows)]
    residual = matrix * sp.Matrix(unknowns) - right
    slopes = residual.jacobian([*equations.coordinates.x, *equations.inputs])
    energies = None
    if equations.kinetic is not None and equations.potential is not None:
        both = sp.Matrix([equations.kinetic, equations.potential])
        energies = values_function(arguments, {"energies": both}, ARRAYS)
    by = {"x": arguments["x"], "u": arguments["u"], "unknown": tuple(unknowns), "p": arguments["p"]}
    return CompiledEquations(
        equations,
        equations.values,
        values_function(arguments, outputs),
        values_function(arguments, outputs, ARRAYS),
        energies,
        values_function(by, {"slopes": slopes}),
    )


# --------------------------------------------------------------------------------------------------------- machine code


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
