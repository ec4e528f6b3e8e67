"""Dynamically consistent motion of virtual persons: truth stays, disturbed motion comes nearer to it."""

from functools import cache

import numpy as np
import pytest
import scipy

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.progress import Cancelled
from biomec.body.kinematics.segment_motion import segment_motion
from biomec.body.loads.dynamic_motion import FADE_S, DynamicChange, dynamic_motion
from biomec.body.loads.dynamic_options import DynamicOptions
from biomec.body.loads.multibody_inverse import multibody_loads
from biomec.body.loads.newton_euler import newton_euler
from biomec.body.loads.options import METHODS
from biomec.body.loads.residual_reduction import ReductionOptions, reduce_residuals
from biomec.body.tracking.controllers import ControlOptions
from biomec.body.tracking.tracking import TrackingOptions, track
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.engine.forward.joint_space import JointSpace
from biomec.engine.forward.reference_motion import PrescribedLoads, ReferenceMotion, reference_motion
from tests.core.body.loads.performed import RATE_HZ, Performed, performed

PROMISED = 1e-6  # N, N·m
STRETCH = slice(40, 200)  # of the push-up; 160 frames keep the tests quick
Jet = tuple[FloatArray, FloatArray, FloatArray]


def space_of(one: Performed) -> JointSpace:
    return JointSpace(one.system, one.acquisition.model.model.roots)


@cache
def disturbed(name: str) -> tuple[Jet, ReferenceMotion]:
    """The movement with smooth errors of some millimetres and half a degree in every freedom."""
    one = performed(name)
    space, times = space_of(one), np.arange(len(one.q)) / RATE_HZ
    reference = reference_motion(space, times, one.q)
    rng = np.random.default_rng(1)
    size = rng.normal(size=(3, space.size)) * np.where(np.arange(space.size) < 3, 0.003, np.deg2rad(0.4))
    hz, phase = rng.uniform(0.3, 1.5, size.shape), rng.uniform(0.0, 2.0 * np.pi, size.shape)
    error = (size * np.sin(2.0 * np.pi * hz * times[:, None, None] + phase)).sum(axis=1)
    curve = scipy.interpolate.make_interp_spline(times, reference.curves[0](times) + error, k=5)
    bad = ReferenceMotion(
        space, reference.start_s, reference.end_s, reference.base, (curve, curve.derivative(1), curve.derivative(2))
    )
    q, qdot, qddot = bad.states(times)
    return (q, qdot, qddot), bad


def counted(one: Performed, part: slice = STRETCH) -> np.ndarray:
    frames = np.zeros(len(one.q), dtype=np.bool_)
    frames[part] = True
    return frames


@cache
def mended(name: str, trust: str = "both") -> tuple[Jet, ExternalLoads, DynamicChange]:
    one = performed(name)
    states, _ = disturbed(name)
    return dynamic_motion(one.tree, states, one.external, counted(one), RATE_HZ, DynamicOptions(trust=trust))


def residual(one: Performed, states: Jet, external: ExternalLoads, part: slice = STRETCH) -> float:
    """Largest force or torque that the root needs, by Newton and Euler."""
    loads = newton_euler(one.tree, segment_motion(one.system, *states), states[0], external)
    return max(float(np.abs(a[part]).max()) for a in (loads.residual_force, loads.residual_torque))


@pytest.mark.parametrize("trust", ["both", "plates"])
@pytest.mark.parametrize("name", ["push-up", "walk"])
def test_no_frame_keeps_a_residual(name, trust):
    one = performed(name)
    states, external, change = mended(name, trust)
    assert residual(one, disturbed(name)[0], one.external) > 5.0
    assert residual(one, states, external) <= PROMISED
    assert np.array_equal(np.flatnonzero(change.consistent), np.arange(STRETCH.start, STRETCH.stop))
    assert (change.force_most == 0.0) == (trust == "plates")
    system = one.system
    for t in range(STRETCH.start, STRETCH.stop, 20):  # segments stay rigid, joints together, contacts closed
        assert np.abs(system.residual(states[0][t])).max() < 1e-9
        assert np.abs(system.jacobian(states[0][t]) @ states[1][t]).max() < 1e-9


@pytest.mark.parametrize("method", METHODS)
def test_the_whole_mechanism_says_the_same(method):
    one = performed("push-up")
    states, external, _ = mended("push-up")
    loads = multibody_loads(one.tree, states[0], states[2], external, method)
    for left in (loads.residual_force, loads.residual_torque):
        assert np.abs(left[STRETCH]).max() <= PROMISED


def test_the_truth_stays():
    """The true accelerations are exact, and those of splines through the frames err by 1e-6 of them."""
    one = performed("push-up")
    truth = (one.q, one.qdot, one.qddot)
    states, external, change = dynamic_motion(one.tree, truth, one.external, counted(one), RATE_HZ)
    assert change.place_most.max() < 1e-8
    assert change.force_most < 1e-5
    assert residual(one, states, external) <= PROMISED


@pytest.mark.parametrize(("trust", "centre", "acceleration"), [("both", 0.6, 0.15), ("plates", 0.6, 1e-6)])
@pytest.mark.parametrize("name", ["push-up", "walk"])
def test_a_disturbed_motion_comes_nearer_to_the_truth(name, trust, centre, acceleration):
    """Place and acceleration of the whole body's centre, of all segments, and torques of the joints."""
    one = performed(name)
    bad, (states, external, _) = disturbed(name)[0], mended(name, trust)
    before, after = (segment_motion(one.system, *each) for each in (bad, states))

    def rms(a: FloatArray, b: FloatArray) -> float:
        return float(np.sqrt(((a - b)[STRETCH] ** 2).mean()))

    for what, share in (("whole_body_com", centre), ("whole_body_acceleration", acceleration), ("p_com", 0.9)):
        errors = [rms(getattr(motion, what), getattr(one.motion, what)) for motion in (before, after)]
        assert errors[1] < share * errors[0], what
    torque = one.loads().torque
    errors = [
        rms(newton_euler(one.tree, motion, q, loads).torque, torque)
        for motion, q, loads in ((before, bad[0], one.external), (after, states[0], external))
    ]
    assert errors[1] < 0.9 * errors[0]


def test_its_torques_and_forces_reproduce_it():
    """Fed forward for 0.1 s while nothing holds the root: the disturbed motion drifts 1e4 times as far."""
    one = performed("push-up")
    states, external, _ = mended("push-up")
    times = np.arange(len(one.q)) / RATE_HZ
    drift = []
    for q, loads in ((disturbed("push-up")[0][0], one.external), (states[0], external)):
        reference = reference_motion(space_of(one), times[STRETCH], q[STRETCH])
        given = PrescribedLoads(space_of(one), times, loads)
        options = TrackingOptions(ControlOptions("feed-forward", "free"), integrator="joint-runge-kutta")
        run = track(reference, given, options, start_s=1.0, duration_s=0.1)
        drift.append(float(np.abs(run.deviation).max()))
    assert drift[1] < 1e-3 * drift[0]


def test_splines_through_the_frames_give_the_accelerations():
    """What a simulation follows (`reference_motion`) is consistent as well, away from the ends of the stretch."""
    one = performed("push-up")
    states, external, _ = mended("push-up")
    times = np.arange(len(one.q)) / RATE_HZ
    reference = reference_motion(space_of(one), times, states[0])
    inner = slice(STRETCH.start + 40, STRETCH.stop - 40)
    whole = [level.copy() for level in states]
    for level, values in zip(whole, reference.states(times[inner]), strict=True):
        level[inner] = values
    assert residual(one, (whole[0], whole[1], whole[2]), external, inner) < 1e-4


def test_the_change_ends_softly():
    bad, (states, _, change) = disturbed("push-up")[0], mended("push-up")
    soft = int(FADE_S * RATE_HZ)
    first, last = np.flatnonzero(change.changed)[[0, -1]]
    assert first == STRETCH.start - soft + 1
    assert last == STRETCH.stop - 1 + soft - 1
    for level, other in zip(states, bad, strict=True):
        assert np.array_equal(level[:first], other[:first])
        assert np.array_equal(level[last + 1 :], other[last + 1 :])
    step = np.abs(np.diff(states[0], axis=0) * RATE_HZ - 0.5 * (states[1][1:] + states[1][:-1]))
    usual = np.abs(np.diff(bad[0], axis=0) * RATE_HZ - 0.5 * (bad[1][1:] + bad[1][:-1])).max()
    assert step[first - 2 : last + 2].max() < 3.0 * usual + 1e-3  # m/s: velocities are those of the positions


def test_between_two_stretches_the_change_goes_over_from_one_to_the_other():
    """A foot was off the plates for 0.2 s: less than both soft ends need."""
    one = performed("push-up")
    bad = disturbed("push-up")[0]
    frames = counted(one, slice(60, 120)) | counted(one, slice(140, 200))
    states, external, change = dynamic_motion(one.tree, bad, one.external, frames, RATE_HZ)
    assert np.array_equal(change.consistent, frames)
    assert residual(one, states, external, slice(60, 120)) <= PROMISED
    assert residual(one, states, external, slice(140, 200)) <= PROMISED
    gap = slice(118, 142)
    assert change.changed[gap].all()
    after, before = (segment_motion(one.system, *each) for each in (states, bad))
    squares = ((after.a_com - before.a_com) ** 2).sum(axis=2)
    apart = np.sqrt(np.average(squares, axis=1, weights=before.mass))
    assert apart[change.hurried].min() > 1.0  # m/s²
    assert change.hurried[120:140].any()
    assert not change.hurried[frames].any()
    assert change.hurried[(apart > 1.0) & ~frames].all()
    found = reduce_residuals(
        one.tree, *bad, one.external, frames, RATE_HZ, ReductionOptions(None, None, DynamicOptions())
    )
    notice = next(one for one in found.notices if one.code == "hurried")
    assert notice.sentence.startswith(f"Loads in {change.hurried.sum()} frames beside the consistent ones are left out")
    assert np.abs(states[0] - bad[0])[gap].max(axis=1).min() > 1e-5  # it does not go back between them
    for level in (0, 1):  # what follows is the derivative of what is before, by the trapezoidal rule and its error
        course, rate = states[level][gap], states[level + 1][gap]
        off = np.abs(np.diff(course, axis=0) * RATE_HZ - 0.5 * (rate[1:] + rate[:-1]))
        bend = np.abs(np.diff(rate, n=2, axis=0)).max()
        assert off.max() < 3.0 * bend / 12.0


def test_only_forces_change_if_the_motion_is_trusted():
    one = performed("push-up")
    bad = disturbed("push-up")[0]
    states, external, change = dynamic_motion(
        one.tree, bad, one.external, counted(one), RATE_HZ, DynamicOptions(trust="motion")
    )
    assert all(a is b for a, b in zip(states, bad, strict=True))
    assert residual(one, states, external) <= PROMISED
    assert change.place_most.max() == 0.0
    assert change.force_most > 1.0
    outside = ~change.consistent
    assert np.array_equal(external.force[outside], one.external.force[outside])


def test_forces_stop_at_their_limits():
    one = performed("push-up")
    options = DynamicOptions(force_n=50.0, moment_nm=20.0, most_force_n=0.5, most_moment_nm=0.2)
    states, external, change = dynamic_motion(
        one.tree, disturbed("push-up")[0], one.external, counted(one, slice(60, 100)), RATE_HZ, options
    )
    assert residual(one, states, external, slice(60, 100)) <= PROMISED
    assert change.stopped > 0
    assert np.abs(change.force).max() <= 0.5
    assert np.abs(change.moment).max() <= 0.2


def test_reduction_reports_what_was_done():
    one = performed("push-up")
    bad = disturbed("push-up")[0]
    options = ReductionOptions(None, None, DynamicOptions())
    found = reduce_residuals(one.tree, *bad, one.external, counted(one), RATE_HZ, options)
    assert max(found.after.force_peak[3], found.after.torque_peak[3]) <= PROMISED
    assert found.before.force_rms[3] > 5.0
    assert found.dynamics is not None
    assert found.external is not one.external
    notice = next(one for one in found.notices if one.code == "dynamically-consistent")
    assert notice.sentence.startswith("160 frames obey the equations of motion. For this, segments moved by ")
    assert "forces of the ground changed by up to" in notice.sentence
    assert {one.code for one in found.notices}.isdisjoint({"not-nearest", "change-large"})
    stored = found.to_result()
    assert stored.arrays["place_rms"].shape == (len(one.system.bodies),)


def test_a_trembling_motion_is_not_passed_off_as_the_nearest():
    """An unfiltered recording moved by 28 mm, and nothing said that nearer motions obey the equations as well."""
    one = performed("push-up")
    times = np.arange(len(one.q)) / RATE_HZ
    curves = reference_motion(space_of(one), times, one.q).curves[0](times)
    noisy = curves + np.random.default_rng(2).normal(size=curves.shape) * 1e-3  # a millimetre, and 0.06°
    curve = scipy.interpolate.make_interp_spline(times, noisy, k=5)
    base = reference_motion(space_of(one), times, one.q).base
    q, qdot, qddot = ReferenceMotion(
        space_of(one), 0.0, float(times[-1]), base, (curve, curve.derivative(1), curve.derivative(2))
    ).states(times)
    options = ReductionOptions(None, None, DynamicOptions(trust="plates"))
    found = reduce_residuals(one.tree, q, qdot, qddot, one.external, counted(one, slice(60, 100)), RATE_HZ, options)
    assert found.dynamics is not None
    assert found.dynamics.slack > 0.2
    notice = next(one for one in found.notices if one.code == "not-nearest")
    assert "Filter the markers" in notice.sentence
    assert mended("push-up")[2].slack < 0.1


def test_what_cannot_be_gets_a_sentence():
    one = performed("push-up")
    bad = disturbed("push-up")[0]
    with pytest.raises(BiomecError, match="12 frames in a row in which force plates bear the whole body"):
        dynamic_motion(one.tree, bad, one.external, counted(one, slice(10, 20)), RATE_HZ)
    with pytest.raises(BiomecError, match="trust is both, plates, motion, not"):
        DynamicOptions(trust="nobody")
    with pytest.raises(BiomecError, match="must be positive"):
        DynamicOptions(force_n=0.0)

    def stop(fraction: float) -> None:
        raise Cancelled("Cancelled.")

    with pytest.raises(Cancelled):
        dynamic_motion(one.tree, bad, one.external, counted(one, slice(60, 80)), RATE_HZ, progress=stop)
