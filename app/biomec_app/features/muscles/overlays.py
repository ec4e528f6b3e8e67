"""Muscles in the 3-D view: tubes by activation and force, the surfaces they wrap, and what presses in the joints."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.pipeline.analysis import Analysis, run_first
from biomec_app.features.muscles.readings import STEP, has_muscles, readings_of
from biomec_app.features.muscles.tubes import SCALES, STATIONS, MiddleLines, Tubes, activation_colours, radius_of
from biomec_app.kit.colours import mixed, rgb
from biomec_app.session.ready import PREPARERS
from biomec_app.viewer.actors import Instances
from biomec_app.viewer.meshes import cylinder, sphere
from biomec_app.viewer.overlays.arrows import Arrows
from biomec_app.viewer.overlays.overlay import Handles, Label, LegendEntry, Moment, Overlay

METRES_A_NEWTON = 1.0e-4  # contact forces are several times the ground's
UNDER_SKIN = 0.15  # m below other surfaces through which muscles still shine
SLIM = 0.75  # thickness of the arrows by that of ground forces
LARGEST_TOLD = 3  # joints whose numbers stand beside them
CONTACT = {"light": "#7B2CBF", "dark": "#D6A4FF"}
WRAP = "#3FA7A0"
PICKED = "#F2C500"
RING_HALF = 0.002  # m, half-height of the disc that stands for a ring


class _Muscles(Overlay):
    """What needs muscle forces."""

    moving = True

    @classmethod
    def missing(cls, analysis: Analysis) -> str | None:
        """Needs muscle forces."""
        return None if has_muscles(analysis) else run_first(STEP)


class MuscleTubes(_Muscles):
    """Every muscle as a tube, coloured by its activation and as thick as its force."""

    title, help, inside = "Muscle Act&uators", "Muscles by activation (colour) and force (thickness)", True

    def build(self) -> None:
        readings = readings_of(self.poses.analysis)
        self._forces, self._muscles = readings.forces, readings.muscles
        lines = self.poses.analysis.derived(lines_of)
        assert lines is not None  # there are muscles, or this would not be shown
        self._lines = lines
        self._tubes = Tubes(len(self._muscles), UNDER_SKIN)
        self._words = tuple(one.sided_title.capitalize() for one in self._muscles)
        self._groups = np.array([one.group for one in self._muscles])
        self._handles: Handles | None = None
        self._label: Label | None = None
        self.surfaces = [self._tubes]

    def update(self, moment: Moment) -> None:
        self._handles = self._label = None
        if moment.frame is None or moment.frame >= self._forces.frames:
            return
        lines = self._lines.at(moment.frame)
        level, force = self._forces.activation[moment.frame], self._forces.force[moment.frame]
        radii = np.where(np.isin(self._groups, list(moment.hidden)), 0.0, radius_of(force))
        colours = activation_colours(level, self.theme.name)
        if moment.muscle in self._forces.names:
            m = self._forces.names.index(str(moment.muscle))
            radii[m] = max(1.5 * radii[m], 0.004)
            colours[m] = 255.0 * np.array(rgb(PICKED))
            if np.isfinite(lines[m]).all():
                words = f"{self._words[m]} {100.0 * level[m]:.0f} %, {force[m]:.0f} N"
                self._label = Label(words, np.asarray(lines[m, STATIONS // 2], dtype=np.float64), self.theme.text, 4)
        self._tubes.place(lines, radii)
        self._tubes.colour(colours)
        shown = np.where((radii > 0.0)[:, None, None], lines, np.nan).astype(np.float64)
        self._handles = Handles(self._forces.names, self._words, shown, radii)

    def handles(self, moment: Moment) -> Handles | None:
        return self._handles

    def labels(self, moment: Moment) -> list[Label]:
        return [] if self._label is None else [self._label]

    def legend(self) -> list[LegendEntry]:
        scale = SCALES[self.theme.name]
        return [
            LegendEntry("muscle at rest", scale[0], "line"),
            LegendEntry("half active", scale[2], "line"),
            LegendEntry("fully active; as thick as its force", scale[-1], "line"),
        ]


def lines_of(analysis: Analysis) -> MiddleLines | None:
    """Middle lines of the muscles of an analysis; None without muscles."""
    return MiddleLines(readings_of(analysis).paths) if has_muscles(analysis) else None


def prepare_lines(analysis: Analysis) -> None:
    """Have the middle lines at hand, and the code that draws them compiled."""
    analysis.derived(lines_of)


PREPARERS.append(prepare_lines)


class WrapSurfaces(_Muscles):
    """Cylinders, spheres and ellipsoids over which muscles run."""

    title, help, inside = "Muscle &Wrap Surfaces", "Surfaces over which muscles run", True

    def build(self) -> None:
        paths = readings_of(self.poses.analysis).paths
        kinds = {"cylinder": cylinder(14), "sphere": sphere(8, 12), "ellipsoid": sphere(8, 12), "ring": cylinder(14)}
        self._parts = []
        for kind, mesh in kinds.items():
            found = [one for one in paths.fitted.cords.surfaces if one.kind == kind]
            if found:
                drawn = Instances(mesh, len(found), colours=WRAP, opacity=0.5, through=UNDER_SKIN)
                self._parts.append((kind, found, drawn))
        bodies = paths.fitted.cords.bodies
        self._index = {name: k for k, name in enumerate(bodies)}
        self._motion, self._origin = paths.motion, paths.origin
        self.surfaces = [drawn for _, _, drawn in self._parts]

    def update(self, moment: Moment) -> None:
        if moment.frame is None or moment.frame >= len(self._origin):
            return
        R, p = self._motion.R_WB[moment.frame], self._origin[moment.frame]
        for kind, found, drawn in self._parts:
            at = [self._index[one.body] for one in found]
            turned = R[at] @ np.array([one.attitude for one in found])
            centre = p[at] + np.einsum("nij,nj->ni", R[at], np.array([one.centre for one in found]))
            size = [one.size for one in found]
            if kind in ("cylinder", "ring"):  # drawn along Y from 0 to 1; their axes are Z, from the middle
                radius = np.array([one[0] for one in size])
                length = np.array([one[1] for one in size]) if kind == "cylinder" else np.full(len(size), 2 * RING_HALF)
                turned = turned[:, :, [0, 2, 1]] * np.array([1.0, 1.0, -1.0])  # x, z, −y: right-handed
                centre = centre - 0.5 * length[:, None] * turned[:, :, 1]
                sizes = np.stack([radius, length, radius], axis=1)
            else:
                sizes = np.array([np.resize(one, 3) for one in size])
            drawn.pose(centre, turned, sizes)

    def legend(self) -> list[LegendEntry]:
        return [LegendEntry("surface that muscles wrap", WRAP, "patch")]


class ContactForces(_Muscles):
    """What the proximal bone presses on the distal one with, muscles included, from the joint's centre."""

    title, help = "Joint &Contact Forces", "Force of bone on bone, with the muscles that pull across the joint"

    def build(self) -> None:
        readings = readings_of(self.poses.analysis)
        self._contacts, self._centre = readings.contacts, readings.centre
        known = {joint for joints in readings.crossed.values() for joint in joints}
        self._crossed = np.array([joint in known for joint in self._contacts.joints])
        self._colour = CONTACT[self.theme.name]
        self._plain = mixed(self._colour, self.theme.faint, 0.6)
        colours = [self._colour if one else self._plain for one in self._crossed]
        self._arrows = Arrows(len(colours), colours, SLIM)
        self.surfaces = self._arrows.surfaces
        self._scale = 1.0
        self._labels: list[tuple[FloatArray, str]] = []

    def update(self, moment: Moment) -> None:
        self._labels = []
        if moment.frame is None or moment.frame >= len(self._centre):
            return
        self._scale = moment.scale
        force = np.where(self._crossed[:, None], self._contacts.force[moment.frame], np.nan)
        tips = self._arrows.place(self._centre[moment.frame], METRES_A_NEWTON * moment.scale * force)
        size = np.linalg.norm(force, axis=1)
        there = np.flatnonzero(np.isfinite(tips).all(axis=1) & np.isfinite(size))
        weight = self._contacts.body_weight
        self._labels = [
            (tips[k], f"{size[k]:.0f} N, {size[k] / weight:.1f} BW")
            for k in there[np.argsort(-size[there])][:LARGEST_TOLD]
        ]

    def labels(self, moment: Moment) -> list[Label]:
        return [Label(text, place, self.theme.text, 2) for place, text in self._labels]

    def legend(self) -> list[LegendEntry]:
        whole = 0.2 / METRES_A_NEWTON / self._scale
        return [LegendEntry(f"joint contact force, {whole:.0f} N = 0.2 m", self._colour, "arrow")]
