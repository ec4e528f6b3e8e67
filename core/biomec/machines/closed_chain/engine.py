"""Forward dynamics of a machine in natural coordinates, by the formulations of `biomec.engine.forward`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.engine.forward.formulation import FormulationOptions
from biomec.engine.forward.formulations import FORMULATIONS as registered
from biomec.engine.forward.integrators import EQUAL_STEPS, SCIPY, IntegratorOptions
from biomec.engine.forward.simulation import Simulation, simulate
from biomec.engine.forward.variable_step import simulate_to_tolerance
from biomec.engine.system import System
from biomec.machines.machine import Machine
from biomec.machines.natural import bare_system, machine_forces, natural_state
from biomec.machines.reference_points.integration import Torques
from biomec.machines.reference_points.model import ReferencePointModel

FORMULATIONS = {
    "index 3" if one.finds_positions else one.name: one
    for one in sorted(registered.values(), key=lambda kind: kind.finds_positions)
    if not one.tree
}
"""What a study calls a formulation -> formulation."""
PENALTY = 1e7  # accurate in small mechanisms
MOST_STEPS = 2_000_000


@dataclass(frozen=True)
class EngineOptions:
    """How to integrate.

    step_s      : of integrators with constant steps [s]
    tolerance   : relative error of a step of the others;  longest_s : their longest step [s]
    alpha, beta : of Baumgarte's terms
    """

    formulation: str
    integrator: str
    step_s: float
    tolerance: float
    longest_s: float
    alpha: float
    beta: float


def engine_motion(
    machine: Machine,
    start: tuple[FloatArray, FloatArray],
    duration_s: float,
    options: EngineOptions,
    torques: Torques | None = None,
    progress: Progress | None = None,
) -> Simulation:
    """Simulate a machine from a state of its bare system.

    start : q and q̇ in natural coordinates
    """
    _refuse(options, duration_s)
    system = bare_system(machine)
    forces = machine_forces(machine, system, torques)
    beta = max(options.beta, 1e-9)  # Φ̈ + 2ξω Φ̇ + ω² Φ is Baumgarte's with ω = β, ξ = α/β
    settings = FormulationOptions(alpha=PENALTY, xi=options.alpha / beta, omega=beta)
    kind = FORMULATIONS[options.formulation]
    if options.integrator in EQUAL_STEPS:
        stepper = kind.stepper(system, forces, settings, IntegratorOptions(family=options.integrator))
        return simulate(stepper, *start, duration_s, options.step_s, progress=progress)
    return simulate_to_tolerance(
        kind.accelerations(system, settings), forces, *start, duration_s, method=options.integrator,
        rtol=options.tolerance, atol=0.01 * options.tolerance, longest_s=options.longest_s, progress=progress,
    )  # fmt: skip


def _refuse(options: EngineOptions, duration_s: float) -> None:
    if options.formulation not in FORMULATIONS:
        raise BiomecError(f"There is no formulation {options.formulation}; there are {', '.join(FORMULATIONS)}.")
    fitting = [*EQUAL_STEPS, *(() if FORMULATIONS[options.formulation].finds_positions else SCIPY)]
    if options.integrator not in fitting:
        raise BiomecError(
            f"The formulation {options.formulation} is integrated by {', '.join(fitting)}, not by {options.integrator}."
        )
    if not (options.tolerance > 0.0 and options.alpha >= 0.0 and options.beta >= 0.0):
        raise BiomecError("The tolerance must be positive, and α and β not negative.")
    if not (0.0 < options.step_s < np.inf) or duration_s / options.step_s > MOST_STEPS:
        raise BiomecError(f"{duration_s:g} s in steps of {options.step_s:g} s are too many steps. Take longer ones.")


def natural_start(
    machine: Machine, model: ReferencePointModel, q: FloatArray, qdot: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """A state (n,), (n,) of a planar model in natural coordinates."""
    rates = {
        name: np.append(model.velocity(q, qdot, f"{name}.origin"), qdot[model.column(name)]) for name in model.bodies
    }
    return natural_state(bare_system(machine), model.poses(q), rates)


def spatial_start(machine: Machine, rate_deg_s: float = 0.0) -> tuple[FloatArray, FloatArray]:
    """The poses of the file, joined, at rest or with driven angles turning at a rate."""
    from biomec.engine.driven_motion import velocities
    from biomec.engine.position import PositionSolver
    from biomec.machines.closed_chain.study_parts import pushed

    system: System = bare_system(machine)
    solved = PositionSolver(system).solve(system.reference)
    if not solved.valid[0]:
        raise BiomecError(f"{machine.name}: its parts cannot be joined where the file places them.")
    q = np.array(solved.q[0])
    if not rate_deg_s or not machine.system.drivers:
        return q, np.zeros(system.n)
    laws = {one.driver: one.law for one in pushed(machine, rate_deg_s).prescriptions}
    whole = machine.system
    drive = whole.drive(
        *({name: getattr(law, level)(0.0) for name, law in laws.items()} for level in ("value", "rate"))
    )
    placed = np.append(q, whole.reference[system.n :])  # added coordinates come last
    return q, np.array(velocities(whole, placed, drive).value[: system.n])
