"""A person as lines, at a few frames: the stick figure of a movement [Nunes2017] (Fig. 4.20)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.body.anatomy.model import BodyModel
from biomec.recording.marker_set import Side
from biomec.signals.cycles import Cycles

VIEWS: Mapping[str, FloatArray] = FrozenDict(
    {
        "lateral": read_only([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]),
        "frontal": read_only([[0.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]),
        "superior": read_only([[1.0, 0.0], [0.0, 0.0], [0.0, -1.0]]),
    }
)
"""View -> (3, 2) from X forward, Y up, Z to the subject's right to paper, rightwards and upwards.

Lateral is from the right side, frontal from the front (the subject's right is at the left), superior from above.
"""
PHASES = "ABCD"


@dataclass(frozen=True, eq=False)
class StickLine:
    """One line of a segment: (K, 3) laboratory positions [m]; NaN where a point is not known."""

    segment: str
    side: Side | None
    points: FloatArray


def phase_frames(cycles: Cycles, number: int) -> dict[str, int]:
    """Frames of the phases of a cycle: A its start, C where the phase changes, B and D halfway before and after.

    Where the phase does not change, B, C and D are at a quarter, a half and three quarters of the cycle.
    """
    if not 0 <= number < len(cycles):
        raise BiomecError(f"There is no cycle {number + 1}; there are {len(cycles)}.")
    first, last = (int(frame) for frame in cycles.spans[number])
    turn = float(cycles.phase_changes[number])
    middle = 0.5 * (first + last) if not np.isfinite(turn) else turn
    frames = (first, 0.5 * (first + middle), middle, 0.5 * (middle + last))
    return {phase: round(frame) for phase, frame in zip(PHASES, frames, strict=True)}


def stick_figure(model: BodyModel, points: Mapping[str, FloatArray], segments: Sequence[str]) -> tuple[StickLine, ...]:
    """Lines of the model's segments through points of one frame, each (3,), named ``segment.landmark`` or ``landmark``.

    A point that is missing is left out of its line; a line of fewer than two points is not drawn.
    """
    lines = []
    for segment in (one for one in model.segments if one.name in segments):
        for line in segment.draw:
            known = [points.get(f"{segment.name}.{name}", points.get(name)) for name in line]
            there = [np.asarray(point) for point in known if point is not None and np.isfinite(point).all()]
            if len(there) > 1:
                lines.append(StickLine(segment.name, segment.side, read_only(np.array(there))))
    return tuple(lines)
