"""Products of vectors in space, for compiled loops."""

from __future__ import annotations

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
