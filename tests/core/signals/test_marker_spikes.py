"""Markers that leave their path for a few frames are reported and hidden; real and fast movements hold none."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from biomec.io.registry import read_trial
from biomec.recording import Trial
from biomec.signals.label_swaps import swap_labels
from biomec.signals.marker_spikes import marker_spikes
from biomec.signals.trajectory_checks import check_trajectories
from biomec.virtual import RecordOptions, VirtualPerson, Walk, record
from tests.real_data import recording

REAL = (
    "gait_pig_pair/HC030A05.c3d",
    "gait_pig_partial_strike/walk.c3d",
    "gait_rajagopal/motion_capture_walk.trc",
    "gait_opensim2354/subject01_walk1.trc",
)


def spikes(trial: Trial) -> np.ndarray:
    return marker_spikes(trial, np.zeros(trial.markers.visible.shape, dtype=np.bool_))[0]


def moved(trial: Trial, name: str, frames: slice, by_m) -> Trial:
    p = trial.markers.p_WM.copy()
    p[frames, trial.markers.index(name)] += by_m
    return replace(trial, markers=replace(trial.markers, p_WM=p))


@pytest.fixture(scope="module", params=[60.0, 200.0])
def walk(request) -> Trial:
    options = RecordOptions(request.param, request.param, noise_mm=1.0, soft_tissue_mm=8.0)
    return record(Walk(strides=1), VirtualPerson(), options).dynamic


@pytest.mark.parametrize("file", REAL)
def test_real_walks_hold_none(file):
    assert not spikes(read_trial(recording(*file.split("/")))).any()


def test_noise_and_moving_skin_are_none(walk):
    assert not spikes(walk).any()


@pytest.mark.parametrize("frames", [1, 3])
def test_a_marker_that_leaves_its_path_is_hidden_there(walk, frames):
    """A reflection 0.3 m beside the knee for three frames turned it by 4°, and nothing was said."""
    part, name = slice(40, 40 + frames), walk.markers.names[7]
    wrong = moved(walk, name, part, (0.15, -0.05, 0.2))
    found = check_trajectories(wrong)
    away = np.zeros(walk.markers.visible.shape, dtype=bool)
    away[part, 7] = True
    assert_array_equal(found.copied, away)
    (notice,) = (one for one in found.notices if one.code == "marker-spikes")
    assert (notice.about, notice.frames) == ((name,), (40, 39 + frames))
    assert "leaves its path by up to" in notice.sentence
    hidden = found.without_copies(wrong).markers
    assert_array_equal(hidden.p_WM[~away], walk.markers.p_WM[~away])
    assert np.isnan(hidden.p_WM[away]).all()


def test_every_marker_may_leave_its_path_once(walk):
    rng, wrong, away = np.random.default_rng(2), walk, np.zeros(walk.markers.visible.shape, dtype=bool)
    for k, name in enumerate(walk.markers.names):
        frame = int(rng.integers(10, walk.frames - 10))
        way = rng.normal(size=3)
        wrong = moved(wrong, name, slice(frame, frame + 1), 0.25 * way / np.linalg.norm(way))
        away[frame, k] = True
    missed = (spikes(wrong) != away).sum()
    assert missed <= 0.05 * len(walk.markers.names)  # some land where another one was


def test_exchanged_labels_and_markers_that_stay_away_are_kept(walk):
    a, b = "CLAT_D", "ML_D"
    assert not spikes(swap_labels(walk, a, b, (40, 42))).any()
    assert not spikes(moved(walk, a, slice(40, None), (0.2, 0.0, 0.0))).any()
    long = slice(40, 40 + round(0.15 * walk.rate_hz))
    assert not spikes(moved(walk, a, long, (0.2, 0.0, 0.0))).any()


def test_short_recordings_and_gaps_break_nothing(walk):
    assert not spikes(walk.stretch(0, 5)).any()
    p = walk.markers.p_WM.copy()
    p[30:60:2, 3] = np.nan
    p[45, 3] += 0.3
    assert not spikes(replace(walk, markers=replace(walk.markers, p_WM=p)))[:, :3].any()
