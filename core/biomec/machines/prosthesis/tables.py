"""Text tables of a swing, and how two swings differ.

The six tables are laid out as a published program wrote them [Markus2015]: one row a quantity, one column a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.machines.prosthesis.history import History
from biomec.machines.prosthesis.reduced import Reduced
from biomec.machines.reference_points.equations import Pin


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


def figures_text(figures: Mapping[str, float]) -> str:
    """Figures as a table to be read."""
    return "\n".join(f"{name:28}{value:16.8g}" for name, value in figures.items())


def _difference(name: str, unit: str, apart: FloatArray) -> Difference:
    size = np.abs(apart)
    return Difference(name, unit, float(size.min()), float(size.max()), float(size.mean()))
