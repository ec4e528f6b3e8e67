"""Muscles as tubes: their middle lines in every frame, bellies as thick as the force, colours of the activation."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.body.muscles.muscle_paths import MusclePaths
from biomec.engine.paths.drawn_paths import drawn_paths
from biomec_app.kit.colours import rgb
from biomec_app.viewer.actors import SurfaceActor

STATIONS, SECTORS = 16, 6
THIN = 0.0022  # m, radius of a muscle without force
STRESS = 2.0e6  # N/m², force by the cross-section that is drawn: a twentieth to a tenth of a real one
TENDON = "#F3EBDD"
SCALES = {
    "light": ("#CDBDB6", "#E39A86", "#D8433B", "#A3101F", "#5E0013"),
    "dark": ("#6E5A54", "#A6544A", "#E0483E", "#FF8A4F", "#FFE39A"),
}
"""Theme -> colours of activations from 0 to 1 in equal steps; lightness changes in one sense all along."""


def activation_colours(values: FloatArray, theme: str) -> np.ndarray:
    """(…, 3) in [0, 255] of activations (…,) from 0 to 1; NaN is grey."""
    stops = np.array([rgb(colour) for colour in SCALES[theme]]) * 255.0
    at = np.linspace(0.0, 1.0, len(stops))
    level = np.clip(np.nan_to_num(values), 0.0, 1.0)
    found = np.stack([np.interp(level, at, stops[:, k]) for k in range(3)], axis=-1)
    return np.where(np.isnan(values)[..., None], 128.0, found)


def radius_of(force: FloatArray) -> FloatArray:
    """Radius of a belly [m] by its force [N]: the area drawn grows with the force."""
    return np.asarray(THIN + np.sqrt(np.maximum(np.nan_to_num(force), 0.0) / (np.pi * STRESS)))


class MiddleLines:
    """Lines (M, `STATIONS`, 3) of all muscles in a frame, NaN for those that are not known."""

    def __init__(self, paths: MusclePaths) -> None:
        self._paths = paths
        self.at(0)  # compiles in the background what the window's thread will ask for

    def at(self, frame: int) -> np.ndarray:
        """Lines of a frame [m]."""
        paths = self._paths
        found = drawn_paths(
            paths.paths, paths.motion.R_WB[frame], paths.origin[frame], paths.theta[frame], frame, STATIONS
        )
        return found.astype(np.float32)


class Tubes(SurfaceActor):
    """N tubes about middle lines, thick in the middle and thin at their ends."""

    def __init__(self, count: int, through: float = 0.0) -> None:
        self.count = count
        points = np.zeros((count * STATIONS * SECTORS, 3))
        normals = np.tile([0.0, 1.0, 0.0], (len(points), 1))
        faces = _faces(range(STATIONS), range(SECTORS))
        few = _faces(range(0, STATIONS, 3), range(0, SECTORS, 2))
        starts = STATIONS * SECTORS * np.arange(count)[:, None, None]
        super().__init__(
            points,
            (faces + starts).reshape(-1, 3),
            normals=normals,
            quick_cells=(few + starts).reshape(-1, 3),
            through=through,
        )
        share = np.linspace(0.0, 1.0, STATIONS)
        self._belly = (0.35 + 0.65 * np.sin(np.pi * share) ** 0.8).astype(np.float32)
        self._tendon = np.clip(1.0 - 5.0 * np.minimum(share, 1.0 - share), 0.0, 1.0)[:, None]
        angle = 2.0 * np.pi * np.arange(SECTORS) / SECTORS
        self._round = np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32)

    def place(self, lines: np.ndarray, radii: FloatArray) -> None:
        """Lay tubes along lines (N, `STATIONS`, 3) with radii (N,) [m]; unknown ones are not seen."""
        there = np.isfinite(lines[:, 0, 0]) & (radii > 0.0)
        line = np.where(there[:, None, None], lines, np.float32(0.0))
        along = np.empty_like(line)
        along[:, 1:-1] = line[:, 2:] - line[:, :-2]
        along[:, 0], along[:, -1] = line[:, 1] - line[:, 0], line[:, -1] - line[:, -2]
        along /= np.maximum(np.linalg.norm(along, axis=2, keepdims=True), np.float32(1e-9))
        chord = line[:, -1] - line[:, 0]
        aside = np.eye(3, dtype=np.float32)[np.argmin(np.abs(chord), axis=1)][:, None]
        first = aside - np.sum(aside * along, axis=2, keepdims=True) * along
        first /= np.maximum(np.linalg.norm(first, axis=2, keepdims=True), np.float32(1e-6))
        second = np.cross(along, first)
        out = self._round[:, :1] * first[:, :, None] + self._round[:, 1:] * second[:, :, None]  # (N, K, S, 3)
        wide = np.where(there, radii, 0.0).astype(np.float32)[:, None] * self._belly
        self.points[:] = (line[:, :, None] + wide[:, :, None, None] * out).reshape(-1, 3)
        assert self.normals is not None
        self.normals[:] = out.reshape(-1, 3)
        self.changed(normals=True)

    def colour(self, colours: np.ndarray) -> None:
        """Give tubes colours (N, 3) in [0, 255]; their ends are tendons."""
        tendon = 255.0 * np.array(rgb(TENDON))
        mixed = (1.0 - self._tendon) * colours[:, None] + self._tendon * tendon
        self.paint(np.repeat(mixed.reshape(-1, 3), SECTORS, axis=0))


def _faces(stations: range, sectors: range) -> IntArray:
    """Triangles (F, 3) between rings of points."""
    k, s = np.array(stations), np.array(sectors)
    ring = k[:, None] * SECTORS + s
    after = np.roll(ring, -1, axis=1)
    a, b, c, d = ring[:-1], after[:-1], after[1:], ring[1:]
    return np.concatenate([np.stack([a, b, c], axis=-1).reshape(-1, 3), np.stack([a, c, d], axis=-1).reshape(-1, 3)])
