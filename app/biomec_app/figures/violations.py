"""Mean violation of every type of constraint, as measured and consistent: [Nunes2017] Fig. 4.7."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomec.base.progress import Progress
from biomec.pipeline.analysis import Analysis
from biomec.reporting.facts import constraint_words
from biomec.reporting.statistics.constraint_checks import GOOD_AFTER, UNITS, Violation, violations
from biomec.reporting.tables import power
from biomec_app.figures.kind import Chosen, Column, FigureKind
from biomec_app.figures.style import SMALL, Ink, legend, logarithmic, nothing, patch, quiet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NUMBER = 1e4  # by which the axis goes on behind the longest bar, for its number
FLOOR = 1e-17  # what a violation of exactly zero is drawn as


class ViolationFigure(FigureKind):
    """Violation by type."""

    key, title = "violations", "Violation by Constraint Type"
    check = True
    help = "Mean violation of the model's constraints before and after kinematic consistency"
    needs = ("positions",)

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> tuple[Violation, ...]:
        """Means over the valid frames."""
        positions = analysis.positions
        return violations(positions.position.before, positions.position.after, positions.valid)

    def remark(self, content: tuple[Violation, ...], chosen: Chosen) -> str:
        """What a bar is."""
        return (
            "Mean of a row over the valid frames: metres for joints and contacts, m² for lengths within segments, the "
            f"ellipsoid scaled by its radii. Good: consistent below {power(GOOD_AFTER)}."
        )

    def draw(self, figure: Figure, content: tuple[Violation, ...], chosen: Chosen, ink: Ink) -> None:
        """Two bars a type, on a logarithmic axis, with their numbers."""
        axes = figure.subplots()
        quiet(axes, ink, grid="x")
        logarithmic(axes, "x")
        theme = ink.theme
        colours = (theme.rebuilt, theme.accent)
        for k, one in enumerate(content):
            for row, value in enumerate((one.before, one.after)):
                if np.isfinite(value):
                    shown = max(value, FLOOR)
                    y = k + 0.2 * (2 * row - 1)
                    axes.barh(y, shown - 0.1 * FLOOR, left=0.1 * FLOOR, height=0.36, color=colours[row])
                    number = axes.text(1.35 * shown, y, power(value), va="center", fontsize=SMALL, color=theme.text)
                    number.set_bbox(
                        {"facecolor": axes.get_facecolor(), "edgecolor": "none", "pad": 1.0}
                    )  # over the grid
        largest = max((one.before for one in content if np.isfinite(one.before)), default=FLOOR)
        axes.set_xlim(0.3 * FLOOR, max(1.0, NUMBER * largest))
        axes.set_yticks(
            range(len(content)), [f"{constraint_words(one.kind)} [{UNITS.get(one.kind, '–')}]" for one in content]
        )
        axes.set_ylim(max(len(content), 3) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0, labelsize=SMALL + 1.0)
        axes.set_xlabel("mean violation, SI units")
        if not any(np.isfinite(one.before) for one in content):
            nothing(axes, ink, "no valid frame")
        legend(figure, ink, [patch(color=c) for c in colours], ("as measured", "consistent"))

    def data(self, content: tuple[Violation, ...], chosen: Chosen) -> tuple[Column, ...]:
        """One row a type."""
        return (
            Column("constraint", [constraint_words(one.kind) for one in content]),
            Column("as measured", [one.before for one in content]),
            Column("consistent", [one.after for one in content]),
        )
