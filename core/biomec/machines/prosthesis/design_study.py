"""The study `design`: what the geometry of a knee does over its flexion, at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.progress import Progress
from biomec.machines.machine import Machine
from biomec.machines.study import Run, Study, curve, option


@dataclass(frozen=True)
class DesignOptions:
    """Options of the study."""

    lowest_deg: float = option(-2.0, "Flexion to begin with; negative is beyond straight", "deg")
    highest_deg: float = option(90.0, "Flexion to end with", "deg")
    step_deg: float = option(0.5, "Step of flexion", "deg")


def refusal(machine: Machine) -> str | None:
    """Why a machine is no knee."""
    from biomec.machines.prosthesis.readouts import leg_refusal

    if not machine.is_planar:
        return "it moves in space; knees are looked at in one plane."
    return leg_refusal(machine)


def run_design(machine: Machine, options: DesignOptions, progress: Progress | None = None) -> Run:
    """Answer the study: flexion rises by one step each hundredth of a second of the animation."""
    from biomec.machines.prosthesis.geometry import knee_geometry
    from biomec.machines.prosthesis.readouts import crossing

    low, high, step = np.deg2rad([options.lowest_deg, options.highest_deg, options.step_deg])
    made = knee_geometry(machine, float(low), float(high), float(step))
    bent = np.rad2deg(made.flexion)
    on_thigh = 1e3 * made.leg.centre_on_thigh
    behind = 1e3 * made.leg.behind_load_line
    shorter = 1e3 * (np.interp(0.0, made.flexion, made.hip_ankle) - made.hip_ankle)
    curves = [
        curve("Knee", "flexion", "deg", bent),
        curve("Instant centre on the thigh", "forward", "mm", on_thigh[:, 0]),
        curve("Instant centre on the thigh", "up", "mm", on_thigh[:, 1]),
        curve("Stability", "instant centre behind the line from hip to ankle", "mm", behind),
        curve("Leg", "shorter than straight, hip to ankle", "mm", shorter),
        curve("Foot", "height of the toe", "m", made.leg.toe[:, 1]),
    ]
    curves += [curve("Gap of the stop", name, "mm", 1e3 * made.gap[:, k])
               for k, name in enumerate(made.moving.stops.names)]  # fmt: skip
    for name, length in made.lengths.items():
        curves.append(curve("Spring length", name, "mm", 1e3 * length))
        curves.append(curve("Lever arm of the spring", name, "mm", 1e3 * made.levers[name]))
    figures = {
        "flexion_lowest_deg": float(bent[0]),
        "flexion_highest_deg": float(bent[-1]),
        "centre_travel_mm": float(np.nansum(np.linalg.norm(np.diff(on_thigh, axis=0), axis=1))),
        "stable_margin_most_mm": float(np.nanmax(behind)),
    }
    if low <= 0.0 <= high:
        figures["centre_forward_straight_mm"] = float(np.interp(0.0, made.flexion, on_thigh[:, 0]))
        figures["centre_up_straight_mm"] = float(np.interp(0.0, made.flexion, on_thigh[:, 1]))
        figures["stable_margin_straight_mm"] = float(np.interp(0.0, made.flexion, behind))
    unstable = crossing(bent, behind)
    if unstable is not None:
        figures["stable_up_to_deg"] = unstable
    if made.moving.stops.names:
        met = crossing(-bent[::-1], made.gap[::-1, 0])
        if met is not None:
            figures["stop_met_at_deg"] = -met
    if progress is not None:
        progress(1.0)
    return Run(
        study="design",
        title="Geometry of the knee",
        machine=machine,
        options=options,
        time_s=0.01 * np.arange(len(bent), dtype=np.float64),
        over="Knee: flexion",
        curves=tuple(curves),
        figures=figures,
        poses=made.moving.model.poses(made.q),
        notices=() if made.reached else (
            f"The links allow flexion from {bent[0]:.1f} to {bent[-1]:.1f} deg only.",
        ),
    )  # fmt: skip


STUDY = Study(
    "design",
    "Geometry of the knee",
    "Instant centre, stability against the load line, leg length and lever arms over flexion; without dynamics.",
    DesignOptions,
    refusal,
    run_design,
)
