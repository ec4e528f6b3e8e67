from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError
from biomec.body.kinematics.consistency_options import ConsistencyOptions
from biomec.body.kinematics.contact_points import contact_points, model_contacts, switched
from biomec.recording import ForcePlate, LabAxes, Markers, Source, Trial
from biomec.signals.contact_detection import detect_contacts
from biomec.signals.contacts import assign_contacts

FRAMES, RATE, PLATE_RATE = 200, 100.0, 1000.0
UP = np.array([0.0, 1.0, 0.0])
SEGMENTS = ("thorax", "right hand", "left hand", "right foot", "left foot")


def plate(name, vertical, cop):
    force = np.stack([0.1 * vertical, vertical, -0.05 * vertical], axis=1)
    return ForcePlate.from_centre_of_pressure(name, force, cop, np.zeros_like(force), PLATE_RATE, UP)


def hump(peak=300.0, begin=0.5, end=1.5):
    """Vertical force and its centre, which walks 10 cm forward at 5 cm/s."""
    t = np.arange(int(FRAMES * PLATE_RATE / RATE)) / PLATE_RATE
    vertical = peak * np.sin(np.pi * np.clip((t - begin) / (end - begin), 0.0, 1.0)) ** 2
    cop = np.stack([0.4 + 0.05 * t, np.zeros_like(t), np.full_like(t, 0.2)], axis=1)
    return vertical, cop


def assigned(*plates):
    trial = Trial(Source("made.c3d", "C3D", "0", 0), Markers.none(FRAMES, RATE), LabAxes(), plates=plates)
    return assign_contacts(trial, detect_contacts(trial), dict.fromkeys(SEGMENTS, ()))


def found(assignment, plates=(), segments=SEGMENTS, contacts="threshold", **options):
    settings = ConsistencyOptions(contacts=contacts, **options)
    return contact_points(model_contacts(assignment, plates, segments), plates, FRAMES, RATE, settings)


@given(
    st.lists(st.floats(0.0, 40.0), min_size=1, max_size=60),
    st.floats(5.0, 30.0),
    st.floats(0.0, 0.99),
)
def test_the_switch_is_that_of_a_frame_by_frame_machine(load, threshold, part):
    on, state = [], False
    for value in load:
        state = value > threshold or (state and value >= threshold - part * threshold)
        on.append(state)
    assert switched(np.array(load), threshold, part * threshold).tolist() == on


def test_a_plate_named_in_portuguese_holds_the_hand_of_the_model_where_its_force_acts():
    vertical, cop = hump()
    points = found(assigned(plate("Mao_D", vertical, cop)))
    assert points.segments == ("right hand",)
    at_frames = vertical[:: int(PLATE_RATE / RATE)]
    assert points.active[at_frames > 25.0, 0].all()
    assert not points.active[at_frames < 5.0].any()
    sure = at_frames > 25.0
    # the centre is the force-weighted mean over 10 ms: it walks 0.5 mm in that time
    assert_allclose(points.cop[sure, 0], cop[:: int(PLATE_RATE / RATE)][sure], atol=5e-4)
    assert np.isnan(points.cop[~points.active[:, 0], 0]).all()
    assert_allclose(points.load[sure, 0], at_frames[sure], atol=0.2)  # f″/24 · (10 ms)², f″ = 300·2π²
    assert (points.load[at_frames == 0.0] == 0.0).all()
    assert points.places["right hand"].shape == (FRAMES, 3)
    assert any("right hand is held by the ground once" in str(notice) for notice in points.notices)


def test_thresholds_move_the_ends_and_hysteresis_keeps_a_dip():
    vertical, cop = hump()
    time = np.arange(len(vertical)) / PLATE_RATE
    dip = np.where(np.abs(time - 1.0) < 0.06, 60.0, vertical)
    assignment = assigned(plate("Pe_E", dip, cop))
    through = found(assignment, threshold_n=100.0, hysteresis_n=50.0)
    cut = found(assignment, threshold_n=100.0, hysteresis_n=30.0)
    assert through.segments == ("left foot",)
    assert through.active[100, 0]
    assert not cut.active[100, 0]
    low, high = found(assignment, threshold_n=20.0), found(assignment, threshold_n=200.0, hysteresis_n=10.0)
    assert high.active.sum() < low.active.sum()


def test_always_holds_every_frame_of_the_contact_and_tells_where_there_is_none():
    vertical, cop = hump()
    assignment = assigned(plate("Pe_D", vertical, cop))
    always, threshold = (found(assignment, contacts=kind, threshold_n=150.0) for kind in ("always", "threshold"))
    assert (always.active | ~threshold.active).all()
    assert always.active.sum() > threshold.active.sum()
    (notice,) = [notice for notice in always.notices if notice.code == "contact-not-always"]
    assert "right foot" in notice.sentence


def test_never_holds_nothing_and_missing_assignments_are_told():
    vertical, cop = hump()
    one = plate("Pe_D", vertical, cop)
    assert found(assigned(one), contacts="never").segments == ()
    unknown = found(None, plates=(one,))
    assert unknown.active.shape == (FRAMES, 0)
    assert "Pe_D" in unknown.notices[0].sentence
    assert found(None).notices == ()


def test_a_contact_of_a_segment_that_the_model_lacks_holds_nothing():
    vertical, cop = hump()
    points = found(assigned(plate("Mao_D", vertical, cop)), segments=("thorax", "right foot"))
    assert points.segments == ()
    assert points.notices[0].code == "contact-outside-model"


def test_filtered_plates_take_the_place_of_the_measured_ones():
    vertical, cop = hump()
    measured = plate("Mao_D", vertical, cop)
    assignment = assigned(measured)
    moved = replace(measured, moment=measured.moment + np.cross([0.0, 0.0, 0.01], measured.force))
    shift = found(assignment, plates=(moved,)).cop - found(assignment).cop
    assert_allclose(shift[100, 0], [0.0, 0.0, 0.01], atol=1e-9)  # a force moved by 1 cm: so is its centre
    with pytest.raises(BiomecError, match="Mao_D has 1000 samples"):
        found(assignment, plates=(replace(measured, force=measured.force[:1000], moment=measured.moment[:1000]),))


def test_contacts_of_another_trial_are_refused():
    vertical, cop = hump()
    with pytest.raises(BiomecError, match="200 frames at 100 Hz"):
        contact_points(model_contacts(assigned(plate("Mao_D", vertical, cop)), (), SEGMENTS), (), 150, RATE)


@pytest.mark.parametrize(
    "wrong", [{"contacts": "sometimes"}, {"threshold_n": 5.0}, {"method": "guess"}, {"metric": "x"}]
)
def test_options_that_mean_nothing_are_refused(wrong):
    with pytest.raises(BiomecError):
        ConsistencyOptions(**wrong)


def test_only_contacts_that_last_are_held_unless_the_user_wants_it_otherwise():
    """Held and free frames of a walk differ: its pelvis jumped by 6.6 mm at every strike, its accelerations peaked."""
    vertical, cop = hump()
    steady = plate("Mao_D", np.full_like(vertical, 200.0), cop)
    passing = plate("Mao_E", vertical, cop)
    points = found(assigned(steady, passing), contacts="steady")
    assert points.segments == ("right hand",)
    assert points.active.all()
    assert [n.code for n in points.notices if n.about == ("left hand",)] == ["contact-passing"]
    switching = found(assigned(steady, passing), contacts="threshold")
    assert set(switching.segments) == {"right hand", "left hand"}
    assert [n.about for n in switching.notices if n.code == "contact-jumps"] == [("left hand",)]
