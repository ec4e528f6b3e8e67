"""The study `head-impact`: a blow to the head of the machine ``head-neck``, and what it does to head and neck."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from biomec.base.errors import BiomecError, FileError
from biomec.base.physics import GRAVITY
from biomec.base.progress import Progress, part_of
from biomec.engine.forces.pulses import Pulse, half_sine, triangle
from biomec.machines.columns import read_columns
from biomec.machines.head_neck.impact import (
    HELD,
    KINDS,
    METHODS,
    MUSCLE_STATES,
    PUBLISHED_STEP,
    REFLEX_S,
    Blow,
    Impact,
    ImpactOptions,
    cut_off,
    equilibrium_for,
    simulate_impact,
)
from biomec.machines.head_neck.measures import RANGES_DEG, Measures, risks_of_bric, risks_of_hic, strain_limit
from biomec.machines.head_neck.model import PICKED, HeadNeck, ModelOptions, load_head_neck
from biomec.machines.head_neck.points import exported_points
from biomec.machines.head_neck.tables import UNITS
from biomec.machines.machine import Machine
from biomec.machines.study import Run, Study, StudyCurve, curve, option, time_limit

TRIANGLE, HALF_SINE, FILE = "triangle", "half-sine", "from a file"
SHOWN = 12  # lines of a table in the text of a run


@dataclass(frozen=True)
class BlowOptions:
    """The blow, and how it is computed."""

    pulse: str = option(TRIANGLE, "Shape of the blow over time", choices=(TRIANGLE, HALF_SINE, FILE))
    peak_N: float = option(16e3, "Greatest force of the blow", "N")
    rise_s: float = option(0.2e-3, "When a triangle reaches its peak", "s")
    end_s: float = option(0.7e-3, "When the blow is over", "s")
    pulse_file: str = option(
        "", "Table (CSV) with time [s] and one column of force [N] or [kN], for a pulse from a file"
    )
    point_x_mm: float = option(90.0, "Point of the blow, forward of the head's centre of mass", "mm")
    point_y_mm: float = option(0.0, "Point of the blow, left of the head's centre of mass", "mm")
    point_z_mm: float = option(0.0, "Point of the blow, above the head's centre of mass", "mm")
    direction_x: float = option(-1.0, "Direction in which it pushes, forward part")
    direction_y: float = option(0.0, "Direction in which it pushes, part to the left")
    direction_z: float = option(0.0, "Direction in which it pushes, upward part")
    muscles: str = option(
        HELD, "Muscles hold their excitation, relax at once, or are tensed before", choices=MUSCLE_STATES
    )
    bracing: float = option(0.2, "Share of its greatest force that every muscle is near, if they are braced")
    duration_s: float = option(REFLEX_S, "Duration; reflexes, which are not modelled, begin after some 0.25 s", "s")
    method: str = option("symplectic Euler", "Steps of time", choices=tuple(METHODS))
    step_s: float = option(PUBLISHED_STEP, "Step", "s")
    every_s: float = option(1e-4, "Time between the states shown; the criteria use every step", "s")
    folder: str = option(
        "", "Folder with files of the model, such as bones.csv, in place of those that come with Biomec"
    )
    time_limit_s: float = time_limit()


@dataclass(frozen=True)
class HeadImpactOptions(ModelOptions, BlowOptions):
    """Options of the study: those of the blow, then those of the model."""


def refusal(machine: Machine) -> str | None:
    """Why a machine has no head to be hit."""
    names = {body.name for body in machine.system.bodies}
    if not {"C0", "C1", "C2", "C7"} <= names:
        return "it is no head and neck. The machine head-neck is one."
    return None


def model_options(options: ModelOptions) -> ModelOptions:
    """Those of a study's options that describe the model."""
    return ModelOptions(**{one.name: getattr(options, one.name) for one in fields(ModelOptions)})


def folder_of(folder: str) -> Path | None:
    """The folder of the user's own tables; none for those that come with Biomec."""
    return Path(folder) if folder else None


def model_of(options: ModelOptions, folder: str = "") -> HeadNeck:
    """The model of the options."""
    return load_head_neck(model_options(options), folder_of(folder))


def blow_of(options: Any) -> Blow:
    """The blow of the options."""
    if options.pulse == TRIANGLE:
        pulse = triangle(options.peak_N, options.rise_s, options.end_s)
    elif options.pulse == HALF_SINE:
        pulse = half_sine(options.peak_N, options.end_s)
    else:
        pulse = pulse_from(options.pulse_file)
    point = 1e-3 * np.array([options.point_x_mm, options.point_y_mm, options.point_z_mm])
    return Blow(pulse, point, np.array([options.direction_x, options.direction_y, options.direction_z]))


def pulse_from(file: str) -> Pulse:
    """Pulse of a table of times [s] with one column in N or kN; other columns are passed over."""
    if not file:
        raise BiomecError(
            "A pulse from a file needs the name of the file (pulse_file), a table of time [s] and force [N]."
        )
    columns = read_columns(Path(file))
    forces = [name for name, unit in columns.units.items() if UNITS.get(unit, ("",))[0] == "force"]
    if len(forces) != 1:
        there = ", ".join(f"{name} [{unit}]" if unit else f"{name} (no unit)" for name, unit in columns.units.items())
        raise FileError(
            columns.source,
            f"a pulse needs one column whose unit is N or kN, and there are {len(forces) or 'none'}. The columns "
            f"beside the time are {there}. Write the unit in the head, such as force [N], and leave one such column.",
        )
    return Pulse(columns.time_s, UNITS[columns.units[forces[0]]][1] * columns.column(forces[0]))


def impact_options(options: Any) -> ImpactOptions:
    """How the options want a blow to be computed."""
    return ImpactOptions(**{one.name: getattr(options, one.name) for one in fields(ImpactOptions)})


def run_head_impact(machine: Machine, options: HeadImpactOptions, progress: Progress | None = None) -> Run:
    """Answer the study."""
    model, blow, how = model_of(options, options.folder), blow_of(options), impact_options(options)
    equilibrium = equilibrium_for(model, how)
    impact = simulate_impact(equilibrium, blow, how, part_of(progress, 0.0, 0.95))
    measures = Measures(impact)
    return Run(
        study="head-impact",
        title="Blow to the head",
        machine=machine,
        options=options,
        time_s=impact.time_s,
        curves=impact_curves(impact),
        figures=impact_figures(measures),
        poses={
            name: np.concatenate([impact.R[:, k], impact.p[:, k, :, None]], axis=2)
            for k, name in enumerate(model.names)
            if k
        },
        status=impact.status,
        succeeded=impact.completed,
        notices=_notices(measures),
        text=impact_text(measures),
        files={PICKED: exported_points(model)},
    )


def impact_figures(measures: Measures) -> dict[str, float]:
    """Headline figures."""
    impact, model = measures.impact, measures.impact.model
    equilibrium = impact.equilibrium
    hic, bric = risks_of_hic(measures.hic15.value), risks_of_bric(measures.bric)
    return {
        "hic15": measures.hic15.value,
        "hic36": measures.hic36.value,
        "bric": measures.bric,
        "degrees_of_freedom": model.freedoms,
        "muscles": len(model.muscles),
        "ligaments": len(model.ligaments),
        "discs": len(model.discs),
        "contacts": len(model.contacts),
        "peak_acceleration_g": measures.peak_g,
        "peak_angular_velocity_rad_s": measures.peak_angular_velocity,
        "peak_angular_acceleration_rad_s2": measures.peak_angular_acceleration,
        "impulse_Ns": impact.blow.pulse.impulse,
        "risk_minor_hic": hic["minor"],
        "risk_moderate_hic": hic["moderate"],
        "risk_severe_hic": hic["severe"],
        "risk_minor_bric": bric["minor"],
        "risk_moderate_bric": bric["moderate"],
        "nic_max_m2_s2": float(measures.nic.max()),
        "nij_max": max(measures.nij.values()),
        "nkm_max": max(measures.nkm.values()),
        "equilibrium_residual": equilibrium.residual,
        "energy_imbalance": impact.imbalance,
        **{f"preload_{name.replace(' ', '_')}_N": force for name, force in equilibrium.preload.items()},
    }


def impact_curves(impact: Impact) -> tuple[StudyCurve, ...]:
    """Everything over time that can be plotted."""
    model, every = impact.model, max(1, round(impact.options.every_s / impact.options.step_s))
    shown = slice(0, (len(impact.time_s) - 1) * every + 1, every)
    turn = np.rad2deg(impact.z[:, :, 3:] - impact.z[0, :, 3:])
    made = [curve("Blow", "force", "N", impact.blow.pulse.at(impact.time_s))]
    resultant = np.linalg.norm(impact.acceleration[shown], axis=1) / GRAVITY
    made.append(curve("Head acceleration", "resultant", "g", resultant))
    for axis, name in enumerate("xyz"):
        made.append(curve("Head acceleration", name, "g", impact.acceleration[shown, axis] / GRAVITY))
        made.append(curve("Head angular velocity", name, "rad/s", impact.angular_velocity[shown, axis]))
        made.append(curve("Upper neck force on the head", name, "N", impact.neck_force[:, axis]))
        made.append(curve("Upper neck moment on the head", name, "N·m", impact.neck_moment[:, axis]))
    for axis, words in enumerate(("Lateral bending", "Flexion", "Axial rotation")):
        made += [curve(words, one.name, "deg", turn[:, b, axis]) for b, one in enumerate(model.bones)]
    made += [
        curve(
            "Flexion or extension, of its limit", one.name, "%", np.abs(turn[:, b, 1]) / (0.005 * RANGES_DEG[one.name])
        )
        for b, one in enumerate(model.bones)
        if one.name in RANGES_DEG
    ]
    made += [
        curve("Ligament strain", one.name, "", impact.ligament_strain[:, n]) for n, one in enumerate(model.ligaments)
    ]
    made += [
        curve("Ligament strain, of its limit", one.name, "%", 100.0 * strain / strain_limit(one.name))
        for strain, one in zip(impact.ligament_strain.T, model.ligaments, strict=True)
    ]
    made += [
        curve("Ligament force", one.name, "N", impact.ligament_force[:, n]) for n, one in enumerate(model.ligaments)
    ]
    made += [curve("Muscle force", one.name, "N", impact.muscle_force[:, n]) for n, one in enumerate(model.muscles)]
    made += [curve("Contact force", one.name, "N", impact.contact_force[:, n]) for n, one in enumerate(model.contacts)]
    made += [curve("Disc force", f"{one.name} {axis}", "N", impact.disc_load[:, d, j])
             for d, one in enumerate(model.discs) for j, axis in enumerate("xyz")]  # fmt: skip
    made += [curve("Energy", "kinetic", "J", impact.kinetic), curve("Energy", "potential", "J", impact.potential)]
    made += [curve("Energy", f"work of {kind}", "J", impact.works[kind]) for kind in KINDS[1:]]
    return tuple(made)


def impact_text(measures: Measures) -> str:
    """Tables to be read: motion of the levels, ligaments, greatest forces."""
    lines = ["Level  extension  flexion  limit [deg]"]
    for level in measures.levels:
        mark = "  past its limit" if level.exceeded else ""
        lines.append(
            f"{level.name:5s}  {level.extension_deg:9.1f}  {level.flexion_deg:7.1f}  {level.limit_deg:5.1f}{mark}"
        )
    lines += ["", "Ligaments, those that pass their limit first", "strain  limit  force [N]  past at [ms]"]
    for one in measures.ligaments[:SHOWN]:
        when = f"{1e3 * one.passed_s:.1f}" if np.isfinite(one.passed_s) else "–"
        lines.append(f"{one.strain:6.3f}  {one.limit:5.3f}  {one.force:9.1f}  {when:>12s}  {one.name}")
    lines += ["", "Greatest forces of discs, contacts and muscles [N]"]
    forces = sorted(measures.peak_forces.items(), key=lambda item: -item[1])
    lines += [f"{force:9.1f}  {name}" for name, force in forces[:SHOWN]]
    return "\n".join(lines)


def _notices(measures: Measures) -> tuple[str, ...]:
    impact = measures.impact
    found = [
        "Points of the blow, contacts, ligaments and the paths of the deep multifidus are assumptions, since the "
        "source prints none. HIC depends on the blow and the mass of the head; BrIC and the neck depend on them."
    ]
    cut = cut_off(impact.blow, impact.options)
    if cut is not None:
        found.append(cut)
    shifted = impact.equilibrium.shifted
    if shifted:
        most = 1e3 * max(abs(one) for one in shifted.values())
        found.append(
            f"The tendons of {len(shifted)} muscles were changed by up to {most:.1f} mm, so that an activation between "
            "0 and 1 holds the force of the equilibrium."
        )
    if impact.options.duration_s > REFLEX_S:
        found.append("After 0.25 s a person's reflexes would change the motion; none are modelled.")
    return tuple(found)


STUDY = Study(
    "head-impact",
    "Blow to the head",
    "A force pulse on the head of a neck with discs, ligaments, muscles and facets: HIC, BrIC, neck loads, strains.",
    HeadImpactOptions,
    refusal,
    run_head_impact,
)
