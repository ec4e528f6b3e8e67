"""Cut-off of every point in X, Y and Z, by region of the body: [Nunes2017] Fig. 3.12."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomec.base.progress import Progress
from biomec.pipeline.analysis import Analysis
from biomec.reporting.statistics.recording_quality import CutoffPanel, cutoff_panels
from biomec_app.figures.kind import Chosen, Column, FigureKind
from biomec_app.figures.style import COMPONENTS, SMALL, Ink, legend, name, nothing, quiet, stroke

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
