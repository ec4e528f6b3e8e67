"""Where the scene is seen from: turning, shifting, zooming, fitting, and from the laboratory to pixels and back."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import cos, radians, sin

import numpy as np

from biomec.base.arrays import FloatArray

VIEW_ANGLE = 26.0  # ° from bottom to top
MARGIN = 1.16
STEEPEST = 89.0  # °
SIDES: dict[str, tuple[float, float]] = {
    "frontal": (0.0, 0.0),
    "lateral right": (90.0, 0.0),
    "lateral left": (-90.0, 0.0),
    "posterior": (180.0, 0.0),
    "superior": (0.0, STEEPEST),
    "oblique": (52.0, 14.0),
}
"""Side that is seen -> azimuth from the person's front towards the right, and elevation [°]."""


@dataclass
class Camera:
    """A camera that turns about a target; Y is up.

    target             : (3,) [m]
    azimuth, elevation : of the eye, from ``heading`` towards the person's right, and above the floor [°]
    distance           : from target to eye [m]
    heading            : (3,) horizontal direction of azimuth 0
    size               : width and height of the picture it is used for, in pixels
    """

    target: FloatArray = field(default_factory=lambda: np.array([0.0, 0.9, 0.0]))
    azimuth: float = SIDES["oblique"][0]
    elevation: float = SIDES["oblique"][1]
    distance: float = 4.0
    heading: FloatArray = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    size: tuple[int, int] = (1280, 720)

    @classmethod
    def from_direction(cls, direction: FloatArray) -> Camera:
        """A camera that looks from a direction (3,) of the laboratory, X forward, Z right."""
        x, y, z = direction
        return cls(
            azimuth=float(np.rad2deg(np.arctan2(z, x))), elevation=float(np.rad2deg(np.arctan2(y, np.hypot(x, z))))
        )

    def moved(self, by: FloatArray) -> Camera:
        """Another camera that looks the same way from a place that is farther by (3,) [m]."""
        return replace(self, target=self.target + by)

    def copy(self) -> Camera:
        """Another camera at the same place."""
        return replace(self, target=self.target.copy(), heading=self.heading.copy())

    @property
    def basis(self) -> FloatArray:
        """(3, 3) rows: right, up and towards the eye.

        The eye is in the horizontal direction f = h cos a + (h × Y) sin a, with the heading h and the azimuth a.
        """
        a, e = radians(self.azimuth), radians(self.elevation)
        hx, _, hz = self.heading.tolist()
        fx, fz = hx * cos(a) - hz * sin(a), hz * cos(a) + hx * sin(a)
        return np.array(
            [[fz, 0.0, -fx], [-sin(e) * fx, cos(e), -sin(e) * fz], [cos(e) * fx, sin(e), cos(e) * fz]]
        )  # fmt: skip

    @property
    def eye(self) -> FloatArray:
        """(3,) [m]."""
        return np.asarray(self.target + self.distance * self.basis[2])

    # ------------------------------------------------------------------ moving

    def look(self, side: str) -> None:
        """Look at a side of the person, one of `SIDES`."""
        self.azimuth, self.elevation = SIDES[side]

    def orbit(self, right: float, up: float) -> None:
        """Turn the eye about the target [°]."""
        self.azimuth = (self.azimuth + right + 180.0) % 360.0 - 180.0
        self.elevation = float(np.clip(self.elevation + up, -STEEPEST, STEEPEST))

    def pan(self, right: float, up: float) -> None:
        """Shift by parts of the picture's height."""
        height = 2.0 * self.half_height()
        self.target = self.target - height * (right * self.basis[0] + up * self.basis[1])

    def half_height(self) -> float:
        """Half of what is seen from bottom to top at the target [m]."""
        return float(self.distance * np.tan(np.deg2rad(0.5 * VIEW_ANGLE)))

    def zoom(self, factor: float) -> None:
        """Come nearer by a factor above 1, or go away."""
        self.distance = float(np.clip(self.distance / factor, 0.15, 60.0))

    def fit(self, points: FloatArray, aspect: float) -> None:
        """See all points (P, 3), as near as possible; aspect: width by height of the picture.

        A point a across and b along the line of sight, seen at half the view angle θ, needs d = b + a / tan θ.
        """
        seen = points[np.isfinite(points).all(axis=1)] @ self.basis.T
        if not len(seen):
            return
        tangent = np.tan(np.deg2rad(0.5 * VIEW_ANGLE)) * np.array([aspect, 1.0])
        middle = 0.5 * (seen.min(axis=0) + seen.max(axis=0))
        eye = middle[2]
        for _ in range(5):  # perspective moves the middle a little: the near end looks longer
            reach = np.abs(seen[:, :2] - middle[:2]) / tangent
            eye = float((seen[:, 2] + MARGIN * reach.max(axis=1)).max())
            flat = (seen[:, :2] - middle[:2]) / (eye - seen[:, 2:])
            middle[:2] += 0.5 * (flat.min(axis=0) + flat.max(axis=0)) * (eye - middle[2])
        self.target = middle @ self.basis
        self.distance = float(np.clip(eye - middle[2], 0.15, 60.0))

    # ------------------------------------------------------------------ to pixels and back

    def project(self, points: FloatArray, size: tuple[float, float]) -> tuple[FloatArray, FloatArray]:
        """Pixels (P, 2) from the top left corner, and depth (P,) in front of the eye [m]; NaN behind it."""
        seen = (points - self.eye) @ self.basis.T
        depth = np.where(seen[:, 2] < -1e-6, -seen[:, 2], np.nan)
        scale = 0.5 * size[1] / np.tan(np.deg2rad(0.5 * VIEW_ANGLE))
        x = 0.5 * size[0] + scale * seen[:, 0] / depth
        y = 0.5 * size[1] - scale * seen[:, 1] / depth
        return np.stack([x, y], axis=1), depth

    def ray(self, x: float, y: float, size: tuple[float, float]) -> FloatArray:
        """(3,) unit direction from the eye through a pixel."""
        scale = 0.5 * size[1] / np.tan(np.deg2rad(0.5 * VIEW_ANGLE))
        direction = np.array([(x - 0.5 * size[0]) / scale, (0.5 * size[1] - y) / scale, -1.0]) @ self.basis
        return np.asarray(direction / np.linalg.norm(direction))
