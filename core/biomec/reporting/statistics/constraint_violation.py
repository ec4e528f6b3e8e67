"""How far the measured and the consistent coordinates are from obeying the model, by type of constraint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.engine.joint_kinds import JOINT_KINDS

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
