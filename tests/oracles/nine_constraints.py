"""The nine constraint types of the whole-body model, written out as the table prints them [Nunes2017, Table C.3].

Dense, one frame, one row at a time, with matrices C over all coordinates; shares no code with the engine. Misprints of
the source are corrected as the theory page lists them.
"""

import numpy as np


def length(q, C1, C2, L):
    N = (C1 - C2).T @ (C1 - C2)
    return q @ N @ q - L**2, 2 * q @ N


def unit(q, Cu):
    N = Cu.T @ Cu
    return q @ N @ q - 1.0, 2 * q @ N


def angle(q, Cu, Cv, cosine):
    N = Cu.T @ Cv
    return q @ N @ q - cosine, q @ (N + N.T)


def angle_to_line(q, Cu, C1, C2, L_cosine):
    N = Cu.T @ (C1 - C2)
    return q @ N @ q - L_cosine, q @ (N + N.T)


def spherical(q, Ci, Cj):
    return (Ci - Cj) @ q, Ci - Cj


def universal(q, Cw, Cu):
    N = Cw.T @ Cu
    return q @ N @ q, q @ (N + N.T)


def revolute(q, Cvi, Cvj):
    return (Cvi - Cvj) @ q, Cvi - Cvj


def ellipsoid(q, C_point, C_centre, axes, A_c, radii):
    C = C_point - C_centre
    d = C @ q
    A_v = np.column_stack([Ck @ q for Ck in axes])
    H = A_c.T @ np.diag(1.0 / np.asarray(radii) ** 2) @ A_c
    y = A_v.T @ d
    Y = A_v.T @ C + np.vstack([d @ Ck for Ck in axes])
    return y @ H @ y - 1.0, 2 * y @ H @ Y


def temporary(q, C, point):
    return C @ q - point, C
