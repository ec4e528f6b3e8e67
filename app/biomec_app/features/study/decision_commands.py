"""Taking trials and cycles out of a study, with a reason, so that it can be undone and done again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtGui import QUndoCommand

from biomec.study.decisions import decide

Cycle = tuple[str, int]


@dataclass(frozen=True)
class Decision:
    """What is decided of a trial, or of one of its cycles (side and first frame): why it does not count, "" if it does.

    before : the reason until now, "" if it counted
    """

    trial: str
    reason: str
    before: str
    cycle: Cycle | None = None


class DecisionCommand(QUndoCommand):
    """Decisions that belong together; each is written with its day, and undoing writes the former one again.

    done : called after each writing;  failed : called with what could not be written
    """

    def __init__(
        self,
        text: str,
        results: Path,
        decisions: tuple[Decision, ...],
        done: Callable[[], None],
        failed: Callable[[Exception], None],
    ) -> None:
        super().__init__(text)
        self._results, self._decisions, self._done, self._failed = results, decisions, done, failed

    def redo(self) -> None:
        """Write the decisions."""
        self._write([(one, one.reason) for one in self._decisions])

    def undo(self) -> None:
        """Write what held before."""
        self._write([(one, one.before) for one in reversed(self._decisions)])

    def _write(self, reasons: list[tuple[Decision, str]]) -> None:
        try:
            for one, reason in reasons:
                decide(self._results, one.trial, reason, one.cycle)
        except (
            Exception
        ) as error:  # a read-only folder, a full disk: the command must not stay among what can be undone
            self.setObsolete(True)
            self._failed(error)
        else:
            self._done()
