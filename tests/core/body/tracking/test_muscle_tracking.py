"""Muscles of the legs follow a walk by computed muscle control."""

from __future__ import annotations

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.kinematics.segment_motion import segment_motion
from biomec.body.loads.newton_euler import newton_euler
from biomec.body.muscles.fitting import fit_muscles
from biomec.body.muscles.muscle_paths import muscle_paths
from biomec.body.muscles.set_file import load_muscle_set
from biomec.body.muscles.sharing import SOLVED
from biomec.body.muscles.sharing_model import person_muscles
from biomec.body.tracking.muscle_tracking import MuscleTracking, MuscleTrackingOptions, track_by_muscles
from biomec.engine.forces.external_loads import external_loads
from biomec.engine.forward.joint_space import JointSpace
from biomec.engine.forward.reference_motion import PrescribedLoads, reference_motion
from biomec.io.session_import import import_session
from biomec.pipeline.analysis import analyze
from biomec.pipeline.settings import AnalysisSettings, MuscleSettings, SignalSettings
from biomec.signals import CutoffChoice, FilterOptions
from tests.core.body.loads.performed import performed
from tests.real_data import recording

PART = slice(24, 46)  # 0.24 to 0.45 s: the left foot leaves the ground, the right one takes the weight


@pytest.fixture(scope="module")
def followed() -> MuscleTracking:
    walk = performed("walk")
    person = walk.acquisition.model
    space = JointSpace(person.system, person.model.roots)
    times = walk.acquisition.truth.time_s[PART]
    part = external_loads(*(
        (walk.external.segments, *(getattr(walk.external, name)[PART] for name in ("point", "force", "moment")))
    ))  # fmt: skip
    return track_by_muscles(
        reference_motion(space, times, walk.q[PART]), PrescribedLoads(space, times, part),
        fit_muscles(person, load_muscle_set("legs")), start_s=0.28, duration_s=0.1,
    )  # fmt: skip


def test_the_walk_is_followed(followed: MuscleTracking) -> None:
    """By muscles within their bounds; reserves are what feet that come and go ask in 5 ms, and are reported."""
    assert followed.completed
    assert len(followed.rows) == 12
    off = np.degrees(np.abs(followed.row_deviation)).max(axis=0)
    for joint, most in (("hip", 0.2), ("knee", 0.5), ("ankle", 1.5)):
        assert max(off[k] for k, name in enumerate(followed.rows) if joint in name) < most
    others = [k for k, name in enumerate(followed.names) if name not in followed.rows]
    assert np.abs(followed.deviation[:, others]).max() < 1e-5  # led by computed torque
    activation = followed.muscles.activation
    assert 0.0099 < activation.min() < 0.02
    assert 0.3 < activation.max() <= 1.0
    assert ((followed.excitation >= 0.01) & (followed.excitation <= 1.0)).all()
    assert (followed.status == SOLVED).all()
    assert np.abs(followed.reserve).max() < 0.35 * np.abs(followed.wanted).max()
    assert followed.simulation.violation.max() < 1e-3


def test_energy_is_balanced(followed: MuscleTracking) -> None:
    """Of the muscles: elastic energy = contractile work − damping + what paths gave; of the body, with all that acted.

    To the error of the trapezoidal rule with steps of 1 ms, which is a quarter with half of them.
    """
    did = followed.muscles
    power = (did.force * did.speed).sum(axis=1)
    given = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(did.time_s))])
    left = did.elastic_energy - did.contractile_work + did.damping_work - given
    assert did.contractile_work[-1] > 10.0
    assert np.ptp(left) < 5e-4 * did.contractile_work[-1]
    assert np.abs(followed.simulation.energy_drift).max() < 5e-3


def test_net_torques_of_the_simulated_motion_are_those_of_muscles_and_reserves(followed: MuscleTracking) -> None:
    """Inverse dynamics of what was simulated, with moment arms of the muscle paths: what is left is the reserve."""
    walk = performed("walk")
    person, run, chosen = walk.acquisition.model, followed.simulation, slice(10, 90, 5)
    q, qdot, qddot = (level[chosen] for level in (run.q, run.qdot, run.qddot))
    at = run.time_s[chosen]
    whole = walk.acquisition.truth.time_s
    ground = PrescribedLoads(JointSpace(person.system, person.model.roots), whole, walk.external)
    loads = [ground.wrenches(float(t)) for t in at]
    force, moment = (np.array([one[k] for one in loads]) for k in (0, 1))
    external = external_loads(ground.segments, np.zeros_like(force), force, moment)
    motion = segment_motion(person.system, q, qdot, qddot)
    net = newton_euler(walk.tree, motion, q, external)
    paths = muscle_paths(person, q, qdot, fit_muscles(person, load_muscle_set("legs")), motion=motion)
    model = person_muscles(paths, net)
    left = model.rows.wanted - np.einsum("tmk,tm->tk", model.arms, followed.muscles.force[chosen])
    share = (at[:, None] - followed.control_s) / 0.005
    now = np.array([np.flatnonzero(one > -1e-6)[-1] for one in share])
    fraction = np.clip(share[np.arange(len(at)), now], 0.0, 1.0)[:, None]
    reserve = (1.0 - fraction) * followed.reserve[np.maximum(now - 1, 0)] + fraction * followed.reserve[now]
    for joint in ("right hip", "left hip", "right knee", "left knee", "right ankle", "left ankle"):
        mine = [k for k, name in enumerate(followed.rows) if name.startswith(joint)]
        theirs = [k for k, name in enumerate(model.rows.titles) if name.startswith(joint)]
        assert len(mine) == len(theirs)
        if joint.endswith("ankle"):  # of a universal joint, whose axes are not quite square
            continue
        sizes = (np.linalg.norm(part, axis=1) for part in (left[:, theirs], reserve[:, mine]))
        assert next(sizes) == pytest.approx(next(sizes), abs=0.05)  # the state is off its constraints by 1e-4


def test_what_cannot_be_gets_a_sentence(followed: MuscleTracking) -> None:
    with pytest.raises(BiomecError, match="interval must be at least a step"):
        MuscleTrackingOptions(interval_s=1e-4)


def test_a_recorded_walk_is_followed() -> None:
    """A tenth of a second in the stance of the right leg, of the published walk through the whole analysis.

    Forces are near those of load sharing, which knows neither tendons that give nor time: 20 N RMS, of up to 680 N.
    """
    filtered = SignalSettings(marker_filter=FilterOptions(CutoffChoice.FIXED, 6.0))
    settings = AnalysisSettings(signals=filtered, muscles=MuscleSettings(set="legs"))
    analysis = analyze(import_session(recording("gait_opensim2354") / "subject01_walk1.trc"), settings)
    analysis = analysis.run_until("muscles")
    body, motion, loads = analysis.body.person, analysis.motion, analysis.loads.external
    part = slice(50, 72)
    times = np.arange(motion.frames)[part] / motion.rate_hz
    space = JointSpace(body.system, body.model.roots)
    known = external_loads(loads.segments, loads.point[part], loads.force[part], loads.moment[part])
    found = track_by_muscles(
        reference_motion(space, times, motion.q[part]), PrescribedLoads(space, times, known),
        fit_muscles(body, load_muscle_set("legs")), start_s=0.9, duration_s=0.1,
    )  # fmt: skip
    assert found.completed
    assert len(found.rows) == 12
    assert np.degrees(np.abs(found.row_deviation)).max() < 0.5
    assert np.abs(found.reserve).max() < 0.05  # N·m, of up to 50
    assert np.abs(found.wanted).max() > 30.0
    assert ((found.muscles.activation > 0.0099) & (found.muscles.activation <= 1.0)).all()
    frames = np.arange(56, 60)  # without the first 30 ms, in which fibres come to their course
    states = np.searchsorted(found.time_s, frames / motion.rate_hz)
    shared = analysis.muscles.forces
    assert shared.names == found.muscles.names
    apart = found.muscles.force[states] - shared.force[frames]
    assert np.sqrt((apart**2).mean()) < 40.0
    assert shared.force[frames].max() > 500.0
