"""EMG against closed forms for sines and normal noise."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import signal

from biomec.base.errors import BiomecError
from biomec.recording import Analog
from biomec.signals.emg import EmgOptions, EmgReference, Envelope, moving_rms, notch, process_emg

RATE = 2000.0
MIDDLE = slice(1000, 3000)


def analog(*channels, rate=RATE):
    values = np.stack(channels, axis=1)
    names = tuple("ABCDEFG"[: values.shape[1]])
    return Analog(names, values, ("V",) * len(names), rate)


def carrier(frequency, frames=4000, rate=RATE):
    return np.sin(2.0 * np.pi * frequency * np.arange(frames) / rate)


def noise(frames, seed=0):
    return np.random.default_rng(seed).normal(size=frames)


def codes(result):
    return [notice.code for notice in result.notices]


def test_envelope_of_a_sine_is_two_over_pi_or_one_over_root_two_of_its_amplitude():
    """Offset and mains are outside the band or the notch; the carrier is in its middle, where the gain is 1."""
    x = 3.0 + 0.2 * carrier(110.0)
    low = process_emg(analog(x)).envelope.values[MIDDLE, 0]
    # gain at 110 Hz: (20/110)⁴·0.41 + (110/450)⁴·0.41 ~ 2e-3; the sampled |sin| ripples by less
    assert_allclose(low, 0.2 * 2.0 / np.pi, rtol=4e-3)
    rms = process_emg(analog(x), EmgOptions(envelope=Envelope.RMS, window_s=0.1)).envelope.values[MIDDLE, 0]
    assert_allclose(rms, 0.2 / np.sqrt(2.0), rtol=1e-2)  # 0.1 s is eleven periods


def test_envelope_of_bursts_of_noise_has_the_size_of_the_bursts():
    """|x| of normal noise has the mean σ√(2/π); band-passing white noise keeps the share of the band."""
    on = (np.arange(40_000) % 4000) < 2000
    x = np.where(on, 1.0, 0.1) * noise(40_000)
    done = process_emg(analog(x))
    f = np.linspace(0.0, 1000.0, 20_001)
    g = 1.0 / (1.0 + (np.tan(np.pi * f / RATE) / np.tan(np.pi * 450.0 / RATE)) ** 4 * (np.sqrt(2.0) - 1.0))
    sigma = np.sqrt(np.mean((g * (f > 20.0)) ** 2))
    inner = (np.arange(40_000) % 2000 > 500) & (np.arange(40_000) % 2000 < 1500)
    envelope = done.envelope.values[:, 0]
    # 10 bursts of 0.5 s, about 40 independent pieces a burst and 0.76 of the mean each: 0.76/√400 = 4 %
    assert envelope[on & inner].mean() == pytest.approx(sigma * np.sqrt(2.0 / np.pi), rel=0.08)
    assert envelope[~on & inner].mean() == pytest.approx(0.1 * sigma * np.sqrt(2.0 / np.pi), rel=0.08)
    assert (envelope >= 0.0).all()


def test_the_band_is_that_of_scipys_recursion_away_from_the_ends():
    x = noise(8000)
    factor = (np.sqrt(2.0) - 1.0) ** 0.25
    bend = lambda f, c: RATE / np.pi * np.arctan(np.tan(np.pi * f / RATE) * c)
    for cut, kind, c in ((20.0, "high", factor), (450.0, "low", 1.0 / factor)):
        x_ours = process_emg(analog(noise(8000))).filtered.values[:, 0]
        x = signal.sosfiltfilt(signal.butter(2, bend(cut, c), kind, fs=RATE, output="sos"), x, padlen=1000)
    assert_allclose(x_ours[1000:-1000], x[1000:-1000], atol=1e-9)


def test_the_notch_takes_the_mains_out_and_leaves_the_rest():
    frequencies = [50.0, 100.0, 50.0 * (1.0 + 0.5 / 30.0)]
    x = np.stack([carrier(f, 20_000) for f in frequencies], axis=1)
    y = notch(x, RATE, 50.0, 30.0)
    middle = slice(8000, 12_000)  # a narrow notch rings: exp(−π · 1.67 Hz · 4 s) = 1e-9
    assert np.abs(y[middle, 0]).max() < 1e-8
    assert_allclose(y[middle, 1], x[middle, 1], atol=2e-3)
    assert np.abs(y[middle, 2]).max() == pytest.approx(0.5, abs=0.02)  # the edge of the notch: −3 dB a pass
    b, a = signal.iirnotch(50.0, 30.0, fs=RATE)
    _, response = signal.freqz(b, a, [45.0, 49.0, 50.5, 60.0], fs=RATE)
    gains = [
        np.abs(notch(carrier(f, 40_000)[:, None], RATE, 50.0, 30.0)[15_000:25_000]).max()
        for f in (45.0, 49.0, 50.5, 60.0)
    ]
    assert_allclose(gains, np.abs(response) ** 2, atol=5e-3)  # the largest sample is not quite the peak


def test_moving_rms_against_a_loop():
    x = noise(60)[:, None].copy()
    x[20] = np.nan
    found = moving_rms(x, 100.0, 0.08)
    for i in range(60):
        first, stop = (0, 20) if i < 20 else (21, 60)
        window = x[max(first, i - 4) : min(stop, i + 5), 0]
        expected = np.nan if i == 20 else np.sqrt(np.mean(window**2))
        assert found[i, 0] == pytest.approx(expected, nan_ok=True, rel=1e-12)


def test_references():
    x, y = 0.2 * carrier(110.0), 0.6 * carrier(110.0)
    maximum = process_emg(analog(x, y), EmgOptions(reference=EmgReference.MAXIMUM))
    assert_allclose(maximum.envelope.values.max(axis=0), 1.0)
    assert maximum.reference[1] == pytest.approx(3.0 * maximum.reference[0])
    mean = process_emg(analog(x, y), EmgOptions(reference=EmgReference.MEAN))
    assert_allclose(mean.envelope.values.mean(axis=0), 1.0)
    mvc = process_emg(analog(x, y), EmgOptions(reference=EmgReference.MVC, mvc=(("A", 0.4),)))
    assert_allclose(mvc.envelope.values[MIDDLE, 0], 0.5 * 2.0 / np.pi, rtol=4e-3)
    assert np.isnan(mvc.envelope.values[:, 1]).all()
    assert mvc.notices[0].code == "no-reference"
    assert mvc.notices[0].about == ("B",)
    assert mvc.envelope.units == ("1", "1")
    plain = process_emg(analog(x, y))
    assert plain.envelope.units == ("V", "V")
    assert_array_equal(plain.reference, [1.0, 1.0])
    assert codes(plain) == []


def test_dead_clipped_and_slow_channels_are_told():
    x = noise(4000)
    done = process_emg(analog(x, np.clip(x, -5.0, 1.0), np.full(4000, 0.3), np.full(4000, np.nan)))
    assert codes(done) == ["clipped", "dead-channel", "dead-channel"]
    assert done.notices[0].about == ("B",)
    assert "clipped at 1 V" in done.notices[0].sentence
    assert [n.about for n in done.notices[1:]] == [("C",), ("D",)]
    slow = process_emg(analog(x, rate=500.0))
    assert codes(slow) == ["rate-too-low", "band-cut-short"]
    dead = process_emg(analog(np.zeros(4000)), EmgOptions(reference=EmgReference.MAXIMUM))
    assert np.isnan(dead.envelope.values).all()
    assert codes(dead) == ["dead-channel", "no-reference"]


def test_gaps_stay_gaps_and_splinters_are_left_out():
    x = noise(6000)
    x[2000:2100] = np.nan
    x[2150:2200] = np.nan  # leaves 25 ms
    done = process_emg(analog(x))
    assert_array_equal(np.isnan(done.envelope.values[:, 0]), (np.arange(6000) >= 2000) & (np.arange(6000) < 2200))
    assert codes(done) == ["stretch-too-short"]
    assert "50 samples" in done.notices[0].sentence


def test_impossible_options_are_refused():
    with pytest.raises(BiomecError, match="band"):
        EmgOptions(band_hz=(100.0, 20.0))
    with pytest.raises(BiomecError, match="band"):
        EmgOptions(band_hz=(20.0, np.inf))
    for number in (np.nan, np.inf, 0.0, -1.0):  # NaN went through, and the notice blamed gaps that were not there
        for name in ("envelope_cutoff_hz", "mains_hz", "mains_quality", "window_s"):
            with pytest.raises(BiomecError, match="it must be positive"):
                EmgOptions(**{name: number})
    with pytest.raises(BiomecError, match="maximal contraction"):
        EmgOptions(mvc=(("A", 0.0),))
    with pytest.raises(BiomecError, match="high-pass cut-off of 20 Hz"):
        process_emg(analog(noise(400), rate=30.0))
    with pytest.raises(BiomecError, match="notch of 60 Hz"):
        notch(noise(400)[:, None], 100.0, 60.0, 30.0)
