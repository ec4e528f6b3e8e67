"""What the multibody model is made of: local frames, natural coordinates, centres of mass, ellipsoids."""

from __future__ import annotations

import numpy as np

from biomec.pipeline.analysis import Analysis
from biomec_app.viewer.actors import Instances
from biomec_app.viewer.meshes import arrow, bead, sphere
from biomec_app.viewer.overlays.overlay import LegendEntry, Moment, Overlay

X, Y, Z = "#E5383B", "#2FA84F", "#3A6FE0"
BASIC = "#2FA84F"
SEGMENT, WHOLE = "#F2B705", "#8A3FA0"  # centres of mass
RIBS = "#D9A36A"
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
