"""The surface of a force plate, and where hands and feet are on it.

Its axes, its outline, and how far points lie from an edge or from a foot; a hand or foot as seen from the plate: near
the force, at rest on the surface, over it or beside it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.base.fields import MM, setting
from biomec.recording import ForcePlate, Markers


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


# ------------------------------------------------------------------------------------- hands and feet seen from a plate


@dataclass(frozen=True)
class TouchOptions:
    """What counts as resting on the ground.

    height_m       : the lowest marker is less than this above the surface [m]
    speed_m_s      : the slowest marker moves less than this over the ground [m/s]
    floor_velocity : (3,) of the ground itself, in laboratory axes: a treadmill's belt [m/s]
    """

    height_m: float = setting(
        0.10, "Height above the ground", "The lowest marker of a resting hand or foot is below this.", unit="mm",
        factor=MM, least=0.0)  # fmt: skip
    speed_m_s: float = setting(
        0.30, "Speed over the ground", "The slowest marker of a resting hand or foot is slower.", unit="m/s", least=0.0
    )
    floor_velocity: tuple[float, float, float] = setting(
        (0.0, 0.0, 0.0), "Velocity of the ground", "Of a treadmill's belt, X Y Z in laboratory axes.", unit="m/s"
    )


def segment_points(markers: Markers, names: Iterable[str], frames: slice = slice(None)) -> FloatArray:
    """Trajectories (F, M, 3) of those of a segment's markers that the recording has, in some frames or all [m]."""
    return np.asarray(markers.p_WM[frames, [markers.index(name) for name in names if name in markers]])


def distance_from_force(plate: ForcePlate, cop: FloatArray, points: FloatArray) -> FloatArray:
    """Distance (T,) between a centre of pressure (T, 3) and a segment (T, M, 3) [m].

    √(d² + h²): d along the surface from the hull of the segment's markers, h of the lowest marker above the 5 cm at
    which markers of a hand or foot on the ground may well sit. NaN where either is missing.
    """
    if points.shape[1] == 0:
        return np.full(len(cop), np.nan)
    local = on_surface(plate, points)
    along = hull_distance(on_surface(plate, cop)[:, :2], local[..., :2])
    return np.asarray(np.hypot(along, np.maximum(_lowest(local[..., 2]) - 0.05, 0.0)))


def resting(plate: ForcePlate, points: FloatArray, rate_hz: float, options: TouchOptions) -> BoolArray:
    """(T,) frames in which a segment (T, M, 3) is low and at least one of its markers does not move over the ground."""
    if points.shape[1] == 0 or len(points) < 2:
        return np.zeros(len(points), dtype=np.bool_)
    velocity = np.gradient(points, 1.0 / rate_hz, axis=0) - np.asarray(options.floor_velocity)
    slowest = _lowest(np.linalg.norm(velocity, axis=2))
    low = _lowest(on_surface(plate, points)[..., 2]) < options.height_m
    return np.asarray(low & (slowest < options.speed_m_s))  # NaN compares as False


def middle_over_plate(plate: ForcePlate, points: FloatArray) -> BoolArray:
    """(T,) frames in which the middle of a segment's visible markers (T, M, 3) lies over the plate."""
    border = outline(plate)
    if border is None or points.shape[1] == 0:
        return np.zeros(len(points), dtype=np.bool_)
    local = on_surface(plate, points)[..., :2]
    seen = np.isfinite(local[..., 0]).sum(axis=1)
    middle = np.nansum(local, axis=1) / np.where(seen, seen, np.nan)[:, None]
    return np.asarray(edge_distance(border, middle) > 0.0)


def reach_beyond_edge(plate: ForcePlate, points: FloatArray, during: BoolArray, lift_m: float = 0.02) -> FloatArray:
    """How far (M,) each marker of a segment (T, M, 3) lies beyond the plate while it is down; negative inside [m].

    A marker is down while it is within ``lift_m`` of its lowest height during the contact. NaN without corners.
    """
    border = outline(plate)
    reach = np.full(points.shape[1], np.nan)
    if border is None or not during.any():
        return reach
    local = on_surface(plate, points[during])
    seen = np.isfinite(local[..., 2])
    floor = np.where(seen, local[..., 2], np.inf).min(axis=0)
    beyond = -edge_distance(border, local[..., :2])
    down = seen & (local[..., 2] <= floor + lift_m)
    known = down.any(axis=0)
    reach[known] = np.where(down, beyond, -np.inf).max(axis=0)[known]
    return reach


def _lowest(values: FloatArray) -> FloatArray:
    """Least value (T,) over the markers (T, M), NaN where none is visible."""
    least = np.where(np.isfinite(values), values, np.inf).min(axis=1)
    return np.asarray(np.where(np.isfinite(least), least, np.nan))


FOOT_LENGTH, FOOT_BREADTH, SHOE_M = 0.152, 0.055, 0.01
"""Length and breadth of a foot as shares of the stature [Winter2009], and what a shoe adds [m]."""


def foot_outside(plate: ForcePlate, heel: FloatArray, toe: FloatArray, height_m: float) -> tuple[float, str]:
    """Share of a foot's outline that lies beside the plate, and which part: "heel", "toe", "side" or "".

    heel, toe : (F, 3) markers at the heel and over the metatarsals [m];  height_m : stature

    The outline is a rectangle that begins at the heel marker and is centred on the line to the toe marker. NaN and ""
    without corners or markers.
    """
    border = outline(plate)
    back, front = (on_surface(plate, one)[:, :2] for one in (heel, toe))
    seen = np.isfinite(back).all(axis=1) & np.isfinite(front).all(axis=1)
    if border is None or not seen.any():
        return float("nan"), ""
    back, front = back[seen], front[seen]
    along = (front - back) / np.linalg.norm(front - back, axis=1, keepdims=True)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    u, v = np.meshgrid(np.linspace(0.0, 1.0, 31), np.linspace(-0.5, 0.5, 13), indexing="ij")
    length, breadth = FOOT_LENGTH * height_m + SHOE_M, FOOT_BREADTH * height_m + SHOE_M
    sole = back[:, None, None] + length * u[..., None] * along[:, None, None]
    sole = sole + breadth * v[..., None] * across[:, None, None]
    beside = (edge_distance(border, sole) < 0.0).mean(axis=0)  # (31, 13) share of the frames
    share = float(beside.mean())
    if share == 0.0:
        return 0.0, ""
    rows = beside.max(axis=1) > 0.5
    if rows.mean() > 0.6:
        return share, "side"
    return share, "heel" if float((beside * u).sum() / beside.sum()) < 0.5 else "toe"
