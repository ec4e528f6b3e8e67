"""Force and moment of a plate over a cycle, raw and filtered: [Nunes2017] Fig. 3.14."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biomec.base.progress import Progress
from biomec.pipeline.analysis import Analysis
from biomec.recording import ForcePlate
from biomec.reporting.statistics.cycle_statistics import CHANNELS, PlateCycle, plate_cycle
from biomec_app.figures.kind import WHOLE, Chosen, Column, FigureChoice, FigureKind, cycle_options, span_s
from biomec_app.figures.style import Ink, legend, name, quiet, stroke
from biomec_app.kit.words import plate_user, plate_words, with_code

if TYPE_CHECKING:
    from matplotlib.figure import Figure


LOADED = "Its first loaded cycle"
SHARE = 0.5  # of the largest impulse of a cycle: what counts as loaded


@dataclass(frozen=True, eq=False)
class PlateContent:
    """Signals of a plate, the hand or foot that stands on it if that is known, and the stretch of time."""

    signals: PlateCycle
    user: str | None
    cycle: str


class PlateFigure(FigureKind):
    """Ground reaction in parts of the body weight."""

    key, title = "plates", "Plate Force and Torque of a Cycle"
    help = "Ground reaction over a cycle, raw and filtered, in % of the body weight"
    needs = ("preparation", "signals", "body")

    def blocked(self, analysis: Analysis) -> str | None:
        """Without plates there is no ground reaction."""
        reason = super().blocked(analysis)
        return reason or (None if analysis.signals.trial.plates else "The recording has no force plates.")

    def choices(self, analysis: Analysis) -> tuple[FigureChoice, ...]:
        """Plate, by who stands on it, and cycle."""
        plates = tuple(plate_words(analysis, plate.name) for plate in analysis.signals.trial.plates)
        return FigureChoice("plate", "Plate", plates), FigureChoice(
            "cycle", "Cycle", (LOADED, *cycle_options(analysis), WHOLE)
        )

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> PlateContent:
        """Both signals, divided by the body weight, over a cycle of the side that stands on the plate."""
        plate = next(
            plate.name
            for plate in analysis.signals.trial.plates
            if chosen["plate"] in (plate.name, plate_words(analysis, plate.name))
        )
        trials = analysis.preparation.dynamic, analysis.signals.trial
        measured, filtered = (trial.plate(plate) for trial in trials)
        mass = float(analysis.body.person.measures["mass"])
        user = plate_user(analysis, plate)
        cycle = first_loaded(analysis, filtered, user) if chosen["cycle"] == LOADED else chosen["cycle"]
        return PlateContent(plate_cycle(measured, filtered, mass, *span_s(analysis, cycle)), user, cycle)

    def remark(self, content: PlateContent, chosen: Chosen) -> str:
        """Which plate, who stands on it, which cycle, and the body weight."""
        sentence = f"{with_code(content.signals.plate, content.user or '')}, {content.cycle.lower()}; laboratory axes, "
        sentence += f"body weight {content.signals.weight_n:.0f} N."
        other = {"right": "left", "left": "right"}.get((content.user or "").partition(" ")[0])
        if other is not None and content.cycle.lower().startswith(f"cycle {other} "):
            sentence += f" Note: the cycle is one of the {other} side, but the {content.user} stands on this plate."
        return sentence

    def draw(self, figure: Figure, content: PlateContent, chosen: Chosen, ink: Ink) -> None:
        """Force over moment, X to Z."""
        signals = content.signals
        theme = ink.theme
        grid = figure.subplots(2, 3, sharex=True)
        raw_colour = theme.measured
        for k, axes in enumerate(grid.ravel()):
            quiet(axes, ink)
            axes.plot(signals.time_s, signals.raw[:, k], color=raw_colour, linewidth=0.8)
            axes.plot(signals.time_s, signals.filtered[:, k], color=ink.alarm, linewidth=1.6)
            name(axes, ink, CHANNELS[k].replace("moment", "torque").capitalize()[:-1] + CHANNELS[k][-1])
            axes.set_xlim(float(signals.time_s[0]), float(signals.time_s[-1]))
            if k % 3 == 0:
                axes.set_ylabel("% body weight" if k < 3 else "% body weight × m")
            if k > 2:
                axes.set_xlabel("time, s")
        handles = [stroke(color=colour, linewidth=2) for colour in (raw_colour, ink.alarm)]
        legend(figure, ink, handles, ("raw", "filtered"))
        figure.align_ylabels()

    def data(self, content: PlateContent, chosen: Chosen) -> tuple[Column, ...]:
        """Raw and filtered channels."""
        signals = content.signals
        columns = [Column("time (s)", signals.time_s)]
        for k, channel in enumerate(CHANNELS):
            unit = "% body weight" if k < 3 else "% body weight m"
            columns.append(Column(f"{channel}, raw ({unit})", signals.raw[:, k]))
            columns.append(Column(f"{channel}, filtered ({unit})", signals.filtered[:, k]))
        return tuple(columns)


def first_loaded(analysis: Analysis, plate: ForcePlate, user: str | None) -> str:
    """First valid cycle in which a plate carries load, of the side of whoever stands on it; or the whole recording.

    Steps of the other side are left out: their cycles cut a stance in two.
    """
    side = (user or "").partition(" ")[0].capitalize()
    of_side = analysis.cycles.groups.get(side) if "cycles" in analysis.done else None
    impulses = {}
    for option, (cycles, number) in cycle_options(analysis).items():
        if cycles.valid[number] and (of_side is None or cycles is of_side):
            first, last = span_s(analysis, option)
            within = (plate.time_s >= first) & (plate.time_s <= last)
            impulses[option] = float(np.linalg.norm(np.nan_to_num(plate.force[within]).sum(axis=0)) / plate.rate_hz)
    largest = max(impulses.values(), default=0.0)
    return next((option for option, impulse in impulses.items() if impulse >= SHARE * largest > 0.0), WHOLE)
