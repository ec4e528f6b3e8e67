"""What the multibody model is made of: local frames, basic points and unit vectors."""

from __future__ import annotations

import numpy as np

from biomec_app.viewer.actors import Instances
from biomec_app.viewer.meshes import arrow, bead
from biomec_app.viewer.overlays.overlay import LegendEntry, Moment, Overlay

X, Y, Z = "#E5383B", "#2FA84F", "#3A6FE0"
BASIC = "#2FA84F"
AXIS, UNIT = 0.10, 0.09  # m, lengths of the arrows


class LocalFrames(Overlay):
    """Axes of every segment at its origin: X red, Y green, Z blue."""

    title, help, inside = "&Local Frames", "Axes of every segment: X red, Y green, Z blue", True

    def build(self) -> None:
        count = len(self.poses.segments)
        self._arrows = Instances(arrow(6), 3 * count, colours=[X, Y, Z] * count)
        self.surfaces = [self._arrows]

    def update(self, moment: Moment) -> None:
        if moment.pose is None:
            return
        axes = moment.pose.attitudes.transpose(0, 2, 1).reshape(-1, 3)
        starts = np.repeat(moment.pose.origins, 3, axis=0)
        self._arrows.span(starts, starts + AXIS * axes, 0.0075)

    def legend(self) -> list[LegendEntry]:
        return [LegendEntry("x", X, "arrow"), LegendEntry("y", Y, "arrow"), LegendEntry("z", Z, "arrow")]


class NaturalCoordinates(Overlay):
    """Basic points as green balls, unit vectors as arrows: the coordinates of the model."""

    title, help, inside = "Natural &Coordinates", "Basic points and unit vectors of the model", True

    def build(self) -> None:
        poses, layout = self.poses, self.poses.body.system.layout
        self._points, self._vectors = [], []
        for s, segment in enumerate(poses.segments):
            basis = layout.bodies[segment].basis
            points = [poses.names.index(f"{segment}.{e}") for e in basis if e not in ("x", "y", "z")]
            self._points += points
            self._vectors += [(s, "xyz".index(e), points[0]) for e in basis if e in ("x", "y", "z")]
        ink = self.theme.text
        self._balls = Instances(bead(), len(self._points), colours=BASIC)
        self._arrows = Instances(arrow(6), len(self._vectors), colours=ink)
        self.surfaces = [self._balls, self._arrows]

    def update(self, moment: Moment) -> None:
        if moment.pose is None:
            return
        self._balls.place(moment.pose.points[self._points], 0.0125)
        segments, axes, roots = (np.array(column) for column in zip(*self._vectors, strict=True))
        starts = moment.pose.points[roots]
        self._arrows.span(starts, starts + UNIT * moment.pose.attitudes[segments, :, axes], 0.006)

    def legend(self) -> list[LegendEntry]:
        return [LegendEntry("basic point", BASIC), LegendEntry("unit vector", self.theme.text, "arrow")]
