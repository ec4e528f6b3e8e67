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

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Notice, Scope, warning
from biomec.body.anatomy.model import JointDefinition
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
TELLING = 0.015  # m: a marker that moved by less is not named

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
    measured = {
        name: np.where((origin[:, k] == SampleOrigin.MEASURED)[:, None], markers.p_WM[:, k], np.nan)
        if origin is not None
        else markers.p_WM[:, k]
        for k, name in enumerate(markers.names)
        if name in body.followed
    }
    poses = {name: _pose(body, name, measured) for name in body.system.layout.bodies}
    joints = _joints(body)
    found = []
    for name in body.system.layout.bodies:
        ends = _ends(joints, name)
        gaps = [_gap(body, poses, name, *end) for end in ends]
        if len(ends) != 2 or not all(_stays(gap) for gap in gaps):
            continue
        apart = {joint: _size(gap) for (joint, _, _), gap in zip(ends, gaps, strict=True)}
        others = [(other, *end) for _, _, other in ends for end in _ends(joints, other) if end[2] != name]
        doubtful = any(_size(_gap(body, poses, *other)) > SOUND for other in others)
        places = {} if doubtful else _places(body, poses, measured, name, ends)
        static = body.system.layout.bodies[name].points
        by = {marker: float(np.linalg.norm(place - static[marker])) for marker, place in places.items()}
        found.append(MovedSegment(name, FrozenDict(apart), FrozenDict(places), FrozenDict(by)))
    return tuple(found)


def with_places(body: SubjectModel, moved: tuple[MovedSegment, ...]) -> SubjectModel:
    """The person with markers where they sit; joints, frames and masses stay."""
    places = {one.segment: one.places for one in moved if one.places}
    if not places:
        return body
    system = body.system
    bodies = [replace(part, points={**part.points, **places.get(part.name, {})}) for part in system.bodies]
    return replace(body, system=System(bodies, system.constraints, name=system.name, gravity=system.gravity))


def _joints(body: SubjectModel) -> list[JointDefinition]:
    """Joints that are in the system."""
    kept = {constraint.name for constraint in body.system.constraints}
    return [joint for joint in body.model.joints if joint.name in kept]


def _ends(joints: list[JointDefinition], segment: str) -> list[tuple[str, str, str]]:
    """Joint, centre and neighbour of every end of a segment, upper ends first."""
    above = [(j.name, j.centre, j.proximal) for j in joints if j.distal == segment]
    return above + [(j.name, j.centre, j.distal) for j in joints if j.proximal == segment]


def _pose(body: SubjectModel, segment: str, measured: Mapping[str, FloatArray]) -> Pose | None:
    """Of a segment by its own markers; None where there are fewer than three, or they are nearly in line."""
    part = body.system.layout.bodies[segment]
    names = [name for name, owner in body.followed.items() if owner == segment and name in measured]
    return _fitted(np.array([part.points[name] for name in names]).reshape(-1, 3), [measured[name] for name in names])


def _fitted(p_local: FloatArray, p: list[FloatArray]) -> Pose | None:
    """Origin and axes that bring local points (K, 3) nearest to places K × (T, 3)."""
    donors = Donors.at(p_local, LOWEST, PoseMethod.LEAST_SQUARES)
    if not len(donors.triads):
        return None
    tips = donors.rebuild(np.stack(p, axis=1), np.vstack([np.zeros(3), np.eye(3)]))
    return tips[:, 0], np.swapaxes(tips[:, 1:] - tips[:, :1], 1, 2)


def _placed(body: SubjectModel, poses: Mapping[str, Pose | None], segment: str, local: FloatArray) -> FloatArray | None:
    """(T, 3) of a local point of a segment."""
    pose = poses[segment]
    return None if pose is None else pose[0] + pose[1] @ local


def _gap(
    body: SubjectModel, poses: Mapping[str, Pose | None], segment: str, joint: str, centre: str, neighbour: str
) -> FloatArray:
    """(T, 3) of a joint's centre by the neighbour less that by the segment, in its axes; empty if not known."""
    bodies, own = body.system.layout.bodies, poses[segment]
    other = _placed(body, poses, neighbour, np.asarray(bodies[neighbour].points[centre]))
    if own is None or other is None:
        return np.empty((0, 3))
    gap = np.einsum("tji,tj->ti", own[1], other - own[0]) - bodies[segment].points[centre]
    return np.asarray(gap[np.isfinite(gap).all(axis=1)])


def _size(gap: FloatArray) -> float:
    """Length of the mean gap [m]; 0 where none is known."""
    return float(np.linalg.norm(gap.mean(axis=0))) if len(gap) else 0.0


def _stays(gap: FloatArray) -> bool:
    """Whether a gap is large and the same throughout."""
    if len(gap) < FEWEST:
        return False
    changes = float(np.sqrt(np.mean(np.sum((gap - gap.mean(axis=0)) ** 2, axis=1))))
    return _size(gap) > MOVED and changes < STEADY * _size(gap)


def _places(
    body: SubjectModel,
    poses: Mapping[str, Pose | None],
    measured: Mapping[str, FloatArray],
    segment: str,
    ends: list[tuple[str, str, str]],
) -> dict[str, FloatArray]:
    """Marker of a segment -> mean place (3,) in the frame that its neighbours give it."""
    bodies = body.system.layout.bodies
    part, (_, upper, above), (_, lower, below) = bodies[segment], *ends
    aside = part.attitude_matrix[:, 2] * ASIDE  # of the static pose, in the laboratory
    local = np.stack([part.points[upper], part.points[lower], part.points[lower] + part.attitude_matrix.T @ aside])
    beside = bodies[below].points[lower] + bodies[below].attitude_matrix.T @ aside
    seen = [
        _placed(body, poses, above, np.asarray(bodies[above].points[upper])),
        _placed(body, poses, below, np.asarray(bodies[below].points[lower])),
        _placed(body, poses, below, np.asarray(beside)),
    ]
    pose = _fitted(local, [one for one in seen if one is not None])
    if pose is None:
        return {}
    found = {}
    for name, owner in body.followed.items():
        if owner == segment and name in measured:
            place = np.einsum("tji,tj->ti", pose[1], measured[name] - pose[0])
            known = place[np.isfinite(place).all(axis=1)]
            if len(known) >= FEWEST:
                found[name] = known.mean(axis=0)
    return found
