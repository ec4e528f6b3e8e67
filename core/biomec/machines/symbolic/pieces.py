"""Accelerations in readable pieces, for any number of coordinates and for closed loops.

Sines, cosines and products that occur more than once get names p. The symmetric matrix S of the linear equations
S (q̈, λ) = r is then eliminated as S = L D Lᵀ, with a name for every entry of L, D and y:

    d_j = S_jj − Σ_k ℓ_jk² d_k,     ℓ_ij = (S_ij − Σ_k ℓ_ik ℓ_jk d_k) / d_j,     y_i = r_i − Σ_k ℓ_ik y_k,
    x_i = y_i / d_i − Σ_k ℓ_ki x_k     (sums over k before j or i; in the last one after i).

No rows are exchanged: the mass matrix is positive definite, and what is left of the rows of multipliers after it is
−Φq A⁻¹ Φqᵀ, which is negative definite while no constraint repeats another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sympy as sp

from biomec.machines.symbolic.algebra import Expr, Symbol
from biomec.machines.symbolic.equations import EquationsOfMotion


@dataclass(frozen=True, eq=False)
class NamedPieces:
    """Steps that give the accelerations, each in what stands before it.

    steps : (symbol, expression);  the last ones are the multipliers, from the last to the first, and then q̈
    names : symbol -> how it is written in LaTeX, for those that the equations do not know
    """

    steps: tuple[tuple[Symbol, Expr], ...]
    names: dict[Symbol, str]


def named_pieces(equations: EquationsOfMotion) -> NamedPieces:
    """Accelerations of equations of motion in pieces that can be read."""
    matrix, right = equations.saddle()
    n = matrix.rows
    unknowns = [*equations.coordinates.qddot, *(_symbol(f"lambda_{k + 1}") for k in range(n - equations.n))]
    names = {one: rf"\lambda_{{{k + 1}}}" for k, one in enumerate(unknowns[equations.n :])}
    entries = [matrix[i, j] for i in range(n) for j in range(i + 1)]
    counted = iter(range(1, 10**6))
    fresh = (_symbol(f"p_{k}") for k in counted)
    common, short = sp.cse([*entries, *right], symbols=fresh)
    steps: list[tuple[Symbol, Expr]] = []

    def named(symbol: Symbol, written: str, expression: Expr) -> Expr:
        """The expression itself where it needs no name."""
        if expression == 0 or expression.is_Symbol or expression.is_Number:
            return expression
        steps.append((symbol, expression))
        names[symbol] = written
        return symbol

    for k, (symbol, expression) in enumerate(common, 1):
        named(symbol, f"p_{{{k}}}", expression)
    S = {(i, j): short[i * (i + 1) // 2 + j] for i in range(n) for j in range(i + 1)}
    r = short[len(entries) :]
    L: dict[tuple[int, int], Expr] = {}
    d: list[Expr] = []
    for j in range(n):
        pivot = S[j, j] - _total(L[j, k] ** 2 * d[k] for k in range(j))
        d.append(named(_symbol(f"d_{j + 1}"), f"d_{{{j + 1}}}", pivot))
        for i in range(j + 1, n):
            above = S[i, j] - _total(L[i, k] * L[j, k] * d[k] for k in range(j))
            place = f"{i + 1}{j + 1}" if n < 10 else f"{i + 1},{j + 1}"
            L[i, j] = named(_symbol(f"l_{i + 1}_{j + 1}"), rf"\ell_{{{place}}}", above / d[j])
    y: list[Expr] = []
    for i in range(n):
        rest = r[i] - _total(L[i, k] * y[k] for k in range(i))
        y.append(named(_symbol(f"y_{i + 1}"), f"y_{{{i + 1}}}", rest))
    for i in reversed(range(n)):
        steps.append((unknowns[i], y[i] / d[i] - _total(L[k, i] * unknowns[k] for k in range(i + 1, n))))
    return NamedPieces(tuple(steps), names)


def _symbol(name: str) -> Symbol:
    """A symbol that no parameter of the same name is."""
    return sp.Dummy(name, real=True)


def _total(terms: Iterable[Expr]) -> Expr:
    return sp.Add(*terms)
