"""Verdicts about virtual people whose contacts are unusual: borne elsewhere, in flight, across plates, on a belt."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from biomec.base.notices import Grade, leading
from biomec.body.loads.contact_figures import Support
from biomec.body.loads.options import LoadOptions
from biomec.body.loads.residual_reduction import ReductionOptions
from biomec.pipeline.analysis import Analysis, analyze
from biomec.pipeline.load_sensitivity import doubts_of, load_sensitivity
from biomec.recording import ForcePlate, Session, Trial
from biomec.recording.limb_names import Limb
from biomec.reporting.trust import Level
from biomec.reporting.trust import trust as motion_trust
from biomec.signals.filtering import ManualCutoff
from biomec.virtual import RecordOptions, Squat, VirtualPerson, Walk, record


def session_of(movement, rate_hz: float = 100.0) -> Session:
    virtual = record(movement, VirtualPerson(), RecordOptions(rate_hz, 10.0 * rate_hz))
    return Session(virtual.dynamic, virtual.static, subject=virtual.person.subject)


def with_plates(session: Session, plates) -> Session:
    return replace(session, dynamic=replace(session.dynamic, plates=tuple(plates)))


def scaled(plate: ForcePlate, factor: float) -> ForcePlate:
    return replace(plate, force=factor * plate.force, moment=factor * plate.moment)


@pytest.fixture(scope="module")
def walk() -> Session:
    return session_of(Walk())


@pytest.fixture(scope="module")
def walked(walk) -> Analysis:
    return analyze(walk)


@pytest.fixture(scope="module")
def squat() -> Session:
    return session_of(Squat(cycles=1), 50.0)


def test_feet_together_that_bear_too_little_leave_ankles_and_knees(squat):
    """A seat or rail bears a fifth of the body: the plates are right, so the legs below the hips are, too."""
    plates = (replace(scaled(one, 0.8), corners=None) for one in squat.dynamic.plates)  # the virtual ones are small
    trust = analyze(with_plates(squat, plates)).loads.trust
    assert {(one.grade, one.fault) for one in trust.steps} == {(Grade.CHECK, "body borne elsewhere")}
    for step in trust.steps:
        assert "seat, rail or stick" in step.sentence
        grades = {name.split()[1]: joint.grade for name, joint in step.joints.items()}
        assert grades["ankle"] is grades["knee"] is Grade.GOOD
        assert grades["hip"] is not Grade.GOOD


def test_a_plate_that_never_reads_zero_bears_nobody(walk, walked):
    """A bag on a third plate throughout: its force made every step 'plate shared'."""
    first = walk.dynamic.plates[0]
    force, aside = np.zeros_like(first.force), np.array([0.0, 0.0, 5.0])
    force[:] = 300.0 * first.up
    away = replace(
        first, name="Bag", force=force, moment=np.zeros_like(first.moment), origin=first.origin + aside,
        corners=None if first.corners is None else first.corners + aside,
    )  # fmt: skip
    found = analyze(with_plates(walk, (*walk.dynamic.plates, away))).loads.trust
    feet = [one for one in found.steps if one.plate != "Bag"]
    assert [one.grade for one in feet] == [one.grade for one in walked.loads.trust.steps]
    assert [one.figures.delta for one in feet] == pytest.approx(
        [one.figures.delta for one in walked.loads.trust.steps], nan_ok=True
    )


@pytest.mark.parametrize(("factor", "origin"), [(1.13, "steps"), (1.18, "entered")])
def test_steps_weigh_a_person_within_15_percent_only(walk, factor, origin):
    """All plates alike wrong by more are a calibration, and not what the person weighs."""
    changed = with_plates(walk, (scaled(one, factor) for one in walk.dynamic.plates))
    trust = analyze(replace(changed, static=replace(changed.static, plates=()))).loads.trust
    assert trust.judged.mass.origin == origin
    judged = {one.fault for one in trust.steps if one.figures.how == "single support"}
    assert judged == ({""} if origin == "steps" else {"mass or calibration"})


def test_a_plate_that_was_full_is_named_though_its_force_is_filtered(walk):
    """Clipped at 420 N, both steps of a real walk were "good": the filter had rounded the flat top before the check."""
    full, *others = walk.dynamic.plates
    top = 0.7 * float(full.vertical.max())
    over = np.maximum(full.vertical - top, 0.0)
    found = analyze(with_plates(walk, (replace(full, force=full.force - over[:, None] * full.up), *others)))
    (notice,) = [one for one in found.signals.notices if one.code == "plate-clipped"]
    assert notice.about == (full.name,)
    assert "Fz stands at its limit" in notice.sentence
    for step in found.loads.trust.steps:
        full_here = step.plate == full.name
        assert (step.fault == "plate at the limit of its range") is full_here
        assert (step.grade is Grade.POOR) is full_here


def test_contacts_are_judged_by_the_motion_as_measured(walk):
    """A reduction moves the body until it agrees with the plates, and then finds the plates right."""
    wrong = with_plates(walk, (scaled(one, 0.93 if k % 2 else 1.0) for k, one in enumerate(walk.dynamic.plates)))
    plain = analyze(wrong)
    settings = replace(plain.settings, loads=LoadOptions(reduction=ReductionOptions()))
    reduced = plain.with_settings(settings).run_until("loads")
    assert reduced.loads.reduced is not None
    for before, after in zip(plain.loads.trust.steps, reduced.loads.trust.steps, strict=True):
        assert (before.grade, before.fault) == (after.grade, after.fault)
        assert before.figures == after.figures or np.isnan(before.figures.delta)
    assert any(one.figures.delta < -0.04 for one in reduced.loads.trust.steps)


def test_the_filters_part_is_what_moments_change_by(walked):
    """By the whole analysis with cut-offs half as high again."""
    filtered = walked.signals.filtered
    manual = tuple(
        ManualCutoff(name, tuple((1.5 * hz).tolist()))
        for name, hz in zip(filtered.markers.names, filtered.cutoff_hz, strict=True)
        if np.isfinite(hz).all()
    )
    signals = replace(walked.settings.signals, marker_filter=replace(filtered.options, manual=manual))
    sharper = walked.with_settings(replace(walked.settings, signals=signals)).run_until("loads")
    change = sharper.loads.newton_euler.torque - walked.loads.newton_euler.torque
    mass, compared = walked.loads.trust.judged.mass.used, 0
    for step in walked.loads.trust.steps:
        for name, joint in step.joints.items():
            part = change[step.frames[0] : step.frames[1] + 1, walked.loads.newton_euler.joints.index(name)]
            if step.grade is Grade.GOOD:
                assert joint.filtered == pytest.approx(np.sqrt((part**2).mean(axis=0)).max() / mass, rel=1e-3, abs=1e-6)
                compared += 1
    assert compared >= 6


def test_doubts_about_moments_know_of_missing_force(walk):
    """The bars and the step's row show one figure."""
    found = analyze(
        with_plates(walk, (scaled(one, 0.7 if k == 1 else 1.0) for k, one in enumerate(walk.dynamic.plates)))
    )
    short = next(one for one in found.loads.trust.steps if one.grade is Grade.POOR)
    doubts = {one.joint: one for one in doubts_of(found.loads, load_sensitivity(found, cutoff_hz=0.0))}
    mass = found.loads.trust.judged.mass.used
    for name, joint in short.joints.items():
        assert doubts[name].moment == pytest.approx(joint.error * mass)
        assert doubts[name].moment_share == pytest.approx(joint.error / joint.peak)
        assert doubts[name].worst == "missing force"


def on_belt(session: Session, speed_m_s: float, plates) -> Trial:
    """The walk on a treadmill whose belt goes back at that speed, over these plates."""
    belt = np.array([-speed_m_s, 0.0, 0.0])
    turned = [
        replace(
            plate, corners=None,
            moment=plate.moment + np.cross((np.arange(len(plate.force)) / plate.rate_hz)[:, None] * belt, plate.force),
        )
        for plate in plates
    ]  # fmt: skip
    markers = session.dynamic.markers
    p = markers.p_WM + (np.arange(markers.frames) / markers.rate_hz)[:, None, None] * belt
    return replace(session.dynamic, markers=replace(markers, p_WM=p), plates=tuple(turned), events=())


@pytest.mark.parametrize("measured", [True, False])
def test_who_drifts_on_a_treadmill_is_judged_over_its_belt(walk, walked, measured):
    """Over the floor of the laboratory "a foot stands for 0.01 s by the markers": a sound walk was not to be used."""
    plates = walk.dynamic.plates if measured else ()
    found = analyze(replace(walk, dynamic=on_belt(walk, 1.2, plates)))  # 0.3 m/s faster than the person walks
    assert found.signals.travels
    codes = {one.code for one in found.notices}
    assert not codes & {"rates-disagree", "pressure-outside-feet", "swing-time", "nothing-touches", "walks-obliquely"}
    kinematic, over_ground = (
        [(one.label, one.context, one.time_s) for one in analysis.signals.events.kinematics]
        for analysis in (found, analyze(replace(walk, dynamic=replace(walk.dynamic, plates=plates, events=()))))
    )
    assert [one[:2] for one in kinematic] == [one[:2] for one in over_ground]
    assert [one[2] for one in kinematic] == pytest.approx([one[2] for one in over_ground], abs=0.02)
    trust = found.loads.trust
    if measured:
        assert trust.verdict.startswith("Both legs can be used")
        assert [one.grade for one in trust.steps] == [one.grade for one in walked.loads.trust.steps]
        part = walked.loads.trust.frames_of["left knee"].measured
        torque, true = (one.loads.newton_euler.torque[part] for one in (found, walked))
        assert np.sqrt(np.mean((torque - true) ** 2)) < 0.5
    else:
        assert trust.verdict == "Estimated from the motion alone."


def test_above_the_pelvis_nothing_is_measured_with_one_belt(walk, walked):
    """The person walks on a treadmill, and only the belt under one foot measures: lumbar loads lack the other foot."""
    one_foot = {one.plate for one in walked.loads.trust.steps if one.segment == "right foot"}
    trial = on_belt(walk, 1.2, [plate for plate in walk.dynamic.plates if plate.name in one_foot])
    settings = replace(walked.settings, loads=LoadOptions(external="plates"))
    trust = analyze(replace(walk, dynamic=trial), settings).loads.trust
    lumbar = trust.frames_of["lumbar"]
    whole = walked.loads.external.force[
        :, [k for k, s in enumerate(walked.loads.external.segments) if s == "left foot"]
    ]
    left_down = np.abs(whole).max(axis=(1, 2)) > 150.0
    assert left_down.sum() > 30
    assert not (lumbar.usable & lumbar.measured & left_down).any()
    assert (trust.frames_of["right knee"].usable & trust.frames_of["right knee"].measured).sum() > 30


def mirrored(trial: Trial) -> Trial:
    """A file with left-handed axes: places and forces reflected, moments with the other sign."""
    M = np.diag([1.0, 1.0, -1.0])
    plates = tuple(
        replace(
            one, force=one.force @ M, moment=-one.moment @ M, origin=one.origin @ M, up=one.up @ M,
            corners=None if one.corners is None else one.corners @ M,
        )
        for one in trial.plates
    )  # fmt: skip
    return replace(trial, markers=replace(trial.markers, p_WM=trial.markers.p_WM @ M), plates=plates)


def test_a_person_with_sides_exchanged_is_never_good(walk):
    """Plates and motion agreed, so that both legs "can be used", with ankles wrong by 177°."""
    assert walk.static is not None
    analysis = analyze(replace(walk, dynamic=mirrored(walk.dynamic), static=mirrored(walk.static)))
    trust, first = analysis.loads.trust, leading(analysis.notices)[0]
    assert first.code == "sides-exchanged"
    assert "No angle and no load can be used" in first.sentence
    assert trust.level is Grade.POOR
    assert trust.verdict == first.sentence  # nothing beside it that "can be used"
    assert motion_trust(analysis).level is Level.POOR


def test_flight_is_not_missing_force():
    """Running: with both feet in the air no plate is loaded, and flight is not support of either foot."""
    frames, right, left = 60, slice(5, 25), slice(35, 55)
    force = np.zeros((2, frames))
    force[0, right] = force[1, left] = 1500.0
    fast = np.full(frames, 3.0)
    feet = (Limb("foot", "Right"), Limb("foot", "Left"))
    shown = Support(
        SimpleNamespace(rate_hz=100.0), (), force, force.sum(axis=0), np.full(frames, 9.81), None, feet,
        {feet[0]: np.where(force[0] > 0.0, 0.0, fast), feet[1]: np.where(force[1] > 0.0, 0.0, fast)},
    )  # fmt: skip
    for k, during in enumerate((right, left)):
        inside = np.zeros(frames, dtype=bool)
        inside[during.start + 3 : during.stop - 3] = True  # 30 ms at both ends are left out
        np.testing.assert_array_equal(shown.single(k), inside)
    assert not shown.all_borne(75.0 * 9.81)[25:35].any()


def test_a_foot_across_two_plates_is_no_partial_strike(walk, walked):
    """Two plates that share the force of one foot are added: neither is short, and the joints are those of one."""
    step = next(one for one in walked.loads.trust.steps if one.grade is Grade.GOOD)
    plates = []
    for plate in walk.dynamic.plates:
        if plate.name == step.plate:
            plate = replace(plate, corners=None)
            plates += [replace(scaled(plate, 0.6), name="Front"), replace(scaled(plate, 0.4), name="Back")]
        else:
            plates.append(plate)
    found = analyze(with_plates(walk, plates))
    both = [one for one in found.loads.trust.steps if one.plate in ("Front", "Back")]
    assert len(both) == 2
    for one in both:
        assert (one.segment, one.grade, one.fault) == (step.segment, Grade.GOOD, "")
        assert one.figures.delta == pytest.approx(step.figures.delta, abs=1e-3)
    part = slice(step.frames[0] + 5, step.frames[1] - 4)
    torque, true = (one.loads.newton_euler.torque[part] for one in (found, walked))
    np.testing.assert_allclose(torque, true, atol=0.5)  # contacts begin a sample later on two half-loaded plates


def test_two_feet_on_one_plate_lose_their_steps_and_no_others(walk, walked):
    """One long plate under two steps measures the sum of both feet while both are down."""
    first, back, front, last = walk.dynamic.plates
    corners = np.concatenate([back.corners, front.corners])
    long = replace(
        back, name="Long", force=back.force + front.force,
        moment=back.moment + front.moment + np.cross(front.origin - back.origin, front.force),
        corners=np.where(back.corners > back.corners.mean(axis=0), corners.max(axis=0), corners.min(axis=0)),
    )  # fmt: skip
    trust = analyze(with_plates(walk, (first, long, last))).loads.trust
    both = next(one for one in trust.steps if one.plate == "Long")
    assert (both.segment, both.segments) == (None, ("right foot", "left foot"))
    assert (both.grade, both.fault, dict(both.joints)) == (Grade.POOR, "two feet on one plate", {})
    assert both.sentence == (
        "Right foot and left foot, plate Long, 1.5–2.7 s: two feet on one plate. "
        "Do not use the joints above the right foot and the left foot in this step."
    )
    others = {one.plate: one for one in walked.loads.trust.steps}
    for one in trust.steps:
        if one is not both:
            assert (one.grade, one.figures.delta) == (Grade.GOOD, pytest.approx(others[one.plate].figures.delta))
    part = slice(both.frames[0], both.frames[1] + 1)
    for joint in ("right knee", "left knee"):
        frames = trust.frames_of[joint]
        assert not (frames.usable & frames.measured)[part].any()
        assert (frames.usable & frames.measured).sum() > 30


def test_the_expected_error_is_the_documented_one(walked):
    """From what the analysis shows: forces, centres by the markers and of the model, and the figures of the step."""
    loads, compared = walked.loads, 0
    centres = {joint.name: joint.centre for joint in walked.body.person.model.joints}
    mass = loads.trust.judged.mass.used
    for step in loads.trust.steps:
        part = slice(step.frames[0], step.frames[1] + 1)
        mine = [k for k, name in enumerate(loads.external.segments) if name == step.segment]
        force = np.sqrt((loads.external.force[part][:, mine].sum(axis=1) ** 2).sum(axis=1).mean()) / mass
        for name, joint in step.joints.items():
            shift = (
                walked.body.points[centres[name]][part]
                - loads.newton_euler.centre[part, loads.newton_euler.joints.index(name)]
            )
            assert joint.moved_m == pytest.approx(np.sqrt((shift**2).sum(axis=1).mean()), rel=1e-6)
            usual = 0.015 if name.endswith("hip") else 0.005
            w = max(joint.misfit_m, joint.moved_m)
            place = 0.5 * force**2 * (0.005**2 + usual**2 + (0.7 * w) ** 2)
            short = max(abs(step.figures.delta) - 0.02, 0.0) * force * (joint.lever_m + 0.05)
            assert joint.error == pytest.approx(np.sqrt(place + short**2 + joint.filtered**2), rel=1e-6)
            compared += 1
    assert compared == 12  # ankle, knee and hip in four steps
