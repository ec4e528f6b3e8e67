"""The study `forward`: the motion that forces make, in reference-point or in natural coordinates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress, part_of
from biomec.engine.forward.integrators import EQUAL_STEPS
from biomec.machines.closed_chain import engine
from biomec.machines.closed_chain.reactions import (
    REPEATED,
    element_reactions,
    joint_reactions,
    reaction_curves,
    reaction_figures,
    repeats,
)
from biomec.machines.closed_chain.sharing import METHODS as SHARING
from biomec.machines.closed_chain.sharing import CannotShare, shared
from biomec.machines.closed_chain.sharing_study import motor_names
from biomec.machines.closed_chain.study_parts import (
    SPEED,
    driven_angles,
    exceeded,
    motion_curves,
    not_driven,
    refuse_long,
    sample_times,
    start_state,
    with_laws,
)
from biomec.machines.machine import Machine
from biomec.machines.motors import GROUP
from biomec.machines.reference_points.assembly import NotAssembled, SingularPosition
from biomec.machines.reference_points.integration import (
    FIXED_STEP,
    INTERPOLATIONS,
    METHODS,
    IntegratedMotion,
    IntegrationOptions,
    Torques,
    torque_table,
)
from biomec.machines.reference_points.model import ReferencePointModel
from biomec.machines.study import Run, Study, StudyCurve, curve, option, time_limit

if TYPE_CHECKING:
    from biomec.engine.forward.simulation import Simulation
    from biomec.machines.closed_chain.inverse import ChainInverseDynamics
    from biomec.machines.prosthesis.stopped import StoppedMotion

KEY, TITLE = "forward", "Forward dynamics"
PARTITIONED, BAUMGARTE = "partitioned", "Baumgarte"
GIVEN, NONE, INVERSE = "as given", "none", "inverse torques"
SHARE = 0.3  # of the whole work, that finding torques takes


@dataclass(frozen=True)
class ForwardOptions:
    """Options of the study."""

    formulation: str = option(
        PARTITIONED,
        "How constraints are kept: partitioned exactly, Baumgarte by stabilisation; the rest in natural coordinates",
        choices=(PARTITIONED, BAUMGARTE, *engine.FORMULATIONS),
    )
    integrator: str = option(
        "runge-kutta 8",
        "Integrator; the last four take constant steps in natural coordinates",
        choices=(*METHODS, *EQUAL_STEPS),
    )
    duration_s: float = option(0.0, "Duration; 0 takes that of the machine", "s")
    samples: int = option(201, "Instants shown, the first and the last included")
    step_s: float = option(0.001, "Step of integrators with constant steps", "s")
    tolerance: float = option(1e-9, "Relative error allowed in a step of the others")
    alpha: float = option(1.0, "Factor α of Baumgarte's stabilisation, on velocities", "1/s")
    beta: float = option(10.0, "Factor β of Baumgarte's stabilisation, on positions", "1/s")
    start_rate_deg_s: float = option(0.0, "Rate of driven angles at the start, where the file tells none", "deg/s")
    input: str = option(
        GIVEN,
        "Torques of the motors: those that the file gives them, none, or those found for the prescribed motion",
        choices=(GIVEN, NONE, INVERSE),
    )
    motors: str = option("", "Motors that get these torques, with commas between them; empty takes all")
    sharing: str = option(SHARING[0], "How they share them", choices=SHARING)
    table_step_s: float = option(0.01, "Time between two torques of the table", "s")
    interpolation: str = option("linear", "Torques between the entries of the table", choices=INTERPOLATIONS)
    speed_deg_s: float = option(360.0, SPEED, "deg/s")
    time_limit_s: float = time_limit()


def refusal(machine: Machine) -> str | None:
    """Why it cannot be asked of a machine: never for what all machines have."""
    if not machine.is_planar and (machine.motors or machine.hinges or any(one.kept for one in machine.prescriptions)):
        return "it moves in space, where motors, torsion springs and laws that are kept are not simulated."
    return None


def run_forward(machine: Machine, options: ForwardOptions, progress: Progress | None = None) -> Run:
    """Answer the study."""
    time_s = sample_times(machine, options.duration_s, options.samples)
    notices: tuple[str, ...] = ()
    if machine.stops and not meets_stops(machine, options):
        notices = (f"Stops are left out here; {PARTITIONED} meets them, unless torques are found for a motion.",)
    if options.input == GIVEN:
        notices += exceeded(
            machine, {one.name: one.torque.value(time_s) for one in machine.motors if one.torque is not None}
        )
    try:
        if not machine.is_planar:
            return _spatial(machine, options, time_s, notices, progress)
        return _planar(machine, options, time_s, notices, progress)
    except (NotAssembled, SingularPosition, CannotShare) as error:
        return Run(
            KEY, TITLE, machine, options, np.zeros(0), (), {}, status=str(error), succeeded=False, notices=notices
        )


def _planar(
    machine: Machine, options: ForwardOptions, time_s: FloatArray, notices: tuple[str, ...], progress: Progress | None
) -> Run:
    from biomec.machines.reference_points import reference_point_model
    from biomec.machines.reference_points.partitioned import Partitioned

    model = reference_point_model(machine, "kept")
    torques = _given(machine, options.input)
    wanted: ChainInverseDynamics | None = None
    if options.input == INVERSE:
        wanted, torques, beyond = _found_torques(machine, options, time_s, part_of(progress, 0.0, SHARE))
        notices += beyond
        q, qdot = wanted.q[0], wanted.qdot[0]
    else:
        q, qdot, moved = start_state(machine, model, options.start_rate_deg_s)
        notices += moved
    Partitioned(model, q)  # refuses singular positions, whatever the formulation
    rest = part_of(progress, SHARE if wanted is not None else 0.0, 1.0)
    if options.formulation in engine.FORMULATIONS:
        if model.drivers:
            kept = ", ".join(one.name for one in model.drivers)
            raise BiomecError(
                f"{machine.name}: {kept} follows a law also in simulations; formulations in natural coordinates leave "
                "nothing to laws. Choose partitioned or Baumgarte."
            )
        start = engine.natural_start(machine, model, q, qdot)
        made = engine.engine_motion(machine, start, float(time_s[-1]), _engine_options(options, time_s), torques, rest)
        return _engine_run(machine, options, time_s, made, notices, torques, wanted)
    return _own(machine, options, time_s, model, (q, qdot), torques, wanted, notices, rest)


def meets_stops(machine: Machine, options: ForwardOptions) -> bool:
    """Whether stops take part in a simulation."""
    return bool(machine.stops) and options.formulation == PARTITIONED and options.input != INVERSE


def _armed(machine: Machine, source: str) -> Machine:
    """The machine with the torques of its motors, or without."""
    if source == NONE:
        return replace(machine, motors=tuple(replace(one, torque=None) for one in machine.motors))
    return machine


def _given(machine: Machine, source: str) -> Torques | None:
    """Torques of all motors as the file gives them, or none at all; None without motors."""
    motors = machine.motors
    if not motors:
        return None
    if source == NONE or all(one.torque is None for one in motors):
        none = np.zeros(len(motors))
        return lambda t: none
    return lambda t: np.array([one.given(t) for one in motors])


def _found_torques(
    machine: Machine, options: ForwardOptions, time_s: FloatArray, progress: Progress | None
) -> tuple[ChainInverseDynamics, Torques, tuple[str, ...]]:
    """The prescribed motion, the torques that make it as a table, and sentences about motors that cannot give them."""
    from biomec.machines.closed_chain.inverse import inverse_dynamics
    from biomec.machines.closed_chain.replay import whole_torques
    from biomec.machines.reference_points import reference_point_model

    reason = not_driven(machine) if machine.motors else "it has no motors."
    if reason is not None:
        raise BiomecError(f"{machine.name}: no torques can be found for a motion: {reason}")
    if not 0.0 < options.table_step_s <= float(time_s[-1]):
        raise BiomecError("The time between two torques must be positive and not longer than the motion.")
    entries = sample_times(machine, float(time_s[-1]), round(float(time_s[-1]) / options.table_step_s) + 1)
    model = reference_point_model(with_laws(machine, options.speed_deg_s))
    solution = inverse_dynamics(model, entries, progress)
    kept = tuple(one.driver for one in machine.prescriptions if one.kept)
    sharing = shared(solution, motor_names(machine, options.motors), options.sharing, kept=kept)
    whole = whole_torques(model, sharing)
    beyond = exceeded(machine, dict(zip(model.motors, whole.T, strict=True)), "They are given them all the same.")
    return solution, torque_table(entries, whole, options.interpolation), beyond


def _own(
    machine: Machine,
    options: ForwardOptions,
    time_s: FloatArray,
    model: ReferencePointModel,
    start: tuple[FloatArray, FloatArray],
    torques: Torques | None,
    wanted: ChainInverseDynamics | None,
    notices: tuple[str, ...],
    progress: Progress | None,
) -> Run:
    from biomec.machines.reference_points.partitioned import simulate_partitioned
    from biomec.machines.reference_points.stabilised import constraint_errors, simulate_stabilised

    if options.integrator not in METHODS:
        raise BiomecError(
            f"{options.formulation} is integrated by {', '.join(METHODS)}; {options.integrator} is for natural "
            "coordinates."
        )
    refuse_long(options.integrator, float(time_s[-1]), options.step_s)
    settings = IntegrationOptions(
        options.integrator, options.step_s, rtol=options.tolerance, atol=0.01 * options.tolerance
    )
    stopped: StoppedMotion | None = None
    if meets_stops(machine, options):
        from biomec.machines.prosthesis.stopped import stopped_motion

        stopped = stopped_motion(_armed(machine, options.input), start, time_s, options.tolerance, progress)
        motion = stopped.motion
    elif options.formulation == PARTITIONED:
        motion = simulate_partitioned(model, *start, time_s, torques=torques, options=settings, progress=progress)
    else:
        motion = simulate_stabilised(
            model, *start, time_s, alpha=options.alpha, beta=options.beta, torques=torques, options=settings,
            progress=progress,
        )  # fmt: skip
    errors = constraint_errors(motion)
    balance, energies = energy_balance(motion)
    figures = {
        "end_s": float(motion.time_s[-1]),
        "steps": float(motion.steps),
        "energy_balance_J": float(np.abs(balance).max()) if stopped is None else abs(stopped.residual),
        "position_error_max_m": float(errors[0].max()),
        "velocity_error_max_m_s": float(errors[1].max()),
    }
    curves = [curve("Energy", name, "J", values) for name, values in energies.items()]
    if stopped is None:  # the peaks of a contact are too short for samples: its audit looks more closely
        curves.append(curve("Energy balance", "energy less start less work", "J", balance))
    curves += [curve("Violation of constraints", name, unit, values)
               for name, unit, values in (("positions", "m", errors[0]), ("velocities", "m/s", errors[1]))]  # fmt: skip
    curves += [curve(GROUP, name, "N·m", motion.torques[:, k]) for k, name in enumerate(model.motors)]
    reactions = (
        *joint_reactions(model, motion.q, motion.multipliers),
        *element_reactions(machine, model, motion.q, motion.qdot),
        *(stopped.stops if stopped is not None else ()),
    )
    curves += reaction_curves(reactions)
    figures |= reaction_figures(reactions)
    notices += (REPEATED,) if repeats(model, motion.q[0]) else ()
    off, found = _compared(model, motion.time_s, motion.q, motion.qdot, wanted)
    astray = _astray(found)
    return Run(
        study=KEY,
        title=f"{TITLE}, {options.formulation}",
        machine=machine,
        options=options,
        time_s=motion.time_s,
        curves=(*curves, *off, *motion_curves(model, motion.q, motion.qdot, motion.qddot)),
        figures={**figures, **found},
        poses=model.poses(motion.q),
        status=_ended(motion.status, astray),
        succeeded=motion.succeeded and not astray,
        notices=notices,
    )


def energy_balance(motion: IntegratedMotion) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Mechanical energy less that of the start and less the work of motors, dampers and drivers, (T,) [J]; energies.

    Work is the integral of a cubic spline through the power at the instants of the motion.
    """
    from scipy.interpolate import CubicSpline  # slow to import

    model, t = motion.model, motion.time_s
    kinetic, potential = model.kinetic_energy(motion.qdot), model.potential_energy(motion.q)
    pushed = model.applied(motion.q, motion.qdot, t, motion.torques) - model.applied(
        motion.q, 0.0 * motion.qdot, torques=0.0 * motion.torques
    )
    power = np.einsum("ti,ti->t", pushed, motion.qdot)
    power -= np.einsum("ti,ti->t", motion.multipliers, model.rate_rhs(t))
    work = CubicSpline(t, power).antiderivative()(t) if len(t) > 1 else np.zeros(1)
    total = kinetic + potential
    energies = {"kinetic": kinetic, "potential": potential, "mechanical": total, "work": work}
    return np.asarray(total - total[0] - work), energies


def _compared(
    model: ReferencePointModel, time_s: FloatArray, q: FloatArray, qdot: FloatArray, wanted: ChainInverseDynamics | None
) -> tuple[list[StudyCurve], dict[str, float]]:
    """How far driven bodies are from the motion that the torques were found for."""
    if wanted is None:
        return [], {}
    from scipy.interpolate import CubicHermiteSpline  # slow to import

    curves, figures = [], {}
    for body in dict.fromkeys(driven_angles(wanted.model).values()):
        column = model.column(body)
        exact = CubicHermiteSpline(wanted.time_s, wanted.q[:, column], wanted.qdot[:, column])
        angle = np.rad2deg(q[:, column] - exact(time_s))
        rate = np.rad2deg(qdot[:, column] - exact(time_s, 1))
        curves.append(curve("Off the wanted motion: angles", body, "deg", angle))
        curves.append(curve("Off the wanted motion: angular velocities", body, "deg/s", rate))
        name = body.replace(" ", "_")
        figures[f"{name}_rate_off_max_deg_s"], figures[f"{name}_rate_off_min_deg_s"] = (
            float(rate.max()),
            float(rate.min()),
        )
        figures[f"{name}_angle_off_max_deg"] = float(np.abs(angle).max())
    return curves, figures


FAR_deg = 5.0  # of a driven angle from the motion that torques were found for: it is another motion


def _astray(found: dict[str, float]) -> str:
    """Words for a replay that leaves the motion which its torques were found for; empty if it does not."""
    by = max((value for name, value in found.items() if name.endswith("_angle_off_max_deg")), default=0.0)
    if not by > FAR_deg:
        return ""
    return f"the torques do not keep the machine to the wanted motion: it is off by up to {by:.3g}°"


def _ended(status: str, astray: str) -> str:
    return astray if astray and status == "completed" else status


# ---------------------------------------------------------------------- natural coordinates


def _engine_options(options: ForwardOptions, time_s: FloatArray) -> engine.EngineOptions:
    """Options of the engine; in space the formulations of the plane become independent coordinates."""
    own = options.formulation in engine.FORMULATIONS
    return engine.EngineOptions(
        formulation=options.formulation if own else "independent coordinates",
        integrator=options.integrator if own or options.integrator != FIXED_STEP else "runge-kutta 5",
        step_s=options.step_s,
        tolerance=options.tolerance,
        longest_s=2.0 * float(time_s[1] - time_s[0]),  # cubics between steps must be good enough for curves
        alpha=options.alpha,
        beta=options.beta,
    )


def _spatial(
    machine: Machine, options: ForwardOptions, time_s: FloatArray, notices: tuple[str, ...], progress: Progress | None
) -> Run:
    if options.input == INVERSE:
        raise BiomecError(f"{machine.name} moves in space: torques are found for machines in one plane only.")
    if options.formulation not in engine.FORMULATIONS:
        notices += (f"In space independent natural coordinates take the place of {options.formulation}.",)
    chosen = _engine_options(options, time_s)
    start = engine.spatial_start(machine, options.start_rate_deg_s)
    made = engine.engine_motion(machine, start, float(time_s[-1]), chosen, None, progress)
    return _engine_run(machine, options, time_s, made, notices, None, None)


def _engine_run(
    machine: Machine,
    options: ForwardOptions,
    time_s: FloatArray,
    made: Simulation,
    notices: tuple[str, ...],
    torques: Torques | None,
    wanted: ChainInverseDynamics | None,
) -> Run:
    """A run of the engine on the instants asked for, by cubics through its own steps."""
    from scipy.interpolate import CubicHermiteSpline, CubicSpline  # slow to import

    from biomec.engine.forward.simulation import Ending
    from biomec.machines.natural import machine_forces, poses_of
    from biomec.machines.reference_points import reference_point_model

    completed, astray = made.ending is Ending.COMPLETED, ""
    shown = time_s[time_s <= made.time_s[-1] + 1e-12]
    if len(shown) < 2:
        return Run(
            KEY, TITLE, machine, options, np.zeros(0), (), {}, status=made.sentence, succeeded=False, notices=notices
        )
    q = CubicHermiteSpline(made.time_s, made.q, made.qdot)(shown)
    qdot = CubicHermiteSpline(made.time_s, made.qdot, made.qddot)(shown)
    poses = poses_of(made.system, q)

    system, forces = made.system, machine_forces(machine, made.system, torques)
    pushes = [forces(float(t), one, rate) - system.gravity_force for t, one, rate in zip(shown, q, qdot, strict=True)]
    work = CubicSpline(shown, np.einsum("ti,ti->t", np.array(pushes), qdot)).antiderivative()(shown)
    kinetic, potential = system.kinetic_energy(qdot), system.potential_energy(q)
    balance = kinetic + potential - kinetic[0] - potential[0] - work
    curves = [curve("Energy", name, "J", values) for name, values in
              (("kinetic", kinetic), ("potential of gravity", potential), ("work of other forces", work))]  # fmt: skip
    curves.append(curve("Energy balance", "energy less start less work", "J", balance))
    curves.append(curve("Violation of constraints", "positions", "m", np.interp(shown, made.time_s, made.violation)))
    figures = {
        "end_s": float(made.time_s[-1]),
        "steps": float(len(made.time_s) - 1),
        "energy_balance_J": float(np.abs(balance).max()),
        "position_error_max_m": float(made.violation.max()),
        "velocity_error_max_m_s": float(made.rate_violation.max()),
    }
    if torques is not None:
        given = np.array([torques(float(t)) for t in shown])
        curves += [curve(GROUP, motor.name, "N·m", given[:, k]) for k, motor in enumerate(machine.motors)]
    if machine.is_planar:
        model = reference_point_model(machine, "kept")
        flat = _flat(model, made, q, qdot, poses)
        off, found = _compared(model, shown, *flat, wanted)
        multipliers = model.accelerations(*flat, shown, None if torques is None else given)[1]
        reactions = (*joint_reactions(model, flat[0], multipliers), *element_reactions(machine, model, *flat))
        curves += reaction_curves(reactions)
        figures |= reaction_figures(reactions)
        notices += (REPEATED,) if repeats(model, flat[0][0]) else ()
        curves += [*off, *motion_curves(model, *flat)]
        figures |= found
        astray = _astray(found)
    else:
        for body in made.system.bodies:
            place = made.system.layout.point(f"{body.name}.com")(q)
            curves += [curve("Positions of centres of mass", f"{body.name} {axis}", "m", place[:, k])
                       for k, axis in enumerate("xyz")]  # fmt: skip
    return Run(
        study=KEY,
        title=f"{TITLE}, {made.title}",
        machine=machine,
        options=options,
        time_s=shown,
        curves=tuple(curves),
        figures=figures,
        poses=poses,
        status=_ended("completed" if completed else made.sentence, astray),
        succeeded=completed and not astray,
        notices=notices,
    )


def _flat(
    model: ReferencePointModel, made: Simulation, q: FloatArray, qdot: FloatArray, poses: dict[str, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Reference-point coordinates and velocities of a planar motion in natural coordinates."""
    layout = made.system.layout
    flat, rate = np.empty((len(q), model.n)), np.empty((len(q), model.n))
    for k, name in enumerate(model.bodies):
        centre, x = layout.point(f"{name}.com"), layout.vector(f"{name}.x")
        axis, turned = x(q), x.rate(qdot)
        turns = np.round((model.guess[3 * k + 2] - poses[name][0, 2]) / (2.0 * np.pi))
        flat[:, 3 * k : 3 * k + 2], rate[:, 3 * k : 3 * k + 2] = centre(q), centre.rate(qdot)
        flat[:, 3 * k + 2] = poses[name][:, 2] + 2.0 * np.pi * turns
        rate[:, 3 * k + 2] = axis[:, 0] * turned[:, 1] - axis[:, 1] * turned[:, 0]
    return flat, rate


STUDY = Study(
    key=KEY,
    title=TITLE,
    about="The motion under gravity, springs and motors, with a choice of formulations and integrators.",
    options=ForwardOptions,
    refusal=refusal,
    run=run_forward,
)
