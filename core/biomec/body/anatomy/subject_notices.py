"""What is said about a person's model: which methods gave its centres, and segments that stand on their heads."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.notices import Notice, Scope, info, problem, warning
from biomec.body.anatomy.availability import Available
from biomec.body.anatomy.centres import CENTRE_METHODS
from biomec.body.anatomy.landmarks import PointPlan

CARRYING = ("hip", "knee", "ankle", "lumbar")  # joints that make the whole wrong; an arm may be raised
UPSIDE_DOWN_DEG = 135.0  # between the long axes of two neighbours; nobody bends a knee or an elbow so far in a static


def upside_down(parts: Available, attitudes: Mapping[str, FloatArray]) -> list[Notice]:
    """Tell joints whose two segments stand on their heads against each other in the static pose."""
    found, whole = [], False
    for joint in parts.joints:
        up, down = attitudes[joint.proximal][:, 1], attitudes[joint.distal][:, 1]
        angle = float(np.degrees(np.arccos(np.clip(up @ down, -1.0, 1.0))))
        if angle > UPSIDE_DOWN_DEG:
            found.append(f"{joint.distal} against {joint.proximal} {angle:.0f}°")
            whole |= joint.name.endswith(CARRYING)
    if not found:
        return []
    words = f"In the static pose segments stand upside down: {', '.join(found)}. Left and right labels are probably "
    words += (
        "exchanged, or the laboratory's axes are left-handed; angles would be wrong by half a turn. Check the mapping."
    )
    return [problem("upside-down", words, scope=Scope.RECORDING if whole else Scope.JOINTS)]


def about_centres(plan: PointPlan, used_points: set[str], words: Callable[[str], str]) -> list[Notice]:
    """Tell which methods gave the joint centres in use, and which were not the preferred ones."""
    found: list[Notice] = []
    steps = [step for step in plan.steps if step.name in used_points]
    for step in steps:
        method = plan.methods[step.name]
        if step.methods and method in step.methods[1:]:
            found.append(
                warning(
                    "centre-second-choice",
                    f"{words(step.name)} was found by {method}, because what {step.methods[0]} needs is not known.",
                    step.name,
                )
            )
    used: dict[str, str] = {}
    for step in steps:
        method = plan.methods[step.name]
        if method in CENTRE_METHODS and not method.endswith("midpoint"):  # the middle of two markers needs no word
            used.setdefault(method, CENTRE_METHODS[method].centre.removesuffix("_*"))
    listed = ", ".join(f"{centre} by {method}" for method, centre in used.items())
    return [*found, *([info("centres", f"Joint centres: {listed}.")] if listed else [])]
