"""What a figure is: its name, what the user may choose, how its data are found and how they are drawn. Knows no Qt.

A figure of a later stage is a class like these and a line in `registry`.
"""

from __future__ import annotations

import textwrap
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from biomec.base.plain_text import table
from biomec.base.progress import Progress
from biomec.pipeline.analysis import Analysis, run_first
from biomec.reporting.statistics.conditions import Condition
from biomec.signals.cycles import Cycles
from biomec_app.figures.style import LARGE, NORMAL, Ink, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HEAD, LINE = 0.72, 0.17  # inches over the panels, for title and remark; of a further line of it
LETTERS = 12.5  # of the remark that an inch holds

Chosen = Mapping[str, str]
"""Key of a choice -> the option that is chosen."""


@dataclass(frozen=True)
class FigureChoice:
    """Something to choose in a figure: the first option is taken unless the user says otherwise.

    redraws : the choice changes only the drawing, not the data
    refused : option that cannot be chosen -> why
    """

    key: str
    label: str
    options: tuple[str, ...]
    redraws: bool = False
    refused: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Column:
    """A column of the plotted data: heading with unit, and numbers or texts."""

    name: str
    values: Sequence[Any] | np.ndarray


class FigureKind(ABC):
    """A figure.

    key   : unique name; the menu item is ``figures.<key>``
    title : what the menu and the window say
    help  : one sentence
    needs : steps that must have run
    slow  : its data take longer than a moment: they are found by a job that can be cancelled
    check : it checks numbers or methods, rather than show the movement; the menu keeps these apart
    least : width and height below which it becomes smaller as a whole, letters too [inches]
    """

    key: ClassVar[str]
    title: ClassVar[str]
    help: ClassVar[str]
    needs: ClassVar[tuple[str, ...]]
    slow: ClassVar[bool] = False
    check: ClassVar[bool] = False
    least: ClassVar[tuple[float, float]] = (0.0, 0.0)

    def blocked(self, analysis: Analysis) -> str | None:
        """Why the figure cannot be drawn, as a sentence; None if it can."""
        for step in self.needs:
            if step not in analysis.done:
                return run_first(step)
        return None

    def choices(self, analysis: Analysis) -> tuple[FigureChoice, ...]:
        """What the user may choose."""
        return ()

    @abstractmethod
    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> Any:
        """Everything that is drawn, found by the library; not in the window's thread."""

    def compared(self, content: Any, conditions: Sequence[Condition], own: str, chosen: Chosen) -> Any:
        """The content with that of other recordings beside it; figures that compare nothing leave it as it is.

        own : what the open recording is called beside them
        """
        return content

    def remark(self, content: Any, chosen: Chosen) -> str:
        """One line under the title."""
        return ""

    @abstractmethod
    def draw(self, figure: Figure, content: Any, chosen: Chosen, ink: Ink) -> None:
        """Draw on an empty figure whose layout keeps texts apart."""

    def size(self, content: Any, chosen: Chosen) -> tuple[float, float]:
        """Width and height on paper [inches]; in the window a figure is as large as the window."""
        return 10.0, 6.5

    @abstractmethod
    def data(self, content: Any, chosen: Chosen) -> tuple[Column, ...]:
        """What is drawn, as columns for a table."""


def compose(
    kind: FigureKind, content: Any, chosen: Chosen, ink: Ink, size: tuple[float, float], dpi: float, whose: str = ""
) -> Figure:
    """A finished figure of a size in inches: title, of ``whose`` data if that is said, and remark over the panels."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    smaller = max(1.0, *(needed / given for needed, given in zip(kind.least, size, strict=True)))
    width, height = smaller * size[0], smaller * size[1]
    lines = textwrap.wrap(kind.remark(content, chosen), int(LETTERS * width))
    head = HEAD + LINE * (len(lines) - 1)
    figure = new_figure((width, height), ink, dpi / smaller)
    engine = figure.get_layout_engine()
    assert isinstance(engine, ConstrainedLayoutEngine)
    room = (0.008, 0.008, 0.984, 1.0 - head / height - 0.008)
    engine.set(rect=room, w_pad=0.06, h_pad=0.06, wspace=0.02, hspace=0.03)
    left, top = 0.14 / width, 1.0 - 0.34 / height
    figure.text(
        left,
        top,
        f"{whose}: {kind.title}" if whose else kind.title,
        fontsize=LARGE,
        fontweight="bold",
        color=ink.theme.text,
    )
    figure.text(left, 1.0 - 0.46 / height, "\n".join(lines), fontsize=NORMAL, color=ink.theme.faint, va="top")
    kind.draw(figure, content, chosen, ink)
    return figure


def table_text(columns: Sequence[Column], separator: str = ",") -> str:
    """Columns as text; shorter ones end early, numbers carry all their digits, what is missing stays empty."""
    rows = [[column.name for column in columns]]
    longest = max((len(column.values) for column in columns), default=0)
    for row in range(longest):
        rows.append([_cell(column.values[row]) if row < len(column.values) else "" for column in columns])
    return table(rows, separator)


def _cell(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return repr(float(value)) if np.isfinite(value) else ""
    return str(value)


WHOLE = "Whole recording"


def cycle_options(analysis: Analysis) -> dict[str, tuple[Cycles, int]]:
    """What a cycle is called -> the cycles it belongs to and its number from 0; valid ones come first."""
    if "cycles" not in analysis.done:
        return {}
    found: dict[str, tuple[Cycles, int]] = {}
    for name, cycles in analysis.cycles.groups.items():
        for number in range(len(cycles)):
            side = "" if name == "both" else f"{name.lower()} "
            bad = "" if cycles.valid[number] else " (not valid)"
            found[f"Cycle {side}{number + 1}{bad}"] = (cycles, number)
    return dict(sorted(found.items(), key=lambda item: not item[1][0].valid[item[1][1]]))


def cycle_choice(analysis: Analysis, *more: str) -> FigureChoice:
    """The choice of a cycle, followed by other options."""
    return FigureChoice("cycle", "Cycle", (*cycle_options(analysis), *more))


def span_s(analysis: Analysis, option: str) -> tuple[float, float]:
    """First and last time of a cycle, or of the recording [s]."""
    trial = analysis.signals.trial
    cycles = cycle_options(analysis)
    if option not in cycles:
        return 0.0, trial.duration_s
    one, number = cycles[option]
    first, last = one.spans[number]
    return float(first) / trial.rate_hz, float(last) / trial.rate_hz
