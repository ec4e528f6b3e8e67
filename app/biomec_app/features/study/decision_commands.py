"""Taking trials and cycles out of a study, with a reason, so that it can be undone and done again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtGui import QUndoCommand

from biomec.study.decisions import Decision, decide_all


@dataclass(frozen=True)
class Change:
    """A decision, and the reason that held before, "" if the trial or cycle counted."""

    decision: Decision
    before: str


class DecisionCommand(QUndoCommand):
    """Decisions that belong together, written at once with their day; undoing writes the former ones again.

    done : called after each writing;  failed : called with what could not be written
    """

    def __init__(
        self,
        text: str,
        results: Path,
        changes: tuple[Change, ...],
        done: Callable[[], None],
        failed: Callable[[Exception], None],
    ) -> None:
        super().__init__(text)
        self._results, self._changes, self._done, self._failed = results, changes, done, failed

    def redo(self) -> None:
        """Write the decisions."""
        self._write([one.decision for one in self._changes])

    def undo(self) -> None:
        """Write what held before."""
        self._write([replace(one.decision, reason=one.before) for one in self._changes])

    def _write(self, decisions: list[Decision]) -> None:
        try:
            decide_all(self._results, decisions)
        except (
            Exception
        ) as error:  # a read-only folder, a full disk: the command must not stay among what can be undone
            self.setObsolete(True)
            self._failed(error)
        else:
            self._done()
