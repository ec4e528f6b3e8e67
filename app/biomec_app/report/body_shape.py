"""What of a person is drawn at one moment: lines, faces, joint centres, markers, ribcage, plates and forces.

Plain arrays in the laboratory's axes (X forward, Y up, Z right); how they are drawn is the scene's affair.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.arrays import FloatArray
from biomec.pipeline.analysis import Analysis
from biomec.recording.marker_set import Side


@dataclass(frozen=True)
class Line:
    """A line (P, 3) of a segment [m]; a closed one is also a face."""

    side: Side | None
    points: FloatArray
    closed: bool


@dataclass(frozen=True)
class Ribs:
    """An ellipsoid: centre (3,), half axes (3,) [m], attitude (3, 3) with its axes as columns."""

    centre: FloatArray
    radii: FloatArray
    attitude: FloatArray


@dataclass(frozen=True)
class Force:
    """A force of the ground on the person [N] and where it acts [m]; (3,) each."""

    point: FloatArray
    force: FloatArray


@dataclass(frozen=True)
class BodyShape:
    """A person at one moment.

    joints  : side, place (3,) of the joint centres
    markers : (M, 3) as measured and filtered [m]; those that are missing are left out
    plates  : corners (4, 3) of each plate
    """

    lines: tuple[Line, ...]
    joints: tuple[tuple[Side | None, FloatArray], ...]
    ribs: tuple[Ribs, ...]
    markers: FloatArray
    plates: tuple[FloatArray, ...]
    forces: tuple[Force, ...]

    @property
    def body_points(self) -> FloatArray:
        """(P, 3) of lines and markers."""
        return np.concatenate([*(line.points for line in self.lines), self.markers])


def shape_at(analysis: Analysis, frame: int) -> BodyShape:
    """The person in a valid frame (from 0), with markers and forces of that moment."""
    trial = analysis.clean.trial
    markers = trial.markers.p_WM[frame]
    forces = []
    for plate in trial.plates:
        sample = round((frame / trial.rate_hz - plate.start_s) * plate.rate_hz)
        if 0 <= sample < plate.samples:
            point, force = plate.centre_of_pressure()[sample], plate.force[sample]
            if np.isfinite(point).all() and np.isfinite(force).all():
                forces.append(Force(point, force))
    return _shape(analysis, analysis.motion.q[frame], markers, tuple(forces))


def static_shape(analysis: Analysis) -> BodyShape:
    """The person in the static pose."""
    pose = analysis.clean.static
    markers = np.array([pose[name] for name in pose.names]).reshape(-1, 3)
    return _shape(analysis, analysis.loaded.body.system.reference, markers, (), plates=False)


def _shape(
    analysis: Analysis, q: FloatArray, markers: FloatArray, forces: tuple[Force, ...], *, plates: bool = True
) -> BodyShape:
    body = analysis.loaded.body
    places = body.points_of(q)
    anywhere = {name.partition(".")[2]: point for name, point in reversed(places.items())}
    lines = []
    for segment in body.segments:
        for names in segment.draw:
            found = [places.get(f"{segment.name}.{name}", anywhere.get(name)) for name in names]
            known = [point for point in found if point is not None]
            if len(known) > 1:
                closed = len(names) > 3 and names[0] == names[-1] and len(known) == len(names)
                lines.append(Line(segment.side, np.array(known), closed))
    there = {constraint.name for constraint in body.system.constraints}
    joints = tuple(
        (joint.side, places[f"{joint.distal}.{joint.centre}"]) for joint in body.model.joints if joint.name in there
    )
    attitudes = body.attitudes(q)
    ribs = {  # the contacts of a side glide on nearly the same ellipsoid: one of them is enough to see it
        contact.side: Ribs(
            places[f"{contact.on}.ellipsoid of {contact.name}"],
            body.surfaces[contact.name].radii,
            attitudes[contact.on] @ body.surfaces[contact.name].attitude,
        )
        for contact in body.model.contacts
        if contact.name in body.surfaces
    }
    corners = [p.corners for p in analysis.clean.trial.plates if p.corners is not None] if plates else []
    seen = markers[np.isfinite(markers).all(axis=1)]
    return BodyShape(tuple(lines), joints, tuple(ribs.values()), seen, tuple(corners), forces)
