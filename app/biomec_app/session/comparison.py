"""The recordings that the open one is compared with: read in the background when the document names them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from biomec.base.progress import Progress
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.replay import python_text
from biomec.reporting.statistics.conditions import (
    Condition,
    Place,
    compared_with,
    condition_name,
    places,
    read_condition,
)
from biomec_app.curves.catalogue import Catalogue, list_curves
from biomec_app.curves.curve import Curve
from biomec_app.session.document import Document
from biomec_app.session.jobs import Jobs


@dataclass(frozen=True, eq=False)
class Compared:
    """A recording beside the open one, with its curves."""

    condition: Condition

    @property
    def name(self) -> str:
        """What legends call it."""
        return self.condition.name

    @property
    def analysis(self) -> Analysis:
        """Its analysis."""
        return self.condition.analysis

    @cached_property
    def catalogue(self) -> Catalogue:
        """Everything that can be plotted of it."""
        return list_curves(self.analysis)

    def curve(self, key: str) -> Curve | None:
        """The curve of that key, if this recording has it."""
        return next(iter(self.catalogue.found([key])), None)


class Comparison(QObject):
    """What is compared with the open recording. The list is part of the document, so that it is undone and saved.

    changed : other recordings are there, or their names
    faults  : project file -> why it could not be read
    """

    changed = Signal()

    def __init__(self, document: Document, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document, self._jobs = document, jobs
        self._known: dict[Path, Condition] = {}
        self._shown: tuple[Compared, ...] = ()
        self._reading: Path | None = None
        self.faults: dict[Path, str] = {}
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self._read_next)
        document.opened.connect(self._forget)
        document.analysis_changed.connect(self._follow)
        jobs.failed.connect(self._failed)
        jobs.cancelled.connect(lambda title: self._failed(title, "Reading it was cancelled."))
        jobs.finished.connect(lambda _: self._follow())

    # ------------------------------------------------------------------ what there is

    @property
    def conditions(self) -> tuple[Compared, ...]:
        """Recordings beside the open one, as far as they are read, in their order."""
        return self._shown

    @property
    def own_name(self) -> str:
        """What the open recording is called beside them."""
        return condition_name(self._document.analysis.session) if self._document.is_open else ""

    # ------------------------------------------------------------------ what the user does

    def add(self, path: Path, finished: Callable[[], None] = lambda: None) -> None:
        """Read a project in the background and compare the open recording with it; ``told`` is called then."""
        before = places(self._document.analysis.session)

        def work(progress: Progress) -> Condition:
            read = read_condition(Place(path.stem, path), progress=progress)
            taken = [self.own_name, *(place.name for place in before)]
            return Condition(condition_name(read.analysis.session, taken), read.path, read.analysis)

        def done(read: Condition) -> None:
            self._known[read.path] = read
            others = [*(place for place in before if place.path != read.path), Place(read.name, read.path)]
            self._change(f"Compare with {read.name}", others)
            finished()

        self._jobs.start(f"Compare with {path.name}", work, done)

    def end(self) -> None:
        """Compare with nothing."""
        self._change("End Comparison", [])

    def _change(self, label: str, others: list[Place]) -> None:
        listed = python_text([(place.name, str(place.path)) for place in others])
        analysis = compared_with(self._document.analysis, others)
        self._document.change(label, analysis, f"analysis = compared_with(analysis, {listed})")

    # ------------------------------------------------------------------ following the document

    def _forget(self) -> None:
        self._known, self.faults = {}, {}
        self._follow()

    def _follow(self) -> None:
        wanted = places(self._document.analysis.session) if self._document.is_open else ()
        shown = [
            Condition(place.name, place.path, self._known[place.path].analysis)
            for place in wanted
            if place.path in self._known
        ]
        before = [(one.name, one.analysis) for one in self._shown]
        if before != [(one.name, one.analysis) for one in shown]:
            old = {id(one.analysis): one for one in self._shown}
            self._shown = tuple(
                kept if (kept := old.get(id(one.analysis))) is not None and kept.name == one.name else Compared(one)
                for one in shown
            )
            self.changed.emit()
        if any(place.path not in self._known and place.path not in self.faults for place in wanted):
            self._later.start()

    def _read_next(self) -> None:
        if not self._document.is_open or self._jobs.busy:
            return  # the end of the job that runs brings us here again
        wanted = places(self._document.analysis.session)
        place = next((one for one in wanted if one.path not in self._known and one.path not in self.faults), None)
        if place is None:
            return
        folder = None if self._document.path is None else self._document.path.parent
        self._reading = place.path

        def done(read: Condition) -> None:
            self._known[place.path] = read
            self._reading = None

        self._jobs.start(_title(place), lambda progress: read_condition(place, folder, progress), done)

    def _failed(self, title: str, sentence: str) -> None:
        if self._reading is not None:
            self.faults[self._reading] = sentence
            self._reading = None
            self.changed.emit()
        self._follow()


def _title(place: Place) -> str:
    return f"Read {place.path.name} for comparison"
