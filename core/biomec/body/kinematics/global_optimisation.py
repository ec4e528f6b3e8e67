"""Global optimisation: the consistent motion whose markers are nearest to the measured ones [LuOConnor1999].

    minimise ½ Σ w ‖C q − p‖² + ½ ε ‖q − q₀‖²   subject to   Φ(q) = 0

over all markers in sight, with a pull ε to the start q₀ so weak that it only decides what no marker does. Axes of
segments whose points are nearly in line are pulled as by another marker. Where no marker decides is found out and
stated: a segment that the markers do not determine is not silently invented.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from biomec.base.arrays import BoolArray, FloatArray, IntArray, locked, read_only
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.body.anatomy.subject_devices import unmarked_pieces
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.kinematics.consistency_options import ConsistencyOptions
from biomec.engine.contacts import PointContacts
from biomec.engine.position import PositionResult, PositionSolver
from biomec.engine.structure import RANK_TOLERANCE
from biomec.engine.targets import PointTargets
from biomec.recording import Markers
from biomec.signals.local_frames import Donors, PoseMethod

PULL = 1e-6  # ε: weight of the start beside markers of weight 1
SMALLEST_HEIGHT = 0.010  # m; three markers lower than this are nearly a line and tell no attitude
BESIDE = 0.045  # m; half the width of an ankle and the radius of a marker, which give the roll of a foot
UNNOTICED = 1e-8  # m²: Σ (C v)² of a motion v of length 1 that no marker notices, 0.1 mm for a turn of about 1 rad
BLOCK = 32  # columns that LAPACK takes at once
TAKES_PART = 1e-3  # share of a segment in such a motion


@dataclass(frozen=True, eq=False)
class StartingCoordinates:
    """Where the search begins.

    q    : (T, n)
    seen : (T, S) the segment's place follows from this frame's own markers; elsewhere it is interpolated in time, or
           that of the static pose beside its neighbour
    """

    q: FloatArray
    seen: BoolArray


def starting_coordinates(body: SubjectModel, markers: Markers, q_star: FloatArray) -> StartingCoordinates:
    """Coordinates near to the motion in every frame, from measured ones q* (T, n) with gaps.

    Segment by segment: the measured coordinates; where a landmark is missing, the pose of three markers of the segment
    or more ([SoderkvistWedin1993]); where these are missing as well, linear interpolation in time, the first and last
    known value at the ends; for a segment never seen, the static pose relative to a neighbour.
    """
    layout = body.system.layout
    if np.isfinite(q_star).all():
        return StartingCoordinates(q_star, locked(np.ones((len(q_star), len(layout.bodies)), dtype=np.bool_)))
    q = np.array(q_star)
    seen = np.zeros((len(q), len(layout.bodies)), dtype=np.bool_)
    for s, name in enumerate(layout.bodies):
        columns = layout.columns(name)
        part = q[:, columns]
        known = np.asarray(np.isfinite(part).all(axis=1))
        if not known.all():
            rebuilt = _from_markers(body, markers, name)
            part = np.where(known[:, None], part, rebuilt)
            known = np.asarray(np.isfinite(part).all(axis=1))
        seen[:, s] = known
        if known.any() and not known.all():
            frame = np.arange(len(q))
            part = np.stack([np.interp(frame, frame[known], column[known]) for column in part.T], axis=1)
        q[:, columns] = part
    _place_unseen(body, q)
    return StartingCoordinates(q, read_only(seen, np.bool_))


def fit_markers(
    body: SubjectModel,
    start: StartingCoordinates,
    targets: PointTargets,
    contacts: PointContacts | None,
    options: ConsistencyOptions,
    progress: Progress | None = None,
) -> PositionResult:
    """Solve the position problem with the markers as targets. Frames without any marker are missing."""
    blind = ~np.asarray((targets.weights > 0.0).any(axis=1))
    q = np.where(blind[:, None], np.nan, start.q) if blind.any() else start.q
    metric, settings = _pull(body, targets) * targets.typical_weight, options.position
    solver = body.system.derived(
        ("marker solver", metric.tobytes(), settings),
        lambda: PositionSolver(body.system, metric=metric, options=settings),
    )
    return solver.solve(q, contacts=contacts, targets=targets, progress=progress)


def _pull(body: SubjectModel, targets: PointTargets) -> FloatArray:
    """(n,) ε of every coordinate.

    A segment whose markers and joint centres are nearly in line, such as a foot with one marker at the heel and one at
    the toes, tells hardly anything about its turn about that line; noise of a millimetre turned it by tens of degrees.
    Its measured axes count as much as markers at their distance `BESIDE` would.
    """
    weighed = np.any(targets.weights > 0.0, axis=0).tolist()
    shown = frozenset(name for name, counts in zip(targets.names, weighed, strict=True) if counts)
    return body.system.derived(("pull", shown), lambda: _pull_of(body, shown))


def _pull_of(body: SubjectModel, shown: frozenset[str]) -> FloatArray:
    """The same for the markers that are shown in some frame, as ``segment.marker``."""
    system, layout = body.system, body.system.layout
    pull = np.full(system.n, PULL)
    unmarked = unmarked_pieces(body)  # whose measured place is the limb's, and must not move the limb
    for segment in body.segments:
        part = layout.bodies[segment.name]
        centres = {j.centre for j in body.model.joints if segment.name in (j.proximal, j.distal)}
        points = [p for name, p in part.points.items() if name in centres or f"{part.name}.{name}" in shown]
        spread = np.asarray(points).reshape(-1, 3)
        if segment.name in unmarked or len(spread) < 3 or _off_line(spread) > SMALLEST_HEIGHT:
            continue
        columns = np.reshape(layout.columns(segment.name), (-1, 3))
        axes = columns[[element in ("x", "y", "z") for element in segment.basis]].ravel()
        pull[axes[axes >= 0]] = BESIDE**2
    return read_only(pull)


def _off_line(points: FloatArray) -> float:
    """Largest distance [m] of points (N, 3) from the line through the two that are farthest apart."""
    apart = np.linalg.norm(points[:, None] - points, axis=2)
    first, last = np.unravel_index(int(apart.argmax()), apart.shape)
    along = (points[last] - points[first]) / max(float(apart.max()), 1e-12)
    beside = points - points[first]
    return float(np.linalg.norm(beside - np.outer(beside @ along, along), axis=1).max())


def marker_targets(body: SubjectModel, markers: Markers, names: tuple[str, ...], weights: FloatArray) -> PointTargets:
    """Targets of all followed markers (K,) that have a weight (T, K) in some frame."""
    used = np.flatnonzero((weights > 0.0).any(axis=0)).tolist()
    if not used:
        raise BiomecError(
            f"No marker of the recording is fixed in a segment of the model {body.model.name}, so there is nothing to "
            "fit. Check the mapping of the labels and the weights of the markers."
        )
    labels = tuple(f"{body.followed[names[k]]}.{names[k]}" for k in used)
    columns = [markers.index(names[k]) for k in used]
    return PointTargets.of_arrays(
        body.system.layout, labels, markers.p_WM.take(columns, axis=1), weights.take(used, axis=1)
    )


def undetermined_segments(body: SubjectModel, q: FloatArray, targets: PointTargets) -> BoolArray:
    """(T, S) segments that can move without any marker in sight noticing.

    The columns of N span the motions that the constraints allow, Φq N = 0, NᵀN = I, in a pose in the middle of the
    trial: which of them markers notice hardly depends on the pose. With C_k the map of marker k, a motion v = N z goes
    unnoticed if zᵀ(Σ Nᵀ C_kᵀ C_k N) z vanishes, summed over the markers in sight.
    """
    system, layout = body.system, body.system.layout
    seen = targets.weights > 0.0
    solved = np.flatnonzero(np.isfinite(q).all(axis=1))
    found = np.zeros((len(q), len(layout.bodies)), dtype=np.bool_)
    if not solved.size:
        return found
    N = _null_space(system.jacobian(q[solved[solved.size // 2]]))
    moves = np.einsum("rc,rcz->rz", targets.entries, N[targets.columns]).reshape(len(targets.names), -1, N.shape[1])
    noticed = np.swapaxes(moves, 1, 2) @ moves
    at, which = _patterns(seen)
    patterns = seen[at]
    value, vector = np.linalg.eigh(np.tensordot(patterns.astype(np.float64), noticed, 1))
    of_pattern = np.zeros((len(patterns), len(layout.bodies)), dtype=np.bool_)
    for k in np.flatnonzero((value < UNNOTICED).any(axis=1) & patterns.any(axis=1)):
        free = N @ vector[k][:, value[k] < UNNOTICED]
        of_pattern[k] = [np.linalg.norm(free[layout.columns(name)]) > TAKES_PART for name in layout.bodies]
    found[solved] = of_pattern[which[solved]]
    return found


def _null_space(A: FloatArray) -> FloatArray:
    """Orthonormal basis (n, n − rank) of what A (m, n) maps to zero, by a QR decomposition of Aᵀ with pivoting."""
    m, n = A.shape
    reflected, _, tau, _, _ = scipy.linalg.lapack.dgeqp3(A.T, lwork=BLOCK * (m + n))
    size = np.abs(np.diagonal(reflected))
    rank = int((size > RANK_TOLERANCE * size.max(initial=0.0)).sum())
    N, _, _ = scipy.linalg.lapack.dormqr(
        "L", "N", reflected[:, : tau.size], tau, np.eye(n, n - rank, -rank), lwork=BLOCK * n
    )
    return np.asarray(N)


def _patterns(seen: BoolArray) -> tuple[IntArray, IntArray]:
    """A frame of every combination of markers in sight (T, K), and which of them every frame (T,) has."""
    if (seen == seen[0]).all():
        return np.zeros(1, dtype=np.int64), np.zeros(len(seen), dtype=np.int64)
    packed = np.packbits(seen, axis=1)
    _, at, which = np.unique(packed.view(f"V{packed.shape[1]}").ravel(), return_index=True, return_inverse=True)
    return at, which


def _from_markers(body: SubjectModel, markers: Markers, segment: str) -> FloatArray:
    """Coordinates (T, size) of a segment from its markers in sight; NaN where they are fewer than three."""
    part = body.system.layout.bodies[segment]
    names = [name for name, owner in body.followed.items() if owner == segment and name in markers]
    p_local = np.array([part.points[name] for name in names]).reshape(-1, 3)
    donors = Donors.at(p_local, SMALLEST_HEIGHT, PoseMethod.LEAST_SQUARES)
    if not len(donors.triads):
        return np.full((markers.frames, part.size), np.nan)
    p = np.stack([markers[name] for name in names], axis=1)
    tips = donors.rebuild(p, np.vstack([np.zeros(3), np.eye(3)]))  # origin and ends of the axes, in the laboratory
    return part.coordinates(tips[:, 0], np.swapaxes(tips[:, 1:] - tips[:, :1], 1, 2))


def _place_unseen(body: SubjectModel, q: FloatArray) -> None:
    """Put segments that were never seen beside a neighbour as in the static pose; in place."""
    layout = body.system.layout
    placed = {name for name in layout.bodies if np.isfinite(q[:, layout.columns(name)]).all()}
    if not placed:
        return
    joints = [(j.proximal, j.distal) for j in body.model.joints if {j.proximal, j.distal} <= set(layout.bodies)]
    pending = [name for name in layout.bodies if name not in placed]
    while pending:
        pair = next(((a, b) for ab in joints for a, b in (ab, ab[::-1]) if a in placed and b not in placed), None)
        near, name = pair if pair is not None else (min(placed), pending[0])
        given, wanted = layout.bodies[near], layout.bodies[name]
        R_BC = given.attitude_matrix.T @ wanted.attitude_matrix
        p_BC = given.attitude_matrix.T @ (np.asarray(wanted.position) - np.asarray(given.position))
        R_WB = np.stack([layout.local_vector(near, axis)(q) for axis in np.eye(3)], axis=-1)
        p_WC = layout.lift(given, given.point_map(p_BC))(q)
        q[:, layout.columns(name)] = wanted.coordinates(p_WC, R_WB @ R_BC)
        placed.add(name)
        pending.remove(name)
