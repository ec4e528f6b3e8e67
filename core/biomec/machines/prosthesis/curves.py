"""Curves, poses and figures of a swing as every study shows them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.machines.machine import Machine
from biomec.machines.prosthesis.history import History, powers, spring_state
from biomec.machines.prosthesis.readouts import crossing, leg_refusal, readouts
from biomec.machines.prosthesis.reduced import Reduced
from biomec.machines.prosthesis.swing import Swing, top
from biomec.machines.prosthesis.tables import contact_forces
from biomec.machines.reference_points.equations import Pin, RelativeAngle
from biomec.machines.study import StudyCurve, curve


def history_curves(machine: Machine, moving: Reduced, history: History) -> tuple[StudyCurve, ...]:
    """Angles and their derivatives, forces of joints, stops and springs, torques of drivers, energy, the leg."""
    model = moving.model
    found = []
    for group, unit, values in (
        ("Angles", "deg", history.q),
        ("Angular velocities", "deg/s", history.qdot),
        ("Angular accelerations", "deg/s²", history.qddot),
    ):
        found += [curve(group, body, unit, np.rad2deg(values[:, model.column(body)])) for body in model.bodies]
    if moving.stops.names:
        force = contact_forces(moving, history)
        found += [curve("Contact force", name, "N", history.force[:, k]) for k, name in enumerate(moving.stops.names)]
        found += [curve("Contact force", f"on {where}", "N", force[:, k]) for k, where in enumerate(("x", "y"))]
        found += [curve("Gap of the stop", name, "mm", 1e3 * history.gap[:, k])
                  for k, name in enumerate(moving.stops.names)]  # fmt: skip
    for joint in (one.name for one in model.joints if isinstance(one, Pin)):
        force = history.reaction(moving, joint)
        found += [curve("Joint forces", f"{joint} {axis}", "N", force[:, k]) for k, axis in enumerate("xy")]
    found += [
        curve("Driving torque", one.name, "N·m", history.torque(moving, one.name))
        for one in model.drivers
        if isinstance(one, RelativeAngle)
    ]
    for spring in machine.springs:
        length, rate, _ = spring_state(moving, history, spring.first, spring.second)
        pull = spring.stiffness * (length - spring.free_length) + spring.damping * rate + spring.actuation
        found += [
            curve("Spring force", spring.name, "N", pull),
            curve("Spring length", spring.name, "mm", 1e3 * length),
        ]
    power = powers(machine, moving, history)
    for name, values in (("drivers", power.drivers), ("dampers", power.dampers), ("stops", power.stops)):
        found.append(curve("Power", name, "W", values))
    found.append(curve("Energy", "kinetic and potential", "J", power.energy))
    if leg_refusal(machine) is None:
        found += leg_curves(moving, history)
    return tuple(found)


def leg_curves(moving: Reduced, history: History) -> list[StudyCurve]:
    """Flexion, instant centre, stability and foot of a leg."""
    leg = readouts(moving, history)
    return [
        curve("Knee", "flexion", "deg", np.rad2deg(leg.flexion)),
        curve("Knee", "turn of the shank since the start", "deg", np.rad2deg(leg.shank_turn)),
        curve("Instant centre on the thigh", "forward", "mm", 1e3 * leg.centre_on_thigh[:, 0]),
        curve("Instant centre on the thigh", "up", "mm", 1e3 * leg.centre_on_thigh[:, 1]),
        curve("Stability", "instant centre behind the line from hip to ankle", "mm", 1e3 * leg.behind_load_line),
        curve("Foot", "height of the toe", "m", leg.toe[:, 1]),
        curve("Foot", "height of the ankle", "m", leg.ankle[:, 1]),
        curve("Foot", "toe forward", "m", leg.toe[:, 0]),
        curve("Foot clearance", "above the start", "mm", 1e3 * leg.clearance),
    ]


def leg_figures(swing: Swing) -> dict[str, float]:
    """Figures of a leg on the fine grid; empty for other machines."""
    if leg_refusal(swing.machine) is not None:
        return {}
    leg, t = readouts(swing.moving, swing.fine), swing.fine.time_s
    found: dict[str, float] = {"flexion_start_deg": float(np.rad2deg(leg.flexion[0]))}

    def extremes(name: str, values: FloatArray, unit: str, scale: float = 1.0) -> None:
        high, when = top(t, values, swing.stretches)
        low, then = top(t, -values, swing.stretches)
        found[f"{name}_max_{unit}"], found[f"{name}_max_time_s"] = scale * high, when
        found[f"{name}_min_{unit}"], found[f"{name}_min_time_s"] = -scale * low, then

    extremes("flexion", leg.flexion, "deg", 180.0 / np.pi)
    straight = crossing(t, leg.flexion)
    if straight is not None:
        found["full_extension_s"] = straight
    extremes("toe_height", leg.toe[:, 1], "m")
    found["clearance_min_mm"] = -1e3 * top(t, -leg.clearance, swing.stretches)[0]
    return found


def peak_forces(swing: Swing) -> dict[str, float]:
    """Largest size of the force of each pin [N]."""
    found = {}
    for joint in (one.name for one in swing.moving.model.joints if isinstance(one, Pin)):
        force = swing.fine.reaction(swing.moving, joint)
        for k, axis in enumerate("xy"):
            found[f"force_{joint}_{axis}_peak_N"] = float(np.abs(force[:, k]).max())
    return found


def named(figures: Mapping[str, float], machine: Machine) -> dict[str, float]:
    """Figures with the drive of a leg called hip, its only driven joint."""
    if leg_refusal(machine) is not None:
        return dict(figures)
    return {name.replace("drive_", "hip_"): value for name, value in figures.items()}
