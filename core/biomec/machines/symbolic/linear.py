"""Linear models about a point: δẋ = A δx + B δu, δy = C δx + D δu; equilibria, modes, controllability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.machines.symbolic.algebra import Expr
from biomec.machines.symbolic.compiled import CompiledEquations, values_function

STEPS = 100  # of one search for an equilibrium
TRIES, ASIDE = 6, 0.2  # further searches, which begin so far [rad, m] from the guess
RESIDUAL = 1e-9  # of forces [N m, N], times their size
LOOP = 1e-8  # [m, rad] by which closed loops may be open at a point to linearise about
RANK = 1e-9  # singular values below it, times the largest, count as zero


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Matrices about the point (x, u), and what they tell.

    x, u          : (2n,), (m,)
    A, B, C, D    : (k, k), (k, m), (p, k), (p, m); k = 2n, or twice the degrees of freedom of a machine with loops
    basis         : (n, k/2) δq = basis δz; the identity for open chains
    rest          : largest |q̈| at the point; 0 for an equilibrium
    """

    x: FloatArray
    u: FloatArray
    A: FloatArray
    B: FloatArray
    C: FloatArray
    D: FloatArray
    basis: FloatArray
    rest: float

    @property
    def eigenvalues(self) -> FloatArray:
        """Of A, by falling real part [1/s]."""
        found = np.linalg.eigvals(self.A)
        return np.asarray(found[np.lexsort((found.imag, -found.real))])

    @property
    def is_stable(self) -> bool:
        """Whether no mode grows."""
        return bool(self.eigenvalues.real.max() <= 1e-7 * max(1.0, float(np.abs(self.eigenvalues).max())))

    @property
    def uncontrollable(self) -> int:
        """Modes that the inputs cannot reach: eigenvalues s for which (s I − A, B) loses rank."""
        return _lost(self.A, self.B, 1)

    @property
    def unobservable(self) -> int:
        """Modes that the outputs do not show."""
        return _lost(self.A.T, self.C.T, -1)


def linearise(
    equations: CompiledEquations, x: ArrayLike, u: ArrayLike | None = None, outputs: Sequence[Expr] | None = None
) -> LinearModel:
    """Linear model about a state and inputs.

    outputs : expressions of coordinates, rates, accelerations, inputs and parameters; the coordinates by default
    Closed chains are linearised about a state at rest, in independent coordinates δz with Φq basis = 0.
    """
    symbolic = equations.equations
    n, m = symbolic.n, len(symbolic.inputs)
    x = np.asarray(x, dtype=np.float64)
    u = np.zeros(m) if u is None else np.asarray(u, dtype=np.float64)
    by_state, by_input = equations.jacobians(x, u)
    accelerations = equations.accelerations(x, u)[0]
    coords = symbolic.coordinates
    shown = list(coords.q) if outputs is None else [sp.sympify(one) for one in outputs]
    given = {"x": coords.x, "a": coords.qddot, "u": symbolic.inputs, "p": tuple(symbolic.parameters)}
    every = [*coords.x, *coords.qddot, *symbolic.inputs]
    slopes = values_function(given, {"y": sp.Matrix(shown).jacobian(every)})
    flat = slopes(x.tolist(), accelerations.tolist(), u.tolist(), symbolic.values)
    by = np.array(flat, dtype=np.float64).reshape(len(shown), len(every))
    C = by[:, : 2 * n] + by[:, 2 * n : 3 * n] @ by_state[n:]
    D = by[:, 3 * n :] + by[:, 2 * n : 3 * n] @ by_input[n:]
    basis = _basis(equations, x)
    if symbolic.constraints.rows:
        if np.abs(x[n:]).max() > 0.0:
            raise BiomecError("A machine with closed loops is linearised about a state at rest.")
        both = np.kron(np.eye(2), basis)
        back = both.T
        by_state, by_input, C = back @ by_state @ both, back @ by_input, C @ both
    rest = float(np.abs(accelerations).max())
    A, B, C, D = (read_only(one) for one in (by_state, by_input, C, D))
    return LinearModel(read_only(x), read_only(u), A, B, C, D, read_only(basis), rest)


def _basis(equations: CompiledEquations, x: FloatArray) -> FloatArray:
    """Orthonormal directions that keep the loops closed, (n, freedom)."""
    n = equations.equations.n
    matrix = equations.system(x)[0]
    if matrix.shape[0] == n:
        return np.eye(n)
    jacobian = matrix[n:, :n]
    _, s, vt = np.linalg.svd(jacobian)
    rank = int((s > RANK * s[0]).sum())
    return np.asarray(vt[rank:].T)


def _lost(A: FloatArray, B: FloatArray, power: int) -> int:
    """Eigenvalues s at which (s I − A, B) loses rank.

    Rates count in units of s (power 1; −1 for the transposed matrices), so that fast modes are judged as slow ones are.
    """
    half, lost = len(A) // 2, 0
    for value in np.linalg.eigvals(A):
        speed = max(1.0, abs(value))
        scale = np.concatenate((np.ones(half), np.full(half, speed**-power)))
        pencil = (value * np.eye(len(A)) - A) * scale[:, None] / scale / speed
        pushed = B * scale[:, None]
        pushed = pushed / (float(np.abs(pushed).max(initial=0.0)) or 1.0)
        s = np.linalg.svd(np.concatenate((pencil, pushed), axis=1), compute_uv=False)
        lost += bool(s[-1] < RANK * s[0])
    return lost


def equilibrium(
    equations: CompiledEquations, guess: ArrayLike, u: ArrayLike | None = None, *, hold: bool = False
) -> tuple[FloatArray, FloatArray]:
    """State at rest (2n,) near the coordinates ``guess`` (n,), and its inputs (m,).

    u    : inputs that are kept; none are 0
    hold : keep the coordinates instead and find the inputs that hold the machine there
    Raises `BiomecError` if there is none.
    """
    from scipy.optimize import least_squares

    symbolic = equations.equations
    n, m, c = symbolic.n, len(symbolic.inputs), symbolic.constraints.rows
    q = np.array(guess, dtype=np.float64)
    u = np.zeros(m) if u is None else np.array(u, dtype=np.float64)
    still = np.zeros(n)
    arguments = {"x": symbolic.coordinates.x, "u": symbolic.inputs, "p": tuple(symbolic.parameters)}
    loops = values_function(arguments, {"phi": symbolic.constraints})

    def closed(q: FloatArray) -> FloatArray:
        return np.array(loops([*q.tolist(), *still.tolist()], u.tolist(), symbolic.values), dtype=np.float64)

    if hold:
        if c and np.abs(closed(q)).max() > LOOP:
            raise BiomecError("The loops of the machine are open at this point, so it cannot be held there.")
        matrix, right = equations.system(np.concatenate((q, still)), np.zeros(m))
        F = np.array(symbolic.F.tolist(), dtype=np.float64)
        unknown = np.concatenate((F, -matrix[:n, n:]), axis=1)
        solved = np.linalg.lstsq(unknown, -right[:n], rcond=None)[0] if m + c else np.zeros(0)
        left = np.abs(unknown @ solved + right[:n]).max()
        if left > RESIDUAL * max(1.0, float(np.abs(right).max())):
            raise BiomecError(f"The motors cannot hold the machine at this point: {left:.3g} N m are left over.")
        return np.concatenate((q, still)), np.asarray(solved[:m])

    def residual(y: FloatArray) -> FloatArray:
        matrix, right = equations.system(np.concatenate((y[:n], still)), u)
        return np.concatenate((matrix[:n, n:] @ y[n:] - right[:n], closed(y[:n])))

    def slopes(y: FloatArray) -> FloatArray:
        x = np.concatenate((y[:n], still))
        by = equations.slopes(x, u, np.concatenate((still, y[n:])))[:n, :n]
        J = equations.system(x, u)[0][n:, :n]
        return np.block([[by, J.T], [J, np.zeros((c, c))]])

    first = np.concatenate((q, np.zeros(c)))
    scale = max(1.0, float(np.abs(residual(first)).max()))
    rng = np.random.default_rng(0)  # where the forces do not change with a coordinate, the search has no direction
    aside = [np.zeros(n), *(rng.normal(scale=ASIDE, size=n) for _ in range(TRIES))]
    left, steps = np.inf, 0
    for shift in aside:
        begin = first + np.concatenate((shift, np.zeros(c)))
        found = least_squares(
            residual, begin, slopes, x_scale="jac", xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=STEPS
        )
        left, steps = min(left, float(np.abs(found.fun).max())), steps + int(found.nfev)
        if left <= RESIDUAL * scale:
            return np.concatenate((found.x[:n], still)), u
    raise BiomecError(
        f"No equilibrium was found near this point: {left:.3g} N m are left over after {steps} steps. "
        f"Begin nearer to one, or let the motors hold the machine."
    )
