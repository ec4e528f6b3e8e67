"""The few VTK actors of a scene, each with many parts whose places are written as whole arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isinf

import numpy as np
import vtkmodules.vtkRenderingOpenGL2  # noqa: F401  registers the renderer, without which there are no shaders
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray, vtk_to_numpy
from vtkmodules.util.vtkConstants import VTK_UNSIGNED_CHAR
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData
from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper

from biomec.base.arrays import FloatArray, IntArray
from biomec_app.kit.colours import rgb
from biomec_app.viewer.meshes import SurfaceMesh

LEFT_OUT = "  if (gl_FragData[0].a <= 0.0)\n    {\n    discard;\n    }\n"  # in VTK's program for a pixel


@dataclass(frozen=True, eq=False)
class Lights:
    """Lamps fixed to the eye, as directions in the laboratory.

    Light is computed for every point of a surface here and not for every pixel by VTK: without a graphics card that
    halves the time of a picture.

    key, fill, half : (3,) unit vectors towards the lamps, and halfway between the key and the eye
    """

    key: FloatArray
    fill: FloatArray
    half: FloatArray

    @classmethod
    def of_eye(cls, basis: FloatArray) -> Lights:
        """Lamps for an eye whose right, up and backward directions are the rows of ``basis``."""
        key, fill = (np.array(place) / np.linalg.norm(place) for place in ((0.45, 0.80, 0.75), (-0.9, 0.05, 0.5)))
        half = key + np.array([0.0, 0.0, 1.0])
        turned = np.stack([key, fill, half / np.linalg.norm(half)]) @ basis
        return cls(*turned.astype(np.float32))

    def on(self, colours: np.ndarray, normals: np.ndarray) -> np.ndarray:
        """Bytes (V, 3) of colours (V, 3) in [0, 255], lit on a surface with normals (V, 3)."""
        facing = normals @ np.stack([self.key, self.fill, self.half], axis=1)  # (V, 3)
        key, fill, half = np.maximum(facing, 0.0).T
        soft = 0.5 + 0.5 * facing[:, 0]  # light that creeps around edges
        bright = 0.34 + 0.26 * soft + 0.42 * key + 0.20 * fill
        shine = half**2
        shine *= shine
        shine *= shine
        shine *= shine
        lit = colours * bright[:, None] + 26.0 * shine[:, None]
        return np.asarray(np.minimum(lit, 255.0).astype(np.uint8))


class SurfaceActor:
    """A mesh or a set of lines whose points and normals can be written in place.

    points, normals : (V, 3) single precision, shared with VTK: write into them, then call `changed`
    cells           : (F, 2 or more) points of every line or face
    quick_cells     : those that are drawn while it moves, if they are others
    through         : what of it lies so far behind other things [m] shines through them (see `shine_through`)
    """

    def __init__(
        self, points: FloatArray, cells: IntArray, *, normals: FloatArray | None = None, colour: str = "#808080",
        opacity: float = 1.0, lines: bool = False, through: float = 0.0, quick_cells: IntArray | None = None,
    ) -> None:  # fmt: skip
        self.cells, self.lines, self.through = cells, lines, through
        self.quick_cells = cells if quick_cells is None else quick_cells
        self._home: Batch | None = None
        self._first = 0
        self.points = np.ascontiguousarray(points, dtype=np.float32)
        self._points = numpy_to_vtk(self.points)
        self._places = vtkPoints()
        self._places.SetData(self._points)
        self._kept: list[np.ndarray] = []
        self._shared: list[vtkPolyData] = []
        self.data = self.sharing(cells)
        self._faces = None if quick_cells is None else (self.data.GetPolys(), self._cell_array(quick_cells))
        self.shadow_cells = cells
        self.normals = None if normals is None else np.ascontiguousarray(normals, dtype=np.float32)
        self._base: np.ndarray | None = None
        self._lights: Lights | None = None
        self.mapper = mapper_of(self.data)
        self.actor = vtkActor()
        self.actor.SetMapper(self.mapper)
        look = self.actor.GetProperty()
        look.SetOpacity(opacity)
        look.SetLighting(False)
        look.SetInterpolationToFlat()
        if self.normals is None:
            self.mapper.ScalarVisibilityOff()
            look.SetColor(*rgb(colour))
        else:
            look.BackfaceCullingOn()
            draw_every_pixel(self.actor)
            self.paint(np.tile(np.round(255.0 * np.array(rgb(colour))), (len(self.points), 1)))

    def sharing(self, cells: IntArray) -> vtkPolyData:
        """Lines or faces between the points of this surface, for VTK."""
        data = vtkPolyData()
        data.SetPoints(self._places)
        (data.SetLines if self.lines else data.SetPolys)(self._cell_array(cells))
        self._shared.append(data)
        return data

    def _cell_array(self, cells: IntArray) -> vtkCellArray:
        size = cells.shape[1] if len(cells) else 2
        ids = np.arange(0, cells.size + 1, size, dtype=np.int64), np.array(cells, dtype=np.int64).ravel()
        self._kept += ids  # VTK uses these very numbers
        array = vtkCellArray()
        array.SetData(*(numpy_to_vtkIdTypeArray(one) for one in ids))
        return array

    def be_quick(self, quick: bool) -> None:
        """Draw the faces for something that moves, or all of them."""
        if self._faces is not None:
            self.data.SetPolys(self._faces[quick])

    def paint(self, colours: np.ndarray) -> None:
        """Give every point a colour: (V, 3), or (V, 4) with its opacity, in [0, 255]; light is added to a mesh."""
        if self._home is not None:
            self._base = np.asarray(colours, dtype=np.float32)
            self._home.paint_part(self._first, self._base)
            return
        self._colours = np.ascontiguousarray(colours, dtype=np.uint8)
        self._scalars = numpy_to_vtk(self._colours, array_type=VTK_UNSIGNED_CHAR)
        self.data.GetPointData().SetScalars(self._scalars)
        self.mapper.ScalarVisibilityOn()
        self.data.Modified()
        if self.normals is not None:
            self._base, self._lights = np.asarray(colours, dtype=np.float32), None

    def light(self, lights: Lights) -> None:
        """Light the surface; nothing is done if it has not changed since it was last lit by the same lamps."""
        if self._base is None or self.normals is None or lights is self._lights:
            return
        self._colours[:] = lights.on(self._base, self.normals)
        self._scalars.Modified()
        self.data.Modified()
        self._lights = lights

    def changed(self, normals: bool = False) -> None:
        """Tell VTK that the points were written; ``normals``: these too, so that light falls otherwise."""
        if self._home is not None:
            self._home.changed(normals)
            return
        self._points.Modified()
        for data in self._shared:
            data.Modified()
        if normals:
            self._lights = None

    def sort(self, towards_eye: FloatArray) -> None:
        """Draw faces that lie farther in a direction (3,) before the others; 65 536 steps of depth are enough."""
        if not len(self.cells):
            return
        near = (self.points @ towards_eye.astype(np.float32))[self.cells].sum(axis=1)
        behind = near.max() - near
        behind *= 65535.0 / max(float(behind.max()), 1e-9)
        faces = self.data.GetPolys()
        ids = vtk_to_numpy(faces.GetConnectivityArray())
        ids[:] = self.cells[np.argsort(behind.astype(np.uint16), kind="stable")].ravel()
        faces.Modified()
        self.data.Modified()

    @property
    def can_be_batched(self) -> bool:
        """Whether it may be drawn together with others: a mesh that hides what is behind it."""
        return self._base is not None and self.actor.GetProperty().GetOpacity() >= 1.0

    def move_into(self, home: Batch, first: int, points: np.ndarray, normals: np.ndarray) -> None:
        """Write into parts of the arrays of another surface from now on, at ``first``, which draws this one too."""
        self._home, self._first, self.points, self.normals = home, first, points, normals

    @property
    def base(self) -> np.ndarray:
        """(V, 3) colours without light, in [0, 255]."""
        assert self._base is not None
        return self._base


class Batch(SurfaceActor):
    """Several meshes drawn as one, because every single one costs VTK a third of a millisecond.

    All shine through other things from the same depth.
    """

    def __init__(self, parts: Sequence[SurfaceActor]) -> None:
        ends = np.cumsum([0, *(len(part.points) for part in parts)])
        super().__init__(
            np.concatenate([part.points for part in parts]),
            np.concatenate([part.cells + start for part, start in zip(parts, ends, strict=False)]),
            normals=np.concatenate([part.normals for part in parts if part.normals is not None]),
            through=parts[0].through,
            quick_cells=np.concatenate([part.quick_cells + start for part, start in zip(parts, ends, strict=False)]),
        )
        self.paint(np.concatenate([part.base for part in parts]))
        assert self.normals is not None
        for part, (first, last) in zip(parts, pairwise(ends), strict=True):
            part.move_into(self, int(first), self.points[first:last], self.normals[first:last])

    def paint_part(self, first: int, colours: np.ndarray) -> None:
        """Give points from ``first`` on other colours (V, 3)."""
        self.base[first : first + len(colours)] = colours
        self._lights = None


def mapper_of(data: vtkPolyData) -> vtkPolyDataMapper:
    """A mapper for data that nothing upstream computes, and whose points VTK need not look through in every frame."""
    mapper = vtkPolyDataMapper()
    mapper.SetInputData(data)
    mapper.SetStatic(True)
    mapper.SetVBOShiftScaleMethod(0)
    return mapper


def draw_every_pixel(actor: vtkActor) -> None:
    """Let a surface be drawn also where its opacity is 0, so that it hides what is behind it.

    VTK asks for every pixel whether it can be seen, and then tests depth late: that takes a twentieth of a picture.
    """
    actor.GetShaderProperty().AddFragmentShaderReplacement(LEFT_OUT, True, "", False)


def shine_through(surface: SurfaceActor, opacity: float, over: bool = False) -> vtkActor:
    """An actor of the same surface whose depth is nearer to the eye by ``surface.through`` than where it is seen.

    Drawn after all others: where the surface is seen anyhow it makes no difference, elsewhere it shines through. A
    place z before the eye has the depth (A z + B) / -z, where A is nearly -1 because the scene is deep; moved by δ:
    z' = z + δ. An infinite δ leaves depth only to tell parts of the surface from each other. ``over``: it lies before
    others that shine through from any depth, too.
    """
    if isinf(surface.through):
        kept = 0.0001 if over else 0.01
        nearer = f"{kept} * gl_Position.z - {1.0 - kept - (0.0 if over else 0.005)} * gl_Position.w"
    else:
        shift = f"{surface.through:.6f}"
        nearer = f"(gl_Position.z - {shift}) * gl_Position.w / max(gl_Position.w - {shift}, 0.01)"
    actor = vtkActor()
    actor.SetMapper(mapper_of(surface.data))
    actor.GetProperty().DeepCopy(surface.actor.GetProperty())
    actor.GetProperty().SetOpacity(opacity)
    draw_every_pixel(actor)
    actor.GetShaderProperty().AddVertexShaderReplacement(
        "//VTK::PositionVC::Impl", True, f"//VTK::PositionVC::Impl\n  gl_Position.z = {nearer};\n", False
    )
    actor.ForceOpaqueOn()
    return actor


class Instances(SurfaceActor):
    """The same mesh at N places."""

    def __init__(
        self, mesh: SurfaceMesh, count: int, *, colours: str | list[str], opacity: float = 1.0, through: float = 0.0
    ) -> None:
        starts = len(mesh.points) * np.arange(count)[:, None, None]
        super().__init__(
            np.tile(mesh.points, (count, 1)), (mesh.faces + starts).reshape(-1, 3),
            normals=np.tile(mesh.normals, (count, 1)), colour=colours if isinstance(colours, str) else "#808080",
            opacity=opacity, through=through,
            quick_cells=None if mesh.quick is None else (mesh.quick + starts).reshape(-1, 3),
        )  # fmt: skip
        self.count = count
        self._template = np.asarray(mesh.points, dtype=np.float32)
        self._directions = np.asarray(mesh.normals, dtype=np.float32)
        assert self.normals is not None
        self._divide(self.points, self.normals)
        if not isinstance(colours, str):
            self.recolour(colours)

    def _divide(self, points: np.ndarray, normals: np.ndarray) -> None:
        self._each, self._each_normal = (rows.reshape(self.count, len(self._template), 3) for rows in (points, normals))

    def move_into(self, home: Batch, first: int, points: np.ndarray, normals: np.ndarray) -> None:
        """Write into parts of the arrays of another surface from now on, at ``first``."""
        super().move_into(home, first, points, normals)
        self._divide(points, normals)

    def recolour(self, colours: list[str]) -> None:
        """Give every instance a colour."""
        rows = np.array([rgb(colour) for colour in colours]).reshape(-1, 3)
        self.paint(np.repeat(np.round(255.0 * rows), len(self._template), axis=0))

    def place(self, centres: FloatArray, radii: float | FloatArray) -> None:
        """Put balls at centres (N, 3) with radii [m], one or (N,); a ball without a place is not seen."""
        there = np.isfinite(centres[:, 0])
        size = np.where(there, radii, 0.0).astype(np.float32)
        np.multiply(size[:, None, None], self._template[None], out=self._each)
        self._each += np.where(there[:, None], centres, 0.0).astype(np.float32)[:, None]
        self.changed()

    def pose(self, centres: FloatArray, attitudes: FloatArray, sizes: FloatArray) -> None:
        """Put instances at centres (N, 3), turned by attitudes (N, 3, 3), with sizes (N, 3) along their axes."""
        there = np.isfinite(centres[:, 0]) & np.isfinite(attitudes).all(axis=(1, 2))
        R = np.where(there[:, None, None], attitudes, np.eye(3)).astype(np.float32)
        size = np.where(there[:, None], sizes, 0.0).astype(np.float32)
        turned = np.swapaxes(R, 1, 2)
        np.matmul(self._template[None] * size[:, None], turned, out=self._each)
        self._each += np.where(there[:, None], centres, 0.0).astype(np.float32)[:, None]
        flat = self._directions[None] / np.maximum(size, np.float32(1e-9))[:, None]
        flat /= np.sqrt(np.einsum("ijk,ijk->ij", flat, flat))[:, :, None]
        np.matmul(flat, turned, out=self._each_normal)
        self.changed(normals=True)

    def span(self, starts: FloatArray, ends: FloatArray, radii: float) -> None:
        """Let long and thin instances along Y reach from starts to ends (N, 3) with a half-width [m].

        Normals turn, but do not follow the stretching, which would hardly be seen.
        """
        start = starts.astype(np.float32)
        along = ends.astype(np.float32) - start
        length = np.sqrt(np.einsum("ij,ij->i", along, along))
        there = length > 1e-6  # not if an end is unknown
        turned = np.swapaxes(attitudes_along(along), 1, 2)
        size = np.stack(
            [np.where(there, radii, 0.0), np.where(there, length, 0.0), np.where(there, radii, 0.0)], axis=1
        )
        np.matmul(self._template, turned * size.astype(np.float32)[:, :, None], out=self._each)
        self._each += np.where(there[:, None], start, np.float32(0.0))[:, None]
        np.matmul(self._directions, turned, out=self._each_normal)
        self.changed(normals=True)


def attitudes_along(directions: np.ndarray) -> np.ndarray:
    """(N, 3, 3) rotations that turn Y into directions (N, 3) of any length; unit matrices for those without one.

    The turn from Y to a unit vector (x, y, z) about the axis across both is, with k = 1 / (1 + y),

        1 − x²k   x   −xzk
          −x      y    −z
         −xzk     z   1 − z²k

    Where y < 0 the vector is first turned half about X, so that 1 + y is never small.
    """
    length = np.sqrt(np.einsum("ij,ij->i", directions, directions))
    good = length > 1e-9
    x, y, z = np.where(good, directions.T, 0.0) / np.where(good, length, 1.0)
    sign = np.where(y < 0.0, -1.0, 1.0).astype(directions.dtype)
    y, z = np.where(good, sign * y, 1.0).astype(directions.dtype), sign * z
    k = 1.0 / (1.0 + y)
    R = np.empty((len(directions), 3, 3), dtype=directions.dtype)
    R[:, 0, 0], R[:, 0, 1], R[:, 0, 2] = 1.0 - x * x * k, x, -x * z * k
    R[:, 1, 0], R[:, 1, 1], R[:, 1, 2] = -sign * x, sign * y, -sign * z
    R[:, 2, 0], R[:, 2, 1], R[:, 2, 2] = -sign * x * z * k, sign * z, sign * (1.0 - z * z * k)
    return R
