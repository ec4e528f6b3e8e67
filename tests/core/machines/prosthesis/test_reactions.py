"""Joint forces of the swing by three ways, and the swing replayed as a driven motion."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.machines.machine import load_machine
from biomec.machines.natural import machine_forces
from biomec.machines.prosthesis.readouts import leg_refusal
from biomec.machines.prosthesis.reduced import reduced_motion
from tests.oracles.driven_replay import replayed
from tests.oracles.free_body_forces import free_body_forces


def test_balances_of_free_bodies_give_the_multipliers(sim2):
    """1e-9 N of forces up to 8 kN: round-off of a linear solution."""
    h, moving = sim2.history, sim2.moving
    free = free_body_forces(moving, h)
    for joint in "ABCDO":
        np.testing.assert_allclose(free.pins[joint], h.reaction(moving, joint), rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(free.torques["thigh angle"], h.torque(moving, "thigh angle"), rtol=0.0, atol=1e-9)
    assert free.mismatch.max() < 1e-9


def test_a_wrong_acceleration_breaks_the_balance_that_is_left_over(sim2):
    from dataclasses import replace

    wrong = replace(sim2.history, qddot=sim2.history.qddot + 0.1 * np.eye(12)[2])
    assert free_body_forces(sim2.moving, wrong).mismatch.min() > 1e-4


def test_forces_on_all_bodies_add_up_to_the_hip(sim2):
    """What the hip bears is the weight and the change of momentum of the whole leg: contact and springs are inside."""
    h, model = sim2.history, sim2.moving.model
    momentum = np.stack([(model.mass[k::3] * h.qddot[:, k::3]).sum(axis=1) for k in (0, 1)], axis=1)
    weight = np.array([model.weight[0::3].sum(), model.weight[1::3].sum()])
    np.testing.assert_allclose(h.reaction(sim2.moving, "O"), momentum - weight, atol=1e-9)


def test_the_swing_replayed_with_a_driven_link_needs_no_torque(sim2):
    made = replayed(sim2.moving, sim2.history)
    assert np.abs(made.q - sim2.history.q).max() < 1e-12
    assert np.abs(made.qdot - sim2.history.qdot).max() < 1e-10
    assert np.abs(made.qddot - sim2.history.qddot).max() < 1e-8  # of accelerations up to 300 rad/s²
    assert np.abs(made.torque).max() < 1e-9
    assert np.abs(made.multipliers - sim2.history.multipliers).max() < 1e-8  # N, of 8 kN


def test_a_replay_against_which_a_torque_works_shows_it(sim2):
    from dataclasses import replace

    without = replace(sim2.history, contact=np.zeros_like(sim2.history.contact))
    assert np.abs(replayed(sim2.moving, without).torque).max() > 1.0


@pytest.mark.parametrize("step", [0, 20, 56, 60, 75, 93])
def test_natural_coordinates_give_the_same_accelerations(sim2, step):
    """The engine's own equations (bodies as points), with the spring, the contact and the driven thigh: 1e-9."""
    h, model, machine = sim2.history, sim2.moving.model, sim2.machine
    system = machine.system
    q, v, a, t = h.q[step], h.qdot[step], h.qddot[step], h.time_s[step]
    names = {body.name: [f"{body.name}.{point}" for point in body.basic_points] for body in system.bodies}
    x, xdot, xddot = np.zeros((3, system.n))
    for body, points in names.items():
        columns = system.layout.columns(body)
        x[columns] = np.concatenate([model.position(q, point) for point in points])
        xdot[columns] = np.concatenate([model.velocity(q, v, point) for point in points])
        xddot[columns] = np.concatenate([model.acceleration(q, v, a, point) for point in points])
    law = machine.prescriptions[0].law
    drive = system.drive(
        {"thigh angle": law.value(t)}, {"thigh angle": law.rate(t)}, {"thigh angle": law.acceleration(t)}
    )
    assert np.abs(system.residual(x, drive)).max() < 1e-12
    Q = machine_forces(machine, system)(t, x, xdot)
    stop, place = machine.stops[0], sim2.moving.stops.points(q)[0]
    push = h.force[step, 0] * sim2.moving.stops.rows(q)[0, :2]
    for body, force in ((stop.circle, push), (stop.face, -push)):
        at = 3 * model.number(body)
        turn = np.array([[np.cos(q[at + 2]), -np.sin(q[at + 2])], [np.sin(q[at + 2]), np.cos(q[at + 2])]])
        described = system.layout.bodies[body]
        line = system.layout.lift(described, described.point_map(turn.T @ (place - q[at : at + 2])))
        Q[line.columns] += line.matrix.T @ force
    J, gamma = system.jacobian(x, drive), system.acceleration_rhs(x, xdot, drive)
    M = system.mass_matrix.toarray()
    whole = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    found = np.linalg.solve(whole, np.concatenate([Q, gamma]))[: system.n]
    assert np.abs(found - xddot).max() < 1e-9 * max(1.0, np.abs(xddot).max())


def test_accelerations_of_random_states_are_those_of_natural_coordinates():
    """Without contact, at random angles and rates of the free link, and of the single-axis knee."""
    rng = np.random.default_rng(11)
    for name in ("knee-prosthesis", "single-axis-knee"):
        machine = load_machine(name)
        moving, start, _ = reduced_motion(machine)
        model, system, law = moving.model, machine.system, machine.prescriptions[0].law
        for _ in range(5):
            t, column = rng.uniform(0.0, 0.1), moving.free[0]
            q = moving.positions([start[column] + rng.uniform(-0.1, 0.3)], t, start)
            v = moving.velocities(q, [rng.normal()], t)
            a, _ = model.accelerations(q, v, t)
            x, xdot, xddot = np.zeros((3, system.n))
            for body in system.bodies:
                columns = system.layout.columns(body.name)
                points = [f"{body.name}.{point}" for point in body.basic_points]
                x[columns] = np.concatenate([model.position(q, one) for one in points])
                xdot[columns] = np.concatenate([model.velocity(q, v, one) for one in points])
                xddot[columns] = np.concatenate([model.acceleration(q, v, a, one) for one in points])
            driven = [{"thigh angle": f(t)} for f in (law.value, law.rate, law.acceleration)]
            drive = system.drive(*driven)
            J = system.jacobian(x, drive)
            whole = np.block([[system.mass_matrix.toarray(), J.T], [J, np.zeros((len(J), len(J)))]])
            right = [machine_forces(machine, system)(t, x, xdot), system.acceleration_rhs(x, xdot, drive)]
            found = np.linalg.solve(whole, np.concatenate(right))[: system.n]
            assert np.abs(found - xddot).max() < 1e-9 * max(1.0, np.abs(xddot).max())


def test_only_legs_have_read_outs():
    assert leg_refusal(load_machine("knee-prosthesis")) is None
    assert "not a leg" in leg_refusal(load_machine("four-bar"))


def test_a_motion_without_a_free_angle_is_not_replayed(sim2):
    from dataclasses import replace

    with pytest.raises(BiomecError, match="one free angle"):
        replayed(replace(sim2.moving, free=(0, 1)), sim2.history)
