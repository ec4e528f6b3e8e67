"""Loads of a joint over the cycle, mean ± SD, conditions beside each other: [Nunes2017] Figs. 5.12-5.15, 5.17."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from biomec.base.progress import Progress
from biomec.body.loads.load_components import AXES_WORDS, FORCE, MOMENT
from biomec.pipeline.analysis import Analysis, run_first
from biomec.pipeline.load_cycles import cycles_of_joint
from biomec.recording.marker_set import Side
from biomec.reporting.statistics.conditions import Condition
from biomec.reporting.statistics.cycle_statistics import SignalCycles, signal_cycles
from biomec_app.curves.curve import capital, side_of_name
from biomec_app.features.loads.figure_methods import NORMALISATIONS, joint_options
from biomec_app.features.loads.readings import Readings, has_loads, stem
from biomec_app.figures.kind import Chosen, Column, FigureChoice, FigureKind
from biomec_app.figures.style import Ink, legend, name, nothing, over_cycle, quiet, stroke, zero_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RESIDUAL = "Residual"
QUANTITIES = {"Force": FORCE, "Moment": MOMENT}
IN_AXES = {capital(words): axes for axes, words in AXES_WORDS.items()}


@dataclass(frozen=True, eq=False)
class LoadLine:
    """One component: its senses, its unit, and its cycles in one recording."""

    label: str
    positive: str
    negative: str
    unit: str
    side: Side | None
    cycles: SignalCycles | None


@dataclass(frozen=True, eq=False)
class RecordedLoads:
    """Lines of one recording: (side, row) -> line; read_as: method, axes, sign, filter of the plates."""

    name: str
    lines: dict[tuple[Side | None, int], LoadLine]
    read_as: str = ""


@dataclass(frozen=True, eq=False)
class LoadCycleContent:
    """The open recording, and those that it is compared with."""

    own: RecordedLoads
    others: tuple[RecordedLoads, ...] = ()
    absent: tuple[str, ...] = ()


class LoadCycleFigure(FigureKind):
    """Mean ± SD over cycles, left and right in columns."""

    key, title = "load-cycles", "Joint Loads over the Cycle"
    help = "Force or moment of a joint, or the residual, over the cycle: mean and standard deviation"
    needs = ("signals", "body", "segments", "cycles", "loads")

    def blocked(self, analysis: Analysis) -> str | None:
        """Needs loads, and a cycle that is valid."""
        reason = super().blocked(analysis) or (None if has_loads(analysis) else run_first("loads"))
        if reason is None and not analysis.cycles.valid:
            reason = "There is no valid cycle."
        return reason

    def choices(self, analysis: Analysis) -> tuple[FigureChoice, ...]:
        """Joint, force or moment, axes, unit."""
        reading = analysis.settings.load_reading
        axes = sorted(IN_AXES, key=lambda words: IN_AXES[words] != reading.axes)  # those of the settings first
        units = sorted(NORMALISATIONS, key=lambda words: NORMALISATIONS[words] != reading.normalisation)
        return (
            FigureChoice("joint", "Joint", (*joint_options(analysis), RESIDUAL)),
            FigureChoice("quantity", "Load", tuple(QUANTITIES)),
            FigureChoice("axes", "Axes", tuple(axes)),
            FigureChoice("unit", "Unit", tuple(units)),
        )

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> LoadCycleContent:
        """Cycles of the three components of both sides."""
        return LoadCycleContent(recorded("", analysis, chosen))

    def compared(
        self, content: LoadCycleContent, conditions: Sequence[Condition], own: str, chosen: Chosen
    ) -> LoadCycleContent:
        """Other recordings that have loads beside the open one."""
        with_loads = [one for one in conditions if has_loads(one.analysis)]
        absent = tuple(one.name for one in conditions if not has_loads(one.analysis))
        others = tuple(recorded(one.name, one.analysis, chosen) for one in with_loads)
        if not others:
            return replace(content, absent=absent)
        return LoadCycleContent(replace(content.own, name=own), others, absent)

    def remark(self, content: LoadCycleContent, chosen: Chosen) -> str:
        """What is shown, over which cycles, and who is missing."""
        what = "residual on the root" if chosen["joint"] == RESIDUAL else chosen["joint"].lower()
        read_as = _residual_axes(chosen) if chosen["joint"] == RESIDUAL else content.own.read_as
        cycles = [f"{one.name + ': ' if one.name else ''}{_cycles(one)}" for one in (content.own, *content.others)]
        lacking = f" Without loads, and left out: {', '.join(content.absent)}." if content.absent else ""
        return f"{chosen['quantity']}, {what}; {read_as}. Mean ± SD of {'; '.join(cycles)}.{lacking}"

    def draw(self, figure: Figure, content: LoadCycleContent, chosen: Chosen, ink: Ink) -> None:
        """A row a component; left before right, the midline alone."""
        sides = sorted({side for side, _ in content.own.lines}, key=lambda side: (side is None, side is Side.RIGHT))
        grid = figure.subplots(3, len(sides), sharex=True, sharey="row", squeeze=False)
        all_of = (content.own, *content.others)
        for i in range(3):
            for j, side in enumerate(sides):
                axes = grid[i, j]
                quiet(axes, ink)
                line = content.own.lines[side, i]
                which = "" if side is None else f", {side.value}"
                name(axes, ink, capital(line.positive) + which, f"{line.negative} −" if line.negative else "")
                colours = ink.conditions if content.others else (ink.side(side),)
                drawn = [
                    _draw(axes, one.lines.get((side, i)), colour) for one, colour in zip(all_of, colours, strict=False)
                ]
                if not any(drawn):
                    nothing(axes, ink, "no valid cycle")
                axes.set_xlim(0.0, 100.0)
                if j == 0:
                    axes.set_ylabel(line.unit)
                if i == 2:
                    axes.set_xlabel("cycle, %")
            zero_line(ink, *grid[i])
        if content.others:
            handles = [stroke(color=colour, linewidth=2.0) for colour in ink.conditions[: len(all_of)]]
            legend(figure, ink, handles, [one.name for one in all_of])
        figure.align_ylabels()

    def data(self, content: LoadCycleContent, chosen: Chosen) -> tuple[Column, ...]:
        """Mean and standard deviation of every component, by recording."""
        columns: list[Column] = []
        for one in (content.own, *content.others):
            beside = f", {one.name}" if one.name else ""
            for line in one.lines.values():
                if line.cycles is None:
                    continue
                curves = line.cycles.curves
                if not columns:
                    columns.append(Column("cycle (%)", curves.percent))
                columns.append(Column(f"{line.label}{beside}, mean ({line.unit})", curves.mean))
                columns.append(Column(f"{line.label}{beside}, sd ({line.unit})", curves.sd))
        return tuple(columns) or (Column("cycle (%)", np.zeros(0)),)


def recorded(called: str, analysis: Analysis, chosen: Chosen) -> RecordedLoads:
    """Three components of a joint's force or moment, or of the residual, in one recording."""
    readings, unit = Readings(analysis), NORMALISATIONS[chosen["unit"]]
    quantity, time = QUANTITIES[chosen["quantity"]], analysis.signals.trial.time_s
    cycles, points = analysis.cycles.groups, analysis.settings.cycles.points
    lines: dict[tuple[Side | None, int], LoadLine] = {}
    if chosen["joint"] == RESIDUAL:
        found = readings.residual("laboratory" if IN_AXES[chosen["axes"]] == "laboratory" else "root", unit)
        for k in (k for k, what in enumerate(found.quantity) if what == quantity):
            over = signal_cycles(cycles, None, time, np.asarray(found.values[:, k]), points)
            called_so = found.names[k].removeprefix("residual ")
            lines[None, k % 3] = LoadLine(found.names[k], called_so, "", found.units[k], None, over)
        return RecordedLoads(called, lines)
    axes = IN_AXES[chosen["axes"]]
    reading = replace(readings.reading, axes=axes)
    for joint in (joint for joint in readings.joints if capital(stem(joint)) == chosen["joint"]):
        side = side_of_name(joint)[0]
        components = readings.components(joint, axes, unit, reading.method)
        for i, label in enumerate(components.of(joint, quantity)):
            k = components.index(label)
            values = reading.sense * components[label]
            over = signal_cycles(cycles_of_joint(analysis, joint), side, time, values, points)
            positive, negative = components.positive[k], components.negative[k]
            named = f"{label}, {reading.words}"
            lines[side, i] = LoadLine(named, positive, negative, components.units[k], side, over)
    return RecordedLoads(called, lines, "; ".join(readings.made(reading)))


def _draw(axes: Axes, line: LoadLine | None, colour: str) -> bool:
    """Mean and spread of a line; False if there is none."""
    if line is None or line.cycles is None:
        return False
    curves = line.cycles.curves
    over_cycle(axes, curves.percent, curves.mean, curves.sd, curves.phase_change_percent, colour)
    return True


def _cycles(one: RecordedLoads) -> str:
    words = dict.fromkeys(line.cycles.words for line in one.lines.values() if line.cycles is not None)
    return " or ".join(words) or "no valid cycle"


def _residual_axes(chosen: Chosen) -> str:
    return "laboratory axes" if IN_AXES[chosen["axes"]] == "laboratory" else "axes of the root segment"
