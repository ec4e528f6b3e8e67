"""Pages of sentences and tables about an analysis. A later stage adds its own with `register_summary`. Knows no Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from biomec.pipeline.analysis import Analysis, run_first
from biomec.reporting.statistics.cycle_statistics import angle_table, cycle_table
from biomec.reporting.tables import Section


@dataclass(frozen=True)
class Summary:
    """A page.

    key   : unique name; the menu item is ``signals.<key>``
    title : what the menu and the window say;  help: one sentence
    needs : steps that must have run
    make  : finds its sections
    """

    key: str
    title: str
    help: str
    needs: tuple[str, ...]
    make: Callable[[Analysis], tuple[Section, ...]]

    def blocked(self, analysis: Analysis) -> str | None:
        """Why there is no page yet, as a sentence; None if there is one."""
        return next((run_first(step) for step in self.needs if step not in analysis.done), None)


def cycle_statistics(analysis: Analysis) -> tuple[Section, ...]:
    """Cycles and angles in numbers."""
    all_cycles = analysis.cycles
    by = {"none": "No cycles were sought.", "events": "Cycles begin and end at foot strikes."}
    told = by.get(all_cycles.by, f"Cycles begin and end at the minima of {all_cycles.by}.")
    cycles = cycle_table(all_cycles.groups, analysis.signals.trial.first_frame)
    return (
        Section("Cycles", (told,), (cycles,)),
        Section("Angles", (), (angle_table(analysis.angles, all_cycles.curves),)),
    )


_SUMMARIES = [
    Summary(
        "statistics", "Cycle Statistics", "Durations of the cycles, and what every angle does in them", ("cycles",),
        cycle_statistics,
    )
]  # fmt: skip


def summaries() -> tuple[Summary, ...]:
    """All pages, in the order of the menu."""
    return tuple(_SUMMARIES)


def register_summary(summary: Summary) -> None:
    """Add a page to the menu Signal Analysis, before the window is made."""
    if any(one.key == summary.key for one in _SUMMARIES):
        raise ValueError(f"there is a summary {summary.key} already")
    _SUMMARIES.append(summary)
