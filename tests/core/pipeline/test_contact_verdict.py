"""Every contact with a plate judged by the force beside m (g + a): real walks, faults put into them, virtual people.

Tests of real walks skip where the recordings are absent.
"""

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.notices import Grade, leading
from biomec.body.loads.contact_verdict import ContactVerdict
from biomec.body.loads.load_trust import LimbVerdict
from biomec.io.session_import import import_session
from biomec.pipeline.analysis import Analysis, analyze
from biomec.pipeline.settings import AnalysisSettings, SignalSettings
from biomec.recording import Session, Subject
from biomec.reporting.facts import subject_facts
from biomec.reporting.files.load_files import loads_summary
from biomec.reporting.statistics.load_condition import peaks_of
from biomec.signals.contact_detection import ContactOptions
from biomec.signals.label_swaps import WRIST, swap_labels
from biomec.virtual import PushUp, RecordOptions, VirtualPerson, Walk, record
from tests.real_data import recording


def contacts_of(analysis: Analysis) -> tuple[ContactVerdict, ...]:
    judged = analysis.loads.trust.judged
    assert judged is not None
    return judged.contacts


def contact(analysis: Analysis, segment: str) -> ContactVerdict:
    return next(one for one in contacts_of(analysis) if one.segment == segment)


@pytest.fixture(scope="module")
def pair() -> Session:
    return import_session(recording("gait_pig_pair", "HC030A05.c3d"))


def scaled(session: Session, plate: str, factor: float) -> Session:
    """The session with one plate that reads too much or too little."""
    plates = tuple(
        replace(one, force=factor * one.force, moment=factor * one.moment) if one.name == plate else one
        for one in session.dynamic.plates
    )
    return replace(session, dynamic=replace(session.dynamic, plates=plates))


def errors(*contacts: ContactVerdict) -> list[float]:
    """Expected errors of ankle, knee and hip, the largest of several contacts [N m/kg]."""
    return np.max([[joint.error for joint in one.joints.values()] for one in contacts], axis=0).tolist()


def leads(analysis: Analysis) -> list[str]:
    """Codes of the notices to read first."""
    return [one.code for one in leading(analysis.notices)]


def test_two_clean_steps_are_good(pair, record_property):
    analysis = analyze(pair)
    assert leads(analysis) == ["wrist-labels-exchanged"]  # neither EMG nor the sex, which leave angles and loads alone
    for segment in ("right foot", "left foot"):
        one = contact(analysis, segment)
        record_property(segment, one.figures.delta)
        assert abs(one.figures.delta) < 0.02
        assert one.grade is Grade.GOOD
        assert not one.masked.any()
        assert 0.008 <= one.figures.lag_s <= 0.017
    trust = analysis.loads.trust
    assert trust.level is Grade.GOOD
    assert trust.verdict == "Both legs can be used (2 of 2 steps sound)."
    for segment, expected in (("right foot", [0.06, 0.06, 0.10]), ("left foot", [0.06, 0.06, 0.11])):
        assert errors(contact(analysis, segment)) == pytest.approx(expected, abs=0.006)  # as the validation page rounds
    judged = trust.judged
    assert judged is not None
    assert judged.mass.origin == "static"
    assert judged.mass.used == pytest.approx(45.8, abs=0.2)


def test_a_foot_upside_down_is_never_good(pair):
    """Heel and toe exchanged in both files turned an ankle by 179°, beside the verdict that both legs can be used."""
    wrong = replace(
        pair,
        dynamic=swap_labels(pair.dynamic, "RHEE", "RTOE"),
        static=swap_labels(pair.static, "RHEE", "RTOE"),
    )
    analysis = analyze(wrong)
    assert leads(analysis)[0] == "upside-down"
    assert analysis.loads.trust.level is Grade.POOR
    assert "right foot against right shank" in analysis.loads.trust.verdict


@pytest.mark.parametrize(("factor", "grade", "fault"), [(0.85, Grade.POOR, "force missing"), (0.97, Grade.GOOD, "")])
def test_a_plate_that_reads_too_little_is_found_with_its_leg(pair, factor, grade, fault):
    """The foot lies inside, so it is not a partial strike; gains within 5 % are not seen."""
    analysis = analyze(scaled(pair, "Plate 1", factor))
    left, right = contact(analysis, "left foot"), contact(analysis, "right foot")
    assert (left.grade, left.fault) == (grade, fault)
    assert right.grade is Grade.GOOD
    assert {one.name: one.sound for one in analysis.loads.trust.limbs} == {"right leg": 1, "left leg": int(not fault)}


def test_no_mass_that_was_entered_wrongly_turns_a_contact_red(pair):
    """Stated 9 % too much: the static is weighed, so contacts stay good, and the mass is named."""
    wrong = replace(pair, subject=replace(pair.subject, mass_kg=1.09 * 45.8))
    analysis = analyze(wrong)
    assert {one.grade for one in contacts_of(analysis)} == {Grade.GOOD}
    judged = analysis.loads.trust.judged
    assert judged is not None
    assert judged.mass.grade is Grade.CHECK
    notice = next(one for one in analysis.notices if one.code == "mass-differs")
    assert "Weighed 45.8 kg, entered 49.9 kg: values per kilogram are 8 % too small" in notice.sentence
    without = analyze(replace(wrong, static=replace(wrong.static, plates=())))
    assert {one.grade for one in contacts_of(without)} == {Grade.GOOD}  # both steps agree, and weigh the subject
    assert without.loads.trust.judged.mass.origin == "steps"


@pytest.mark.parametrize("late_ms", [60, 150])
def test_plates_on_another_clock_are_not_called_missing_force_or_a_shared_plate(pair, late_ms):
    """Plates that began 60 or 150 ms late: "3 % of the force is missing", "another plate is loaded"."""
    plates = tuple(
        replace(one, force=np.roll(one.force, late_ms, axis=0), moment=np.roll(one.moment, late_ms, axis=0))
        for one in pair.dynamic.plates  # 1000 Hz, and empty at both ends
    )
    found = contacts_of(analyze(replace(pair, dynamic=replace(pair.dynamic, plates=plates))))
    assert {(one.grade, one.fault) for one in found} == {(Grade.POOR, "motion and plates disagree")}
    for one in found:
        (shown,) = [
            int(word) for word, unit, when in _triples(one.sentence) if unit == "ms" and when.startswith("late")
        ]
        assert shown == pytest.approx(late_ms + 14, abs=8)  # this recording's plates are some 14 ms late by themselves
        assert "Check that cameras and plates start together" in one.sentence


def _triples(sentence: str) -> list[tuple[str, str, str]]:
    words = sentence.split()
    return list(zip(words, words[1:], words[2:], strict=False))


@pytest.fixture(scope="module")
def partial() -> Analysis:
    return analyze(import_session(recording("gait_pig_partial_strike", "walk.c3d")))


def test_the_partial_strike_and_the_doubtful_joint_lead(partial):
    """Filters and the ends of contacts stood above the joint that is to be checked."""
    assert leads(partial)[:2] == ["contact-poor", "joint-error"]


def test_what_was_put_right_or_touches_no_result_does_not_lead(walk):
    """A plate that reads too little leads, although the sex is not known either."""
    session = scaled(walk, walk.dynamic.plates[1].name, 0.85)
    analysis = analyze(replace(session, subject=replace(walk.subject, sex=None)))
    assert "sex-assumed" in {one.code for one in analysis.notices}
    assert leads(analysis)[0] == "contact-poor"
    assert "sex-assumed" not in leads(analysis)


def test_a_partial_strike_is_named_and_leaves_the_other_leg(partial, record_property):
    left, right = contact(partial, "left foot"), contact(partial, "right foot")
    record_property("left", left.figures.delta)
    record_property("right", right.figures.delta)
    assert errors(right) == pytest.approx([0.08, 0.08, 0.13], abs=0.006)
    assert errors(left) == pytest.approx([0.29, 0.25, 0.42], abs=0.006)
    assert left.grade is Grade.POOR
    assert -0.36 < left.figures.delta < -0.28
    assert left.fault == "partial strike"
    assert "partial strike" in left.sentence
    assert left.masked.any()
    assert right.grade is Grade.GOOD
    assert not right.masked.any()
    trust = partial.loads.trust
    assert trust.level is Grade.CHECK
    assert trust.verdict.startswith("Use the right leg; the left step is a partial strike.")
    assert {joint.grade for joint in left.joints.values()} == {Grade.POOR}
    assert {joint.grade for joint in right.joints.values()} <= {Grade.GOOD, Grade.CHECK}
    during = slice(right.frames[0], right.frames[1] + 1)
    assert trust.frames_of["right knee"].usable[during].all()
    assert not trust.frames_of["left knee"].usable[left.frames[0] : left.frames[1] + 1].any()
    peaks = {one.joint: one for one in peaks_of(partial)}
    for joint in ("ankle", "knee", "hip"):  # frames of the swing were the peaks of the left leg
        assert peaks[f"left {joint}"].why == "no sound step"
        assert peaks[f"right {joint}"].force.value > 500.0
    assert loads_summary(partial)["joints"]["left ankle"]["torque_peak_Nm"] is None
    assert loads_summary(partial)["mass_kg"]["plates"] is None  # 54 kg, weighed over the partial strike
    assert subject_facts(partial)["weighed"].text == "64.0 kg"
    judged = partial.loads.trust.judged
    assert judged is not None
    assert "Weighed 64.0 kg, entered 66.5 kg: values per kilogram are 4 % too small" in judged.mass.sentence


def test_legs_are_judged_by_the_pelvis():
    folder = recording("gait_rajagopal")
    session = import_session(
        folder / "motion_capture_walk.trc",
        static=folder / "static_walk_1.trc",
        plates=folder / "grf_walk.mot",
        subject=Subject(mass_kg=85.07, height_m=1.829),
    )
    analysis = analyze(session)
    found = contacts_of(analysis)
    assert [one.grade for one in found] == [Grade.GOOD] * 3
    # neither the header (100 frames, unit "238") nor shoulders that the legs do not have
    assert leads(analysis)[:2] == ["markers-moved", "joint-error"]  # the cause before its effect
    assert max(abs(one.figures.delta) for one in found) < 0.02
    right, left, again = found  # the row of the validation page, as it is rounded there
    assert errors(right, again) == pytest.approx([0.05, 0.06, 0.10], abs=0.006)
    assert errors(left) == pytest.approx([0.06, 0.14, 0.10], abs=0.006)
    assert [joint.grade for joint in left.joints.values()] == [Grade.GOOD, Grade.CHECK, Grade.GOOD]
    assert all(np.isnan(one.figures.place_m) for one in found)  # moments of a part of the body balance nothing


def test_legs_on_a_treadmill_are_judged_by_the_pelvis():
    session = import_session(recording("gait_opensim2354", "subject01_walk1.trc"))
    wrong = swap_labels(session.dynamic, "R.Wrist.Med", "R.Wrist.Lat")
    analysis = analyze(replace(session, dynamic=wrong))
    found = contacts_of(analysis)
    assert WRIST in {one.code for one in analysis.notices}  # listed, but legs have no wrists
    assert WRIST not in leads(analysis)
    assert "markers-moved" not in {one.code for one in analysis.notices}  # knees and hips meet within 10 mm
    judged = [one for one in found if one.grade is not Grade.NOT_JUDGED]
    assert len(judged) >= 4
    assert all(abs(one.figures.delta) < 0.02 and one.grade is Grade.GOOD for one in judged)
    assert all(one.cut for one in found if one.grade is Grade.NOT_JUDGED)
    for foot, expected in (("right foot", [0.07, 0.07, 0.11]), ("left foot", [0.06, 0.06, 0.10])):
        assert errors(*(one for one in judged if one.segment == foot)) == pytest.approx(expected, abs=0.006)


@pytest.fixture(scope="module")
def walk() -> Session:
    virtual = record(Walk(), VirtualPerson(), RecordOptions(100.0, 1000.0))
    return Session(virtual.dynamic, virtual.static, subject=virtual.person.subject)


def test_skin_that_moves_does_not_make_plates_late():
    """Plates of clinical recordings lag by 8 to 17 ms; skin that moves by 20 mm does not explain it."""
    options = RecordOptions(100.0, 1000.0, noise_mm=0.3, soft_tissue_mm=20.0)
    virtual = record(Walk(strides=2), VirtualPerson(), options)
    found = contacts_of(analyze(Session(virtual.dynamic, virtual.static, subject=virtual.person.subject)))
    lags = [one.figures.lag_s for one in found if np.isfinite(one.figures.lag_s)]
    assert len(lags) >= 2
    assert abs(np.mean(lags)) <= 0.002  # the search goes by steps of 2 ms
    assert max(lags) <= 0.004


def test_a_virtual_walk_balances(walk):
    analysis = analyze(walk)
    assert analysis.loads.trust.level is Grade.GOOD
    found = contacts_of(analysis)
    judged = [one for one in found if one.grade is not Grade.NOT_JUDGED]
    assert judged
    assert {one.grade for one in judged} == {Grade.GOOD}
    # the filters at some hertz leave a thousandth of the impulse
    assert max(abs(one.figures.delta) for one in judged) < 0.005


@pytest.mark.parametrize(("plates", "origin", "grade"), [((0,), "assumed", Grade.CHECK), ((0, 2), "steps", Grade.GOOD)])
def test_a_mass_that_nobody_knows_turns_no_contact_red(walk, plates, origin, grade):
    """52 kg, and 69 kg would be usual for the height: the only step was said to lack a quarter of its force."""
    light = tuple(
        replace(one, force=0.7 * one.force, moment=0.7 * one.moment) for one in (walk.dynamic.plates[k] for k in plates)
    )
    nobody = replace(walk.subject, mass_kg=None)
    trust = analyze(replace(walk, dynamic=replace(walk.dynamic, plates=light), subject=nobody)).loads.trust
    assert {one.grade for one in trust.steps} == {grade}
    assert trust.level is Grade.CHECK
    assert all(
        one.masked.sum() == 0 and Grade.POOR not in {j.grade for j in one.joints.values()} for one in trust.steps
    )
    mass = trust.judged.mass
    assert (mass.origin, mass.grade) == (origin, Grade.NOT_JUDGED)
    assert "The mass is not known, 68.9 kg were assumed" in trust.verdict
    if origin == "steps":
        assert mass.used == pytest.approx(0.7 * 75.0, rel=0.01)
    else:
        assert all("the mass is not known" in one.sentence for one in trust.steps)


def test_a_virtual_push_up_balances_by_the_sum_of_all_hands_and_feet():
    virtual = record(PushUp("closed", cycles=1), VirtualPerson(), RecordOptions(50.0, 500.0))
    found = contacts_of(analyze(Session(virtual.dynamic, virtual.static, subject=virtual.person.subject)))
    assert len(found) == 4
    assert {one.figures.how for one in found} == {"all feet"}
    assert {one.grade for one in found} == {Grade.GOOD}
    assert max(abs(one.figures.delta) for one in found) < 0.005


def test_a_foot_that_overhangs_without_missing_force_is_good(walk):
    """As on a stair: beyond the nosing there is no floor, so nothing is missing."""
    before = analyze(walk)
    one = next(c for c in contacts_of(before) if c.grade is Grade.GOOD)
    assert before.signals.contacts is not None
    cop = before.signals.contacts.find(one.plate, one.number).contact.cop[:, 2]
    plates = []
    for plate in walk.dynamic.plates:
        if plate.name == one.plate:
            corners = np.array(plate.corners)  # 3 to 4 cm of the foot lie beyond edges 15 mm beside the force
            corners[:, 2] = np.where(corners[:, 2] > 0.0, np.nanmax(cop) + 0.015, np.nanmin(cop) - 0.015)
            plate = replace(plate, corners=corners)
        plates.append(plate)
    narrow = analyze(replace(walk, dynamic=replace(walk.dynamic, plates=tuple(plates))))
    again = next(c for c in contacts_of(narrow) if (c.plate, c.number) == (one.plate, one.number))
    assert again.figures.outside > 0.2
    assert again.grade is Grade.GOOD
    assert "overhangs the plate, but no force is missing" in again.sentence


def test_an_offset_that_is_to_be_removed_leaves_the_loads_too(walk):
    """Contacts were found without the unloaded reading, but joint loads still used plates that held it."""
    plates = tuple(replace(one, force=one.force + 15.0 * one.up) for one in walk.dynamic.plates)
    shifted = replace(walk, dynamic=replace(walk.dynamic, plates=plates))
    settings = AnalysisSettings(signals=SignalSettings(contacts=ContactOptions(offset="remove")))
    found, true = (analyze(session, settings).loads.external.force for session in (shifted, walk))
    assert np.abs(true).max() > 500.0
    # contacts begin where the force passes the threshold, which noise-free plates do within a frame of each other
    both = (found != 0.0).any(axis=2) & (true != 0.0).any(axis=2)
    assert np.abs(found - true)[both].max() < 1.0


def test_a_contact_that_is_not_judged_lowers_no_leg(walk):
    """A doubtful hip in a step that was cut off made the leg "not sound", without a reason."""
    step = next(one for one in analyze(walk).loads.trust.steps if one.joints)
    doubtful = {name: replace(joint, grade=Grade.POOR) for name, joint in step.joints.items()}
    cut = replace(step, grade=Grade.NOT_JUDGED, joints=doubtful)
    assert LimbVerdict("left leg", (cut,)).grade is Grade.NOT_JUDGED
    assert LimbVerdict("left leg", (step, cut)).grade is step.grade
    assert LimbVerdict("left leg", (replace(step, joints=doubtful),)).grade is Grade.POOR
