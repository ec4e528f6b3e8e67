"""The same machine in natural coordinates and in reference-point coordinates."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.engine.driven_motion import accelerations, follow_drivers
from biomec.engine.driven_motion import velocities as natural_velocities
from biomec.engine.forward.lagrangian import ClassicLagrange
from biomec.machines.machine import load_machine, parse_machine
from biomec.machines.natural import bare_system, machine_forces, natural_state, poses_of
from biomec.machines.reference_points import assembled, follow, reference_point_model, velocities
from tests.core.machines.shared_pendulum import shared_pendulum

LOADED = """
[[spring]]
name = "coil"
first = "ground.A"
second = "coupler.C"
stiffness = 300.0
free_length = 0.8
damping = 12.0
actuation = 5.0
[[tie]]
name = "soft"
first = "crank.B"
second = "ground.D"
stiffness = 40.0
damping = 3.0
[[hinge]]
name = "torsion"
proximal = "crank"
distal = "coupler"
stiffness = 8.0
rest_deg = -20.0
damping = 0.7
"""


def rates_of(model, q, qdot):
    """Velocities of the origins of the bodies."""
    return {name: np.concatenate([model.velocity(q, qdot, f"{name}.origin"), [qdot[model.column(name)]]])
            for name in model.bodies}  # fmt: skip


def loaded_four_bar():
    return parse_machine(load_machine("four-bar").blueprint.text + LOADED, "loaded.toml")


@pytest.mark.parametrize("name", ["four-bar", "loaded four-bar", "slider-crank", "double-pendulum", "shared pendulum"])
def test_accelerations_agree_with_the_natural_coordinate_engine(name):
    made = {"loaded four-bar": loaded_four_bar, "shared pendulum": shared_pendulum}
    machine = made[name]() if name in made else load_machine(name)
    model, system = reference_point_model(machine, "none"), bare_system(machine)
    formulation = ClassicLagrange(system)
    rng = np.random.default_rng(11)
    for _ in range(5):
        q = assembled(model, guess=model.guess + 0.15 * rng.normal(size=model.n))
        qdot = velocities(model, q, given=rng.normal(size=model.n))
        u = 10.0 * rng.normal(size=len(machine.motors))
        qddot, _ = model.accelerations(q, qdot, 0.0, u)
        natural = natural_state(system, model.poses(q), rates_of(model, q, qdot))
        assert np.abs(system.residual(natural[0])).max() < 1e-12
        Q = machine_forces(machine, system, lambda t, u=u: u)(0.0, *natural)
        found = formulation.accelerations(*natural, Q).qddot
        for body in model.bodies:
            own = model.acceleration(q, qdot, qddot, f"{body}.com")
            np.testing.assert_allclose(system.layout.point(f"{body}.com").rate(found), own, rtol=0, atol=1e-9 *
                                       (1 + np.abs(qddot).max()))  # fmt: skip


def test_the_driven_torque_is_the_power_that_the_natural_coordinate_engine_needs():
    machine = load_machine("four-bar")
    time_s = np.linspace(0.0, 1.0, 21)
    law = machine.prescriptions[0].law
    system = machine.system
    drive = system.drive({"crank angle": law.value(time_s)}, {"crank angle": law.rate(time_s)})
    q = follow_drivers(system, drive).q
    qdot = natural_velocities(system, q, drive).value
    qddot = accelerations(system, q, qdot, drive).value
    power = np.einsum("ti,ti->t", qddot @ system.mass_matrix.toarray().T - system.gravity_force, qdot)
    model = reference_point_model(machine)
    _, multipliers = model.accelerations(*(x for x in follow(model, time_s)[:2]), time_s)
    np.testing.assert_allclose(-multipliers[:, 8], power / (2.0 * np.pi), rtol=0, atol=1e-9 * 232)


def test_poses_come_back_from_natural_coordinates():
    machine = load_machine("four-bar")
    model = reference_point_model(machine)
    q, _, _ = follow(model, np.linspace(0.0, 1.0, 21))
    natural, _ = natural_state(bare_system(machine), model.poses(q))
    back = poses_of(bare_system(machine), natural)
    for name, pose in model.poses(q).items():
        np.testing.assert_allclose(back[name][:, :2], pose[:, :2], atol=1e-12)
        turns = (back[name][:, 2] - pose[:, 2]) / (2 * np.pi)
        np.testing.assert_allclose(turns, round(turns[0]), atol=1e-12)
    spatial = load_machine("bennett")
    found = poses_of(spatial.system, spatial.system.reference[None])
    np.testing.assert_allclose(found["input"][0, :, :3], spatial.system.bodies[0].attitude_matrix, atol=1e-12)
    np.testing.assert_allclose(found["input"][0, :, 3], [0.6, 0.0, 0.0], atol=1e-12)


def test_motors_in_space_are_refused():
    text = load_machine("bennett").blueprint.text + '[[motor]]\nname = "M"\nproximal = "ground"\ndistal = "input"\n'
    machine = parse_machine(text, "bennett.toml")
    with pytest.raises(BiomecError, match="for machines in one plane"):
        machine_forces(machine, bare_system(machine))
