"""Rotations and the angles that describe them: twelve sequences, floating axis, hinges, angular velocity.

Rotation matrices are (..., 3, 3), their columns are the axes of the turned frame; angles are radians. NaN in a matrix
gives NaN for that matrix and nothing else.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import BoolArray, FloatArray, IntArray
from biomec.base.compiled import compiled
from biomec.base.errors import BiomecError

AXES = "xyz"

SEQUENCES = tuple(i + j + k for i in "XYZ" for j in "XYZ" for k in "XYZ" if i != j and j != k)
SINGULAR = 1e-12  # [rad] from the singularity: here nothing but round-off tells the first angle from the third
NEAR = np.radians(10.0)  # from the singularity: here noise leads the first and third angle astray
REGULAR = np.radians(20.0)  # from the singularity: farther away the description of a rotation does not change
HALF_WAY = 1.5 * np.pi  # |a| + |b| + |c| of two solutions together is 3π, see `_small_turns`
OUTLYING = 0.02  # part of the frames of a stretch that may be wrong
UNDECIDED = np.radians(20.0)  # from half way: neither solution is clearly the smaller one
NEWTON_STEPS = 30  # of `nearest_rotation`; a step halves a large error and squares a small one
ORTHONORMAL = 1e-15  # change by a step at which axes are as orthonormal as double precision allows


def _axes(sequence: str) -> tuple[int, int, int, int, float]:
    """Axes i, j of the first two rotations, the remaining axis, that of the third, and the parity of (i, j, rest)."""
    if sequence not in SEQUENCES:
        raise BiomecError(f"{sequence} is not a sequence of rotations; use one of {', '.join(SEQUENCES)}.")
    i, j, third = (AXES.index(letter.lower()) for letter in sequence)
    rest = 3 - i - j
    return i, j, rest, third, 1.0 if (j - i) % 3 == 1 else -1.0


def is_symmetric(sequence: str) -> bool:
    """Whether a sequence ends with the axis that it began with, as YXY does."""
    i, _, _, third, _ = _axes(sequence)
    return i == third


def cardan(R: ArrayLike, sequence: str) -> FloatArray:
    """Angles (..., 3) a, b, c with R = R_i(a) R_j(b) R_k(c), each about an axis of the frame that turns.

    With ε = +1 if i, j, k follow each other as X, Y, Z do and −1 otherwise:

        i, j, k differ   b = asin(ε R_ik), |b| ≤ π/2     a = atan2(−ε R_jk, R_kk)      c = atan2(−ε R_ij, R_ii)
          ZXY            b = asin(R21)                   a = atan2(−R01, R11)          c = atan2(−R20, R22)
          YXZ            b = −asin(R12)                  a = atan2(R02, R22)           c = atan2(R10, R11)
        k = i, rest l    b = acos(R_ii), 0 ≤ b ≤ π       a = atan2(R_ji, −ε R_li)      c = atan2(R_ij, ε R_il)
          YXY            b = acos(R11)                   a = atan2(R01, R21)           c = atan2(R10, −R12)

    These are the angles of the joint coordinate system [GroodSuntay1983], see `joint_coordinate_system`. b comes from a
    two-argument arctangent, and c from R_i(a)ᵀ R, which is the same and keeps `rotation` of the angles equal to R also
    at the singularity (b = ±π/2; b = 0 or π if k = i), where a is taken as 0.
    """
    R = np.asarray(R, dtype=np.float64)
    i, j, rest, third, parity = _axes(sequence)
    if third == i:
        opposite, adjacent = R[..., j, i], -parity * R[..., rest, i]
        b = np.arctan2(np.hypot(opposite, adjacent), R[..., i, i])
    else:
        opposite, adjacent = -parity * R[..., j, rest], R[..., rest, rest]
        b = np.arctan2(parity * R[..., i, rest], np.hypot(opposite, adjacent))
    a = np.where(np.hypot(opposite, adjacent) < SINGULAR, 0.0, np.arctan2(opposite, adjacent))
    row = np.cos(a)[..., None] * R[..., j, :] + parity * np.sin(a)[..., None] * R[..., rest, :]  # of R_i(a)ᵀ R
    c = (
        np.arctan2(-parity * row[..., rest], row[..., j])
        if third == i
        else np.arctan2(parity * row[..., i], row[..., j])
    )
    return np.stack([a, b, c], axis=-1)


def rotation(angles: ArrayLike, sequence: str) -> FloatArray:
    """R = R_i(a) R_j(b) R_k(c) (..., 3, 3) of angles (..., 3)."""
    angles = np.asarray(angles, dtype=np.float64)
    i, j, _, third, _ = _axes(sequence)
    return np.asarray(elementary(angles[..., 0], i) @ elementary(angles[..., 1], j) @ elementary(angles[..., 2], third))


def elementary(angle: ArrayLike, axis: int) -> FloatArray:
    """Rotations (..., 3, 3) by ``angle`` (...) about axis 0, 1 or 2."""
    angle = np.asarray(angle, dtype=np.float64)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    R = np.zeros((*angle.shape, 3, 3))
    R[..., axis, axis] = np.where(np.isnan(angle), np.nan, 1.0)
    R[..., j, j] = R[..., k, k] = np.cos(angle)
    R[..., k, j] = np.sin(angle)
    R[..., j, k] = -R[..., k, j]
    return R


def other_solution(angles: ArrayLike, sequence: str) -> FloatArray:
    """The other angles (..., 3) of the same rotations: (a+π, π−b, c+π), or (a+π, −b, c+π) for YXY and its like."""
    a, b, c = np.moveaxis(np.asarray(angles, dtype=np.float64), -1, 0)
    return wrapped(np.stack([a + np.pi, -b if is_symmetric(sequence) else np.pi - b, c + np.pi], axis=-1))


def gimbal(R: ArrayLike, sequence: str) -> FloatArray:
    """Distance (...) from the singularity of the sequence [rad]: π/2 − |b|, or min(b, π − b) for YXY and its like.

    There the first and the third axis fall together, and only the sum or difference of their angles means anything:
    an error δ of the attitude becomes about δ / sin(distance) in either of them.
    """
    return _distance(cardan(R, sequence)[..., 1], sequence)


def _distance(b: FloatArray, sequence: str) -> FloatArray:
    """Distance from the singularity by the second angle, of either solution."""
    sine, cosine = np.abs(np.sin(b)), np.abs(np.cos(b))
    return np.asarray(np.arctan2(sine, cosine) if is_symmetric(sequence) else np.arctan2(cosine, sine))


def joint_coordinate_system(
    R_WP: ArrayLike, R_WD: ArrayLike, sequence: str
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Axes e1, e2, e3 (..., 3) about which the three angles turn, in the laboratory [GroodSuntay1983].

    e1 is fixed in the proximal segment P, e3 in the distal one D, and the floating axis e2 is normal to both:

        ZXY    e1 = Z_P,  e3 = Y_D,  e2 = e3 × e1 / |e3 × e1|
        YXZ    e1 = Y_P,  e3 = Z_D,  e2 = e1 × e3 / |e1 × e3|
        YXY    e1 = Y_P,  e3 = Y_D,  e2 = e1 × e3 / |e1 × e3|

    e2 is NaN at the singularity, where it is not defined.
    """
    i, _, _, third, parity = _axes(sequence)
    e1 = np.asarray(R_WP, dtype=np.float64)[..., :, i]
    e3 = np.asarray(R_WD, dtype=np.float64)[..., :, third]
    sign = 1.0 if third == i else -parity
    return e1, sign * unit(np.cross(e1, e3)), e3


def wrapped(angle: ArrayLike) -> FloatArray:
    """Angles brought into (−π, π] by whole turns."""
    angle = np.asarray(angle, dtype=np.float64)
    return np.asarray(angle - 2.0 * np.pi * np.ceil((angle - np.pi) / (2.0 * np.pi)))


def unwrapped(angles: ArrayLike, sequence: str | None = None) -> FloatArray:
    """Angles (T, k) without jumps in time: every valid sample is the one nearest to the valid sample before it.

    Frames with a NaN stay NaN, and the next valid frame goes on from the last one before. With ``sequence`` (k = 3)
    the other angles of the same rotation (`other_solution`) are taken where they are the nearer ones, so that a joint
    can pass the singularity (an abduction of 100° does not fold back to 80°). Frames within `NEAR` of the singularity
    have no say in this, because noise could lead the curve anywhere there: the last clear frame before and the first
    one after are compared, and frames in between take the solution nearest to the clear frame that is nearer in time.

    Continuity alone leaves open which of the two curves is meant. For YXY and its like it is the one that has the
    branch that was given in most frames. For ZXY and its like, where angles may lead around the singularity and a
    joint come back with the other solution, it is the smaller one in every regular stretch: see `_small_turns`.
    """
    angles = np.array(angles, dtype=np.float64)
    valid = np.flatnonzero(np.isfinite(angles).all(axis=1))
    path = angles[valid]
    angles[:] = np.nan
    if len(valid):
        angles[valid] = np.unwrap(path, axis=0) if sequence is None else _continued(path, valid, sequence)
    return angles


def _continued(path: FloatArray, frames: IntArray, sequence: str) -> FloatArray:
    """Continuous one of the two solutions, (T, 3), at these frames (T,)."""
    other = other_solution(path, sequence)
    clear = _distance(path[:, 1], sequence) >= NEAR
    if not clear.any():
        clear[:] = True
    use_other = _nearer_branch(path[clear], other[clear])
    curve = np.unwrap(np.where(use_other[:, None], other[clear], path[clear]), axis=0)
    if not is_symmetric(sequence):
        curve = _small_turns(curve, np.diff(frames[clear]) > 1, sequence)
    result = np.empty_like(path)
    result[clear] = curve
    at, known = np.flatnonzero(~clear), np.flatnonzero(clear)
    neighbour = curve[np.rint(np.interp(at, known, np.arange(len(known)))).astype(np.int64)]
    off, off_other = wrapped(path[at] - neighbour), wrapped(other[at] - neighbour)
    nearer = np.cos(off_other).sum(axis=1) > np.cos(off).sum(axis=1)
    result[at] = neighbour + np.where(nearer[:, None], off_other, off)
    return result


def _small_turns(curve: FloatArray, broken: BoolArray, sequence: str) -> FloatArray:
    """Continuous curve (T, 3) by a sequence of three different axes, in every regular stretch by the smaller turns.

    A stretch is regular while it is `REGULAR` away from the singularity and not ``broken`` (T−1,) by frames that are
    missing or `NEAR`. The turns of the two solutions add up to

        |a| + |b| + |c|  +  |a+π| + |π−b| + |c+π| = 3π        (each between −π and π)

    so the one is smallest where the other is largest. A stretch takes the solution that comes nearer to zero anywhere
    in it, but for `OUTLYING` frames; that is, smallest and largest turns have their middle below 3π/2. An arm that
    hangs then has angles near zero, and one raised sideways (0, 120°, 0) and not (180°, 60°, 180°). A stretch that is
    `UNDECIDED` goes on from the one before. Where the solution changes, it does so in the break between two stretches
    or, without one, where the curve is nearest to the singularity, and every part lies in the first turn by the
    median; nothing else jumps.
    """
    distance = _distance(curve[:, 1], sequence)
    regular = distance >= REGULAR
    if not regular.any():
        regular[:] = True
    fresh = np.concatenate([[True], broken])  # frames before which others are left out
    first = np.flatnonzero(regular & (fresh | np.concatenate([[True], ~regular[:-1]])))
    last = np.flatnonzero(regular & np.concatenate([fresh[1:] | ~regular[1:], [True]]))
    turns = np.abs(wrapped(curve)).sum(axis=1)
    distance = np.where(fresh, 0.0, distance)
    use_other = np.zeros(len(curve), dtype=np.bool_)
    borders = [0]
    for k, (start, end) in enumerate(zip(first, last, strict=True)):  # over stretches: each goes on from the one before
        beyond = float(np.quantile(turns[start : end + 1], [OUTLYING, 1.0 - OUTLYING]).mean()) - HALF_WAY
        if k == 0:
            use_other[:] = beyond > 0.0
        elif abs(beyond) > UNDECIDED and (beyond > 0.0) != use_other[-1]:
            after = last[k - 1] + 1
            borders.append(int(after + np.argmin(distance[after : start + 1])))
            use_other[borders[-1] :] = beyond > 0.0
    a, b, c = curve.T
    result = np.where(use_other[:, None], np.stack([a + np.pi, np.pi - b, c + np.pi], axis=-1), curve)
    if len(borders) == 1:
        return np.asarray(result - (result[0] - wrapped(result[0])))
    for part in map(slice, borders, [*borders[1:], len(curve)]):
        middle = np.median(result[part], axis=0)
        result[part] -= middle - wrapped(middle)
    return result


def _nearer_branch(path: FloatArray, other: FloatArray) -> BoolArray:
    """Frames (T,) that take the other solution, because it is nearer to that of the frame before by Σ cos(difference).

    The distance between two frames is the same in either branch, and so is that from one to the other; whether to
    change is therefore decided for every frame at once.
    """
    stay = np.cos(np.diff(path, axis=0)).sum(axis=1)
    change = np.cos(other[1:] - path[:-1]).sum(axis=1)
    in_other = np.concatenate([[False], np.cumsum(change > stay) % 2 == 1])
    return ~in_other if in_other.sum() > 0.5 * len(in_other) else in_other


def rotation_about_axis(R: ArrayLike, axis: ArrayLike) -> FloatArray:
    """Angle θ (...) in (−π, π] of the rotation about ``axis`` n (..., 3) that is nearest to R.

        θ = atan2(n·r, tr R − nᵀR n),   r = (R21 − R12, R02 − R20, R10 − R01)

    maximises tr(R(n, θ)ᵀ R); it is the twist 2 atan2(n·q⃗, q0) of the quaternion of R. ``axis`` need not be unit length.
    """
    R = np.asarray(R, dtype=np.float64)
    n = unit(np.asarray(axis, dtype=np.float64))
    sine = np.sum(n * _axial(R), axis=-1)
    along = np.einsum("...i,...ij,...j->...", n, R, n)
    return np.asarray(np.arctan2(2.0 * sine, np.trace(R, axis1=-2, axis2=-1) - along))


def _axial(A: FloatArray) -> FloatArray:
    """Axial vector (..., 3) of the antisymmetric part of A (..., 3, 3)."""
    twice = np.stack([A[..., 2, 1] - A[..., 1, 2], A[..., 0, 2] - A[..., 2, 0], A[..., 1, 0] - A[..., 0, 1]], axis=-1)
    return np.asarray(0.5 * twice)


def angular_velocity(R: ArrayLike, Rdot: ArrayLike) -> FloatArray:
    """ω (..., 3) [rad/s] in the laboratory: axial vector of Ṙ Rᵀ.

    With R̈ instead of Ṙ it is the angular acceleration: R̈ Rᵀ = α̃ + ω̃ ω̃, and ω̃ ω̃ is symmetric.
    """
    product = np.asarray(Rdot, dtype=np.float64) @ np.swapaxes(np.asarray(R, dtype=np.float64), -1, -2)
    return _axial(product)


def nearest_rotation(A: ArrayLike) -> FloatArray:
    """Rotations (..., 3, 3) nearest to nearly orthonormal axes A: the orthogonal factor of A = R S [Higham1986].

    Newton's iteration X ← ½(X + X⁻ᵀ), where X⁻ᵀ has the columns x2×x3, x3×x1, x1×x2 divided by det X. NaN where axes
    are missing, lie in a plane or are left-handed.
    """
    X = np.array(A, dtype=np.float64)
    _polar(X.reshape(-1, 3, 3))
    return X


@compiled
def _polar(X: FloatArray) -> None:
    """Replace matrices (F, 3, 3) by their orthogonal factors."""
    C = np.empty((3, 3))
    for f in range(X.shape[0]):
        for step in range(NEWTON_STEPS):
            volume = 0.0
            for i in range(3):  # cofactors: the columns x2×x3, x3×x1, x1×x2
                j, k = (i + 1) % 3, (i + 2) % 3
                for c in range(3):
                    d, e = (c + 1) % 3, (c + 2) % 3
                    C[i, c] = X[f, j, d] * X[f, k, e] - X[f, k, d] * X[f, j, e]
                volume += X[f, i, 0] * C[i, 0]
            if step == 0 and not volume > 0.0:
                X[f] = np.nan
                break
            change = 0.0
            for i in range(3):
                for c in range(3):
                    new = 0.5 * (X[f, i, c] + C[i, c] / volume)
                    change = max(change, abs(new - X[f, i, c]))
                    X[f, i, c] = new
            if not change > ORTHONORMAL:
                break


def unit(vector: FloatArray) -> FloatArray:
    """Vectors (..., 3) made unit length; NaN where there is no length."""
    length = np.sqrt(np.einsum("...i,...i->...", vector, vector))[..., None]
    return np.asarray(vector / np.where(length > 0.0, length, np.nan))


def cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """a × b (..., 3); of a few hundred frames in a third of the time that NumPy's own takes."""
    product = np.empty(a.shape if a.shape == b.shape else np.broadcast_shapes(a.shape, b.shape))
    ax, ay, az, bx, by, bz = a[..., 0], a[..., 1], a[..., 2], b[..., 0], b[..., 1], b[..., 2]
    product[..., 0], product[..., 1], product[..., 2] = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    return product
