"""A recorded movement as lines between points, for a page that shows it moving."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.pipeline.analysis import Analysis

ENOUGH_HZ = 50.0  # of a figure; what lies between is drawn by straight lines


@dataclass(frozen=True, eq=False)
class MovingFigure:
    """Points of a person over a trial.

    name    : of the trial;  frames, rate_hz : of the trial
    step    : every so many frames of the trial one frame of the figure, the first at frame 0
    points  : (F, P, 3) [m], X forward, Y up, Z to the right; NaN where a point is not known
    lines   : indices of the points along each line, and its side: "right", "left" or ""
    """

    name: str
    frames: int
    rate_hz: float
    step: int
    points: FloatArray
    lines: tuple[tuple[tuple[int, ...], str], ...]


def moving_figure(analysis: Analysis, name: str) -> MovingFigure | None:
    """The lines that the model draws, over the whole trial; None if none of them has been seen."""
    trial, body = analysis.signals.trial, analysis.body
    step = max(1, int(trial.rate_hz // ENOUGH_HZ))
    frames = slice(None, None, step)
    fixed = body.person.points_of(analysis.positions.q[frames])
    segments = set(body.person.system.layout.bodies)
    found: dict[str, int] = {}
    paths: list[FloatArray] = []
    lines = []
    for segment in (one for one in body.person.model.segments if one.name in segments):
        side = "" if segment.side is None else segment.side.value
        for line in segment.draw:
            numbers = []
            for landmark in line:
                key = f"{segment.name}.{landmark}"
                if key not in fixed:
                    key = landmark
                if key not in found:
                    path = fixed[key] if key in fixed else _at(body.points.get(key), frames)
                    if path is None or not np.isfinite(path).any():
                        continue
                    found[key] = len(paths)
                    paths.append(path)
                numbers.append(found[key])
            if len(numbers) > 1:
                lines.append((tuple(numbers), side))
    if not lines:
        return None
    return MovingFigure(name, trial.frames, trial.rate_hz, step, read_only(np.stack(paths, axis=1)), tuple(lines))


def _at(path: FloatArray | None, frames: slice) -> FloatArray | None:
    return None if path is None else path[frames]
