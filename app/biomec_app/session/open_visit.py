"""The recordings of one visit, of which the document shows one; what is done to that one is part of the document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from biomec.pipeline.analysis import Analysis
from biomec_app.session.document import Document


@dataclass(frozen=True, eq=False)
class Member:
    """A recording of a visit: its analysis, or why there is none.

    path : project file of it, where it has one;  seen : hash of that file as it was read or saved
    """

    name: str
    analysis: Analysis | None
    reason: str = ""
    path: Path | None = None
    seen: str | None = None


class OpenVisit(QObject):
    """Members of the visit; without a visit the open recording is the only one.

    changed : other recordings belong to it, another is shown, or the one that is shown has changed
    """

    changed = Signal()

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._members: tuple[Member, ...] = ()
        self._shown = 0
        self._opening = False
        self.folder: Path | None = None
        document.opened.connect(self._follow)
        document.analysis_changed.connect(self.changed)

    # ------------------------------------------------------------------ what there is

    @property
    def members(self) -> tuple[Member, ...]:
        """All recordings, the open one as it is now."""
        if not self._document.is_open:
            return ()
        name = Path(self._document.analysis.session.dynamic.source.name).stem or "recording"
        if not self._members:
            return (Member(name, self._document.analysis),)
        return tuple(
            replace(one, analysis=self._document.analysis) if k == self._shown else one
            for k, one in enumerate(self._members)
        )

    @property
    def shown(self) -> int:
        """Number of the recording that the document shows."""
        return self._shown if self._members else 0

    @property
    def analysed(self) -> tuple[Member, ...]:
        """Those that have an analysis."""
        return tuple(one for one in self.members if one.analysis is not None)

    @property
    def place(self) -> int:
        """Number of the recording that the document shows among those that have an analysis."""
        return sum(one.analysis is not None for one in self._members[: self._shown])

    # ------------------------------------------------------------------ what the user does

    def open(self, members: Sequence[Member], folder: Path | None = None) -> None:
        """Show the first recording of a visit that was analysed."""
        self._members, self.folder = tuple(members), folder
        self._shown = next(k for k, one in enumerate(members) if one.analysis is not None)
        self._open_shown()

    def show(self, place: int) -> None:
        """Show the recording of that number among those that have an analysis; what is not saved of the open one goes.

        Somebody must have asked before whether it may.
        """
        if place == self.place or not self._members:
            return
        document = self._document
        if not document.is_modified:  # as it lies in its file, or as it was analysed
            now = replace(
                self._members[self._shown], analysis=document.analysis, path=document.path, seen=document.seen
            )
            self._members = tuple(now if k == self._shown else one for k, one in enumerate(self._members))
        self._shown = [k for k, one in enumerate(self._members) if one.analysis is not None][place]
        self._open_shown()

    def _open_shown(self) -> None:
        member = self._members[self._shown]
        assert member.analysis is not None
        self._opening = True
        try:
            self._document.open(member.analysis, member.path, seen=member.seen)
        finally:
            self._opening = False
        if member.path is None:
            self._document.undo_stack.setClean()  # all of it lies in the files, nothing of the user's own is in it yet
        self.changed.emit()

    def _follow(self) -> None:
        """Forget the visit if something else was opened."""
        if not self._opening:
            self._members, self._shown, self.folder = (), 0, None
            self.changed.emit()
