"""Shares of the origins of samples, and the spread of distances, against counts done by hand and by NumPy."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.reporting.statistics.frame_quality import origin_shares, spreads
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
