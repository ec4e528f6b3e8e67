"""Kinematic consistency: measured motion made to obey the model in positions, velocities and accelerations.

Markers on skin, rebuilt markers and filters leave segments that change their length and joints that come apart. Per
frame, the configuration nearest to the measured one that satisfies every constraint is found, by one of two measures of
nearness: natural coordinates ([Nunes2017] Eq. 4.14), or markers (`global_optimisation`). `docs/consistency.md` explains
both to users.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, IntArray, for_loops, locked, read_only
from biomec.base.compiled import compiled
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, warning
from biomec.base.progress import Progress, part_of
from biomec.body.anatomy.frames import Points
from biomec.body.anatomy.landmarks import trajectories
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.kinematics.consistency_notices import Reporter
from biomec.body.kinematics.consistency_options import ConsistencyOptions
from biomec.body.kinematics.consistent_motion import ConsistentMotion, ConsistentPositions
from biomec.body.kinematics.contact_points import ContactPoints, contact_points
from biomec.body.kinematics.global_optimisation import (
    PULL,
    fit_markers,
    marker_targets,
    starting_coordinates,
    undetermined_segments,
)
from biomec.body.kinematics.moved_markers import MovedSegment, moved_segments, stray, with_places
from biomec.body.kinematics.weights import coordinate_weights, marker_weights
from biomec.engine.contacts import PointContacts
from biomec.engine.maps import VectorTable, vector_table, vectors_of
from biomec.engine.position import PositionResult, PositionSolver
from biomec.engine.projection import Projector
from biomec.recording import Markers
from biomec.signals.derivatives import derivative
from biomec.signals.reconstruction import SampleOrigin

__all__ = [
    "ConsistencyOptions",
    "ConsistentMotion",
    "ConsistentPositions",
    "ContactPoints",
    "consistent_motion",
    "consistent_positions",
    "consistent_rates",
    "contact_points",
]

POSITIONS = 0.7  # share of the work that the positions are


def consistent_motion(
    body: SubjectModel,
    markers: Markers,
    contacts: ContactPoints | None = None,
    options: ConsistencyOptions = ConsistencyOptions(),
    progress: Progress | None = None,
    *,
    origin: IntArray | None = None,
    first_frame: int = 0,
) -> ConsistentMotion:
    """Motion of a person's model nearest to the markers of a trial: `consistent_positions`, then `consistent_rates`."""
    positions = consistent_positions(
        body, markers, contacts, options, part_of(progress, 0.0, POSITIONS), origin=origin, first_frame=first_frame
    )
    return consistent_rates(body, positions, part_of(progress, POSITIONS, 1.0))


def consistent_rates(
    body: SubjectModel, positions: ConsistentPositions, progress: Progress | None = None
) -> ConsistentMotion:
    """Velocities and accelerations that obey the model as well.

    1. q̇* is the derivative in time of the consistent q, projected on Φq q̇ = 0 in the metric of the masses.
    2. q̈* is the derivative of the projected q̇, projected on Φq q̈ = −Φ̇q q̇.

    Points that the ground holds have no velocity and no acceleration.
    """
    q, rate, options = positions.q, positions.rate_hz, positions.options
    projector, notices = _projector(body, positions.held, options)
    qdot_star = derivative(q, rate, 1, options.scheme)
    velocity = projector.velocities(q, qdot_star, progress=part_of(progress, 0.0, 0.5))
    qddot_star = derivative(velocity.value, rate, 1, options.scheme)
    acceleration = projector.accelerations(q, velocity.value, qddot_star, progress=part_of(progress, 0.5, 1.0))
    known = {one.name: getattr(positions, one.name) for one in fields(positions) if one.name != "notices"}
    return ConsistentMotion(
        **known,
        notices=(*positions.notices, *notices),
        qdot=velocity.value,
        qddot=acceleration.value,
        velocity=velocity,
        acceleration=acceleration,
    )


def consistent_positions(
    body: SubjectModel,
    markers: Markers,
    contacts: ContactPoints | None = None,
    options: ConsistencyOptions = ConsistencyOptions(),
    progress: Progress | None = None,
    *,
    points: Points | None = None,
    origin: IntArray | None = None,
    first_frame: int = 0,
) -> ConsistentPositions:
    """Positions of a person's model nearest to the markers of a trial.

    markers  : in axes X forward, Y up, Z right, rebuilt and filtered as wanted
    contacts : points held by the ground, from `contact_points`: temporary rows (Eqs. 4.15-4.16)
    points   : landmarks and computed points (T, 3) [m] that `points_in_motion` gives of the markers, if known already
    origin   : (T, M) `SampleOrigin` of the samples: rebuilt ones weigh less in global optimisation, and only measured
               ones count in the residuals of markers
    first_frame : number that the file gives to the first frame, for the words of notices

    Minimises ½(q − q*)ᵀW(q − q*), or the distances of the markers, under Φ(q) = 0; each frame by itself. Markers that
    were moved since the static count where they sit now (`moved_markers`).
    """
    if contacts is not None and contacts.frames != markers.frames:
        raise BiomecError(
            f"The contacts have {contacts.frames} frames, the markers {markers.frames}; take both from one trial."
        )
    if options.method == "auto":
        options = replace(options, method=body.marker_set.method)
    points = _raw_points(body, markers, points)
    q_star = body.measured_coordinates(points)
    system, layout = body.system, body.system.layout
    held = {} if contacts is None else {name: p for name, p in contacts.places.items() if name in layout.bodies}
    moved: tuple[MovedSegment, ...] = ()
    worn = body  # the same person, with markers where they sit
    if options.method == "markers":
        start = starting_coordinates(body, markers, q_star)
        attached = _only_seen(body, start.q, start.seen)
        temporary = PointContacts.at(layout, attached, held) if held else None

        def fitted(person: SubjectModel) -> tuple[PositionResult, BoolArray]:
            targets = marker_targets(person, markers, *marker_weights(body, markers, options.weights, origin))
            found = fit_markers(person, start, targets, temporary, options, progress)
            return found, undetermined_segments(person, found.q, targets)

        position, free = fitted(body)
        seen, residual = _marker_residuals(body, markers, position.q, origin)
        if options.moved_markers and stray(residual):
            moved = moved_segments(body, markers, origin)
            worn = with_places(body, moved)
        if worn is not body:
            position, free = fitted(worn)
            seen, residual = _marker_residuals(worn, markers, position.q, origin)
        weights = np.full(system.n, PULL)
        undetermined = free & ~start.seen
    else:
        temporary = PointContacts.at(layout, q_star, held) if held else None
        weights = coordinate_weights(body, q_star, options.weights)
        solver = PositionSolver(system, metric=weights, options=options.position)
        position = solver.solve(q_star, contacts=temporary, progress=progress)
        seen, residual = _marker_residuals(body, markers, position.q, origin)
        free = undetermined = np.zeros((markers.frames, len(layout.bodies)), dtype=np.bool_)
    valid = position.valid
    q = position.q if valid.all() else np.where(valid[:, None], position.q, np.nan)
    q.setflags(write=False)

    landmarks, distance = _landmark_distances(body, points, q)
    residual[~valid] = np.nan
    joints, gap = _joint_gaps(body, q_star)
    refound = [one.segment for one in moved if one.places]  # their landmarks follow the old places: nothing to tell
    sure = [k for k, name in enumerate(landmarks) if not any(name in layout.bodies[s].points for s in refound)]
    reporter = Reporter(
        body, markers, points, position, valid, free, undetermined, tuple(landmarks[k] for k in sure),
        distance[:, sure], seen, residual, joints, gap, first_frame,
    )  # fmt: skip
    return ConsistentPositions(
        q=q,
        q_star=locked(q_star),
        position=position,
        valid=locked(valid),
        segments=tuple(layout.bodies),
        undetermined=locked(undetermined),
        landmarks=landmarks,
        distance=locked(distance),
        markers=seen,
        marker_residual=locked(residual),
        joints=joints,
        joint_gap=locked(gap),
        weights=read_only(weights),
        contacts=contacts,
        held=temporary,
        rate_hz=markers.rate_hz,
        options=options,
        notices=(
            *(() if contacts is None else contacts.notices),
            *(one.notice for one in moved),
            *reporter.notices(options),
        ),
    )


def _raw_points(body: SubjectModel, markers: Markers, known: Points | None) -> Points:
    """Points of every frame (T, 3) [m]; NaN for those that frames and coordinates need and the trial does not have."""
    points = dict(body.points_in_motion(trajectories(markers)) if known is None else known)
    absent = np.full((markers.frames, 3), np.nan)
    for segment in body.segments:
        for name in (*body.frames[segment.name].landmarks, *segment.basic_points):
            points.setdefault(name, absent)
    return points


def _only_seen(body: SubjectModel, q: FloatArray, seen: BoolArray) -> FloatArray:
    """Coordinates (T, n) with NaN for segments that are not seen (T, S), so that no contact is attached to a guess."""
    if seen.all():
        return q
    known = np.array(q)
    for s, name in enumerate(body.system.layout.bodies):
        known[np.ix_(~seen[:, s], body.system.layout.columns(name))] = np.nan
    return known


def _projector(
    body: SubjectModel, contacts: PointContacts | None, options: ConsistencyOptions
) -> tuple[Projector, list[Notice]]:
    """Projector in the metric of the masses, or with all coordinates alike where the masses do not suffice."""
    if options.metric == "mass":
        try:
            return Projector(body.system, contacts=contacts, options=options.projection), []
        except BiomecError as refusal:
            notice = warning(
                "no-mass-metric",
                f"Velocities and accelerations were projected with all coordinates alike instead of by the masses: "
                f"{refusal}",
            )
            alike = Projector(body.system, metric="identity", contacts=contacts, options=options.projection)
            return alike, [notice]
    return Projector(body.system, metric="identity", contacts=contacts, options=options.projection), []


def _distances(body: SubjectModel, q: FloatArray, names: tuple[str, ...], measured: FloatArray) -> FloatArray:
    """(T, K) from every ``segment.point`` at coordinates q (T, n) to where it was measured (T, K, 3) [m]."""
    if not names:
        return np.zeros((len(q), 0))
    layout = body.system.layout
    table = body.system.derived(("vectors", *names), lambda: vector_table([layout.point(name) for name in names]))
    return _apart(table, for_loops(q), for_loops(measured))


@compiled
def _apart(table: VectorTable, q: FloatArray, measured: FloatArray) -> FloatArray:
    """Distances (T, K) of the points of a table at q (T, n) from measured ones (T, K, 3) [m]."""
    first, column, factor, constant = table
    apart = np.empty(measured.shape[:2])
    for t in range(q.shape[0]):
        for k in range(constant.shape[0]):
            x, y, z = constant[k, 0], constant[k, 1], constant[k, 2]
            for at in range(first[k], first[k + 1]):
                c = column[at]
                x += factor[at] * q[t, c]
                y += factor[at] * q[t, c + 1]
                z += factor[at] * q[t, c + 2]
            x, y, z = x - measured[t, k, 0], y - measured[t, k, 1], z - measured[t, k, 2]
            apart[t, k] = np.sqrt(x * x + y * y + z * z)
    return apart


def _lengths(vectors: FloatArray) -> FloatArray:
    """Lengths (...) of vectors (..., 3)."""
    return np.asarray(np.sqrt(np.einsum("...i,...i->...", vectors, vectors)))


def _landmark_distances(body: SubjectModel, points: Points, q: FloatArray) -> tuple[tuple[str, ...], FloatArray]:
    """Landmarks (L,) of the model and the distance (T, L) from the raw to the consistent one [m].

    A joint centre belongs to two segments; consistent coordinates put it at one place.
    """
    owner = body.system.derived(("landmarks shown", *points), lambda: _landmark_owners(body, points))
    labels = tuple(f"{segment}.{name}" for name, segment in owner.items())
    measured = np.stack([points[name] for name in owner], axis=1) if owner else np.empty((len(q), 0, 3))
    return tuple(owner), _distances(body, q, labels, measured)


def _landmark_owners(body: SubjectModel, points: Iterable[str]) -> dict[str, str]:
    """Landmark of the model, out of the points that are known -> segment that carries it."""
    known, computed = set(points), {step.name for step in body.plan.steps}
    owner: dict[str, str] = {}
    for segment in body.segments:
        model = {*segment.basic_points, *segment.points, *computed}
        for name in body.system.layout.bodies[segment.name].points:
            if name in model and name in known:
                owner.setdefault(name, segment.name)
    return owner


def _marker_residuals(
    body: SubjectModel, markers: Markers, q: FloatArray, origin: IntArray | None
) -> tuple[tuple[str, ...], FloatArray]:
    """Followed markers (M,) that were measured and the distance (T, M) to the model's [m]; NaN where not measured."""
    measured = markers.visible if origin is None else np.asarray(origin == SampleOrigin.MEASURED)
    seen = {name: k for k, name in enumerate(markers.names) if name in body.followed and measured[:, k].any()}
    columns, labels = list(seen.values()), tuple(f"{body.followed[name]}.{name}" for name in seen)
    residual = _distances(body, q, labels, markers.p_WM.take(columns, axis=1))
    residual[~measured[:, columns]] = np.nan
    return tuple(seen), residual


def _joint_gaps(body: SubjectModel, q_star: FloatArray) -> tuple[tuple[str, ...], FloatArray]:
    """Joints (J,) of the system and how far apart (T, J) measured coordinates put the two ends of each [m]."""
    layout = body.system.layout
    kept = {constraint.name for constraint in body.system.constraints}
    joints = [joint for joint in body.model.joints if joint.name in kept]
    if not joints:
        return (), np.zeros((len(q_star), 0))
    ends = tuple(f"{one}.{joint.centre}" for joint in joints for one in (joint.proximal, joint.distal))
    table = body.system.derived(("vectors", *ends), lambda: vector_table([layout.point(name) for name in ends]))
    places = vectors_of(table, q_star)
    return tuple(joint.name for joint in joints), _lengths(places[:, ::2] - places[:, 1::2])
