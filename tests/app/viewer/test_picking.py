"""Picking and measuring: what lies under a pixel, and distances and angles that are known otherwise."""

import numpy as np
import pytest

pytest.importorskip("vtkmodules", reason="the desktop part is not installed")

from biomec_app.kit.theme import LIGHT
from biomec_app.session.camera import Camera
from biomec_app.session.view_options import View
from biomec_app.viewer.measuring import Measurement, angle, distance
from biomec_app.viewer.picking import _hidden, _ray_hits, pick, pickable, place_of, told
from biomec_app.viewer.scene import Scene

SIZE = (800.0, 600.0)
FRAME = 300


@pytest.fixture
def scene(demo_analysis):
    scene = Scene(demo_analysis, LIGHT, View())
    scene.update(FRAME)
    return scene


@pytest.fixture
def camera(scene):
    camera = Camera(heading=scene.poses.heading())
    camera.look("lateral right")
    camera.fit(scene.body_points(), SIZE[0] / SIZE[1])
    return camera


def test_every_point_of_a_see_through_body_can_be_picked_where_it_is_drawn(scene, camera):
    scene.show(View(overlays=frozenset({"anatomical points", "local frames"})))
    names, places = pickable(scene)
    pixels, depth = camera.project(places, SIZE)
    found = 0
    for name, (x, y), near in zip(names, pixels, depth, strict=True):
        if np.isnan(near):
            continue
        picked = pick(scene, camera, x, y, SIZE)
        here = camera.project(picked.place[None], SIZE)[0][0]
        assert np.hypot(*(here - (x, y))) < 9.0
        found += picked.point == name
    assert found > 0.6 * len(names)  # others lie behind one that is nearer to the eye


def test_what_the_body_hides_is_not_picked(scene, camera):
    """From the right, the left hip lies behind the whole pelvis: a click there means what is before it."""
    (x, y), *_ = camera.project(place_of(scene, "left thigh.CAQ_E")[None], SIZE)[0]
    picked = pick(scene, camera, x, y, SIZE)
    assert picked.segment in ("right thigh", "pelvis")
    assert picked.point is None or not picked.point.endswith("_E")
    seen, behind = (camera.project(p[None], SIZE)[1][0] for p in (picked.place, place_of(scene, "left thigh.CAQ_E")))
    assert seen < behind
    names, places = pickable(scene)
    hidden = _hidden(scene, camera, places)
    side = np.array([name[-2:] for name in names])
    assert hidden[side == "_E"].mean() > hidden[side == "_D"].mean() + 0.2
    assert not _hidden(scene, camera, camera.eye + 0.2 * (places[:3] - camera.eye)).any()  # before the body


def test_a_picked_point_names_its_segment_and_is_told_in_words(scene, camera):
    scene.show(View(shape="lines"))
    place = place_of(scene, "right humerus.EL_D")
    (x, y), *_ = camera.project(place[None], SIZE)[0]
    picked = pick(scene, camera, x, y, SIZE)
    assert picked.segment in ("right humerus", "right radius", "right ulna")
    assert told(scene, "right humerus.EL_D").startswith("Lateral epicondyle")
    assert told(scene, "right humerus.EL_D").endswith("(EL_D)")
    assert told(scene, "right shank.KJC_D") == "Centre of the knee, right (KJC_D)"


@pytest.mark.parametrize("shape", ["capsules", "ellipsoids", "lines"])
def test_a_segment_is_picked_by_its_surface(scene, camera, shape):
    scene.show(View(shape=shape, overlays=frozenset()))
    middle = 0.5 * (place_of(scene, "right thigh.CAQ_D") + place_of(scene, "right thigh.KJC_D"))
    (x, y), *_ = camera.project(middle[None], SIZE)[0]
    picked = pick(scene, camera, x, y, SIZE)
    assert (picked.segment, picked.point) == ("right thigh", None)
    assert picked.words == "Right thigh"
    assert np.linalg.norm(picked.place - middle) < 0.15


def test_beside_the_body_there_is_nothing(scene, camera):
    assert pick(scene, camera, 1.0, 1.0, SIZE) is None
    scene.show(View(shape="lines"))
    assert pick(scene, camera, 1.0, 1.0, SIZE) is None


def test_a_ray_meets_a_triangle_where_barycentric_coordinates_say():
    corners = np.array([[[0.0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 0, -1], [1, 0, -1], [0, 1, -1]]])
    down = np.array([0.0, 0.0, -1.0])
    assert _ray_hits(np.array([0.2, 0.3, 2.0]), down, corners) == pytest.approx([2.0, 3.0])
    assert np.isinf(_ray_hits(np.array([0.6, 0.6, 2.0]), down, corners)).all()  # beyond the longest side
    assert np.isinf(_ray_hits(np.array([0.2, 0.3, -2.0]), down, corners)).all()  # behind the eye


def test_without_a_model_markers_are_picked(demo_analysis, camera):
    from biomec.pipeline.analysis import Analysis

    bare = Scene(Analysis(demo_analysis.session), LIGHT, View())
    bare.update(FRAME)
    k = bare.poses.markers.index("VC")
    (x, y), *_ = camera.project(bare.moment.markers[k][None], SIZE)[0]
    picked = pick(bare, camera, x, y, SIZE)
    assert (picked.point, picked.segment) == ("VC", None)
    assert picked.words.endswith("VC)") or picked.words == "VC"


# ------------------------------------------------------------------------------------------------------------ measuring
def test_distance_and_angle_of_known_places():
    assert distance(np.array([[0.0, 0, 0], [0.3, 0.0, 0.4]])) == pytest.approx(0.5)
    assert angle(np.array([[1.0, 0, 0], [0, 0, 0], [1, 1, 0]])) == pytest.approx(np.pi / 4)
    nearly = np.array([[1.0, 0, 0], [0, 0, 0], [1.0, 1e-9, 0]])
    assert angle(nearly) == pytest.approx(1e-9, rel=1e-6)  # an arc cosine would give 0
    assert angle(np.array([[1.0, 0, 0], [0, 0, 0], [-1.0, 0, 0]])) == pytest.approx(np.pi)


def test_a_measurement_follows_its_points_through_time(scene, demo_analysis):
    measurement = Measurement("distance").with_point("right humerus.GU_D").with_point("right hand.CAP_D")
    words = []
    for frame in (FRAME, FRAME + 120):
        scene.update(frame)
        points = demo_analysis.body.person.points_of(demo_analysis.positions.q[frame])
        expected = np.linalg.norm(points["right humerus.GU_D"] - points["right hand.CAP_D"])
        assert measurement.told(scene) == f"{1000 * expected:.1f} mm"
        words.append(measurement.told(scene))
    assert words[0] != words[1]


def test_an_angle_is_measured_at_the_second_point(scene):
    names = ("right humerus.GU_D", "right humerus.PME_D", "right ulna.EU_D")
    measurement = Measurement("angle")
    for k, name in enumerate(names):
        assert ("first", "second", "third")[k] in measurement.hint
        assert measurement.told(scene) == ""
        measurement = measurement.with_point(name)
    a, b, c = (place_of(scene, name) for name in names)
    cosine = (a - b) @ (c - b) / np.linalg.norm(a - b) / np.linalg.norm(c - b)
    assert measurement.told(scene) == f"{np.degrees(np.arccos(cosine)):.1f}°"
    assert measurement.with_point("head.VC").points == ("head.VC",)


def test_the_same_point_twice_counts_once():
    assert Measurement("distance").with_point("VC").with_point("VC").points == ("VC",)
