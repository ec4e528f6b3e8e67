"""How curves are shown: what shares a plot, over time or over the cycle, and what is drawn beside them."""

from __future__ import annotations

from dataclasses import dataclass

SIDES, SEPARATE, TOGETHER = "sides", "separate", "together"
GROUPINGS = {SIDES: "Sides together", SEPARATE: "Separate", TOGETHER: "All together"}
TIME, MEAN, CYCLES = "time", "mean", "cycles"
OVER = {TIME: "Over time", MEAN: "Mean cycle", CYCLES: "Every cycle"}
FIT = 0


@dataclass(frozen=True)
class PlotView:
    """Choices of the user about all plots.

    grouping : what shares a plot: both sides of a signal, nothing, or everything of the same unit
    over     : `TIME`, the `MEAN` cycle with its spread, or all `CYCLES` laid over each other
    columns  : 1, 2 or 3 plots side by side; `FIT`: as many as there is room for
    cycles   : borders of the cycles, and where their phase changes
    events   : events of the recording
    norm     : mean and spread of people without complaints behind the cycles of a walk
    linked   : all plots show the same time
    measure  : a click shows the coordinates of a sample instead of going to its time
    window_s : begin and end of the time that is shown [s]; None: everything
    range_y  : lowest and highest value of all plots; None: each as it needs
    """

    grouping: str = SIDES
    over: str = TIME
    columns: int = FIT
    grid: bool = True
    spots: bool = False
    cycles: bool = True
    events: bool = True
    norm: bool = True
    linked: bool = True
    measure: bool = False
    window_s: tuple[float, float] | None = None
    range_y: tuple[float, float] | None = None
