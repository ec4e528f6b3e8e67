"""The zero-lag filters against their transfer function, scipy's recursion, and signals with a known answer."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import signal

from biomec.base.errors import BiomecError
from biomec.signals.filters import FILTERS, Continuation, high_pass, high_pass_gain, low_pass, low_pass_gain

RATES_AND_CUTOFFS = [
    (500.0, 0.625),
    (500.0, 3.937),
    (100.0, 6.0),
    (100.0, 20.0),
    (60.0, 6.0),
    (1000.0, 450.0),
    (50.0, 24.0),
]


def sections(rate, cutoff, kind="low"):
    """One pass of scipy's own design, placed so that two passes are at −3 dB at the cut-off."""
    factor = (np.sqrt(2.0) - 1.0) ** (0.25 if kind == "low" else -0.25)
    design = rate / np.pi * np.arctan(np.tan(np.pi * cutoff / rate) / factor)
    return signal.butter(2, design, kind, fs=rate, output="sos")


def reference(x, rate, cutoff, kind="low", padtype="odd"):
    """Forward and backward recursion over a padding of eight periods of the cut-off, and of 100 samples."""
    pad = min(len(x) - 1, max(round(8 * rate / cutoff), 100))
    return signal.sosfiltfilt(sections(rate, cutoff, kind), x, axis=0, padtype=padtype, padlen=pad)


def noisy(frames, channels, seed=0):
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.normal(size=(frames, channels)), axis=0) + rng.normal(size=(frames, channels))


@pytest.mark.parametrize(("rate", "cutoff"), RATES_AND_CUTOFFS)
def test_a_sine_at_the_asked_cut_off_comes_out_at_minus_three_decibels(rate, cutoff):
    frames = max(round(60 * rate / cutoff), 2000)
    t = np.arange(frames) / rate
    x = np.sin(2.0 * np.pi * cutoff * t)
    middle = slice(frames // 4, 3 * frames // 4)
    basis = np.stack([np.sin(2.0 * np.pi * cutoff * t), np.cos(2.0 * np.pi * cutoff * t)], axis=1)[middle]
    for kind in (low_pass, high_pass):
        y = kind(x, rate, cutoff).values[middle]
        (in_phase, lag), *_ = np.linalg.lstsq(basis, y, rcond=None)
        # fifteen periods and 500 samples from either end the reflected part has faded below 1e-12
        assert in_phase == pytest.approx(np.sqrt(0.5), abs=1e-9)
        assert lag == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(("rate", "cutoff"), RATES_AND_CUTOFFS)
def test_the_gain_is_the_squared_response_of_the_recursive_filter(rate, cutoff):
    f = np.linspace(0.001, 0.499, 200) * rate
    for kind, gain in (("low", low_pass_gain), ("high", high_pass_gain)):
        _, response = signal.sosfreqz(sections(rate, cutoff, kind), f, fs=rate)
        # the response at 0.625 of 500 Hz is a difference of numbers near 1 over (2π f/rate)² ~ 1e-5
        assert_allclose(gain(f, cutoff, rate), np.abs(response) ** 2, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize(("rate", "cutoff"), RATES_AND_CUTOFFS)
def test_every_filter_of_the_table_is_at_3_db_at_its_cut_off(name, rate, cutoff):
    assert_allclose(low_pass_gain([0.0, cutoff], cutoff, rate, name), [1.0, np.sqrt(0.5)], rtol=1e-12)
    f = np.linspace(0.0, 0.499, 200) * rate
    assert (np.diff(low_pass_gain(f, cutoff, rate, name)) < 0.0).all()


@pytest.mark.parametrize(("rate", "cutoff"), RATES_AND_CUTOFFS)
def test_a_critically_damped_filter_is_two_equal_poles_forward_and_backward(rate, cutoff):
    """Oracle: SciPy's bilinear transform of 1 / (1 + s/ω)², with ω of [RobertsonDowling2003] for two passes."""
    pole = -2.0 * rate * np.tan(np.pi * cutoff / rate) / np.sqrt(2.0**0.25 - 1.0)
    z, p, k = signal.bilinear_zpk([], [pole, pole], pole**2, rate)
    f = np.linspace(0.001, 0.499, 200) * rate
    _, response = signal.freqz_zpk(z, p, k, f, fs=rate)
    # two equal poles near z = 1: their distance, about 2π f/rate, has lost digits
    assert_allclose(low_pass_gain(f, cutoff, rate, "critically-damped"), np.abs(response) ** 2, rtol=1e-7, atol=1e-9)


def test_a_critically_damped_filter_does_not_overshoot_a_jump():
    jump = np.where(np.arange(600) < 300, 0.0, 1.0)
    over = {name: low_pass(jump, 100.0, 3.0, filter=name).values.max() - 1.0 for name in FILTERS}
    assert over["butterworth"] > 0.03
    assert over["critically-damped"] < 1e-9


def test_a_filter_that_the_table_does_not_have_is_refused():
    with pytest.raises(BiomecError, match=f"no filter boxcar; there are {', '.join(FILTERS)}"):
        low_pass(np.zeros(200), 100.0, 5.0, filter="boxcar")


def test_far_below_nyquist_the_design_is_the_cut_off_over_0_802():
    """The factor of the textbooks, to the three digits they give."""
    classic = signal.butter(2, 6.0 / 0.802, fs=1000.0, output="sos")
    _, response = signal.sosfreqz(classic, np.linspace(1.0, 40.0, 50), fs=1000.0)
    assert_allclose(low_pass_gain(np.linspace(1.0, 40.0, 50), 6.0, 1000.0), np.abs(response) ** 2, atol=1e-3)


@pytest.mark.parametrize(("rate", "cutoff"), [(500.0, 3.0), (100.0, 6.0), (60.0, 6.0), (200.0, 80.0)])
@pytest.mark.parametrize("continuation", list(Continuation))
def test_it_equals_the_forward_backward_recursion_ends_included(rate, cutoff, continuation):
    x = noisy(round(20 * rate / cutoff) + 107, 4)
    for kind, ours in (("low", low_pass), ("high", high_pass)):
        found = ours(x, rate, cutoff, continuation).values
        # both continue the signal the same way; the recursion's padding stops after 8 periods: exp(−44) is left
        assert_allclose(found, reference(x, rate, cutoff, kind, continuation.value), atol=1e-9 * np.abs(x).max())


def test_every_channel_with_its_own_cut_off_equals_one_by_one():
    x = noisy(900, 30).reshape(900, 10, 3)
    cutoff = np.linspace(1.0, 20.0, 30).reshape(10, 3)
    together = low_pass(x, 100.0, cutoff).values
    for m in range(10):
        for k in range(3):
            assert_allclose(together[:, m, k], low_pass(x[:, m, k], 100.0, cutoff[m, k]).values, atol=1e-12)
            inner = slice(300, 600)  # three periods of the lowest cut-off from the ends
            assert_allclose(together[inner, m, k], reference(x[:, m, k], 100.0, cutoff[m, k])[inner], atol=1e-6)


def test_lines_pass_unchanged_up_to_the_last_sample():
    t = np.arange(300.0)[:, None] / 100.0
    line = 3.0 + t * np.array([0.0, 1.0, -2.5])
    assert_allclose(low_pass(line, 100.0, 1.0).values, line, atol=1e-13)
    assert_allclose(high_pass(line, 100.0, 1.0).values, 0.0, atol=1e-13)


def test_ends_of_a_slow_sine_stay_close():
    """Odd reflection turns the curvature about: the error is of the order a/(2π f_c)², a the acceleration."""
    rate, cutoff, f = 200.0, 6.0, 1.0
    t = np.arange(400) / rate
    for phase in np.linspace(0.0, np.pi, 7):
        x = np.sin(2.0 * np.pi * f * t + phase)
        error = np.abs(low_pass(x, rate, cutoff).values - x)
        assert error.max() < 0.5 * (f / cutoff) ** 2
        assert error[100:300].max() < 1.2 * (1.0 - low_pass_gain(f, cutoff, rate))  # away from the ends: the gain alone


@given(
    shift=st.floats(-1e3, 1e3),
    scale=st.floats(-10.0, 10.0),
    seed=st.integers(0, 2**31),
    frames=st.integers(20, 200),
)
@settings(max_examples=40, deadline=None)
def test_filtering_is_linear_and_blind_to_the_direction_of_time(shift, scale, seed, frames):
    x = noisy(frames, 2, seed)
    y = low_pass(x, 50.0, 5.0).values
    tolerance = 1e-12 * (np.abs(x).max() * abs(scale) + abs(shift) + 1.0)
    assert_allclose(low_pass(shift + scale * x, 50.0, 5.0).values, shift + scale * y, atol=tolerance)
    assert_allclose(low_pass(x[::-1], 50.0, 5.0).values, y[::-1], atol=1e-12 * (np.abs(x).max() + 1.0))


def test_every_stretch_between_gaps_is_filtered_as_if_it_were_alone():
    x = noisy(1000, 6)
    x[300:310, :3] = np.nan
    x[600:650, 2] = np.nan
    x[700, 5] = np.nan
    x[705, 5] = np.nan
    y = low_pass(x, 100.0, 4.0)
    assert_array_equal(np.isnan(y.values), np.isnan(x))
    assert_allclose(y.values[:300, 0], low_pass(x[:300, 0], 100.0, 4.0).values, atol=1e-12)
    assert_allclose(y.values[310:600, 2], low_pass(x[310:600, 2], 100.0, 4.0).values, atol=1e-12)
    assert_array_equal(y.values[701:705, 5], x[701:705, 5])  # 40 ms: less than a period of 4 Hz
    assert_array_equal(np.argwhere(y.untouched), [[f, 5] for f in range(701, 705)])


@pytest.mark.parametrize("continuation", list(Continuation))
@pytest.mark.parametrize("cutoff", [0.7, 6.0, 45.0])
def test_lengths_that_are_slow_to_transform_give_the_same(cutoff, continuation):
    """1499 intervals are prime, 1500 are not; the plain transform of the prime length is the truth."""
    x = noisy(1500, 3)
    t = np.arange(1500)
    period = np.concatenate([t, t[-2:0:-1]])
    line = x[0] + (x[-1] - x[0]) * t[:, None] / 1499.0 if continuation is Continuation.ODD else np.zeros_like(x)
    sign = np.where(np.arange(2998) < 1500, 1.0, -1.0 if continuation is Continuation.ODD else 1.0)[:, None]
    spectrum = np.fft.fft(sign * (x - line)[period], axis=0)
    gain = low_pass_gain(np.abs(np.fft.fftfreq(2998, 0.01))[:, None], cutoff, 100.0)
    expected = line + np.fft.ifft(gain * spectrum, axis=0).real[:1500]
    assert_allclose(low_pass(x, 100.0, cutoff, continuation).values, expected, atol=1e-12 * np.abs(x).max())


def test_a_channel_without_a_cut_off_stays_as_it_is():
    x = noisy(200, 2)
    y = low_pass(x, 100.0, np.array([np.nan, 5.0]))
    assert_array_equal(y.values[:, 0], x[:, 0])
    assert y.untouched[:, 0].all()
    assert not y.untouched[:, 1].any()


def test_no_samples_no_channels_nothing_seen():
    assert low_pass(np.zeros((0, 3)), 100.0, 5.0).values.shape == (0, 3)
    assert low_pass(np.zeros((50, 0, 3)), 100.0, 5.0).values.shape == (50, 0, 3)
    assert np.isnan(low_pass(np.full((50, 2), np.nan), 100.0, 5.0).values).all()
    assert np.isnan(low_pass(np.array([1.0, np.inf] * 30), 100.0, 5.0).values[1])


@pytest.mark.parametrize("cutoff", [50.0, 80.0, 0.0, -1.0, np.inf])
def test_impossible_cut_offs_are_refused_in_a_sentence(cutoff):
    with pytest.raises(BiomecError, match=r"low-pass cut-off of .* Hz is not possible .* recorded at 100 Hz.* 50 Hz"):
        low_pass(np.zeros(200), 100.0, cutoff)


def test_cut_offs_that_do_not_fit_the_channels_are_refused():
    with pytest.raises(BiomecError, match=r"\(2,\).*\(3,\)"):
        low_pass(np.zeros((200, 3)), 100.0, [1.0, 2.0])
    with pytest.raises(BiomecError, match="positive rate"):
        low_pass(np.zeros((200, 3)), 0.0, 1.0)


def test_what_comes_out_cannot_be_written_to():
    y = low_pass(np.zeros((200, 3)), 100.0, 5.0)
    assert not y.values.flags.writeable
    assert not y.untouched.flags.writeable
