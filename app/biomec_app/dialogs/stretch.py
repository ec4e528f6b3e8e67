"""Save a part of the recording: by frames, by what the plots show, or by cycles."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QRadioButton,
    QSpinBox,
    QWidget,
)

from biomec.base.errors import BiomecError
from biomec.pipeline.stretch import covering, cycle_spans
from biomec_app.kit.dialog_parts import Fault, explanation, fit_rows, opened, with_buttons
from biomec_app.kit.words import FROM_START, moment_told
from biomec_app.session.context import Context
from biomec_app.session.project_file import save_stretch


class StretchDialog(QDialog):
    """Choose a stretch of frames; frames are shown with the numbers that the file gives them."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        trial = context.document.analysis.session.dynamic
        self._count, self._rate, self._offset = trial.frames, trial.rate_hz, trial.first_frame
        self.setWindowTitle("Save Stretch")
        self.by_frames, self.by_window, self.by_cycles = (
            QRadioButton("&Frames"), QRadioButton("What the plots &show"), QRadioButton("&Cycles")
        )  # fmt: skip
        self.first, self.last, self.cycles = QSpinBox(), QSpinBox(), QListWidget()
        self.words, self.wrong = QLabel(), Fault("stretch.fault")
        self._build()
        self._follow()
        fit_rows(self, self.cycles, 440, 60, 300)

    def _build(self) -> None:
        for widget, name, words in (
            (self.by_frames, "by-frames", "By frames"), (self.by_window, "by-window", "By what the plots show"),
            (self.by_cycles, "by-cycles", "By cycles"), (self.first, "first", "First frame"),
            (self.last, "last", "Last frame"), (self.cycles, "cycles", "Cycles"),
        ):  # fmt: skip
            widget.setObjectName(f"stretch.{name}")
            widget.setAccessibleName(words)
        for box, value in ((self.first, self._offset), (self.last, self._offset + self._count - 1)):
            box.setRange(self._offset, self._offset + self._count - 1)
            box.setValue(value)
            box.setMinimumWidth(100)
            box.valueChanged.connect(self._touch_frames)
        frames = QHBoxLayout()
        frames.addSpacing(24)
        for part in (QLabel("from"), self.first, QLabel("to"), self.last):
            frames.addWidget(part)
        frames.addStretch(1)
        analysis = self.context.document.analysis
        self._spans, trial = cycle_spans(analysis), analysis.session.dynamic
        for span in self._spans:
            times = f"{span.first / self._rate:.2f} to {span.last / self._rate:.2f} s {FROM_START}"
            item = QListWidgetItem(f"Cycle {span.name}:  {times}{'' if span.valid else '  (not valid throughout)'}")
            item.setToolTip(f"Begins {moment_told(trial, span.first / self._rate)}.")
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Unchecked)
            self.cycles.addItem(item)
        self.cycles.itemChanged.connect(self._touch_cycles)
        about = explanation(
            "The stretch is cut from the recording as measured and saved as a project of its own, with these settings."
        )
        none = explanation("No cycles are known yet: run Kinematics ▸ Cycles.")
        none.setContentsMargins(24, 0, 0, 0)
        self.buttons = with_buttons(
            self, about, self.by_frames, frames, self.by_window, self.by_cycles, self.cycles if self._spans else none,
            self.words, self.wrong, grows=self.cycles,
            buttons=QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel,
        )  # fmt: skip
        self.by_frames.setChecked(True)
        self.by_window.setEnabled(self._window() is not None)
        self.by_cycles.setEnabled(bool(self._spans))
        for choice in (self.by_frames, self.by_window, self.by_cycles):
            choice.toggled.connect(self._follow)
        self.words.setForegroundRole(QPalette.ColorRole.Link)

    # ------------------------------------------------------------------ what is chosen

    def _window(self) -> tuple[float, float] | None:
        return getattr(self.context.figure, "window_s", None)

    def stretch(self) -> tuple[int, int]:
        """First and last frame, from 0; a sentence if there is none."""
        if self.by_cycles.isChecked():
            checked = [
                span for k, span in enumerate(self._spans) if self.cycles.item(k).checkState() == Qt.CheckState.Checked
            ]
            return covering(checked)
        window = self._window()
        if self.by_window.isChecked() and window is not None:
            first, last = (round(time * self._rate) for time in window)
            first, last = max(0, first), min(self._count - 1, last)
        else:
            first, last = self.first.value() - self._offset, self.last.value() - self._offset
        if first > last:
            raise BiomecError("The first frame must not come after the last.")
        return first, last

    def _touch_frames(self, _: int) -> None:
        self.by_frames.setChecked(True)
        self._follow()

    def _touch_cycles(self, _: QListWidgetItem) -> None:
        self.by_cycles.setChecked(True)
        self._follow()

    def _follow(self, *_: object) -> None:
        save = self.buttons.button(QDialogButtonBox.StandardButton.Save)
        try:
            first, last = self.stretch()
        except BiomecError as error:
            self.words.clear()
            self.wrong.say(str(error))
            save.setEnabled(False)
            return
        self.wrong.say("")
        save.setEnabled(True)
        count = last - first + 1
        shown = f"Frames {first + self._offset} to {last + self._offset}"
        self.words.setText(f"{shown}: {count} frames, {count / self._rate:.2f} s")

    def accept(self) -> None:
        """Ask for a name and save."""
        try:
            first, last = self.stretch()
            save_stretch(self.context, first, last)
        except BiomecError as error:
            self.wrong.say(str(error))
            return
        super().accept()


def ask_stretch(context: Context) -> StretchDialog:
    """Show the dialog."""
    return opened(StretchDialog(context, context.window))
