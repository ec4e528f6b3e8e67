"""Force and moment of a plate over a cycle, raw and filtered: [Nunes2017] Fig. 3.14."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomec.analysis.plate_cycle import CHANNELS, PlateCycle, plate_cycle
from biomec.pipeline.analysis import Analysis
from biomec.progress import Progress
from biomec_app.figures.cycle_choice import WHOLE, cycle_choice, span_s
from biomec_app.figures.ink import Ink, legend, name, quiet, stroke
from biomec_app.figures.kind import Choice, Chosen, Column, FigureKind

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class PlateFigure(FigureKind):
    """Ground reaction in parts of the body weight."""

    key, title = "plates", "Plate Force and Torque of a Cycle"
    help = "Ground reaction over a cycle, raw and filtered, in % of the body weight"
    needs = ("preparation", "signals", "body")

    def blocked(self, analysis: Analysis) -> str | None:
        """Without plates there is no ground reaction."""
        reason = super().blocked(analysis)
        return reason or (None if analysis.clean.trial.plates else "The recording has no force plates.")

    def choices(self, analysis: Analysis) -> tuple[Choice, ...]:
        """Plate and cycle."""
        plates = tuple(plate.name for plate in analysis.clean.trial.plates)
        return Choice("plate", "Plate", plates), cycle_choice(analysis, WHOLE)

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> PlateCycle:
        """Both signals, divided by the body weight."""
        trials = analysis.prepared.dynamic, analysis.clean.trial
        measured, filtered = (trial.plate(chosen["plate"]) for trial in trials)
        mass = float(analysis.loaded.body.measures["mass"])
        return plate_cycle(measured, filtered, mass, *span_s(analysis, chosen["cycle"]))

    def remark(self, content: PlateCycle, chosen: Chosen) -> str:
        """Which plate and cycle, and the body weight."""
        return f"{content.plate}, {chosen['cycle'].lower()}; laboratory axes, body weight {content.weight_n:.0f} N."

    def draw(self, figure: Figure, content: PlateCycle, chosen: Chosen, ink: Ink) -> None:
        """Force over moment, X to Z."""
        theme = ink.theme
        grid = figure.subplots(2, 3, sharex=True)
        raw_colour = theme.measured
        for k, axes in enumerate(grid.ravel()):
            quiet(axes, ink)
            axes.plot(content.time_s, content.raw[:, k], color=raw_colour, linewidth=0.8)
            axes.plot(content.time_s, content.filtered[:, k], color=ink.alarm, linewidth=1.6)
            name(axes, ink, CHANNELS[k].replace("moment", "torque").capitalize()[:-1] + CHANNELS[k][-1])
            axes.set_xlim(float(content.time_s[0]), float(content.time_s[-1]))
            if k % 3 == 0:
                axes.set_ylabel("% body weight" if k < 3 else "% body weight × m")
            if k > 2:
                axes.set_xlabel("time, s")
        handles = [stroke(color=colour, linewidth=2) for colour in (raw_colour, ink.alarm)]
        legend(figure, ink, handles, ("raw", "filtered"))
        figure.align_ylabels()

    def data(self, content: PlateCycle, chosen: Chosen) -> tuple[Column, ...]:
        """Raw and filtered channels."""
        columns = [Column("time (s)", content.time_s)]
        for k, channel in enumerate(CHANNELS):
            unit = "% body weight" if k < 3 else "% body weight m"
            columns.append(Column(f"{channel}, raw ({unit})", content.raw[:, k]))
            columns.append(Column(f"{channel}, filtered ({unit})", content.filtered[:, k]))
        return tuple(columns)
