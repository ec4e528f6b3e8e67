"""The camera: pixels and rays are inverse, VTK agrees, fitting shows all, sides are the sides."""

import numpy as np
import pytest

pytest.importorskip("vtkmodules", reason="the desktop part is not installed")

from hypothesis import given
from hypothesis import strategies as st
from vtkmodules.vtkRenderingCore import vtkCamera

from biomec_app.session.camera import SIDES, Camera
from biomec_app.viewer.canvas import aim

SIZE = (800.0, 600.0)
angles = st.floats(-170.0, 170.0)


@given(angles, st.floats(-80.0, 80.0), st.floats(1.0, 10.0), st.floats(0.0, 800.0), st.floats(0.0, 600.0))
def test_a_ray_through_a_pixel_meets_points_that_project_there(azimuth, elevation, distance, x, y):
    camera = Camera(np.array([0.3, 0.8, -0.2]), azimuth, elevation, distance)
    place = camera.eye + 3.0 * camera.ray(x, y, SIZE)
    pixels, depth = camera.project(place[None], SIZE)
    assert pixels[0] == pytest.approx((x, y), abs=1e-6)
    assert 0.0 < depth[0] <= 3.0 + 1e-9


@given(angles, st.floats(-80.0, 80.0))
def test_vtk_projects_to_the_same_pixels(azimuth, elevation):
    camera = Camera(np.array([0.3, 0.8, -0.2]), azimuth, elevation, 4.0)
    theirs = vtkCamera()
    aim(theirs, camera)
    matrix = theirs.GetCompositeProjectionTransformMatrix(SIZE[0] / SIZE[1], -1, 1)
    rows = np.array([[matrix.GetElement(i, j) for j in range(4)] for i in range(4)])
    points = np.random.default_rng(2).uniform(-1.0, 1.0, (20, 3))
    flat = np.c_[points, np.ones(20)] @ rows.T
    flat = flat[:, :2] / flat[:, 3:]
    expected = np.stack([(flat[:, 0] + 1.0) * 0.5 * SIZE[0], (1.0 - flat[:, 1]) * 0.5 * SIZE[1]], axis=1)
    assert np.allclose(camera.project(points, SIZE)[0], expected, atol=1e-6)


@given(angles, st.floats(-80.0, 80.0), st.floats(0.4, 3.0))
def test_fitting_shows_all_points_and_fills_the_picture(azimuth, elevation, aspect):
    points = np.random.default_rng(3).uniform(-1.0, 1.0, (50, 3)) * (0.3, 0.9, 0.2)
    camera = Camera(azimuth=azimuth, elevation=elevation)
    camera.fit(points, aspect)
    size = (600.0 * aspect, 600.0)
    pixels, depth = camera.project(points, size)
    assert (depth > 0.0).all()
    assert (pixels >= 0.0).all()
    assert (pixels <= size).all()
    assert (np.ptp(pixels, axis=0) / size).max() > 0.7


def test_points_behind_the_eye_have_no_pixel():
    camera = Camera()
    assert np.isnan(camera.project((camera.eye + camera.basis[2])[None], SIZE)[1]).all()


@pytest.mark.parametrize(
    ("side", "right", "towards"),
    [("frontal", (0, 0, -1), (1, 0, 0)), ("lateral right", (1, 0, 0), (0, 0, 1)),
     ("lateral left", (-1, 0, 0), (0, 0, -1)), ("posterior", (0, 0, 1), (-1, 0, 0))],
)  # fmt: skip
def test_sides(side, right, towards):
    """X forward, Z right: from the front the person's right hand is on the left of the picture."""
    camera = Camera()
    camera.look(side)
    assert np.allclose(camera.basis, [right, (0, 1, 0), towards], atol=1e-12)


def test_from_above_the_front_is_at_the_bottom_like_on_the_frontal_view():
    camera = Camera()
    camera.look("superior")
    assert camera.basis[2][1] > 0.999
    assert set(SIDES) >= {"frontal", "lateral right", "lateral left", "posterior", "superior"}


def test_sides_follow_the_heading_of_the_person():
    camera = Camera(heading=np.array([0.0, 0.0, 1.0]))
    camera.look("frontal")
    assert np.allclose(camera.basis[2], (0, 0, 1))


def test_panning_by_the_height_of_the_picture_moves_the_target_out_of_it():
    camera = Camera()
    before = camera.target.copy()
    camera.pan(0.0, 0.5)
    assert camera.project(before[None], SIZE)[0][0] == pytest.approx((400.0, 0.0), abs=1e-6)


def test_zoom_and_orbit_keep_within_bounds():
    camera = Camera()
    camera.zoom(1e9)
    assert camera.distance == 0.15
    camera.orbit(1000.0, 1000.0)
    assert -180.0 <= camera.azimuth <= 180.0
    assert camera.elevation == 89.0
    copy = camera.copy()
    copy.target[:] = 7.0
    assert camera.target[0] != 7.0


@given(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(0.1, 1.0))
def test_a_direction_of_the_laboratory_is_where_the_eye_is(x, y, z):
    direction = np.array([x, y, z])
    camera = Camera.from_direction(direction)
    assert np.allclose(camera.basis[2], direction / np.linalg.norm(direction), atol=1e-9)
    assert np.allclose(camera.moved(np.ones(3)).eye, camera.eye + 1.0)
