from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biomec.base.notices import Severity
from biomec.recording import LabAxes
from biomec.signals.contact_detection import ContactOptions, detect_contacts
from biomec.signals.contacts import assign, assign_contacts
from biomec.signals.plate_quality import PlateQuality, check_plates
from tests.core.signals.gait_recordings import (
    OPENSIM_SEGMENTS,
    PIG_SEGMENTS,
    opensim_trial,
    pig_trial,
)
from tests.core.signals.virtual_walk import SEGMENTS, Walk, standing


def checked(trial, segments=SEGMENTS, options=ContactOptions()) -> PlateQuality:
    return check_plates(trial, assign_contacts(trial, detect_contacts(trial, options), segments))


def codes(quality) -> list[str]:
    return [notice.code for notice in quality.notices]


def with_plate(trial, **changes):
    return replace(trial, plates=(replace(trial.plates[0], **changes), *trial.plates[1:]))


def test_clean_steps_give_no_notice():
    quality = checked(Walk(plates_for=(0, 1), noise_n=0.5).trial())
    assert quality.notices == ()
    assert all(c.trusted for c in quality.contacts)
    # the plate is 0.5 m long, its middle 0.1 m before the heel; the force moves from the heel to 0.2 m before it, and
    # 0.01 m outwards on a plate 0.3 m wide: the long edge is 0.14 m away, the short one never nearer than 0.15 m
    assert np.nanmin(quality.contacts[0].edge_m) == pytest.approx(0.14, abs=0.01)
    assert quality.contacts[0].reach_m["RHEE"] == pytest.approx(-0.15, abs=1e-6)


def test_a_foot_that_overhangs_is_evidence_not_a_fault():
    """Beyond the edge of a stair there is no floor: whether force is missing shows only beside the motion."""
    walk = Walk(plates_for=(0,), plate_shift={0: (0.0, -0.28)})  # the toe marker lies 3 cm beyond the edge
    quality = checked(walk.trial())
    assert "foot-overhangs" in codes(quality)
    contact = quality.contacts[0]
    assert contact.reach_m["RTOE"] == pytest.approx(0.2 - (0.1 - 0.28 + 0.25), abs=1e-6)
    assert not contact.trusted
    notice = next(n for n in quality.notices if n.code == "foot-overhangs")
    assert notice.severity is Severity.INFO
    assert notice.about == ("Plate 1", "Pe_D")
    assert "RTOE" in notice.sentence
    assert f"{contact.reach_m['RTOE'] * 100:.1f} cm" in notice.sentence
    assert notice.frames == pytest.approx((walk.strike_s(0) * 100, walk.off_s(0) * 100), abs=2)


def test_a_force_outside_its_plate_is_reported_with_how_far():
    trial = Walk(plates_for=(0,)).trial()
    shifted = with_plate(trial, corners=trial.plates[0].corners + np.array([0.0, 0.4, 0.0]))
    quality = checked(shifted)
    notice = next(n for n in quality.notices if n.code == "force-outside-plate")
    assert notice.severity is Severity.PROBLEM
    # the rear edge now lies 0.25 m before the heel's force at strike; the threshold lets the force move on a little
    assert "25." in notice.sentence or "24." in notice.sentence
    assert quality.contacts[0].outside > 0.9


def test_a_force_close_to_the_edge_is_a_remark():
    walk = Walk(plates_for=(0,), plate_shift={0: (0.153, 0.0)})  # the force runs 7 mm inside the left edge
    quality = checked(walk.trial())
    assert "force-near-edge" in codes(quality)
    assert "force-outside-plate" not in codes(quality)
    assert quality.contacts[0].near_edge == pytest.approx(1.0)


def test_two_feet_on_one_plate_are_a_problem_even_if_one_is_given_the_force():
    trial = standing()
    assignment = assign_contacts(trial, detect_contacts(trial), SEGMENTS)
    for result in (assignment, assign(assignment, "Plate 1", 1, "Pe_D")):
        notice = next(n for n in check_plates(trial, result).notices if n.code == "two-on-one-plate")
        assert notice.severity is Severity.PROBLEM
        assert notice.about == ("Plate 1", "Pe_D", "Pe_E")
        assert notice.frames == (0, 199)


def test_a_wrong_sign_is_told_from_a_pull():
    trial = Walk(plates_for=(0,)).trial()
    plate = trial.plates[0]
    wrong = with_plate(trial, force=-plate.force, moment=-plate.moment)
    assert codes(checked(wrong)) == ["plate-sign"]
    pulled = plate.force.copy()
    pulled[2000:2200, 2] = -60.0 + 2.0 * np.cos(np.arange(200.0))
    quality = checked(with_plate(trial, force=pulled))
    assert codes(quality) == ["plate-pulled"]
    assert quality.notices[0].frames == (200, 220)
    assert "-62 N" in quality.notices[0].sentence


def test_a_clipped_channel_is_found_with_its_name_and_duration():
    trial = Walk(plates_for=(0,), noise_n=0.5).trial()
    force = trial.plates[0].force.copy()
    over = force[:, 2] > 600.0
    force[over, 2] = 600.0
    quality = checked(with_plate(trial, force=force))
    notice = next(n for n in quality.notices if n.code == "plate-clipped")
    first, last = np.flatnonzero(over)[[0, -1]]
    assert "Fz" in notice.sentence
    assert "Fx" not in notice.sentence
    assert notice.frames == pytest.approx((first / 10, last / 10), abs=1)


def test_clipping_is_still_seen_when_a_drift_is_removed():
    trial = Walk(plates_for=(0,), noise_n=0.5, drift_n_s=4.0).trial()
    force = np.minimum(trial.plates[0].force, 600.0)
    assert "plate-clipped" in codes(
        checked(with_plate(trial, force=force), options=ContactOptions(offset="remove with drift"))
    )


def test_a_quiet_signal_of_a_coarse_converter_is_not_clipped():
    """Standing still, a converter of 1 N steps repeats its largest value for long; nothing was lost."""
    trial = standing()
    force = np.zeros((2000, 3))
    force[:, 2] = np.round(588.0 + 1.4 * np.sin(np.arange(2000) / 50.0))
    assert np.count_nonzero(force[:, 2] == force[:, 2].max()) > 100
    assert "plate-clipped" not in codes(checked(with_plate(trial, force=force)))


def test_plates_without_corners_say_so_once():
    trial = Walk(plates_for=(0, 1)).trial()
    bare = replace(trial, plates=tuple(replace(p, corners=None) for p in trial.plates))
    quality = checked(bare)
    assert codes(quality) == ["plate-without-corners"] * 2
    assert np.isnan(quality.contacts[0].edge_m).all()


@settings(deadline=None, max_examples=10)
@given(up=st.sampled_from(["+x", "-y", "+y", "-z", "+z"]), corner=st.permutations([0, 1, 2, 3]))
def test_checks_do_not_depend_on_the_laboratory_or_the_order_of_corners(up, corner):
    walk = Walk(plates_for=(0,), plate_shift={0: (0.0, -0.28)})
    trial = walk.trial()
    trial = with_plate(trial, corners=trial.plates[0].corners[list(corner)])
    plain, turned = checked(walk.trial()), checked(trial.turned(LabAxes(up, "+z" if up[1] != "z" else "+x")))
    assert codes(turned) == codes(plain)
    assert turned.contacts[0].reach_m == pytest.approx(plain.contacts[0].reach_m, abs=1e-9)


def test_the_real_static_is_flagged_and_the_real_walk_is_clean():
    static, walk = (checked(pig_trial(name), PIG_SEGMENTS) for name in ("HC030A01", "HC030A05"))
    notice = next(n for n in static.notices if n.code == "two-on-one-plate")
    assert notice.about == ("Plate 1", "Pe_D", "Pe_E")
    assert not static.contacts[0].trusted
    assert walk.notices == ()
    assert all(c.trusted for c in walk.contacts)


def test_the_real_treadmill_walk_has_no_corners_and_no_other_fault():
    assert set(codes(checked(opensim_trial(), OPENSIM_SEGMENTS))) == {"plate-without-corners"}


def test_what_was_measured_of_a_contact_cannot_be_changed():
    trial = Walk(plates_for=(0,)).trial()
    assignment = assign_contacts(trial, detect_contacts(trial), SEGMENTS)
    (checked,) = check_plates(trial, assignment).contacts
    assert checked.reach_m
    with pytest.raises(TypeError):
        checked.reach_m["heel"] = 0.0
