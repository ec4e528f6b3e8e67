"""Quantities over time together with their time derivatives, carried through formulas by the product and chain rules.

A motion is written once, as a formula of positions; velocities and accelerations follow exactly, without differences.
Quantities that are given by equations instead of formulas (a hand that stays on the ground) come from `solved`.
Movements are made of the curves of time at the end of this module.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, skew
from biomec.base.errors import BiomecError

SETTLED = 1e-13  # largest step of Newton's method after which one more step is round-off
GIVE_UP = 60


@dataclass(frozen=True, eq=False)
class Jet:
    """A quantity and its time derivatives: ``parts[k]`` is the k-th derivative, all of one shape (T, ...)."""

    parts: tuple[FloatArray, ...]
    __array_ufunc__ = None  # arrays and NumPy's numbers leave operations with a jet to the jet

    @classmethod
    def of(cls, *parts: ArrayLike) -> Jet:
        """Jet of a value, its rate, its acceleration …"""
        return cls(tuple(np.asarray(part, dtype=np.float64) for part in parts))

    @classmethod
    def still(cls, value: ArrayLike, order: int = 2) -> Jet:
        """Jet of something constant."""
        array = np.asarray(value, dtype=np.float64)
        return cls((array, *(np.zeros_like(array) for _ in range(order))))

    @property
    def order(self) -> int:
        """Highest derivative that is known."""
        return len(self.parts) - 1

    @property
    def value(self) -> FloatArray:
        """The quantity itself."""
        return self.parts[0]

    @property
    def rate(self) -> FloatArray:
        """First derivative."""
        return self.parts[1]

    @property
    def acceleration(self) -> FloatArray:
        """Second derivative."""
        return self.parts[2]

    def up_to(self, order: int) -> Jet:
        """The same with no derivatives beyond ``order``."""
        return Jet(self.parts[: order + 1])

    def mapped(self, linear: Callable[[FloatArray], FloatArray]) -> Jet:
        """Result of a linear operation, such as a slice or a sum."""
        return Jet(tuple(np.asarray(linear(part)) for part in self.parts))

    def __getitem__(self, key: object) -> Jet:
        return Jet(tuple(np.asarray(part[key]) for part in self.parts))  # type: ignore[call-overload]

    def __neg__(self) -> Jet:
        return Jet(tuple(-part for part in self.parts))

    def __add__(self, other: Jet | ArrayLike) -> Jet:
        if not isinstance(other, Jet):
            return Jet((self.parts[0] + np.asarray(other), *self.parts[1:]))
        return Jet(tuple(a + b for a, b in zip(self.parts, other.parts, strict=False)))

    __radd__ = __add__

    def __sub__(self, other: Jet | ArrayLike) -> Jet:
        return self + (-other if isinstance(other, Jet) else -np.asarray(other))

    def __rsub__(self, other: ArrayLike) -> Jet:
        return -self + other

    def __mul__(self, other: Jet | ArrayLike) -> Jet:
        if not isinstance(other, Jet):
            factor = np.asarray(other)
            return Jet(tuple(part * factor for part in self.parts))
        return product(np.multiply, self, other)

    __rmul__ = __mul__

    def __matmul__(self, other: Jet | ArrayLike) -> Jet:
        """Product of matrices (..., 3, 3)."""
        if not isinstance(other, Jet):
            array = np.asarray(other)
            return self.mapped(lambda part: np.asarray(part @ array))
        return product(np.matmul, self, other)

    def __rmatmul__(self, other: ArrayLike) -> Jet:
        array = np.asarray(other)
        return self.mapped(lambda part: np.asarray(array @ part))

    @property
    def transposed(self) -> Jet:
        """Jet of the transposed matrices."""
        return self.mapped(lambda part: np.swapaxes(part, -1, -2))


def product(operation: Callable[[FloatArray, FloatArray], FloatArray], a: Jet, b: Jet) -> Jet:
    """Any bilinear operation by Leibniz' rule: (ab)⁽ⁿ⁾ = Σ C(n, k) a⁽ᵏ⁾ b⁽ⁿ⁻ᵏ⁾."""
    order = min(a.order, b.order)
    return Jet(
        tuple(
            np.asarray(sum(comb(n, k) * operation(a.parts[k], b.parts[n - k]) for k in range(n + 1)))
            for n in range(order + 1)
        )
    )


def applied(matrix: Jet, vector: Jet | ArrayLike) -> Jet:
    """Product of matrices (..., 3, 3) with vectors (..., 3)."""
    if not isinstance(vector, Jet):
        array = np.asarray(vector)
        return matrix.mapped(lambda part: _times(part, array))
    return product(_times, matrix, vector)


def dot(a: Jet, b: Jet) -> Jet:
    """Scalar product of vectors (..., 3)."""
    return product(lambda x, y: np.asarray((x * y).sum(axis=-1)), a, b)


def cross(a: Jet, b: Jet) -> Jet:
    """Vector product of vectors (..., 3)."""
    return product(lambda x, y: np.asarray(np.cross(x, y)), a, b)


def stacked(*columns: Jet) -> Jet:
    """Jets put side by side along a new last axis."""
    return Jet(tuple(np.stack(parts, axis=-1) for parts in zip(*(column.parts for column in columns), strict=False)))


def composed(outer: Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]], inner: Jet) -> Jet:
    """f(x(t)) by the chain rule: f, f′ẋ, f″ẋ² + f′ẍ; ``outer`` gives f, f′ and f″."""
    f, f1, f2 = outer(inner.value)
    parts = [f]
    if inner.order > 0:
        parts.append(f1 * inner.rate)
    if inner.order > 1:
        parts.append(f2 * inner.rate**2 + f1 * inner.acceleration)
    return Jet(tuple(parts))


def sine(angle: Jet) -> Jet:
    """The sine of an angle [rad]."""
    return composed(lambda x: (np.sin(x), np.cos(x), -np.sin(x)), angle)


def cosine(angle: Jet) -> Jet:
    """The cosine of an angle [rad]."""
    return composed(lambda x: (np.cos(x), -np.sin(x), -np.cos(x)), angle)


def turn(axis: ArrayLike, angle: Jet) -> Jet:
    """Rotations (T, 3, 3) about a fixed axis (3,) by an angle (T,): R = I + sin θ ã + (1 − cos θ) ã²."""
    a = np.asarray(axis, dtype=np.float64)
    tilde = skew(a / np.linalg.norm(a))
    s, c = sine(angle)[..., None, None], cosine(angle)[..., None, None]
    return s * tilde + (1.0 - c) * (tilde @ tilde) + np.eye(3)


def solved(equations: Callable[[Jet], Jet], start: FloatArray, order: int = 2) -> Jet:
    """Jet of the unknowns x(t) (T, K) that satisfy K equations f(x, t) = 0 in every frame, by Newton's method.

    equations : jet of x -> jet of f (T, K), with time entering through the jets that it was built from
    start     : (T, K) values to start from; they choose between solutions

    From f = 0 follow J ẋ = −∂f/∂t and J ẍ = −(f̈ without ẍ), J = ∂f/∂x. All come from evaluating f with chosen rates:
    with ẋ = 0 its rate is ∂f/∂t, with ẋ = e_k it is ∂f/∂t plus a column of J, and with the right ẋ and ẍ = 0 its
    acceleration is what J ẍ must cancel.
    """
    x = np.array(start, dtype=np.float64)
    for _ in range(GIVE_UP):
        f, J, _f_t = _linearised(equations, x)
        step = _over(J, f)
        step *= np.minimum(1.0, 0.5 / np.maximum(np.abs(step).max(axis=-1, keepdims=True), 1e-300))
        x -= step
        if not np.abs(step).max() > SETTLED:
            break
    else:
        worst = int(np.nanargmax(np.abs(step).max(axis=-1)))
        raise BiomecError(
            f"The virtual person cannot take the posture of frame {worst}: a limb does not reach. Choose a smaller "
            f"movement, or hands and feet nearer to the body."
        )
    parts = [x]
    _f, J, f_t = _linearised(equations, x)
    if order > 0:
        parts.append(-_over(J, f_t))
    if order > 1:
        bias = equations(Jet.of(x, parts[1], np.zeros_like(x))).acceleration
        parts.append(-_over(J, bias))
    return Jet(tuple(parts))


def _linearised(equations: Callable[[Jet], Jet], x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """f (T, K), J (T, K, K) and ∂f/∂t (T, K) at x."""
    at_rest = equations(Jet.of(x, np.zeros_like(x)))
    columns = [equations(Jet.of(x, np.broadcast_to(e, x.shape))).rate - at_rest.rate for e in np.eye(x.shape[-1])]
    return at_rest.value, np.stack(columns, axis=-1), at_rest.rate


def _over(J: FloatArray, f: FloatArray) -> FloatArray:
    """J⁻¹ f in every frame."""
    return np.asarray(np.linalg.solve(J, f[..., None])[..., 0], dtype=np.float64)


def _times(matrix: FloatArray, vector: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("...ij,...j->...i", matrix, vector))


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
