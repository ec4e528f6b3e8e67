from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from biomec.recording import ForcePlate
from biomec.signals.contact_detection import plate_contacts
from biomec.signals.plate_resampling import contact_at_frames, plate_at_frames
from tests.core.signals.virtual_walk import UP, Walk


def plate_of(force, rate_hz, start_s=0.0) -> ForcePlate:
    force = np.asarray(force, dtype=float)
    moment = np.stack([0.1 * force[:, 2], -0.2 * force[:, 2], 0 * force[:, 2]], axis=1)
    return ForcePlate("P", force, moment, rate_hz, np.zeros(3), UP, start_s=start_s)


@given(
    seed=st.integers(0, 10**6),
    plate_rate=st.sampled_from([100.0, 500.0, 600.0, 1000.0, 1080.0, 960.0]),
    rate=st.sampled_from([50.0, 60.0, 100.0]),
    start=st.floats(0.0, 0.4),
)
def test_the_impulse_is_kept_for_any_two_rates(seed, plate_rate, rate, start):
    rng = np.random.default_rng(seed)
    plate = plate_of(rng.normal(size=(round(plate_rate), 3)) * [50, 50, 500], plate_rate, start_s=start)
    frames = int((start + 1.0) * rate) + 3  # the last interval ends after the last sample
    start_covered = start - 0.5 / plate_rate >= -0.5 / rate
    found = plate_at_frames(plate, rate, frames)
    total = np.nansum(found.force * found.covered[:, None], axis=0) / rate
    if start_covered:
        assert_allclose(total, plate.force.sum(axis=0) / plate_rate, rtol=0, atol=1e-9 * 500)


def test_a_contact_keeps_its_impulse_and_the_moment_of_it():
    plate = Walk().plates()[1]
    (contact,) = plate_contacts(plate)
    for rate in (50.0, 100.0, 240.0):
        found = contact_at_frames(plate, contact, rate, int(3.0 * rate))
        part = slice(contact.first, contact.last + 1)
        assert_allclose(found.force.sum(axis=0) / rate, contact.impulse, rtol=1e-10)
        assert_allclose(found.moment.sum(axis=0) / rate, plate.moment[part].sum(axis=0) / 1000.0, rtol=1e-9, atol=1e-12)


def test_equal_rates_change_nothing():
    force = np.random.default_rng(0).normal(size=(50, 3))
    plate = plate_of(force, 100.0)
    found = plate_at_frames(plate, 100.0, 50)
    assert_allclose(found.force, force, atol=1e-12)
    assert_allclose(found.covered, 1.0)


def test_nothing_is_delayed():
    """A straight line stays the same line: the mean over a centred interval is its middle value."""
    t = np.arange(1000) / 1000.0
    plate = plate_of(np.stack([0 * t, 0 * t, 100 + 50 * t], axis=1), 1000.0)
    found = plate_at_frames(plate, 100.0, 100)
    # samples sit in the middle of their own millisecond; a block of ten of them is centred to within that
    assert_allclose(found.force[1:-1, 2], 100 + 50 * np.arange(1, 99) / 100.0, atol=50 * 1e-9)


@pytest.mark.parametrize("frequency", [10.0, 40.0, 90.0, 100.0, 230.0])
def test_what_is_faster_than_the_cameras_is_damped_as_a_mean_must(frequency):
    """Oracle: ten intervals of 1 ms, the outer two by half, sum a cosine to sin(5θ) / (10 tan(θ/2)), θ = 2πf/rate."""
    t = np.arange(-500, 1500) / 1000.0
    wave = np.cos(2 * np.pi * frequency * t)
    plate = plate_of(np.stack([0 * t, 0 * t, wave], axis=1), 1000.0, start_s=-0.5)
    found = plate_at_frames(plate, 100.0, 100).force[:, 2]
    theta = 2 * np.pi * frequency / 1000.0
    gain = np.sin(5 * theta) / (10 * np.tan(theta / 2))
    assert_allclose(found, gain * np.cos(2 * np.pi * frequency * np.arange(100) / 100.0), atol=1e-9)
    assert gain == pytest.approx(np.sinc(frequency / 100.0), abs=0.05)  # the mean over 1/r, as documented


def test_taking_every_tenth_sample_would_fold_mains_hum_into_the_frames_and_the_mean_does_not():
    t = np.arange(2000) / 1000.0
    hum = 20.0 * np.cos(2 * np.pi * 100.0 * t)  # twice the mains, seen as a constant by every tenth sample
    plate = plate_of(np.stack([0 * t, 0 * t, 500 + hum], axis=1), 1000.0)
    assert plate.vertical[::10].mean() == pytest.approx(520.0)
    assert plate_at_frames(plate, 100.0, 200).force[1:-1, 2].mean() == pytest.approx(500.0, abs=0.01)


def test_the_centre_of_pressure_is_weighted_by_force_and_undefined_without_load():
    plate = Walk().plates()[1]
    found = plate_at_frames(plate, 100.0, 300)
    cop = found.centre_of_pressure(plate, 20.0)
    raw = plate.centre_of_pressure(0.0)
    # frame 110 covers samples 1095 (half) to 1105 (half)
    weight = np.r_[0.5, np.ones(9), 0.5] * plate.vertical[1095:1106]
    assert_allclose(cop[110], (weight[:, None] * raw[1095:1106]).sum(axis=0) / weight.sum(), atol=1e-12)
    assert np.isnan(cop[10]).all()


def test_frames_outside_the_samples_are_missing():
    plate = plate_of(np.ones((500, 3)), 1000.0, start_s=0.25)
    found = plate_at_frames(plate, 100.0, 100)
    assert np.isnan(found.force[:25]).all()
    assert np.isnan(found.force[76:]).all()
    assert_allclose(found.force[26:74], 1.0)


def test_a_plate_slower_than_the_cameras_is_interpolated():
    t = np.arange(100) / 100.0
    plate = plate_of(np.stack([t, t, 100 * t], axis=1), 100.0)
    found = plate_at_frames(plate, 200.0, 199)
    assert_allclose(found.force[:, 2], 100 * np.arange(199) / 200.0, atol=1e-12)


def test_missing_samples_do_not_pull_the_mean_to_zero():
    force = np.full((1000, 3), 10.0)
    force[200:205] = np.nan
    found = plate_at_frames(plate_of(force, 1000.0), 100.0, 100)
    assert_allclose(found.force, 10.0)
    assert found.covered[20] == pytest.approx(0.5)


@pytest.mark.parametrize("ratio", [1.0, 5.0, 10.0, 16.0])
def test_frames_do_not_depend_on_the_rate_of_the_plate(ratio):
    """The walker's force law is smooth: any plate gives the frames nearly the same force."""
    slow = replace(Walk(), plate_rate_hz=100.0 * ratio).plates()[0]
    found = plate_at_frames(slow, 100.0, 300).force[5:-5, 2]
    walk, t = Walk(), np.arange(300)[5:-5] / 100.0
    # mean over 10 ms against the value: f'' h²/24 with f'' < 700 N (2π/0.2 s)² /2 gives 1.5 N; kinks at strike and off
    assert_allclose(found, walk.force(0, t)[:, 2], atol=3.0)


def test_a_recording_that_begins_and_ends_in_contact_is_not_lighter_there():
    """Half of the first frame's interval lies before the first sample."""
    plate = plate_of(np.tile([0.0, 0.0, 600.0], (1000, 1)), 1000.0)
    (contact,) = plate_contacts(plate)
    found = contact_at_frames(plate, contact, 100.0, 100)
    assert_allclose(found.force[:, 2], 600.0, rtol=1e-12)
    assert_allclose(found.covered, 1.0)
