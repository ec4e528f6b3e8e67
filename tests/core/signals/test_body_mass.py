from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biomec.base.errors import BiomecError
from biomec.base.physics import GRAVITY
from biomec.recording import LabAxes, Subject
from biomec.signals.body_mass import WeighingOptions, mass_from_plates
from biomec.signals.contact_detection import ContactOptions, detect_contacts
from biomec.signals.contacts import assign_contacts
from biomec.signals.gait_events import gait_events
from tests.core.signals.gait_recordings import (
    OPENSIM_GAIT,
    OPENSIM_SEGMENTS,
    PIG_GAIT,
    PIG_SEGMENTS,
    opensim_trial,
    pig_trial,
)
from tests.core.signals.virtual_walk import SEGMENTS, Walk, standing


def contacts_of(trial, segments=SEGMENTS, options=ContactOptions()):
    return assign_contacts(trial, detect_contacts(trial, options), segments)


@given(mass=st.floats(20.0, 150.0))
@settings(deadline=None, max_examples=10)
def test_standing_still_gives_the_mass(mass):
    found = mass_from_plates(standing(mass))
    assert found.how == "still"
    # 0.5 N of noise over 2000 samples: 0.01 N
    assert found.mass_kg == pytest.approx(mass, rel=1e-4)


def test_a_stated_mass_more_than_five_per_cent_apart_is_reported():
    trial = replace(standing(60.0), subject=Subject("S", mass_kg=64.0))
    notice, unchecked = mass_from_plates(trial).notices
    assert unchecked.code == "mass-unchecked"
    assert notice.code == "mass-differs"
    assert "60.0 kg" in notice.sentence
    assert "64.0 kg" in notice.sentence
    assert "-6 %" in notice.sentence
    assert notice.frames == (0, 199)
    close = replace(trial, subject=Subject("S", mass_kg=62.0))
    assert [notice.code for notice in mass_from_plates(close).notices] == ["mass-unchecked"]
    assert mass_from_plates(close).difference == pytest.approx(-2 / 62, abs=1e-4)


def test_the_walker_is_weighed_where_all_contact_is_on_plates():
    walk = Walk(mass=60.0, plates_for=(0, 1, 2))
    trial = replace(walk.trial(), events=tuple(walk.events()))
    # only markers of the trunk move with the centre of mass here
    trial = replace(trial, markers=replace(trial.markers, p_WM=np.where(
        (np.array(trial.markers.names) == "SACR")[None, :, None], trial.markers.p_WM, np.nan)))  # fmt: skip
    contacts = contacts_of(walk.trial())
    found = mass_from_plates(trial, contacts)
    assert found.how == "supported"
    first, last = found.frames
    # from the left off before step 0's single stance to the left strike after step 2's
    assert first == pytest.approx(100 * walk.off_s(-1), abs=2)
    assert last == pytest.approx(100 * walk.strike_s(3), abs=2)
    # the sum over frames of smooth functions that vanish at the ends is nearly exact; the thresholds of contacts that
    # begin and end inside take some millisecond's worth of newtons
    assert found.mass_kg == pytest.approx(60.0, rel=0.001)


def test_the_change_of_momentum_is_taken_into_account():
    """Half a bob: the mean force is not the weight, and the trunk's velocity says by how much."""
    walk = Walk(mass=60.0, wide_plate=True)
    trial = walk.trial()
    trunk = replace(trial, markers=trial.markers.select(["SACR"]))
    found = mass_from_plates(trunk, stretch_s=(0.3, 0.425))  # a quarter of the bob, from its highest force on
    naive = trunk.plates[0].vertical[300:425].mean() / GRAVITY
    assert naive > 65.0
    # the force is a mean over each frame, (ωh)²/24 of 15 % off; the rest is Simpson on 13 frames
    assert found.mass_kg == pytest.approx(60.0, rel=0.001)


def test_sinking_slowly_is_not_standing_still():
    """A slow push-up of 75 kg was weighed as 73.6 kg, because its force changes by less than three per cent."""
    trial = standing(60.0)
    sinking = -0.1 * trial.time_s[:, None, None] * trial.axes.up_vector
    found = mass_from_plates(replace(trial, markers=replace(trial.markers, p_WM=trial.markers.p_WM + sinking)))
    assert found.how == "nothing"


def test_one_foot_beside_the_plates_is_not_weighed():
    walk = Walk(plates_for=(0,))
    trial = replace(walk.trial(), events=tuple(walk.events()))
    found = mass_from_plates(trial, contacts_of(trial))
    assert (found.mass_kg, found.how) == (None, "nothing")
    assert found.notices[0].code == "mass-not-weighed"


def test_a_stretch_in_motion_shorter_than_asked_is_not_weighed():
    walk = Walk(plates_for=(0, 1, 2))
    trial = replace(walk.trial(), events=tuple(walk.events()))
    contacts = contacts_of(trial)
    assert mass_from_plates(trial, contacts, options=WeighingOptions(moving_s=1.3)).how == "supported"
    assert mass_from_plates(trial, contacts, options=WeighingOptions(moving_s=1.6)).how == "nothing"


def test_without_events_a_walk_is_not_weighed():
    trial = Walk(plates_for=(0, 1, 2)).trial()
    assert mass_from_plates(trial, contacts_of(trial)).mass_kg is None


def test_impossible_requests_are_refused_in_words():
    with pytest.raises(BiomecError, match="no force plate"):
        mass_from_plates(replace(standing(), plates=()))
    with pytest.raises(BiomecError, match="holds no frames"):
        mass_from_plates(standing(), stretch_s=(1.0, 1.0))


@settings(deadline=None, max_examples=8)
@given(up=st.sampled_from(["+x", "-x", "+y", "-y", "-z"]))
def test_the_mass_does_not_depend_on_the_laboratory(up):
    turned = standing().turned(LabAxes(up, "+z" if up[1] != "z" else "+x"))
    assert mass_from_plates(turned).mass_kg == pytest.approx(mass_from_plates(standing()).mass_kg, rel=1e-12)


def test_the_real_static_weighs_what_the_file_states():
    found = mass_from_plates(pig_trial("HC030A01"))
    assert found.how == "still"
    assert found.frames == (0, 299)
    assert found.stated_kg == pytest.approx(45.8)
    assert found.mass_kg == pytest.approx(45.8, rel=0.005)


def test_the_real_walk_weighs_the_same_between_the_steps_beside_its_plates():
    trial = pig_trial("HC030A05")
    found = mass_from_plates(trial, contacts_of(trial, PIG_SEGMENTS))
    assert found.how == "supported"
    # from left off (file, 3.14 s) to right strike (file, 4.05 s); the file begins at 2.85 s
    assert found.frames == (29, 120)
    assert found.mass_kg == pytest.approx(45.8, rel=0.005)
    events = gait_events(replace(trial, events=()), PIG_GAIT, contacts_of(trial, PIG_SEGMENTS)).events
    own = mass_from_plates(trial, contacts_of(trial, PIG_SEGMENTS), events)
    assert own.mass_kg == pytest.approx(45.8, rel=0.005)


def test_the_real_treadmill_walk_weighs_what_the_reference_states():
    trial = opensim_trial()
    contacts = contacts_of(trial, OPENSIM_SEGMENTS)
    events = gait_events(trial, OPENSIM_GAIT, contacts).events
    assert mass_from_plates(trial, contacts, events).mass_kg == pytest.approx(72.6, rel=0.005)


def test_half_of_somebody_who_stands_still_is_not_weighed():
    """One foot on the plate, the other beside it: 22.9 kg came out, silently."""
    trial = standing(60.0)
    plate = trial.plates[0]
    half = replace(plate, force=0.5 * plate.force, moment=0.5 * np.cross([0.15, 0.1, 0.0], plate.force))
    corners = plate.corners + np.array([0.3, 0.0, 0.0])
    beside = replace(trial, plates=(replace(half, origin=np.zeros(3), corners=corners),))
    contacts = contacts_of(beside)
    assert [item.segment for item in contacts.contacts] == ["Pe_D"]
    found = mass_from_plates(beside, contacts)
    assert (found.mass_kg, found.how) == (None, "nothing")
    blind = mass_from_plates(beside)
    assert blind.mass_kg == pytest.approx(30.0, rel=1e-3)
    assert [notice.code for notice in blind.notices][-1] == "mass-unchecked"


def test_both_feet_on_one_plate_are_the_whole_body():
    trial = standing(60.0)
    found = mass_from_plates(trial, contacts_of(trial))
    assert (found.how, found.notices) == ("still", ())
    assert found.mass_kg == pytest.approx(60.0, rel=1e-4)
