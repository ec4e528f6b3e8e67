"""Loads of the joints in the 3-D view: forces as arrows, moments as bent arrows, and the residual of the root."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.pipeline.analysis import Analysis, run_first
from biomec.pipeline.load_reading import chosen_loads
from biomec.recording.marker_set import Side
from biomec_app.curves.curve import side_of_name
from biomec_app.features.loads.readings import has_loads
from biomec_app.kit.colours import mixed
from biomec_app.viewer.actors import Instances, attitudes_along
from biomec_app.viewer.meshes import SurfaceMesh, cone, joined, skin
from biomec_app.viewer.overlays.arrows import Arrows
from biomec_app.viewer.overlays.forces import METRES_A_NEWTON
from biomec_app.viewer.overlays.overlay import Label, LegendEntry, Moment, Overlay

METRES_A_NEWTON_METRE = 1.5e-3  # radius of the bent arrow of a moment, as long as force arrows have their usual length
SMALLEST = 0.012  # m; smaller arrows are not drawn
SLIM = 0.65  # thickness of the arrows by that of ground forces
ARC = 1.5 * np.pi  # rad that the bent arrow of a moment goes round
LARGEST_TOLD = 3  # joints whose numbers stand beside them


class _Loads(Overlay):
    """What both kinds of loads share: joints, colours of their sides, paler where the ground reaction is estimated."""

    moving = True

    @classmethod
    def missing(cls, analysis: Analysis) -> str | None:
        """Needs loads."""
        return None if has_loads(analysis) else run_first("loads")

    def build(self) -> None:
        analysis = self.poses.analysis
        self._loads, self._estimated = chosen_loads(analysis), analysis.loads.external.estimated
        theme = self.theme
        colours = {Side.RIGHT: theme.right, Side.LEFT: theme.left, None: theme.middle}
        self._sides = [side_of_name(joint)[0] for joint in self._loads.joints]
        strong = "#000000" if theme.name == "light" else "#FFFFFF"
        self._sure = [mixed(colours[side], strong, 0.45) for side in self._sides]  # apart from the limbs
        self._unsure = [mixed(one, theme.faint, 0.65) for one in self._sure]
        self._paler: bool | None = None
        self._scale = 1.0
        self._labels: list[tuple[FloatArray, str]] = []

    def _colours(self, frame: int) -> list[str] | None:
        """Colours of a frame; None if they are those of the frame before."""
        paler = bool(self._estimated[frame]) if frame < len(self._estimated) else False
        if paler == self._paler:
            return None
        self._paler = paler
        return self._unsure if paler else self._sure

    def _tell(self, places: FloatArray, sizes: FloatArray, unit: str) -> None:
        """Numbers beside the largest loads."""
        there = np.flatnonzero(np.isfinite(places).all(axis=1) & np.isfinite(sizes))
        largest = there[np.argsort(-sizes[there])][:LARGEST_TOLD]
        self._labels = [(places[k], f"{sizes[k]:.0f} {unit}") for k in largest]

    def labels(self, moment: Moment) -> list[Label]:
        return [Label(text, place, self.theme.text, 2) for place, text in self._labels]

    def legend(self) -> list[LegendEntry]:
        entries = [self._entry()]
        if self._estimated.any():
            entries.append(
                LegendEntry("paler: ground reaction estimated", mixed(self.theme.middle, self.theme.faint, 0.65))
            )
        return entries

    def _entry(self) -> LegendEntry:
        raise NotImplementedError


class JointForces(_Loads):
    """Force of the proximal on the distal segment, from the joint's centre, as long as the ground's forces."""

    title, help = "&Joint Forces", "Force of the proximal on the distal segment at every joint"

    def build(self) -> None:
        super().build()
        self._arrows = Arrows(len(self._loads.joints), self._sure, SLIM)
        self.surfaces = self._arrows.surfaces

    def update(self, moment: Moment) -> None:
        if moment.frame is None or moment.frame >= self._loads.frames:
            return
        force, centre = self._loads.force[moment.frame], self._loads.centre[moment.frame]
        self._scale = moment.scale
        colours = self._colours(moment.frame)
        if colours is not None:
            self._arrows.recolour(colours)
        tips = self._arrows.place(centre, METRES_A_NEWTON * moment.scale * force)
        self._tell(tips, np.linalg.norm(force, axis=1), "N")

    def _entry(self) -> LegendEntry:
        return LegendEntry(f"joint force, {0.5 / METRES_A_NEWTON / self._scale:.0f} N = 0.5 m", self._sure[0], "arrow")


class JointMoments(_Loads):
    """Moment of the proximal on the distal segment: an arrow bent about its axis, as the right hand's fingers."""

    title, help = "Joint M&oments", "Moment of the proximal on the distal segment at every joint"

    def build(self) -> None:
        super().build()
        self._arcs = Instances(bent_arrow(), len(self._loads.joints), colours=self._sure, through=np.inf)
        self.surfaces = [self._arcs]

    def update(self, moment: Moment) -> None:
        if moment.frame is None or moment.frame >= self._loads.frames:
            return
        torque, centre = self._loads.torque[moment.frame], self._loads.centre[moment.frame]
        self._scale = moment.scale
        colours = self._colours(moment.frame)
        if colours is not None:
            self._arcs.recolour(colours)
        size = np.linalg.norm(torque, axis=1)
        radius = METRES_A_NEWTON_METRE * moment.scale * size
        there = radius > SMALLEST
        centre = np.where(there[:, None], centre, np.nan)
        along = np.where(np.isfinite(torque), torque, 0.0).astype(np.float32)
        self._arcs.pose(centre, attitudes_along(along), np.repeat(radius[:, None], 3, axis=1))
        self._tell(centre, size, "N·m")

    def _entry(self) -> LegendEntry:
        moment_N_m = 0.1 / METRES_A_NEWTON_METRE / self._scale
        return LegendEntry(f"joint moment, {moment_N_m:.0f} N·m = 0.1 m radius", self._sure[0], "line")


class ResidualForce(_Loads):
    """The residual on the root: what nobody exerts, and motion, masses and plates ask for all the same."""

    title, help = "Resid&ual of the Loads", "Force on the root that motion, masses and plates leave unexplained"

    def build(self) -> None:
        super().build()
        self._arrows = Arrows(1, self.theme.failed, SLIM)
        self.surfaces = self._arrows.surfaces

    def update(self, moment: Moment) -> None:
        if moment.frame is None or moment.frame >= self._loads.frames:
            return
        force, point = self._loads.residual_force[moment.frame, None], self._loads.root_point[moment.frame, None]
        self._scale = moment.scale
        tips = self._arrows.place(point, METRES_A_NEWTON * moment.scale * force)
        self._tell(tips, np.linalg.norm(force, axis=1), "N")

    def legend(self) -> list[LegendEntry]:
        return [LegendEntry(f"residual on the {self._loads.root}", self.theme.failed, "arrow")]


def bent_arrow(steps: int = 20, sectors: int = 6) -> SurfaceMesh:
    """Arrow of radius 1 about Y, right-handed, that goes three quarters round; its thickness grows with it."""
    thick, head = 0.05, 0.30  # of the radius; radians of the head
    angle = np.linspace(0.0, ARC - head, steps)
    round_ = np.linspace(0.0, 2.0 * np.pi, sectors, endpoint=False)
    out = np.stack([np.cos(angle), 0.0 * angle, -np.sin(angle)], axis=1)  # from Z towards X turns about +Y
    normals = np.cos(round_)[None, :, None] * out[:, None] + np.sin(round_)[None, :, None] * np.array([0.0, 1.0, 0.0])
    points = out[:, None] + thick * normals
    rings = np.arange(steps * sectors).reshape(steps, sectors)[:, ::-1]
    ring = SurfaceMesh(points.reshape(-1, 3), normals.reshape(-1, 3), skin(rings, None))
    tip = cone(10)
    at = ARC - head
    place = np.array([np.cos(at), 0.0, -np.sin(at)])
    way = np.array([-np.sin(at), 0.0, -np.cos(at)])
    stout = SurfaceMesh(tip.points * (3.2 * thick, head * 1.3, 3.2 * thick), tip.normals, tip.faces, tip.coarse)
    whole = joined([ring, stout.moved(np.asarray(attitudes_along(way[None])[0]), place)])
    head_faces = whole.faces[len(ring.faces) :]
    return replace(whole, quick=np.concatenate([skin(rings[[*range(0, steps - 1, 2), -1]], None), head_faces]))
