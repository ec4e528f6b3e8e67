"""A real recording with its static, taken through the model of a person to joint angles; and curves compared."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.body.anatomy.landmarks import trajectories
from biomec.body.anatomy.model_file import load_model
from biomec.body.anatomy.subject_model import SubjectModel, build_subject_model
from biomec.body.kinematics.consistency import ConsistencyOptions, ConsistentMotion, consistent_motion
from biomec.body.kinematics.joint_angles import AngleOptions, JointAngles, joint_angles
from biomec.io.marker_set_file import load_marker_set
from biomec.io.session_import import SKIP, import_session
from biomec.recording import BIOMEC_AXES, LabAxes, Markers, Subject, Trial
from biomec.signals.mapping import apply_mapping, suggest_mapping
from biomec.signals.reconstruction import reconstruct
from biomec.signals.static_pose import static_pose


@dataclass(frozen=True, eq=False)
class Person:
    """What a recording and its static give: trials in Biomec's axes, rebuilt markers, the model of the person."""

    trial: Trial
    markers: Markers
    body: SubjectModel

    def moved(self, method: str = "coordinates") -> ConsistentMotion:
        return consistent_motion(self.body, self.markers, options=ConsistencyOptions(method=method))

    def measured(self) -> FloatArray:
        """q* (T, n)."""
        return self.body.measured_coordinates(self.body.points_in_motion(trajectories(self.markers)))

    def angles(self, q: FloatArray, convention: str = "standard") -> JointAngles:
        static = self.body.measured_coordinates({name: p[None] for name, p in self.body.static.items()})[0]
        return joint_angles(
            self.body.attitudes(q),
            self.body.model.angles,
            static=self.body.attitudes(static),
            axes=self.body.joint_axes(),
            options=AngleOptions(convention),
        )


def person(
    dynamic: Path,
    static: Path | tuple[int, int],
    marker_set: str,
    model: str,
    subject: Subject | None = None,
    axes: LabAxes | None = None,
) -> Person:
    """Read a recording and its static, or the frames of the recording in which the person stands still."""
    markers_of = load_marker_set(marker_set)
    apart = isinstance(static, Path)
    session = import_session(
        dynamic, static=static if apart else SKIP, subject=subject, axes=axes, keep_originals=False
    )
    trial = session.dynamic.turned(BIOMEC_AXES)
    trial = apply_mapping(trial, suggest_mapping(trial.markers.names, markers_of).accepted())
    pose = static_pose(session.static.turned(BIOMEC_AXES) if apart else trial.stretch(*static), markers_of)
    rebuilt = reconstruct(trial, pose, markers_of).markers
    seen = [name for name, p in trajectories(rebuilt).items() if np.isfinite(p).any()]
    places = {name: pose[name] for name in pose.names}
    body = build_subject_model(load_model(model), places, markers_of, session.subject, seen=seen)
    return Person(trial, rebuilt, body)


@dataclass(frozen=True)
class Agreement:
    """Two curves in degrees: correlation, mean difference (ours less theirs), RMS of the rest, range of theirs."""

    r: float
    offset: float
    rms: float
    range: float

    def __str__(self) -> str:
        return f"r {self.r:7.4f}  offset {self.offset:7.2f}°  RMS {self.rms:5.2f}°  range {self.range:5.1f}°"


def agreement(ours_rad: FloatArray, theirs_deg: FloatArray) -> Agreement:
    ours = np.degrees(ours_rad)
    both = np.isfinite(ours) & np.isfinite(theirs_deg)
    a, b = ours[both], theirs_deg[both]
    rest = (a - b) - np.mean(a - b)
    return Agreement(
        float(np.corrcoef(a, b)[0, 1]), float(np.mean(a - b)), float(np.sqrt(np.mean(rest**2))), float(np.ptp(b))
    )
