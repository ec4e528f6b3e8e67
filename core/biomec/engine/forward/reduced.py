"""Equations of motion in few velocities: what the matrix R and the semi-recursive formulation have in common.

    q̇ = R ż,   q̈ = R z̈ + Ṙ ż                                     (ż: as many velocities as the system has freedoms)
    M̄ z̈ + J_zᵀ λ = Q̄,   J_z z̈ = c_z     with     M̄ = Rᵀ M R,   Q̄ = Rᵀ(Q − M Ṙż)

[GarciaDeJalonBayo1994]; [Nunes2017] Eqs. 2.80-2.88. Velocities of a tree leave the constraints that close its loops:
they stay as rows J_z. Without loops J_z has no rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.engine.forward.formulation import Unsolvable
from biomec.engine.system import System


class ReducedTerms(NamedTuple):
    """Terms of M̄ z̈ + J_zᵀ λ = Q̄, J_z z̈ = c_z at one state, with g velocities and l rows that close loops.

    M_bar   : (g, g)
    Q_bar   : (g,)
    R       : (n, g)
    bias    : (n,) Ṙ ż, the accelerations [m/s²] at z̈ = 0
    J_loop  : (l, g) J_z
    c_loop  : (l,) c_z
    """

    M_bar: FloatArray
    Q_bar: FloatArray
    R: FloatArray
    bias: FloatArray
    J_loop: FloatArray
    c_loop: FloatArray

    def accelerations(self, zddot: FloatArray) -> FloatArray:
        """q̈ = R z̈ + Ṙ ż, (n,)."""
        return self.R @ zddot + self.bias


def checked_state(
    system: System, q: FloatArray, qdot: FloatArray, Q: FloatArray | None = None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Copies of positions, velocities and forces (n,) as compiled code wants them; forces not given are zero.

    Copies, because numba would compile everything again for arrays that cannot be written to.
    """
    given = (q, qdot, np.zeros(system.n) if Q is None else Q)
    x, y, z = (np.array(one, dtype=np.float64, order="C") for one in given)
    if not x.shape == y.shape == z.shape == (system.n,):
        told = f"{x.shape}, {y.shape} and {z.shape}"
        raise BiomecError(f"{system.name} has {system.n} coordinates; its state and forces were given as {told}.")
    return x, y, z


def solve_reduced(terms: ReducedTerms) -> tuple[FloatArray, FloatArray]:
    """z̈ (g,) and the multipliers λ (l,) of the rows that close loops; rows that depend on others get the least λ."""
    try:
        factor = scipy.linalg.cho_factor(terms.M_bar)
    except (scipy.linalg.LinAlgError, ValueError) as error:
        raise Unsolvable("The reduced mass matrix is not positive definite: some body has no mass.") from error
    free = scipy.linalg.cho_solve(factor, terms.Q_bar)
    if not len(terms.J_loop):
        return free, np.zeros(0)
    spread = scipy.linalg.cho_solve(factor, terms.J_loop.T)
    multipliers = scipy.linalg.pinvh(terms.J_loop @ spread, rtol=1e-10) @ (terms.J_loop @ free - terms.c_loop)
    return free - spread @ multipliers, multipliers


def without_loops(terms: ReducedTerms) -> ReducedTerms:
    """Reduce the equations once more, to the velocities that the loops leave free: ż = N ẏ + …, J_z N = 0.

    N is orthonormal, from the singular vectors of J_z; the velocities ẏ have no names.
    """
    if not len(terms.J_loop):
        return terms
    free = scipy.linalg.null_space(terms.J_loop)
    zddot = np.linalg.lstsq(terms.J_loop, terms.c_loop, rcond=None)[0]
    M_bar = free.T @ terms.M_bar @ free
    return ReducedTerms(
        0.5 * (M_bar + M_bar.T),
        free.T @ (terms.Q_bar - terms.M_bar @ zddot),
        terms.R @ free,
        terms.bias + terms.R @ zddot,
        np.zeros((0, free.shape[1])),
        np.zeros(0),
    )
