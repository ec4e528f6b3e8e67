"""Points on the body: landmarks, technical markers, and names beside them."""

from __future__ import annotations

import numpy as np

from biomec.pipeline.analysis import Analysis
from biomec.recording.marker_set import MarkerSet
from biomec_app.viewer.actors import Instances
from biomec_app.viewer.meshes import bead
from biomec_app.viewer.overlays.overlay import Label, LegendEntry, Moment, Overlay
from biomec_app.viewer.poses import ScenePoses

ANATOMICAL, TECHNICAL = "#E0473C", "#9ACD32"
RADIUS = 0.0095  # m
UNDER_SKIN = 0.045  # m, so deep below the skin landmarks are still seen


def anatomical(poses: ScenePoses) -> list[int]:
    """Columns of the landmarks in `Poses.names`, each once, in the segment that names it first."""
    if not poses.has_body:
        return []
    technical = {m.name for m in poses.body.marker_set.markers if m.technical}
    hidden = {"origin", "com", *technical}
    found: dict[str, int] = {}
    for column, name in enumerate(poses.names):
        point = name.partition(".")[2]
        if point not in hidden and not point.startswith("ellipsoid of") and (point in poses.body.static):
            found.setdefault(point, column)
    return list(found.values())


def technical(poses: ScenePoses) -> list[int]:
    """Columns of the markers that mark no landmark."""
    return others(poses.markers.names, poses.marker_set)


def others(names: tuple[str, ...], marker_set: MarkerSet | None) -> list[int]:
    """Columns of the names that a marker set does not place on a landmark; all of them without a set."""
    marks = {marker.name for marker in marker_set.markers if not marker.technical} if marker_set is not None else set()
    return [k for k, name in enumerate(names) if name not in marks]


class AnatomicalPoints(Overlay):
    """Landmarks and joint centres where the body that is shown has them; all markers if there is no body yet."""

    title, help = "&Anatomical Points", "Landmarks and joint centres"

    @classmethod
    def missing(cls, analysis: Analysis) -> str | None:
        """Markers are always there."""
        return None

    def build(self) -> None:
        self._columns = anatomical(self.poses)
        count = len(self._columns) or len(self.poses.markers.names)
        self._balls = Instances(bead(), count, colours=ANATOMICAL, through=UNDER_SKIN)
        self.surfaces = [self._balls]

    def update(self, moment: Moment) -> None:
        places = moment.markers if moment.pose is None else moment.pose.points[self._columns]
        self._balls.place(places, RADIUS)

    def legend(self) -> list[LegendEntry]:
        return [LegendEntry("anatomical point" if self._columns else "marker", ANATOMICAL)]


class TechnicalPoints(Overlay):
    """Markers that only help to follow a segment, where they were measured."""

    title, help = "&Technical Points", "Markers that follow a segment without marking a landmark"

    @classmethod
    def missing(cls, analysis: Analysis) -> str | None:
        """Only markers that mark no landmark."""
        if "preparation" not in analysis.done:
            return None
        names, marker_set = analysis.preparation.dynamic.markers.names, analysis.preparation.marker_set
        return None if others(names, marker_set) else "All markers of this recording mark landmarks."

    def build(self) -> None:
        self._columns = technical(self.poses)
        self._balls = Instances(bead(), len(self._columns), colours=TECHNICAL)
        self.surfaces = [self._balls]

    def update(self, moment: Moment) -> None:
        self._balls.place(moment.markers[self._columns], RADIUS)

    def legend(self) -> list[LegendEntry]:
        return [LegendEntry("technical point", TECHNICAL)]


class MarkerNames(Overlay):
    """Names beside the markers."""

    title, help = "Marker &Names", "Names beside the markers"

    @classmethod
    def missing(cls, analysis: Analysis) -> str | None:
        """Markers are always there."""
        return None

    def labels(self, moment: Moment) -> list[Label]:
        there = np.isfinite(moment.markers[:, 0])
        names = self.poses.markers.names
        return [Label(names[k], moment.markers[k], self.theme.text) for k in np.flatnonzero(there)]
