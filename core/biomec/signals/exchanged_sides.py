"""Right and left markers that lie on each other's side of the body throughout a recording.

The body's own axes tell, in any posture: up from the bottom to the top of the trunk, forward from its back to its
front, right = forward × up. Markers of the midline and means of right and left ones show them without any side label.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.recording import Markers
from biomec.recording.marker_set import MarkerSet
from biomec.signals.local_frames import least_squares_frame
from biomec.signals.static_pose import StaticPose

Pairs = tuple[tuple[str, str], ...]
REVERSED = 0.8  # share of the frames: arms may cross for a while
CLEAR_M = 0.01  # a pair nearer to each other than this, across the body, has no side
MIRRORED = 0.5  # share of the pairs above which nobody can tell labels from mirrored axes


def exchanged_sides(markers: Markers, marker_set: MarkerSet, static: StaticPose | None = None) -> Pairs:
    """(right, left) pairs that lie on each other's side in four frames of five.

    static : where markers of the midline that were taken off after it are found, by those of their segment
    """
    middle = marker_set.midline
    front, back, top, bottom = (
        _mean_of(markers, names, marker_set, static) for names in (middle.front, middle.back, middle.top, middle.bottom)
    )
    if front is None or back is None or top is None or bottom is None:
        return ()
    right = np.cross(front - back, top - bottom)
    length = np.linalg.norm(right, axis=1, keepdims=True)
    right = right / np.where(length > 0.0, length, np.nan)  # no midline, no sides
    found = []
    for name_right, name_left in pairs_of(markers, marker_set):
        apart = np.einsum("ti,ti->t", markers[name_right] - markers[name_left], right)
        apart = apart[np.isfinite(apart)]
        if len(apart) and np.mean(apart < -CLEAR_M) > REVERSED:
            found.append((name_right, name_left))
    return tuple(found)


def pairs_of(markers: Markers, marker_set: MarkerSet) -> Pairs:
    """(right, left) pairs of a recording."""
    return tuple((right, left) for right, left in marker_set.pairs if right in markers and left in markers)


def by_label(sides: Pairs, markers: Markers, marker_set: MarkerSet) -> Pairs:
    """Pairs whose labels are exchanged; none where most pairs are, for axes that are left-handed look the same."""
    return sides if len(sides) <= MIRRORED * len(pairs_of(markers, marker_set)) else ()


def pose_markers(static: StaticPose) -> Markers:
    """The static pose as markers of a single frame."""
    return Markers(static.names, static.p_WM[None], 1.0)


def _mean_of(
    markers: Markers, names: Iterable[str], marker_set: MarkerSet, static: StaticPose | None
) -> FloatArray | None:
    """(T, 3) mean of those of the markers that are known, NaN where one is hidden; None if none of them is."""
    there = [p for p in (_place(markers, name, marker_set, static) for name in names) if p is not None]
    return np.asarray(np.mean(there, axis=0)) if there else None


def _place(markers: Markers, name: str, marker_set: MarkerSet, static: StaticPose | None) -> FloatArray | None:
    """(T, 3) where a marker is, or would be by three or more others of its segment; None if nothing tells."""
    if name in markers:
        return markers[name]
    if static is None or name not in static:
        return None
    donors = [one for one in marker_set[name].rebuilt_by if one in markers and one in static]
    if len(donors) < 3:
        return None
    p, p_static = markers.select(donors).p_WM, np.stack([static[one] for one in donors])
    seen, place = np.isfinite(p).all(axis=(1, 2)), np.full((len(p), 3), np.nan)
    origin, turn = least_squares_frame(p[seen], p_static)
    place[seen] = origin + turn @ (static[name] - p_static.mean(axis=0))
    return place
