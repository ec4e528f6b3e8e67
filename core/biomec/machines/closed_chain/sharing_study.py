"""The study `sharing`: how chosen motors share the torques of the prescribed motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.machines.closed_chain.sharing import METHODS, CannotShare, Sharing, shared, weak_hold
from biomec.machines.closed_chain.study_parts import (
    SPATIAL,
    SPEED,
    exceeded,
    key,
    motion_curves,
    not_driven,
    sample_times,
    with_laws,
)
from biomec.machines.machine import Machine
from biomec.machines.study import Run, Study, curve, option, time_limit

KEY, TITLE = "sharing", "Redundant motors"


@dataclass(frozen=True)
class SharingOptions:
    """Options of the study."""

    motors: str = option("", "Motors, with commas between them; empty takes all")
    method: str = option(
        METHODS[0],
        "Pseudo-inverse: torques and joint forces small together; pointwise: least squares of torques; smallest peak",
        choices=METHODS,
    )
    weights: str = option("1", "Weight of each motor, with commas between them, or one of all: more is used less")
    force_weight: float = option(1.0, "Weight of joint forces beside torques, for the pseudo-inverse")
    duration_s: float = option(0.0, "Duration; 0 takes that of the machine", "s")
    samples: int = option(101, "Instants, the first and the last included")
    speed_deg_s: float = option(360.0, SPEED, "deg/s")
    time_limit_s: float = time_limit()


def refusal(machine: Machine) -> str | None:
    """Why it cannot be asked of a machine."""
    if not machine.is_planar:
        return SPATIAL
    return not_driven(machine) if machine.motors else "it has no motors."


def motor_names(machine: Machine, text: str) -> tuple[str, ...]:
    """Motors named in a text, all if it is empty; refuses names that are not there."""
    there = tuple(one.name for one in machine.motors)
    named = tuple(one.strip() for one in text.split(",") if one.strip()) or there
    for name in named:
        if name not in there:
            raise BiomecError(f"{machine.name}: there is no motor {name}; the motors are {', '.join(there)}.")
    return named


def numbers_in(text: str) -> list[float]:
    """Numbers of a text with commas between them."""
    try:
        return [float(one) for one in text.split(",") if one.strip()] or [1.0]
    except ValueError:
        raise BiomecError(f"Weights are numbers with commas between them, not {text}.") from None


def run_sharing(machine: Machine, options: SharingOptions, progress: Progress | None = None) -> Run:
    """Answer the study."""
    from biomec.machines.closed_chain.inverse import inverse_dynamics
    from biomec.machines.closed_chain.sharing import comparison_table
    from biomec.machines.reference_points import NotAssembled, SingularPosition, reference_point_model

    time_s = sample_times(machine, options.duration_s, options.samples)
    motors, weights = motor_names(machine, options.motors), numbers_in(options.weights)
    model = reference_point_model(with_laws(machine, options.speed_deg_s))
    kept = tuple(one.driver for one in machine.prescriptions if one.kept)
    weight = np.array(weights) if len(weights) > 1 else weights[0]
    try:
        solution = inverse_dynamics(model, time_s, progress)
        found = shared(solution, motors, options.method, weight, options.force_weight, kept)
    except (NotAssembled, SingularPosition, CannotShare) as error:
        return Run(KEY, TITLE, machine, options, np.zeros(0), (), {}, status=str(error), succeeded=False)
    every = [found if one == options.method else shared(solution, motors, one, weight, options.force_weight, kept)
             for one in METHODS]  # fmt: skip
    weak = weak_hold(solution, motors, kept)
    rates = solution.qdot @ model.transmission[:, [model.motors.index(name) for name in motors]]
    curves = [curve("Motor torques", name, "N·m", found.torques[:, k]) for k, name in enumerate(motors)]
    curves += [curve("Motor power", name, "W", (found.torques * rates)[:, k]) for k, name in enumerate(motors)]
    curves += [curve("Driving torques without sharing", name, "N·m", one) for name, one in solution.driving.items()]
    return Run(
        study=KEY,
        title=f"{TITLE}: {', '.join(motors)}, {options.method}",
        machine=machine,
        options=options,
        time_s=time_s,
        curves=(*curves, *motion_curves(model, solution.q, solution.qdot)),
        figures=_figures(found),
        poses=model.poses(solution.q),
        notices=(
            *(() if weak is None else (_weak(motors, weak),)),
            *exceeded(machine, dict(zip(motors, found.torques.T, strict=True)), "Other motors, or a slower motion."),
        ),
        text=comparison_table(every),
    )


def _weak(motors: tuple[str, ...], at: float) -> str:
    return (
        f"Near t = {at:g} s the motors {', '.join(motors)} have almost no hold on this motion: torques grow there "
        "without limit as the instants come closer. Add a motor."
    )


def _figures(found: Sharing) -> dict[str, float]:
    figures = {
        "torque_max_Nm": float(found.torques.max()),
        "torque_min_Nm": float(found.torques.min()),
        "torque_squared_integral": found.cost,
    }
    for k, name in enumerate(found.motors):
        figures[f"{key(name)}_max_Nm"] = float(found.torques[:, k].max())
        figures[f"{key(name)}_min_Nm"] = float(found.torques[:, k].min())
        figures[f"{key(name)}_work_J"] = float(found.works[k])
        figures[f"{key(name)}_work_left_J"] = float(found.works_left[k])
    figures["work_total_J"] = float(found.works.sum())
    figures["work_total_left_J"] = float(found.works_left.sum())
    return figures


STUDY = Study(
    key=KEY,
    title=TITLE,
    about="Torques of several motors that make one prescribed motion, and what they cost.",
    options=SharingOptions,
    refusal=refusal,
    run=run_sharing,
)
