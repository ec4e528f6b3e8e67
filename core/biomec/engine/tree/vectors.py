"""Compiled vectors in space: their products, and rotation vectors v = θ e, their matrices and derivatives.

With V w = v × w and θ = |v| ([Featherstone2008] for the notation, Rodrigues' formula for the first line):

    exp(v) = I + sin θ/θ V + (1 − cos θ)/θ² V²
    ω = J(v) v̇,   J(v) = I + a V + b V²,   a = (1 − cos θ)/θ²,   b = (θ − sin θ)/θ³
    ω̇ = J(v) v̈ + ȧ v × v̇ + ḃ v × (v × v̇) + b v̇ × (v × v̇)

ω is in the axes that stand still. No turn below 2π is singular.
"""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.compiled import compiled


@compiled
def cross(a: FloatArray, b: FloatArray, to: FloatArray) -> None:
    """to = a × b; ``to`` is another array."""
    to[0] = a[1] * b[2] - a[2] * b[1]
    to[1] = a[2] * b[0] - a[0] * b[2]
    to[2] = a[0] * b[1] - a[1] * b[0]


@compiled
def dot(a: FloatArray, b: FloatArray) -> float:
    """a · b."""
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


SMALL = 0.1  # [rad] below this series of four terms are exact to round-off, and quotients are not


@compiled
def exponential(v: FloatArray, R: FloatArray) -> None:
    """R (3, 3) = exp(v), the turn about v by |v| [rad]."""
    theta = np.sqrt(dot(v, v))
    x = theta * theta
    if theta < SMALL:
        s = 1.0 - x / 6.0 * (1.0 - x / 20.0 * (1.0 - x / 42.0))
        a = 0.5 - x / 24.0 * (1.0 - x / 30.0 * (1.0 - x / 56.0))
    else:
        s, a = np.sin(theta) / theta, (1.0 - np.cos(theta)) / x
    for i in range(3):
        for j in range(3):
            R[i, j] = a * v[i] * v[j]
        R[i, i] += 1.0 - a * x
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        R[k, j] += s * v[i]
        R[j, k] -= s * v[i]


@compiled
def logarithm(R: FloatArray, v: FloatArray) -> None:
    """Rotation vector v (3,) of a matrix that is (nearly) a rotation by less than π."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        v[i] = 0.5 * (R[k, j] - R[j, k])
    sine = np.sqrt(dot(v, v))
    cosine = 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1.0)
    theta = np.arctan2(sine, cosine)
    if sine > 1e-9:
        for i in range(3):
            v[i] *= theta / sine
    elif cosine < 0.0:  # half a turn: the sign of the axis is not determined
        longest = int(np.argmax(np.diag(R)))
        length = 0.0
        for i in range(3):
            v[i] = R[i, longest] + (1.0 if i == longest else 0.0)
            length += v[i] * v[i]
        for i in range(3):
            v[i] *= np.pi / np.sqrt(length)


@compiled
def turned_rates(v: FloatArray, vdot: FloatArray, vddot: FloatArray, w: FloatArray, wdot: FloatArray) -> None:
    """ω and ω̇ (3,) of exp(v(t)) from v, v̇, v̈."""
    x = dot(v, v)
    theta = np.sqrt(x)
    if theta < SMALL:
        a = 0.5 - x / 24.0 + x * x / 720.0 - x * x * x / 40320.0
        b = 1.0 / 6.0 - x / 120.0 + x * x / 5040.0 - x * x * x / 362880.0
        da = -1.0 / 12.0 + x / 180.0 - x * x / 6720.0 + x * x * x / 453600.0
        db = -1.0 / 60.0 + x / 1260.0 - x * x / 60480.0 + x * x * x / 4989600.0
    else:
        s, c = np.sin(theta), np.cos(theta)
        a, b = (1.0 - c) / x, (theta - s) / (theta * x)
        da, db = (theta * s - 2.0 * (1.0 - c)) / (x * x), (theta * (1.0 - c) - 3.0 * (theta - s)) / (x * x * theta)
    rate = dot(v, vdot)
    once, twice, third = np.empty(3), np.empty(3), np.empty(3)
    cross(v, vdot, once)
    cross(v, once, twice)
    cross(vdot, once, third)
    for i in range(3):
        w[i] = vdot[i] + a * once[i] + b * twice[i]
        wdot[i] = vddot[i] + rate * (da * once[i] + db * twice[i]) + b * third[i]
    cross(v, vddot, once)
    cross(v, once, twice)
    for i in range(3):
        wdot[i] += a * once[i] + b * twice[i]


@compiled
def rotation_rate(v: FloatArray, w: FloatArray, vdot: FloatArray) -> None:
    """v̇ = J(v)⁻¹ ω for a short v: ω − ½ v × ω + v × (v × ω)/12; the rest is of fourth order in v."""
    once, twice = np.empty(3), np.empty(3)
    cross(v, w, once)
    cross(v, once, twice)
    for i in range(3):
        vdot[i] = w[i] - 0.5 * once[i] + twice[i] / 12.0
