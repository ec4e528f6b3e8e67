"""Markers that no longer sit on their segment where the static has them, and where they sit instead.

Two segments, P above and D below, follow their own markers; both carry a joint of the segment S between them. S is seen
twice: by its own markers, and by the two joints of its neighbours. With c_P, c_S the centre of the upper joint as the
markers of P and S put it, and likewise c_D, c_S below, the gaps

    g_P = R_Sᵀ (c_P − c_S)        g_D = R_Sᵀ (c_D − c_S)

tell what is wrong. Skin that slides with the movement makes gaps that come and go. Markers that were moved since the
static make gaps that stay, at both ends of S and at no other end of P and D. Then the place of every marker on S is its
mean in the frame that both joints span, turned about their line as D is in the static. That turn is an assumption,
which the notice says. Where other ends of P or D gape as well, nobody knows which of them is right, and markers keep
their places. Why it matters how markers are registered on their segments: [Dunne2021].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Notice, Scope, warning
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.engine.system import System
from biomec.recording import Markers
from biomec.signals.local_frames import Donors, PoseMethod
from biomec.signals.reconstruction import SampleOrigin

MOVED = 0.025  # m: mean gap of both joints; of sound real walks up to 0.011, with a spine of one joint 0.016
SOUND = 0.020  # m: mean gap of the other joints of the neighbours, up to which they are believed
STEADY = 0.5  # of the mean gap, that its changes may reach: skin that slides with the movement changes as much
FEWEST = 25  # frames with all three segments in sight
ASIDE = 0.1  # m beside the lower joint, where a third point tells the turn about the line of both
LOWEST = 0.010  # m; three markers lower than this are nearly a line and tell no attitude
ENOUGH = 50  # frames or more, evenly spread, tell whether all of them are to be looked at
STRAY = 0.015  # m: RMS distance of a marker from the model, above which segments are looked at
TELLING = 0.015  # m: a marker that moved by less is not named

TIPS = np.vstack([np.zeros(3), np.eye(3)])  # origin and ends of the axes
Pose = tuple[FloatArray, FloatArray]  # origin (T, 3) [m] and axes (T, 3, 3)


@dataclass(frozen=True, eq=False)
class MovedSegment:
    """A segment whose markers sit elsewhere than in the static.

    gaps   : joint -> mean distance between its centre by the neighbour and by the segment [m]
    places : marker -> (3,) where it sits in the segment [m]; empty where the neighbours cannot tell
    by     : marker -> how far that is from the static [m]
    """

    segment: str
    gaps: Mapping[str, float]
    places: Mapping[str, FloatArray]
    by: Mapping[str, float]

    @property
    def notice(self) -> Notice:
        """Which markers, how far, what was done, what to do."""
        apart = " and ".join(f"{joint} {1e3 * gap:.0f} mm" for joint, gap in self.gaps.items())
        far = sorted(((by, name) for name, by in self.by.items() if by > TELLING), reverse=True)
        if not self.places:
            words = (
                f"Markers of the {self.segment} or of the segments beside it sit elsewhere than in the static: where "
                f"they meet, they are apart ({apart}). Record a static with the markers as they are worn."
            )
            return warning("markers-moved", words, self.segment, scope=Scope.JOINTS)
        named = ", ".join(f"{name} ({1e3 * by:.0f} mm)" for by, name in far)
        words = (
            f"Markers of the {self.segment} sit elsewhere than in the static: {named}. With their old places, the "
            f"segments above and below do not meet it ({apart}). Their places were found anew from the movement; "
            "its turn about its long axis stays uncertain. Record a static with the markers as they are worn."
        )
        return warning("markers-moved", words, *(name for _, name in far), scope=Scope.JOINTS)


def moved_segments(body: SubjectModel, markers: Markers, origin: IntArray | None = None) -> tuple[MovedSegment, ...]:
    """Segments between two others whose markers moved since the static.

    markers : as measured; samples that were rebuilt by ``origin`` (T, M) tell nothing, since they repeat the static
    """
    some = _Seen(body, markers, origin, max(1, markers.frames // ENOUGH))
    suspects = [name for name, ends in some.plan.between.items() if all(some.stays(name, end) for end in ends)]
    if not suspects:
        return ()
    seen, found = _Seen(body, markers, origin, 1), []
    for name in suspects:
        ends = seen.plan.between[name]
        apart = {end.joint: _size(seen.gap(name, end)) for end in ends}
        others = [(end.neighbour, other) for end in ends for other in seen.plan.ends[end.neighbour]]
        doubtful = any(_size(seen.gap(*pair)) > SOUND for pair in others if pair[1].neighbour != name)
        places = {} if doubtful else seen.places(name)
        static = body.system.layout.bodies[name].points
        by = {marker: float(np.linalg.norm(place - static[marker])) for marker, place in places.items()}
        found.append(MovedSegment(name, FrozenDict(apart), FrozenDict(places), FrozenDict(by)))
    return tuple(found)


def stray(residual: FloatArray) -> bool:
    """Whether some marker's distance from the model (T, M) [m] is worth a look.

    A thigh whose joints gape by 30 and 43 mm leaves a marker 20 mm off; sound real walks of such sets have 13 at most.
    """
    known = np.isfinite(residual)
    square = np.where(known, residual, 0.0) ** 2
    return bool((square.sum(axis=0) > STRAY**2 * known.sum(axis=0)).any())


def with_places(body: SubjectModel, moved: tuple[MovedSegment, ...]) -> SubjectModel:
    """The person with markers where they sit; joints, frames and masses stay."""
    places = {one.segment: one.places for one in moved if one.places}
    if not places:
        return body
    system = body.system
    bodies = [replace(part, points={**part.points, **places.get(part.name, {})}) for part in system.bodies]
    return replace(body, system=System(bodies, system.constraints, name=system.name, gravity=system.gravity))


class _End(NamedTuple):
    """End of a segment: a joint, its centre, and the segment on its other side."""

    joint: str
    centre: str
    neighbour: str


class _Plan:
    """What follows from the person and the markers of a recording alone.

    markers : segment -> its markers and their columns;  donors : segment -> those, where they tell its pose
    ends    : segment -> its ends, upper ones first;  between : those with one of each, seen like their neighbours
    """

    def __init__(self, body: SubjectModel, names: tuple[str, ...]) -> None:
        bodies = body.system.layout.bodies
        kept = {constraint.name for constraint in body.system.constraints}
        joints = [joint for joint in body.model.joints if joint.name in kept]
        columns = {marker: k for k, marker in enumerate(names) if marker in body.followed}
        self.markers = {s: {m: k for m, k in columns.items() if body.followed[m] == s} for s in bodies}
        self.donors = {}
        for name, own in self.markers.items():
            donors = _donors(np.array([bodies[name].points[marker] for marker in own]).reshape(-1, 3))
            if len(donors.triads):
                self.donors[name] = donors
        self.ends, self.between = {}, {}
        for name in bodies:
            above = [_End(j.name, j.centre, j.proximal) for j in joints if j.distal == name]
            below = [_End(j.name, j.centre, j.distal) for j in joints if j.proximal == name]
            self.ends[name] = above + below
            if len(above) == len(below) == 1 and {name, above[0].neighbour, below[0].neighbour} <= self.donors.keys():
                self.between[name] = self.ends[name]


class _Seen:
    """Segments as their own markers show them, in every ``step``-th frame.

    p : (T, M, 3) places of the markers [m]; NaN where they were not measured
    """

    def __init__(self, body: SubjectModel, markers: Markers, origin: IntArray | None, step: int) -> None:
        self.body, names = body, markers.names
        self.plan = body.system.derived(("moved markers", names), lambda: _Plan(body, names))
        self.p = markers.p_WM[::step]
        if origin is not None:
            rebuilt = origin[::step] != SampleOrigin.MEASURED
            if rebuilt.any():
                self.p = np.where(rebuilt[..., None], np.nan, self.p)
        self.poses: dict[str, Pose] = {}

    def pose(self, segment: str) -> Pose:
        """Of a segment whose markers tell it."""
        if segment not in self.poses:
            columns = list(self.plan.markers[segment].values())
            self.poses[segment] = _fitted(self.plan.donors[segment], self.p.take(columns, axis=1))
        return self.poses[segment]

    def gap(self, segment: str, end: _End) -> FloatArray:
        """(T, 3) of a joint's centre by the neighbour less that by the segment, in its axes; empty if not known."""
        if not {segment, end.neighbour} <= self.plan.donors.keys():
            return np.empty((0, 3))
        bodies, (p, R), (p_other, R_other) = (
            self.body.system.layout.bodies,
            self.pose(segment),
            self.pose(end.neighbour),
        )
        place = p_other + R_other @ bodies[end.neighbour].points[end.centre]
        gap = ((place - p)[:, None] @ R)[:, 0] - bodies[segment].points[end.centre]
        return np.asarray(gap[np.isfinite(gap).all(axis=1)])

    def stays(self, segment: str, end: _End) -> bool:
        """Whether the gap at an end is large and the same throughout."""
        gap = self.gap(segment, end)
        if len(gap) < FEWEST:
            return False
        size = _size(gap)
        return size > MOVED and float(np.sqrt(np.mean(np.sum((gap - gap.mean(axis=0)) ** 2, axis=1)))) < STEADY * size

    def places(self, segment: str) -> dict[str, FloatArray]:
        """Marker of a segment -> mean place (3,) in the frame that its neighbours give it."""
        bodies = self.body.system.layout.bodies
        part, (upper, lower) = bodies[segment], self.plan.between[segment]
        above, below = bodies[upper.neighbour], bodies[lower.neighbour]
        aside = part.attitude_matrix[:, 2] * ASIDE  # of the static pose, in the laboratory
        on_part = part.points[lower.centre] + part.attitude_matrix.T @ aside
        on_below = below.points[lower.centre] + below.attitude_matrix.T @ aside
        (p_above, R_above), (p_below, R_below) = self.pose(upper.neighbour), self.pose(lower.neighbour)
        seen = (
            p_above + R_above @ above.points[upper.centre],
            p_below + R_below @ below.points[lower.centre],
            p_below + R_below @ on_below,
        )
        local = np.stack([part.points[upper.centre], part.points[lower.centre], on_part])
        p, R = _fitted(_donors(local), np.stack(seen, axis=1))
        found = {}
        for name, column in self.plan.markers[segment].items():
            place = ((self.p[:, column] - p)[:, None] @ R)[:, 0]
            known = place[np.isfinite(place).all(axis=1)]
            if len(known) >= FEWEST:
                found[name] = known.mean(axis=0)
        return found


def _donors(p_local: FloatArray) -> Donors:
    return Donors.at(p_local, LOWEST, PoseMethod.LEAST_SQUARES)


def _fitted(donors: Donors, p: FloatArray) -> Pose:
    """Origin and axes that bring the donors' local points nearest to their places (T, K, 3)."""
    tips = donors.rebuild(p, TIPS)
    return tips[:, 0], np.swapaxes(tips[:, 1:] - tips[:, :1], 1, 2)


def _size(gap: FloatArray) -> float:
    """Length of the mean gap [m]; 0 where none is known."""
    return float(np.linalg.norm(gap.mean(axis=0))) if len(gap) else 0.0
