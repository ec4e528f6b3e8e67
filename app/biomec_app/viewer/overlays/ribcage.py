"""Ellipsoids on which the scapulae glide."""

from __future__ import annotations

import numpy as np

from biomec.pipeline.analysis import Analysis
from biomec_app.viewer.actors import Instances
from biomec_app.viewer.meshes import sphere
from biomec_app.viewer.overlays.overlay import LegendEntry, Moment, Overlay

RIBS = "#D9A36A"


class Ellipsoids(Overlay):
    """Translucent ellipsoids of the thorax; the contacts of a side share nearly the same one, so one is drawn."""

    title, help, inside = "Thorax &Ellipsoids", "Surfaces on which the scapulae glide", True

    @classmethod
    def missing(cls, analysis: Analysis) -> str | None:
        """Only models with a shoulder girdle have them."""
        if "body" not in analysis.done:
            return super().missing(analysis)
        return None if analysis.body.person.surfaces else "This model has no scapula that glides on the thorax."

    def build(self) -> None:
        body = self.poses.body
        one_a_side = {c.side: c for c in body.model.contacts if c.name in body.surfaces}
        self._contacts = list(one_a_side.values())
        self._points = [self.poses.names.index(f"{c.on}.ellipsoid of {c.name}") for c in self._contacts]
        self._segments = [self.poses.segments.index(c.on) for c in self._contacts]
        surfaces = [body.surfaces[c.name] for c in self._contacts]
        self._attitudes = np.array([surface.attitude for surface in surfaces])
        self._radii = np.array([surface.radii for surface in surfaces])
        self._balls = Instances(sphere(12, 20), len(surfaces), colours=RIBS, opacity=0.38)
        self.surfaces = [self._balls]

    def update(self, moment: Moment) -> None:
        if moment.pose is not None:
            turned = moment.pose.attitudes[self._segments] @ self._attitudes
            self._balls.pose(moment.pose.points[self._points], turned, self._radii)

    def legend(self) -> list[LegendEntry]:
        return [LegendEntry("thorax ellipsoid", RIBS, "patch")]
