import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.loads.load_statistics import load_statistics

RATE = 1000.0


def test_a_sine_and_a_ramp_by_their_closed_forms():
    t = np.arange(2001) / RATE
    x = np.stack([5.0 * np.sin(2.0 * np.pi * t) - 1.0, 3.0 * t], axis=1)
    found = load_statistics(("sine", "ramp"), x, [(0, 1000), (1000, 2000)], RATE)
    exact = 2e-5  # trapezia of 1 ms: (2 π / 1000)² / 12 of the curvature
    np.testing.assert_allclose(found.highest, [[4.0, 3.0], [4.0, 6.0]], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.lowest, [[-6.0, 0.0], [-6.0, 3.0]], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.peak, [[-6.0, 3.0], [-6.0, 6.0]], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.peak_percent, [[75.0, 100.0], [75.0, 100.0]], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.mean, [[-1.0, 1.5], [-1.0, 4.5]], rtol=0, atol=exact)
    np.testing.assert_allclose(found.impulse, [[-1.0, 1.5], [-1.0, 4.5]], rtol=0, atol=exact)
    np.testing.assert_allclose(
        found.rms, [[np.sqrt(13.5), np.sqrt(3.0)], [np.sqrt(13.5), np.sqrt(21.0)]], rtol=0, atol=exact
    )
    np.testing.assert_allclose(found.duration_s, [1.0, 1.0])
    mean, sd = found.summary("peak")
    np.testing.assert_allclose(mean, [-6.0, 4.5], rtol=0, atol=1e-12)
    np.testing.assert_allclose(sd, [0.0, 3.0 / np.sqrt(2.0)], rtol=0, atol=1e-12)


def test_impulse_depends_on_time_and_mean_does_not():
    x = np.full((101, 1), 2.0)
    slow, fast = (load_statistics(("x",), x, [(0, 100)], rate) for rate in (50.0, 100.0))
    assert (slow.impulse[0, 0], fast.impulse[0, 0]) == pytest.approx((4.0, 2.0))
    assert slow.mean[0, 0] == pytest.approx(fast.mean[0, 0]) == pytest.approx(2.0)


def test_a_gap_spoils_its_own_cycle_and_curve_only():
    x = np.ones((31, 2))
    x[15, 0] = np.nan
    found = load_statistics(("a", "b"), x, [(0, 10), (10, 20), (20, 30)], 10.0)
    for measure in ("peak", "peak_percent", "highest", "lowest", "mean", "rms", "impulse"):
        values = getattr(found, measure)
        np.testing.assert_array_equal(np.isnan(values), [[False, False], [True, False], [False, False]])
    mean, sd = found.summary("mean")
    np.testing.assert_allclose(mean, [1.0, 1.0])
    np.testing.assert_allclose(sd, [0.0, 0.0], atol=1e-15)


def test_no_cycles_give_nothing_and_one_gives_no_spread():
    x = np.ones((10, 1))
    nothing = load_statistics(("a",), x, [], 10.0)
    assert nothing.peak.shape == (0, 1)
    assert np.isnan(nothing.summary("peak")[0]).all()
    one = load_statistics(("a",), x, [(0, 9)], 10.0)
    assert np.isnan(one.summary("rms")[1]).all()
    with pytest.raises(BiomecError, match='not "median"'):
        one.summary("median")
    with pytest.raises(BiomecError, match="2 names for curves"):
        load_statistics(("a", "b"), x, [], 10.0)
