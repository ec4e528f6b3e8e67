"""The cycles of one analysed trial, those that do not count too: ``cycles.csv`` beside its project.

By side and first frame a cycle is named where somebody takes it out (`study.decisions`), whatever its number becomes.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from biomec.base.errors import FileError
from biomec.base.plain_text import from_cell
from biomec.pipeline.analysis import Analysis
from biomec.reporting.tables import table_text

CYCLES = "cycles"
HEAD = ("side", "cycle", "first frame", "last frame", "begin [s]", "end [s]", "counts", "reason")
INVALID = "not every frame obeys the model"
YES, NO = "yes", "no"


@dataclass(frozen=True)
class TrialCycle:
    """A cycle of a trial.

    side        : right, left, or both;  number : among those of its side, from 1
    first, last : frames as the file counts them;  begin_s, end_s : time from the start of the recording [s]
    counts      : whether it takes part in tables and statistics;  reason : why it does not
    """

    side: str
    number: int
    first: int
    last: int
    begin_s: float
    end_s: float
    counts: bool
    reason: str = ""

    @property
    def title(self) -> str:
        """What a list calls it: "Right 3", or "Cycle 3" where cycles have no side."""
        return f"{'Cycle' if self.side == 'both' else self.side.capitalize()} {self.number}"


def cycles_csv(analysis: Analysis) -> str:
    """CSV text with a row for each cycle that was found."""
    start, rate = analysis.session.dynamic.first_frame, float(analysis.signals.trial.rate_hz)
    by_hand = {(one.side, one.frame): one.reason for one in analysis.session.notes.excluded_cycles}
    rows: list[tuple[object, ...]] = []
    for group, cycles in analysis.cycles.groups.items():
        side = group.lower()
        for k, ((first, last), valid) in enumerate(zip(cycles.spans.tolist(), cycles.valid.tolist(), strict=True)):
            reason = "" if valid else by_hand.get((side, first + start), INVALID)
            rows.append((side, k + 1, first + start, last + start, f"{first / rate:.3f}", f"{last / rate:.3f}",
                         YES if valid else NO, reason))  # fmt: skip
    return table_text(HEAD, rows)


def read_cycles(folder: Path) -> tuple[TrialCycle, ...]:
    """Cycles of the trial whose results are in a folder; none where they were not written."""
    path = folder / f"{CYCLES}.csv"
    try:
        with path.open(encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))[1:]
        return tuple(
            TrialCycle(side, int(number), int(first), int(last), float(begin), float(end), counts == YES,
                       from_cell(reason))
            for side, number, first, last, begin, end, counts, reason in lines
        )  # fmt: skip
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError, csv.Error, ValueError) as error:
        raise FileError(path.name, f"the cycles of the trial cannot be read ({error}). Analyse it again.") from error
