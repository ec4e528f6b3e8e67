"""Residual against cut-off, and the cut-offs that were chosen by it: [Nunes2017] Figs. 3.11 and 3.12."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biomec.base.progress import Progress
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.settings import SignalSettings
from biomec.reporting.statistics.recording_quality import CutoffPanel, cutoff_panels
from biomec.signals.filtering import PLATE_FILTER, FilterOptions
from biomec.signals.residual_analysis import ResidualAnalysis, residual_analysis
from biomec_app.figures.kind import Chosen, Column, FigureChoice, FigureKind
from biomec_app.figures.style import COMPONENTS, SMALL, Ink, legend, name, nothing, quiet, stroke

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLATE = "Plate "
FORCE = tuple(f"force {axis}" for axis in COMPONENTS) + tuple(f"moment {axis}" for axis in COMPONENTS)


@dataclass(frozen=True, eq=False)
class ResidualContent:
    """Residual analysis of all channels of a point, with the factor and unit that they are shown in."""

    analysis: ResidualAnalysis
    channels: tuple[str, ...]
    factors: tuple[float, ...]
    units: tuple[str, ...]


class ResidualFigure(FigureKind):
    """How the cut-off of a point was found."""

    key, title = "residual", "Residual Analysis of a Point"
    check = True
    help = "Residual against cut-off: where signal lost and noise kept are alike"
    needs = ("preparation", "signals")

    def choices(self, analysis: Analysis) -> tuple[FigureChoice, ...]:
        """Every marker, and every plate."""
        plates = tuple(f"{PLATE}{plate.name}" for plate in analysis.preparation.dynamic.plates)
        return (FigureChoice("point", "Point", (*analysis.signals.reconstruction.markers.names, *plates)),)

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> ResidualContent:
        """Residuals with the options of the filter, also where the cut-off was fixed."""
        point, settings = chosen["point"], analysis.signals.options
        if point.startswith(PLATE):
            plate = analysis.preparation.dynamic.plate(point.removeprefix(PLATE))
            values = np.concatenate([plate.force, plate.moment], axis=1)
            options = _options(settings, True)
            found = residual_analysis(values, plate.rate_hz, options.residual, progress, options.filter)
            return ResidualContent(found, FORCE, (1.0,) * 6, ("N",) * 3 + ("N m",) * 3)
        markers = analysis.signals.reconstruction.markers
        options = _options(settings, False)
        found = residual_analysis(markers[point], markers.rate_hz, options.residual, progress, options.filter)
        return ResidualContent(found, COMPONENTS, (1e3,) * 3, ("mm",) * 3)

    def remark(self, content: ResidualContent, chosen: Chosen) -> str:
        """Which point."""
        return f"{chosen['point']}: root mean square of what a low-pass filter takes away, for every cut-off."

    def draw(self, figure: Figure, content: ResidualContent, chosen: Chosen, ink: Ink) -> None:
        """One panel a channel."""
        found, theme = content.analysis, ink.theme
        count = len(content.channels)
        grid = figure.subplots(count // 3, 3, squeeze=False)
        for k, axes in enumerate(grid.ravel()):
            quiet(axes, ink)
            factor, noise, cutoff = content.factors[k], found.noise[k], found.cutoff_hz[k]
            residual = factor * found.residual[:, k]
            axes.plot(found.grid_hz, residual, color=theme.accent, linewidth=1.8)
            beside = "no tail was found"
            if np.isfinite(noise):
                f, line = found.line(k)
                axes.plot(f, factor * line, color=ink.alarm, linewidth=1.4)
                axes.axhline(factor * noise, color=theme.text, linewidth=1.0, linestyle=(0, (5, 3)))
                axes.plot([cutoff] * 2, [0.0, factor * noise], color=theme.faint, linewidth=1.0, linestyle=":")
                axes.plot(found.crossing_hz[k], factor * noise, "o", color=theme.text, markersize=5)
                beside = f"cut-off {cutoff:.2f} Hz, noise {factor * noise:.3g} {content.units[k]}"
                axes.set_ylim(0.0, max(3.2 * factor * noise, 1.05 * float(np.nanmin(residual)) + 1e-12))
            elif not np.isfinite(residual).any():
                nothing(axes, ink, "too few samples")
            axes.set_xlim(0.0, float(found.grid_hz[-1]))
            name(axes, ink, content.channels[k][0].upper() + content.channels[k][1:], beside)
            axes.set_ylabel(f"residual, {content.units[k]}")
            if k >= count - 3:
                axes.set_xlabel("cut-off, Hz")
        entries = {
            "residual": stroke(color=theme.accent, linewidth=1.8),
            "line through the noise": stroke(color=ink.alarm, linewidth=1.4),
            "noise, root mean square": stroke(color=theme.text, linestyle=(0, (5, 3)), linewidth=1.0),
        }
        legend(figure, ink, list(entries.values()), list(entries))
        figure.align_ylabels()

    def data(self, content: ResidualContent, chosen: Chosen) -> tuple[Column, ...]:
        """Residuals of all channels."""
        found = content.analysis
        columns = [Column("cut-off (Hz)", found.grid_hz)]
        for k, channel in enumerate(content.channels):
            columns.append(Column(f"{channel} ({content.units[k]})", content.factors[k] * found.residual[:, k]))
        return tuple(columns)


def _options(settings: SignalSettings, plates: bool) -> FilterOptions:
    chosen = settings.plate_filter if plates else settings.marker_filter
    return chosen or (PLATE_FILTER if plates else FilterOptions())


class CutoffFigure(FigureKind):
    """Cut-offs of all markers."""

    key, title = "cutoffs", "Cut-off of Every Point"
    check = True
    help = "Cut-off frequencies of all markers in X, Y and Z, in six panels by region of the body"
    needs = ("preparation", "signals")

    def blocked(self, analysis: Analysis) -> str | None:
        """Without a filter there is no cut-off."""
        reason = super().blocked(analysis)
        if reason is None and analysis.signals.filtered is None:
            reason = "The markers were not filtered, so that they have no cut-off."
        return reason

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> tuple[CutoffPanel, ...]:
        """Markers by region."""
        filtered = analysis.signals.filtered
        assert filtered is not None
        return cutoff_panels(analysis.preparation.marker_set, filtered.markers.names, filtered.cutoff_hz)

    def remark(self, content: tuple[CutoffPanel, ...], chosen: Chosen) -> str:
        """Lowest and highest."""
        every = np.concatenate([panel.cutoff_hz.ravel() for panel in content])
        every = every[np.isfinite(every)]
        if not every.size:
            return "Nothing was filtered."
        return f"From {every.min():.2f} to {every.max():.2f} Hz; the median is {np.median(every):.2f} Hz."

    def draw(self, figure: Figure, content: tuple[CutoffPanel, ...], chosen: Chosen, ink: Ink) -> None:
        """Six panels of three dots a marker."""
        grid = figure.subplots(3, 2, sharey=True).ravel()
        highest = max((float(np.nan_to_num(panel.cutoff_hz).max(initial=0.0)) for panel in content), default=0.0)
        for k, (axes, panel) in enumerate(zip(grid, content, strict=True)):
            quiet(axes, ink)
            name(axes, ink, panel.title, f"{len(panel.names)} point{'s' * (len(panel.names) != 1)}")
            places = np.arange(len(panel.names))
            for c in range(3):
                axes.plot(places + 0.22 * (c - 1), panel.cutoff_hz[:, c], "o^s"[c], color=ink.axes[c], markersize=4.6)
            if panel.names:
                axes.vlines(places, 0.0, np.nanmax(np.nan_to_num(panel.cutoff_hz), axis=1), color=ink.theme.line,
                            linewidth=5.0, zorder=0.6)  # fmt: skip
                many = len(panel.names) > 12
                axes.set_xticks(places, panel.names, rotation=60 if many else 35, ha="right",
                                rotation_mode="anchor", fontsize=SMALL - (1.5 if many else 0.5))  # fmt: skip
                axes.set_xlim(-0.7, max(len(panel.names), 6) - 0.3)
            else:
                nothing(axes, ink, "no points of this region")
                axes.set_xticks([])
            axes.tick_params(axis="x", length=0, pad=1)
            axes.set_ylim(0.0, 1.1 * max(highest, 0.1))
            if k % 2 == 0:
                axes.set_ylabel("cut-off, Hz")
        handles = [stroke(marker="o^s"[c], linestyle="", color=ink.axes[c], markersize=5) for c in range(3)]
        legend(figure, ink, handles, COMPONENTS)

    def data(self, content: tuple[CutoffPanel, ...], chosen: Chosen) -> tuple[Column, ...]:
        """One row a marker."""
        table = np.concatenate([panel.cutoff_hz for panel in content])
        return (
            Column("region", [panel.title for panel in content for _ in panel.names]),
            Column("point", [point for panel in content for point in panel.names]),
            *(Column(f"{axis} (Hz)", table[:, c]) for c, axis in enumerate(COMPONENTS)),
        )
