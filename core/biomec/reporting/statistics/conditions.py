"""Recordings side by side: the open one and others of the same person under other conditions, such as another grip.

Which recordings are compared is a setting of the session: names and project files, which are saved with it and read
when they are needed. Their curves lie on the common grid of the cycle, 0 to 100 %, so that nothing has to be aligned.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.io.companions import parse_name
from biomec.io.project import load_project
from biomec.io.registry import PROJECT, find_format
from biomec.pipeline.analysis import Analysis, step_named
from biomec.pipeline.reopen import open_again
from biomec.recording import Session
from biomec.recording.marker_set import Side
from biomec.reporting.statistics.cycle_statistics import SignalCycles, signal_cycles

SETTING = "compared_with"
MOST = 3  # recordings beside the open one
CYCLES = "cycles"


@dataclass(frozen=True)
class Place:
    """Where a recording to compare with lies: what it is called, and its project file."""

    name: str
    path: Path


@dataclass(frozen=True, eq=False)
class Condition:
    """An analysed recording beside the open one."""

    name: str
    path: Path
    analysis: Analysis

    def cycles(self, side: Side | None, time_s: FloatArray, values: FloatArray) -> SignalCycles | None:
        """Cycles of a signal of this recording on the common grid; None if it has no valid one."""
        return signal_cycles(self.analysis.cycles.groups, side, time_s, np.asarray(values))


def places(session: Session) -> tuple[Place, ...]:
    """Recordings that a session is compared with."""
    stored = session.settings.get(SETTING, ())
    if not isinstance(stored, tuple | list):
        return ()
    pairs = [(one.get("name", ""), one.get("path", "")) for one in stored if hasattr(one, "get")]
    return tuple(Place(str(name), Path(str(path))) for name, path in pairs if name and path)


def compared_with(analysis: Analysis, others: Iterable[tuple[str, Path | str] | Place]) -> Analysis:
    """Return the analysis as one that is compared with these recordings, given by name and project file, or with none.

    No result changes: it is only noted in the session.
    """
    wanted = [one if isinstance(one, Place) else Place(one[0], Path(one[1])) for one in others]
    if len(wanted) > MOST:
        raise BiomecError(f"A recording can be compared with {MOST} others at most. Take one away first.")
    if len({one.name for one in wanted}) < len(wanted):
        raise BiomecError("Two recordings of a comparison have the same name. Give them different names.")
    stored = [{"name": one.name, "path": str(one.path)} for one in wanted]
    return replace(analysis, session=analysis.session.with_settings(**{SETTING: stored}))


def read_condition(place: Place, beside: Path | None = None, progress: Progress | None = None) -> Condition:
    """Read the recording of a place and run its steps; a sentence says what is missing.

    beside : folder in which the file is sought too, so that projects that are moved together still find each other
    """
    path = place.path
    if not path.exists() and beside is not None and (beside / path.name).exists():
        path = beside / path.name
    if not path.exists():
        raise BiomecError(
            f"{path.name}, which this recording is compared with, is no longer in {path.parent}. "
            "Put it back, or choose Compare with Recording again."
        )
    if find_format(path)[0].name != PROJECT:
        raise BiomecError(f"{path.name} is not a Biomec project. Open it, analyse it and save it as a project first.")
    analysis = open_again(load_project(path), progress)
    if CYCLES not in analysis.done or not analysis.cycles.valid:
        step = step_named(CYCLES).title
        raise BiomecError(
            f"{path.name} has no valid cycle, so that there is nothing to compare. Open it and run “{step}” first."
        )
    return Condition(place.name, path, analysis)


def condition_name(session: Session, taken: Sequence[str] = ()) -> str:
    """What a recording is called among others: its trial, or the name of its file; numbered if that is taken."""
    stem = Path(session.dynamic.source.name).stem
    name = parse_name(stem).trial or stem
    if name in taken:
        name = stem
    number = 2
    while name in taken:
        name, number = f"{stem} ({number})", number + 1
    return name
