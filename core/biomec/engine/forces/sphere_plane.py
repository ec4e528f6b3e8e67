"""Spheres on planes without friction, with the contact law of Lankarani and Nikravesh.

    F = K δⁿ (1 + ¾ (1 − c_r²) δ̇/δ̇⁻) ≥ 0        [Machado2012]; [Mouzo2018] §4.1.5 for facets of vertebrae

δ̇⁻ is the rate at which a contact began. Contacts that are pressed from the start, or begin slowly, have none that one
could divide by. Here δ̇⁻ is the greatest closing rate of the contact so far, and never below a floor: the quotient then
stays between −1 and 1 while it closes, and a touch that slows down after its onset has the δ̇⁻ of the law.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.compiled import compiled


class SpherePlanes(NamedTuple):
    """N pairs.

    sphere, plane : (N,) numbers of the bodies
    centre, radius: (N, 3) of the sphere in its body's axes [m], (N,) [m]
    point, normal : (N, 3) of the plane in its body's axes [m]; unit vectors out of the plane
    stiffness, exponent, hysteresis : (N,) K [N/mⁿ], n, ¾ (1 − c_r²)
    slowest       : (N,) floor of δ̇⁻ [m/s]
    """

    sphere: IntArray
    plane: IntArray
    centre: FloatArray
    radius: FloatArray
    point: FloatArray
    normal: FloatArray
    stiffness: FloatArray
    exponent: FloatArray
    hysteresis: FloatArray
    slowest: FloatArray


@compiled
def contact_push(pairs: SpherePlanes, n: int, depth: float, rate: float, onset: float) -> tuple[float, float, float]:
    """Elastic and damping parts of the force [N] at depth δ [m] and rate δ̇ [m/s], and the energy stored [J]."""
    if depth <= 0.0:
        return 0.0, 0.0, 0.0
    elastic = pairs.stiffness[n] * depth ** pairs.exponent[n]
    share = pairs.hysteresis[n] * rate / max(onset, pairs.slowest[n])
    return elastic, elastic * max(share, -1.0), elastic * depth / (pairs.exponent[n] + 1.0)


@compiled
def overlap(
    pairs: SpherePlanes,
    n: int,
    R: FloatArray,
    p: FloatArray,
    v: FloatArray,
    w: FloatArray,
    at: FloatArray,
    normal: FloatArray,
) -> tuple[float, float]:
    """δ [m] and δ̇ [m/s] of bodies with attitudes R (B, 3, 3), origins p, velocities v and ω (B, 3).

    Fills the centre of the sphere ``at`` (3,) and the plane's normal (3,), in axes of the ground. The force acts along
    the normal through the centre.
    """
    a, b = pairs.sphere[n], pairs.plane[n]
    arm, lever = np.empty(3), np.empty(3)
    for i in range(3):
        arm[i], normal[i], lever[i] = 0.0, 0.0, 0.0
        for j in range(3):
            arm[i] += R[a, i, j] * pairs.centre[n, j]
            normal[i] += R[b, i, j] * pairs.normal[n, j]
            lever[i] -= R[b, i, j] * pairs.point[n, j]
        at[i] = p[a, i] + arm[i]
        lever[i] += at[i] - p[b, i]
    depth, rate = pairs.radius[n], 0.0
    for i in range(
        3
    ):  # δ = radius − n·(c − o); the plane's normal turns with its body: d/dt = n·(ċ − ȯ − ω_b × (c − o))
        j, k = (i + 1) % 3, (i + 2) % 3
        depth -= normal[i] * lever[i]
        moving = v[a, i] + w[a, j] * arm[k] - w[a, k] * arm[j]
        carried = v[b, i] + w[b, j] * (at[k] - p[b, k]) - w[b, k] * (at[j] - p[b, j])
        rate -= normal[i] * (moving - carried)
    return depth, rate
