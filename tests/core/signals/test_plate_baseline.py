from dataclasses import replace

import pytest
from numpy.testing import assert_allclose

from biomec.signals.contact_detection import ContactOptions, detect_contacts
from biomec.signals.plate_baseline import plate_baseline, without_baseline
from tests.core.signals.virtual_walk import Walk, standing


def test_offset_drift_and_noise_of_an_unloaded_plate_are_recovered():
    walk = Walk(offset_n=8.0, drift_n_s=3.0, noise_n=1.5, plates_for=(1,))
    found = plate_baseline(walk.plates()[0])
    # 2.2 s of unloaded samples at 1000 Hz: standard error of the mean 0.03 N, of the drift over 3 s 0.13 N; allow 4×
    assert found.offset[2] == pytest.approx(8.0, abs=0.25)
    assert found.drift_n == pytest.approx(9.0, abs=0.5)
    assert found.noise_n == pytest.approx(1.5, rel=0.1)


def test_an_offset_above_the_threshold_is_still_found_because_the_plate_is_loaded_far_above_it():
    found = plate_baseline(Walk(offset_n=40.0, plates_for=(1,)).plates()[0])
    assert found.vertical_n == pytest.approx(40.0, abs=0.1)


def test_a_plate_that_is_always_stood_upon_has_no_baseline():
    assert plate_baseline(standing().plates[0]) is None


def test_a_plate_read_as_zero_has_a_baseline_of_zero():
    plate = Walk().plates()[0]
    found = plate_baseline(replace(plate, force=0 * plate.force, moment=0 * plate.moment))
    assert (found.vertical_n, found.drift_n, found.noise_n) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("drift", [False, True])
def test_removal_restores_the_clean_plate(drift):
    clean = Walk(plates_for=(1,)).plates()[0]
    dirty = Walk(plates_for=(1,), offset_n=8.0, drift_n_s=3.0 if drift else 0.0).plates()[0]
    restored = without_baseline(dirty, plate_baseline(dirty), drift=drift)
    # the foot's first and last newtons lie within the band of ±10 N and enter the fit unless 50 ms away from the rest
    assert_allclose(restored.force, clean.force, atol=0.15)


def test_offsets_and_their_removal_are_reported():
    trial = Walk(plates_for=(1,), offset_n=8.0, drift_n_s=3.0).trial()
    assert {n.code for n in detect_contacts(trial).notices} == {"plate-offset", "plate-drift"}
    (said,) = detect_contacts(trial, ContactOptions(offset="remove with drift")).notices
    assert said.code == "plate-offset-removed"
    assert "12.5 N" in said.sentence or "N vertical" in said.sentence
    assert detect_contacts(Walk().trial()).notices == ()
