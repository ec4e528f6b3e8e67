"""A person on a floor, drawn by VTK without a screen: shapes in, pixels out."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import vtkmodules.vtkRenderingOpenGL2  # noqa: F401  registers the renderer
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray, vtk_to_numpy
from vtkmodules.util.vtkConstants import VTK_UNSIGNED_CHAR
from vtkmodules.vtkCommonCore import vtkPoints, vtkUnsignedCharArray
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData
from vtkmodules.vtkCommonExecutionModel import vtkAlgorithm
from vtkmodules.vtkCommonMath import vtkMatrix4x4
from vtkmodules.vtkFiltersCore import vtkGlyph3D, vtkTubeFilter
from vtkmodules.vtkFiltersSources import vtkArrowSource, vtkSphereSource
from vtkmodules.vtkRenderingCore import (
    vtkActor,
    vtkLight,
    vtkPolyDataMapper,
    vtkRenderer,
    vtkRenderWindow,
)

from biomec.arrays import FloatArray
from biomec_app.colours import rgb
from biomec_app.report.body_shape import BodyShape, Force, Ribs
from biomec_app.report.style import FORCE, MARKER, PAPER, RIBS, SIDE_COLOUR
from biomec_app.viewer.camera import Camera

BONE, JOINT, MARKER_SIZE = 0.0085, 0.0195, 0.0095  # radii [m]
METRES_A_NEWTON = 1.0 / 1000.0  # length of a force
TILE = 0.5  # m
FADE = 1.1  # m of floor beyond the person and the plates


def camera_for(points: FloatArray, direction: FloatArray, aspect: float) -> Camera:
    """Camera that sees all points (P, 3) from a direction (3,), as near as possible; aspect: width by height."""
    camera = Camera.from_direction(direction)
    camera.fit(points, aspect)
    return camera


def picture(shape: BodyShape, camera: Camera, floor: float, size: tuple[int, int]) -> np.ndarray:
    """Pixels (height, width, 3) of a person on the floor Y = ``floor`` [m]; size: width and height in pixels."""
    renderer = vtkRenderer()
    renderer.SetBackground(rgb(PAPER))
    _light(renderer)
    for actor in (*_ground(shape, floor), *_shadow(shape, floor), *_body(shape)):
        renderer.AddActor(actor)
    camera.apply(renderer.GetActiveCamera())
    renderer.ResetCameraClippingRange()
    window = vtkRenderWindow()
    window.SetOffScreenRendering(True)
    window.SetShowWindow(False)
    window.SetMultiSamples(0)
    window.SetSize(2 * size[0], 2 * size[1])  # drawn at twice the size, so that edges become smooth
    window.AddRenderer(renderer)
    window.Render()
    buffer = vtkUnsignedCharArray()
    window.GetPixelData(0, 0, 2 * size[0] - 1, 2 * size[1] - 1, 0, buffer, 0)
    pixels = vtk_to_numpy(buffer).reshape(size[1], 2, size[0], 2, 3)[::-1].astype(np.uint16)
    window.Finalize()
    four = pixels[:, 0, :, 0] + pixels[:, 0, :, 1] + pixels[:, 1, :, 0] + pixels[:, 1, :, 1]
    return ((four + 2) // 4).astype(np.uint8)


def force_ends(forces: tuple[Force, ...]) -> FloatArray:
    """(F, 3) tips of the arrows [m]."""
    return np.array([one.point + METRES_A_NEWTON * one.force for one in forces]).reshape(-1, 3)


# --------------------------------------------------------------------------------------------------------------- pieces
def _light(renderer: vtkRenderer) -> None:
    """A key light from above, a weak one from the other side, both fixed to the eye."""
    for place, strength in (((0.4, 0.9, 1.0), 0.80), ((-1.0, 0.0, 0.7), 0.45)):
        light = vtkLight()
        light.SetLightTypeToCameraLight()
        light.SetPosition(*place)
        light.SetFocalPoint(0.0, 0.0, 0.0)
        light.SetIntensity(strength)
        renderer.AddLight(light)


def _body(shape: BodyShape) -> list[vtkActor]:
    """Translucent faces come before the ribcage: where all ellipsoids have one colour, their own order is no matter."""
    actors = []
    for side, colour in SIDE_COLOUR.items():
        lines = [line.points for line in shape.lines if line.side is side]
        if lines:
            actors.append(_actor(_tubes(lines, BONE), colour))
        faces = [line.points[:-1] for line in shape.lines if line.side is side and line.closed]
        if faces:
            actors.append(_actor(_polygons(faces), colour, opacity=0.30))
        joints = [place for owner, place in shape.joints if owner is side]
        if joints:
            actors.append(_actor(_balls(np.array(joints), JOINT), colour))
    if len(shape.markers):
        actors.append(_actor(_balls(shape.markers, MARKER_SIZE, 12), MARKER))
    actors += [_ellipsoid(one) for one in shape.ribs]
    actors += [_arrow(one) for one in shape.forces if METRES_A_NEWTON * np.linalg.norm(one.force) > 2.0 * BONE]
    return actors


def _ground(shape: BodyShape, floor: float) -> list[vtkActor]:
    """Tiles under the person and the plates; they fade into the paper all around."""
    reach = np.concatenate([*shape.plates, shape.body_points])[:, [0, 2]]
    low, high = reach.min(axis=0), reach.max(axis=0)
    middle, radius = 0.5 * (low + high), 0.5 * float(np.linalg.norm(high - low)) + FADE
    step = 0.25 * TILE
    first, last = (np.round((middle + side * radius) / TILE) * TILE for side in (-1.0, 1.0))
    x, z = (np.arange(a, b + 0.5 * step, step) for a, b in zip(first, last, strict=True))
    over = floor - 0.001
    grid = [np.stack(np.broadcast_arrays(a, over, z), axis=1) for a in x[:: round(TILE / step)]]
    grid += [np.stack(np.broadcast_arrays(x, over, a), axis=1) for a in z[:: round(TILE / step)]]
    corners = ((0, 0), (0, 1), (1, 1), (1, 0))
    x0, z0 = (values.ravel() for values in np.meshgrid(x[:-1], z[:-1]))
    under = np.full(x0.shape, floor - 0.004)
    squares = list(np.stack([np.stack([x0 + i * step, under, z0 + j * step], axis=1) for i, j in corners], axis=1))

    def fading(parts: list[FloatArray], colour: str, *, faces: bool) -> vtkActor:
        data = _cells(parts, faces=faces)
        points = np.concatenate(parts)[:, [0, 2]]
        far = np.linalg.norm((points - middle) / radius, axis=1)
        share = np.clip((1.0 - far) / 0.55, 0.0, 1.0)[:, None] ** 1.5
        shades = share * np.array(rgb(colour)) + (1.0 - share) * np.array(rgb(PAPER))
        array = numpy_to_vtk(np.round(255.0 * shades).astype(np.uint8), deep=True, array_type=VTK_UNSIGNED_CHAR)
        data.GetPointData().SetScalars(array)
        actor = _actor(data, colour, lit=False)
        actor.GetMapper().ScalarVisibilityOn()
        actor.GetProperty().SetLineWidth(2.0)
        return actor

    actors = [fading(squares, "#E9EDF1", faces=True), fading(grid, "#C3CAD2", faces=False)]
    for plate in shape.plates:
        edge = np.concatenate([plate, plate[:1]])
        actors.append(_actor(_polygons([plate]), "#CFE0D8", lit=False))
        actors.append(_actor(_tubes([edge], 0.004), "#7F9C8E", lit=False))
    return actors


def _shadow(shape: BodyShape, floor: float) -> list[vtkActor]:
    """The person's lines flat on the floor, as under a lamp high above."""
    flat = [np.stack([line.points[:, 0], 0.0 * line.points[:, 1], line.points[:, 2]], axis=1) for line in shape.lines]
    actor = _actor(_tubes(flat, 1.6 * BONE), "#B4BBC3", lit=False)
    actor.SetScale(1.0, 0.02, 1.0)
    actor.SetPosition(0.0, floor + 0.003, 0.0)
    return [actor]


def _ellipsoid(ribs: Ribs) -> vtkActor:
    source = vtkSphereSource()
    source.SetRadius(1.0)
    source.SetThetaResolution(48)
    source.SetPhiResolution(32)
    actor = _actor(source, RIBS, opacity=0.22)
    actor.GetProperty().BackfaceCullingOn()
    matrix = vtkMatrix4x4()
    for i in range(3):
        for j in range(3):
            matrix.SetElement(i, j, float(ribs.attitude[i, j] * ribs.radii[j]))
        matrix.SetElement(i, 3, float(ribs.centre[i]))
    actor.SetUserMatrix(matrix)
    return actor


def _arrow(force: Force) -> vtkActor:
    length = float(METRES_A_NEWTON * np.linalg.norm(force.force))
    along = force.force / np.linalg.norm(force.force)
    across = np.cross(along, (0.0, 0.0, 1.0) if abs(along[2]) < 0.9 else (1.0, 0.0, 0.0))
    across /= np.linalg.norm(across)
    source = vtkArrowSource()
    source.SetTipLength(min(0.4, 0.07 / length))
    source.SetTipRadius(0.022)
    source.SetShaftRadius(0.009)
    source.SetTipResolution(32)
    source.SetShaftResolution(24)
    matrix = vtkMatrix4x4()
    columns = (along * length, across, np.cross(along, across), force.point)
    for j, column in enumerate(columns):
        for i in range(3):
            matrix.SetElement(i, j, float(column[i]))
    actor = _actor(source, FORCE)
    actor.SetUserMatrix(matrix)
    return actor


# ------------------------------------------------------------------------------------------------------------- geometry
def _actor(source: vtkPolyData | vtkAlgorithm, colour: str, *, opacity: float = 1.0, lit: bool = True) -> vtkActor:
    mapper = vtkPolyDataMapper()
    if isinstance(source, vtkPolyData):
        mapper.SetInputData(source)
    else:
        mapper.SetInputConnection(source.GetOutputPort())
    mapper.ScalarVisibilityOff()
    actor = vtkActor()
    actor.SetMapper(mapper)
    look = actor.GetProperty()
    look.SetColor(rgb(colour))
    look.SetOpacity(opacity)
    look.SetInterpolationToPhong()
    look.SetLighting(lit)
    look.SetAmbient(0.34)
    look.SetDiffuse(0.72)
    look.SetSpecular(0.18)
    look.SetSpecularPower(24.0)
    return actor


def _points(places: FloatArray) -> vtkPoints:
    points = vtkPoints()
    points.SetData(numpy_to_vtk(np.ascontiguousarray(places), deep=True))
    return points


def _cells(parts: list[FloatArray], *, faces: bool) -> vtkPolyData:
    """Lines or faces, each with points of its own."""
    ends = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    cells = vtkCellArray()
    cells.SetData(*(numpy_to_vtkIdTypeArray(ids.astype(np.int64), deep=True) for ids in (ends, np.arange(ends[-1]))))
    data = vtkPolyData()
    data.SetPoints(_points(np.concatenate(parts)))
    (data.SetPolys if faces else data.SetLines)(cells)
    return data


def _polygons(faces: list[FloatArray]) -> vtkPolyData:
    return _cells(faces, faces=True)


def _tubes(lines: list[FloatArray], radius: float) -> vtkTubeFilter:
    """Straight tubes with round ends meet at balls elsewhere, so every stretch is a tube of its own."""
    pairs = [np.stack([a, b]) for line in lines for a, b in pairwise(line)]
    pairs = [pair for pair in pairs if np.linalg.norm(pair[1] - pair[0]) > 1e-6]
    tube = vtkTubeFilter()
    tube.SetInputData(_cells(pairs, faces=False))
    tube.SetRadius(radius)
    tube.SetNumberOfSides(16)
    tube.CappingOn()
    return tube


def _balls(places: FloatArray, radius: float, resolution: int = 24) -> vtkGlyph3D:
    data = vtkPolyData()
    data.SetPoints(_points(places))
    ball = vtkSphereSource()
    ball.SetRadius(radius)
    ball.SetThetaResolution(resolution)
    ball.SetPhiResolution(resolution)
    glyphs = vtkGlyph3D()
    glyphs.SetInputData(data)
    glyphs.SetSourceConnection(ball.GetOutputPort())
    glyphs.ScalingOff()
    return glyphs
