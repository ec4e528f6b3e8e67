"""Exchanged labels: found where they are, with their frames, and not found where there are none."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from biomec.base.errors import BiomecError
from biomec.io.c3d import read_c3d
from biomec.io.marker_set_file import load_marker_set
from biomec.io.registry import read_trial
from biomec.io.trc import read_trc
from biomec.signals.label_swaps import (
    OTHER_SIDE,
    WRIST,
    SwapEvidence,
    find_swaps,
    repaired,
    repaired_static,
    swap_labels,
)
from biomec.signals.static_pose import static_pose
from biomec.virtual import ArmElevation, PushUp, RecordOptions, Squat, VirtualPerson, Walk, record
from tests.core.signals.marker_bodies import hide, keep, make_trial, moving_trial, static_trial
from tests.real_data import recording

FULL = load_marker_set("biomec-full")
STATIC = static_pose(static_trial(FULL), FULL)
MOVING = moving_trial(FULL)
NOISY = make_trial(
    MOVING.markers.names, MOVING.markers.p_WM + np.random.default_rng(8).normal(scale=2e-3, size=(200, 87, 3))
)


def found(report):
    return [({swap.a, swap.b}, swap.first, swap.last) for swap in report.swaps]


@pytest.mark.parametrize("static", [STATIC, None], ids=["static", "median"])
def test_nothing_is_found_in_clean_and_in_noisy_data(static):
    for trial in (MOVING, NOISY):
        assert find_swaps(trial, FULL, static).swaps == ()


@pytest.mark.parametrize(
    "pair",
    [("C7", "T8"), ("CLBR_D_11", "CLBR_D_12"), ("CALC_D", "MT5_D"), ("ML_D", "ML_E"), ("C7", "CALC_E")],
    ids="-".join,
)
@pytest.mark.parametrize("static", [STATIC, None], ids=["static", "median"])
def test_a_swap_is_found_with_its_frames_and_undone(pair, static):
    """Within a segment, within a plate, between both sides, between any two segments."""
    wrong = swap_labels(NOISY, *pair, (60, 99))
    report = find_swaps(wrong, FULL, static)
    assert found(report) == [(set(pair), 60, 99)]
    (notice,) = [notice for notice in report.notices if notice.code == "labels-swapped"]
    assert notice.frames == (60, 99)
    assert "from frame 61 to 100 in walk.c3d" in notice.sentence
    repaired = swap_labels(wrong, *pair, (report.swaps[0].first, report.swaps[0].last))
    assert_array_equal(repaired.markers.p_WM, NOISY.markers.p_WM)


@settings(max_examples=8, deadline=None)
@given(st.data())
def test_swaps_on_two_segments_and_at_different_times(data):
    first = data.draw(st.integers(0, 60))
    length = data.draw(st.integers(1, 30))
    second = data.draw(st.integers(100, 150))
    wrong = swap_labels(swap_labels(NOISY, "C7", "T8", (first, first + length)), "ML_D", "ML_E", (second, 170))
    assert found(find_swaps(wrong, FULL, STATIC)) == [
        ({"C7", "T8"}, first, first + length),
        ({"ML_D", "ML_E"}, second, 170),
    ]


def test_a_swap_continues_behind_a_gap():
    wrong = hide(hide(swap_labels(NOISY, "C7", "T8", (60, 99)), "C7", 70, 75), "T8", 70, 75)
    assert found(find_swaps(wrong, FULL, STATIC)) == [({"C7", "T8"}, 60, 99)]


PLUG_IN_GAIT_PAIRS = (
    *(("RTHI", "RKNE"), ("RASI", "LASI"), ("LELB", "LWRA"), ("LWRA", "LWRB"), ("LSHO", "RSHO"), ("RFIN", "RWRB")),
    *(("RTIB", "RANK"), ("RKNE", "LKNE"), ("RTHI", "LTHI"), ("RHEE", "RTOE"), ("C7", "T10"), ("CLAV", "STRN")),
    *(("RHEE", "LHEE"), ("RANK", "LANK"), ("LFHD", "RFHD"), ("RTIB", "LTIB")),
)


@pytest.mark.parametrize("with_static", [True, False], ids=["static", "median"])
@pytest.mark.parametrize("frames", [(50, 89), (50, 50), (150, 196)], ids=str)
def test_swaps_that_distances_do_not_tell_are_found_by_the_paths(with_static, frames):
    """Six of sixteen exchanges in Plug-in Gait went unnoticed: two markers a segment, or symmetric ones."""
    pig = load_marker_set("plug-in-gait")
    static, walk = (read_c3d(recording("gait_pig_pair", f"HC030A0{k}.c3d")) for k in (1, 5))
    pose = static_pose(static, pig) if with_static else None
    for pair in PLUG_IN_GAIT_PAIRS:
        report = find_swaps(swap_labels(walk, *pair, frames), pig, pose)
        assert found(report) == [(set(pair), *frames)]
        (notice,) = [notice for notice in report.notices if notice.code == "labels-swapped"]
        words = "the path of the other leads" if report.swaps[0].evidence is SwapEvidence.PATHS else "their distances"
        assert words in notice.sentence


def test_a_swap_in_real_walking_is_one_swap_even_if_both_signs_tell_parts_of_it():
    """Soft feet: distances told all but four frames in the middle, which the paths told."""
    opensim = load_marker_set("opensim-gait2354")
    static, walk = (read_trc(recording("gait_opensim2354", f"subject01_{k}.trc")) for k in ("static", "walk1"))
    pose = static_pose(static, opensim)
    for pair, first in ((("R.Midfoot.Sup", "R.Midfoot.Lat"), 45), (("L.Heel", "R.Toe.Med"), 5)):
        assert found(find_swaps(swap_labels(walk, *pair, (first, first + 39)), opensim, pose)) == [
            (set(pair), first, first + 39)
        ]


def test_a_swap_throughout_needs_the_static_pose():
    wrong = swap_labels(NOISY, "C7", "T8")
    assert found(find_swaps(wrong, FULL, STATIC)) == [({"C7", "T8"}, 0, 199)]
    assert find_swaps(wrong, FULL).swaps == ()  # the median of the trial has the same fault: known limit


def test_sides_that_are_exchanged_throughout_are_found_in_any_posture():
    static = static_trial(FULL)
    assert find_swaps(static, FULL).exchanged_sides == ()
    for pair in (("CIAS_D", "CIAS_E"), ("MT1_D", "MT1_E")):
        report = find_swaps(swap_labels(static, *pair), FULL)
        assert report.exchanged_sides == (pair,)
        assert "All pairs" not in report.notices[0].sentence
    lying = static.markers.p_WM @ np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]).T
    names = [FULL.mirrored(name) for name in static.markers.names]
    report = find_swaps(make_trial(names, lying), FULL)
    assert len(report.exchanged_sides) == len(FULL.pairs) - 4  # CAQ, GU, PES, PEI are computed, not placed
    assert "All pairs are" in report.notices[-1].sentence


@cache
def virtual(movement, marker_set="plug-in-gait"):
    options = RecordOptions(50.0, 50.0, noise_mm=0.5, soft_tissue_mm=4.0, marker_set=marker_set)
    return record(movement, VirtualPerson(75.0, 1.77, "male"), options)


@pytest.mark.parametrize("side", "LR")
def test_wrist_labels_that_are_exchanged_throughout_are_found_and_repaired(side):
    """What the user saw: LWRA and LWRB exchanged, and a left pronation of −140° without a word."""
    pig, walked = load_marker_set("plug-in-gait"), virtual(Walk(strides=1))
    pair = (f"{side}WRA", f"{side}WRB")
    for also_static in (True, False):
        static = swap_labels(walked.static, *pair) if also_static else walked.static
        wrong = swap_labels(walked.dynamic, *pair)
        report = find_swaps(wrong, pig, static_pose(static, pig))
        assert [(one.thumb, one.little, one.in_static) for one in report.wrists] == [(*pair, also_static)]
        assert np.rad2deg(report.wrists[0].turn) > 120.0
        (notice,) = [notice for notice in report.notices if notice.code == WRIST]
        assert notice.about == pair
        mended = repaired(wrong, report)
        assert_array_equal(mended.markers.p_WM, walked.dynamic.markers.p_WM)
        assert find_swaps(mended, pig).wrists == ()


@pytest.mark.parametrize("marker_set", ["plug-in-gait", "biomec-full"])
@pytest.mark.parametrize(
    "movement",
    [Walk(strides=1), PushUp("closed", cycles=1), PushUp("open", cycles=1), Squat(cycles=1),
     ArmElevation("abduction", cycles=1), ArmElevation("flexion", cycles=1)],
    ids=lambda one: type(one).__name__,
)  # fmt: skip
def test_wrists_of_virtual_people_are_as_labelled(movement, marker_set):
    assert find_swaps(virtual(movement, marker_set).dynamic, load_marker_set(marker_set)).wrists == ()


def test_two_reversed_wrists_and_one_arm_alone_are_found_too():
    """Both wrists exchanged at once were silent: no forearm turns so far, whatever a laboratory means by its labels."""
    pig, walk = load_marker_set("plug-in-gait"), virtual(Walk(strides=1)).dynamic
    both = swap_labels(swap_labels(walk, "LWRA", "LWRB"), "RWRA", "RWRB")
    report = find_swaps(both, pig)
    assert [one.thumb for one in report.wrists] == ["RWRA", "LWRA"]
    assert all("Both wrists are" in one.sentence for one in report.notices if one.code == WRIST)
    assert_array_equal(repaired(both, report).markers.p_WM, walk.markers.p_WM)
    alone = keep(swap_labels(walk, "LWRA", "LWRB"), [name for name in walk.markers.names if name != "RELB"])
    assert [one.thumb for one in find_swaps(alone, pig).wrists] == ["LWRA"]


WRISTS = {"plug-in-gait": (("RWRA", "LWRA"), ("RWRB", "LWRB")), "biomec-full": (("EU_D", "EU_E"), ("ER_D", "ER_E"))}


def exchanged(trial, pairs):
    for pair in pairs:
        trial = swap_labels(trial, *pair)
    return trial


@pytest.mark.parametrize("movement", [Walk(strides=1), PushUp("closed", cycles=1)], ids=lambda one: type(one).__name__)
@pytest.mark.parametrize(
    ("marker_set", "static"),
    [("plug-in-gait", "exchanged too"), ("plug-in-gait", "right"), ("plug-in-gait", "none"),
     ("biomec-full", "exchanged too"), ("biomec-full", "right")],
)  # fmt: skip
def test_wrists_under_the_labels_of_the_other_side_are_found_and_repaired(marker_set, static, movement):
    """Silent with the full set, whose front is taken off after the static; else the forearm markers were blamed."""
    made, chosen, pairs = virtual(movement, marker_set), load_marker_set(marker_set), WRISTS[marker_set]
    wrong = exchanged(made.dynamic, pairs)
    worn = exchanged(made.static, pairs) if static == "exchanged too" else made.static
    report = find_swaps(wrong, chosen, None if static == "none" else static_pose(worn, chosen))
    assert report.exchanged_sides == report.labels == pairs
    assert report.static_labels == (pairs if static == "exchanged too" else ())
    assert (report.swaps, report.wrists) == ((), ())
    (notice,) = report.notices
    assert notice.code == OTHER_SIDE
    assert notice.about == tuple(name for pair in pairs for name in pair)
    assert ("and its static" in notice.sentence) == (static == "exchanged too")
    assert_array_equal(repaired(wrong, report).markers.p_WM, made.dynamic.markers.p_WM)
    assert_array_equal(repaired_static(worn, report).markers.p_WM, made.static.markers.p_WM)
    assert find_swaps(made.dynamic, chosen, static_pose(made.static, chosen)).notices == ()


def test_sides_exchanged_in_the_static_alone_are_found():
    """Markers that are taken off after the static are seen nowhere else."""
    made, pair = virtual(Walk(strides=1), "biomec-full"), ("CIAS_D", "CIAS_E")
    worn = swap_labels(made.static, *pair)
    report = find_swaps(made.dynamic, FULL, static_pose(worn, FULL))
    assert (report.exchanged_sides, report.static_labels) == ((), (pair,))
    assert "In the static of Walk these right markers" in report.notices[0].sentence
    assert_array_equal(repaired_static(worn, report).markers.p_WM, made.static.markers.p_WM)


@pytest.mark.parametrize(
    ("marker_set", "file", "pairs"),
    [
        ("opensim-gait2354", ("gait_opensim2354", "subject01_walk1.trc"),
         (("R.Wrist.Med", "L.Wrist.Med"), ("R.Wrist.Lat", "L.Wrist.Lat"))),
        ("opensim-rajagopal", ("gait_rajagopal", "motion_capture_walk.trc"), (("R.Wrist", "L.Wrist"),)),
        ("plug-in-gait", ("gait_pig_partial_strike", "walk.c3d"), WRISTS["plug-in-gait"]),
    ],
)  # fmt: skip
def test_real_walks_have_their_wrists_on_their_sides_until_they_are_exchanged(marker_set, file, pairs):
    chosen = load_marker_set(marker_set)
    walk = read_trial(recording(*file))
    right = find_swaps(walk, chosen)
    assert (right.exchanged_sides, right.wrists) == ((), ())
    assert find_swaps(exchanged(walk, pairs), chosen).labels == pairs


def test_a_real_walk_with_a_reversed_wrist_and_one_without():
    """Of the pair the left finger is 81 mm from LWRA and 64 mm from LWRB, on the right 61 and 71: it is reversed."""
    pig = load_marker_set("plug-in-gait")
    static, walk = (read_c3d(recording("gait_pig_pair", f"HC030A0{k}.c3d")) for k in (1, 5))
    (wrist,) = find_swaps(walk, pig, static_pose(static, pig)).wrists
    assert (wrist.thumb, wrist.little, wrist.in_static) == ("LWRA", "LWRB", True)
    for file in ("walk", "static"):
        assert find_swaps(read_c3d(recording("gait_pig_partial_strike", f"{file}.c3d")), pig).wrists == ()


@pytest.mark.parametrize("with_static", [True, False])
def test_real_walking_has_no_swaps(with_static):
    pig, opensim = load_marker_set("plug-in-gait"), load_marker_set("opensim-gait2354")
    for marker_set, static, walk in (
        (pig, *(read_c3d(recording("gait_pig_pair", f"HC030A0{k}.c3d")) for k in (1, 5))),
        (opensim, *(read_trc(recording("gait_opensim2354", f"subject01_{k}.trc")) for k in ("static", "walk1"))),
    ):
        pose = static_pose(static, marker_set) if with_static else None
        for trial in (static, walk):
            report = find_swaps(trial, marker_set, pose)
            assert report.swaps == ()
            assert report.exchanged_sides == ()
        pair = ("RTIB", "LTIB") if marker_set is pig else ("R.Shank.Rear", "L.Shank.Rear")
        assert found(find_swaps(swap_labels(walk, *pair, (30, 49)), marker_set, pose)) == [(set(pair), 30, 49)]


def test_exchanging_labels_takes_the_residuals_along_and_refuses_wrong_frames():
    residual = np.arange(8.0).reshape(4, 2)
    trial = make_trial(("A", "B"), np.arange(24.0).reshape(4, 2, 3))
    trial = replace(trial, markers=replace(trial.markers, residual=residual))
    swapped = swap_labels(trial, "A", "B", (1, 2))
    assert_array_equal(swapped.markers.residual, [[0, 1], [3, 2], [5, 4], [6, 7]])
    assert_array_equal(swapped.markers["A"][1:3], trial.markers["B"][1:3])
    assert_array_equal(swapped.markers["A"][[0, 3]], trial.markers["A"][[0, 3]])
    with pytest.raises(BiomecError, match="do not lie within the 4 frames"):
        swap_labels(trial, "A", "B", (2, 4))
    with pytest.raises(BiomecError, match="no marker C"):
        swap_labels(trial, "A", "C")
