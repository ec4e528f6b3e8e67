"""Whether a static fits a trial: sizes and mirror images of points whose answer is known."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from biomec.io.marker_set_file import load_marker_set
from biomec.signals.static_checks import check_static, is_mirrored
from biomec.signals.static_pose import static_pose
from tests.core.signals.marker_bodies import make_trial, moving_trial, static_trial

FULL = load_marker_set("biomec-full")
MOVING = moving_trial(FULL)


def pose(factor):
    still = static_trial(FULL)
    return static_pose(make_trial(still.markers.names, still.markers.p_WM * factor), FULL)


@pytest.mark.parametrize("seed", range(5))
def test_turns_are_told_from_reflections(seed):
    rng = np.random.default_rng(seed)
    body = rng.normal(scale=0.1, size=(5, 3))
    turned = Rotation.random(30, random_state=seed).as_matrix() @ body.T
    seen = np.swapaxes(turned, 1, 2) + rng.normal(scale=2e-3, size=(30, 5, 3)) + rng.normal(size=(30, 1, 3))
    for size in (0.5, 1.0, 2.0):
        assert not is_mirrored(seen, size * body)
        assert is_mirrored(seen, -size * body)  # turning about a point and mirroring in a plane reverse hands alike
    seen[:20, 2] = np.nan
    assert is_mirrored(seen, -body)
    seen[:, 2] = np.nan
    assert not is_mirrored(seen, -body)  # never seen together


def test_a_plane_has_no_hand():
    flat = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.2, 0.0], [0.15, 0.1, 0.0]])
    seen = flat + np.random.default_rng(0).normal(scale=2e-3, size=(30, 4, 3))
    assert not is_mirrored(seen, flat)
    assert not is_mirrored(seen, -flat)
    assert not is_mirrored(seen[:, :3], flat[:3])
    assert not is_mirrored(np.zeros((3, 4, 3)), np.zeros((4, 3)))


@pytest.mark.parametrize(("factor", "codes"), [(1.0, []), (1.03, []), (1.3, ["static-other-size"])])
def test_sizes_of_a_rigid_body(factor, codes):
    notices = check_static(MOVING, pose(factor), FULL)
    assert [notice.code for notice in notices] == codes
    assert all("%)" in notice.sentence and "+30 %" in notice.sentence for notice in notices)


def test_a_mirrored_body_of_the_same_size():
    (notice,) = check_static(MOVING, pose(np.array([1.0, 1.0, -1.0])), FULL)
    assert notice.code == "static-mirrored"
    assert "thorax" in notice.about
