"""Centres of mass of the segments and of the whole body."""

from __future__ import annotations

import numpy as np

from biomec_app.viewer.actors import Instances
from biomec_app.viewer.meshes import sphere
from biomec_app.viewer.overlays.overlay import LegendEntry, Moment, Overlay

SEGMENT, WHOLE = "#F2B705", "#8A3FA0"


class CentresOfMass(Overlay):
    """Centre of mass of every segment, its ball as large as the mass, and that of the whole body."""

    title, help, inside = "Centres of &Mass", "Centres of mass of the segments and of the whole body", True

    def build(self) -> None:
        bodies = self.poses.body.system.layout.bodies
        heavy = [name for name in self.poses.segments if bodies[name].mass > 0.0]
        self._columns = [self.poses.names.index(f"{name}.com") for name in heavy]
        self._mass = np.array([bodies[name].mass for name in heavy])
        self._radii = 0.011 * np.cbrt(np.maximum(self._mass, 0.3))
        self._balls = Instances(sphere(6, 10), len(heavy), colours=SEGMENT)
        self._whole = Instances(sphere(10, 16), 1, colours=WHOLE)
        self.surfaces = [self._balls, self._whole]

    def update(self, moment: Moment) -> None:
        if moment.pose is None:
            return
        places = moment.pose.points[self._columns]
        self._balls.place(places, self._radii)
        total = self._mass.sum()
        whole = self._mass @ places / total if total > 0.0 else np.full(3, np.nan)  # NaN if a segment is not known
        self._whole.place(whole[None], 0.045)

    def legend(self) -> list[LegendEntry]:
        return [LegendEntry("centre of mass: segment", SEGMENT), LegendEntry("whole body", WHOLE)]
