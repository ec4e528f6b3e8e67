"""Resampled cycles against polynomials, closed forms and numpy."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from biomec.base.errors import BiomecError
from biomec.signals.cycle_average import channel, resample_cycles, resample_spans
from biomec.signals.cycles import Cycles, exclude_cycle

RATE = 100.0


def cycles(*borders, frames=None):
    return Cycles(borders, np.ones(frames or borders[-1] + 1, dtype=bool), RATE)


def test_cubics_are_resampled_exactly():
    t = np.arange(301) / RATE
    x = np.stack([1.0 - t + 2.0 * t**2 - 0.5 * t**3, t**3], axis=1)
    found = resample_cycles(cycles(0, 130, 300), x)
    assert found.curves.shape == (2, 101, 2)
    for k, (a, b) in enumerate([(0.0, 1.3), (1.3, 3.0)]):
        s = np.linspace(a, b, 101)
        assert_allclose(found.curves[k], np.stack([1.0 - s + 2.0 * s**2 - 0.5 * s**3, s**3], axis=1), atol=1e-12)
    assert_array_equal(found.percent, np.arange(101.0))


def test_borders_are_kept_exactly_and_a_warped_cycle_comes_back_in_shape():
    spans = [0, 150, 390, 600]
    phase = np.concatenate([np.arange(b - a) / (b - a) for a, b in pairwise(spans)] + [[0.0]])
    x = np.sin(2.0 * np.pi * phase) + 2.0
    found = resample_cycles(cycles(*spans), x)
    assert_allclose(found.curves[:, 0], x[spans[:-1]], atol=1e-12)
    assert_allclose(found.mean, np.sin(2.0 * np.pi * found.percent / 100.0) + 2.0, atol=1e-6)  # spline, h⁴
    assert_allclose(found.sd, 0.0, atol=1e-6)


def test_number_of_samples_between_longest_and_shortest():
    found = resample_cycles(cycles(0, 100, 220, 300), np.zeros(301), None)
    assert found.curves.shape == (3, 101)  # (121 + 81) / 2


def test_mean_and_deviation_are_those_of_numpy():
    x = np.random.default_rng(0).normal(size=(501, 4, 3))
    found = resample_cycles(cycles(0, 100, 200, 300, 400, 500), x)
    stacked = np.stack([x[a : a + 101] for a in range(0, 500, 100)])
    assert_allclose(found.curves, stacked, atol=1e-10)
    assert_allclose(found.mean, stacked.mean(axis=0), atol=1e-10)
    assert_allclose(found.sd, stacked.std(axis=0, ddof=1), atol=1e-10)
    assert_array_equal(found.count, np.full((4, 3), 5))


def test_a_channel_with_a_gap_loses_that_cycle_only():
    x = np.random.default_rng(0).normal(size=(301, 2))
    x[150, 1] = np.nan
    found = resample_cycles(cycles(0, 100, 200, 300), x)
    assert np.isnan(found.curves[1, :, 1]).all()
    assert_array_equal(found.count, [3, 2])
    assert_allclose(found.mean[:, 1], (x[0:101, 1] + x[200:301, 1]) / 2.0, atol=1e-10)


def test_cycles_that_do_not_count_are_left_out_and_told():
    x = np.arange(304.0)
    some = exclude_cycle(cycles(0, 100, 200, 300, 303), 1)
    found = resample_cycles(some, x)
    assert_array_equal(found.numbers, [0, 2, 3])
    assert "1 left out (number 1" in found.notices[0].sentence
    short = resample_cycles(cycles(0, 100, 102, 300), np.arange(301.0))
    assert_array_equal(short.numbers, [0, 2])
    assert short.notices[0].code == "cycle-too-short"


def test_one_cycle_has_no_deviation_and_none_has_no_mean():
    one = resample_cycles(cycles(0, 100), np.arange(101.0))
    assert np.isnan(one.sd).all()
    assert_allclose(one.mean, np.arange(101.0), atol=1e-10)
    none = resample_cycles(cycles(50, frames=101), np.arange(101.0))
    assert np.isnan(none.mean).all()
    assert none.curves.shape == (0, 101)
    assert resample_cycles(cycles(50, frames=101), np.arange(101.0), None).mean.shape == (0,)


def test_values_of_another_rate_and_start():
    """A plate at 1000 Hz that starts 0.05 s late, on cycles of camera frames."""
    t = 0.05 + np.arange(2951) / 1000.0
    found = resample_cycles(cycles(10, 110, 290), t**3, rate_hz=1000.0, start_s=0.05)
    assert_allclose(found.curves[0], np.linspace(0.1, 1.1, 101) ** 3, atol=1e-12)
    assert_allclose(found.curves[1], np.linspace(1.1, 2.9, 101) ** 3, atol=1e-11)
    outside = resample_cycles(cycles(0, 110, 290), t**3, rate_hz=1000.0, start_s=0.05)
    assert_array_equal(outside.numbers, [1])
    assert outside.notices[0].code == "cycle-outside"


def test_impossible_input_is_refused():
    with pytest.raises(BiomecError, match="101 frames, the values have 50"):
        resample_cycles(cycles(0, 100), np.zeros(50))
    with pytest.raises(BiomecError, match="at least two"):
        resample_cycles(cycles(0, 100), np.zeros(101), 1)


def test_stretches_that_do_not_touch_are_laid_over_each_other_the_same_way():
    t = np.arange(200) / 100.0
    values = np.stack([np.sin(2.0 * np.pi * t), t], axis=1)
    cycles = Cycles((0, 50, 120), np.ones(200, dtype=bool), 100.0)
    between, stretches = resample_cycles(cycles, values), resample_spans(values, [(0, 50), (50, 120)])
    np.testing.assert_array_equal(stretches.curves, between.curves)
    np.testing.assert_array_equal(stretches.sd, between.sd)
    apart = resample_spans(values, [(10, 60), (150, 190)], samples=None)
    assert apart.curves.shape == (2, 46, 2)  # (51 + 41) / 2
    np.testing.assert_allclose(apart.curves[1, [0, -1], 1], [1.5, 1.9], rtol=0, atol=1e-12)
    with pytest.raises(BiomecError, match="borders must lie within the 200 samples"):
        resample_spans(values, [(190, 200)])


def test_a_channel_is_what_it_is_alone():
    """Also one that misses samples in a cycle, beside others that do not."""
    rng = np.random.default_rng(8)
    values = rng.normal(size=(60, 3))
    values[25, 1] = np.nan
    spans = [[0.0, 20.0], [20.0, 41.5], [41.5, 59.0]]
    every = resample_spans(values, spans)
    for k in range(3):
        one, alone = channel(every, k), resample_spans(values[:, k], spans)
        for name in ("percent", "curves", "numbers", "mean", "sd"):
            assert_allclose(getattr(one, name), getattr(alone, name), atol=1e-13, err_msg=name)
        assert one.count.shape == ()
        assert int(one.count) == int(alone.count) == (2 if k == 1 else 3)
