"""Triangle meshes as plain arrays: a sphere, a cylinder, an arrow, and surfaces laid over cross-sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray, IntArray

SLIM, STOUT = 0.08, 0.35  # half-width by length of an arrow and of its head as usually drawn, for their normals


@dataclass(frozen=True, eq=False)
class SurfaceMesh:
    """A surface: points (V, 3), outward unit normals (V, 3), triangles (F, 3) counter-clockwise from outside.

    coarse : fewer triangles over some of the same points, for a shadow; all of them if there are no such
    quick  : the same for what is drawn while it moves
    """

    points: FloatArray
    normals: FloatArray
    faces: IntArray
    coarse: IntArray | None = None
    quick: IntArray | None = None

    def moved(self, R: FloatArray, p: FloatArray | float = 0.0) -> SurfaceMesh:
        """The surface turned by a rotation matrix R, then moved by p [m]."""
        return replace(self, points=self.points @ R.T + p, normals=self.normals @ R.T)

    @property
    def shadow_faces(self) -> IntArray:
        """Triangles that are enough for a shadow."""
        return self.faces if self.coarse is None else self.coarse


def joined(meshes: Sequence[SurfaceMesh]) -> SurfaceMesh:
    """All meshes as one."""
    starts = np.cumsum([0, *(len(mesh.points) for mesh in meshes)])
    return SurfaceMesh(
        np.concatenate([mesh.points for mesh in meshes]),
        np.concatenate([mesh.normals for mesh in meshes]),
        np.concatenate([mesh.faces + start for mesh, start in zip(meshes, starts, strict=False)]),
        np.concatenate([mesh.shadow_faces + start for mesh, start in zip(meshes, starts, strict=False)]),
    )


def sphere(rings: int = 7, sectors: int = 10) -> SurfaceMesh:
    """Sphere of radius 1."""
    angle = np.pi * np.arange(1, rings) / rings
    return loft(np.cos(angle), np.sin(angle), np.sin(angle), sectors=sectors, ends=(1.0, -1.0), smooth=True)


def bead() -> SurfaceMesh:
    """Small sphere of radius 1, which has a quarter of its triangles while it moves: every other point of two rings."""
    ball = sphere(5, 8)
    rings = np.arange(len(ball.points) - 2).reshape(-1, 8)
    few = np.stack([rings[1, ::2], np.roll(rings[2, 1::2], 1)])
    return replace(ball, quick=skin(few, (len(ball.points) - 2, len(ball.points) - 1)))


def ellipsoid(
    centre: FloatArray, axes: FloatArray, radii: FloatArray, rings: int = 10, sectors: int = 16
) -> SurfaceMesh:
    """Ellipsoid with its axes as columns (3, 3) and half axes (3,)."""
    ball = sphere(rings, sectors)
    normals = (ball.points / radii) @ axes.T
    return SurfaceMesh(
        ball.points * radii @ axes.T + centre, normals / np.linalg.norm(normals, axis=1, keepdims=True), ball.faces,
        ball.coarse,
    )  # fmt: skip


def cylinder(sectors: int = 10) -> SurfaceMesh:
    """Cylinder of radius 1 along Y from 0 to 1, open at both ends: balls close it where it is used."""
    angle = 2.0 * np.pi * np.arange(sectors) / sectors
    round_ = np.stack([np.cos(angle), 0.0 * angle, -np.sin(angle)], axis=1)
    points = np.concatenate([round_, round_ + np.array([0.0, 1.0, 0.0])])
    return SurfaceMesh(points, np.concatenate([round_, round_]), skin(np.arange(2 * sectors).reshape(2, -1), None))


def arrow(sectors: int = 12, shaft: float = 0.35) -> SurfaceMesh:
    """Arrow along Y from 0 to 1 with the half-width 1 of its head; the head is the last fifth."""
    bands = (0.0, 0.8, shaft, shaft), (0.8, 0.8 + 1e-6, 0.0, 1.0), (0.8, 1.0, 1.0, 0.0)
    return joined([_band(*band, sectors, SLIM) for band in bands])  # normals of their own: edges stay sharp


def cone(sectors: int = 12) -> SurfaceMesh:
    """Cone along Y from its base of radius 1 at 0 to its tip at 1, for the head of an arrow."""
    return joined([_band(0.0, 1.0, 1.0, 0.0, sectors, STOUT), _band(-1e-6, 0.0, 0.0, 1.0, sectors, 1.0)])


def _band(low: float, high: float, wide: float, wide_above: float, sectors: int, slim: float) -> SurfaceMesh:
    """Surface about Y between two heights with a radius at each, which may be 0; normals as if it were so slim."""
    radii = np.array([wide, wide_above])
    band = loft(np.array([low, high]), radii, radii, sectors=sectors, ends=None)
    corners = band.points[band.faces]
    there = (corners != np.roll(corners, 1, axis=1)).any(axis=2).all(axis=1)  # not those between equal points
    faces = band.faces[there]
    return SurfaceMesh(band.points, vertex_normals(band.points * (slim, 1.0, slim), faces), faces)


def loft(
    heights: FloatArray, across: FloatArray, along: FloatArray, *, sectors: int, ends: tuple[float, float] | None,
    middles: FloatArray | None = None, power: float = 2.0, smooth: bool = False,
) -> SurfaceMesh:  # fmt: skip
    """Surface over K elliptic sections in planes of constant Y.

    heights, across, along : (K,) place on Y and half axes along Z and X
    middles : (K, 2) X and Z of the centres
    ends    : Y of the first and last tip, which close the surface; None leaves it open
    power   : 2 for ellipses, more for rounder rectangles
    smooth  : the surface is a sphere of radius 1, whose normals are its points
    """
    count = len(heights)
    angle = 2.0 * np.pi * np.arange(sectors) / sectors
    cos, sin = (np.sign(f) * np.abs(f) ** (2.0 / power) for f in (np.cos(angle), np.sin(angle)))
    middle = np.zeros((count, 2)) if middles is None else middles
    up = heights[0] < heights[-1]
    turn = 1.0 if up else -1.0
    points = np.stack(
        [
            middle[:, :1] + np.outer(along, cos),
            np.repeat(heights[:, None], sectors, axis=1),
            middle[:, 1:] - turn * np.outer(across, sin),
        ],
        axis=2,
    ).reshape(-1, 3)
    index = np.arange(count * sectors).reshape(count, sectors)
    some = index[np.unique([*range(0, count, 2), count - 1])][:, :: 2 if sectors >= 6 else 1]
    tips: tuple[int, int] | None = None
    if ends is not None:
        tips = len(points), len(points) + 1
        places = [[middle[0, 0], ends[0], middle[0, 1]], [middle[-1, 0], ends[1], middle[-1, 1]]]
        points = np.concatenate([points, places])
    faces, coarse = skin(index, tips), skin(some, tips)
    return SurfaceMesh(points, points.copy() if smooth else vertex_normals(points, faces), faces, coarse)


def vertex_normals(points: FloatArray, faces: IntArray) -> FloatArray:
    """(V, 3) unit normals: of the faces around a vertex, weighted by their areas."""
    corners = points[faces]
    face = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = np.zeros_like(points)
    for k in range(3):
        np.add.at(normals, faces[:, k], face)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return normals / np.where(length > 0.0, length, 1.0)


def skin(rings: IntArray, tips: tuple[int, int] | None) -> IntArray:
    """Triangles between neighbouring rings of points (K, N), and from the outer rings to two tips."""
    a, d = rings[:-1].ravel(), rings[1:].ravel()
    b, c = (np.roll(part, -1, axis=1).ravel() for part in (rings[:-1], rings[1:]))
    faces = [np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)]
    if tips is not None:
        for ring, tip in ((rings[0][::-1], tips[0]), (rings[-1], tips[1])):
            faces.append(np.stack([ring, np.roll(ring, -1), np.full(len(ring), tip)], axis=1))
    return np.concatenate(faces)
