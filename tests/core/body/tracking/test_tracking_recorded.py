"""A push-up with noise, moving skin and gaps, through the whole analysis, then simulated."""

import numpy as np
import pytest

from biomec.body.tracking.controllers import ControlOptions
from biomec.body.tracking.tracking import TrackingOptions, track
from biomec.body.tracking.what_if import WhatIf, changed_loads, changed_system, shoulder_line, strengths
from biomec.engine.forces.external_loads import external_loads
from biomec.engine.forward.joint_space import JointSpace
from biomec.engine.forward.reference_motion import PrescribedLoads, longest_stretch, reference_motion
from biomec.engine.forward.simulation import Ending
from biomec.io.session_import import import_session
from biomec.pipeline.analysis import Analysis, analyze
from biomec.signals.derivatives import derivative
from biomec.signals.filters import low_pass
from biomec.virtual import DEMO, PushUp, VirtualPerson, push_up, record, write_acquisition

MOVEMENT = PushUp(cycles=1, cycle_s=2.5)


def analysed(movement: PushUp, folder) -> Analysis:
    acquisition = record(movement, VirtualPerson(), DEMO)
    files = write_acquisition(acquisition, folder)
    return analyze(import_session(files["emt"], subject=acquisition.person.subject))


@pytest.fixture(scope="module")
def analysis(tmp_path_factory) -> Analysis:
    return analysed(MOVEMENT, tmp_path_factory.mktemp("noisy"))


def simulated(analysis: Analysis, root: str, what_if: WhatIf = WhatIf(), step_s: float = 2e-3):
    """The longest stretch of the motion without a gap, followed under the recorded loads."""
    body, motion = analysis.body.person, analysis.motion
    times = np.arange(motion.frames) / motion.rate_hz
    part = longest_stretch(np.isfinite(motion.q).all(axis=1))
    space = JointSpace(changed_system(body.system, what_if), body.model.roots)
    loads = changed_loads(analysis.loads.external, what_if, shoulder_line(body.system, motion.q))
    known = external_loads(loads.segments, loads.point[part], loads.force[part], loads.moment[part])
    return track(
        reference_motion(space, times[part], motion.q[part]),
        PrescribedLoads(space, times[part], known),
        TrackingOptions(ControlOptions(root=root), step_s=step_s),
        strength=strengths(space, what_if),
    )


@pytest.fixture(scope="module")
def borne(analysis):
    """The recording followed by its joints, with plates that bear the residual."""
    return simulated(analysis, "ground")


def test_a_noisy_recording_is_followed_and_its_torques_are_those_of_inverse_dynamics(analysis):
    found = simulated(analysis, "held")
    assert found.completed
    assert np.abs(found.deviation[:, :3]).max() < 1e-4
    assert np.abs(found.deviation[:, 3:]).max() < 1e-3
    body, motion, loads = analysis.body.person, analysis.motion, analysis.loads.newton_euler
    space = JointSpace(body.system, body.model.roots)
    error, size = [], []
    for i, t in enumerate(found.time_s[::5]):  # frames are 10 ms apart
        k = round(float(t) * motion.rate_hz)
        if k < 3 or k > motion.frames - 4:
            continue  # accelerations of the first and last frames were smoothed away, and rest on one-sided differences
        wanted = space.efforts(motion.q[k], {name: loads.torque[k, loads.index(name)] for name in space.joints})
        error.append(found.effort[5 * i, 6:] - wanted[6:])
        size.append(wanted[6:])
    assert np.sqrt(np.mean(np.square(error))) < 5e-3 * np.sqrt(np.mean(np.square(size)))


def test_the_residual_at_the_ends_is_what_smoothing_takes_from_the_acceleration(analysis):
    """18 N in the first frame of the demonstration: smoothing by odd reflection leaves no acceleration at the ends.

    The exact path of the centre of mass, smoothed, lacks the same forward and upward force without any simulation.
    """
    truth = record(MOVEMENT, VirtualPerson(), DEMO)
    system, rate = truth.model.system, analysis.motion.rate_hz
    mass = np.array([body.mass for body in system.bodies])
    points = [system.layout.point(f"{body.name}.com") for body in system.bodies]
    path = sum(m * point(truth.truth.q) for m, point in zip(mass, points, strict=True))
    smooth = low_pass(path, rate, float(np.nanmedian(analysis.signals.filtered.cutoff_hz))).values
    lost = derivative(smooth, rate, 2) - derivative(path, rate, 2)
    found = analysis.loads.newton_euler.residual_force
    inside = np.linalg.norm(found[30:-30], axis=1)
    for end in (0, -1):
        assert np.linalg.norm(found[end]) > 4.0 * np.sqrt(np.mean(inside**2))
        # every marker has a cut-off of its own: more is lost of slow ones, less of quick ones than of the median
        assert (found[end, :2] / lost[end, :2] > 0.5).all()
        assert (found[end, :2] / lost[end, :2] < 1.2).all()


def test_the_ground_can_bear_the_residual_of_a_noisy_recording(borne):
    assert borne.completed
    assert not borne.effort[:, :6].any()
    assert np.abs(borne.deviation[:, :3]).max() < 1e-4


def test_brisk_noisy_push_ups_are_followed_to_the_end(tmp_path):
    analysis = analysed(PushUp(cycles=3, cycle_s=1.5), tmp_path)
    found = simulated(analysis, "ground", step_s=4e-3)
    assert found.completed, found.simulation.sentence
    assert found.time_s[-1] - found.time_s[0] > 3 * 1.5
    assert not found.effort[:, :6].any()  # plates and joints alone
    # computed torque errs by its steps of 4 ms, 16 times the 2e-6 m of 1 ms, in push-ups six times as brisk; and no
    # error grows from cycle to cycle
    late = len(found.deviation) // 2
    assert np.abs(found.deviation[:, :3]).max() < 3e-4
    assert np.abs(found.deviation[late:]).max() < 2.0 * np.abs(found.deviation[:late]).max()


def test_the_five_push_ups_of_the_demonstration_are_followed_by_plates_and_joints(tmp_path):
    """18.8 s as they are shipped, in steps of 2.5 ms: what the page on tracking tells, with the error of its steps."""
    analysis = analysed(push_up("closed"), tmp_path)
    found = simulated(analysis, "ground", step_s=2.5e-3)
    assert found.completed, found.simulation.sentence
    assert found.time_s[-1] - found.time_s[0] == pytest.approx(18.84, abs=0.01)
    assert not found.effort[:, :6].any()
    # 1 ms has 2.1e-6 m and 1.2e-5 rad at most; errors of the steps grow with their square
    assert np.abs(found.deviation[:, :3]).max() < 2.5**2 * 3e-6
    assert np.abs(found.deviation[:, 3:]).max() < 2.5**2 * 2e-5
    body, motion, loads = analysis.body.person, analysis.motion, analysis.loads.newton_euler
    space = JointSpace(body.system, body.model.roots)
    error, size = [], []
    for t, effort in zip(found.time_s, found.effort, strict=True):
        k = round(float(t) * motion.rate_hz)
        if abs(k / motion.rate_hz - t) > 1e-9 or not 3 <= k <= motion.frames - 4:
            continue  # between frames, or where accelerations rest on one-sided differences
        wanted = space.efforts(motion.q[k], {name: loads.torque[k, loads.index(name)] for name in space.joints})
        error.append(effort[6:] - wanted[6:])
        size.append(wanted[6:])
    assert len(error) > 1800
    # the ground bears 1.8 N of residual that inverse dynamics leaves at the root: 0.12 N·m of 22
    assert np.sqrt(np.mean(np.square(error))) < 0.01 * np.sqrt(np.mean(np.square(size)))
    change = np.linalg.norm(found.change.sum(axis=1), axis=1)
    assert np.sqrt(np.mean(change**2)) < 2.5  # [N], of a body of 736


def test_nothing_holds_a_free_body_under_noisy_reactions(analysis):
    found = simulated(analysis, "free")
    assert found.simulation.ending is Ending.DIVERGED
    assert "Nothing holds the root" in found.simulation.sentence


def test_half_the_gravity_takes_half_the_weight_off_the_ground(analysis, borne):
    """Recorded reactions bear the whole weight: the ground takes ½ m g back, beside the recording's residual."""
    half = simulated(analysis, "ground", WhatIf(gravity=0.5))
    assert half.completed
    mass = sum(body.mass for body in analysis.body.person.system.bodies)
    less = (half.change - borne.change).sum(axis=1)
    wanted = np.array([0.0, -0.5 * 9.81 * mass, 0.0])
    np.testing.assert_allclose(less.mean(axis=0), wanted, rtol=0, atol=0.5)
