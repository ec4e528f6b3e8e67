"""Markers that leap onto each other's path: found with their frames, and not found in fast clean movement."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biomec.recording import Markers
from biomec.signals.label_leaps import LeapOptions, exchanged_paths

RATE = 100.0
FRAMES = 300


def swinging(hz=1.0, amplitude_m=0.3, noise_m=0.001, seed=0, beside_m=0.0):
    """Four markers on a pendulum, one 60 mm behind the other on the same path, or on paths beside each other."""
    t = np.arange(FRAMES) / RATE
    phase = 2.0 * np.pi * hz * t[:, None] - np.arange(4) * 0.06 / amplitude_m
    p = amplitude_m * np.stack([np.sin(phase), np.cos(phase) ** 2, np.zeros_like(phase)], axis=2)
    p[..., 2] += beside_m * np.arange(4)
    return p + np.random.default_rng(seed).normal(scale=noise_m, size=p.shape)


def markers(p):
    return Markers(tuple("ABCD"[: p.shape[1]]), p, RATE)


def exchanged(p, a, b, first, last):
    p = p.copy()
    p[first : last + 1, [a, b]] = p[first : last + 1, [b, a]]
    return p


def found(p, options=LeapOptions()):
    return [(one.pair, one.first, one.last) for one in exchanged_paths(markers(p), options)]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("hz", [0.2, 1.0, 3.0, 5.0])  # 5 Hz: up to 9 m/s and 300 m/s², a racket or a bat
def test_fast_clean_movement_holds_no_leaps(hz, seed):
    """Each marker comes where the next one was a moment ago; that is not an exchange."""
    assert found(swinging(hz, seed=seed)) == []
    assert found(swinging(hz, noise_m=0.003, seed=seed)) == []


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 200), st.integers(1, 90), st.integers(0, 3), st.integers(1, 3), st.integers(0, 99))
def test_an_exchange_is_found_with_its_frames(first, length, a, shift, seed):
    pair = tuple(sorted((a, (a + shift) % 4)))
    assert found(exchanged(swinging(seed=seed, beside_m=0.04), *pair, first, first + length - 1)) == [
        (pair, first, first + length - 1)
    ]


def test_the_sizes_are_those_of_the_leap():
    """Two markers at rest, 60 mm apart: each leaps 60 mm, and lands exactly on the other's path."""
    p = np.zeros((FRAMES, 2, 3))
    p[:, 1, 0] = 0.06
    (one,) = exchanged_paths(markers(exchanged(p, 0, 1, 100, 120)))
    assert one.own_m == pytest.approx(0.06)
    assert one.other_m == 0.0
    assert exchanged_paths(markers(exchanged(p, 0, 1, 100, 120)), LeapOptions(leap_m=0.07)) == ()


def test_two_pairs_at_once_and_one_pair_twice():
    p = swinging()
    assert found(exchanged(exchanged(p, 0, 1, 50, 80), 2, 3, 50, 120)) == [((0, 1), 50, 80), ((2, 3), 50, 120)]
    assert found(exchanged(exchanged(p, 0, 2, 50, 80), 0, 2, 82, 90)) == [((0, 2), 50, 80), ((0, 2), 82, 90)]


def test_a_single_leap_blames_the_shorter_side():
    assert found(exchanged(swinging(), 0, 2, 200, FRAMES - 1)) == [((0, 2), 200, FRAMES - 1)]
    assert found(exchanged(swinging(), 0, 2, 100, FRAMES - 1)) == [((0, 2), 0, 99)]


def test_an_exchange_behind_a_short_gap_is_found_and_none_is_guessed_behind_a_long_one():
    for length, expected in ((5, [((0, 2), 105, 149)]), (30, [])):
        p = exchanged(swinging(0.5), 0, 2, 100 + length, 149)
        p[100 : 100 + length, [0, 2]] = np.nan
        p[150:180, [0, 2]] = np.nan if length == 30 else p[150:180, [0, 2]]
        assert found(p) == expected


@pytest.mark.parametrize("frames", [0, 1, 2, 3])
def test_recordings_of_a_few_frames(frames):
    assert found(swinging()[:frames]) == []
    assert found(np.full((frames, 2, 3), np.nan)) == []
    assert found(np.zeros((frames, 0, 3))) == []
