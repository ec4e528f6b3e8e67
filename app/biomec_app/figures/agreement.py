"""Rebuilt beside measured markers: rotated half-axes and differences against means, [Nunes2017] Figs. 3.9 and A.3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biomec.base.progress import Progress
from biomec.pipeline.analysis import Analysis
from biomec.signals import seen_by_the_others
from biomec_app.figures.kind import Chosen, Column, FigureChoice, FigureKind
from biomec_app.figures.style import COMPONENTS, SMALL, Ink, legend, name, quiet, stroke

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from biomec.reporting.statistics.agreement import HalfAxesPlot, VectorAgreement

ALL = "All markers"
RADII = {"Holds that share": "chi2", "z σ, as printed": "interval"}
ALPHAS = {"90 %": 0.1, "95 %": 0.05, "99 %": 0.01}
MOST_POINTS = 4000  # drawn; all are counted


@dataclass(frozen=True, eq=False)
class AgreementContent:
    """The agreement [mm] and its layout on half-axes."""

    agreement: VectorAgreement
    plot: HalfAxesPlot


class AgreementFigure(FigureKind):
    """How far rebuilt markers are from measured ones."""

    key, title = "agreement", "Agreement of Rebuilt with Measured Markers"
    check = True
    help = "Every measured marker beside where the others of its segment put it: limits of agreement in space"
    needs = ("preparation", "signals")

    def choices(self, analysis: Analysis) -> tuple[FigureChoice, ...]:
        """Marker, share, and which ellipsoid."""
        quality = analysis.signals.reconstruction.quality
        names = tuple(one.name for one in quality if one.checked >= 3)
        return (
            FigureChoice("marker", "Marker", (ALL, *names) if names else ()),
            FigureChoice("share", "Limits", tuple(ALPHAS)),
            FigureChoice("radius", "Ellipsoid", tuple(RADII)),
        )

    def blocked(self, analysis: Analysis) -> str | None:
        """Some marker must be measured and rebuilt at once."""
        reason = super().blocked(analysis)
        if reason is None and not self.choices(analysis)[0].options:
            reason = "No marker is both measured and rebuilt, so that there is nothing to compare."
        return reason

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> AgreementContent:
        """Rebuild every marker from the others, and compare. SciPy's statistics are loaded only now."""
        from biomec.reporting.statistics.agreement import (
            AgreementOptions,
            Radius,
            checkable,
            half_axes_plot,
            rebuilding_agreement,
        )

        prepared, clean = analysis.preparation, analysis.signals
        measured = prepared.dynamic.markers
        rebuilt = seen_by_the_others(prepared.dynamic, clean.static, prepared.marker_set, clean.options.reconstruction)
        names = checkable(measured, rebuilt) if chosen["marker"] == ALL else (chosen["marker"],)
        options = AgreementOptions(ALPHAS[chosen["share"]], Radius(RADII[chosen["radius"]]))
        found = rebuilding_agreement(measured, rebuilt, names, options)
        return AgreementContent(found, half_axes_plot(found))

    def remark(self, content: AgreementContent, chosen: Chosen) -> str:
        """What the ellipsoid holds."""
        one, axes = content.agreement.ellipsoid, content.agreement.axes
        bias = ", ".join(f"{axis} {value:+.2f}" for axis, value in zip(COMPONENTS, axes.bias, strict=True))
        return (
            f"{chosen['marker']}: {len(axes.difference)} pairs, rebuilt − measured. Bias {bias.replace('-', '−')} mm; "
            f"{100 * one.inside:.1f} % lie in the ellipsoid, {100 * one.expected:.1f} % are expected."
        )

    def draw(self, figure: Figure, content: AgreementContent, chosen: Chosen, ink: Ink) -> None:
        """Half-axes at the left, difference against mean of every axis at the right."""
        outer = figure.add_gridspec(3, 2, width_ratios=(1.25, 1.0))
        self._half_axes(figure.add_subplot(outer[:, 0]), content, ink)
        for k in range(3):
            self._bland_altman(figure.add_subplot(outer[k, 1]), content.agreement, k, ink)

    def _half_axes(self, axes: Axes, content: AgreementContent, ink: Ink) -> None:
        plot, theme = content.plot, ink.theme
        axes.set_aspect("equal")
        axes.set_facecolor(theme.panel)
        axes.axis("off")
        for plane in plot.planes:
            points = plane.points[:: max(1, len(plane.points) // MOST_POINTS)]
            inside = _between(points, plot.directions[list(plane.axes)])
            axes.plot(*points[inside].T, ".", color=theme.measured, markersize=1.6, alpha=0.35, rasterized=True)
            axes.contour(
                plane.grid[..., 0], plane.grid[..., 1], plane.density, levels=np.unique(plane.levels),
                colors=theme.accent, linewidths=0.8,
            )  # fmt: skip
            axes.plot(*plane.box.T, color=theme.faint, linewidth=1.0, linestyle=(0, (4, 3)))
            axes.plot(*plane.ellipse.T, color=ink.alarm, linewidth=1.8)
        reach = float(np.linalg.norm(plot.ends, axis=1).max())
        drawn = np.concatenate([plot.ends, *(np.concatenate([one.box, one.ellipse]) for one in plot.planes)])
        low, high = drawn.min(axis=0) - 0.12 * reach, drawn.max(axis=0) + 0.12 * reach
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        for k in range(3):
            direction, end = plot.directions[k], plot.ends[k]
            axes.plot([0.0, end[0]], [0.0, end[1]], color=ink.axes[k], linewidth=1.6)
            self._ticks(axes, plot, k, ink)
            axes.plot(*plot.zero[k], "o", markerfacecolor=theme.panel, markeredgecolor=ink.axes[k], markersize=7)
            axes.plot(*plot.bias[k], "o", color=ink.axes[k], markersize=7)
            tip = end + 0.06 * reach * direction
            axes.text(tip[0], tip[1], f"{COMPONENTS[k]}, mm", color=ink.axes[k], ha="center", va="center",
                      fontweight="bold", fontsize=SMALL + 1.0)  # fmt: skip
        handles = [
            stroke(color=ink.alarm, linewidth=1.8),
            stroke(color=theme.faint, linestyle=(0, (4, 3)), linewidth=1.0),
            stroke(color=theme.accent, linewidth=0.8),
            stroke(marker="o", linestyle="", markerfacecolor=theme.panel, markeredgecolor=theme.text),
            stroke(marker="o", linestyle="", color=theme.text),
        ]
        words = ("ellipsoid", "limits of an axis", "25, 50, 75, 90 % of the pairs", "zero", "bias")
        from matplotlib.figure import Figure

        figure = axes.get_figure()
        assert isinstance(figure, Figure)
        legend(figure, ink, handles, words, below=True)

    @staticmethod
    def _ticks(axes: Axes, plot: HalfAxesPlot, k: int, ink: Ink) -> None:
        """A few values along a half-axis, beside it."""
        direction = plot.directions[k]
        across = np.array([-direction[1], direction[0]])
        length = float(np.linalg.norm(plot.ends[k]))
        step = _round_step(length / 3.5)
        first = np.ceil(plot.origin[k] / step) * step
        reach = float(np.linalg.norm(plot.ends, axis=1).max())
        for value in np.arange(first, plot.origin[k] + length + 1e-9, step):
            place = (value - plot.origin[k]) * direction
            ends = np.stack([place, place + 0.012 * reach * across])
            axes.plot(*ends.T, color=ink.axes[k], linewidth=0.9)
            label = f"{value:g}".replace("-", "−") if abs(value) > 1e-12 else "0"
            beside = place + 0.04 * reach * across
            axes.text(beside[0], beside[1], label, fontsize=SMALL - 1.5, color=ink.theme.text, ha="center",
                      va="center")  # fmt: skip

    @staticmethod
    def _bland_altman(axes: Axes, agreement: VectorAgreement, k: int, ink: Ink) -> None:
        found = agreement.axes
        quiet(axes, ink, grid="")
        step = max(1, len(found.mean) // MOST_POINTS)
        axes.plot(found.mean[::step, k], found.difference[::step, k], ".", color=ink.axes[k], markersize=1.8, alpha=0.4,
                  rasterized=True)  # fmt: skip
        axes.axhline(0.0, color=ink.theme.faint, linewidth=0.7)
        axes.axhline(found.bias[k], color=ink.theme.text, linewidth=1.3)
        for limit in (found.lower[k], found.upper[k]):
            axes.axhline(limit, color=ink.alarm, linewidth=1.2, linestyle=(0, (5, 3)))
        reach = 1.5 * float(found.upper[k] - found.bias[k])
        axes.set_ylim(found.bias[k] - reach, found.bias[k] + reach)
        low, high = (f"{x:+.2f}".replace("-", "−") for x in (found.lower[k], found.upper[k]))
        name(axes, ink, COMPONENTS[k], f"{low} to {high} mm, {100 * found.inside[k]:.1f} % within")
        axes.set_ylabel("difference, mm")
        if k == 2:
            axes.set_xlabel("mean of both, mm")

    def data(self, content: AgreementContent, chosen: Chosen) -> tuple[Column, ...]:
        """Means and differences of all pairs."""
        found = content.agreement.axes
        return tuple(
            Column(f"{what} {axis} (mm)", values[:, k])
            for what, values in (("mean", found.mean), ("difference", found.difference))
            for k, axis in enumerate(COMPONENTS)
        )


def _between(points: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Which points (N, 2) lie between two half-axes (2, 2); the others would fall into a neighbour's plane."""
    return np.asarray((points @ np.linalg.inv(directions) >= 0.0).all(axis=1))


def _round_step(step: float) -> float:
    """The next of 1, 2, 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(step)) if step > 0.0 else 1.0
    return float(next((power * k for k in (1.0, 2.0, 5.0) if power * k >= step), 10.0 * power))
