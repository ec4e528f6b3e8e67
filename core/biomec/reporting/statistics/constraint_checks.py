"""Constraints along a motion, checked: how far coordinates are from obeying them, and whether derivatives are right.

Violations are those of the measured and of the consistent coordinates, by type of constraint. Derivatives are Φ̇ by
differences beside Φq q̇ + Φt: [Nunes2017] Fig. C.17.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.progress import Progress
from biomec.engine.joint_kinds import JOINT_KINDS
from biomec.engine.system import System
from biomec.signals.derivatives import derivative

UNITS = {
    "rigid": "m²",
    **{key: kind.unit for key, kind in JOINT_KINDS.items()},
    "temporary": "m",
}
"""Type of constraint -> unit of its rows: |r|² − L² within a segment, a gap between points in joints and on the ground,
the equation of the ellipsoid with all lengths over its radii. Rows of directions have no unit."""
GOOD_AFTER = 1e-9  # what consistent coordinates may still violate on average: far below any length that matters
USUAL_BEFORE = 1e-2  # what measured coordinates usually violate at most: a centimetre


@dataclass(frozen=True)
class Violation:
    """Mean violation of a row of one type over the valid frames, as measured and consistent, in the unit of the row."""

    kind: str
    before: float
    after: float


def violations(
    before: Mapping[str, FloatArray], after: Mapping[str, FloatArray], valid: BoolArray
) -> tuple[Violation, ...]:
    """Means over the ``valid`` frames (T,) of what every type of constraint was violated by (T,); NaN without any."""
    return tuple(Violation(kind, _mean(before[kind][valid]), _mean(after[kind][valid])) for kind in before)


def _mean(values: FloatArray) -> float:
    there = values[np.isfinite(values)]
    return float(there.mean()) if there.size else float("nan")


BATCH = 32  # frames whose dense Jacobians are in memory at once


@dataclass(frozen=True, eq=False)
class DerivativeCheck:
    """Norms over the rows of the constraints in every frame; arrays are read-only, NaN where a neighbour is missing.

    first, second            : (T,) ‖Φ̇‖ and ‖Φ̈‖ by central differences of Φ along the motion
    first_error              : (T,) ‖Φ̇ − (Φq q̇ + Φt)‖
    second_error             : (T,) ‖Φ̈ − (Φq q̈ − c)‖, c = −Φ̇q q̇ − Φ̇t
    """

    first: FloatArray
    first_error: FloatArray
    second: FloatArray
    second_error: FloatArray
    rate_hz: float


def check_derivatives(
    system: System, q: FloatArray, rate_hz: float, progress: Progress | None = None
) -> DerivativeCheck:
    """Compare along a motion q (T, n) the rates of Φ by differences in time with those that the engine computes.

    q̇ and q̈ are central differences too, so that the two sides differ by terms of order h² alone: halving the step h
    quarters the error. The motion should not obey the constraints (measured coordinates do not): otherwise both sides
    are zero. [Nunes2017]
    """
    Phi = system.residual(q)
    qdot, qddot = derivative(q, rate_hz), derivative(q, rate_hz, 2)
    b, c = system.velocity_rhs(q), system.acceleration_rhs(q, qdot)
    along, bent = np.empty_like(Phi), np.empty_like(Phi)
    for start in range(0, len(q), BATCH):  # in batches: all dense Jacobians of a trial would fill the memory
        part = slice(start, start + BATCH)
        Phi_q = system.jacobian(q[part])
        along[part] = np.einsum("tmn,tn->tm", Phi_q, qdot[part])
        bent[part] = np.einsum("tmn,tn->tm", Phi_q, qddot[part])
        if progress is not None:
            progress(min(1.0, (start + BATCH) / len(q)))
    Phi_dot, Phi_ddot = derivative(Phi, rate_hz), derivative(Phi, rate_hz, 2)
    first, first_error, second, second_error = (
        read_only(np.linalg.norm(rows, axis=1))
        for rows in (Phi_dot, Phi_dot - along + b, Phi_ddot, Phi_ddot - bent + c)
    )
    return DerivativeCheck(first, first_error, second, second_error, rate_hz)
