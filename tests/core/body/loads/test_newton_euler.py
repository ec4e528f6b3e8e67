import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.kinematics.segment_motion import segment_motion
from biomec.body.loads.newton_euler import newton_euler
from biomec.engine.forces.external_loads import external_loads, no_loads
from biomec.engine.tree.joint_tree import joint_tree
from tests.core.body.loads.people import MODELS, Moving, person, push_up, random_states, truth_of

RELATIVE = 1e-9  # of the largest load: what is asked for beside Pinocchio; 1e-13 is what comes out


def loads_of(moving: Moving):
    return newton_euler(moving.tree, moving.segments, moving.q, moving.external)


@pytest.mark.parametrize("model", MODELS)
def test_loads_are_those_of_pinocchio(model):
    known = random_states(model)
    loads = loads_of(known.moving)
    signs = np.array([joint.sign for joint in known.moving.tree.joints])[:, None]
    for ours, theirs in (
        (loads.force, signs * known.force),
        (loads.torque, signs * known.torque),
        (loads.residual_force, known.residual_force),
        (loads.residual_torque, known.residual_torque),
    ):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=RELATIVE * np.abs(theirs).max())


def test_a_recorded_movement_leaves_no_residual():
    loads = loads_of(truth_of(push_up()))
    assert np.abs(loads.residual_force).max() < 1e-9  # of 700 N: round-off
    assert np.abs(loads.residual_torque).max() < 1e-9
    assert np.abs(loads.force).max() > 100.0


@pytest.mark.parametrize("model", MODELS)
def test_standing_still_the_residual_is_the_weight(model):
    body = person(model)
    q = body.system.reference[None]
    still = np.zeros_like(q)
    tree = joint_tree(body.system, body.model.roots)
    loads = newton_euler(tree, segment_motion(body.system, q, still, still), q, no_loads(1))
    mass = sum(one.mass for one in body.system.bodies)
    np.testing.assert_allclose(loads.residual_force[0], [0.0, mass * 9.81, 0.0], rtol=0, atol=1e-9)


def test_another_root_changes_only_what_lies_between():
    moving = truth_of(push_up())
    unbalanced = external_loads(moving.external.segments, moving.external.point, 0.9 * moving.external.force)
    one = newton_euler(moving.tree, moving.segments, moving.q, unbalanced)
    tree = joint_tree(moving.tree.system, ("pelvis",))
    other = newton_euler(tree, moving.segments, moving.q, unbalanced)
    assert (one.root, other.root) == ("thorax", "pelvis")
    np.testing.assert_allclose(other.residual_force, one.residual_force, rtol=0, atol=1e-9)
    for joint in one.joints:
        ours, theirs = one.force[:, one.index(joint)], other.force[:, other.index(joint)]
        if joint == "lumbar":  # now carries the residual as well: proximal on distal in both
            np.testing.assert_allclose(theirs, ours - one.residual_force, rtol=0, atol=1e-9)
        else:
            np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-9)


def test_frames_without_motion_stay_unknown_and_harm_no_others():
    moving = truth_of(push_up())
    q, qdot, qddot = (np.array(level[:5]) for level in (moving.q, moving.qdot, moving.qddot))
    whole = loads_of(Moving(moving.model, moving.tree, q, qdot, qddot, _first(moving, 5)))
    for level in (q, qdot, qddot):
        level[2] = np.nan
    gap = loads_of(Moving(moving.model, moving.tree, q, qdot, qddot, _first(moving, 5)))
    assert np.isnan(gap.force[2]).all()
    np.testing.assert_array_equal(np.delete(gap.force, 2, axis=0), np.delete(whole.force, 2, axis=0))


def _first(moving: Moving, frames: int):
    external = moving.external
    return external_loads(
        external.segments, *(part[:frames] for part in (external.point, external.force, external.moment))
    )


def test_different_numbers_of_frames_are_refused():
    moving = truth_of(push_up())
    with pytest.raises(BiomecError, match="must match"):
        newton_euler(moving.tree, moving.segments, moving.q, no_loads(3))
