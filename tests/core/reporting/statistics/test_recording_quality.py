"""Shares of the origins of samples, and the spread of distances, against counts done by hand and by NumPy."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.io.marker_set_file import load_marker_set, shipped_marker_sets
from biomec.recording.marker_set import Side
from biomec.reporting.statistics.recording_quality import (
    ARM,
    LEG,
    PANELS,
    TRUNK,
    WRISTS,
    cutoff_panels,
    origin_shares,
    region,
    spreads,
)
from biomec.signals.reconstruction import SampleOrigin

MISSING, MEASURED, REBUILT, INTERPOLATED = (int(SampleOrigin[name]) for name in (
    "MISSING", "MEASURED", "REBUILT", "INTERPOLATED",
))  # fmt: skip


def test_shares_of_a_frame_sum_to_one_and_markers_never_seen_do_not_count():
    origin = np.array(
        [
            [MEASURED, MEASURED, REBUILT, MISSING, MISSING],
            [MEASURED, INTERPOLATED, REBUILT, MEASURED, MISSING],
        ]
    )
    shares = origin_shares(origin)
    np.testing.assert_allclose(shares[SampleOrigin.MEASURED], [0.5, 0.5])
    np.testing.assert_allclose(shares[SampleOrigin.REBUILT], [0.25, 0.25])
    np.testing.assert_allclose(shares[SampleOrigin.INTERPOLATED], [0.0, 0.25])
    np.testing.assert_allclose(shares[SampleOrigin.MISSING], [0.25, 0.0])
    np.testing.assert_allclose(sum(shares.values()), 1.0)


def test_no_markers_at_all_have_no_shares():
    assert all((share == 0.0).all() for share in origin_shares(np.zeros((4, 0), dtype=int)).values())
    with pytest.raises(BiomecError, match="frames, markers"):
        origin_shares(np.zeros(3, dtype=int))


def test_spreads_rank_by_rms_and_leave_out_frames_that_are_not_valid():
    near, far = np.linspace(0.0, 0.010, 101), np.linspace(0.020, 0.040, 101)
    distances = np.stack([near, far, np.full(101, np.nan)], axis=1)
    distances = np.concatenate([distances, [[9.0, 9.0, 9.0]]])
    valid = np.array([True] * 101 + [False])
    worst, best = spreads(("near", "far", "never"), distances, valid)
    assert (worst.name, best.name) == ("far", "near")
    # 0, 0.1, … 10 mm: percentiles are the percentages themselves
    assert [best.p5, best.p25, best.median, best.p75, best.p95, best.largest] == pytest.approx(
        [0.0005, 0.0025, 0.005, 0.0075, 0.0095, 0.010]
    )
    assert best.mean == pytest.approx(0.005)
    # Σ k² for k = 0…100 is 100·101·201/6
    assert best.rms == pytest.approx(1e-4 * np.sqrt(100 * 101 * 201 / 6 / 101))


def test_spreads_of_no_valid_frame_are_none_and_shapes_are_checked():
    assert spreads(("a",), np.ones((3, 1)), np.zeros(3, dtype=bool)) == ()
    with pytest.raises(BiomecError, match="2 names in 3 frames"):
        spreads(("a", "b"), np.ones((3, 1)), np.ones(3, dtype=bool))


FULL = load_marker_set("biomec-full")


@pytest.mark.parametrize(
    ("name", "panel"),
    [
        ("VC", TRUNK), ("AuxC_D", TRUNK), ("C7", TRUNK), ("IJ", TRUNK), ("PMCP", TRUNK),
        ("EU_D", WRISTS), ("ER_E", WRISTS), ("MC2_D", WRISTS),
        ("AC_D", ARM[Side.RIGHT]), ("EL_E", ARM[Side.LEFT]), ("CLBR_D_11", ARM[Side.RIGHT]),
        ("CLAB_E_22", ARM[Side.LEFT]), ("EC_D", ARM[Side.RIGHT]),
        ("CIAS_D", LEG[Side.RIGHT]), ("CLAT_E", LEG[Side.LEFT]), ("MT1_D", LEG[Side.RIGHT]),
        ("no marker of the set", TRUNK),
    ],
)  # fmt: skip
def test_a_marker_stands_in_the_panel_of_its_region(name, panel):
    assert region(FULL, name) == panel


@pytest.mark.parametrize("name", shipped_marker_sets())
def test_every_marker_of_every_set_is_in_one_panel_with_its_own_cut_off(name):
    names = load_marker_set(name).names
    cutoffs = np.arange(3.0 * len(names)).reshape(-1, 3)
    panels = cutoff_panels(load_marker_set(name), names, cutoffs)
    assert [panel.title for panel in panels] == list(PANELS)
    found = {marker: tuple(row) for panel in panels for marker, row in zip(panel.names, panel.cutoff_hz, strict=True)}
    assert found == {marker: tuple(cutoffs[k]) for k, marker in enumerate(names)}


def test_only_head_trunk_and_pelvis_of_plug_in_gait_are_in_the_first_panel():
    gait = load_marker_set("plug-in-gait")
    first = {name for name in gait.names if region(gait, name) == TRUNK}
    assert {gait[name].segments[0] for name in first} <= {"head", "thorax", "torso", "pelvis", "lumbar spine"}
    assert region(gait, "LHLX") == LEG[Side.LEFT]
    assert region(gait, "RSHO") == ARM[Side.RIGHT]


def test_cut_offs_of_another_number_of_markers_are_refused():
    with pytest.raises(BiomecError, match="shape"):
        cutoff_panels(FULL, ("C7", "T8"), np.ones((3, 3)))
