"""Force plates: what the ground does to the subject, in laboratory axes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.errors import BiomecError

LOADED_N = 20.0  # below this vertical force a centre of pressure means nothing
ASTRAY_M = 2.0  # a point of an unloaded plate farther than this from where it is loaded is division by nearly nothing
LABORATORY_M = 50.0  # nothing that is recorded is farther from the laboratory's origin


@dataclass(frozen=True, eq=False)
class ForcePlate:
    """Wrench of the ground **on the subject**, in laboratory axes, about the point ``origin``.

    force   : (N, 3) [N]
    moment  : (N, 3) [N m] about ``origin``
    origin  : (3,) a point of the surface [m]: its centre where the corners are known
    up      : (3,) unit normal of the surface, away from the ground
    corners : (4, 3) [m] in the file's order, or None if the file has none
    type    : C3D plate type 1-7, or 0 for wrenches that were given directly
    to_surface : (3,) from the origin of the sensors up to the centre of the surface [m], so that the wrench can be read
              with another upper side; None where the wrench was given at the surface
    start_s : time of the first sample on the clock of the trial [s]
    """

    name: str
    force: FloatArray
    moment: FloatArray
    rate_hz: float
    origin: FloatArray
    up: FloatArray
    corners: FloatArray | None = None
    type: int = 0
    start_s: float = 0.0
    to_surface: FloatArray | None = None

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        for field in ("force", "moment", "origin", "up"):
            set_(self, field, read_only(getattr(self, field)))
        for field in ("corners", "to_surface"):
            if getattr(self, field) is not None:
                set_(self, field, read_only(getattr(self, field)))
        if self.force.ndim != 2 or self.force.shape[1] != 3 or self.force.shape != self.moment.shape:
            raise BiomecError(f"Plate {self.name}: force and moment need the same shape (samples, 3).")
        if self.origin.shape != (3,) or self.up.shape != (3,):
            raise BiomecError(f"Plate {self.name}: origin and normal need three coordinates each.")
        if not abs(math.hypot(*self.up) - 1.0) < 1e-6:
            raise BiomecError(f"Plate {self.name}: the normal {self.up} of the surface must have the length 1.")
        if self.corners is not None and self.corners.shape != (4, 3):
            raise BiomecError(f"Plate {self.name}: give four corners with three coordinates each.")
        if not (np.isfinite(self.rate_hz) and self.rate_hz > 0.0):
            raise BiomecError(f"Plate {self.name}: the sampling rate is {self.rate_hz} Hz; it must be positive.")

    @classmethod
    def from_centre_of_pressure(
        cls,
        name: str,
        force: FloatArray,
        cop: FloatArray,
        free_moment: FloatArray,
        rate_hz: float,
        up: FloatArray,
        *,
        corners: FloatArray | None = None,
        start_s: float = 0.0,
    ) -> ForcePlate:
        """Plate from force, centre of pressure and the moment about it, each (N, 3); all in laboratory axes.

        Where the point is missing (NaN) the force is taken to act at the origin. The origin is the centre of the
        corners; without them it is the point below the laboratory's origin at the median height of the given points
        where the plate is loaded. A point that went astray (`points_astray`) is taken to be in the middle of the
        corners, or else of the points where the plate is loaded: a few newtons hundreds of metres away would be a
        moment that a filter carries into the contact.
        """
        force, cop, up = np.asarray(force), np.asarray(cop), np.asarray(up, dtype=np.float64)
        known = np.asarray(np.isfinite(cop).all(axis=1, keepdims=True))
        loaded = known[:, 0] & (np.abs(force @ up) > LOADED_N)  # also where the sign is still to be reversed
        height = float(np.median(cop[loaded] @ up)) if loaded.any() else 0.0
        origin = height * up if corners is None else np.mean(corners, axis=0)
        middle = np.median(cop[loaded], axis=0) if loaded.any() and corners is None else origin
        cop = np.where(points_astray(force, cop, corners)[:, None], middle, cop)
        arm = np.where(known, cop, origin) - origin
        moment = np.cross(arm, force) + free_moment
        return cls(name, force, moment, rate_hz, origin, up, corners, 0, start_s)

    @property
    def samples(self) -> int:
        """Number of samples."""
        return int(self.force.shape[0])

    @property
    def time_s(self) -> FloatArray:
        """(N,) sample times on the trial's clock [s]."""
        return self.start_s + np.arange(self.samples) / self.rate_hz

    @property
    def vertical(self) -> FloatArray:
        """(N,) force along the surface's normal, positive when the plate is stood upon [N]."""
        return np.asarray(self.force @ self.up)

    def loaded(self, threshold_n: float = LOADED_N) -> BoolArray:
        """(N,) where the normal force exceeds the threshold."""
        return np.asarray(self.vertical > threshold_n)

    def centre_of_pressure(self, threshold_n: float = LOADED_N) -> FloatArray:
        """(N, 3) point of the surface about which no horizontal moment acts [m]; NaN where the plate is not loaded.

        With the moment M about the origin o in the surface, the normal n and the force f: p − o = (n × M) / (n·f),
        which follows from n × (M − (p − o) × f) = 0 and n·(p − o) = 0.
        """
        vertical = self.vertical
        normal = np.where(self.loaded(threshold_n), vertical, np.nan)[:, None]
        return np.asarray(self.origin + np.cross(self.up, self.moment) / normal)

    def free_moment(self, threshold_n: float = LOADED_N) -> FloatArray:
        """(N, 3) moment about the centre of pressure, along the normal [N m]; NaN where the plate is not loaded."""
        arm = self.centre_of_pressure(threshold_n) - self.origin
        return np.asarray(self.moment - np.cross(arm, self.force))


def points_astray(force: FloatArray, cop: FloatArray, corners: FloatArray | None = None) -> BoolArray:
    """(N,) where a force (N, 3) of at most `LOADED_N` acts at a point (N, 3) where the plate cannot be.

    That is farther from the middle of the corners than these; without corners, over 2 m from the median of the points
    of larger forces and from the laboratory's origin, where files put a point that is not known; where there are no
    larger forces, over 50 m from the origin.
    """
    known = np.asarray(np.isfinite(cop).all(axis=1))
    size = np.linalg.norm(force, axis=1)
    pushed = known & (size > LOADED_N)
    middle, farthest = np.zeros(3), LABORATORY_M
    if corners is not None:
        middle = np.mean(corners, axis=0)
        farthest = float(np.linalg.norm(corners - middle, axis=1).max())
    elif pushed.any():
        middle, farthest = np.median(cop[pushed], axis=0), ASTRAY_M
    point = np.where(known[:, None], cop, middle)
    away = np.linalg.norm(point - middle, axis=1) > farthest
    if corners is None:
        away &= np.linalg.norm(point, axis=1) > ASTRAY_M
    return np.asarray(known & (size <= LOADED_N) & (size > 0.0) & away)
