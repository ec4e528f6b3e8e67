"""A body drawn flat from its markers: outlines of the segments seen from the front and from the right. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from biomec.arrays import FloatArray
from biomec.recording import BIOMEC_AXES, Trial
from biomec.recording.marker_set import MarkerSet, Side


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
