"""Vectors of three numbers as tuples, for compiled code: they stay in registers, where an array would be allocated."""

from __future__ import annotations

from biomec.base.arrays import FloatArray
from biomec.base.compiled import compiled

Vector = tuple[float, float, float]


@compiled
def vector(a: FloatArray) -> Vector:
    """The first three numbers of an array."""
    return (a[0], a[1], a[2])


@compiled
def dot(a: Vector, b: Vector) -> float:
    """a·b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@compiled
def cross(a: Vector, b: Vector) -> Vector:
    """a × b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@compiled
def ahead(a: Vector, k: float, b: Vector) -> Vector:
    """a + k b."""
    return (a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2])


@compiled
def minus(a: Vector, b: Vector) -> Vector:
    """a − b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@compiled
def times(k: float, a: Vector) -> Vector:
    """k a."""
    return (k * a[0], k * a[1], k * a[2])


@compiled
def stretched(a: Vector, b: Vector) -> Vector:
    """a∘b, component by component."""
    return (a[0] * b[0], a[1] * b[1], a[2] * b[2])
