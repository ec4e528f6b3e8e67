"""The machine from two sides, beside each other: as a form with its parts, and as text. Either can be hidden."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QToolButton, QVBoxLayout, QWidget

from biomec_app.features.workbench.bench import Bench
from biomec_app.features.workbench.editor import Editor
from biomec_app.features.workbench.outline import MachineOutline
from biomec_app.features.workbench.parameter_form import ParameterForm

WIDTHS = (250, 275)  # pixels of the form and of the text at first


class WorkbenchSides(QWidget):
    """Two buttons over what they show.

    changed : a side was shown or hidden
    """

    changed = Signal()

    def __init__(self, bench: Bench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.form, self.outline, self.editor = ParameterForm(bench), MachineOutline(bench), Editor(bench)
        self.described = QSplitter(Qt.Orientation.Vertical)
        self.described.addWidget(self.form)
        self.described.addWidget(self.outline)
        self.described.setSizes([360, 170])
        self.described.setStretchFactor(0, 1)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.addWidget(self.described)
        self.split.addWidget(self.editor)
        for split in (self.described, self.split):
            split.setChildrenCollapsible(False)
        self.split.setSizes(list(WIDTHS))
        self.split.setStretchFactor(1, 1)
        self.form_button = self._button("&Parameters", "form", "the parameters and parts", self.described)
        self.text_button = self._button("&Text", "text", "the text", self.editor)
        row = QHBoxLayout()
        row.setContentsMargins(8, 2, 8, 2)
        row.addWidget(self.form_button)
        row.addWidget(self.text_button)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(row)
        layout.addWidget(self.split, 1)
        self.outline.line_asked.connect(self.show_line)

    def _button(self, words: str, name: str, what: str, side: QWidget) -> QToolButton:
        button = QToolButton()
        button.setObjectName(f"workbench.side.{name}")
        button.setText(words)
        button.setCheckable(True)
        button.setChecked(True)
        button.setToolTip(f"Show or hide {what}; both may stand beside each other")
        button.toggled.connect(lambda shown: self._toggled(side, shown))
        return button

    def _toggled(self, side: QWidget, shown: bool) -> None:
        side.setVisible(shown)
        other = self.text_button if side is self.described else self.form_button
        if not shown and not other.isChecked():
            other.setChecked(True)  # one of them is always there
        else:
            self.changed.emit()

    @property
    def width_wanted(self) -> int:
        """Pixels that what is shown needs."""
        both = self.form_button.isChecked() and self.text_button.isChecked()
        return sum(WIDTHS) if both else 300

    def show_side(self, side: QWidget) -> None:
        """Show the form or the editor, and go there."""
        (self.text_button if side is self.editor else self.form_button).setChecked(True)
        target = self.editor.text if side is self.editor else next(iter(self.form.boxes.values()), self.outline)
        target.setFocus()

    def show_line(self, line: int) -> None:
        """Show a line of the text."""
        self.text_button.setChecked(True)
        self.editor.text.show_line(line)
