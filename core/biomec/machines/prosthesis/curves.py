"""Curves, poses, figures and text tables of a swing as every study shows them, and how two swings differ.

The six tables are laid out as a published program wrote them [Markus2015]: one row a quantity, one column a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.machines.closed_chain.reactions import element_reactions, joint_reactions, reaction_curves
from biomec.machines.machine import Machine
from biomec.machines.prosthesis.history import History, powers, spring_state
from biomec.machines.prosthesis.readouts import crossing, leg_refusal, readouts
from biomec.machines.prosthesis.reduced import Reduced
from biomec.machines.prosthesis.swing import Swing, top
from biomec.machines.reference_points.equations import Pin, RelativeAngle
from biomec.machines.study import Run, StudyCurve, curve


def text_tables(moving: Reduced, history: History) -> dict[str, str]:
    """Six text tables by file name: time, positions, velocities, accelerations, joint forces, contact force.

    Lines that begin with # name rows and units. Angles are in radians, as everything is SI.
    """
    bodies = moving.model.bodies
    parts = [f"{body} {part}" for body in bodies for part in ("x", "y", "angle")]
    joints = sorted(one.name for one in moving.model.joints if isinstance(one, Pin))
    forces = np.concatenate([history.reaction(moving, name) for name in joints], axis=1)
    on_circle = contact_forces(moving, history)
    contact = np.column_stack([on_circle, np.linalg.norm(on_circle, axis=1)])
    return {
        "tempo.txt": _table(history.time_s[:, None], ["time [s]"]),
        "pos.txt": _table(history.q, [f"{one} [{'rad' if 'angle' in one else 'm'}]" for one in parts]),
        "vel.txt": _table(history.qdot, [f"{one} rate [{'rad/s' if 'angle' in one else 'm/s'}]" for one in parts]),
        "acel.txt": _table(
            history.qddot, [f"{one} acceleration [{'rad/s²' if 'angle' in one else 'm/s²'}]" for one in parts]
        ),
        "F_reacao.txt": _table(forces, [f"{name}{axis} [N]" for name in joints for axis in "xy"]),
        "F_cont.txt": _table(contact, ["contact on circle x [N]", "contact on circle y [N]", "contact norm [N]"]),
    }


def contact_forces(moving: Reduced, history: History) -> FloatArray:
    """Force (T, 2) [N] of all stops on the bodies with circles."""
    rows = moving.stops.rows(history.q)
    total = np.zeros((len(history.time_s), 2))
    for k, body in enumerate(moving.stops.circles):
        if body < moving.stops.bodies:
            total += history.force[:, k, None] * rows[:, k, 3 * body : 3 * body + 2]
    return total


def _table(values: FloatArray, names: list[str]) -> str:
    head = "".join(f"# row {k}: {name}\n" for k, name in enumerate(names, start=1))
    return head + "".join(" ".join(f"{x:.12e}" for x in row) + "\n" for row in values.T)


@dataclass(frozen=True)
class Difference:
    """Least, largest and mean absolute difference of a quantity."""

    name: str
    unit: str
    least: float
    largest: float
    mean: float


def differences(moving: Reduced, one: History, other: History) -> tuple[Difference, ...]:
    """How two histories of a machine differ at the same times.

    Angle, velocity and acceleration of each body in degrees, components of joint forces, and the contact force.
    """
    if one.time_s.shape != other.time_s.shape or not np.allclose(one.time_s, other.time_s, rtol=0.0, atol=1e-9):
        raise BiomecError("Two swings can be compared at equal times only; sample them alike.")
    found: list[Difference] = []
    for name in moving.model.bodies:
        column = moving.model.column(name)
        for unit, a, b in (
            ("deg", one.q, other.q),
            ("deg/s", one.qdot, other.qdot),
            ("deg/s²", one.qddot, other.qddot),
        ):
            found.append(_difference(name, unit, np.rad2deg(a[:, column] - b[:, column])))
    for name in sorted(row.name for row in moving.model.joints if isinstance(row, Pin)):
        apart = one.reaction(moving, name) - other.reaction(moving, name)
        found += [_difference(f"{name}{axis}", "N", apart[:, k]) for k, axis in enumerate("xy")]
    found.append(_difference("contact", "N", one.force.sum(axis=1) - other.force.sum(axis=1)))
    return tuple(found)


def difference_text(found: tuple[Difference, ...]) -> str:
    """The differences as a table to be read."""
    lines = [f"{'':16}{'':8}{'least':>14}{'largest':>14}{'mean':>14}"]
    lines += [f"{d.name:16}{d.unit:8}{d.least:14.4f}{d.largest:14.4f}{d.mean:14.4f}" for d in found]
    return "\n".join(lines)


def _difference(name: str, unit: str, apart: FloatArray) -> Difference:
    size = np.abs(apart)
    return Difference(name, unit, float(size.min()), float(size.max()), float(size.mean()))


# --------------------------------------------------------------------------------------------------- curves and figures


def swing_run(
    study: str, title: str, machine: Machine, options: Any, moving: Reduced, history: History,
    figures: Mapping[str, float], **more: Any,
) -> Run:  # fmt: skip
    """Answer of a study that shows a swing: its curves, poses and figures; ``more`` are further fields of `Run`."""
    curves, poses = history_curves(machine, moving, history), moving.model.poses(history.q)
    return Run(study, title, machine, options, history.time_s, curves, figures, poses, **more)


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
    pins = {one.name for one in model.joints if isinstance(one, Pin)}
    others = [
        one
        for one in joint_reactions(model, history.q, history.multipliers)
        if one.name not in pins or one.moment is not None
    ]
    others += [one for one in element_reactions(machine, model, history.q, history.qdot) if one.kind != "spring"]
    found += reaction_curves(others)
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
