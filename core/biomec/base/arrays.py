"""Array types and the few helpers that every stage shares."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def read_only(array: ArrayLike, dtype: Any = np.float64) -> NDArray[Any]:
    """Return a copy of ``array`` that cannot be written to: constants and results are shared safely."""
    copy = np.array(array, dtype=dtype)
    copy.setflags(write=False)
    return copy


def locked(array: NDArray[Any]) -> NDArray[Any]:
    """Return ``array`` itself, from now on read-only: for what was made here and has no other owner."""
    array.setflags(write=False)
    return array


def frames_last(array: FloatArray) -> FloatArray:
    """Return a writable copy with the axes reversed: (frames, n) becomes (n, frames), as the compiled loops want it."""
    return np.array(array.T, dtype=np.float64, order="C")


def for_loops(array: FloatArray) -> FloatArray:
    """Return ``array``, or a copy of it, in C order and writable.

    A loop is compiled once for each kind of array that it is given: with arrays of results, which are read-only, beside
    arrays that are not, one that takes two of them would be compiled four times.
    """
    flags = array.flags
    return array if flags.c_contiguous and flags.writeable else np.array(array, dtype=np.float64, order="C")


def skew(a: ArrayLike) -> FloatArray:
    """Cross-product matrix ã with ã x = a × x. ``a`` is (..., 3), the result (..., 3, 3)."""
    a = np.asarray(a, dtype=np.float64)
    matrix = np.zeros((*a.shape, 3))
    matrix[..., 0, 1], matrix[..., 0, 2] = -a[..., 2], a[..., 1]
    matrix[..., 1, 0], matrix[..., 1, 2] = a[..., 2], -a[..., 0]
    matrix[..., 2, 0], matrix[..., 2, 1] = -a[..., 1], a[..., 0]
    return matrix


def rotation_about(axis: ArrayLike, angle: float) -> FloatArray:
    """Rotation matrix (3, 3) about ``axis`` (3,) by ``angle`` [rad] (Rodrigues' formula)."""
    unit = np.asarray(axis, dtype=np.float64)
    K = skew(unit / np.linalg.norm(unit))
    return np.asarray(np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K)


def planar_rotation(angle: float) -> FloatArray:
    """Rotation matrix (2, 2) by ``angle`` [rad], counter-clockwise."""
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
