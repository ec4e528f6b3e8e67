"""Arm Profile Score: as the Gait Profile Score, over 13 angles of trunk and arm in one cycle of a task [Jaspers2011].

The score of one angle is its Arm Variable Score, all of them the profile. No norm of a task may be passed on, so that
an arm is compared with the other one, with an earlier visit, or with a group that did the same.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.body.kinematics.joint_angles import AngleOptions
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.steps.angles import angles
from biomec.reporting.indices.profile_score import ProfileScore, profile_score
from biomec.signals.cycle_average import resample_cycles

ANGLES: Mapping[str, tuple[str, bool]] = {
    "trunk flexion": ("thorax in the laboratory forward tilt", False),
    "trunk lateral flexion": ("thorax in the laboratory right tilt", True),
    "trunk rotation": ("thorax in the laboratory left rotation", True),
    "scapula protraction": ("{side} scapulothoracic protraction", False),
    "scapula upward rotation": ("{side} scapulothoracic upward rotation", False),
    "scapula posterior tilt": ("{side} scapulothoracic posterior tilt", False),
    "shoulder plane of elevation": ("{side} shoulder plane of elevation forward", False),
    "shoulder elevation": ("{side} shoulder elevation", False),
    "shoulder rotation": ("{side} shoulder internal rotation", False),
    "elbow flexion": ("{side} elbow flexion", False),
    "forearm pronation": ("{side} radioulnar pronation", False),
    "wrist flexion": ("{side} wrist flexion", False),
    "wrist deviation": ("{side} wrist radial deviation", False),
}
"""Angle of the profile -> name among the joint angles (ISB's shoulder), and whether the left side reverses it."""


def arm_curves(analysis: Analysis, side: str) -> dict[str, FloatArray]:
    """Angle -> its valid cycles (K, 101) [°], of "right" or "left"; angles that the model does not have are left out.

    Cycles are those of the analysis, of that side where sides have their own. Lateral flexion and rotation of the trunk
    are towards this side and away from it, so that right and left can be compared.
    """
    if side not in ("right", "left"):
        raise BiomecError(f'The arm profile is of the side "right" or "left", not {side!r}.')
    groups = analysis.cycles.groups
    cycles = next((groups[name] for name in (side.capitalize(), "both") if name in groups), None)
    if cycles is None or not cycles.valid.any():
        raise BiomecError(f"The recording has no valid cycle of the {side} arm, so that it has no arm profile.")
    found = angles(analysis.body, analysis.motion, analysis.signals.trial.first_frame, AngleOptions("isb"))
    curves = {}
    for name, (pattern, reversed_left) in ANGLES.items():
        own = pattern.format(side=side)
        if own in found:
            sign = -1.0 if reversed_left and side == "left" else 1.0
            curves[name] = sign * np.degrees(resample_cycles(cycles, _unwrapped(found[own])).curves)
    return curves


def arm_profile(curves: Mapping[str, FloatArray], against: Mapping[str, FloatArray]) -> ProfileScore:
    """Arm Variable Scores and Arm Profile Score of cycles (K, N) against other cycles, by the mean of those [°].

    Over the angles that both have; all 13 make the published score.
    """
    names = [name for name in ANGLES if name in curves and name in against]
    if not names:
        raise BiomecError("The two arms have no angle of the arm profile in common.")
    return profile_score(curves, {name: _mean_curve(against[name]) for name in names}, names)


def _unwrapped(values: FloatArray) -> FloatArray:
    """Angle (T,) without leaps of a whole turn, frames that are missing left out [rad]."""
    out, seen = values.copy(), np.isfinite(values)
    out[seen] = np.unwrap(values[seen])
    return out


def _mean_curve(cycles: FloatArray) -> FloatArray:
    """Mean (N,) of angles (K, N), the same whichever turn they are counted in [°]."""
    turns = np.exp(1j * np.radians(np.atleast_2d(cycles)))
    return np.asarray(np.degrees(np.angle(turns[np.isfinite(turns).all(axis=1)].mean(axis=0))))
