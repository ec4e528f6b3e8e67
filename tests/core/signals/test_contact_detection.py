from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from scipy.optimize import brentq

from biomec.base.errors import BiomecError
from biomec.recording import ForcePlate
from biomec.signals.contact_detection import (
    ContactOptions,
    contact_of,
    detect_contacts,
    plate_contacts,
    split_contact,
    switched,
)
from tests.core.signals.virtual_walk import UP, Walk


def plate_with(vertical, rate_hz=1000.0) -> ForcePlate:
    force = np.asarray(vertical, dtype=float)[:, None] * UP
    return ForcePlate("P", force, 0 * force, rate_hz, np.zeros(3), UP)


@given(arrays(float, st.integers(1, 60), elements=st.floats(0, 40) | st.just(np.nan)))
def test_the_switch_agrees_with_a_loop(signal):
    state, expected = False, []
    for value in signal:
        if np.isnan(value) or value < 10.0:
            state = False
        elif value > 20.0:
            state = True
        expected.append(state)
    assert switched(signal, 20.0, 10.0).tolist() == expected


def test_on_and_off_lie_where_the_force_crosses_the_thresholds():
    """Oracle: roots of the walker's own force law."""
    walk = Walk()
    for step, plate in zip(walk.plates_for, walk.plates(), strict=True):
        (contact,) = plate_contacts(plate)
        above = lambda t, step, level: walk.force(step, np.array([t]))[0, 2] - level
        on = brentq(above, walk.strike_s(step), walk.strike_s(step) + 0.1, args=(step, 20.0))
        off = brentq(above, walk.off_s(step) - 0.1, walk.off_s(step), args=(step, 10.0))
        # linear interpolation of a parabola-like rise between samples 1 ms apart: well below 0.1 ms
        assert contact.on_s == pytest.approx(on, abs=1e-4)
        assert contact.off_s == pytest.approx(off, abs=1e-4)


def test_peak_impulse_and_mean_centre_of_pressure_are_those_of_the_force_law():
    walk = Walk(plates_for=(1,))
    (contact,) = plate_contacts(walk.plates()[0])
    t = np.linspace(contact.on_s, contact.off_s, 200_001)
    f = walk.force(1, t)
    fine = np.trapezoid(f, t, axis=0)
    # the first and last millisecond are counted whole: at most 20 N × 1 ms
    assert_allclose(contact.impulse, fine, atol=0.02)
    assert contact.peak_n == pytest.approx(f[:, 2].max(), rel=1e-4)
    weighted = (f[:, 2:] * walk.cop(1, t)).sum(axis=0) / f[:, 2].sum()
    # samples between 10 and 20 N have no centre of pressure: their share of the weight is below 1e-3, of 0.1 m
    assert_allclose(contact.mean_cop, weighted, atol=1e-4)
    # the path from heel to toe is 0.2 m in 0.6 s; block means of 20 ms and the ends cost up to 0.02 s each
    assert contact.path_m == pytest.approx(0.2 * contact.duration_s / 0.6, abs=0.2 * 0.04 / 0.6)


def test_noise_about_the_threshold_makes_one_contact_not_many():
    rng = np.random.default_rng(0)
    ramp = np.concatenate([np.zeros(200), np.linspace(0, 60, 400), np.linspace(60, 0, 400), np.zeros(200)])
    noisy = plate_with(ramp + 2.0 * rng.normal(size=ramp.size))
    assert len(plate_contacts(noisy)) == 1
    bare = ContactOptions(hysteresis_n=0.0, minimum_s=0.0, join_gap_s=0.0)
    assert len(plate_contacts(noisy, bare)) > 1  # or the test above would prove nothing


def test_short_loadings_are_dropped_and_near_ones_joined():
    force = np.zeros(1000)
    force[100:120] = 500.0  # 20 ms: a tool fell
    force[300:500] = 500.0
    force[510:700] = 500.0  # after a gap of 10 ms
    (contact,) = plate_contacts(plate_with(force))
    assert (contact.first, contact.last) == (300, 699)


def test_contacts_cut_by_the_recording_say_so_and_are_never_too_short():
    force = np.full(1000, 500.0)
    force[400:980] = 0.0
    before, after = plate_contacts(plate_with(force))
    assert (before.starts_before, before.ends_after) == (True, False)
    assert (after.starts_before, after.ends_after) == (False, True)
    assert after.last - after.first + 1 == 20
    assert (before.on_s, after.off_s) == (0.0, 0.999)


def test_a_gap_in_the_samples_ends_a_contact():
    force = np.full(600, 500.0)
    force[300:330] = np.nan
    assert [(c.first, c.last) for c in plate_contacts(plate_with(force))] == [(0, 299), (330, 599)]


def test_no_load_no_contact():
    assert plate_contacts(plate_with(np.zeros(100))) == ()
    assert plate_contacts(plate_with(np.zeros(0))) == ()


def test_offset_removal_restores_the_times_of_contact():
    clean = detect_contacts(Walk(plates_for=(1,)).trial()).contacts[0]
    trial = Walk(plates_for=(1,), offset_n=30.0).trial()
    assert len(detect_contacts(trial).contacts) == 1
    assert detect_contacts(trial).contacts[0].duration_s > 2.9  # the offset alone looks like a contact
    (contact,) = detect_contacts(trial, ContactOptions(offset="remove")).contacts
    assert contact.on_s == pytest.approx(clean.on_s, abs=2e-4)
    assert contact.off_s == pytest.approx(clean.off_s, abs=2e-4)


def test_a_split_contact_loses_no_impulse():
    walk = Walk(plates_for=(1,))
    plate = walk.plates()[0]
    (contact,) = plate_contacts(plate)
    one, two = split_contact(plate, contact, 1.1, ContactOptions())
    assert_allclose(one.impulse + two.impulse, contact.impulse, rtol=1e-12)
    assert (one.on_s, two.off_s) == (contact.on_s, contact.off_s)
    assert one.off_s == two.on_s == pytest.approx(1.1)
    with pytest.raises(BiomecError, match=r"lasts from 0\.8"):
        split_contact(plate, contact, 0.2, ContactOptions())


def test_a_contact_of_too_little_force_has_no_centre_of_pressure():
    contact = contact_of(plate_with(np.full(100, 15.0)), 1, 0, 99, ContactOptions())
    assert np.isnan(contact.mean_cop).all()
    assert np.isnan(contact.cop).all()
    assert contact.path_m == 0.0


@pytest.mark.parametrize(
    "wrong", [{"hysteresis_n": 20.0}, {"hysteresis_n": -1.0}, {"minimum_s": -1.0}, {"offset": "perhaps"}]
)
def test_impossible_options_are_refused(wrong):
    with pytest.raises(BiomecError):
        ContactOptions(**wrong)


def test_the_clock_of_the_plate_is_kept():
    plate = replace(Walk(plates_for=(1,)).plates()[0], start_s=0.25)
    (early,), (late,) = plate_contacts(replace(plate, start_s=0.0)), plate_contacts(plate)
    assert late.on_s - early.on_s == pytest.approx(0.25)


def with_gap(first: int, stop: int) -> ForcePlate:
    """A stance from 0.1 to 0.8 s of which samples are missing."""
    vertical = np.zeros(1000)
    vertical[100:800] = 700.0
    vertical[first:stop] = np.nan
    return plate_with(vertical)


def test_samples_missing_in_mid_stance_do_not_end_it():
    """The user saw a foot off and a foot strike in the middle of a stance, and no notice."""
    one, two = plate_contacts(with_gap(400, 450))
    assert (one.starts_before, one.ends_after) == (False, True)
    assert (two.starts_before, two.ends_after) == (True, False)
    assert (one.last, two.first) == (399, 450)
    (whole,) = plate_contacts(with_gap(400, 410))  # 10 ms
    assert (whole.first, whole.last, whole.starts_before, whole.ends_after) == (100, 799, False, False)
    assert whole.impulse @ UP == pytest.approx(0.69 * 700.0)  # nothing is made up for what is missing


def test_a_short_part_beside_missing_samples_is_kept():
    one, _ = plate_contacts(with_gap(120, 300))
    assert (one.first, one.last) == (100, 119)  # 20 ms, and who knows how much more


def test_missing_samples_are_said():
    trial = replace(Walk().trial(), plates=(with_gap(400, 450),))
    (said,) = [n for n in detect_contacts(trial).notices if n.code == "plate-samples-missing"]
    assert "50 of 1000 samples are missing (0.400 to 0.449 s)" in said.sentence
    whole = replace(trial, plates=(with_gap(0, 0),))
    assert "plate-samples-missing" not in [n.code for n in detect_contacts(whole).notices]
