"""Words in the picture: which stay where there is no room for all, and what they keep off."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from biomec_app.kit.theme import LIGHT
from biomec_app.session.camera import Camera
from biomec_app.session.view_options import View
from biomec_app.viewer import annotations
from biomec_app.viewer.annotations import LIMB, Annotations
from biomec_app.viewer.label_layout import BESIDE, Word, arranged
from biomec_app.viewer.overlays import OVERLAYS
from biomec_app.viewer.scene import Scene

ROOM = (400.0, 300.0)
NOTHING = np.zeros((0, 2))
NAME = Word((100.0, 100.0), (40.0, 14.0), 2.0)


def test_alone_a_name_stands_beside_its_place():
    assert np.allclose(arranged([NAME], ROOM, NOTHING, 5.0), [np.array(NAME.at) + BESIDE])
    assert arranged([], ROOM, NOTHING, 5.0).shape == (0, 2)


def test_the_nearer_of_two_names_stays_and_a_number_goes_before_both():
    near, far = replace(NAME, at=(104.0, 103.0), depth=1.0), NAME
    found = arranged([far, near], ROOM, NOTHING, 5.0)
    assert np.isnan(found[0]).all()
    assert np.isfinite(found[1]).all()
    number = replace(NAME, depth=3.0, weight=3)
    found = arranged([far, near, number], ROOM, NOTHING, 5.0)
    assert np.allclose(found[2], np.array(NAME.at) + BESIDE)
    assert np.isnan(found[:2]).all()


def test_a_number_keeps_off_limbs_and_within_the_picture():
    number = replace(NAME, weight=3)
    limb = np.stack([np.full(30, 118.0), np.linspace(20.0, 200.0, 30)], axis=1)  # where it would stand
    ((x, _),) = arranged([number], ROOM, limb, 8.0)
    assert x + number.size[0] + 8.0 <= 118.0 or x >= 118.0 + 8.0
    at_the_edge = replace(number, at=(396.0, 100.0))
    ((x, _),) = arranged([at_the_edge], ROOM, NOTHING, 8.0)
    assert x + number.size[0] <= ROOM[0]
    everywhere = np.stack(np.meshgrid(np.arange(0.0, 400.0, 8.0), np.arange(0.0, 300.0, 8.0)), axis=-1).reshape(-1, 2)
    assert np.isfinite(arranged([number], ROOM, everywhere, 8.0)).all()  # rather over a limb than not at all


def test_words_about_an_area_stand_outside_it_below_the_nearest_corner():
    corners = np.array([[150.0, 120.0], [250.0, 120.0], [280.0, 180.0], [130.0, 190.0]])
    word = replace(NAME, at=(200.0, 150.0), weight=1, around=corners)
    ((x, y),) = arranged([word], ROOM, NOTHING, 5.0)
    assert x < 130.0
    assert y >= 180.0
    blocked = corners[3] + np.array([[-20.0, 5.0]])
    ((x, _),) = arranged([word], ROOM, blocked, 12.0)
    assert x > 250.0  # the other corner below


def test_words_that_are_nearly_in_the_picture_are_moved_into_it():
    corners = np.array([[0.0, 110.0], [18.0, 100.0], [36.0, 110.0], [18.0, 120.0]])
    limb = np.array([[60.0, 110.0]])  # on its right
    ((x, y),) = arranged([replace(NAME, at=(18.0, 110.0), weight=1, around=corners)], ROOM, limb, 4.0)
    assert x == 0.0
    assert y > 120.0


def test_words_about_an_area_do_not_stand_at_its_neighbour():
    """Beside the plate of the left foot stood that of the right."""
    corners = np.array([[100.0, 110.0], [130.0, 100.0], [160.0, 110.0], [130.0, 120.0]])
    limb = np.array([[130.0, 128.0], [80.0, 110.0]])  # below and left, so that words would rather stand on its right
    right = replace(NAME, at=(130.0, 110.0), weight=1, around=corners)
    ((x, _),) = arranged([right], ROOM, limb, 4.0)
    assert x > 160.0
    left = replace(right, depth=3.0, at=(195.0, 96.0), around=corners + np.array([65.0, -14.0]))
    behind = replace(left, depth=np.nan, around=np.full((4, 2), np.nan))
    found = arranged([right, left, behind], ROOM, limb, 4.0)
    for k, one in enumerate((right, left)):
        middle = found[k] + np.array(one.size) / 2.0
        apart = [np.abs(middle - other.at).sum() for other in (right, left)]
        assert np.argmin(apart) == k
    assert np.isnan(found[2]).all()


@pytest.mark.parametrize("overlays", [View().overlays, frozenset(OVERLAYS)])
def test_in_the_picture_of_a_person_no_words_overlap_and_forces_are_told_beside_the_limbs(
    qapp, demo_analysis, monkeypatch, overlays
):
    """With all overlays names collided; numbers of forces and names of plates lay over the limbs."""
    size = (662, 440)
    scene = Scene(demo_analysis, LIGHT, View(overlays=overlays))
    scene.update(377)
    camera = Camera(heading=scene.poses.heading())
    camera.look("oblique")
    camera.fit(scene.body_points(), size[0] / size[1])
    asked = []

    def noted(words, room, limbs, radius):
        found = arranged(words, room, limbs, radius)
        asked.append((words, limbs, radius, found))
        return found

    monkeypatch.setattr(annotations, "arranged", noted)
    image = QImage(*size, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    Annotations(painter, scene, camera, size, LIGHT).draw()
    painter.end()
    ((words, limbs, radius, found),) = asked
    assert radius == pytest.approx(LIMB * 0.5 * size[1] / camera.half_height())
    shown = [(k, found[k], found[k] + words[k].size) for k in range(len(words)) if np.isfinite(found[k, 0])]
    for (_, low, high), (_, low2, high2) in combinations(shown, 2):
        assert not ((low < high2).all() and (low2 < high).all())
    labels = scene.labels()
    texts = {labels[k].text for k, _, _ in shown}
    assert {label.text for label in labels if label.weight == 3} <= texts  # what the ground does is always told
    for k, low, high in shown:
        if words[k].around is not None:
            centre = words[k].around.mean(axis=0)
            assert not ((low < centre) & (centre < high)).all()
            assert not ((low < limbs) & (limbs < high)).all(axis=1).any()
