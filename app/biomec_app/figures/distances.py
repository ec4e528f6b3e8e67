"""Box plots of the distance from raw to consistent: [Nunes2017] Figs. 4.11 and 4.12."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from biomec.base.progress import Progress
from biomec.pipeline.analysis import Analysis
from biomec.recording.marker_set import Side
from biomec.reporting.frame_quality import Spread, spreads
from biomec_app.figures.kind import Choice, Chosen, Column, FigureKind
from biomec_app.figures.style import SMALL, Ink, legend, nothing, patch, quiet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LANDMARKS, MARKERS = "Landmarks, raw to consistent", "Markers, measured to model"
BY_SIZE, BY_NAME = "Largest first", "As in the model"
MILLIMETRE = 1e3
CODES = {"_D": Side.RIGHT, "_E": Side.LEFT}


@dataclass(frozen=True)
class Content:
    """Spreads in the order of the boxes, and the side of the body of each."""

    spreads: tuple[Spread, ...]
    sides: tuple[Side | None, ...]


class DistanceFigure(FigureKind):
    """How far landmarks or markers had to move."""

    key, title = "distances", "Distance from Raw to Consistent"
    help = "Box plots of how far every landmark moved to obey the model, or every marker is from it"
    needs = ("preparation", "signals", "positions")

    def choices(self, analysis: Analysis) -> tuple[Choice, ...]:
        """Landmarks or markers, and their order."""
        return Choice("what", "Show", (LANDMARKS, MARKERS)), Choice("order", "Order", (BY_SIZE, BY_NAME))

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> Content:
        """Percentiles over the valid frames."""
        positions, marker_set = analysis.positions, analysis.preparation.marker_set
        markers = chosen["what"] == MARKERS
        names = positions.markers if markers else positions.landmarks
        distances = positions.marker_residual if markers else positions.distance
        found = spreads(names, distances, positions.valid)
        if chosen["order"] == BY_NAME:
            found = tuple(sorted(found, key=lambda one: names.index(one.name)))
        sides = tuple(
            marker_set[one.name].side if markers and one.name in marker_set else CODES.get(one.name[-2:])
            for one in found
        )
        return Content(found, sides)

    def remark(self, content: Content, chosen: Chosen) -> str:
        """How to read a box, and the worst."""
        if not content.spreads:
            return "There is no valid frame."
        worst = max(content.spreads, key=lambda one: one.rms)
        return (
            f"Boxes: 25 to 75 % of the frames and the median; thin lines: 5 to 95 %; dots: the largest. "
            f"Farthest: {worst.name}, {MILLIMETRE * worst.rms:.1f} mm rms."
        )

    def draw(self, figure: Figure, content: Content, chosen: Chosen, ink: Ink) -> None:
        """One box a name, in the colour of its side."""
        axes, count = figure.subplots(), len(content.spreads)
        quiet(axes, ink)
        for k, (one, side) in enumerate(zip(content.spreads, content.sides, strict=True)):
            colour = ink.side(side)
            p5, p25, median, p75, p95, largest = (
                MILLIMETRE * x for x in (one.p5, one.p25, one.median, one.p75, one.p95, one.largest)
            )
            axes.plot([k, k], [p5, p95], color=colour, linewidth=1.1)
            axes.bar(k, max(p75 - p25, 1e-9), bottom=p25, width=0.62, color=colour, alpha=0.45, edgecolor=colour,
                     linewidth=0.9)  # fmt: skip
            axes.plot([k - 0.31, k + 0.31], [median] * 2, color=ink.theme.text, linewidth=1.6)
            axes.plot(k, largest, ".", color=colour, markersize=4)
        many = count > 30
        axes.set_xticks(range(count), [one.name for one in content.spreads], rotation=90 if many else 45,
                        ha="center" if many else "right", rotation_mode="default" if many else "anchor",
                        fontsize=SMALL - (1.5 if many else 0.0))  # fmt: skip
        axes.tick_params(axis="x", length=0)
        axes.set_xlim(-0.8, max(count, 4) - 0.2)
        axes.set_ylim(bottom=0.0)
        axes.set_ylabel("distance, mm")
        if not count:
            nothing(axes, ink, "no valid frame")
        words = {Side.RIGHT: "right", Side.LEFT: "left", None: "middle"}
        shown = [side for side in words if side in content.sides]
        legend(figure, ink, [patch(color=ink.side(side), alpha=0.6) for side in shown], [words[one] for one in shown])

    def data(self, content: Content, chosen: Chosen) -> tuple[Column, ...]:
        """One row a name, in millimetres."""
        numbers = [field.name for field in fields(Spread) if field.name != "name"]
        table = MILLIMETRE * np.array([[getattr(one, number) for number in numbers] for one in content.spreads])
        table = table.reshape(-1, len(numbers))
        names = Column("name", [one.name for one in content.spreads])
        return names, *(Column(f"{number} (mm)", table[:, k]) for k, number in enumerate(numbers))
