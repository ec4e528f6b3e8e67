"""What a writer of a report may be told besides the report itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from biomec.base.errors import BiomecError
from biomec.pipeline.analysis import Analysis
from biomec.reporting.clinical.definition import ReportDefinition

PAPERS = {"A4": (210.0, 297.0), "Letter": (215.9, 279.4)}
"""Name of a size of paper, as CSS and QPageSize call it too -> width and height upright [mm]."""


@dataclass(frozen=True, eq=False)
class ReportOptions:
    """How a report is written.

    paper    : key of `PAPERS`
    template : a Word document of the laboratory, whose styles, header and footer a Word report takes over
    trials   : analyses of all trials of the visit in its order, excluded ones too: for pictures and figure
    colours  : of the sides, a key of `biomec_app.plots.clinical.look.SIDE_COLOURS`; "" for ours
    strips   : whether strips below the panels show how far the mean is from the norm
    """

    paper: str = "A4"
    template: Path | None = None
    trials: tuple[Analysis, ...] = ()
    colours: str = ""
    strips: bool = False

    @classmethod
    def of(
        cls, definition: ReportDefinition, trials: Iterable[Analysis] = (), template: Path | None = None
    ) -> ReportOptions:
        """What a report definition says about paper and colours."""
        return cls(definition.paper, template, tuple(trials), definition.colours, definition.deviation_strips)

    def __post_init__(self) -> None:
        if self.paper not in PAPERS:
            raise BiomecError(f"There is no paper {self.paper!r}; choose {' or '.join(PAPERS)}.")

    def size(self, landscape: bool) -> tuple[float, float]:
        """Width and height of a sheet [mm]."""
        width, height = PAPERS[self.paper]
        return (height, width) if landscape else (width, height)
