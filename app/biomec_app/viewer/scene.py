"""The 3-D scene of a recording: built once, then only places are written. It knows no Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from vtkmodules.vtkRenderingCore import vtkActor, vtkRenderer

from biomec.base.arrays import FloatArray
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.simulation_run import SimulationRun
from biomec.recording.marker_set import Side
from biomec_app.kit.colours import mixed, rgb
from biomec_app.session.view_options import CONSISTENT, RAW, SIMULATED, View
from biomec_app.viewer.actors import Batch, Lights, SurfaceActor, shine_through
from biomec_app.viewer.figure import LINES, SceneBody, segment_colours
from biomec_app.viewer.overlays import OVERLAYS, Handles, Label, LegendEntry, Moment, Overlay
from biomec_app.viewer.poses import ScenePose, ScenePoses
from biomec_app.viewer.sticks import Sticks, drawn_lines

if TYPE_CHECKING:
    from biomec_app.kit.theme import Theme

SEE_THROUGH, GHOST = 0.42, 0.38  # opacity of a body with something inside, and of one that stands in for another
COMPARED_SKIN = 0.25  # opacity of the skin around the sticks of two bodies that are compared
SECOND = {"light": "#C2187A", "dark": "#FF6FC8"}  # theme -> colour of the second of two bodies
THICK, THIN = 0.95, 0.42  # sticks of the first and of the second, which lie within the first where both agree
CALLED = {RAW: "measured", CONSISTENT: "consistent", SIMULATED: "simulated"}
ALONG = 6  # points that stand for a line of the body where words keep off it
SHINING = 0.6  # opacity of what shines through a body
TILE, FADE = 0.5, 1.6  # m, edge of a tile of the floor, and floor beyond what is recorded


class Scene:
    """Everything that is drawn of one analysis.

    renderer : to be added to a render window
    poses    : where things are
    moment   : what is shown now
    """

    def __init__(self, analysis: Analysis, theme: Theme, view: View = View()) -> None:
        self.poses, self.theme = analysis.derived(ScenePoses), theme
        self.floor = self.poses.floor()
        self.renderer = vtkRenderer()
        self.renderer.SetBackground(rgb(theme.sky_bottom))
        self.renderer.SetAutomaticLightCreation(False)
        self.renderer.GetCullers().RemoveAllItems()  # which look through all points, and hardly ever leave anything out
        self._lights: Lights | None = None
        self._eye: FloatArray | None = None
        self._ground = floor_grid(self.poses.extent(), self.floor, theme)
        self._figures: dict[tuple[str, str, bool, float, bool, bool], SceneBody] = {}
        self._overlays: dict[str, Overlay] = {}
        self._main: SceneBody | None = None
        self._sticks: dict[str, Sticks] = {}
        self._lost: SceneBody | None = None
        self._frame = 0
        self._marked: str | None = None
        self._lines = drawn_lines(self.poses)[0] if self.poses.has_body else np.zeros((0, 2), dtype=np.int64)
        self.view = view
        self.show(view)

    # ------------------------------------------------------------------ what is shown

    def show(self, view: View) -> None:
        """Show other things."""
        self.view = view
        poses = self.poses
        shown = [name for name, kind in OVERLAYS.items() if self._is_shown(name, kind, view)]
        for name in shown:
            if name not in self._overlays:
                self._overlays[name] = OVERLAYS[name](poses, self.theme)
        self._active = [self._overlays[name] for name in shown]
        self.run = shown_run(poses.analysis, view)
        self.kinds = self._kinds(view)
        compared = len(self.kinds) > 1
        self.see_through = compared or bool(view.measure) or any(overlay.inside for overlay in self._active)
        opacity = COMPARED_SKIN if compared and view.shape != LINES else SEE_THROUGH if self.see_through else 1.0
        self._main = (
            self._figure(self.kinds[0], view.shape, view.coloured, opacity, single=view.single) if self.kinds else None
        )
        self._sticks = self._compared(view) if compared else {}
        self._lost = None
        if self.kinds == (SIMULATED,):
            self._lost = self._figure(self._recorded, view.shape, False, GHOST, ghost=True)
        elif CONSISTENT in self.kinds and RAW not in self.kinds and not view.static:
            self._lost = self._figure(RAW, view.shape, False, GHOST, ghost=True)
        self._arrange()
        self.update(self._frame)

    def _is_shown(self, name: str, kind: type[Overlay], view: View) -> bool:
        """Whether an overlay is wanted, and can be drawn."""
        wanted = name in view.overlays or bool(view.measure and name == "anatomical points")
        return wanted and not (view.static and kind.moving) and kind.missing(self.poses.analysis) is None

    def _kinds(self, view: View) -> tuple[str, ...]:
        """Bodies to draw, the main one first; what was not computed is not there."""
        if not self.poses.has_body:
            return ()
        if view.static:
            return (RAW,)
        wanted = [kind for kind in (CONSISTENT, RAW) if kind in view.signals and kind in self.poses.kinds]
        if SIMULATED in view.signals:
            wanted = [SIMULATED, *wanted[:1]] if self.run is not None else wanted or [self._recorded]
        return tuple(wanted) or (RAW,)

    @property
    def _recorded(self) -> str:
        """The recorded body, the consistent one where there is one."""
        return CONSISTENT if CONSISTENT in self.poses.kinds else RAW

    def _compared(self, view: View) -> dict[str, Sticks]:
        """Two bodies as sticks that are seen through everything: the first in its colours, the second in one."""
        first, second = self.kinds
        segments = [segment.name for segment in self.poses.body.segments]
        sticks = {second: Sticks(self.poses, dict.fromkeys(segments, SECOND[self.theme.name]), 1.0, THIN, np.inf)}
        if view.shape != LINES:
            own = segment_colours(self.poses.body, self.theme, view.coloured, view.single)
            sticks[first] = Sticks(self.poses, own, 1.0, THICK, np.inf)
        return sticks

    def _figure(
        self, kind: str, shape: str, coloured: bool, opacity: float, ghost: bool = False, single: bool = False
    ) -> SceneBody:
        key = (kind, shape, coloured, opacity, ghost, single)
        if key not in self._figures:
            colours = segment_colours(self.poses.body, self.theme, coloured, single)
            if ghost:
                colours = dict.fromkeys(colours, mixed(self.theme.failed, self.theme.measured, 0.75))
            shade = mixed(self.theme.floor, "#000000", 0.14 if self.theme.name == "light" else 0.45)
            figure = SceneBody(self.poses, shape, colours, opacity, shade)
            for actor in figure.actors if ghost else ():
                behind(actor)
            for actor in figure.shadow:
                actor.SetPosition(0.0, self.floor + 0.0005, 0.0)
            self._figures[key] = figure
        return self._figures[key]

    def _arrange(self) -> None:
        """Order matters: what lies within a see-through body is drawn before it."""
        figures = [figure for figure in (self._main, self._lost) if figure is not None]
        actors: list[vtkActor] = [self._ground.actor]
        actors += [actor for figure in figures[:1] for actor in figure.shadow]
        first, second = ([self._sticks[k].surfaces] if k in self._sticks else [] for k in (*self.kinds, "", "")[:2])
        surfaces = [surface for part in (*(one.surfaces for one in self._active), *first) for surface in part]
        together: dict[float, list[SurfaceActor]] = {}
        for surface in surfaces:
            if surface.can_be_batched:
                together.setdefault(surface.through, []).append(surface)
        single = [surface for surface in surfaces if not surface.can_be_batched]
        single.sort(key=lambda surface: surface.actor.GetProperty().GetOpacity() < 1.0)
        surfaces = [*(Batch(parts) for parts in together.values()), *single]
        for surface in surfaces:
            surface.actor.ForceOpaqueOn()  # blended in this order, not sorted in passes of their own, which are slow
        actors += [surface.actor for surface in surfaces]
        actors += [actor for figure in figures for actor in figure.actors]
        actors += [shine_through(surface, SHINING) for surface in surfaces if surface.through > 0.0]
        over = [Batch(part) for part in second]
        actors += [shine_through(surface, 1.0, over=True) for surface in over]
        self._surfaces: list[SurfaceActor] = [
            *surfaces, *over, *(surface for figure in figures for surface in figure.surfaces),
        ]  # fmt: skip
        self._ground.actor.ForceOpaqueOn()
        self.renderer.RemoveAllViewProps()
        for actor in actors:
            self.renderer.AddActor(actor)

    # ------------------------------------------------------------------ time

    def update(self, frame: int) -> None:
        """Show a frame."""
        self._frame = frame = int(np.clip(frame, 0, self.poses.frames - 1))
        poses, view = self.poses, self.view
        bodies: dict[str, ScenePose] = {}
        if view.static and poses.has_body:
            bodies = {RAW: poses.static()}
        else:
            found = {kind: self._pose(kind, frame) for kind in self.kinds}
            bodies = {kind: pose for kind, pose in found.items() if pose is not None}
        main = self.kinds[0] if self.kinds else RAW
        instead = self._recorded if SIMULATED in self.kinds else RAW  # what is shown where the main body is not known
        instead = self.kinds[1] if len(self.kinds) > 1 else instead
        solved = self._is_known(frame)
        seen = {
            kind: pose for kind, pose in bodies.items() if kind != CONSISTENT or view.static or poses.is_solved(frame)
        }
        if self._main is not None:
            self._main.set_visible(main in seen)
            if main in seen:
                self._main.update(seen[main])
        for kind, sticks in self._sticks.items():
            sticks.update(seen.get(kind))
        if self._lost is not None:
            self._lost.set_visible(not solved)
            if not solved:
                bodies[instead] = poses.pose(instead, frame)
                self._lost.update(bodies[instead])
        if not solved:
            main = instead
        markers = poses.static_markers() if view.static else poses.markers.p_WM[frame]
        self.moment = Moment(None if view.static else frame, main, bodies, bodies.get(main), markers, view.force_scale,
                             view.no_muscles, self._marked)  # fmt: skip
        for overlay in self._active:
            overlay.update(self.moment)

    def mark(self, muscle: str | None) -> bool:
        """Let a muscle stand out from the others; False if it does already."""
        if muscle == self._marked:
            return False
        self._marked = muscle
        self.update(self._frame)
        return True

    def _pose(self, kind: str, frame: int) -> ScenePose | None:
        if kind == SIMULATED:
            return None if self.run is None else self.poses.simulated(self.run, frame)
        return self.poses.pose(kind, frame)

    def _is_known(self, frame: int) -> bool:
        """Whether the main body is known in a frame."""
        main = self.kinds[0] if self.kinds else RAW
        if main == SIMULATED:
            return self._pose(SIMULATED, frame) is not None
        return self.view.static or main == RAW or self.poses.is_solved(frame)

    def prepare(self, basis: FloatArray, quick: bool = False) -> None:
        """Get ready for an eye whose right, up and backward directions are the rows of ``basis`` (3, 3).

        quick : for a picture of something that moves
        """
        if self._lights is None or self._eye is None or not np.array_equal(basis, self._eye):
            self._lights, self._eye = Lights.of_eye(basis), basis
        for surface in self._surfaces:
            if surface.actor.GetVisibility():
                surface.light(self._lights)
                surface.be_quick(quick)
        for figure in (self._main, self._lost):
            if figure is not None:
                figure.show_nearest(basis[2], quick)

    # ------------------------------------------------------------------ what can be asked

    @property
    def figure(self) -> SceneBody | None:
        """The main body that is drawn; None without a model."""
        if self._lost is not None and not self._is_known(self._frame):
            return self._lost
        return self._main

    def labels(self) -> list[Label]:
        """Words in the picture."""
        return [label for overlay in self._active for label in overlay.labels(self.moment)]

    def handles(self) -> list[Handles]:
        """Muscles that can be picked."""
        return [found for overlay in self._active if (found := overlay.handles(self.moment)) is not None]

    def limbs(self) -> FloatArray:
        """(P, 3) points along the limbs of the main body [m]."""
        if self.moment.pose is None:
            return np.zeros((0, 3))
        start, end = (self.moment.pose.points[self._lines[:, k]] for k in (0, 1))
        along = start[:, None] + np.linspace(0.0, 1.0, ALONG)[:, None] * (end - start)[:, None]
        points = along.reshape(-1, 3)
        return np.asarray(points[np.isfinite(points[:, 0])])

    def legend(self) -> list[LegendEntry]:
        """What the colours mean."""
        entries: list[LegendEntry] = []
        if self.kinds and not self.view.coloured and not self.view.single:
            there = {segment.side for segment in self.poses.body.segments}
            sides = ((Side.RIGHT, "right", self.theme.right), (Side.LEFT, "left", self.theme.left))
            entries += [LegendEntry(words, colour, "patch") for side, words, colour in sides if side in there]
        if len(self.kinds) > 1:
            entries.append(LegendEntry(CALLED[self.kinds[1]], SECOND[self.theme.name], "line"))
        return entries + [entry for overlay in self._active for entry in overlay.legend()]

    def body_points(self) -> FloatArray:
        """(K, 3) places of the person now, for the camera."""
        points = self.moment.markers if self.moment.pose is None else self.moment.pose.points
        return points[np.isfinite(points).all(axis=1)]

    def status(self) -> str:
        """What is to be said about the frame; empty if all is well."""
        view, poses = self.view, self.poses
        if not poses.has_body:
            return "Markers only; F5 runs the analysis and shows the body"
        if view.static:
            return "Static pose"
        if SIMULATED in self.kinds and self.run is not None:
            if self._is_known(self._frame):
                return f"Simulated: {self.run.name}{self._beside()}"
            base = poses.trial.first_frame
            reached = f"frames {base + self.run.first} to {base + self.run.first + len(self.run.q) - 1}"
            return f"Recorded: the simulation has {reached} only"
        if CONSISTENT in view.signals and CONSISTENT not in poses.kinds:
            return "Measured: consistent positions are not computed yet"
        if not poses.is_solved(self._frame) and CONSISTENT in self.kinds:
            return "This frame did not converge: measured positions are shown"
        return f"{CALLED[self.kinds[0]].capitalize()}{self._beside()}" if len(self.kinds) > 1 else ""

    def _beside(self) -> str:
        """What is laid over the main body, in words."""
        return f"; {CALLED[self.kinds[1]]} as magenta lines" if len(self.kinds) > 1 else ""


def behind(actor: vtkActor) -> None:
    """Draw a surface as if it were a little farther away, so that one at the same place is seen before it."""
    mapper = actor.GetMapper()
    mapper.SetResolveCoincidentTopologyToPolygonOffset()
    mapper.SetRelativeCoincidentTopologyPolygonOffsetParameters(4.0, 40.0)


def shown_run(analysis: Analysis, view: View) -> SimulationRun | None:
    """The simulation that a view shows; None if it shows none, or one that is not there."""
    runs = analysis.simulations
    if SIMULATED not in view.signals or view.static or not runs:
        return None
    return runs.get(view.simulation) if view.simulation else next(reversed(list(runs.values())))


def floor_grid(reach: FloatArray, height: float, theme: Theme) -> SurfaceActor:
    """Edges of tiles under the places (K, 3) that a recording reaches, at a height [m], fading all around."""
    flat = reach[:, [0, 2]]
    low, high = flat.min(axis=0), flat.max(axis=0)
    middle, radius = 0.5 * (low + high), 0.5 * (high - low) + FADE
    first, last = np.floor((middle - radius) / TILE) * TILE, np.ceil((middle + radius) / TILE) * TILE
    x, z = (np.arange(a, b + 0.5 * TILE, 0.5 * TILE) for a, b in zip(first, last, strict=True))
    grid_x, grid_z = np.meshgrid(x, z, indexing="ij")
    points = np.stack([grid_x, np.full_like(grid_x, height - 0.004), grid_z], axis=-1)
    index = np.arange(grid_x.size).reshape(grid_x.shape)
    along_x = np.stack([index[:-1, ::2], index[1:, ::2]], axis=-1).reshape(-1, 2)
    along_z = np.stack([index[::2, :-1], index[::2, 1:]], axis=-1).reshape(-1, 2)
    far = np.hypot(*((np.stack([grid_x, grid_z]).reshape(2, -1) - middle[:, None]) / radius[:, None]))
    share = np.clip((1.0 - far) / 0.7, 0.0, 1.0) ** 1.3
    ink = np.round(255.0 * np.array(rgb(mixed(theme.floor, theme.text, 0.16))))
    edges = SurfaceActor(points.reshape(-1, 3), np.concatenate([along_x, along_z]), lines=True)
    edges.paint(np.concatenate([np.tile(ink, (len(share), 1)), np.round(255.0 * share)[:, None]], axis=1))
    return edges
