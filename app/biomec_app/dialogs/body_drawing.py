"""A body drawn flat from its markers: outlines of the segments seen from the front and from the right. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.recording import BIOMEC_AXES, Trial
from biomec.recording.marker_set import MarkerSet, Side

JOINTS: Mapping[str, tuple[str, ...]] = {
    "head": ("VC", "GLAB", "FHD_D", "FHD_E", "BHD_D", "BHD_E"), "neck": ("C7", "IJ"), "shoulder_*": ("AC_*",),
    "elbow_*": ("EL_*", "EM_*"), "wrist_*": ("ER_*", "EU_*"), "hand_*": ("MC2_*", "MC5_*", "FIN_*"),
    "pelvis": ("CIAS_D", "CIAS_E", "PMCP"), "hip_*": ("CIAS_*", "PMCP"), "knee_*": ("CLAT_*", "CMED_*"),
    "ankle_*": ("ML_*", "MM_*"), "heel_*": ("CALC_*",), "toe_*": ("MT1_*", "MT5_*", "TOE_*"),
}  # fmt: skip
"""Joint -> landmarks of the body models whose mean is near enough to it for a drawing."""
LIMBS = (("head", "neck"), ("neck", "shoulder_*"), ("shoulder_*", "elbow_*"), ("elbow_*", "wrist_*"),
         ("wrist_*", "hand_*"), ("neck", "pelvis"), ("pelvis", "hip_*"), ("hip_*", "knee_*"), ("knee_*", "ankle_*"),
         ("ankle_*", "toe_*"), ("ankle_*", "heel_*"))  # fmt: skip
LETTERS = {Side.RIGHT: "D", Side.LEFT: "E"}


@dataclass(frozen=True, eq=False)
class Outline:
    """Hull (N, 2) around the markers of a segment, in a view."""

    side: Side | None
    points: FloatArray


def places(trial: Trial) -> dict[str, FloatArray]:
    """Middle place (3,) of every marker of a trial: X forward, Y up, Z right [m]; those never seen are left out."""
    turned = trial.turned(BIOMEC_AXES).markers
    seen = np.asarray(turned.visible.any(axis=0))
    middle = np.full((len(turned.names), 3), np.nan)
    if seen.any():
        middle[seen] = np.nanmedian(turned.p_WM[:, seen], axis=0)
    return {name: middle[k] for k, name in enumerate(turned.names) if seen[k]}


def front(point: FloatArray) -> FloatArray:
    """Place (2,) as seen from the front: the subject's right is on the left of the picture."""
    return np.array([-point[2], point[1]])


def side(point: FloatArray) -> FloatArray:
    """Place (2,) as seen from the subject's right: forward is to the right of the picture."""
    return np.array([point[0], point[1]])


def outlines(marker_set: MarkerSet, points: Mapping[str, FloatArray]) -> tuple[Outline, ...]:
    """Outlines of the segments of a set, from the flat places of its markers; one of two markers is a line."""
    found = []
    for segment in marker_set.segments:
        there = [points[name] for name in segment.markers if name in points]
        if len(there) < 2:
            continue
        sides = {marker_set[name].side for name in segment.markers if name in points}
        found.append(Outline(sides.pop() if len(sides) == 1 else None, hull(np.array(there))))
    return tuple(found)


def limbs(marker_set: MarkerSet, points: Mapping[str, FloatArray]) -> tuple[Outline, ...]:
    """Lines (2, 2) from joint to joint, where the markers tell both."""
    found = []
    for one, other in LIMBS:
        two_sided = "*" in one + other
        for side_ in (Side.LEFT, Side.RIGHT) if two_sided else (None,):  # right over left, as seen from the right
            letter = "" if side_ is None else LETTERS[side_]
            ends = [_joint(name, letter, marker_set, points) for name in (one, other)]
            if ends[0] is not None and ends[1] is not None:
                found.append(Outline(side_, np.array(ends)))
    return tuple(found)


def _joint(name: str, letter: str, marker_set: MarkerSet, points: Mapping[str, FloatArray]) -> FloatArray | None:
    """Mean of the landmarks of a joint that the markers tell."""
    there = []
    for pattern in JOINTS[name]:
        landmark = pattern.replace("*", letter)
        ways = ((landmark,), *marker_set.landmarks.get(landmark, ()))
        way = next((way for way in ways if all(marker in points for marker in way)), None)
        if way is not None:
            there.append(np.mean([points[marker] for marker in way], axis=0))
    return np.asarray(np.mean(there, axis=0)) if there else None


def hull(points: FloatArray) -> FloatArray:
    """Corners (N, 2) of the convex hull of points (M, 2), counter-clockwise (monotone chain)."""
    ordered = sorted(map(tuple, points))

    def chain(some: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
        kept: list[tuple[float, ...]] = []
        for p in some:
            while len(kept) > 1 and _turn(kept[-2], kept[-1], p) <= 0.0:
                kept.pop()
            kept.append(p)
        return kept

    lower, upper = chain(ordered), chain(ordered[::-1])
    return np.array([*lower[:-1], *upper[:-1]])


def _turn(a: tuple[float, ...], b: tuple[float, ...], c: tuple[float, ...]) -> float:
    """Twice the area of a triangle, positive counter-clockwise."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
