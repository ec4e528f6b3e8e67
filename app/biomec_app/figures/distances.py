"""Box plots of the distance from raw to consistent: [Nunes2017] Figs. 4.11 and 4.12."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from biomec.base.progress import Progress
from biomec.pipeline.analysis import Analysis
from biomec.recording.marker_set import Side
from biomec.reporting.statistics.recording_quality import DistanceSpread, spreads
from biomec_app.figures.kind import Chosen, Column, FigureChoice, FigureKind
from biomec_app.figures.style import SMALL, Ink, legend, nothing, patch, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LANDMARKS, MARKERS = "Landmarks, raw to consistent", "Markers, measured to model"
BY_SIZE, BY_NAME = "Largest first", "As in the model"
MILLIMETRE = 1e3
CODES = {"_D": Side.RIGHT, "_E": Side.LEFT}


@dataclass(frozen=True)
class DistanceContent:
    """Spreads in the order of the boxes, and the side of the body of each."""

    spreads: tuple[DistanceSpread, ...]
    sides: tuple[Side | None, ...]


class DistanceFigure(FigureKind):
    """How far landmarks or markers had to move."""

    key, title = "distances", "Distance from Raw to Consistent"
    check = True
    help = "Box plots of how far every landmark moved to obey the model, or every marker is from it"
    needs = ("preparation", "signals", "positions")

    def choices(self, analysis: Analysis) -> tuple[FigureChoice, ...]:
        """Landmarks or markers, and their order."""
        return FigureChoice("what", "Show", (LANDMARKS, MARKERS)), FigureChoice("order", "Order", (BY_SIZE, BY_NAME))

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> DistanceContent:
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
        return DistanceContent(found, sides)

    def remark(self, content: DistanceContent, chosen: Chosen) -> str:
        """How to read a box, and the worst."""
        if not content.spreads:
            return "There is no valid frame."
        worst = max(content.spreads, key=lambda one: one.rms)
        return (
            f"Boxes: 25 to 75 % of the frames and the median; thin lines: 5 to 95 %; dots: the largest. "
            f"Farthest: {worst.name}, {MILLIMETRE * worst.rms:.1f} mm rms."
        )

    def draw(self, figure: Figure, content: DistanceContent, chosen: Chosen, ink: Ink) -> None:
        """One box a name, in the colour of its side."""
        axes, count = figure.subplots(), len(content.spreads)
        quiet(axes, ink)
        for k, (one, side) in enumerate(zip(content.spreads, content.sides, strict=True)):
            draw_box(axes, k, one, ink.side(side), ink)
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

    def data(self, content: DistanceContent, chosen: Chosen) -> tuple[Column, ...]:
        """One row a name, in millimetres."""
        numbers = [field.name for field in fields(DistanceSpread) if field.name != "name"]
        table = MILLIMETRE * np.array([[getattr(one, number) for number in numbers] for one in content.spreads])
        table = table.reshape(-1, len(numbers))
        names = Column("name", [one.name for one in content.spreads])
        return names, *(Column(f"{number} (mm)", table[:, k]) for k, number in enumerate(numbers))


def draw_box(axes: Axes, at: float, one: DistanceSpread, colour: str, ink: Ink, *, upright: bool = True) -> None:
    """A box from 25 to 75 % with the median, a line from 5 to 95 %, a dot for the largest, in mm; upright or lying."""
    p5, p25, median, p75, p95, largest = (
        MILLIMETRE * x for x in (one.p5, one.p25, one.median, one.p75, one.p95, one.largest)
    )

    def line(values: list[float], places: list[float], *marks: str, **style: Any) -> None:
        axes.plot(*((places, values) if upright else (values, places)), *marks, **style)

    line([p5, p95], [at, at], color=colour, linewidth=1.1)
    bar, start, across = (axes.bar, "bottom", "width") if upright else (axes.barh, "left", "height")
    where: dict[str, Any] = {start: p25, across: 0.62}
    bar(at, max(p75 - p25, 1e-9), color=colour, alpha=0.45, edgecolor=colour, linewidth=0.9,
        **where)  # fmt: skip
    line([median] * 2, [at - 0.31, at + 0.31], color=ink.theme.text, linewidth=1.6)
    line([largest], [at], ".", color=colour, markersize=4)
