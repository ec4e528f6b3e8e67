"""Loads in published tables: shares of the joint force, residual by axis, both methods: [Nunes2017] Tables 5.7 to 5.13.

A page of the window and CSV have all of them; the report has the first two.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.base.fields import PERCENT
from biomec.body.loads.joint_stress import KINDS, JointStress, joint_stress
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.load_cycles import cycles_of_joint
from biomec.pipeline.load_reading import chosen_loads, motion_of_loads
from biomec.reporting.statistics.method_errors import MethodErrors, method_errors
from biomec.reporting.tables import NOTHING, Table, number, power, table_text, with_spread

AXES = ("X", "Y", "Z")
FORCE_UNIT, MOMENT_UNIT = "N", "N·m"
ROUNDING = 1e-9  # N, N·m, %: differences below are those of the last digits


def load_tables(analysis: Analysis) -> tuple[Table, ...]:
    """All that have something to show; cycles and loads must have run."""
    tables = (share_table(analysis), residual_table(analysis), *method_tables(analysis))
    return tuple(one for one in tables if one is not None)


# ----------------------------------------------------------------------------------------- shares of the joint force
def shares(analysis: Analysis) -> tuple[JointStress, BoolArray]:
    """Loads by what resists them, and the frames (T, J) that count: those of the cycles that count for each joint.

    All frames count where no cycles were found.
    """
    body = analysis.body.person
    stress = joint_stress(chosen_loads(analysis), motion_of_loads(analysis), body.model, body.joint_axes())
    counted = np.zeros(stress.axial.shape, dtype=np.bool_)
    for k, joint in enumerate(stress.joints):
        groups = cycles_of_joint(analysis, joint)
        for cycles in groups.values():
            for first, last in cycles.spans[cycles.valid]:
                counted[first : last + 1, k] = True
        if not any(len(cycles) for cycles in groups.values()):
            counted[:, k] = True
    return stress, counted


def share_table(analysis: Analysis) -> Table | None:
    """Compression, traction and shear of the joint force in %; None where no direction of compression is known."""
    stress, counted = shares(analysis)
    if not stress.joints:
        return None
    found = {kind: [PERCENT * one for one in stress.mean_share(kind, counted)] for kind in KINDS}
    rows = [
        (joint.capitalize(), *(_spread(found[kind][0][k], found[kind][1][k]) for kind in KINDS))
        for k, joint in enumerate(stress.joints)
    ]
    note = (
        "Mean ± SD over the frames of the cycles in which the share is not zero: the three are over different frames. "
        "Their squares sum to one in every frame. The body model says which way a joint is compressed; at the elbow, "
        "where the ulna is pressed on the humerus."
    )
    columns = ("Joint", *(f"{kind.capitalize()} [%]" for kind in KINDS))
    return Table("Shares of the joint force", columns, tuple(rows), note)


def _spread(mean: float, sd: float) -> str:
    return NOTHING if not np.isfinite(mean) else with_spread(float(mean), float(sd), 1)


# -------------------------------------------------------------------------------------------------- residual by axis
def residual_table(analysis: Analysis) -> Table | None:
    """RMS and peak of the residual along the axes of the laboratory and of its size; None where no frame counts."""
    size = analysis.loads.trust.residuals
    if not size.counted.any():
        return None
    rows = [(name, *(number(float(value), 1) for value in values)) for name, values in _residual_rows(analysis)]
    note = (
        f"Over {int(size.counted.sum())} frames in which plates bear the whole body. Axes of the laboratory, Y up; the "
        "RMS of the size is the root of the sum of the squares of its components."
    )
    return Table("Residual by axis", ("", *AXES, "Size"), tuple(rows), note)


def _residual_rows(analysis: Analysis) -> list[tuple[str, FloatArray]]:
    size = analysis.loads.trust.residuals
    return [
        (f"Force, RMS [{FORCE_UNIT}]", size.force_rms), (f"Force, peak [{FORCE_UNIT}]", size.force_peak),
        (f"Moment, RMS [{MOMENT_UNIT}]", size.torque_rms), (f"Moment, peak [{MOMENT_UNIT}]", size.torque_peak),
    ]  # fmt: skip


# ------------------------------------------------------------------------------------------------------ both methods
def method_tables(analysis: Analysis) -> tuple[Table, ...]:
    """Absolute and relative error between both methods, of forces and of moments; none without a cycle that counts."""
    found = method_errors(analysis)
    if not any(found.cycles):
        return ()
    kept = analysis.loads.multibody.contacts
    note = (
        "Mean ± SD over the cycles that count for the joint of the mean difference in a cycle, along the axes of the "
        "laboratory; in % of the range in the cycle of the mean of both. "
        + (
            "The multibody method knows what the ribs bear, Newton-Euler does not: the shoulder differs on purpose."
            if kept else "Both solve the same equations: what remains is rounding."
        )
    )  # fmt: skip
    made = []
    for what, unit, values in (
        ("Forces", FORCE_UNIT, (found.force, found.force_sd, found.force_share, found.force_share_sd)),
        ("Moments", MOMENT_UNIT, (found.torque, found.torque_sd, found.torque_share, found.torque_share_sd)),
    ):
        columns = ("Joint", *(f"{axis} [{unit}]" for axis in AXES), *(f"{axis} [%]" for axis in AXES))
        made.append(Table(f"{what}: Newton-Euler against multibody", columns, _method_rows(found, values), note))
    return tuple(made)


def _method_rows(found: MethodErrors, values: Sequence[FloatArray]) -> tuple[tuple[str, ...], ...]:
    mean, sd, share, share_sd = values
    rows = []
    for j, joint in enumerate(found.joints):
        if found.cycles[j]:
            cells = [_small(mean[j, k], sd[j, k]) for k in range(3)]
            cells += [_small(PERCENT * share[j, k], PERCENT * share_sd[j, k]) for k in range(3)]
            rows.append((joint.capitalize(), *cells))
    return tuple(rows)


def _small(mean: float, sd: float) -> str:
    """Mean ± SD of numbers that may be tiny: powers of ten below a thousandth, and a bound for rounding."""
    if not np.isfinite(mean):
        return NOTHING
    if mean < ROUNDING:
        return "< 10⁻⁹"
    write = power if 0.0 < mean < 1e-3 else lambda value: number(value, 3)
    return write(float(mean)) + (f" ± {write(float(sd))}" if np.isfinite(sd) else "")


# --------------------------------------------------------------------------------------------------------------- CSV
def joint_stress_csv(analysis: Analysis) -> str:
    """One row a joint and share: mean, standard deviation, frames."""
    stress, counted = shares(analysis)
    rows, values = [], []
    for kind in KINDS:
        mean, sd = stress.mean_share(kind, counted)
        there = (stress.share(kind) > 0.0) & counted
        for k, joint in enumerate(stress.joints):
            rows.append((joint, kind, int(there[:, k].sum())))
            values.append((PERCENT * mean[k], PERCENT * sd[k]))
    head = ("joint", "share of the joint force", "frames", "mean (%)", "sd (%)")
    return table_text(head, rows, np.reshape(values, (-1, 2)) if values else None)


def residual_csv(analysis: Analysis) -> str:
    """RMS and peak of the residual along X, Y, Z of the laboratory and of its size."""
    rows = _residual_rows(analysis)
    heads = [(name.replace("·", " ").replace("[", "(").replace("]", ")"),) for name, _ in rows]
    return table_text(("residual", *AXES, "size"), heads, np.stack([values for _, values in rows]))


def load_methods_csv(analysis: Analysis) -> str:
    """One row a joint and load: mean and standard deviation of the error between both methods along X, Y, Z."""
    found = method_errors(analysis)
    rows, values = [], []
    for what, unit, parts in (
        ("force", "N", (found.force, found.force_sd, found.force_share, found.force_share_sd)),
        ("moment", "N m", (found.torque, found.torque_sd, found.torque_share, found.torque_share_sd)),
    ):
        for j, joint in enumerate(found.joints):
            rows.append((joint, what, unit, found.cycles[j]))
            scaled = [(PERCENT if k > 1 else 1.0) * part[j] for k, part in enumerate(parts)]
            values.append(np.concatenate(scaled))
    names = [f"{which} {axis}{unit}" for unit in ("", " (% of range)") for which in ("mean", "sd") for axis in AXES]
    return table_text(("joint", "load", "unit", "cycles", *names), rows, np.stack(values))
