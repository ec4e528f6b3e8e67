"""Which curves are shown when a recording is opened: the joints that its movement is about."""

from __future__ import annotations

import numpy as np

from biomec.pipeline.analysis import Analysis
from biomec_app.curves.catalogue import Catalogue
from biomec_app.curves.curve import Curve

ARMS = ("elbow", "shoulder", "scapulothoracic")
LEGS = ("hip", "knee", "ankle")
MOST = 18  # curves that are shown without being asked for


def kind_of_movement(analysis: Analysis) -> str:
    """What recordings have in common that are looked at alike: the model, and what borders the cycles; "" before."""
    if "cycles" not in analysis.done:
        return ""
    return f"{analysis.body.person.model.name}, {analysis.cycles.by}"


def default_curves(analysis: Analysis, catalogue: Catalogue) -> tuple[str, ...]:
    """Keys of the curves to begin with: angles of arms or legs, or what there is of markers or forces before."""
    if "angles" in analysis.done:
        by_joint = {joint: _angles(catalogue, joint) for joint in (*ARMS, *LEGS)}
        limbs = _limbs(analysis, by_joint)
        keys = [curve.key for joint in limbs for curve in by_joint[joint]]
        if keys:
            return tuple(keys[:MOST])
        return tuple(curve.key for curve in catalogue if curve.key.startswith("angle/"))[:MOST]
    up = analysis.session.dynamic.axes.up[1].upper()  # plates as recorded are in the axes of their file
    for start, end in (("plate/", "/force Y"), ("plate raw/", f"/force {up}")):
        keys = [curve.key for curve in catalogue if curve.key.startswith(start) and curve.key.endswith(end)]
        if keys:
            return tuple(keys[:MOST])
    for kind in ("Markers", "Markers, as recorded"):
        groups = list(catalogue.kinds.get(kind, {}).values())
        if groups:
            return tuple(groups[0])
    return tuple(curve.key for curve in catalogue)[:3]


def _angles(catalogue: Catalogue, joint: str) -> list[Curve]:
    """Angles of a joint, both sides of each side by side."""
    names = (joint, f"right {joint}", f"left {joint}")
    found = [c for c in catalogue if c.key.startswith("angle/") and c.label.removesuffix(f" {c.component}") in names]
    order = list(dict.fromkeys(curve.component for curve in found))
    return sorted(found, key=lambda curve: order.index(curve.component))


def _limbs(analysis: Analysis, by_joint: dict[str, list[Curve]]) -> tuple[str, ...]:
    """Arms or legs: by what borders the cycles, else those that move more."""
    arms, legs = (tuple(joint for joint in limb if by_joint[joint]) for limb in (ARMS, LEGS))
    if not arms or not legs:
        return arms or legs
    by = analysis.cycles.by if "cycles" in analysis.done else ""
    if by == "events" or by.startswith("knee"):
        return legs
    if by.startswith(("elbow", "shoulder")):
        return arms
    return max((arms, legs), key=lambda limb: max(_range(curve) for joint in limb for curve in by_joint[joint]))


def _range(curve: Curve) -> float:
    values = curve.values[np.isfinite(curve.values)]
    return float(np.ptp(values)) if values.size else 0.0
