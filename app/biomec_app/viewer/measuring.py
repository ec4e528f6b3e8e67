"""Distances and angles between points that were clicked. They follow the points through time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec_app.viewer.picking import place_of
from biomec_app.viewer.scene import Scene

NEEDED = {"distance": 2, "angle": 3}


@dataclass(frozen=True)
class Measurement:
    """What is measured: "distance" of two points, or "angle" at the second of three; and the points chosen so far."""

    kind: str
    points: tuple[str, ...] = ()

    def with_point(self, name: str) -> Measurement:
        """One point more; a complete measurement starts anew."""
        points = () if self.complete else self.points
        return self if points and points[-1] == name else Measurement(self.kind, (*points, name))

    @property
    def complete(self) -> bool:
        """Whether all its points are chosen."""
        return len(self.points) >= NEEDED[self.kind]

    @property
    def hint(self) -> str:
        """What to do next."""
        words = ("first", "second", "third")
        if self.complete:
            return "Click a point to measure again, Esc to end"
        where = " (where the angle is)" if self.kind == "angle" and len(self.points) == 1 else ""
        return f"Click the {words[len(self.points)]} point{where}, Esc to end"

    def places(self, scene: Scene) -> FloatArray:
        """(K, 3) where its points are now [m]; those that are not known are left out."""
        found = [place for name in self.points if (place := place_of(scene, name)) is not None]
        return np.array(found).reshape(-1, 3)

    def told(self, scene: Scene) -> str:
        """The result in words; empty while it cannot be computed."""
        places = self.places(scene)
        if not self.complete or len(places) < NEEDED[self.kind]:
            return ""
        return f"{1000.0 * distance(places):.1f} mm" if self.kind == "distance" else f"{np.rad2deg(angle(places)):.1f}°"


def distance(places: FloatArray) -> float:
    """Distance [m] of two places (2, 3)."""
    return float(np.linalg.norm(places[1] - places[0]))


def angle(places: FloatArray) -> float:
    """Angle [rad] at the second of three places (3, 3): atan2(|a × b|, a · b), exact also near 0 and π."""
    a, b = places[0] - places[1], places[2] - places[1]
    return float(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b))
