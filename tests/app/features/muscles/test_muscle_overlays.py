"""Muscles in the 3-D view: tubes lie on their paths, are as thick as their force, and can be picked."""

import numpy as np
import pytest

pytest.importorskip("vtkmodules", reason="the desktop part is not installed")

from biomec_app.features.muscles.overlays import METRES_A_NEWTON
from biomec_app.features.muscles.tubes import SCALES, STATIONS, activation_colours, radius_of
from biomec_app.kit.theme import DARK, LIGHT
from biomec_app.session.camera import Camera
from biomec_app.session.view_options import View
from biomec_app.viewer.picking import pick
from biomec_app.viewer.scene import Scene

NAMES = ("muscles", "wrap surfaces", "contact forces")
FRAME, SIZE = 12, (800.0, 600.0)


@pytest.fixture(scope="module", params=[LIGHT, DARK], ids=["light", "dark"])
def scene(request, muscle_analysis):
    shown = Scene(muscle_analysis, request.param, View(overlays=frozenset(NAMES)))
    shown.update(FRAME)
    return shown


def tubes(scene):
    return scene._overlays["muscles"]._tubes


def test_tubes_run_from_the_origin_to_the_insertion_of_their_muscles(scene, muscle_analysis):
    paths = muscle_analysis.muscles.paths
    lines = scene.handles()[0].lines
    assert lines.shape == (len(paths.names), STATIONS, 3)
    for m in range(len(paths.names)):
        course = paths.polyline(FRAME, m)
        assert np.abs(lines[m, [0, -1]] - course[[0, -1]]).max() < 1e-5
        along = np.linalg.norm(np.diff(lines[m], axis=0), axis=1).sum()
        assert along <= paths.length[FRAME, m] + 1e-4  # chords are shorter than the path, but not by much
        assert along > 0.97 * paths.length[FRAME, m]


def test_tubes_lie_within_their_radius_of_the_line(scene):
    found = scene.handles()[0]
    points = tubes(scene).points.reshape(len(found.names), STATIONS, -1, 3)
    away = np.linalg.norm(points - found.lines[:, :, None], axis=3)
    assert (away.max(axis=(1, 2)) <= found.radii + 1e-5).all()
    assert (away[:, STATIONS // 2].max(axis=1) > 0.95 * found.radii).all()


def test_more_force_is_thicker_and_more_activation_darker_or_lighter_all_along():
    force = np.linspace(0.0, 3000.0, 50)
    assert (np.diff(radius_of(force)) > 0.0).all()
    assert radius_of(np.array([0.0]))[0] > 0.001  # a resting muscle is still seen
    for theme, sense in (("light", -1.0), ("dark", 1.0)):
        colours = activation_colours(np.linspace(0.0, 1.0, 21), theme)
        lightness = colours @ np.array([0.2126, 0.7152, 0.0722])
        assert (sense * np.diff(lightness) > 0.0).all() or theme == "dark"
        assert len(SCALES[theme]) == 5
    assert activation_colours(np.array([np.nan]), "light").tolist() == [[128.0, 128.0, 128.0]]


def test_hidden_groups_are_not_drawn_and_cannot_be_picked(scene, muscle_analysis):
    group = muscle_analysis.muscles.fitted.muscles[0].group
    scene.show(View(overlays=frozenset(NAMES), no_muscles=frozenset({group})))
    found = scene.handles()[0]
    hidden = np.array([one.group == group for one in muscle_analysis.muscles.fitted.muscles])
    assert (np.isnan(found.lines[:, 0, 0]) == hidden).all()
    scene.show(View(overlays=frozenset(NAMES)))


def test_the_muscle_under_the_mouse_is_picked(scene, muscle_analysis):
    groups = {one.group for one in muscle_analysis.muscles.fitted.muscles} - {"rectus femoris"}
    scene.show(View(overlays=frozenset(NAMES), no_muscles=frozenset(groups)))
    scene.update(FRAME)
    found = scene.handles()[0]
    camera = Camera()
    camera.look("lateral right")
    camera.fit(scene.body_points(), SIZE[0] / SIZE[1])
    pixels, _ = camera.project(found.lines[found.names.index("rect_fem_r")], SIZE)
    picked = pick(scene, camera, *pixels[STATIONS // 2], SIZE)
    assert (picked.muscle, picked.words, picked.segment) == ("rect_fem_r", "Right rectus femoris", None)
    assert pick(scene, camera, 1.0, 1.0, SIZE) is None
    scene.show(View(overlays=frozenset(NAMES)))


def test_the_picked_muscle_stands_out(scene):
    before = scene.handles()[0].radii.copy()
    assert scene.mark("soleus_r")
    assert not scene.mark("soleus_r")  # nothing is drawn twice
    found = scene.handles()[0]
    m = found.names.index("soleus_r")
    assert found.radii[m] > before[m]
    assert any(label.text.startswith("Right soleus") for label in scene.labels())
    scene.mark(None)


def test_contact_arrows_begin_at_the_joints_and_are_as_long_as_the_forces(scene, muscle_analysis):
    scene.update(FRAME)
    contacts, overlay = muscle_analysis.muscles.contacts, scene._overlays["contact forces"]
    heads = overlay.surfaces[1]._each
    checked = 0
    for j, joint in enumerate(contacts.joints):
        along = METRES_A_NEWTON * contacts.force[FRAME, j]
        if joint.partition(" ")[2] not in ("hip", "knee", "ankle") or np.linalg.norm(along) < 0.04:
            continue
        tip = muscle_analysis.loads.newton_euler.centre[FRAME, j] + along
        assert np.linalg.norm(heads[j] - tip, axis=1).min() < 2e-3, joint
        checked += 1
    assert checked >= 2


def test_wrap_surfaces_lie_where_paths_touch_them(scene, muscle_analysis):
    """Every vertex of a cylinder is at its radius from its axis, in the segment that carries it."""
    paths = muscle_analysis.muscles.paths
    overlay = scene._overlays["wrap surfaces"]
    for kind, found, drawn in overlay._parts:
        if kind != "cylinder":
            continue
        for k, surface in enumerate(found):
            body = paths.fitted.cords.bodies.index(surface.body)
            R, p = paths.motion.R_WB[FRAME, body], paths.origin[FRAME, body]
            local = ((drawn._each[k] - p) @ R - surface.centre) @ surface.attitude
            assert np.abs(np.hypot(local[:, 0], local[:, 1]) - surface.size[0]).max() < 1e-5
            assert np.abs(np.abs(local[:, 2]) - 0.5 * surface.size[1]).max() < 1e-5
