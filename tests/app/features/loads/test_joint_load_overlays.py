"""Arrows of the loads in the 3-D view: where they begin, how long they are, which way they turn, how pale they are."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("vtkmodules", reason="the desktop part is not installed")

from biomec.base.arrays import read_only
from biomec.pipeline.analysis import Done
from biomec_app.features.loads.overlays import METRES_A_NEWTON_METRE, JointForces, bent_arrow
from biomec_app.kit.theme import DARK, LIGHT
from biomec_app.session.view_options import View
from biomec_app.viewer.overlays import OVERLAYS
from biomec_app.viewer.overlays.forces import METRES_A_NEWTON
from biomec_app.viewer.scene import Scene

NAMES = ("joint forces", "joint moments", "load residual")
FRAME = 400


@pytest.fixture(scope="module", params=[LIGHT, DARK], ids=["light", "dark"])
def scene(request, demo_analysis):
    shown = Scene(demo_analysis, request.param, View(overlays=frozenset(NAMES), force_scale=2.0))
    shown.update(FRAME)
    return shown


def overlay(scene, name):
    return scene._overlays[name]


def test_force_arrows_begin_at_the_joints_and_are_as_long_as_the_forces(scene, demo_analysis):
    loads = demo_analysis.loads.multibody
    found = overlay(scene, "joint forces")
    shafts, heads = (one._each for one in found.surfaces)
    for j in range(len(loads.joints)):
        along = 2.0 * METRES_A_NEWTON * loads.force[FRAME, j]
        if np.linalg.norm(along) < 0.05:
            continue
        tip = loads.centre[FRAME, j] + along
        reach = np.linalg.norm(heads[j] - tip, axis=1).min()
        assert reach < 2e-3, loads.joints[j]  # the tip of a cone is 0.02 of its half-width wide
        base = np.linalg.norm(shafts[j].mean(axis=0) - loads.centre[FRAME, j])
        assert base < np.linalg.norm(along)


def test_bent_arrows_turn_as_the_fingers_of_the_right_hand():
    mesh = bent_arrow()
    middle = mesh.points.mean(axis=0)
    assert abs(middle[1]) < 0.02  # in the plane across Y
    tip = mesh.points[np.argmax(np.linalg.norm(mesh.points[-40:] - mesh.points[0], axis=1))]
    assert np.isfinite(tip).all()
    ring = mesh.points[: 20 * 6].reshape(20, 6, 3).mean(axis=1)  # middle line, from the beginning to the head
    turned = np.cross(ring[:-1], ring[1:])
    assert (turned[:, 1] > 0.0).all()
    a, b, c = (mesh.points[mesh.faces[:, k]] for k in range(3))
    outward = np.einsum("ij,ij->i", np.cross(b - a, c - a), mesh.normals[mesh.faces].mean(axis=1))
    assert (outward[: 19 * 12] > 0.0).all()


def test_bent_arrows_lie_across_their_moments(scene, demo_analysis):
    loads = demo_analysis.loads.multibody
    arcs = overlay(scene, "joint moments").surfaces[0]._each
    j = loads.joints.index("lumbar")
    torque, centre = loads.torque[FRAME, j], loads.centre[FRAME, j]
    radius = 2.0 * METRES_A_NEWTON_METRE * np.linalg.norm(torque)
    away = arcs[j] - centre
    along = away @ (torque / np.linalg.norm(torque))
    assert np.abs(along).max() < 0.2 * radius  # flat about the axis, apart from the thickness of the head
    assert np.linalg.norm(away[:120], axis=1).mean() == pytest.approx(radius, rel=0.05)


def test_numbers_stand_beside_the_largest(scene, demo_analysis):
    loads = demo_analysis.loads.multibody
    largest = np.linalg.norm(loads.torque[FRAME], axis=1).max()
    labels = [one.text for one in overlay(scene, "joint moments").labels(scene.moment)]
    assert f"{largest:.0f} N·m" in labels
    assert any("joint force, 250 N = 0.5 m" in entry.text for entry in scene.legend())


def test_arrows_are_paler_where_the_ground_reaction_is_estimated(demo_analysis):
    loads = demo_analysis.loads
    estimated = np.zeros(loads.external.frames, dtype=bool)
    estimated[FRAME] = True
    external = replace(loads.external, estimated=read_only(estimated, np.bool_))
    done = {**demo_analysis.done, "loads": Done(replace(loads, external=external), "")}
    scene = Scene(replace(demo_analysis, done=done), LIGHT, View(overlays=frozenset({"joint forces"})))
    shafts = overlay(scene, "joint forces").surfaces[0]
    scene.update(FRAME - 1)
    sure = shafts.base.copy()
    scene.update(FRAME)
    assert np.ptp(shafts.base, axis=1).mean() < 0.6 * np.ptp(sure, axis=1).mean()  # less colour
    assert any("estimated" in entry.text for entry in scene.legend())


def test_without_loads_the_reason_is_told(demo_analysis):
    bare = replace(demo_analysis, done={k: v for k, v in demo_analysis.done.items() if k != "loads"})
    for name in NAMES:
        assert OVERLAYS[name].missing(bare) == 'Run "Joint Loads" first.'
        assert OVERLAYS[name].missing(demo_analysis) is None
    assert JointForces.moving
