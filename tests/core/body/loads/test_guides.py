"""Lagrange's method against guide constraints written out ([Nunes2017] Eqs. 2.100-2.102): all multipliers at once.

The program solves body after body, along directions that are the reciprocals of the axes of the angles. Here nothing of
that is used. The guides are functions of q: the place of the root, and the Cardan angles of every segment on the one
towards the root. Their rows are derivatives by complex steps, exact to round-off. Below the rows of rigid bodies and
spherical pairs they make Φq square, and Φqᵀ λ = Q − M q̈ has one solution.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from biomec.base.arrays import FloatArray
from biomec.body.loads.multibody_inverse import multibody_loads
from biomec.engine.forces.applied import resultant
from biomec.engine.system import System
from tests.core.body.loads.people import MODELS, random_states

AGREEMENT = 1e-8  # N and N·m of thousands; rows grow with 1/cos b towards gimbal lock, where 1e-10 was found
FROM_LOCK = 0.01  # least cos b among the postures
STEP = 1e-30


def attitude_matrix(system: System, body: int, q: FloatArray) -> FloatArray:
    """Axes as columns (..., 3, 3) at q (..., n), complex or not: linear in q."""
    maps = [system.layout.local_vector(system.bodies[body].name, axis) for axis in np.eye(3)]
    return np.stack([q @ one.dense(system.n).T + one.constant for one in maps], axis=-1)


def angles(system: System, child: int, parent: int | None, q: FloatArray, sequence: str) -> FloatArray:
    """Angles (..., 3) of R_parentᵀ R_child = R_i(a) R_j(b) R_k(c), up to half turns, which have no derivative."""
    R = attitude_matrix(system, child, q)
    if parent is not None:
        R = np.swapaxes(attitude_matrix(system, parent, q), -1, -2) @ R
    i, j, k = ("XYZ".index(letter) for letter in sequence)
    even = 1.0 if (j - i) % 3 == 1 else -1.0
    a = np.arctan(-even * R[..., j, k] / R[..., k, k])
    b = np.arcsin(even * R[..., i, k])
    c = np.arctan(-even * R[..., i, j] / R[..., i, i])
    return np.stack([a, b, c], axis=-1)


def guide_rows(system: System, child: int, parent: int | None, q: FloatArray, sequence: str) -> FloatArray:
    """∂θ/∂q (3, n)."""
    stepped = q + 1j * STEP * np.eye(system.n)
    return angles(system, child, parent, stepped, sequence).imag.T / STEP


def axes_of_turning(system: System, child: int, parent: int | None, q: FloatArray, sequence: str) -> FloatArray:
    """Columns: the laboratory directions about which the child turns as one angle grows; e_j after R_i(a)."""
    R_P = np.eye(3) if parent is None else attitude_matrix(system, parent, q)
    R_C = attitude_matrix(system, child, q)
    i, j, k = ("XYZ".index(letter) for letter in sequence)
    a = Rotation.from_matrix(R_P.T @ R_C).as_euler(sequence)[0]
    floating = R_P @ Rotation.from_euler(sequence[0], a).as_matrix()[:, j]
    return np.stack([R_P[:, i], floating, R_C[:, k]], axis=1)


@pytest.mark.parametrize("sequence", ["ZXY", "XYZ", "YXZ"])
@pytest.mark.parametrize("model", MODELS)
def test_lagrange_gives_the_multipliers_of_guides_written_out(model, sequence):
    """Forces of the pairs, torques and efforts of the guides; the torques must not depend on the sequence of angles."""
    moving = random_states(model, frames=3).moving
    tree, system = moving.tree, moving.tree.system
    ours = multibody_loads(tree, moving.q, moving.qddot, moving.external, "lagrange")
    guided = [(joint.child, joint.parent) for joint in tree.joints] + [(tree.root, None)]
    kept = np.concatenate([system.row_types["rigid"], system.row_types["spherical"]])
    for t, q in enumerate(moving.q):
        cosine = np.cos([angles(system, *ends, q, sequence)[1] for ends in guided])
        assert np.abs(cosine).min() > FROM_LOCK
        place = system.layout.point(tree.root_point).dense(system.n)
        turns = [guide_rows(system, *ends, q, sequence) for ends in guided]
        Phi = np.concatenate([system.jacobian(q)[kept], *turns, place])
        assert Phi.shape == (system.n, system.n)
        multipliers = np.linalg.solve(Phi.T, moving.applied(t) - system.mass_matrix @ moving.qddot[t])
        of_rows = dict(zip(kept.tolist(), multipliers, strict=False))
        efforts = -multipliers[len(kept) :]
        assert_allclose(ours.residual_force[t], efforts[-3:], rtol=0, atol=AGREEMENT)
        for j, (child, parent) in enumerate(guided):
            effort = efforts[3 * j : 3 * j + 3]
            if parent is None:
                torque = ours.residual_torque[t]
            else:
                joint = tree.joints[j]
                torque = joint.sign * ours.torque[t, j]
                force = [of_rows[row] for row in system.rows_of(joint.name, "spherical").tolist()]
                assert_allclose(ours.force[t, j], force, rtol=0, atol=AGREEMENT, err_msg=joint.name)
            name = system.bodies[child].name
            net, moment = resultant(system, name, q, turns[j].T @ effort)
            assert_allclose(net, 0.0, atol=AGREEMENT, err_msg=name)
            assert_allclose(torque, moment, rtol=0, atol=AGREEMENT, err_msg=name)
            E = axes_of_turning(system, child, parent, q, sequence)
            assert_allclose(E.T @ torque, effort, rtol=0, atol=AGREEMENT, err_msg=name)


def test_guides_follow_the_motion():
    """∂θ/∂q q̇ are the rates of the angles: turned about their axes, they are the relative angular velocity."""
    moving = random_states("m21", frames=2).moving
    system, segments = moving.tree.system, moving.segments
    for t, q in enumerate(moving.q):
        for joint in moving.tree.joints:
            ends = (joint.child, joint.parent)
            rates = guide_rows(system, *ends, q, "ZXY") @ moving.qdot[t]
            relative = segments.omega[t, joint.child] - segments.omega[t, joint.parent]
            turned = axes_of_turning(system, *ends, q, "ZXY") @ rates
            assert_allclose(turned, relative, rtol=0, atol=1e-9, err_msg=joint.name)
