"""A joint's centre or axis from a functional trial: which joint, and the recording of its movement."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.io.registry import read_trial
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.functional import functional_joints, with_functional_trial
from biomec_app.kit.dialog_parts import explanation, opened, with_buttons
from biomec_app.session.context import Context
from biomec_app.session.project_file import RECORDINGS

ADVICE = {
    "centre": "The centre of a ball joint is found from slow flexion, abduction and circling of the limb.",
    "axis": "The axis of a hinge is found from bending it several times, as far as is comfortable.",
}
FOUND = ("functional-centre", "functional-axis")  # codes of notices about what was found


class FunctionalDialog(QDialog):
    """Choose a joint and a recording; the centre or axis that is found replaces the one of the model."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self._kinds = functional_joints(context.document.analysis)
        self.setObjectName("functional")
        self.setWindowTitle("Functional Trial")
        self.joint, self.file, self.browse = QComboBox(), QLineEdit(), QPushButton("&Browse…")
        self.joint.setObjectName("functional.joint")
        self.joint.setAccessibleName("Joint")
        for name, kind in self._kinds.items():
            self.joint.addItem(f"{name} ({kind})", name)
        self.file.setObjectName("functional.file")
        self.file.setAccessibleName("Recording of the movement")
        self.file.setPlaceholderText("Recording of the movement")
        self.browse.setObjectName("functional.browse")
        self.browse.setAutoDefault(False)
        self.advice = explanation()
        grid = QGridLayout()
        grid.setColumnStretch(1, 1)
        grid.setVerticalSpacing(8)
        for row, (text, widget) in enumerate((("&Joint", self.joint), ("&Recording", self.file))):
            label = QLabel(text)
            label.setBuddy(widget)
            grid.addWidget(label, row, 0)
            grid.addWidget(widget, row, 1)
        grid.addWidget(self.browse, 1, 2)
        about = explanation(
            "The subject moves one joint, with all markers on the two segments that it joins. What the movement shows "
            "takes the place of the centre or axis of the model; the results that depend on it are then out of date."
        )
        self.buttons = with_buttons(self, about, grid, self.advice)
        self.joint.currentIndexChanged.connect(self._follow)
        self.file.textChanged.connect(self._follow)
        self.browse.clicked.connect(self._browse)
        self.resize(560, self.sizeHint().height())
        self._follow()

    def _browse(self) -> None:
        path = self.context.user.ask_file(
            "Recording of the movement", RECORDINGS, False, self.context.preferences.folder
        )
        if path is not None:
            self.file.setText(str(path))

    def _follow(self, *_: object) -> None:
        kind = self._kinds.get(str(self.joint.currentData()))
        self.advice.setText("" if kind is None else ADVICE[kind])
        ready = kind is not None and bool(self.file.text().strip())
        ok = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        ok.setEnabled(ready)
        ok.setDefault(ready)  # Enter then runs it

    def accept(self) -> None:
        """Find the centre or axis in the background."""
        joint, path = str(self.joint.currentData()), Path(self.file.text().strip())
        super().accept()
        find_functional(self.context, joint, path)


def find_functional(context: Context, joint: str, path: Path) -> None:
    """Put what a functional trial says of a joint into the settings; a trial that says nothing changes nothing."""

    def work(before: Analysis, progress: Progress) -> Analysis:
        after = with_functional_trial(before.run_until("body", progress), joint, read_trial(path))
        if after.settings == before.settings:
            notices = after.session.notices[len(before.session.notices) :]
            if any(notice.code in FOUND for notice in notices):
                raise BiomecError(f"{path.name} was used for the {joint} already: the model has what it shows.")
            raise BiomecError(" ".join(notice.sentence for notice in notices))
        return after

    loaded = 'analysis.run_until("body")'  # where a script begins with the recording, the model is still to be loaded
    line = f"analysis = with_functional_trial({loaded}, {joint!r}, read_trial({str(path)!r}))"
    context.analyse(f"Functional Trial ({joint})", work, line)


def ask_functional(context: Context) -> FunctionalDialog:
    """Show the dialog."""
    return opened(FunctionalDialog(context, context.window))
