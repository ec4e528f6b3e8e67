"""Columns of natural coordinates: what a unit tension of each cord does to q (theory of muscles §2.6).

g = −(∂L/∂q)ᵀ, so that Q = G F and L̇ = −gᵀ q̇. A force f through the origin of a body and a couple m act by

    Q = C_oᵀ f + ½ Σ_k D_kᵀ (m × e_k),   e_k = D_k q the axes of the body, since ω = ½ Σ e_k × ė_k

where m is the moment about the body's origin.
"""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.engine.paths.cords import CordPaths
from biomec.engine.system import System


def natural_columns(system: System, paths: CordPaths, q: FloatArray) -> FloatArray:
    """G (T, n, M) [-] of coordinates q (T, n): generalised force of a unit tension of each cord."""
    frames, n = q.shape
    G = np.zeros((frames, n, len(paths.cords.cords)))
    layout = system.layout
    for number, name in enumerate(paths.cords.bodies):
        pairs = np.flatnonzero(paths.pair_body == number)
        if not pairs.size or name not in layout.bodies:
            continue
        origin = layout.point(f"{name}.origin")
        force = paths.pull[:, pairs, :3]
        moment = paths.pull[:, pairs, 3:] - np.cross(origin(q)[:, None], force)
        cords = paths.pair_cord[pairs]
        G[:, origin.columns[:, None], cords] += np.einsum("ik,tpi->tkp", origin.matrix, force)
        for axis in np.eye(3):
            D = layout.local_vector(name, axis)
            turn = 0.5 * np.cross(moment, D(q)[:, None])
            G[:, D.columns[:, None], cords] += np.einsum("ik,tpi->tkp", D.matrix, turn)
    return G
