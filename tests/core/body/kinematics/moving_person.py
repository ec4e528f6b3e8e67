"""A person whose model moves exactly: a static pose from the marker set's own places, and smooth consistent motion.

Elbow and knee turn about the line of their epicondyles. In the shipped model they turn about the z axis of humerus and
thigh, which leaves that line by a degree or so; landmarks of an exactly moving model would then give coordinates that
are not exactly its own.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
from scipy.spatial.transform import Rotation

from biomec.base.arrays import FloatArray
from biomec.body.anatomy.frames import parse_direction
from biomec.body.anatomy.model_file import load_model
from biomec.body.anatomy.subject_model import SubjectModel, build_subject_model
from biomec.engine import PositionSolver
from biomec.io.marker_set_file import load_marker_set
from biomec.recording import Markers, Subject
from biomec.recording.marker_set import Side

RATE = 100.0
STATURE = 1.75


def static_markers() -> dict[str, FloatArray]:
    """Places of all markers on a standing adult [m]."""
    marker_set = load_marker_set("biomec-full")
    return {m.name: STATURE * np.array(m.place) for m in marker_set.markers if m.place and not m.internal}


@cache
def person(model: str = "m21") -> SubjectModel:
    """The person's model."""
    subject = Subject("test", mass_kg=70.0, height_m=STATURE, sex="male")
    shipped = load_model(model)
    joints = []
    for joint in shipped.joints:
        line = {"elbow": "EL_{0} - EM_{0}", "knee": "CLAT_{0} - CMED_{0}"}.get(joint.name.split()[-1])
        side = "E" if joint.side is Side.LEFT else "D"
        joints.append(replace(joint, axis=parse_direction(line.format(side))) if line else joint)
    exact = replace(shipped, joints=tuple(joints))
    return build_subject_model(exact, static_markers(), load_marker_set("biomec-full"), subject)


def shaken(body: SubjectModel, turns: FloatArray, shifts: FloatArray) -> FloatArray:
    """q (T, n) with every segment of the static pose turned about its origin and moved, each (T, S, 3) [rad, m]."""
    parts = []
    for s, segment in enumerate(body.system.bodies):
        R_WB = Rotation.from_rotvec(turns[:, s]).as_matrix() @ segment.attitude_matrix
        parts.append(segment.coordinates(np.asarray(segment.position) + shifts[:, s], R_WB))
    return np.concatenate(parts, axis=1)


@cache
def motion(frames: int = 60, seed: int = 3, amplitude: float = 0.15, rate: float = RATE) -> FloatArray:
    """Smooth consistent coordinates (T, n): segments swing about random axes, made consistent to round-off."""
    body = person()
    rng = np.random.default_rng(seed)
    count = len(body.system.bodies)
    time = np.arange(frames)[:, None, None] / rate
    phase, pace = rng.uniform(0.0, 6.28, (count, 1)), rng.uniform(3.0, 6.0, (count, 1))
    turns = amplitude * np.sin(pace * time + phase) * rng.normal(size=(count, 3))
    shifts = 0.1 * np.sin(4.0 * time) * np.array([1.0, 0.5, 0.2])
    result = PositionSolver(body.system).solve(shaken(body, turns, np.broadcast_to(shifts, turns.shape)))
    assert result.valid.all()
    return result.q


def markers_of(body: SubjectModel, q: FloatArray, noise: float = 0.0, seed: int = 5, rate: float = RATE) -> Markers:
    """Markers of a motion, with white noise of a standard deviation [m]."""
    layout = body.system.layout
    p = np.stack([layout.point(f"{owner}.{name}")(q) for name, owner in body.followed.items()], axis=1)
    p = p + noise * np.random.default_rng(seed).normal(size=p.shape)
    return Markers(tuple(body.followed), p, rate)
