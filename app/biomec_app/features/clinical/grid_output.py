"""The buttons that copy and save the grid of curves in front."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QSizeF
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from biomec.base.errors import BiomecError
from biomec.reporting.clinical.blocks import Grid
from biomec_app.features.clinical.grid_export import copy_grid, save_grid
from biomec_app.figures.saved_kinds import SAVE_PATTERN
from biomec_app.figures.window import COPIES
from biomec_app.kit.faults import fault_told
from biomec_app.kit.painter import Painter
from biomec_app.plots.clinical.look import Look
from biomec_app.session.context import Context

START = "clinical.png"

OnPaper = tuple[Grid, Look, QSizeF, Sequence[str]]
"""A grid, how and how large it is drawn, and names of the recordings."""


class GridOutput(QObject):
    """Copies and saves what ``content`` gives, or says what it raises; ``tell`` says what was done."""

    def __init__(
        self,
        context: Context,
        painter: Painter,
        content: Callable[[], OnPaper],
        tell: Callable[[str], None],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.context, self.painter, self._content, self._tell = context, painter, content, tell
        self.copy_button = QPushButton("&Copy")
        self.copy_button.setObjectName("clinical.copy")
        menu = QMenu(self.copy_button)
        for kind, text in COPIES.items():
            item = menu.addAction(text)
            item.setObjectName(f"clinical.copy.{kind}")
            item.triggered.connect(lambda _=False, kind=kind: self.copy(kind))
        self.copy_button.setMenu(menu)
        self.save_button = QPushButton("Sa&ve…")
        self.save_button.setObjectName("clinical.save")
        self.save_button.setToolTip(
            "Save a picture (PNG), a drawing (SVG), a page for printing (PDF), or the data (CSV)"
        )
        self.save_button.clicked.connect(lambda _=False: self.ask_and_save())

    @property
    def buttons(self) -> tuple[QPushButton, QPushButton]:
        """To copy, and to save."""
        return self.copy_button, self.save_button

    def copy(self, kind: str) -> None:
        """Put the grid on the clipboard."""
        try:
            copy_grid(*self._content(), kind)
        except BiomecError as error:
            self.context.user.fail("Copy", str(error))
            return
        self._tell("The data are on the clipboard." if kind == "data" else "The figure is on the clipboard.")

    def ask_and_save(self) -> None:
        """Ask for a file, and write it."""
        start = str(Path(self.context.preferences.folder) / START)
        path = self.context.user.ask_file("Save figure", SAVE_PATTERN, True, start)
        if path is not None:
            self.save(path)

    def save(self, path: Path) -> None:
        """Write the grid to a file in the background; report what went wrong."""
        path = Path(path)
        try:
            content = self._content()
        except BiomecError as error:
            self.context.user.fail("Save figure", str(error))
            return
        self.painter.paint(f"save {path}", lambda: save_grid(*content, path), lambda _, fault: self._saved(path, fault))

    def _saved(self, path: Path, fault: Exception | None) -> None:
        if fault is None:
            self._tell(f"Saved as {path.name}.")
        else:
            self.context.user.fail("Save figure", fault_told(fault, "The curves cannot be saved"))
