"""The body as it is drawn: a skin over its segments, their ellipsoids of inertia, or sticks and joints."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from vtkmodules.vtkRenderingCore import vtkActor

from biomec.base.arrays import FloatArray, IntArray
from biomec.body.anatomy.model import SegmentDefinition
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.recording.marker_set import Side
from biomec_app.kit.colours import mixed, rgb
from biomec_app.viewer.actors import SurfaceActor, draw_every_pixel, mapper_of
from biomec_app.viewer.meshes import joined
from biomec_app.viewer.person import inertia_ellipsoids, person_of
from biomec_app.viewer.poses import ScenePose, ScenePoses
from biomec_app.viewer.sticks import Sticks

if TYPE_CHECKING:
    from biomec_app.kit.theme import Theme

LINES, CAPSULES, ELLIPSOIDS = "lines", "capsules", "ellipsoids"
SHAPES = (LINES, CAPSULES, ELLIPSOIDS)
CLAY = {"light": "#D8CFC4", "dark": "#C9C2B8"}
MANY = ("#5B8FD6", "#E2894A", "#55A868", "#C06BA8", "#D6B23C", "#4FB3BF", "#A77B5B", "#8C7AD0")


def side_colour(segment: SegmentDefinition, theme: Theme) -> str:
    """Colour of a segment's side: softened on the limbs, clay in the middle."""
    clay = CLAY[theme.name]
    if segment.side is None:
        return clay
    return mixed(theme.right if segment.side is Side.RIGHT else theme.left, clay, 0.30)


def segment_colours(body: SubjectModel, theme: Theme, coloured: bool, single: bool = False) -> dict[str, str]:
    """Segment -> colour: that of its side, one that none of its neighbours has, or a single one."""
    if single and not coloured:
        return {segment.name: CLAY[theme.name] for segment in body.segments}
    if not coloured:
        return {segment.name: side_colour(segment, theme) for segment in body.segments}
    beside: dict[str, set[str]] = {segment.name: set() for segment in body.segments}
    links = [(j.proximal, j.distal) for j in body.model.joints] + [(c.segment, c.on) for c in body.model.contacts]
    for one, other in links:
        if one in beside and other in beside:
            beside[one].add(other)
            beside[other].add(one)
    found: dict[str, str] = {}
    for k, segment in enumerate(body.segments):
        taken = {found[name] for name in beside[segment.name] if name in found}
        turn = [MANY[(k + shift) % len(MANY)] for shift in range(len(MANY))]
        found[segment.name] = next((colour for colour in turn if colour not in taken), turn[0])
    return found


DEVICE = "#59636e"  # crutches and orthoses, which belong to neither side


class SceneBody:
    """A body in one of the shapes. `actors` in the order in which they must be drawn; `shadow` lies on the floor.

    One that is see-through shows its nearest layer only: `depth_only` sees to that, but takes as long as the body
    itself. Where there is no time for it, faces are sorted instead, which may fail where limbs reach into each other.
    """

    def __init__(self, poses: ScenePoses, shape: str, colours: dict[str, str], opacity: float, shadow: str) -> None:
        self.shape = shape
        self._floor = poses.floor() + 0.001
        self._poses = poses
        body = poses.body
        self._skin: SurfaceActor | None = None
        self._sticks: Sticks | None = None
        if shape == LINES:
            self._sticks = Sticks(poses, colours, opacity)
            self.surfaces: list[SurfaceActor] = self._sticks.surfaces
        else:
            parts = inertia_ellipsoids(body) if shape == ELLIPSOIDS else poses.analysis.derived(person_of)
            ends = np.cumsum([0, *(len(part.mesh.points) for part in parts)])
            self._slices = [slice(a, b) for a, b in pairwise(ends)]
            self._order = [poses.segments.index(part.segment.name) for part in parts]
            whole = joined([part.mesh for part in parts])
            self._local = whole.points.astype(np.float32)
            self._local_normals = whole.normals.astype(np.float32)
            self._skin = SurfaceActor(whole.points, whole.faces, normals=whole.normals, opacity=opacity)
            self._owner = np.repeat(self._order, np.diff(ends))
            shades = np.array([rgb(DEVICE if part.device else colours[part.segment.name]) for part in parts])
            self._skin.paint(np.round(255.0 * np.repeat(shades, np.diff(ends), axis=0)))
            self._faces = whole.faces
            self._skin.shadow_cells = whole.shadow_faces
            self.surfaces = [self._skin]
        colour = [surface.actor for surface in self.surfaces]
        self._nearest = [] if opacity >= 1.0 else [depth_only(surface) for surface in self.surfaces]
        self._visible = True
        self.actors = [*self._nearest, *colour]
        for actor in self.actors:
            actor.ForceOpaqueOn()  # drawn in the given order; the nearest surface was written by `depth_only`
        self.shadow = [_flat(surface, shadow) for surface in self.surfaces]

    def update(self, pose: ScenePose) -> None:
        """Put the body into a pose."""
        if self._sticks is not None:
            self._sticks.update(pose)
            return
        assert self._skin is not None
        R = pose.attitudes.astype(np.float32)
        p = pose.origins.astype(np.float32)
        points, normals = self._skin.points, self._skin.normals
        assert normals is not None
        for s, part in zip(self._order, self._slices, strict=True):
            if np.isfinite(p[s, 0]):
                np.matmul(self._local[part], R[s].T, out=points[part])
                points[part] += p[s]
                np.matmul(self._local_normals[part], R[s].T, out=normals[part])
            else:
                points[part] = 0.0  # no area, so nothing is drawn
        np.maximum(points[:, 1], self._floor, out=points[:, 1])  # soft parts give way to the floor
        self._skin.changed(normals=True)

    def set_visible(self, visible: bool) -> None:
        """Show or hide the body and its shadow."""
        self._visible = visible
        for actor in (*self.actors, *self.shadow):
            actor.SetVisibility(visible)

    def show_nearest(self, towards_eye: FloatArray, quick: bool) -> None:
        """Let a see-through body show its nearest layer to an eye in a direction (3,), quickly or exactly."""
        for surface, actor in zip(self.surfaces, self._nearest, strict=False):
            actor.SetVisibility(self._visible and not quick)
            if quick and self._visible:
                surface.sort(towards_eye)

    def triangles(self) -> tuple[FloatArray, IntArray]:
        """(F, 3, 3) corners [m] of the skin as it is now, and the segment (F,) of each; empty for sticks."""
        if self._skin is None:
            return np.zeros((0, 3, 3)), np.zeros(0, dtype=np.int64)
        return self._skin.points[self._faces].astype(np.float64), self._owner[self._faces[:, 0]]

    def sticks(self, pose: ScenePose) -> tuple[FloatArray, FloatArray, IntArray]:
        """Starts and ends (N, 3) of the sticks and the segment (N,) of each; empty for a skin."""
        if self._sticks is None:
            return np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0, dtype=np.int64)
        return self._sticks.lines(pose)


def depth_only(surface: SurfaceActor) -> vtkActor:
    """An actor of the same surface that writes depth and no colour: what is see-through then shows one layer only."""
    mapper = mapper_of(surface.data)
    mapper.ScalarVisibilityOff()
    actor = vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().DeepCopy(surface.actor.GetProperty())
    actor.GetProperty().SetOpacity(0.0)
    draw_every_pixel(actor)
    return actor


def _flat(surface: SurfaceActor, colour: str) -> vtkActor:
    """The same surface flat on the floor Y = 0, as under a lamp high above; of fewer triangles, which nobody sees."""
    mapper = mapper_of(surface.sharing(surface.shadow_cells))
    mapper.ScalarVisibilityOff()
    actor = vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetColor(*rgb(colour))
    actor.GetProperty().SetLighting(False)
    actor.GetProperty().BackfaceCullingOn()
    actor.SetScale(1.0, 1.0e-5, 1.0)
    draw_every_pixel(actor)
    return actor
