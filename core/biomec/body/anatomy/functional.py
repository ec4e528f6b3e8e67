"""Joint centres and axes from movement: two segments turn against each other, and what stays fixed in both is sought.

      proximal segment (R₁, p₁)          distal segment (R₂, p₂)
                        c₁ ●- - - - - - ● c₂          R₁ c₁ + p₁  ≈  R₂ c₂ + p₂   in every frame

A movement about many axes fixes the one point (SCoRE); a movement about one axis leaves it free along that axis (SARA).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, problem, warning
from biomec.signals.local_frames import Donors, PoseMethod, least_squares_frame

FEWEST_FRAMES = 10
_LOWEST_TRIANGLE = 0.010  # m: markers nearer to a line than this do not tell how a segment turns


class FunctionalError(BiomecError):
    """Poses or markers that no functional centre can be computed from."""


@dataclass(frozen=True)
class FunctionalOptions:
    """How much movement a functional centre or axis needs [rad], and where a centre stops to be plausible [m].

    The limits of movement are Biomec's own, cautious choice. Regressions of the hip miss its centre by 12.3 ± 5.9 mm
    (Harrington) and 25.0 ± 6.7 mm (Davis) [Mantovani2016]; a centre beyond mean + 3 SD of the poorer one is not the
    joint's. Good functional trials leave a residual of about 12 mm [RaveraPeterson2021], and soft tissue moves by 20 mm
    [Fiorentino2016]; a larger residual is not a rotation about one point. The distance also bounds the radius: the
    lengths of the segments change by no more than it.

    range_of_centre : of the second largest turn that SCoRE wants to see; movements to record are in [Camomilla2006]
    range_of_axis   : of the largest turn that SARA wants to see
    farthest        : distance of a centre from the regression at which it is refused; from ``far`` on it gets a warning
    largest_residual: of SCoRE, at which a centre is refused
    share_of_second : second largest turn over the largest, above which a movement is about no single axis
    """

    range_of_centre: float = float(np.deg2rad(20.0))
    range_of_axis: float = float(np.deg2rad(30.0))
    share_of_second: float = 0.5
    far: float = 0.030  # 12.3 + 3 × 5.9 mm
    farthest: float = 0.045  # 25.0 + 3 × 6.7 mm
    largest_residual: float = 0.020


@dataclass(frozen=True, eq=False)
class SegmentPoses:
    """A segment in T frames, against its static pose.

    The local frame has the axes of the laboratory in the static pose and its origin in the mean of the static markers.

    R        : (T, 3, 3) attitude, p : (T, 3) origin [m]; NaN in frames with too few markers
    residual : (T,) root mean square distance [m] of the markers that were seen from the rigid segment
    origin   : (3,) the local origin in the static pose [m]
    """

    R: FloatArray
    p: FloatArray
    residual: FloatArray
    origin: FloatArray

    def local(self, static_point: FloatArray) -> FloatArray:
        """Local coordinates (..., 3) [m] of points given in the static pose."""
        return np.asarray(static_point - self.origin)

    def static(self, local_point: FloatArray) -> FloatArray:
        """Where points with these local coordinates (..., 3) [m] are in the static pose."""
        return np.asarray(local_point + self.origin)


@dataclass(frozen=True, eq=False)
class FunctionalCentre:
    """Centre of rotation by SCoRE.

    centre_proximal, centre_distal : (3,) in the frames of the two segments [m]; NaN if nothing could be computed
    distance        : (T,) between the two centres in the laboratory [m]; NaN in frames that were left out
    residual        : root mean square of it, weighted [m]
    range_of_motion : (3,) turn of the distal in the proximal segment along its principal directions, falling [rad]
    conditioning    : largest over smallest singular value of the problem; large if a direction is not fixed
    frames          : how many were used
    """

    centre_proximal: FloatArray
    centre_distal: FloatArray
    distance: FloatArray
    residual: float
    range_of_motion: FloatArray
    conditioning: float
    frames: int
    options: FunctionalOptions
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, eq=False)
class FunctionalAxis:
    """Axis of rotation by SARA: a point on it and its direction, in both segments.

    point_proximal, point_distal         : (3,) [m], the point of the axis that is nearest to both local origins
    direction_proximal, direction_distal : (3,) unit vectors
    distance, residual : as for a centre [m], of the point
    wobble             : root mean square angle between the two directions in the laboratory [rad]
    conditioning       : second smallest over smallest singular value; near 1 if no single axis stands out
    """

    point_proximal: FloatArray
    point_distal: FloatArray
    direction_proximal: FloatArray
    direction_distal: FloatArray
    distance: FloatArray
    residual: float
    wobble: float
    range_of_motion: FloatArray
    conditioning: float
    frames: int
    options: FunctionalOptions
    notices: tuple[Notice, ...] = ()


def segment_poses(markers: FloatArray, static: FloatArray) -> SegmentPoses:
    """Poses of a segment by least squares on its markers (T, K, 3) against the static pose (K, 3) [m].

    Any three markers that are in sight and do not lie on a line suffice in a frame      [SoderkvistWedin1993]
    """
    if markers.ndim != 3 or markers.shape[1:] != static.shape or static.shape[-1] != 3:
        raise FunctionalError(
            f"Markers of shape {markers.shape} do not go with a static pose of shape {static.shape}: "
            "(frames, markers, 3) and (markers, 3) are wanted, with the same markers."
        )
    donors = Donors.at(static, _LOWEST_TRIANGLE, PoseMethod.LEAST_SQUARES)
    if len(donors.triads) == 0:
        raise FunctionalError(
            f"The {len(static)} markers of the segment do not span it in the static pose: three are wanted that lie "
            f"at least {1e3 * _LOWEST_TRIANGLE:.0f} mm from a common line."
        )
    rigid = donors.rebuild(markers, static)
    p, R = least_squares_frame(np.where(np.isfinite(rigid), rigid, 0.0), static)
    lost = ~np.isfinite(rigid).all(axis=(1, 2))
    p[lost], R[lost] = np.nan, np.nan
    squares = np.sum((markers - rigid) ** 2, axis=2)
    seen = np.isfinite(squares)
    mean = np.where(seen, squares, 0.0).sum(axis=1) / np.maximum(seen.sum(axis=1), 1)
    residual = np.where(seen.any(axis=1), np.sqrt(mean), np.nan)
    return SegmentPoses(read_only(R), read_only(p), read_only(residual), read_only(static.mean(axis=0)))


def functional_centre(
    proximal: tuple[FloatArray, FloatArray],
    distal: tuple[FloatArray, FloatArray],
    options: FunctionalOptions = FunctionalOptions(),
    weights: FloatArray | None = None,
) -> FunctionalCentre:
    """Centre of rotation of two segments, given as (R (T, 3, 3), p (T, 3) [m]) each.

    It minimises Σ w ‖R₁ c₁ + p₁ − R₂ c₂ − p₂‖² over c₁ and c₂: the least-squares solution of

        [R₁  −R₂] (c₁, c₂) = p₂ − p₁      in all frames      [Ehrig2006] (SCoRE)

    Frames with a missing pose, or with a weight (T,) that is zero or missing, are left out. Of a movement about one
    axis the result is some point of that axis, and a notice says so.
    """
    equations = _Equations.of(proximal, distal, weights)
    if equations.frames < FEWEST_FRAMES:
        return _no_centre(equations, options)
    U, S, Vt = equations.svd()
    solution = _smallest_solution(U, S, Vt, equations.b)
    distance = equations.distance(solution)
    ranges = equations.range_of_motion()
    return FunctionalCentre(
        read_only(solution[:3]),
        read_only(solution[3:]),
        read_only(distance),
        equations.mean_square_root(distance),
        read_only(ranges),
        float(S[0] / S[-1]) if S[-1] > 0.0 else float("inf"),
        equations.frames,
        options,
        _notices_of_centre(ranges, options),
    )


def functional_axis(
    proximal: tuple[FloatArray, FloatArray],
    distal: tuple[FloatArray, FloatArray],
    options: FunctionalOptions = FunctionalOptions(),
    weights: FloatArray | None = None,
    towards: FloatArray | None = None,
) -> FunctionalAxis:
    """Axis of rotation of two segments, given as for `functional_centre`.

    The right singular vector (a₁, a₂) of [R₁ −R₂] with the smallest singular value is the direction in both segments,
    as R₁ a₁ ≈ R₂ a₂ in all frames; the point on it solves the SCoRE problem without that vector      [Ehrig2007] (SARA)
    ``towards`` (3,) is a direction of the proximal segment that the axis shall point along; without it the largest
    component is positive.
    """
    equations = _Equations.of(proximal, distal, weights)
    if equations.frames < FEWEST_FRAMES:
        return _no_axis(equations, options)
    U, S, Vt = equations.svd()
    point = _smallest_solution(U[:, :5], S[:5], Vt[:5], equations.b)
    a1, a2 = (part / np.linalg.norm(part) for part in (Vt[5, :3], Vt[5, 3:]))
    along = a1 @ towards if towards is not None else a1[np.argmax(np.abs(a1))]
    sign = -1.0 if along < 0.0 else 1.0
    ranges = equations.range_of_motion()
    distance = equations.distance(point)
    return FunctionalAxis(
        read_only(point[:3]),
        read_only(point[3:]),
        read_only(sign * a1),
        read_only(sign * a2),
        read_only(distance),
        equations.mean_square_root(distance),
        equations.wobble(a1, a2),
        read_only(ranges),
        float(S[4] / S[5]) if S[5] > 0.0 else float("inf"),
        equations.frames,
        options,
        _notices_of_axis(ranges, options),
    )


@dataclass(frozen=True)
class _Equations:
    """[R₁ −R₂] x = p₂ − p₁ in the frames that are used (N), each scaled by the root of its weight."""

    R1: FloatArray  # (N, 3, 3)
    R2: FloatArray
    difference: FloatArray  # (N, 3) p₂ − p₁ [m]
    weights: FloatArray  # (N,)
    used: BoolArray  # (T,) whether a frame is used

    @classmethod
    def of(
        cls,
        proximal: tuple[FloatArray, FloatArray],
        distal: tuple[FloatArray, FloatArray],
        weights: FloatArray | None,
    ) -> _Equations:
        (R1, p1), (R2, p2) = proximal, distal
        count = len(p1)
        w = np.ones(count) if weights is None else np.asarray(weights, dtype=np.float64)
        wanted = ((count, 3, 3), (count, 3), (count, 3, 3), (count, 3), (count,))
        if tuple(array.shape for array in (R1, p1, R2, p2, w)) != wanted:
            raise FunctionalError(
                "The poses of the two segments do not belong together: attitudes (frames, 3, 3), origins (frames, 3) "
                "and weights (frames,) with the same number of frames are wanted."
            )
        if np.any(w < 0.0):
            raise FunctionalError(f"A weight is negative in frame {int(np.argmax(w < 0.0))}; weights are 0 or more.")
        finite = [np.isfinite(array).reshape(count, -1).all(axis=1) for array in (R1, p1, R2, p2, w)]
        used = np.logical_and.reduce(finite) & (w > 0.0)
        return cls(R1[used], R2[used], (p2 - p1)[used], w[used], used)

    @property
    def frames(self) -> int:
        return len(self.weights)

    @property
    def b(self) -> FloatArray:
        return np.asarray((np.sqrt(self.weights)[:, None] * self.difference).ravel())

    def svd(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        A = np.sqrt(self.weights)[:, None, None] * np.concatenate([self.R1, -self.R2], axis=2)
        U, S, Vt = np.linalg.svd(A.reshape(-1, 6), full_matrices=False)
        return U, S, Vt

    def distance(self, x: FloatArray) -> FloatArray:
        """(T,) ‖R₁ c₁ − R₂ c₂ − (p₂ − p₁)‖ [m]; NaN in frames that are not used."""
        result = np.full(len(self.used), np.nan)
        result[self.used] = np.linalg.norm(self.R1 @ x[:3] - self.R2 @ x[3:] - self.difference, axis=1)
        return result

    def mean_square_root(self, distance: FloatArray) -> float:
        return float(np.sqrt(np.average(distance[self.used] ** 2, weights=self.weights)))

    def wobble(self, a1: FloatArray, a2: FloatArray) -> float:
        """Root mean square angle [rad] between the directions; by the chord, as the cosine is blind to small angles."""
        angle = 2.0 * np.arcsin(np.minimum(np.linalg.norm(self.R1 @ a1 - self.R2 @ a2, axis=1) / 2.0, 1.0))
        return float(np.sqrt(np.average(angle**2, weights=self.weights)))

    def range_of_motion(self) -> FloatArray:
        """(3,) extent [rad] of the rotation vectors about the mean attitude, along their principal directions."""
        relative = scipy.spatial.transform.Rotation.from_matrix(np.einsum("tji,tjk->tik", self.R1, self.R2))
        turns = (relative.mean().inv() * relative).as_rotvec()
        _, _, directions = np.linalg.svd(turns, full_matrices=False)
        return np.sort(np.ptp(turns @ directions.T, axis=0))[::-1]


def _smallest_solution(U: FloatArray, S: FloatArray, Vt: FloatArray, b: FloatArray) -> FloatArray:
    """Least-squares solution; along directions that rounding alone fixes it is zero."""
    fixed = S / S[0] > 1e-10
    return np.asarray(Vt[fixed].T @ ((U[:, fixed].T @ b) / S[fixed]))


def _notices_of_centre(ranges: FloatArray, options: FunctionalOptions) -> tuple[Notice, ...]:
    first, second = np.rad2deg(ranges[:2])
    wanted = np.rad2deg(options.range_of_centre)
    if second >= wanted:
        return ()
    seen = (
        f"The segments turned against each other by {first:.0f}° about one axis and {second:.0f}° about a second; "
        f"a functional centre needs {wanted:.0f}° about two. "
    )
    todo = "Record slow flexion, abduction and circling of the joint, 30° or more to each side."
    if second < 0.25 * wanted:
        lost = "The centre is not fixed along the axis of the movement. "
        return (problem("functional-centre-one-axis", seen + lost + todo),)
    return (warning("functional-centre-little-motion", seen + todo),)


def _notices_of_axis(ranges: FloatArray, options: FunctionalOptions) -> tuple[Notice, ...]:
    first, second = np.rad2deg(ranges[:2])
    wanted = np.rad2deg(options.range_of_axis)
    notices = []
    if first < wanted:
        sentence = (
            f"The segments turned against each other by {first:.0f}°; a functional axis needs {wanted:.0f}°. "
            "Record slow bending and stretching of the joint over its comfortable range."
        )
        notices.append(warning("functional-axis-little-motion", sentence))
    if second > options.share_of_second * first:
        sentence = (
            f"The movement was not about one axis: {first:.0f}° about the first and {second:.0f}° about a second. "
            "Record the joint bending and stretching alone, without turning the limb, or seek a centre instead."
        )
        notices.append(problem("functional-axis-many-axes", sentence))
    return tuple(notices)


def _too_few(equations: _Equations) -> Notice:
    return problem(
        "functional-too-few-frames",
        f"Only {equations.frames} of {len(equations.used)} frames show both segments; {FEWEST_FRAMES} are needed. "
        "Choose a stretch of the recording in which the markers of both are seen.",
    )


def _no_centre(equations: _Equations, options: FunctionalOptions) -> FunctionalCentre:
    nothing, each, nan = read_only(np.full(3, np.nan)), read_only(np.full(len(equations.used), np.nan)), float("nan")
    notices = (_too_few(equations),)
    return FunctionalCentre(nothing, nothing, each, nan, nothing, nan, equations.frames, options, notices)


def _no_axis(equations: _Equations, options: FunctionalOptions) -> FunctionalAxis:
    nothing, each, nan = read_only(np.full(3, np.nan)), read_only(np.full(len(equations.used), np.nan)), float("nan")
    return FunctionalAxis(
        *(nothing,) * 4, each, nan, nan, nothing, nan, equations.frames, options, (_too_few(equations),)
    )
