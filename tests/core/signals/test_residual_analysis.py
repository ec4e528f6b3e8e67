"""Residual analysis: noise that was put in comes out again; the fast route equals filtering one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import signal, stats

from biomec.base.errors import BiomecError
from biomec.signals.filters import FILTERS, low_pass
from biomec.signals.residual_analysis import ResidualOptions, residual_analysis, residuals


def sine_with_noise(rate, seconds, amplitude, sigma, seed):
    rng = np.random.default_rng(seed)
    t = np.arange(round(rate * seconds)) / rate
    noise = rng.normal(scale=sigma, size=t.size)
    return amplitude * np.sin(2.0 * np.pi * t + rng.uniform(0.0, 2.0 * np.pi)) + noise, np.sqrt(np.mean(noise**2))


@pytest.mark.parametrize("rate", [60.0, 100.0, 250.0, 500.0])
@pytest.mark.parametrize("sigma", [0.0003, 0.001, 0.01])
def test_the_noise_of_a_one_hertz_sine_is_recovered(rate, sigma):
    """Amplitude 0.1 m, noise 0.3 to 10 mm: the root mean square within 10 %."""
    for seed in range(5):
        x, true = sine_with_noise(rate, 12.0, 0.1, sigma, seed)
        found = residual_analysis(x, rate)
        assert found.noise == pytest.approx(true, rel=0.1)
        assert 1.0 < found.cutoff_hz < 8.0


def test_the_filtered_sine_is_nearer_to_the_truth_than_the_measured_one():
    x, sigma = sine_with_noise(500.0, 12.0, 0.1, 0.002, 1)
    clean = x - sine_with_noise(500.0, 12.0, 0.0, 0.002, 1)[0]
    y = low_pass(x, 500.0, residual_analysis(x, 500.0).cutoff_hz).values
    error = np.sqrt(np.mean((y - clean)[500:-500] ** 2))
    assert error < 0.25 * sigma  # white noise below 3 Hz of 250: √(3/250) = 0.11, and a little signal lost


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("gaps", [False, True])
def test_residuals_equal_filtering_at_every_cut_off(gaps, name):
    rng = np.random.default_rng(5)
    x = np.cumsum(rng.normal(size=(1200, 3)), axis=0) + rng.normal(size=(1200, 3))
    if gaps:
        x[400:420, 0] = np.nan
        x[:90, 2] = np.nan
    grid = np.array([2.0, 5.0, 9.5, 20.0])  # a period of the lowest is shorter than every stretch
    found = residuals(x, 100.0, grid, filter=name)
    for f, R in zip(grid, found, strict=True):
        taken = x - low_pass(x, 100.0, f, filter=name).values
        assert_allclose(R, np.sqrt(np.nanmean(taken**2, axis=0)), rtol=1e-10)


def test_residuals_equal_the_recursive_filter_of_scipy():
    """The specified route in full: forward and backward second-order sections with long reflected padding."""
    rate, f = 500.0, 1.5
    x, _ = sine_with_noise(rate, 12.0, 0.1, 0.001, 3)
    sections = signal.butter(2, f / (np.sqrt(2.0) - 1.0) ** 0.25, fs=rate, output="sos")
    y = signal.sosfiltfilt(sections, x, padlen=round(5 * rate / f))
    # the design at f/0.802 differs from ours by the bend of the axis, (π f/rate)²/3 ~ 3e-5
    assert_allclose(residuals(x[:, None], rate, np.array([f]))[0, 0], np.sqrt(np.mean((x - y) ** 2)), rtol=2e-4)


def test_the_tail_is_the_one_found_by_dropping_one_frequency_after_the_other():
    """Against scipy's regression, frequency by frequency, and the crossing by a dense interpolation."""
    rng = np.random.default_rng(8)
    x = np.stack([sine_with_noise(200.0, 8.0, 0.1, s, 2)[0] for s in (1e-4, 1e-3, 1e-2)], axis=1)
    x[:, 2] += 0.02 * np.sin(2.0 * np.pi * 4.0 * np.arange(len(x)) / 200.0) + rng.normal(scale=1e-3, size=len(x))
    found = residual_analysis(x, 200.0, ResidualOptions(floor_hz=0.0))
    f = found.grid_hz
    for c in range(3):
        R = found.residual[:, c]
        k = next(k for k in range(len(f)) if abs(stats.linregress(f[k:], R[k:]).rvalue) > 0.95)
        line = stats.linregress(f[k:], R[k:])
        assert found.tail_from[c] == k
        assert_allclose([found.noise[c], found.slope[c]], [line.intercept, line.slope], rtol=1e-8)
        fine = np.linspace(f[0], f[-1], 400_001)
        crossing = fine[np.argmax(np.interp(fine, f, R) <= line.intercept)]
        assert found.cutoff_hz[c] == pytest.approx(crossing, abs=1e-4)
        assert_allclose(found.line(c)[1], line.intercept + line.slope * np.array([0.0, f[-1]]), rtol=1e-8)


@given(scale=st.floats(1e-3, 1e3), offset=st.floats(-1e3, 1e3), slope=st.floats(-10.0, 10.0))
@settings(max_examples=25, deadline=None)
def test_unit_place_and_drift_do_not_change_the_cut_off(scale, offset, slope):
    x, _ = sine_with_noise(100.0, 6.0, 1.0, 0.05, 4)
    moved = scale * x + offset + slope * np.arange(len(x))
    base, found = residual_analysis(x, 100.0), residual_analysis(moved, 100.0)
    # round-off of a large offset or drift against a small signal: 1e-16 · 1e4 / 1e-5
    assert found.cutoff_hz == pytest.approx(base.cutoff_hz, rel=1e-5)
    assert found.noise == pytest.approx(scale * base.noise, rel=1e-5)


def test_noisier_recordings_ask_for_lower_cut_offs():
    cutoffs = [
        residual_analysis(sine_with_noise(250.0, 10.0, 0.1, s, 6)[0], 250.0).cutoff_hz for s in (1e-4, 1e-3, 1e-2)
    ]
    assert cutoffs[0] > cutoffs[1] > cutoffs[2]


def test_a_channel_that_only_holds_noise_is_raised_to_the_floor():
    x = np.random.default_rng(1).normal(size=4000)
    found = residual_analysis(x, 200.0, ResidualOptions(floor_hz=2.0))
    assert found.crossing_hz < 2.0
    assert found.cutoff_hz == 2.0


def test_constant_and_missing_channels_have_no_cut_off():
    x = np.zeros((500, 3))
    x[:, 1] = np.nan
    x[:, 2] = np.random.default_rng(0).normal(size=500)
    found = residual_analysis(x, 100.0)
    assert_array_equal(np.isnan(found.cutoff_hz), [True, True, False])
    assert_array_equal(found.tail_from[:2], [-1, -1])
    assert_array_equal(np.isnan(found.residual[0]), [False, True, False])


def test_shapes_follow_the_channels_and_arrays_are_read_only():
    found = residual_analysis(np.random.default_rng(0).normal(size=(300, 4, 3)), 100.0)
    assert found.residual.shape == (320, 4, 3)
    assert found.grid_hz[0] == 0.0625
    assert found.grid_hz[-1] == 20.0
    assert found.cutoff_hz.shape == found.noise.shape == found.tail_from.shape == (4, 3)
    assert not found.residual.flags.writeable


def test_slow_recordings_shorten_the_grid_and_very_slow_ones_are_refused():
    assert ResidualOptions().grid_hz(25.0)[-1] == 10.0
    with pytest.raises(BiomecError, match="only 6 cut-offs"):
        ResidualOptions().grid_hz(1.0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"lowest_hz": 0.0},
        {"highest_hz": 0.01},
        {"step_hz": 0.0},
        {"correlation": 1.0},
        {"floor_hz": -1.0},
        {"tail_points": 2},
    ],
)
def test_impossible_options_are_refused(wrong):
    with pytest.raises(BiomecError, match="Residual analysis"):
        ResidualOptions(**wrong)


def test_a_signal_without_time_or_rate_is_refused():
    for x, rate in ((1.0, 100.0), (np.zeros(100), 0.0), (np.zeros(100), np.nan)):
        with pytest.raises(BiomecError, match="samples in time and a positive rate"):
            residual_analysis(x, rate)


def test_it_can_be_stopped():
    class Stop(Exception):
        pass

    def progress(done):
        raise Stop

    with pytest.raises(Stop):
        residual_analysis(np.random.default_rng(0).normal(size=(300, 2)), 100.0, progress=progress)
