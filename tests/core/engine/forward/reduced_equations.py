"""Reduced equations of motion, solved with dense algebra: what formulations must agree with."""

from __future__ import annotations

import numpy as np
import scipy

from biomec.base.arrays import FloatArray
from biomec.engine.forward.formulation import ReducedTerms


def solve_reduced(terms: ReducedTerms) -> tuple[FloatArray, FloatArray]:
    """z̈ (g,) and the multipliers λ (l,) of the rows that close loops; rows that depend on others get the least λ."""
    factor = scipy.linalg.cho_factor(terms.M_bar)
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
