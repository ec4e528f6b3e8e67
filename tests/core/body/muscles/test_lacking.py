"""Contact is only a lower bound where torque is lacking, since reserves press on nothing."""

from dataclasses import replace

import numpy as np
from numpy.testing import assert_allclose

from biomec.body.muscles.joint_contact import joint_contacts
from biomec.body.muscles.lacking import bears, joints_at_least, lacking_torques, lower_bounds
from biomec.body.muscles.muscle_forces import muscle_forces
from biomec.body.muscles.sharing_options import FREE, SharingOptions
from biomec.body.muscles.shortages import Shortage
from tests.core.body.muscles.test_muscle_forces import walking

OPTIONS = SharingOptions(glenohumeral=FREE)
RIGHT_KNEE = tuple(f"right knee {k + 1}" for k in range(16))


def knee_without(share):
    """The walking person with weaker muscles of the right knee."""
    model = walking().model()
    strength = np.where(np.isin(model.names, RIGHT_KNEE), 1.0 - share, 1.0)
    return model, muscle_forces(model, OPTIONS, strength=strength)


def test_contact_is_a_lower_bound_where_a_torque_is_lacking():
    """Muscles of the knee as strong as needed make the lacking torque, and press the knee as much or more."""
    model, weak = knee_without(0.97)
    _, whole = knee_without(0.0)
    least = lower_bounds(model, weak)
    knee = model.loads.joints.index("right knee")
    k = weak.rows.index("right knee flexion")
    short = lacking_torques(weak)[:, k]
    assert short.any()
    assert not short.all()
    assert (least[:, knee] == short).all()
    before = lower_bounds(model, whole)
    assert not before[:, knee].any()
    motion = walking().moving.segments
    now, then = (joint_contacts(model, one, motion).size[:, knee] for one in (weak, whole))
    assert (now[short] < then[short]).all()  # it looked like relief
    others = [j for j, joint in enumerate(model.loads.joints) if not joint.startswith("right knee")]
    assert (least[:, others] == before[:, others]).all()  # muscles of this person cross one joint each
    contacts = joint_contacts(model, weak, motion)
    assert joints_at_least(contacts, least) - joints_at_least(contacts, before) == {"right knee"}
    assert not bears(whole, weak)
    assert bears(whole, whole)


def test_a_muscle_over_two_joints_makes_both_uncertain():
    """Who would have to pull more presses every joint that he crosses; who has no strength does not."""
    model, weak = knee_without(0.97)
    hip = model.loads.joints.index("right hip")
    joints = np.append(model.crossed.joint, [hip] * len(RIGHT_KNEE))
    muscles = np.append(model.crossed.muscle, [model.names.index(name) for name in RIGHT_KNEE])
    two = replace(model, crossed=replace(model.crossed, joint=joints, muscle=muscles))
    assert not lower_bounds(model, weak)[:, hip].any()
    assert lower_bounds(two, weak)[:, hip].any()
    gone = muscle_forces(model, OPTIONS, strength=np.where(np.isin(model.names, RIGHT_KNEE), 0.0, 1.0))
    assert not lower_bounds(two, gone)[:, hip].any()
    assert lower_bounds(two, gone)[:, model.loads.joints.index("right knee")].any()


def test_frames_without_a_solution_bound_nothing():
    model, _ = knee_without(0.0)
    strength = np.where(np.isin(model.names, RIGHT_KNEE), 0.03, 1.0)
    none = muscle_forces(model, SharingOptions(glenohumeral=FREE, reserve_Nm=None), strength=strength)
    unsolved = none.moving & ~np.isfinite(none.activation).all(axis=1)
    assert unsolved.any()
    assert_allclose(lower_bounds(model, none).all(axis=1), unsolved)


def test_more_can_be_lacking_than_is_asked_for():
    """Measured activations that are too great pull against a torque: the sentence said "lack 70.8 of 17.3 N·m"."""
    usual = Shortage("right knee extension", "right knee", (3, 9), 7, 12.0, 40.0, (("right vastus medialis", 1.5),))
    assert usual.sentence == (
        "Right knee extension: the muscles lack 12.0 of 40.0 N·m, in 7 frames. It would take muscles as strong as: "
        "right vastus medialis 1.5 times."
    )
    against = replace(usual, missing_Nm=70.8, wanted_Nm=17.3).sentence
    assert "lack 70.8 N·m where 17.3 are asked for, as others pull against it, in 7 frames" in against
