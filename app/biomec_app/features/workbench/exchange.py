"""What goes from a run back into the machine, and what comes from other programs: torques of the motors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from biomec.base.errors import BiomecError
from biomec.machines.columns import Columns, read_columns
from biomec.machines.motors import with_torques, without_torques
from biomec.machines.output import torque_columns
from biomec_app.features.workbench.bench import Bench
from biomec_app.features.workbench.study_panel import FAULTY, StudyPanel
from biomec_app.session.context import Context

if TYPE_CHECKING:
    from PySide6.QtGui import QAction
    from PySide6.QtWidgets import QMenu

TABLES = "Table (*.csv *.txt *.tsv)"
FORWARD = "forward"
GIVEN = (
    "The motors are given the torques of {}: they stand under [torques] in the text. Press F5 for the motion they make."
)
SHOWN_MS = 12_000


@dataclass(frozen=True, eq=False)
class Exchange:
    """What the items of the menu do; ``say`` writes into the status bar."""

    context: Context
    bench: Bench
    studies: StudyPanel
    say: Callable[[str, int], None]

    def add_items(self, menu: QMenu, item: Callable[..., QAction]) -> None:
        """Fill the menu."""
        item(menu, "torques-run", "Give Motors the &Torques of the Run", self.torques_of_run)
        item(menu, "torques-table", "Give Motors Torques of a Ta&ble (CSV)…", self.torques_of_table)
        item(menu, "torques-none", "Give Motors &No Torques", self.no_torques)

    def torques_of_run(self) -> None:
        """Write the torques of the chosen run into the machine, and choose forward dynamics."""
        kept = self.bench.current
        if kept is None:
            raise BiomecError("Choose a run in the list first, such as one of optimal control.")
        self._give(torque_columns(kept.run), kept.name)

    def torques_of_table(self) -> None:
        """The same with a table that another program wrote."""
        path = self.context.user.ask_file("Torques of motors", TABLES, False, "")
        if path is not None:
            self._give(read_columns(path), path.name)

    def no_torques(self) -> None:
        """Take the torques out of the text of the machine."""
        self._refuse_fault()
        self.bench.edit_text(without_torques(self.bench.draft.text), "Give motors no torques")

    def _give(self, columns: Columns, name: str) -> None:
        self._refuse_fault()
        motors = [one.name for one in self.bench.machine.motors]
        self.bench.edit_text(with_torques(self.bench.draft.text, columns, motors), "Give motors torques")
        self.studies.choose(FORWARD)
        self.say(GIVEN.format(name), SHOWN_MS)

    def _refuse_fault(self) -> None:
        if self.bench.draft.fault:
            raise BiomecError(FAULTY)
