"""EMG as recorded and its envelope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biomec.base.arrays import BoolArray
from biomec.base.progress import Progress
from biomec.pipeline.analysis import Analysis
from biomec.signals import process_emg
from biomec.signals.emg import EmgOptions, EmgResult, Envelope
from biomec_app.figures.kind import WHOLE, Chosen, Column, FigureChoice, FigureKind, cycle_choice, cycle_options, span_s
from biomec_app.figures.style import Ink, legend, name, quiet, stroke

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ALL = "All channels"
ENVELOPES = {"Low-pass 6 Hz": Envelope.LOW_PASS, "RMS over 0.1 s": Envelope.RMS}
MICRO = 1e6


@dataclass(frozen=True, eq=False)
class EmgContent:
    """Processed EMG, which channels, the stretch of time, and the borders of cycles in it [s]."""

    emg: EmgResult
    channels: tuple[str, ...]
    within: BoolArray
    borders: tuple[float, ...]


class EmgFigure(FigureKind):
    """EMG with its envelope."""

    key, title = "emg", "EMG with Envelope"
    help = "Band-passed EMG of every channel under its envelope"
    needs = ("preparation", "signals")

    def blocked(self, analysis: Analysis) -> str | None:
        """There must be EMG."""
        reason = super().blocked(analysis)
        return reason or (None if analysis.preparation.dynamic.emg is not None else "The recording has no EMG.")

    def choices(self, analysis: Analysis) -> tuple[FigureChoice, ...]:
        """Channel, envelope and stretch."""
        emg = analysis.preparation.dynamic.emg
        names = () if emg is None else emg.names
        cycles = cycle_choice(analysis)
        return (
            FigureChoice("channel", "Channel", (ALL, *names)),
            FigureChoice("envelope", "Envelope", tuple(ENVELOPES)),
            FigureChoice("cycle", "Stretch", (WHOLE, *cycles.options)),
        )

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> EmgContent:
        """Filter, rectify and smooth."""
        emg = analysis.preparation.dynamic.emg
        assert emg is not None
        done = process_emg(emg, EmgOptions(envelope=ENVELOPES[chosen["envelope"]]))
        first, last = span_s(analysis, chosen["cycle"])
        rate = analysis.signals.trial.rate_hz
        frames = {int(frame) for cycles, _ in cycle_options(analysis).values() for frame in cycles.borders}
        borders = tuple(frame / rate for frame in sorted(frames) if first < frame / rate < last)
        channels = emg.names if chosen["channel"] == ALL else (chosen["channel"],)
        within = np.asarray((emg.time_s >= first) & (emg.time_s <= last))
        return EmgContent(done, channels, within, borders)

    def remark(self, content: EmgContent, chosen: Chosen) -> str:
        """How it was filtered."""
        low, high = content.emg.options.band_hz
        envelope = chosen["envelope"].replace("Low-pass", "low-pass")  # within a sentence
        return f"Band-pass {low:g} to {high:g} Hz, rectified, {envelope}; dashed: borders of the cycles."

    def draw(self, figure: Figure, content: EmgContent, chosen: Chosen, ink: Ink) -> None:
        """A panel a channel."""
        count = len(content.channels)
        columns = 1 if count == 1 else 2
        grid = figure.subplots(-(-count // columns), columns, squeeze=False, sharex=True)
        filtered, envelope = content.emg.filtered, content.emg.envelope
        time = filtered.time_s[content.within]
        for axes in grid.ravel()[count:]:
            axes.axis("off")
        for k, (axes, channel) in enumerate(zip(grid.ravel(), content.channels, strict=False)):
            quiet(axes, ink)
            factor, unit = _scale(filtered.units[filtered.names.index(channel)])
            axes.plot(time, factor * filtered[channel][content.within], color=ink.theme.measured, linewidth=0.4,
                      alpha=0.75)  # fmt: skip
            axes.plot(time, factor * envelope[channel][content.within], color=ink.alarm, linewidth=1.7)
            for border in content.borders:
                axes.axvline(border, color=ink.theme.faint, linewidth=0.9, linestyle=(0, (4, 3)))
            name(axes, ink, channel.replace("_", " "), unit)
            axes.locator_params(axis="y", nbins=4)
            if k >= count - columns:
                axes.set_xlabel("time, s")
        if time.size:
            grid[0, 0].set_xlim(float(time[0]), float(time[-1]) + 1e-9)
        handles = [
            stroke(color=ink.theme.measured, linewidth=1.0), stroke(color=ink.alarm, linewidth=1.7),
        ]  # fmt: skip
        legend(figure, ink, handles, ("band-passed", "envelope"))

    def data(self, content: EmgContent, chosen: Chosen) -> tuple[Column, ...]:
        """Band-passed signal and envelope of the channels."""
        filtered, envelope = content.emg.filtered, content.emg.envelope
        columns = [Column("time (s)", filtered.time_s[content.within])]
        for channel in content.channels:
            unit = filtered.units[filtered.names.index(channel)]
            columns.append(Column(f"{channel}, band-passed ({unit})", filtered[channel][content.within]))
            columns.append(Column(f"{channel}, envelope ({unit})", envelope[channel][content.within]))
        return tuple(columns)


def _scale(unit: str) -> tuple[float, str]:
    return (MICRO, "µV") if unit == "V" else (1.0, unit)
