"""Copied and frozen trajectories are told, with their frames; real recordings hold none."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.base.notices import Severity
from biomec.io.marker_set_file import load_marker_set
from biomec.io.registry import read_trial
from biomec.signals.trajectory_checks import TrajectoryCheckOptions, check_trajectories
from tests.core.signals.marker_bodies import make_trial, moving_trial, static_trial
from tests.real_data import recording

FULL = load_marker_set("biomec-full")
REAL = (
    ("gait_pig_pair", "HC030A01.c3d"),
    ("gait_pig_pair", "HC030A05.c3d"),
    ("gait_opensim2354", "subject01_static.trc"),
    ("gait_opensim2354", "subject01_walk1.trc"),
)


def with_positions(trial, p):
    return replace(trial, markers=replace(trial.markers, p_WM=p))


@pytest.mark.parametrize("file", REAL, ids=lambda file: file[1])
def test_real_recordings_hold_none(file):
    assert check_trajectories(read_trial(recording(*file))) == ()


def test_a_marker_that_is_a_copy_of_another_is_told():
    """RTOE had the coordinates of RHEE throughout, and nothing was said."""
    walk = read_trial(recording("gait_pig_pair", "HC030A05.c3d"))
    p = walk.markers.p_WM.copy()
    p[:, walk.markers.index("RTOE")] = walk.markers["RHEE"]
    (notice,) = check_trajectories(with_positions(walk, p))
    assert (notice.code, notice.severity, set(notice.about)) == (
        "identical-trajectories",
        Severity.PROBLEM,
        {"RTOE", "RHEE"},
    )
    assert "wherever both are seen" in notice.sentence


def test_a_marker_that_stands_still_to_the_last_bit_is_told():
    """RASI was held at one place for 0.6 s of walking, and nothing was said."""
    walk = read_trial(recording("gait_pig_pair", "HC030A05.c3d"))
    p = walk.markers.p_WM.copy()
    p[60:120, walk.markers.index("RASI")] = walk.markers["RASI"][60]
    (notice,) = check_trajectories(with_positions(walk, p))
    assert (notice.code, notice.about, notice.frames) == ("frozen-trajectory", ("RASI",), (60, 119))
    assert f"from frame {walk.first_frame + 60} to {walk.first_frame + 119}" in notice.sentence


def test_a_marker_that_never_moves_is_fixed_not_frozen():
    """A shoulder recording in the axes of the thorax: the jugular notch is the origin. It was called a filled gap."""
    notices = check_trajectories(read_trial(recording("shoulder_scapula", "ABD01.trc")))
    assert {notice.code for notice in notices} == {"fixed-marker"}
    assert {notice.severity for notice in notices} == {Severity.INFO}
    assert "ij" in {name for notice in notices for name in notice.about}


@pytest.mark.parametrize(("frames", "told"), [(19, False), (20, True)])  # 0.2 s at 100 Hz
def test_the_shortest_stretch(frames, told):
    moving = moving_trial(FULL)
    p = moving.markers.p_WM.copy()
    p[50 : 50 + frames, 3] = p[50, 3]
    assert [n.frames for n in check_trajectories(with_positions(moving, p))] == [(50, 49 + frames)] * told
    p = moving.markers.p_WM.copy()
    p[50 : 50 + frames, 3] = p[50 : 50 + frames, 7]
    assert [n.frames for n in check_trajectories(with_positions(moving, p))] == [(50, 49 + frames)] * told


def test_gaps_part_stretches_and_are_not_equal_to_each_other():
    moving = moving_trial(FULL)
    p = moving.markers.p_WM.copy()
    p[:, [3, 7]] = np.nan
    assert check_trajectories(with_positions(moving, p)) == ()
    p[50:80, 3] = p[50:80, 5]
    p[65, 3] = np.nan
    assert check_trajectories(with_positions(moving, p)) == ()  # two stretches of 0.15 s


def test_a_subject_at_rest_is_no_fault():
    """Everything is constant, as in a static written with few digits."""
    assert check_trajectories(static_trial(FULL, frames=100)) == ()


@pytest.mark.parametrize("shape", [(0, 0), (5, 0), (0, 2), (1, 2)])
def test_recordings_with_nothing_in_them(shape):
    assert check_trajectories(make_trial("AB"[: shape[1]], np.zeros((*shape, 3)))) == ()


def test_impossible_options_are_refused():
    for bad in ({"shortest_s": 0.0}, {"shortest_s": np.nan}, {"others_m": -1.0}):
        with pytest.raises(BiomecError, match="Trajectories"):
            TrajectoryCheckOptions(**bad)


def test_a_single_marker_has_no_others():
    alone = make_trial(("A",), np.zeros((100, 1, 3)))
    assert check_trajectories(alone) == ()
