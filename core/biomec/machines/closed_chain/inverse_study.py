"""The study `inverse`: which torques make the prescribed motion, and what joints bear."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.progress import Progress
from biomec.machines.closed_chain.reactions import (
    REPEATED,
    element_reactions,
    reaction_curves,
    reaction_figures,
    stop_reactions,
)
from biomec.machines.closed_chain.stops import stops_of
from biomec.machines.closed_chain.study_parts import (
    SPATIAL,
    SPEED,
    driven_angles,
    key,
    motion_curves,
    not_driven,
    sample_times,
    with_laws,
)
from biomec.machines.machine import Machine
from biomec.machines.motors import GROUP
from biomec.machines.reference_points.equations import OnLine, Pin
from biomec.machines.study import Run, Study, curve, option, time_limit

KEY, TITLE = "inverse", "Inverse dynamics"
BESIDE = "The motors give the torques of the file; the torques of the drivers are what the motion needs beside them."


@dataclass(frozen=True)
class InverseStudyOptions:
    """Options of the study."""

    duration_s: float = option(0.0, "Duration; 0 takes that of the machine", "s")
    samples: int = option(101, "Instants, the first and the last included")
    speed_deg_s: float = option(360.0, SPEED, "deg/s")
    time_limit_s: float = time_limit()


def refusal(machine: Machine) -> str | None:
    """Why it cannot be asked of a machine."""
    return not_driven(machine) if machine.is_planar else SPATIAL


def run_inverse(machine: Machine, options: InverseStudyOptions, progress: Progress | None = None) -> Run:
    """Answer the study."""
    from biomec.machines.closed_chain.inverse import inverse_dynamics
    from biomec.machines.closed_chain.sharing import work_trapezoid
    from biomec.machines.reference_points import NotAssembled, SingularPosition, reference_point_model

    time_s = sample_times(machine, options.duration_s, options.samples)
    model = reference_point_model(with_laws(machine, options.speed_deg_s))
    try:
        found = inverse_dynamics(model, time_s, progress, stops_of(machine, model) if machine.stops else None)
    except (NotAssembled, SingularPosition) as error:
        return Run(KEY, TITLE, machine, options, np.zeros(0), (), {}, status=str(error), succeeded=False)
    angles = driven_angles(model)
    torques = np.array([found.driving[name] for name in angles]).reshape(len(angles), len(time_s))
    figures: dict[str, float] = {}
    if len(angles):
        figures = {
            "torque_max_Nm": float(torques.max()),
            "torque_min_Nm": float(torques.min()),
            "torque_squared_integral": float(np.trapezoid((torques**2).sum(axis=0), time_s)),
        }
    driven = [one for one in model.drivers if not isinstance(one, Pin | OnLine)]
    strokes = np.array([one.law.value(time_s) for one in driven])  # what each torque or force turns or moves
    driving = np.array([found.driving[one.name] for one in driven])
    figures["work_J"] = float(work_trapezoid(driving.T, strokes.T).sum())
    curves = [curve("Driving torques", name, "N·m", found.driving[name]) for name in angles]
    for name, force in found.driving.items():
        if name not in angles:
            curves.append(curve("Driving forces", name, "N", force))
            figures[f"{key(name)}_force_max_N"] = float(np.abs(force).max())
    reactions = (
        *found.reactions,
        *element_reactions(machine, model, found.q, found.qdot),
        *stop_reactions([one.name for one in machine.stops], found.stop_forces),
    )
    figures |= reaction_figures(reactions)
    curves += reaction_curves(reactions)
    given = model.given_torques(time_s)
    notices: tuple[str, ...] = (REPEATED,) if model.m > model.n else ()
    if given is not None:
        curves += [curve(GROUP, name, "N·m", given[:, k]) for k, name in enumerate(model.motors)]
        notices += (BESIDE,)
    energy = model.kinetic_energy(found.qdot) + model.potential_energy(found.q)
    curves.append(curve("Energy", "mechanical", "J", energy))
    figures["position_error_max_m"] = float(found.position_error.max())
    return Run(
        study=KEY,
        title=TITLE,
        machine=machine,
        options=options,
        time_s=found.time_s,
        curves=(*curves, *motion_curves(model, found.q, found.qdot, found.qddot)),
        figures=figures,
        poses=model.poses(found.q),
        notices=notices,
    )


STUDY = Study(
    key=KEY,
    title=TITLE,
    about="Torques of the drivers that make the prescribed motion, and the forces in the joints.",
    options=InverseStudyOptions,
    refusal=refusal,
    run=run_inverse,
)
