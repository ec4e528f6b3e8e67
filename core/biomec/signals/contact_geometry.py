"""Where a hand or foot is, as seen from a plate: near the force, at rest on the surface, over it or beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.base.fields import MM, setting
from biomec.recording import ForcePlate, Markers
from biomec.signals.plate_geometry import edge_distance, hull_distance, on_surface, outline


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
