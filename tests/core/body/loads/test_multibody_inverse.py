import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.loads.joint_loads import JointLoads, largest_difference
from biomec.body.loads.multibody_inverse import multibody_loads
from biomec.body.loads.newton_euler import newton_euler
from biomec.body.loads.options import METHODS
from biomec.engine.forces.applied import point_force, resultant, torque
from biomec.engine.joints import Revolute, Spherical, Universal
from biomec.engine.system import System
from tests.core.body.loads.people import MODELS, Moving, push_up, random_states, truth_of

AGREEMENT = 1e-8  # N and N·m; loads reach thousands of either, so this is 1e-12 of them


def loads_of(moving: Moving, method: str = "newton", constraints: str = "spherical") -> JointLoads:
    return multibody_loads(moving.tree, moving.q, moving.qddot, moving.external, method, constraints)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("model", MODELS)
def test_every_method_agrees_with_newton_euler_and_pinocchio(model, method):
    known = random_states(model)
    loads = loads_of(known.moving, method)
    moving = known.moving
    other = newton_euler(moving.tree, moving.segments, moving.q, moving.external)
    assert max(largest_difference(loads, other)) < AGREEMENT
    signs = np.array([joint.sign for joint in known.moving.tree.joints])[:, None]
    np.testing.assert_allclose(loads.force, signs * known.force, rtol=0, atol=1e-9 * np.abs(known.force).max())
    np.testing.assert_allclose(loads.torque, signs * known.torque, rtol=0, atol=1e-9 * np.abs(known.torque).max())


@pytest.mark.parametrize("method", METHODS)
def test_every_method_agrees_on_a_recorded_movement(method):
    moving = truth_of(push_up())
    ours = loads_of(moving, method)
    assert max(largest_difference(ours, newton_euler(moving.tree, moving.segments, moving.q, moving.external))) < 1e-8


def _torque_rows(system: System, q: np.ndarray, child: str, parent: str | None, directions: np.ndarray) -> np.ndarray:
    """Rows of G: a unit torque along each column of ``directions`` on the child, the opposite on its parent."""
    rows = [torque(system, child, q, h) - (torque(system, parent, q, h) if parent else 0.0) for h in directions.T]
    return np.array(rows)


def test_blocks_give_what_the_whole_matrix_gives():
    """[Φqᵀ −Gᵀ]{λ; f_m} = Q − M q̈ with all 252 unknowns at once."""
    known = random_states("m21", frames=2)
    moving, system = known.moving, known.moving.tree.system
    ours = loads_of(moving)
    kept = np.concatenate([system.row_types["rigid"], system.row_types["spherical"]])
    for t, q in enumerate(moving.q):
        root = system.bodies[moving.tree.root].name
        rows = [point_force(system, moving.tree.root_point, e) for e in np.eye(3)]
        rows += list(_torque_rows(system, q, root, None, np.eye(3)))
        for joint in moving.tree.joints:
            ends = system.bodies[joint.child].name, system.bodies[joint.parent].name
            rows += list(_torque_rows(system, q, *ends, np.eye(3)))
        G, Phi = np.array(rows), system.jacobian(q)[kept]
        assert (len(Phi), len(G)) == (186, 66)
        x = np.linalg.solve(np.hstack([Phi.T, -G.T]), moving.applied(t) - system.mass_matrix @ moving.qddot[t])
        multipliers = dict(zip(kept.tolist(), x[:186], strict=True))
        np.testing.assert_allclose(ours.residual_force[t], x[186:189], rtol=0, atol=AGREEMENT)
        np.testing.assert_allclose(ours.residual_torque[t], x[189:192], rtol=0, atol=AGREEMENT)
        for j, joint in enumerate(moving.tree.joints):
            force = [multipliers[r] for r in system.rows_of(joint.name, "spherical").tolist()]
            np.testing.assert_allclose(ours.force[t, j], force, rtol=0, atol=AGREEMENT)
            np.testing.assert_allclose(ours.torque[t, j], x[192 + 3 * j : 195 + 3 * j], rtol=0, atol=AGREEMENT)


def _permitted(system: System, joint: Spherical | Universal | Revolute, q: np.ndarray) -> np.ndarray:
    """Directions, as columns, about which the constraint rows of a joint let its bodies turn against each other."""
    if isinstance(joint, Revolute):
        return system.layout.vector(joint.axis)(q)[:, None]
    if isinstance(joint, Universal):
        w, u = (system.layout.vector(axis)(q) for axis in (joint.proximal_axis, joint.distal_axis))
        return np.stack([w, u], axis=1)
    return np.eye(3)


def test_all_constraints_give_the_multipliers_of_the_whole_system():
    """The 214 rows of the model and 44 actuators against the blocks: joint forces, contact forces, joint torques."""
    moving = truth_of(push_up())
    system = moving.tree.system
    frames = [0, 40, 90]
    ours = loads_of(moving, "newton", "all")
    gliders = {contact.point.partition(".")[0] for contact in moving.tree.contacts}
    assert len(gliders) == 2
    for t in frames:
        q = moving.q[t]
        Phi = system.jacobian(q)
        rows = [point_force(system, moving.tree.root_point, e) for e in np.eye(3)]
        rows += list(_torque_rows(system, q, system.bodies[moving.tree.root].name, None, np.eye(3)))
        at = {}
        for joint in moving.tree.joints:
            ends = system.bodies[joint.child].name, system.bodies[joint.parent].name
            directions = _permitted(system, joint.joint, q)
            if ends[0] in gliders:  # how the scapula can turn on both ellipsoids with the clavicle held still
                own = [c.name for c in moving.tree.contacts if c.point.startswith(ends[0])]
                columns = system.layout.columns(ends[0])
                turns = _torque_rows(system, q, ends[0], None, np.eye(3))
                held = [point_force(system, joint.child_point, e) for e in np.eye(3)]
                rigid = Phi[system.rows_of(ends[0], "rigid")]
                rates = np.linalg.inv(np.array([*turns, *held, *rigid])[:, columns])[:, :3]  # of unit turns about AC
                slopes = Phi[[int(system.rows_of(name)[0]) for name in own]][:, columns]
                directions = np.linalg.svd(slopes @ rates)[2][2:].T
            at[joint.name] = (len(rows), directions)
            rows += list(_torque_rows(system, q, *ends, directions))
        G = np.array(rows)
        assert (len(Phi), len(G)) == (214, 44)
        wanted = moving.applied(t) - system.mass_matrix @ moving.qddot[t]
        x, _, rank, _ = np.linalg.lstsq(np.hstack([Phi.T, -G.T]), wanted, rcond=1e-10)
        assert rank == 252  # six rows of the hinges are redundant
        multipliers, efforts = x[:214], x[214:]
        for j, joint in enumerate(moving.tree.joints):
            force = multipliers[system.rows_of(joint.name, "spherical")]
            np.testing.assert_allclose(ours.force[t, j], force, rtol=0, atol=1e-6)
            first, directions = at[joint.name]
            acting = directions @ efforts[first : first + directions.shape[1]]
            bearing = np.setdiff1d(system.rows_of(joint.name), system.rows_of(joint.name, "spherical"))
            child = system.bodies[joint.child].name
            resisted = resultant(system, child, q, -Phi[bearing].T @ multipliers[bearing])[1]
            np.testing.assert_allclose(ours.torque[t, j], acting + resisted, rtol=0, atol=1e-6)
        for c, contact in enumerate(moving.tree.contacts):
            row = system.rows_of(contact.name)
            glider = contact.point.partition(".")[0]
            force, _ = resultant(system, glider, q, -Phi[row].T @ multipliers[row])
            np.testing.assert_allclose(ours.contact_force[t, c], force, rtol=0, atol=1e-6)


def test_contact_forces_relieve_the_girdle_and_nothing_else():
    moving = truth_of(push_up())
    without, kept = loads_of(moving), loads_of(moving, "lagrange", "all")
    assert (len(without.contacts), len(kept.contacts)) == (0, 4)
    np.testing.assert_allclose(kept.residual_force, without.residual_force, rtol=0, atol=1e-8)
    np.testing.assert_allclose(kept.residual_torque, without.residual_torque, rtol=0, atol=1e-8)
    for joint in without.joints:
        j = without.index(joint)
        same = np.abs(kept.force[:, j] - without.force[:, j]).max() < 1e-8
        assert same != joint.endswith(("acromioclavicular", "sternoclavicular")), joint
    pushed = [c for c, name in enumerate(kept.contacts) if name.startswith("right")]
    total = kept.contact_force[:, pushed].sum(axis=1)
    change = kept.force - without.force
    for joint in ("right acromioclavicular", "right sternoclavicular"):  # what the thorax bears, the clavicle need not
        np.testing.assert_allclose(change[:, kept.index(joint)], -total, rtol=0, atol=1e-8)


def test_velocity_transformation_has_no_contact_forces():
    with pytest.raises(BiomecError, match="no contact forces"):
        loads_of(truth_of(push_up()), "velocity", "all")


def test_an_unknown_method_is_refused():
    with pytest.raises(BiomecError, match="newton, lagrange, velocity"):
        loads_of(truth_of(push_up()), "magic")
