"""Cycles of a visit that are marked, shown and excluded, in the grids of curves and in the list of recordings alike."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QPushButton

from biomec.reporting.clinical.blocks import CycleOrigin
from biomec_app.features.clinical.editing import REASON, exclude_cycle, exclude_recording, include_cycle
from biomec_app.features.clinical.grid_view import GridView, Instant
from biomec_app.features.clinical.trial_list import TrialList
from biomec_app.session.context import Context
from biomec_app.session.project_file import may_discard

Marked = tuple[str, CycleOrigin]
"""Side and origin of a cycle."""


class CycleChoice(QObject):
    """What is marked in one of the grids or in the list is marked in all; ``title`` : of the window, in messages."""

    def __init__(
        self, context: Context, grids: Sequence[GridView], trials: TrialList, button: QPushButton, title: str
    ) -> None:
        super().__init__(button)
        self.context, self.grids, self.trials, self.button, self.title = context, tuple(grids), trials, button, title
        for grid in self.grids:
            grid.picked.connect(self._go)
            grid.chosen.connect(self.mark)
            grid.exclude_asked.connect(self.exclude_marked)
        trials.shown.connect(lambda place: self._show_trial(place))
        trials.picked.connect(self._picked_in_list)
        trials.cycle_ticked.connect(self._cycle_ticked)
        trials.trial_ticked.connect(self._trial_ticked)
        button.clicked.connect(lambda _=False: self.exclude_marked())

    @property
    def marked(self) -> Marked | None:
        """The marked cycle."""
        return self.grids[0].marked

    def mark(self, marked: Marked | None) -> None:
        """Mark a cycle everywhere; None marks none."""
        self.button.setEnabled(marked is not None)
        for grid in self.grids:
            grid.mark(marked)
        if marked is not None:
            self.trials.mark(*marked)

    def show_list(self) -> None:
        """Show recordings and cycles as they are now."""
        self.trials.show_members(self.context.visit.members, self.context.visit.place)

    def _go(self, instant: Instant) -> None:
        """Move the person to an instant of a cycle, in whichever recording it is."""
        if self._show_trial(instant.origin.trial):
            self.context.document.set_frame(instant.frame)

    def _show_trial(self, place: int) -> bool:
        """Show a recording of the visit in the main window; False if the open one must stay."""
        if place != self.context.visit.place:
            if self.context.jobs.busy or not may_discard(self.context):
                return False
            self.context.visit.show(place)
        return True

    def _picked_in_list(self, place: int, side: str, origin: CycleOrigin) -> None:
        self.mark((side, origin))
        self._go(Instant(side, origin, 0.0))

    def exclude_marked(self) -> None:
        """Exclude the marked cycle, after asking why."""
        if self.marked is not None:
            side, origin = self.marked
            self._cycle_ticked(origin.trial, side, origin, False)

    def _cycle_ticked(self, place: int, side: str, origin: CycleOrigin, counts: bool) -> None:
        """Exclude a cycle, after asking why, or let it count again."""
        if self._may_change(place):
            if counts:
                include_cycle(self.context, side, origin.first)
            else:
                name = f"{side.capitalize()} cycle {origin.number + 1}"
                reason = self.context.user.ask_text(f"Exclude {name}", REASON, "")
                if reason:
                    exclude_cycle(self.context, side, origin.first, reason)
                    self.mark(None)
        self.show_list()

    def _trial_ticked(self, place: int, counts: bool) -> None:
        """Exclude a recording, after asking why, or let it count again."""
        if self._may_change(place):
            reason = "" if counts else self.context.user.ask_text("Exclude Recording", REASON, "")
            if counts or reason:
                exclude_recording(self.context, reason or "")
        self.show_list()

    def _may_change(self, place: int) -> bool:
        if self.context.jobs.busy:
            sentence = f'"{self.context.jobs.title}" is running. Wait until it is done, or cancel it.'
            self.context.user.fail(self.title, sentence)
            return False
        return self._show_trial(place)
