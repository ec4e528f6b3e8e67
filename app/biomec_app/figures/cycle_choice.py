"""Choosing a cycle of the movement in a figure."""

from __future__ import annotations

from biomec.pipeline.analysis import Analysis
from biomec.signals.cycles import Cycles
from biomec_app.figures.kind import FigureChoice

WHOLE = "Whole recording"


def cycle_options(analysis: Analysis) -> dict[str, tuple[Cycles, int]]:
    """What a cycle is called -> the cycles it belongs to and its number from 0; valid ones come first."""
    if "cycles" not in analysis.done:
        return {}
    found: dict[str, tuple[Cycles, int]] = {}
    for name, cycles in analysis.cycles.groups.items():
        for number in range(len(cycles)):
            side = "" if name == "both" else f"{name.lower()} "
            bad = "" if cycles.valid[number] else " (not valid)"
            found[f"Cycle {side}{number + 1}{bad}"] = (cycles, number)
    return dict(sorted(found.items(), key=lambda item: not item[1][0].valid[item[1][1]]))


def cycle_choice(analysis: Analysis, *more: str) -> FigureChoice:
    """The choice of a cycle, followed by other options."""
    return FigureChoice("cycle", "Cycle", (*cycle_options(analysis), *more))


def span_s(analysis: Analysis, option: str) -> tuple[float, float]:
    """First and last time of a cycle, or of the recording [s]."""
    trial = analysis.signals.trial
    cycles = cycle_options(analysis)
    if option not in cycles:
        return 0.0, trial.duration_s
    one, number = cycles[option]
    first, last = one.spans[number]
    return float(first) / trial.rate_hz, float(last) / trial.rate_hz
