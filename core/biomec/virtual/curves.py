"""Curves of time that movements are made of, with exact derivatives."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.virtual.jets import Jet, composed, cosine, sine


def clock(time_s: FloatArray) -> Jet:
    """Time itself, (T,) [s]."""
    return Jet.of(time_s, np.ones_like(time_s), np.zeros_like(time_s))


def there_and_back(phase: Jet, turning: float = 0.5) -> Jet:
    """From 0 at every whole phase to 1 at the turning point of the cycle and back, smooth to every order.

    d = ½ (1 − cos 2πg),   g = φ − A (1 − cos 2πφ),   A chosen so that g = ½ at the turning point.
    """
    A = (turning - 0.5) / (1.0 - np.cos(2.0 * np.pi * turning))
    g = phase - A * (1.0 - cosine(2.0 * np.pi * phase))
    return 0.5 * (1.0 - cosine(2.0 * np.pi * g))


def wave(phase: Jet, amplitude: float, at: float = 0.0, harmonic: int = 1) -> Jet:
    """Cosine of the phase, with its maximum at the phase ``at``."""
    return amplitude * cosine(2.0 * np.pi * harmonic * (phase - at))


def harmonics(phase: Jet, mean: float, *pairs: tuple[float, float]) -> Jet:
    """Fourier series of the phase: mean + Σ (a cos 2πkφ + b sin 2πkφ)."""
    total = Jet.still(np.full_like(phase.value, mean), phase.order)
    for k, (a, b) in enumerate(pairs, start=1):
        angle = 2.0 * np.pi * k * phase
        total = total + a * cosine(angle) + b * sine(angle)
    return total


def step_up(x: Jet) -> Jet:
    """Smooth step from 0 at x ≤ 0 to 1 at x ≥ 1: 35x⁴ − 84x⁵ + 70x⁶ − 20x⁷, three derivatives zero at the ends."""

    def polynomial(value: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        u = np.clip(value, 0.0, 1.0)
        f = u**4 * (35.0 - 84.0 * u + 70.0 * u**2 - 20.0 * u**3)
        return f, 140.0 * u**3 * (1.0 - u) ** 3, 420.0 * u**2 * (1.0 - u) ** 2 * (1.0 - 2.0 * u)

    return composed(polynomial, x)


def quick_step(x: Jet) -> Jet:
    """Smooth step from 0 to 1 that lingers less at its ends: 10x³ − 15x⁴ + 6x⁵, two derivatives zero there."""

    def polynomial(value: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        u = np.clip(value, 0.0, 1.0)
        f = u**3 * (10.0 - 15.0 * u + 6.0 * u**2)
        return f, 30.0 * u**2 * (1.0 - u) ** 2, 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u)

    return composed(polynomial, x)
