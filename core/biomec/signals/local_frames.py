"""Frames that markers of one segment span: from a triad, from a plate of four, or by least squares.

A marker that moves with the segment keeps its coordinates in such a frame; the static pose gives them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import combinations

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, IntArray, read_only
from biomec.base.compiled import compiled
from biomec.engine.rotations import nearest_rotation

ON_A_LINE = 1e-12  # m²: second singular value of points on a line, which leave the turn about it open


class PoseMethod(StrEnum):
    """How the pose of a segment follows from its markers."""

    TRIAD = "triad"  # three markers: the largest triangle that is seen
    LEAST_SQUARES = "least-squares"  # all markers that are seen, in the mean


def plate_frame(p: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Origin and axes of a plate of four, given as C11, C12, C21, C22 in ``p`` (..., 4, 3) [m].

    o = mean of the four;  i = n(C11 − C21);  j = n((C22 − C21) × i);  k = i × j     [Nunes2017] Eqs. 3.1-3.4
    """
    C11, C21, C22 = p[..., 0, :], p[..., 2, :], p[..., 3, :]
    i = _unit(C11 - C21)
    j = _unit(np.cross(C22 - C21, i))
    return p.mean(axis=-2), np.stack([i, j, np.cross(i, j)], axis=-1)


def least_squares_frame(p: FloatArray, p_static: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Origin (..., 3) and rotation (..., 3, 3) from the static pose that bring K static points nearest to ``p``.

    p : (..., K, 3), p_static : (K, 3) [m]. With both sets taken from their means and H = Σ p_s pᵀ = U S Vᵀ, the
    rotation is R = V diag(1, 1, det(V Uᵀ)) Uᵀ     [SoderkvistWedin1993]. It is NaN where the points lie on a line.

    Of M = Hᵀ/‖H‖ the matrix of cofactors has the same U and V and the singular values s₂s₃, s₁s₃, s₁s₂, all with the
    sign of det(V Uᵀ). R is therefore the orthogonal factor of M + cof M, also of points in a plane (s₃ = 0), unless
    points are nearly mirrored: there, where det(M + cof M) ≤ 0, the singular values are computed.
    """
    points = np.ascontiguousarray(p, dtype=np.float64).reshape(-1, *np.shape(p)[-2:])
    origin, H, M = np.empty((len(points), 3)), np.empty((len(points), 3, 3)), np.empty((len(points), 3, 3))
    _moments(points, np.ascontiguousarray(p_static - p_static.mean(axis=0)), origin, H, M)
    R = nearest_rotation(M)
    left = np.isnan(R[:, 0, 0])
    if left.any():
        R[left] = _by_singular_values(H[left])
    return origin.reshape(*np.shape(p)[:-2], 3), R.reshape(*np.shape(p)[:-2], 3, 3)


def _by_singular_values(H: FloatArray) -> FloatArray:
    """R (..., 3, 3) = V diag(1, 1, det(V Uᵀ)) Uᵀ of H (..., 3, 3) = U S Vᵀ; NaN where the second value vanishes."""
    U, S, Vt = np.linalg.svd(H)
    turn = np.where(S[..., 1:2] > ON_A_LINE, np.ones(U.shape[:-1]), np.nan)
    turn[..., 2] *= np.linalg.det(U) * np.linalg.det(Vt)
    return np.asarray(np.einsum("...ki,...k,...jk->...ij", Vt, turn, U))


@compiled
def _moments(p: FloatArray, p_static: FloatArray, origin: FloatArray, H: FloatArray, M: FloatArray) -> None:
    """Means (T, 3) of points (T, K, 3), H = Σ p_s pᵀ (T, 3, 3) about them, and Hᵀ/‖H‖ + cof(Hᵀ/‖H‖); 0 of a line."""
    for t in range(p.shape[0]):
        for c in range(3):
            total = 0.0
            for k in range(p.shape[1]):
                total += p[t, k, c]
            origin[t, c] = total / p.shape[1]
        size = 0.0
        for i in range(3):
            for c in range(3):
                total = 0.0
                for k in range(p.shape[1]):
                    total += p_static[k, i] * (p[t, k, c] - origin[t, c])
                H[t, i, c] = total
                size += total * total
        size = np.sqrt(size)
        flat = 0.0
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            for c in range(3):
                d, e = (c + 1) % 3, (c + 2) % 3
                cofactor = H[t, j, d] * H[t, k, e] - H[t, k, d] * H[t, j, e]
                flat += cofactor * cofactor
                M[t, c, i] = (H[t, i, c] + cofactor / size) / size
        if not np.sqrt(flat) > ON_A_LINE * size:  # ‖cof H‖ is at least s₁s₂, ‖H‖ at least s₁
            for i in range(3):
                for c in range(3):
                    M[t, i, c] = 0.0


def triangle_area_and_height(p: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Area [m²] and smallest height [m] of triangles ``p`` (..., 3, 3); the height stands on the longest side."""
    sides = p - np.roll(p, 1, axis=-2)
    area = 0.5 * np.linalg.norm(np.cross(sides[..., 0, :], sides[..., 1, :]), axis=-1)
    longest = np.linalg.norm(sides, axis=-1).max(axis=-1)
    return area, 2.0 * area / np.where(longest > 0.0, longest, np.inf)


def ranked_triads(p_static: FloatArray, smallest_height_m: float) -> IntArray:
    """(N, 3) triads of the static points (K, 3) by falling area; those lower than the smallest height are left out.

    The areas are those of the static pose, so that noise cannot change the ranking from frame to frame.
    """
    p = np.ascontiguousarray(p_static, dtype=np.float64)
    return _ranked(p.tobytes(), len(p), smallest_height_m)


@lru_cache(maxsize=256)
def _ranked(points: bytes, count: int, smallest_height_m: float) -> IntArray:
    p_static = np.frombuffer(points).reshape(count, 3)
    triads = np.array(list(combinations(range(len(p_static)), 3)), dtype=np.int64).reshape(-1, 3)
    area, height = triangle_area_and_height(p_static[triads])
    order = np.argsort(-area, kind="stable")
    return read_only(triads[order[height[order] >= smallest_height_m]], np.int64)


@dataclass(frozen=True)
class Donors:
    """Markers that rebuild others: their static pose, and which frames may be built on them.

    p_static : (K, 3) [m]
    triads   : (N, 3) usable triads, the best first
    plate    : (4,) places of C11, C12, C21, C22 if the donors are a plate of four, else None
    """

    p_static: FloatArray
    triads: IntArray
    plate: tuple[int, ...] | None
    method: PoseMethod

    @classmethod
    def at(
        cls, p_static: FloatArray, smallest_height_m: float, method: PoseMethod, plate: tuple[int, ...] | None = None
    ) -> Donors:
        """Donors at their static pose."""
        return cls(p_static, ranked_triads(p_static, smallest_height_m), plate, method)

    def suffice(self, present: BoolArray) -> BoolArray:
        """(T,) where the donors that are present (T, K) hold at least one usable triad."""
        return np.asarray(np.any(np.all(present[:, self.triads], axis=2), axis=1))

    def rebuild(self, p: FloatArray, targets_static: FloatArray) -> FloatArray:
        """(T, L, 3) where the targets are, given the donors ``p`` (T, K, 3); NaN in frames without a usable triad.

        A target keeps its coordinates in the frame of the donors: ℓ = Rₛᵀ(mₛ − oₛ), m = o + R ℓ. Frames with the same
        donors in sight are treated together.

        The frame of a triad has its origin in the middle of the three and its axes turned in their plane so that all
        three are nearest, whatever their order. A frame that begins at one of them and points to the second follows
        noise of these two more than of the third: of a triad across the midline, such as the back of the pelvis, it
        believes one side, so that a mirrored person is not rebuilt as the mirror image.
        """
        rebuilt = np.full((len(p), len(targets_static), 3), np.nan)
        for pattern, frames in _patterns(np.isfinite(p[..., 0])):
            usable = self.triads[pattern[self.triads].all(axis=1)]
            if len(usable) == 0:
                continue
            if self.method is PoseMethod.TRIAD and self.plate is not None and pattern.all():
                chosen = np.array(self.plate)
                o_s, R_s = plate_frame(self.p_static[chosen])
                o, R = plate_frame(p[np.ix_(frames, chosen)])
            else:
                chosen = usable[0] if self.method is PoseMethod.TRIAD else np.flatnonzero(pattern)
                o_s, R_s = self.p_static[chosen].mean(axis=0), np.eye(3)
                o, R = least_squares_frame(p[np.ix_(frames, chosen)], self.p_static[chosen])
            local = (targets_static - o_s) @ R_s
            rebuilt[frames] = o[:, None, :] + np.einsum("tij,kj->tki", R, local)
        return rebuilt


def _patterns(present: BoolArray) -> Iterator[tuple[BoolArray, IntArray]]:
    """Every combination of markers that occurs in ``present`` (T, K), and the frames in which it does."""
    if len(present) and present.all():
        yield present[0], np.arange(len(present))
        return
    code = np.zeros(len(present), dtype=np.int64)
    for column in present.T:  # number the combinations anew for every marker, so that any number of them fits
        _, code = np.unique(2 * code + column, return_inverse=True)
    order = np.argsort(code, kind="stable")
    for frames in np.split(order, np.flatnonzero(np.diff(code[order])) + 1) if len(order) else []:
        yield present[frames[0]], frames


def _unit(v: FloatArray) -> FloatArray:
    """Unit vectors; NaN where the length is zero, so that nothing is built on coinciding points."""
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.asarray(v / np.where(length > 0.0, length, np.nan))
