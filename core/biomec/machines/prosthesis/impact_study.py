"""The study `impact`: the swing with a rigid stop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.progress import Progress
from biomec.machines.machine import Machine
from biomec.machines.prosthesis.swing_study import refusal
from biomec.machines.study import Run, Study, option


@dataclass(frozen=True)
class ImpactOptions:
    """Options of the study."""

    restitution: float = option(0.15, "Speed after an impact over speed before, 0 to 1")
    every_s: float = option(0.001, "Time between the samples shown", "s")
    duration_s: float = option(0.0, "Duration; 0 takes that of the machine", "s")
    tolerance: float = option(1e-8, "Relative tolerance of steps")


def run_impact(machine: Machine, options: ImpactOptions, progress: Progress | None = None) -> Run:
    """Answer the study."""
    from biomec.machines.prosthesis.curves import history_curves, leg_figures, named
    from biomec.machines.prosthesis.rigid_stop import impact_swing
    from biomec.machines.prosthesis.swing import SwingSettings

    settings = SwingSettings(duration=options.duration_s, tolerance=options.tolerance, every=options.every_s)
    made = impact_swing(machine, options.restitution, settings, progress)
    swing = made.swing
    figures = {"impacts": float(len(made.impacts))}
    lines = ["impulses [N·s] and turning rates [deg/s]"]
    notices = []
    if made.impacts:
        time, first = made.impacts[0]
        figures |= {
            "impact_time_s": time,
            "impact_impulse_Ns": first.impulse,
            "effective_mass_kg": first.effective_mass,
            "gap_rate_before_m_s": first.gap_rate_before,
            "gap_rate_after_m_s": first.gap_rate_after,
            "impact_energy_lost_J": first.energy_lost,
            "total_impulse_Ns": made.impulse,
            "rest_force_peak_N": swing.figures["contact_peak_N"],
        }
        for kind, key in (("rest", "rest_begin_s"), ("release", "release_s")):
            times = [one.time_s for one in swing.events if one.kind == kind]
            if times:
                figures[key] = times[0]
        model = swing.moving.model
        for time, hit in made.impacts:
            lines.append(f"\nat {time:.6f} s, impulse {hit.impulse:.5g}, effective mass {hit.effective_mass:.6g} kg")
            for body in model.bodies:
                column = model.column(body)
                after = np.rad2deg(hit.rates[column])
                before = after - np.rad2deg(hit.change[column])
                lines.append(f"  {body:20} {before:12.4f} -> {after:12.4f}")
            for one in model.joints:
                taken = -hit.multipliers[model.rows_of(one.name)]
                lines.append(f"  impulse of {one.name:9} " + " ".join(f"{x:12.4f}" for x in taken))
    else:
        notices.append("The stop is not met within the swing.")
    kept = ("damper_work_J", "drive_torque_max_Nm", "drive_torque_min_Nm")
    figures |= {name: swing.figures[name] for name in kept if name in swing.figures}
    return Run(
        study="impact",
        title=f"Rigid stop, restitution {options.restitution:g}",
        machine=machine,
        options=options,
        time_s=swing.history.time_s,
        curves=history_curves(machine, swing.moving, swing.history),
        figures=named(figures | leg_figures(swing), machine),
        poses=swing.moving.model.poses(swing.history.q),
        status=swing.status,
        succeeded=swing.completed,
        notices=tuple(notices),
        text="\n".join(lines),
    )


STUDY = Study(
    "impact",
    "Rigid stop",
    "The swing with a stop of rigid bodies: velocities jump, joints take impulses, and the knee may rest on its stop.",
    ImpactOptions,
    refusal,
    run_impact,
)
