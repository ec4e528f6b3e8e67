from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from biomec.base.errors import BiomecError
from biomec.base.progress import Cancelled
from biomec.body.kinematics.consistency import (
    ConsistencyOptions,
    consistent_motion,
    consistent_positions,
    consistent_rates,
)
from biomec.body.kinematics.contact_points import ContactPoints
from biomec.engine import FrameStatus, PointContacts, PositionOptions, System
from biomec.recording import Markers
from biomec.signals.derivatives import derivative
from tests.core.body.kinematics.moving_person import RATE, markers_of, motion, person, shaken

LIMBS = ("right hand", "left hand", "right foot", "left foot")


def perturbed(frames=40, seed=8):
    """Coordinates of the person in motion with every segment moved by 3 mm and turned by 0.9° at random."""
    body = person()
    rng = np.random.default_rng(seed)
    count = len(body.system.bodies)
    turns = np.deg2rad(0.9) * rng.normal(size=(frames, count, 3))
    shifts = 0.003 * rng.normal(size=(frames, count, 3))
    return motion(frames) + shaken(body, turns, shifts) - body.system.reference


def held_at(q, segments=LIMBS):
    """Contacts where the segments are in coordinates q, 3 cm below their origins; the last ten frames are free."""
    layout = person().system.layout
    cop = np.stack(
        [layout.lift(layout.bodies[s], layout.bodies[s].point_map(np.zeros(3)))(q) for s in segments], axis=1
    )
    cop = cop - np.array([0.0, 0.03, 0.0])
    active = np.ones(cop.shape[:2], dtype=bool)
    active[-10:] = False
    return ContactPoints(
        segments, np.where(active[..., None], cop, np.nan), active, 300.0 * active, ConsistencyOptions()
    )


def turned(markers, R):
    return replace(markers, p_WM=markers.p_WM @ R.T)


def without(markers, name, frames):
    p = np.array(markers.p_WM)
    p[frames, markers.index(name)] = np.nan
    return replace(markers, p_WM=p)


def notice(result, code):
    return [one for one in result.notices if one.code == code]


# ---------------------------------------------------------------------------------------------------------- positions
def test_the_static_pose_comes_out_as_it_went_in():
    body = person()
    result = consistent_motion(body, markers_of(body, np.tile(body.system.reference, (8, 1))))
    assert result.valid.all()
    assert_allclose(result.q, result.q_star, atol=1e-12)
    assert result.distance.max() < 1e-12
    assert_allclose(result.qdot, 0.0, atol=1e-10)
    assert_allclose(result.qddot, 0.0, atol=1e-8)


def test_a_motion_of_the_model_itself_comes_back():
    body, q = person(), motion()
    result = consistent_motion(body, markers_of(body, q))
    assert_allclose(result.q, q, atol=1e-9)  # what the motion's own ‖Φ‖ < 1e-10 leaves
    assert result.marker_residual.max() < 1e-9
    assert set(result.markers) == set(body.followed)
    assert {"IJ", "GU_D", "CAQ_E", "CAL"} <= set(result.landmarks)


def test_perturbed_segments_converge_to_the_nearest_consistent_configuration():
    body = person()
    markers = markers_of(body, perturbed())
    result = consistent_motion(body, markers)
    assert result.valid.all()
    assert result.position.iterations.max() <= 15
    assert result.position.violation.max() < 1e-10
    jacobian = body.system.jacobian(result.q)
    gradient = result.q - result.q_star + np.einsum("tmn,tm->tn", jacobian, result.position.multipliers)
    # landmarks on short bases make up to 7° of 0.9°: what the last step leaves is small beside the pull of 0.13
    assert np.abs(gradient).max() < 5e-5
    assert np.abs(body.system.residual(result.q)).max() < 1e-10
    for kind, after in result.position.after.items():
        assert after.max() < 1e-10 < result.position.before[kind].max()


def test_distances_are_those_between_raw_and_consistent_points():
    body = person()
    markers = markers_of(body, perturbed())
    result = consistent_motion(body, markers)
    k = result.landmarks.index("IJ")
    consistent = body.points_of(result.q)["thorax.IJ"]
    assert_allclose(result.distance[:, k], np.linalg.norm(consistent - markers["IJ"], axis=1), atol=1e-15)
    assert result.landmark_mean["IJ"] == pytest.approx(result.distance[:, k].mean())
    assert result.marker_rms["IJ"] == pytest.approx(np.sqrt(np.mean(result.distance[:, k] ** 2)))


def test_joints_that_come_apart_are_told_by_name_and_millimetre():
    """The right clavicle's marker at the acromion is moved by 2 cm: only the joint at its inner end stays whole."""
    body = person()
    markers = markers_of(body, motion())
    p = np.array(markers.p_WM)
    p[:, markers.index("AC_D")] += [0.02, 0.0, 0.0]
    result = consistent_motion(body, replace(markers, p_WM=p))
    gap = dict(zip(result.joints, result.joint_gap.T, strict=True))
    assert set(gap) == {joint.name for joint in body.model.joints}
    # the scapula's frame rests on AA, TE and AI, so it has the acromion where the static says: 2 cm away
    assert_allclose(gap["right acromioclavicular"], 0.02, atol=1e-9)
    assert max(gap["left acromioclavicular"].max(), gap["right hip"].max()) < 1e-9
    assert "right acromioclavicular 20.0 mm" in notice(result, "joints-apart")[0].sentence


# ------------------------------------------------------------------------------------------- velocities, accelerations
def test_velocities_and_accelerations_obey_the_constraints():
    body = person()
    result = consistent_motion(body, markers_of(body, perturbed()), held_at(perturbed()))
    jacobian = body.system.jacobian(result.q)
    first = np.einsum("tmn,tn->tm", jacobian, result.qdot)
    # independent of the engine's Φ̇q: the directional derivative of Φq along q̇, by central differences
    h = 1e-5
    ahead, behind = (body.system.jacobian(result.q + s * h * result.qdot) for s in (1.0, -1.0))
    bias = np.einsum("tmn,tn->tm", (ahead - behind) / (2.0 * h), result.qdot)
    second = np.einsum("tmn,tn->tm", jacobian, result.qddot) + bias
    assert np.linalg.norm(first, axis=1).max() < 1e-9  # [Nunes2017] reports the order 1e-9 and 1e-8
    assert np.linalg.norm(second, axis=1).max() < 1e-6 * np.linalg.norm(bias, axis=1).max()  # of the differences
    assert result.velocity.after.max() < 1e-9
    assert result.acceleration.after.max() < 1e-8
    assert result.velocity.before.max() > 1e-3


def test_points_held_by_the_ground_have_no_velocity_and_no_acceleration():
    body = person()
    q = perturbed()
    contacts = held_at(q)
    result = consistent_motion(body, markers_of(body, q), contacts)
    rows = PointContacts.at(body.system.layout, result.q_star, contacts.places).jacobian(body.system.n)
    assert np.abs(np.einsum("tmn,tn->tm", rows, result.qdot)).max() < 1e-9
    assert np.abs(np.einsum("tmn,tn->tm", rows, result.qddot)).max() < 1e-8


def test_velocities_are_the_derivative_to_second_order():
    body = person()
    errors = []
    for rate in (100.0, 200.0):
        frames = int(0.5 * rate)
        fine = motion(int(0.5 * 1000.0), rate=1000.0)
        truth = derivative(fine, 1000.0)[:: int(1000.0 / rate)][:frames]
        q = motion(frames, rate=rate)
        result = consistent_motion(body, markers_of(body, q, rate=rate))
        errors.append(np.abs(result.qdot - truth)[5:-5].max())
    assert errors[0] < 0.02  # h²/6 · q⃛: 1e-4/6 · 0.15·3·6³
    assert 3.3 < errors[0] / errors[1] < 4.7


# ----------------------------------------------------------------------------------------------------------- contacts
def test_four_contacts_leave_32_degrees_of_freedom():
    body = person()
    q = body.system.reference[None]
    rows = PointContacts.at(body.system.layout, q, {k: v[:1] for k, v in held_at(np.tile(q, (20, 1))).places.items()})
    jacobian = np.vstack([body.system.jacobian(q[0]), rows.jacobian(body.system.n)[0]])
    assert jacobian.shape == (226, 252)
    rank = np.linalg.matrix_rank(jacobian, tol=1e-9 * np.linalg.norm(jacobian, 2))
    assert (rank, body.system.n - rank) == (220, 32)


def test_the_raw_violation_of_contacts_is_zero_and_their_points_stay_put():
    body = person()
    q = perturbed()
    contacts = held_at(q)
    result = consistent_motion(body, markers_of(body, q), contacts)
    assert result.valid.all()
    assert result.position.before["temporary"].max() < 1e-14
    assert result.position.after["temporary"].max() < 1e-10
    assert result.contacts is contacts
    free = consistent_motion(body, markers_of(body, q))
    assert np.abs(result.q - free.q)[:-10].max() > 1e-4
    assert_allclose(result.q[-10:], free.q[-10:], atol=1e-9)  # frames without contact do not know of the others


def test_held_hands_and_feet_leave_the_shift_to_the_trunk():
    """Published finding for W = I: with contacts the shift of IJ exceeds that of the elbow, that of the wrist is least.

    [Nunes2017] chapter 4; without contacts the wrist moves as much as the others.
    """
    body, q = person(), motion()
    markers = markers_of(body, q, noise=0.003)
    held, free = (consistent_motion(body, markers, contacts).landmark_mean for contacts in (held_at(q), None))
    for side in "DE":
        assert held["IJ"] > held[f"PME_{side}"] > 2.0 * held[f"CAP_{side}"]
        assert free[f"CAP_{side}"] > 3.0 * held[f"CAP_{side}"]


# --------------------------------------------------------------------------------------------------------------- gaps
def test_a_gap_stays_in_its_frames_and_is_told_by_landmark():
    body = person()
    markers = markers_of(body, motion(), noise=0.001)
    whole, gap = consistent_motion(body, markers), consistent_motion(body, without(markers, "IJ", slice(20, 25)))
    assert (gap.position.status[20:25] == FrameStatus.MISSING).all()
    assert not gap.valid[20:25].any()
    for name, reach in (("q", 0), ("qdot", 1), ("qddot", 2)):
        ours, theirs = getattr(gap, name), getattr(whole, name)
        assert np.isnan(ours[20:25]).all()
        outside = np.r_[0 : 20 - reach, 25 + reach : 60]
        assert_allclose(ours[outside], theirs[outside], rtol=0, atol=1e-9)
        assert np.isfinite(ours[np.r_[0:20, 25:60]]).all()
    (missing,) = notice(gap, "frames-missing")
    assert missing.frames == (20, 24)
    assert "IJ" in missing.sentence
    assert "Frames 20 to 24 (0.05 s)" in missing.sentence
    numbered = consistent_motion(body, without(markers, "IJ", slice(20, 25)), first_frame=101)
    assert "Frames 121 to 125" in notice(numbered, "frames-missing")[0].sentence
    assert "CAC" not in missing.sentence  # what is computed from others is not what the user must fill


def test_landmarks_on_a_line_are_told_by_segment():
    body = person()
    markers = markers_of(body, motion(12))
    p = np.array(markers.p_WM)
    p[3:5, markers.index("MC2_D")] = p[3:5, markers.index("MC5_D")]
    result = consistent_motion(body, replace(markers, p_WM=p))
    assert not result.valid[3:5].any()
    assert "the right hand cannot be built" in notice(result, "frames-missing")[0].sentence


@pytest.mark.parametrize("method", ["coordinates", "markers"])
@pytest.mark.parametrize("frames", [1, 2])
def test_few_frames_have_positions_but_no_derivatives(frames, method):
    body = person()
    q = motion()[:frames]
    result = consistent_motion(body, markers_of(body, q), options=ConsistencyOptions(method=method))
    assert_allclose(result.q, q, atol=1e-5)
    assert np.isnan(result.qdot).all()


def test_stretches_too_short_for_a_derivative_have_none():
    body = person()
    markers = without(markers_of(body, motion()), "IJ", np.r_[10:20, 22:30])
    result = consistent_motion(body, markers)
    assert result.valid[20:22].all()
    assert np.isnan(result.qdot[20:22]).all()
    assert np.isnan(result.qddot[20:22]).all()


def test_a_recording_that_lacks_a_landmark_altogether_is_told():
    body = person()
    markers = markers_of(body, motion())
    result = consistent_motion(body, markers.select([name for name in markers.names if name != "IJ"]))
    assert not result.valid.any()
    assert "None of the 60 frames" in result.notices[0].sentence
    assert "IJ" in notice(result, "frames-missing")[0].sentence


# -------------------------------------------------------------------------------------------------------- invariances
@settings(max_examples=8, deadline=None)
@given(st.integers(0, 1000), st.sampled_from(["coordinates", "markers"]))
def test_turning_the_laboratory_changes_nothing(seed, method):
    body, q = person(), perturbed(12)
    markers = markers_of(body, q)
    R = Rotation.random(rng=np.random.default_rng(seed)).as_matrix()
    contacts = held_at(q)
    options = ConsistencyOptions(method=method)
    here = consistent_motion(body, markers, contacts, options)
    there = consistent_motion(body, turned(markers, R), replace(contacts, cop=contacts.cop @ R.T), options)
    for name, tolerance in (("q", 1e-8), ("qdot", 1e-6), ("qddot", 1e-4)):  # each derivative multiplies by the rate
        vectors = getattr(here, name).reshape(12, -1, 3)
        assert_allclose(getattr(there, name).reshape(12, -1, 3), vectors @ R.T, atol=tolerance)
    assert_allclose(there.distance, here.distance, atol=1e-8)


# ------------------------------------------------------------------------------------------------- the rest of a step
def massless(body, name):
    bodies = [
        replace(b, mass=0.0, inertia=None, points={k: p for k, p in b.points.items() if k != "com"})
        if b.name == name
        else b
        for b in body.system.bodies
    ]
    return replace(body, system=System(bodies, body.system.constraints, name=body.system.name))


def test_a_massless_segment_makes_the_metric_plain_and_says_so():
    body = massless(person(), "right hand")
    markers = markers_of(body, perturbed())
    result = consistent_motion(body, markers)
    (metric_notice,) = notice(result, "no-mass-metric")
    assert "right hand" in metric_notice.sentence
    plain = consistent_motion(body, markers, None, ConsistencyOptions(metric="identity"))
    assert not notice(plain, "no-mass-metric")
    assert_allclose(result.qddot, plain.qddot)


def test_frames_that_do_not_converge_are_not_valid():
    body = person()
    options = ConsistencyOptions(position=PositionOptions(max_iterations=2))
    result = consistent_motion(body, markers_of(body, perturbed()), None, options)
    assert not result.valid.any()
    assert np.isnan(result.q).all()
    assert np.isfinite(result.position.q).all()
    assert notice(result, "frames-max-iter")[0].frames == (0, 39)


def test_a_landmark_that_leaves_its_segment_is_named():
    body = person()
    markers = markers_of(body, motion())
    p = np.array(markers.p_WM)
    p[:, markers.index("EM_D")] += [0.0, 0.0, -0.05]
    result = consistent_motion(body, replace(markers, p_WM=p))
    notices = [one for one in notice(result, "segment-changes-shape") if one.about[0] == "right humerus"]
    assert len(notices) == 1
    assert "EM_D" in notices[0].about
    worst = notice(result, "marker-residuals")[0]
    assert worst.about[0] == "EM_D"
    assert notice(result, "worst-constraints")


def test_numbers_of_notices_are_those_of_the_result():
    body = person()
    result = consistent_motion(body, markers_of(body, perturbed()))
    name, rms = max(result.marker_rms.items(), key=lambda one: one[1])
    assert f"{name} {1e3 * rms:.1f} mm" in notice(result, "marker-residuals")[0].sentence
    name, mean = max(result.landmark_mean.items(), key=lambda one: one[1])
    assert f"{name} {1e3 * mean:.1f} mm" in notice(result, "landmarks-moved")[0].sentence
    assert f"{result.position.iterations.mean():.1f} iterations" in notice(result, "consistency")[0].sentence


def test_progress_rises_to_one_and_cancelling_leaves_nothing():
    body = person()
    markers = markers_of(body, motion())
    done = []
    consistent_motion(body, markers, progress=done.append)
    assert done == sorted(done)
    assert done[-1] == 1.0

    def stop(fraction):
        raise Cancelled("stopped")

    before = markers.p_WM.copy()
    with pytest.raises(Cancelled):
        consistent_motion(body, markers, progress=stop)
    assert_allclose(markers.p_WM, before)


def test_what_a_session_stores_is_complete():
    body = person()
    result = consistent_positions(body, markers_of(body, perturbed()), held_at(perturbed()))
    stored = result.to_result()
    assert_allclose(stored["q"], result.q)
    moving = consistent_rates(body, result)
    assert_allclose(moving.to_result()["qdot"], moving.qdot)
    assert_allclose(moving.to_result()["acceleration violation after"], moving.acceleration.after)
    assert_allclose(stored["violation before, ellipsoid"], result.position.before["ellipsoid"])
    assert list(stored.metadata["landmarks"]) == list(result.landmarks)
    assert stored.metadata["options"]["position"]["tolerance"] == 1e-10
    assert list(stored.metadata["contacts"]) == list(LIMBS)
    with pytest.raises(ValueError, match="read-only"):
        result.q[0, 0] = 0.0


def test_contacts_of_other_frames_are_refused():
    body = person()
    with pytest.raises(BiomecError, match="take both from one trial"):
        consistent_motion(body, Markers.none(5, RATE), held_at(motion()))
