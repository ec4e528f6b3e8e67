"""Singular spectrum analysis against a dense decomposition of the trajectory matrix, and signals with known truth."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.linalg import hankel
from scipy.optimize import brentq

from biomec.base.errors import BiomecError
from biomec.signals.derivatives import derivative
from biomec.signals.filters import low_pass
from biomec.signals.residual_analysis import residual_analysis
from biomec.signals.singular_spectrum import MARGIN, Components, SingularSpectrumOptions, singular_spectrum, threshold
from biomec.virtual.acquisition import record
from biomec.virtual.walking import walk

RATE = 100.0
OPTIONS = {
    "noise": SingularSpectrumOptions(),
    "energy": SingularSpectrumOptions(components=Components.ENERGY, energy=0.99),
    "number": SingularSpectrumOptions(0.2, Components.NUMBER, number=3),
}


def noisy(seconds=4.0, noise=0.002, seed=0, channels=3):
    """Movement of 0.7 to 3 Hz about a drift, and the same with noise: (T, C) each."""
    t = np.arange(round(seconds * RATE))[:, None] / RATE
    f = np.linspace(0.7, 3.0, channels)
    clean = 1.3 + 0.8 * t + 0.1 * np.sin(2.0 * np.pi * f * t + f) + 0.03 * np.sin(4.0 * np.pi * f * t)
    return clean, clean + np.random.default_rng(seed).normal(scale=noise, size=clean.shape)


def dense(x, window, kept):
    """The same by definition: decompose the whole trajectory matrix, and average its anti-diagonals one by one."""
    line = np.polyval(np.polyfit(np.arange(len(x)), x, 1), np.arange(len(x)))
    X = hankel((x - line)[:window], (x - line)[window - 1 :])
    u, s, vh = np.linalg.svd(X, full_matrices=False)
    r = kept(s, X.shape)
    Y = (u[:, :r] * s[:r]) @ vh[:r]
    means = [np.mean(np.diagonal(Y[::-1], k)) for k in range(1 - window, X.shape[1])]
    return line + np.array(means), u[:, :r]


def above_noise(s, shape):
    """Singular values over ω(β) times their median, ω from the exact median of the distribution of noise."""
    return int((s > np.sqrt(MARGIN) * exact_threshold(shape[0] / shape[1]) * np.median(s)).sum())


def exact_threshold(beta):
    """λ(β)/√μ(β): the optimal threshold for known noise over the median of the Marchenko-Pastur distribution."""
    lower, upper = (1.0 - np.sqrt(beta)) ** 2, (1.0 + np.sqrt(beta)) ** 2

    def density(t):
        return np.sqrt(max((upper - t) * (t - lower), 0.0)) / (2.0 * np.pi * beta * t)

    median = brentq(lambda m: quad(density, lower, m)[0] - 0.5, lower + 1e-9, upper)
    known = np.sqrt(2.0 * (beta + 1.0) + 8.0 * beta / (beta + 1.0 + np.sqrt(beta**2 + 14.0 * beta + 1.0)))
    return known / np.sqrt(median)


@pytest.mark.parametrize("rule", OPTIONS)
def test_equals_the_decomposition_of_the_dense_trajectory_matrix(rule):
    _, x = noisy()
    options = OPTIONS[rule]
    kept = {
        "noise": above_noise,
        "energy": lambda s, _: int(np.argmax(np.cumsum(s**2) >= 0.99 * np.sum(s**2))) + 1,
        "number": lambda s, _: 3,
    }[rule]
    done = singular_spectrum(x, RATE, options)
    for c in range(x.shape[1]):
        y, u = dense(x[:, c], options.window(RATE), kept)
        assert done.components[c] == u.shape[1]
        assert_allclose(done.values[:, c], y, atol=1e-11)
        gain = np.square(np.abs(np.fft.rfft(u, 8192, axis=0))).sum(axis=1) / len(u)
        last = np.interp(-np.sqrt(0.5), *_last_fall(gain))
        assert done.cutoff_hz[c] == pytest.approx(last * RATE / 8192, abs=0.02)
    assert not done.untouched.any()


def _last_fall(gain):
    """Negated gain, rising, and places, about where it last falls below 1/√2."""
    k = np.flatnonzero(gain >= np.sqrt(0.5))[-1]
    return -gain[k : k + 2], [k, k + 1]


@pytest.mark.parametrize("beta", [0.02, 0.1, 0.3, 0.7, 1.0])
def test_the_threshold_is_that_of_the_distribution_of_noise(beta):
    assert threshold(beta) == pytest.approx(exact_threshold(beta), abs=0.02)  # the source's own claim


def test_sinusoids_come_out_exactly_up_to_the_ends():
    t = np.arange(300) / RATE
    x = 2.0 - 1.5 * t + 0.1 * np.sin(2.0 * np.pi * 1.3 * t) + 0.04 * np.cos(2.0 * np.pi * 4.1 * t + 0.3)
    for options in (SingularSpectrumOptions(), SingularSpectrumOptions(0.3, Components.NUMBER, number=6)):
        done = singular_spectrum(x, RATE, options)
        assert done.components == 6  # two a sinusoid, and two for the line
        assert_allclose(done.values, x, atol=1e-12)


# Errors in docs/signals.md, 1 mm of noise on a virtual walk: position [mm], near the ends [mm], acceleration [m/s²].
PUBLISHED = {
    "measured": (1.00, 1.01, 24.4),
    "residual": (0.54, 0.88, 0.91),
    "spectrum": (0.38, 0.63, 0.80),
    "energy": (0.90, 0.96, 21.1),
}


def test_is_nearer_to_the_true_walk_than_residual_analysis_in_position_at_the_ends_and_in_acceleration():
    clean = record(walk(2)).dynamic.markers.p_WM
    x = clean + np.random.default_rng(0).normal(scale=0.001, size=clean.shape)
    by_energy = SingularSpectrumOptions(0.1, Components.ENERGY)
    filtered = {
        "measured": x,
        "residual": low_pass(x, RATE, residual_analysis(x, RATE).cutoff_hz).values,
        "spectrum": singular_spectrum(x, RATE).values,
        "energy": singular_spectrum(x, RATE, by_energy).values,
    }
    middle, ends = slice(50, -50), np.r_[:5, -5:0]
    found = {}
    for name, y in filtered.items():
        error = y - clean
        second = derivative(error, RATE, 2)[middle]
        found[name] = (1e3 * rms(error[middle]), 1e3 * rms(error[ends]), rms(second))
        assert_allclose(found[name], PUBLISHED[name], rtol=0.02)
    assert (np.array(found["spectrum"]) < found["residual"]).all()


def rms(x):
    return np.sqrt(np.mean(x**2))


def test_origin_and_speed_of_the_laboratory_do_not_matter():
    _, x = noisy()
    t = np.arange(len(x))[:, None] / RATE
    moved = singular_spectrum(x + 25.0 - 3.0 * t, RATE)
    still = singular_spectrum(x, RATE)
    assert_allclose(moved.values - 25.0 + 3.0 * t, still.values, atol=1e-11)
    assert_array_equal(moved.components, still.components)


def test_turning_the_laboratory_turns_the_result_where_components_are_shared():
    _, x = noisy()
    R = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    turned = singular_spectrum(x @ R.T, RATE, shared=True)
    assert_allclose(turned.values, singular_spectrum(x, RATE, shared=True).values @ R.T, atol=1e-11)
    assert len(set(turned.cutoff_hz)) == 1


def test_time_runs_either_way():
    _, x = noisy()
    assert_allclose(singular_spectrum(x[::-1], RATE).values[::-1], singular_spectrum(x, RATE).values, atol=1e-11)


def test_gaps_are_not_bridged_and_short_stretches_stay_as_they_are():
    _, x = noisy(channels=2)
    x[150:170, 0] = np.nan
    x[200:210, 0] = np.inf  # leaves 30 frames, half of two windows
    done = singular_spectrum(x, RATE)
    assert_array_equal(np.isfinite(done.values), np.isfinite(x))
    assert_array_equal(done.values[170:200, 0], x[170:200, 0])
    expected = np.zeros(x.shape, dtype=bool)
    expected[170:200, 0] = True
    assert_array_equal(done.untouched, expected)
    assert_array_equal(done.values[:, 1], singular_spectrum(x[:, 1], RATE).values)
    x[170:200, 0] = 1e6  # whatever stands between the gaps has no part in the rest
    assert_array_equal(singular_spectrum(x, RATE).values[:150, 0], done.values[:150, 0])


def test_what_cannot_be_filtered_stays_and_has_no_cut_off():
    constant, short = np.full(200, 0.7), np.random.default_rng(0).normal(size=20)
    everything = SingularSpectrumOptions(0.1, Components.NUMBER, number=99)
    for x, options in ((constant, OPTIONS["noise"]), (short, OPTIONS["noise"]), (short, everything)):
        done = singular_spectrum(x, RATE, options)
        assert_array_equal(done.values, x)
        assert np.isnan(done.cutoff_hz)
    assert singular_spectrum(np.empty((0, 4, 3)), RATE, shared=True).values.shape == (0, 4, 3)
    assert np.isnan(singular_spectrum(np.full((80, 2), np.nan), RATE).values).all()


def test_noise_alone_leaves_a_line_and_a_cut_off_that_others_can_use():
    x = np.random.default_rng(5).normal(scale=0.001, size=400)
    done = singular_spectrum(x, RATE)
    assert done.components == 0
    assert_allclose(np.diff(done.values, 2), 0.0, atol=1e-15)
    assert 0.0 < done.cutoff_hz <= RATE / len(x)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [({"window_s": 0.0}, "window of 0 s"), ({"energy": 1.2}, "120 %"), ({"number": 0}, "at least one")],
)
def test_impossible_options_are_refused(wrong, sentence):
    with pytest.raises(BiomecError, match=sentence):
        SingularSpectrumOptions(**wrong)
