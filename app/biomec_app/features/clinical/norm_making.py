"""Make a norm from recordings: the people of a laboratory as the band behind its patients."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QWidget,
)

from biomec.base.errors import BiomecError
from biomec.base.progress import Progress, part_of
from biomec.reporting.clinical_curves import OWN, STORED, VICON
from biomec.reporting.norms.norm import NormAbout, NormSet
from biomec.reporting.norms.own_norm import FEWEST_PEOPLE, analysed_recording, norm_of_people, people_of
from biomec_app.kit.dialog_parts import EmptyWords, Fault, explanation, with_buttons
from biomec_app.session.project_file import RECORDINGS

TITLE = "Make a Norm from Recordings"
WORDS = (
    f"Add recordings or projects of at least {FEWEST_PEOPLE} people without complaints. Every recording is analysed; "
    "the mean of each limb is taken first, then mean and SD over limbs. Names are not kept."
)
SOURCES = {
    OWN: "Biomec's own model",
    VICON: "Plug-in Gait as Vicon computes it",
    STORED: "Plug-in Gait as the files store it",
}
WIDEST = 40  # letters of the name of a folder


def folder_name(title: str) -> str:
    """Name of a folder for a set of that title."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:WIDEST] or "norm"


def made_norm(
    name: str, title: str, recordings: Sequence[Path], source: str, progress: Progress | None = None
) -> NormSet:
    """Norm of recordings, each analysed as its files say."""
    share = 1.0 / len(recordings)
    found = (
        analysed_recording(path, part_of(progress, k * share, (k + 1) * share)) for k, path in enumerate(recordings)
    )
    return norm_of_people(
        name, people_of(found, source), NormAbout(title, source=f"own recordings ({len(recordings)})")
    )


class MakingDialog(QDialog):
    """Title, whose curves, and the recordings; the dialog of norms starts the work."""

    def __init__(self, folder: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._start = folder
        self.setObjectName("norm-making")
        self.setWindowTitle(TITLE)
        self.title, self.source = QLineEdit(), QComboBox()
        self.title.setPlaceholderText("Such as Our laboratory, adults, barefoot")
        for value, words in SOURCES.items():
            self.source.addItem(words, value)
        form = QFormLayout()
        for widget, key, label in ((self.title, "title", "Title"), (self.source, "source", "Curves of")):
            widget.setObjectName(f"norm-making.{key}")
            widget.setAccessibleName(label)
            form.addRow(label, widget)
        self.list = QListWidget()
        self.list.setObjectName("norm-making.list")
        self.list.setAccessibleName("Recordings")
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        EmptyWords(self.list, "No recordings yet. Press Add…")
        self.count = QLabel()
        row = QHBoxLayout()
        for key, text, act in (("add", "&Add…", self.ask), ("remove", "&Remove", self.remove)):
            button = QPushButton(text)
            button.setObjectName(f"norm-making.{key}")
            button.setAutoDefault(False)
            button.clicked.connect(act)
            row.addWidget(button)
        row.addWidget(self.count, 1)
        self.wrong = Fault("norm-making.fault")
        box = with_buttons(self, explanation(WORDS), form, self.list, row, self.wrong, grows=self.list)
        box.button(QDialogButtonBox.StandardButton.Ok).setText("&Make")
        self.resize(560, 480)
        self._tell()

    @property
    def recordings(self) -> tuple[Path, ...]:
        """Files of the list."""
        return tuple(self.list.item(k).data(Qt.ItemDataRole.UserRole) for k in range(self.list.count()))

    def ask(self) -> None:
        """Ask for files."""
        names, _ = QFileDialog.getOpenFileNames(self, "Recordings of a norm", self._start, RECORDINGS)
        self.add([Path(name) for name in names])

    def add(self, paths: Sequence[Path]) -> None:
        """Add files that are not there yet."""
        for path in paths:
            if path not in self.recordings:
                item = QListWidgetItem(path.name, self.list)
                item.setData(Qt.ItemDataRole.UserRole, path)
                item.setToolTip(str(path))
        self._tell()

    def remove(self) -> None:
        """Take chosen files off the list."""
        for item in self.list.selectedItems():
            self.list.takeItem(self.list.row(item))
        self._tell()

    def _tell(self) -> None:
        self.count.setText(f"{self.list.count()} recordings")

    def accept(self) -> None:
        """Ask for what is missing."""
        try:
            if not self.title.text().strip():
                raise BiomecError("Enter a title.")
            if len(self.recordings) < FEWEST_PEOPLE:
                raise BiomecError(
                    f"A norm needs recordings of {FEWEST_PEOPLE} people at least; there are {self.list.count()}."
                )
        except BiomecError as error:
            self.wrong.say(str(error))
            return
        super().accept()
