"""Force plates on the floor, and the forces of the ground as arrows."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.pipeline.analysis import Analysis
from biomec.recording.plate import ForcePlate
from biomec_app.kit.colours import mixed
from biomec_app.kit.words import plate_words
from biomec_app.viewer.actors import SurfaceActor
from biomec_app.viewer.overlays.arrows import Arrows
from biomec_app.viewer.overlays.overlay import Label, LegendEntry, Moment, Overlay

FORCE = "#12A150"
METRES_A_NEWTON = 1.0e-3
MARGIN = 0.08  # m around the points of force where the file gives no corners


def outline(plate: ForcePlate) -> FloatArray | None:
    """Corners (4, 3) of a plate; without any in the file, of the area where it was stood upon, or None."""
    if plate.corners is not None:
        return plate.corners
    points = plate.centre_of_pressure()
    points = points[np.isfinite(points).all(axis=1)]
    if not len(points):
        return None
    low, high = np.percentile(points, [2, 98], axis=0)
    x, z = (low[0] - MARGIN, high[0] + MARGIN), (low[2] - MARGIN, high[2] + MARGIN)
    y = float(np.median(points[:, 1]))
    return np.array([[x[0], y, z[0]], [x[0], y, z[1]], [x[1], y, z[1]], [x[1], y, z[0]]])


class Plates(Overlay):
    """The plates, flat on the floor."""

    title, help = "Force &Plates", "Where the force plates are"

    @classmethod
    def missing(cls, analysis: Analysis) -> str | None:
        """Needs plates."""
        return None if analysis.session.dynamic.plates else "The recording has no force plates."

    def build(self) -> None:
        self._known = any(plate.corners is not None for plate in self.poses.plates)
        analysis = self.poses.analysis
        found = [
            (plate_words(analysis, p.name), corners) for p in self.poses.plates if (corners := outline(p)) is not None
        ]
        self._names = [name for name, _ in found]
        corners = np.array([corner for _, corner in found]).reshape(-1, 4, 3) + np.array([0.0, 0.003, 0.0])
        self._corners = corners
        faces = np.arange(4 * len(corners)).reshape(-1, 4)
        edges = np.concatenate([np.stack([faces[:, k], faces[:, (k + 1) % 4]], axis=1) for k in range(4)])
        fill = mixed(self.theme.floor, FORCE, 0.30 if self.theme.name == "light" else 0.35)
        self._surface = SurfaceActor(corners.reshape(-1, 3), faces, colour=fill)
        raised = corners.reshape(-1, 3) + np.array([0.0, 0.002, 0.0])
        self._edges = SurfaceActor(raised, edges, colour=mixed(fill, FORCE, 0.6), lines=True)
        self._edges.actor.GetProperty().SetLineWidth(2.0)
        self.surfaces = [self._surface, self._edges]

    def labels(self, moment: Moment) -> list[Label]:
        return [
            Label(name, c.mean(axis=0), self.theme.text, 1, c)
            for name, c in zip(self._names, self._corners, strict=True)
        ]

    def legend(self) -> list[LegendEntry]:
        return [LegendEntry("force plate" if self._known else "area where forces act", FORCE, "patch")]


class Forces(Overlay):
    """Forces of the ground on the person, from their point of application."""

    title, help, moving = "&Forces", "Forces of the ground on the person", True

    @classmethod
    def missing(cls, analysis: Analysis) -> str | None:
        """Needs plates."""
        return None if analysis.session.dynamic.plates else "The recording has no force plates."

    def build(self) -> None:
        plates = self.poses.plates
        time = np.arange(self.poses.frames) / self.poses.rate_hz
        starts, forces = [], []
        for plate in plates:
            sample = np.round((time - plate.start_s) * plate.rate_hz).astype(np.int64)
            there = (sample >= 0) & (sample < plate.samples)
            sample = np.clip(sample, 0, plate.samples - 1)
            point = plate.centre_of_pressure()[sample]
            starts.append(np.where(there[:, None], point, np.nan))
            forces.append(plate.force[sample])
        for point, force in _tips(self.poses.analysis, self.poses.frames):
            starts.append(point)
            forces.append(force)
        self._starts, self._forces = np.stack(starts, axis=1), np.stack(forces, axis=1)  # (T, P, 3)
        self._arrows = Arrows(self._starts.shape[1], FORCE)
        self.surfaces = self._arrows.surfaces
        self._scale = 1.0
        self._labels: list[tuple[FloatArray, str]] = []

    def at(self, frame: int | None) -> tuple[FloatArray, FloatArray]:
        """Points [m] and forces [N], (P, 3) each, of a frame, crutches last; NaN where a plate is not loaded."""
        if frame is None:
            nothing = np.full(self._starts.shape[1:], np.nan)
            return nothing, nothing
        return self._starts[frame], self._forces[frame]

    def update(self, moment: Moment) -> None:
        starts, forces = self.at(moment.frame)
        self._scale = moment.scale
        ends = self._arrows.place(starts, METRES_A_NEWTON * moment.scale * forces)
        self._labels = [(place, f"{np.linalg.norm(f):.0f} N") for place, f in zip(ends, forces, strict=True)]

    def labels(self, moment: Moment) -> list[Label]:
        return [Label(text, place, self.theme.text, 3) for place, text in self._labels if np.isfinite(place).all()]

    def legend(self) -> list[LegendEntry]:
        return [LegendEntry(f"ground force, {0.5 / METRES_A_NEWTON / self._scale:.0f} N = 0.5 m", FORCE, "arrow")]


def _tips(analysis: Analysis, frames: int) -> list[tuple[FloatArray, FloatArray]]:
    """Tip and force (T, 3) of every instrumented crutch, once the loads are computed."""
    aids = analysis.loads.aids if "loads" in analysis.done else None
    if aids is None or aids.loads.frames != frames:
        return []
    loaded = (aids.loads.force != 0.0).any(axis=2)[..., None]
    points = np.where(loaded, aids.loads.point, np.nan)
    return [(points[:, k], aids.loads.force[:, k]) for k in range(len(aids.devices))]
