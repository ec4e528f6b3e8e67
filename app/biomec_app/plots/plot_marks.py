"""What is marked in plots: borders of cycles, changes of phase, events, and frames that do not obey the model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.pipeline.analysis import Analysis
from biomec.recording.marker_set import Side
from biomec.signals.stretches import stretches
from biomec_app.curves.curve import Curve
from biomec_app.plots.plot_pane import (
    BORDER,
    CONDITIONS,
    EVENT,
    LEFT,
    MIDDLE,
    OFF,
    RIGHT,
    STRIKE,
    TURN,
    Mark,
    Trace,
)
from biomec_app.session.plot_view import TIME, PlotView

APART = 10.0  # pixels between lines, on average, below which they would cover the curves
RUG_APART = 3.0  # pixels between the ticks that stand for them at the bottom then


def not_converged(analysis: Analysis) -> FloatArray:
    """Stretches (S, 2) of time whose frames do not obey the model [s]."""
    if "positions" not in analysis.done:
        return np.zeros((0, 2))
    rate = analysis.session.dynamic.rate_hz
    return np.asarray((stretches(~analysis.positions.valid) - 0.5) / rate)


def marks(curves: Sequence[Curve], traces: Sequence[Trace], view: PlotView, analysis: Analysis) -> tuple[Mark, ...]:
    """Lines across a plot: borders of cycles, changes of phase, events; each of the sides that the plot shows."""
    found: list[Mark] = []
    if view.over != TIME:
        if view.cycles:
            for trace in traces:
                if trace.over is None:
                    continue
                turn = trace.over.curves.phase_change_percent
                if np.isfinite(turn).any():
                    own = {"Right": RIGHT, "Left": LEFT}.get(trace.over.name, side_colour(trace.curve.side))
                    colour = str(trace.colour) if trace.colour in CONDITIONS else own
                    found.append(Mark(float(np.nanmean(turn)), TURN, colour, trace.over.cycles.phase))
        return tuple(dict.fromkeys(found))
    shown = {curve.side for curve in curves}
    by_events = False
    if view.cycles and "cycles" in analysis.done:
        by_events = analysis.cycles.by == "events"
        for name, cycles in analysis.cycles.groups.items():
            if not _concerns(name, shown):
                continue
            colour = {"Right": RIGHT, "Left": LEFT}.get(name, MIDDLE)
            found += [Mark(b / cycles.rate_hz, BORDER, colour, "cycle") for b in cycles.borders if len(cycles)]
            turns = cycles.phase_changes
            found += [Mark(float(f) / cycles.rate_hz, TURN, colour, cycles.phase) for f in turns if np.isfinite(f)]
    if view.events:
        for event in analysis.events:
            kind = {"Foot Strike": STRIKE, "Foot Off": OFF}.get(event.label, EVENT)
            if not _concerns(event.context, shown) or (by_events and kind != EVENT):
                continue
            colour = {"Right": RIGHT, "Left": LEFT}.get(event.context, MIDDLE)
            found.append(Mark(event.time_s, kind, colour, event.label))
    return tuple(found)


def _concerns(name: str, shown: set[Side | None]) -> bool:
    """Whether cycles or events of that name belong to a plot with curves of these sides."""
    sides = {"Right": Side.RIGHT, "Left": Side.LEFT}
    return name not in sides or not shown - {None} or sides[name] in shown


def side_colour(side: Side | None) -> str:
    """Colour of the curves and marks of a side."""
    return MIDDLE if side is None else side.value


def as_lines(kinds: Sequence[FloatArray], first: float, last: float, pixels: float) -> list[bool]:
    """Which kinds of vertical lines, the most important first, can all be drawn between ``first`` and ``last``."""
    drawn, seen = [], 0
    for x in kinds:
        more = seen + int(((x >= first) & (x <= last)).sum())
        drawn.append(more <= 2 or pixels / more >= APART)
        seen = more if drawn[-1] else seen
    return drawn


def thinned(x: FloatArray, first: float, last: float, pixels: float) -> IntArray:
    """Which of the increasing ``x`` (N,) are in sight, no two of them within `RUG_APART` pixels."""
    seen = np.flatnonzero((x >= first) & (x <= last))
    if not len(seen) or last <= first:
        return seen
    cell = np.floor((x[seen] - first) * pixels / (RUG_APART * (last - first))).astype(np.int64)
    return seen[np.unique(cell, return_index=True)[1]]
