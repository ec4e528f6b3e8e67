"""Doubt of a joint against numbers by hand."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.arrays import read_only
from biomec.base.errors import BiomecError
from biomec.body.loads.load_doubts import joint_doubts
from biomec.body.loads.newton_euler import newton_euler
from biomec.body.loads.sensitivity import LoadBand, SensitivityOptions
from tests.core.body.loads.people import random_states


@pytest.fixture(scope="module")
def loads():
    moving = random_states("m21", frames=4).moving
    return newton_euler(moving.tree, moving.segments, moving.q, moving.external)


def test_doubt_is_the_rms_of_the_band_beside_the_peak_of_the_load(loads):
    shape = (*loads.force.shape[:2], 3, 3)
    small, large = np.broadcast_to(np.eye(3), shape), np.broadcast_to(4.0 * np.eye(3), shape).copy()
    j = loads.index("right elbow")
    large[:, j] *= 1e6  # far more than any other
    band = LoadBand(loads.joints, {"a": small, "b": large}, {"a": small, "b": large}, SensitivityOptions())
    first = joint_doubts(loads, band)[0]
    assert first.joint == "right elbow"
    assert first.worst == "b"
    expected = np.sqrt(3.0 * (1.0 + 4e6))  # three components, two sources whose squares add
    assert first.moment == pytest.approx(expected)
    assert first.moment_share == pytest.approx(expected / np.linalg.norm(loads.torque[:, j], axis=1).max())
    assert first.force_share == pytest.approx(expected / np.linalg.norm(loads.force[:, j], axis=1).max())


def test_frames_without_a_load_do_not_count(loads):
    shape = (*loads.force.shape[:2], 3, 3)
    ones = np.broadcast_to(np.eye(3), shape).copy()
    ones[0] = np.nan
    force = loads.force.copy()
    force[0] = np.nan
    lost = replace(loads, force=read_only(force))
    doubts = joint_doubts(lost, LoadBand(loads.joints, {"a": ones}, {"a": ones}, SensitivityOptions()))
    assert all(one.moment == pytest.approx(np.sqrt(3.0)) for one in doubts)
    assert all(np.isfinite(one.force_share) for one in doubts)


def test_a_band_of_other_joints_is_refused(loads):
    with pytest.raises(BiomecError, match="other joints"):
        joint_doubts(loads, LoadBand(("right elbow",), {}, {}, SensitivityOptions()))
