"""The surface of a force plate: its axes, its outline, and how far points lie from an edge or from a foot."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.recording import ForcePlate


def called(name: str, *, begin: bool = False) -> str:
    """What a sentence calls a plate: its name, with the word plate before it unless it says so itself."""
    words = name if "plat" in name.lower() else f"plate {name}"
    return words[:1].upper() + words[1:] if begin else words


def surface_axes(plate: ForcePlate) -> FloatArray:
    """Axes of the surface as rows (3, 3), right-handed: two along it, the third its normal.

    The first follows the edge between the first two corners; without corners it is the laboratory axis that lies
    closest to the surface, made perpendicular to the normal.
    """
    normal = plate.up / np.linalg.norm(plate.up)
    along = np.eye(3)[np.argmin(np.abs(normal))] if plate.corners is None else plate.corners[1] - plate.corners[0]
    along = along - normal * (along @ normal)
    along = along / np.linalg.norm(along)
    return np.stack([along, np.cross(normal, along), normal])


def on_surface(plate: ForcePlate, points: FloatArray) -> FloatArray:
    """Coordinates (..., 3) of laboratory points (..., 3) in the plate: along its two edges and above it [m]."""
    return np.asarray((points - plate.origin) @ surface_axes(plate).T)


def outline(plate: ForcePlate) -> FloatArray | None:
    """Corners (4, 2) in the surface's axes [m], anticlockwise whatever their order in the file; or None."""
    if plate.corners is None:
        return None
    flat = on_surface(plate, plate.corners)[:, :2]
    from_middle = flat - flat.mean(axis=0)
    return np.asarray(flat[np.argsort(np.arctan2(from_middle[:, 1], from_middle[:, 0]))])


def edge_distance(border: FloatArray, points: FloatArray) -> FloatArray:
    """Distance (...,) of points (..., 2) from the nearest edge of a convex outline (K, 2): positive inside [m].

    border : corners in anticlockwise order. A point that is NaN gives NaN.
    """
    start, end = border, np.roll(border, -1, axis=0)
    edge = end - start
    from_start = points[..., None, :] - start
    left_of_edge = edge[:, 0] * from_start[..., 1] - edge[:, 1] * from_start[..., 0]  # (..., K)
    distance = _segment_distance(points[..., None, :], start, end).min(axis=-1)
    return np.asarray(np.where((left_of_edge >= 0.0).all(axis=-1), distance, -distance))


def hull_distance(points: FloatArray, cloud: FloatArray) -> FloatArray:
    """Distance (T,) of a point (T, 2) from the convex hull of a cloud (T, M, 2) in each frame, 0 inside [m].

    Points of the cloud that are NaN do not count; NaN where the point or the whole cloud is missing. The hull itself is
    not needed: from outside, the nearest of all segments between two points of the cloud is an edge of the hull; a
    point lies inside when the directions to the cloud leave no gap of half a turn.
    """
    frames, count = cloud.shape[:2]
    if count == 0:
        return np.full(frames, np.nan)
    i, j = np.triu_indices(count)  # with i = j for clouds of which only one point is visible
    distance = _segment_distance(points[:, None, :], cloud[:, i], cloud[:, j])
    nearest = np.where(np.isfinite(distance), distance, np.inf).min(axis=1)

    towards = cloud - points[:, None, :]
    angle = np.sort(np.arctan2(towards[..., 1], towards[..., 0]), axis=1)  # NaN last
    seen = np.isfinite(angle).sum(axis=1)
    last = np.take_along_axis(angle, np.maximum(seen - 1, 0)[:, None], axis=1)[:, 0]
    gaps = np.diff(angle, axis=1)
    widest = np.maximum(np.where(np.isfinite(gaps), gaps, 0.0).max(axis=1, initial=0.0), angle[:, 0] + 2 * np.pi - last)
    nearest = np.where((seen >= 3) & (widest < np.pi), 0.0, nearest)
    return np.asarray(np.where(np.isfinite(nearest), nearest, np.nan))


def _segment_distance(points: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    """Distance (...,) of points (..., 2) from segments (..., 2) to (..., 2) [m]; a segment may be a single point."""
    along = end - start
    length2 = (along * along).sum(axis=-1)
    share = ((points - start) * along).sum(axis=-1) / np.where(length2 > 0.0, length2, 1.0)
    foot = start + np.clip(share, 0.0, 1.0)[..., None] * along
    return np.asarray(np.linalg.norm(points - foot, axis=-1))
