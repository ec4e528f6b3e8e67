"""Motions that nobody can make lower trust and are named; sound ones are left alone.

Rates are judged by a virtual walk and by a real one (skipped where it is absent), as recorded and distorted.
"""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from biomec.base.notices import Severity
from biomec.body.kinematics.segment_motion import segment_motion
from biomec.body.loads.motion_checks import check_motion
from biomec.io.session_import import import_session
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.steps.segments import is_whole
from biomec.recording import Session, Subject
from biomec.reporting.trust import Level, trust
from biomec.virtual import RecordOptions, VirtualPerson, record, squat, walk
from tests.real_data import recording

NOISY = RecordOptions(noise_mm=0.3, soft_tissue_mm=2.0, plate_noise_n=0.5, seed=5)
CHECK, POOR = Severity.WARNING, Severity.PROBLEM


def walked(strides=2) -> Session:
    performed = record(walk(strides), VirtualPerson(), NOISY)
    return Session(performed.dynamic, performed.static, subject=performed.person.subject)


def real() -> Session:
    return import_session(recording("gait_pig_pair", "HC030A05.c3d"), static=recording("gait_pig_pair", "HC030A01.c3d"))


@pytest.fixture(scope="module")
def virtual_walk():
    return Analysis(walked()).run_until("segments")


@pytest.fixture(scope="module")
def pair():
    return Analysis(real()).run_until("segments")


@pytest.fixture(params=["virtual_walk", "pair"])
def sound(request):
    return request.getfixturevalue(request.param)


def judged(analysis, factor=1.0, *, q=None, omega=1.0, **settings):
    """What is said of the motion if its frames came ``factor`` times as fast, or were changed otherwise."""
    body, motion, rate = analysis.body.person, analysis.motion, factor * analysis.signals.trial.rate_hz
    q = motion.q if q is None else q
    qdot, qddot = factor * motion.qdot, factor**2 * motion.qddot
    segments = segment_motion(body.system, q, qdot, qddot)
    segments = replace(segments, omega=omega * segments.omega)
    height = float(body.measures["height"])
    given = {"travels": analysis.signals.travels, "whole": is_whole(analysis.body)} | settings
    return check_motion(body.system, segments, q, qdot, rate, height, **given)


def by_code(checks):
    return {notice.code: notice.severity for notice in checks.notices}


def test_a_sound_walk_is_left_alone(sound):
    """Figures are those of level walking: friction 0.12 to 0.21, 1.2 to 1.45 body weights, swing 1.22 to 1.66."""
    found = judged(sound)
    assert found.notices == ()
    assert not found.masked.any()
    assert 0.10 < found.figures["friction"] < 0.25
    assert 1.15 < found.figures["highest"] < 1.5
    assert 1.2 < found.figures["swing"] < 1.7
    assert found.figures["outside_m"] < 0.025
    assert found.figures["turning"] < 650.0
    assert not [notice for notice in sound.notices if notice.lowers_trust]
    assert not sound.segments.unusable.any()


@pytest.mark.parametrize(
    ("factor", "codes"),
    [
        (1 / 3, {"swing-time": POOR}),
        (0.8, {}),  # nothing in a motion tells
        (1.2, {}),
        (1.5, {"swing-time": CHECK, "friction-too-high": CHECK}),
        (2.0, {"swing-time": POOR, "friction-too-high": POOR, "pressure-outside-feet": POOR}),
        (3.0, {"swing-time": POOR, "friction-too-high": POOR, "pressure-outside-feet": POOR, "floor-would-pull": POOR,
               "force-too-high": CHECK}),
        (1e4, {"swing-time": POOR, "friction-too-high": POOR, "floor-would-pull": POOR, "force-too-high": POOR,
               "turns-too-fast": POOR}),
    ],
)  # fmt: skip
def test_a_wrong_rate_of_the_cameras_is_seen(sound, factor, codes):
    """A rate wrong by 3 or 10⁴ left trust good."""
    found = by_code(judged(sound, factor))
    assert codes.items() <= found.items()
    assert bool(found) == bool(codes)


def test_a_walk_there_and_back_is_as_sound_as_one_way(virtual_walk):
    """First and last place were compared, so that after a turn standing feet seemed to move."""
    body, motion, rate = virtual_walk.body.person, virtual_walk.motion, virtual_walk.signals.trial.rate_hz
    back = [
        np.concatenate([one, sign * one[::-1]]) for one, sign in ((motion.q, 1), (motion.qdot, -1), (motion.qddot, 1))
    ]
    found, once = (
        check_motion(
            body.system, segment_motion(body.system, *way), *way[:2], rate, float(body.measures["height"]), travels=True
        )
        for way in (back, [motion.q, motion.qdot, motion.qddot])
    )
    assert_allclose(found.figures["swing"], once.figures["swing"], rtol=0.1)  # the turn joins two parts of a step
    assert "swing-time" not in by_code(found)


def test_the_swing_is_half_as_long_at_twice_the_rate(sound):
    assert_allclose(judged(sound, 2.0).figures["swing"], 0.5 * judged(sound).figures["swing"])


def test_legs_alone_are_judged_by_the_pelvis(sound):
    found = judged(sound, whole=False)
    assert found.notices == ()
    assert "friction" not in found.figures
    assert by_code(judged(sound, 3.0, whole=False)).keys() >= {"swing-time", "floor-would-pull"}


@pytest.mark.parametrize(("share", "severities"), [(1.0, {None}), (0.8, {CHECK, POOR}), (0.5, {POOR})])
def test_contacts_of_plates_with_another_clock_are_seen(sound, share, severities):
    contacts = sound.signals.contacts.contacts
    stood = [
        c.contact.off_s - c.contact.on_s for c in contacts if not (c.contact.starts_before or c.contact.ends_after)
    ]
    found = by_code(judged(sound, contact_s=[share * one for one in stood]))
    assert found.get("rates-disagree") in severities


def test_a_spike_of_a_segment_masks_its_own_frames(sound):
    """Walking turns a leg by 500°/s at most; five times as fast for three frames is not a leg."""
    frames = sound.signals.trial.frames
    speed = np.degrees(np.linalg.norm(sound.segments.omega, axis=2))
    legs = [k for k, name in enumerate(sound.segments.names) if name.endswith(("thigh", "shank", "foot"))]
    at = int(np.argmax(speed[:, legs].max(axis=1)))
    factor = np.ones((frames, 1, 1))
    factor[at - 1 : at + 2] = 5.0
    found = judged(sound, omega=factor, first_frame=1)
    (notice,) = found.notices
    assert (notice.code, notice.severity, notice.frames) == ("turns-too-fast", CHECK, (at - 1, at + 1))
    assert f"frames {at} to {at + 2};" in notice.sentence
    assert_array_equal(np.flatnonzero(found.masked), np.arange(at - 11, at + 12)[:frames])  # ± 0.1 s


def test_a_body_that_floats_is_seen(virtual_walk):
    """For a tenth of a second everybody is 0.2 m higher, without falling."""
    system = virtual_walk.body.person.system
    shift = _upwards(system)
    q = virtual_walk.motion.q.copy()
    q[100:112] += 0.2 * shift
    found = by_code(judged(virtual_walk, q=q))
    assert found["borne-in-flight"] is POOR


def test_stairs_have_no_level_floor(virtual_walk):
    """A foot that stands still above the floor stands on something: friction and flight are not judged."""
    q = virtual_walk.motion.q.copy()
    half = len(q) // 2
    q[half:] += 0.2 * _upwards(virtual_walk.body.person.system)
    found = judged(virtual_walk, q=q)
    assert found.notices == ()
    assert "friction" not in found.figures
    assert np.isnan(found.figures["flight"])


def _upwards(system) -> np.ndarray:
    """(n,) change of the coordinates that lifts every point by 1 m and turns nothing."""
    points = [system.layout.point(f"{body.name}.{name}").rate(np.eye(system.n)) for body in system.bodies
              for name in ("origin", "com")]  # fmt: skip
    axes = [system.layout.local_vector(body.name, axis)(np.eye(system.n)) for body in system.bodies
            for axis in np.eye(3)]  # fmt: skip
    rows = np.concatenate([*points, *axes], axis=1).T
    wanted = np.concatenate([np.tile([0.0, 1.0, 0.0], len(points)), np.zeros(3 * len(axes))])
    return np.linalg.lstsq(rows, wanted, rcond=None)[0]


# ------------------------------------------------------------------------------------------------- whole recordings
def moved(session: Session, change) -> Session:
    markers = session.dynamic.markers
    p = np.array(markers.p_WM)
    change(p)
    return replace(session, dynamic=replace(session.dynamic, markers=replace(markers, p_WM=p)))


def frozen(p):
    p[66:132] = p[66]


def leap(p):
    p[90:] += [0.5, 0.0, 0.0]


@pytest.mark.parametrize("session", [walked, real])
@pytest.mark.parametrize(("change", "code"), [(frozen, "copied-frames"), (leap, "everybody-leaps")])
def test_frozen_and_leaping_recordings_are_poor_in_motion_and_loads(session, change, code):
    """60 equal frames, and one leap of 0.5 m: trust stayed good."""
    analysis = Analysis(moved(session(), change)).run_until("loads")
    notice = next(one for one in analysis.notices if one.code == code)
    found = trust(analysis)
    assert found.level is Level.POOR
    assert notice.sentence in found.reasons
    assert analysis.loads.trust.level == "poor"
    assert notice.sentence in analysis.loads.trust.verdict
    usable = np.array([frames.usable for frames in analysis.loads.trust.frames_of.values()])
    first, last = (67, 131) if change is frozen else (80, 100)
    assert not usable[:, first : last + 1].any()
    for cycles in analysis.cycles.groups.values():
        for (begin, end), valid in zip(cycles.spans, cycles.valid, strict=True):
            assert not (valid and begin <= last and end >= first)


def test_sound_recordings_stay_as_good_as_they_were():
    """The other movements and people at hand; the pair and the virtual walk are above."""
    performed = record(squat(1), VirtualPerson(), NOISY)
    sessions = [Session(performed.dynamic, performed.static, subject=performed.person.subject)]
    partial = recording("gait_pig_partial_strike", "walk.c3d")
    sessions.append(import_session(partial, static=partial.with_name("static.c3d")))
    markers = recording("gait_rajagopal", "motion_capture_walk.trc")
    sessions.append(
        import_session(
            markers, static=markers.with_name("static_walk_1.trc"), plates=markers.with_name("grf_walk.mot"),
            subject=Subject(mass_kg=85.07, height_m=1.829),
        )
    )  # fmt: skip
    for session in sessions:
        analysis = Analysis(session).run_until("cycles")
        assert [notice.code for notice in analysis.notices if notice.lowers_trust] == []


def test_a_walk_without_a_whole_cycle_is_told():
    session = walked()
    analysis = Analysis(replace(session, dynamic=session.dynamic.stretch(30, 125))).run_until("cycles")
    assert by_code(analysis.cycles)["no-whole-cycle"] is CHECK
