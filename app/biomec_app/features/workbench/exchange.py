"""What goes from a run back into the machine, what comes from other programs, and how runs differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from biomec.base.errors import BiomecError
from biomec.machines.columns import Columns, read_columns
from biomec.machines.comparison import difference_run, table_run
from biomec.machines.motors import with_torques, without_torques
from biomec.machines.output import torque_columns
from biomec_app.features.workbench.bench import Bench, Kept
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
DIFFER = "Curves are {} less {}; least, largest and mean differences are under Equations and Text."
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
        menu.addSeparator()
        item(menu, "compare-table", "Compare the Run &with a Table (CSV)…", self.compare_table)
        item(menu, "compare-runs", "&Differences of the Ticked Runs", self.compare_runs)

    def torques_of_run(self) -> None:
        """Write the torques of the chosen run into the machine, and choose forward dynamics."""
        kept = self._chosen("Choose a run in the list first, such as one of optimal control.")
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

    def compare_table(self) -> None:
        """List the table of another program beside the chosen run, and what both differ by."""
        kept = self._chosen("Choose the run in the list that the table is to be compared with.")
        path = self.context.user.ask_file("Table of another program", TABLES, False, "")
        if path is not None:
            self._listed(kept, self.bench.add(table_run(read_columns(path), kept.run)))

    def compare_runs(self) -> None:
        """List what the two runs that are ticked differ by."""
        shown = self.bench.shown
        if len(shown) != 2:
            raise BiomecError("Tick the two runs in the list that are to be compared, and no other.")
        self._listed(*shown)

    def _listed(self, kept: Kept, other: Kept) -> None:
        made = difference_run(kept.run, other.run, kept.name, other.name)
        self.bench.add(made)
        self.say(DIFFER.format(kept.name, other.name), SHOWN_MS)

    def _chosen(self, otherwise: str) -> Kept:
        if self.bench.current is None:
            raise BiomecError(otherwise)
        return self.bench.current

    def _give(self, columns: Columns, name: str) -> None:
        self._refuse_fault()
        motors = [one.name for one in self.bench.machine.motors]
        self.bench.edit_text(with_torques(self.bench.draft.text, columns, motors), "Give motors torques")
        self.studies.choose(FORWARD)
        self.say(GIVEN.format(name), SHOWN_MS)

    def _refuse_fault(self) -> None:
        if self.bench.draft.fault:
            raise BiomecError(FAULTY)
