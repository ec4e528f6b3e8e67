"""Compiled laws of ground contact: the force on a point that presses into a plane and rubs over it, and its slopes.

    f = f_n (n − μ g(‖v_t‖/v_s) v_t/‖v_t‖),   δ̇ = −v·n,   v_t = v + δ̇ n,   f_n = max(0, N(δ, δ̇))

A normal law N gives its value and its two slopes; what follows is the same for all of them.
"""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.compiled import compiled


@compiled
def friction_curve(x: float, kind: float, result: FloatArray) -> None:
    """g(x)/x and (g(x)/x)'/x of a friction curve g: ``kind`` 0 is tanh, 1 is (2/π) arctan, 2 is arctan itself."""
    scale = 1.0 if kind < 0.5 or kind > 1.5 else 2.0 / np.pi
    if x < 1e-3:  # by series: the quotients lose digits; both curves begin as x − x³/3
        result[0] = scale * (1.0 - x * x / 3.0)
        result[1] = -scale * 2.0 / 3.0
        return
    if kind < 0.5:
        value = np.tanh(x)
        slope = 1.0 - value * value
    else:
        value, slope = scale * np.arctan(x), scale / (1.0 + x * x)
    result[0] = value / x
    result[1] = (slope * x - value) / (x * x * x)


@compiled
def split_velocity(v: FloatArray, n: FloatArray, tangential: FloatArray) -> tuple[float, float]:
    """δ̇ and ‖v_t‖ of a velocity; fills v_t (3,)."""
    into = -(v[0] * n[0] + v[1] * n[1] + v[2] * n[2])
    sliding = 0.0
    for k in range(3):
        tangential[k] = v[k] + into * n[k]
        sliding += tangential[k] * tangential[k]
    return into, np.sqrt(sliding)


@compiled
def contact_force(
    f_n: float, v: FloatArray, n: FloatArray, friction: float, slow: float, kind: float, force: FloatArray
) -> None:
    """Force (3,) of a normal force and the friction that goes with it."""
    t, curve = np.empty(3), np.empty(2)
    _, sliding = split_velocity(v, n, t)
    friction_curve(sliding / slow, kind, curve)
    for k in range(3):
        force[k] = f_n * (n[k] - friction * curve[0] * t[k] / slow)


@compiled
def contact_slopes(
    normal: FloatArray,
    v: FloatArray,
    n: FloatArray,
    friction: float,
    slow: float,
    kind: float,
    stiffness: FloatArray,
    damping: FloatArray,
) -> None:
    """∂f/∂p and ∂f/∂v (3, 3) for a place p and a velocity v of the point.

    normal : (3,) f_n, ∂f_n/∂δ and ∂f_n/∂δ̇
    """
    t, curve = np.empty(3), np.empty(2)
    _, sliding = split_velocity(v, n, t)
    friction_curve(sliding / slow, kind, curve)
    rub = friction * curve[0] / slow
    bend = friction * curve[1] / (slow * slow * slow)
    for i in range(3):
        along = n[i] - rub * t[i]
        for j in range(3):
            stiffness[i, j] = -normal[1] * along * n[j]
            across = (1.0 if i == j else 0.0) - n[i] * n[j]
            damping[i, j] = -normal[2] * along * n[j] - normal[0] * (rub * across + bend * t[i] * t[j])


@compiled
def hunt_crossley(depth: float, into: float, K: float, n: float, dissipation: float, normal: FloatArray) -> None:
    """f_n = K δⁿ (1 + λ δ̇) and its slopes (3,); nothing where it would pull or nothing touches."""
    normal[:] = 0.0
    rising = 1.0 + dissipation * into
    if depth > 0.0 and rising > 0.0:
        elastic = K * depth**n
        normal[0] = elastic * rising
        normal[1] = n * elastic / depth * rising
        normal[2] = elastic * dissipation


@compiled
def volumetric(volume: float, area: float, into: float, k_h: float, h: float, a_h: float, normal: FloatArray) -> None:
    """f_n = k_h V^h + a_h V δ̇ and its slopes (3,), V growing by its area A with the depth."""
    normal[:] = 0.0
    if volume > 0.0:
        elastic = k_h * volume**h
        f_n = elastic + a_h * volume * into
        if f_n > 0.0:
            normal[0] = f_n
            normal[1] = (h * elastic / volume + a_h * into) * area
            normal[2] = a_h * volume
