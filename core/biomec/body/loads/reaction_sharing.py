"""Reactions that agree with a motion, nearest to those measured: all error is put on the forces.

    min ½ Σ w_j (G_j − G*_j)²   with   Bᵀ G = Q                                          ([Mouzo2018] Eq. 2.32)

over force and moment of every foot or hand, and the force alone of every crutch tip: 12 components of two feet, 18 with
two crutches. Only the six equations of the root bind; those of the joints give their torques afterwards, whatever
the reactions are, so imposing all of them, as printed, would have no solution.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from biomec.base.arrays import FloatArray, read_only, skew
from biomec.base.errors import BiomecError
from biomec.body.loads.ground_reaction import nearest_components
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.recording.plate import LOADED_N


def sharing_columns(external: ExternalLoads) -> FloatArray:
    """Bᵀ (T, 6, 6K): force and moment about the laboratory's origin of the components (force, moment) of every load."""
    count = len(external.segments)
    B = np.zeros((external.frames, 6, count, 6))
    B[:, :3, :, :3] = np.eye(3)[:, None]
    B[:, 3:, :, 3:] = np.eye(3)[:, None]
    B[:, 3:, :, :3] = np.moveaxis(skew(external.point), 1, 2)
    return B.reshape(external.frames, 6, 6 * count)


def sharing_variance(
    external: ExternalLoads, force_n: float, moment_nm: float, tips: Collection[int] = ()
) -> FloatArray:
    """1/w (T, 6K): squared usual errors of the components; 0 for loads that are not borne, and for moments of tips.

    tips : loads, counted from 0, that act in a point which bears no moment: at tips of crutches
    """
    borne = np.linalg.norm(external.force, axis=2) > LOADED_N
    free = np.array([k not in tips for k in range(len(external.segments))], dtype=np.float64)
    size = np.empty((external.frames, len(external.segments), 6))
    size[..., :3] = force_n**2
    size[..., 3:] = moment_nm**2 * free[:, None]
    return np.asarray((size * borne[..., None]).reshape(external.frames, -1))


def nearest_reactions(
    external: ExternalLoads,
    wanted: FloatArray,
    force_n: float = 1.0,
    moment_nm: float = 0.5,
    tips: Collection[int] = (),
) -> ExternalLoads:
    """Loads nearest to those given whose sum is what the motion asks for, in every frame that has numbers.

    wanted : (T, 6) force [N] and moment about the laboratory's origin [N m]; NaN where not known
    tips   : as of `sharing_variance`
    """
    B, S = sharing_columns(external), sharing_variance(external, force_n, moment_nm, tips)
    G = np.concatenate([external.force, external.moment], axis=2).reshape(external.frames, -1)
    known = np.asarray(np.isfinite(wanted).all(axis=1))
    if not (S[known] > 0.0).any(axis=1).all():
        frame = int(np.flatnonzero(known & ~(S > 0.0).any(axis=1))[0])
        raise BiomecError(
            f"Nothing presses on the ground in frame {frame}, so no reaction can be shared there. Choose a stretch in "
            "which a hand or foot stands on a plate."
        )
    G[known] = nearest_components(B[known], S[known], G[known], wanted[known])
    shaped = G.reshape(external.frames, -1, 6)
    return replace(external, force=read_only(shaped[..., :3]), moment=read_only(shaped[..., 3:]))
