"""Loads of the joints of the virtual person, from momentum, against statics, inverse dynamics, and themselves."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import simpson

from biomec.body.kinematics.segment_motion import segment_motion
from biomec.body.loads.multibody_inverse import multibody_loads
from biomec.body.loads.newton_euler import newton_euler
from biomec.engine.forces.external_loads import external_loads, no_loads
from biomec.engine.system import System
from biomec.engine.tree.joint_tree import joint_tree
from biomec.virtual import ArmElevation, PushUp, RecordOptions, Squat, VirtualAcquisition, VirtualPerson, Walk, record

RATES = RecordOptions(50.0, 50.0)
MOVEMENTS = {
    "push-up": PushUp("closed", cycles=1),
    "open push-up": PushUp("open", cycles=1),
    "squat": Squat(),
    "walk": Walk(),
    "arm elevation": ArmElevation(),
}


def loads_of(acquisition: VirtualAcquisition, method: str = ""):
    truth, model = acquisition.truth, acquisition.model
    tree = joint_tree(model.system, model.model.roots)
    ground = list(truth.reactions.values())
    external = external_loads(
        [one.segment for one in ground],
        *(np.stack([getattr(one, name) for one in ground], axis=1) for name in ("point", "force", "moment")),
    )
    if method:
        return multibody_loads(tree, truth.q, truth.qddot, external, method)
    motion = segment_motion(model.system, truth.q, truth.qdot, truth.qddot)
    return newton_euler(tree, motion, truth.q, external)


@pytest.mark.parametrize("name", MOVEMENTS)
def test_inverse_dynamics_gives_the_loads_of_every_joint_back(name):
    """Momentum beyond a joint on one side, Euler's equations from segment to segment on the other."""
    acquisition = record(MOVEMENTS[name], VirtualPerson(), RATES)
    found = loads_of(acquisition)
    assert set(found.joints) == set(acquisition.truth.loads)
    largest = max(np.abs(one.force).max() for one in acquisition.truth.loads.values())
    for k, joint in enumerate(found.joints):
        true = acquisition.truth.loads[joint]
        assert (found.proximal[k], found.distal[k]) == (true.proximal, true.distal)
        assert_allclose(found.centre[:, k], true.centre, atol=1e-10)
        assert_allclose(found.force[:, k], true.force, atol=1e-9 * largest, err_msg=joint)
        assert_allclose(found.torque[:, k], true.torque, atol=1e-9 * largest, err_msg=joint)
    assert np.abs(found.residual_force).max() < 1e-6
    assert np.abs(found.residual_torque).max() < 1e-6


@pytest.mark.parametrize("method", ["newton", "lagrange", "velocity"])
def test_so_does_every_multibody_method(method):
    acquisition = record(MOVEMENTS["squat"], VirtualPerson(), RATES)
    found = loads_of(acquisition, method)
    for k, joint in enumerate(found.joints):
        true = acquisition.truth.loads[joint]
        assert_allclose(found.force[:, k], true.force, atol=1e-6, err_msg=joint)
        assert_allclose(found.torque[:, k], true.torque, atol=1e-6, err_msg=joint)


def test_what_the_neck_carries_in_time_is_the_momentum_and_weight_of_the_head():
    """Impulse by quadrature, without accelerations: ∫ f dt = m (v₁ − v₀) − m g (t₁ − t₀)."""
    acquisition = record(Squat(), VirtualPerson(), RecordOptions(200.0, 200.0))
    head = next(body for body in acquisition.model.system.bodies if body.name == "head")
    truth = acquisition.truth
    velocity = segment_motion(acquisition.model.system, truth.q, truth.qdot)
    v = velocity.v_com[:, velocity.index("head")]
    impulse = simpson(truth.loads["neck"].force, x=truth.time_s, axis=0)
    weight = np.array([0.0, head.mass * 9.81, 0.0]) * truth.time_s[-1]
    assert_allclose(impulse, head.mass * (v[-1] - v[0]) + weight, atol=1e-6)


def test_a_turned_laboratory_turns_the_loads():
    still, turned = (record(MOVEMENTS["push-up"], VirtualPerson(), RecordOptions(25.0, 25.0, heading_rad=a))
                     for a in (0.0, 0.7))  # fmt: skip
    c, s = np.cos(0.7), np.sin(0.7)
    R = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    for joint, one in still.truth.loads.items():
        assert_allclose(turned.truth.loads[joint].torque, one.torque @ R.T, atol=1e-9, err_msg=joint)


def test_a_mirrored_body_in_a_mirrored_movement_carries_mirrored_loads():
    """The push-up is alike on both sides; the inertia table puts the trunk's mass a little aside, which is undone."""
    acquisition = record(MOVEMENTS["push-up"], VirtualPerson(), RATES)
    system, truth = acquisition.model.system, acquisition.truth
    middle = [_symmetric(body) if body.name in ("thorax", "pelvis", "head") else body for body in system.bodies]
    tree = joint_tree(System(middle, system.constraints, gravity=system.gravity), acquisition.model.model.roots)
    motion = segment_motion(tree.system, truth.q, truth.qdot, truth.qddot)
    loads = newton_euler(tree, motion, truth.q, no_loads(len(truth.q)))
    for right, joint in enumerate(loads.joints):
        if joint.startswith("right "):
            left = loads.index(joint.replace("right", "left"))
            mirror = np.array([1.0, 1.0, -1.0])
            assert_allclose(loads.force[:, right] * mirror, loads.force[:, left], atol=1e-8, err_msg=joint)
            assert_allclose(loads.torque[:, right] * -mirror, loads.torque[:, left], atol=1e-8, err_msg=joint)
    assert np.abs(loads.residual_force[:, 2]).max() < 1e-8
    assert np.abs(loads.residual_torque[:, :2]).max() < 1e-8
    assert np.abs(loads.residual_torque[:, 2]).max() > 1.0


def _symmetric(body):
    J = np.array(body.inertia_matrix)
    J[2, :2] = J[:2, 2] = 0.0
    com = np.asarray(body.centre_of_mass) * [1.0, 1.0, 0.0]
    return replace(body, points={**body.points, "com": com}, centre_of_mass=com, inertia=J)
