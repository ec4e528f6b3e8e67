"""Known truth: what a virtual subject's joints carry comes back from its recording, whatever the laboratory's axes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.body.kinematics.segment_motion import segment_motion
from biomec.body.loads.joint_loads import largest_difference
from biomec.body.loads.load_components import LoadReading
from biomec.body.loads.multibody_inverse import multibody_loads
from biomec.body.loads.newton_euler import newton_euler
from biomec.engine.forces.external_loads import external_loads
from biomec.engine.system import System
from biomec.engine.tree.joint_tree import joint_tree
from biomec.pipeline.load_reading import read_loads
from biomec.virtual import DEMO, PushUp, RecordOptions, Squat, VirtualPerson, record
from tests.core.pipeline.load_errors import CENTRAL, SEEN, SPLINE, analysed, load_errors
from tests.core.pipeline.load_errors import MOVEMENTS as TABLE

MOVEMENTS = {"push-up": PushUp("closed", cycles=1), "squat": Squat()}
# plates at the rate of the frames: the mean over a frame's interval is then the force at the frame
EXACT = RecordOptions(100.0, 100.0)


@pytest.mark.parametrize("name", MOVEMENTS)
def test_without_disturbance_the_loads_come_back(name):
    """1e-6 relative and 1e-6 N are asked for; quintic splines at 100 Hz give 1e-10 and 1e-7 N."""
    acquisition = record(MOVEMENTS[name], VirtualPerson(), EXACT)
    found = load_errors(acquisition, analysed(acquisition, SPLINE))
    assert found.relative_force < 1e-8
    assert found.relative_torque < 1e-8
    assert found.residual_peak < 1e-6


def test_central_differences_err_with_the_square_of_the_step():
    coarse, fine = (
        load_errors(one, analysed(one, CENTRAL))
        for one in (record(Squat(), VirtualPerson(), RecordOptions(rate, rate)) for rate in (50.0, 100.0))
    )
    assert coarse.relative_torque < 1e-3
    assert coarse.torque / fine.torque == pytest.approx(4.0, rel=0.1)


@pytest.mark.parametrize(
    ("name", "force", "torque", "residual_N", "residual_Nm"),
    [
        # as without gaps: paths of least jerk fill them (a spline through the samples left 1.2 % and 6.8 N)
        ("push-up", 0.004, 0.0065, 2.5, 1.0),
        ("squat", 0.005, 0.008, 2.5, 1.0),
        # filters: the noise lets the residual analysis choose 4.6 Hz (median) for a movement that has 9 Hz
        ("walk", 0.03, 0.055, 40.0, 18.0),
    ],
)
def test_errors_of_an_ordinary_day_are_those_of_the_table(name, force, torque, residual_N, residual_Nm):
    """0.3 mm noise, 4 mm soft tissue, gaps, 0.5 N noise of the plates, default filters: docs/validation.md + 20 %."""
    acquisition = record(TABLE[name], VirtualPerson(), DEMO)
    found = load_errors(acquisition, analysed(acquisition))
    assert found.relative_force < force
    assert found.relative_torque < torque
    assert found.residual_force < residual_N
    assert found.residual_torque < residual_Nm


@pytest.mark.parametrize("name", ["push-up", "squat"])
def test_without_gaps_errors_of_an_ordinary_day_are_half_a_per_cent(name):
    """The same noise, soft tissue and filters. The peaks, 5 and 12 N, are at the ends, where filters have one side."""
    acquisition = record(TABLE[name], VirtualPerson(), SEEN)
    found = load_errors(acquisition, analysed(acquisition))
    assert found.relative_force < 0.004
    assert found.relative_torque < 0.006
    assert found.residual_force < 2.5
    assert found.residual_torque < 1.0
    assert found.residual_peak < 15.0


def test_a_turned_laboratory_changes_no_load_of_a_joint_in_its_own_axes():
    still, turned = (
        read_loads(
            analysed(record(MOVEMENTS["push-up"], VirtualPerson(), RecordOptions(50.0, 50.0, heading_rad=a)), CENTRAL),
            LoadReading(axes="distal"),
        )
        for a in (0.0, 0.7)
    )
    # the same motion to the tolerance of the positions, 1e-10 m, differentiated twice at 50 Hz
    assert_allclose(turned.values, still.values, atol=1e-5)


def test_the_order_of_the_segments_changes_nothing():
    acquisition = record(MOVEMENTS["squat"], VirtualPerson(), RecordOptions(50.0, 50.0))
    truth, system = acquisition.truth, acquisition.model.system
    ground = list(truth.reactions.values())
    external = external_loads(
        [one.segment for one in ground],
        *(np.stack([getattr(one, name) for one in ground], axis=1) for name in ("point", "force", "moment")),
    )
    order = np.random.default_rng(3).permutation(len(system.bodies))
    other = System(
        [system.bodies[k] for k in order], tuple(reversed(system.constraints)), gravity=system.gravity
    )  # fmt: skip
    found = []
    for one in (system, other):
        q, qdot, qddot = (_reordered(system, one, level) for level in (truth.q, truth.qdot, truth.qddot))
        tree = joint_tree(one, acquisition.model.model.roots)
        found.append(newton_euler(tree, segment_motion(one, q, qdot, qddot), q, external))
        force, torque = largest_difference(found[-1], multibody_loads(tree, q, qddot, external))
        assert max(force, torque) < 1e-8
    first, second = found
    assert first.joints != second.joints
    for j, joint in enumerate(first.joints):
        k = second.index(joint)
        assert_allclose(second.force[:, k], first.force[:, j], atol=1e-9, err_msg=joint)
        assert_allclose(second.torque[:, k], first.torque[:, j], atol=1e-9, err_msg=joint)


def _reordered(system: System, other: System, level: np.ndarray) -> np.ndarray:
    """Coordinates of one order of the bodies in another."""
    result = np.empty_like(level)
    for body in system.bodies:
        result[:, other.layout.columns(body.name)] = level[:, system.layout.columns(body.name)]
    return result
