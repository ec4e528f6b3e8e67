"""Set Scale: the time window and the range of values of all plots."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDoubleSpinBox,
    QGridLayout,
    QLabel,
    QWidget,
)

from biomec_app.kit.dialog_parts import with_buttons
from biomec_app.kit.words import FROM_START, zero_told
from biomec_app.session.context import Context

SMALLEST = 1e-3


class SetScaleDialog(QDialog):
    """Asks for the visible stretch of time and for a range of values, each automatic if the user likes."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.setWindowTitle("Set Scale")
        self.setObjectName("set scale")
        state = context.plots
        first, last = state.window or (0.0, 1.0)
        begin, end = state.whole or (first, last)
        low, high = state.view.range_y or (0.0, 100.0)
        self.whole, self.fitted = QCheckBox("Whole recording"), QCheckBox("Each plot as it needs")
        self.whole.setChecked(state.view.window_s is None)
        self.fitted.setChecked(state.view.range_y is None)
        self.first, self.last = self._box(first, begin, end, " s"), self._box(last, begin, end, " s")
        self.low, self.high = self._box(low, -1e6, 1e6), self._box(high, -1e6, 1e6)
        grid = QGridLayout()
        rows: tuple[tuple[str, str, QDoubleSpinBox, QDoubleSpinBox, QCheckBox], ...] = (
            ("time", f"Time {FROM_START}", self.first, self.last, self.whole),
            ("values", "Values", self.low, self.high, self.fitted),
        )
        for row, (name, words, begin_box, end_box, automatic) in enumerate(rows):
            for box, which in ((begin_box, "from"), (end_box, "to")):
                box.setObjectName(f"{name} {which}")
                box.setAccessibleName(f"{words}, {which}")
            automatic.setObjectName(f"{name} automatic")
            grid.addWidget(QLabel(words), row, 0)
            grid.addWidget(begin_box, row, 1)
            grid.addWidget(QLabel("to"), row, 2)
            grid.addWidget(end_box, row, 3)
            grid.addWidget(automatic, row, 4)
            for box in (begin_box, end_box):
                box.setEnabled(not automatic.isChecked())
                automatic.toggled.connect(lambda on, box=box: box.setEnabled(not on))
        if context.document.is_open:
            for box in (self.first, self.last):
                box.setToolTip(zero_told(context.document.analysis.session.dynamic))
        self.told = QLabel()
        self.told.setWordWrap(True)
        self.told.hide()
        with_buttons(self, grid, self.told)

    @staticmethod
    def _box(value: float, low: float, high: float, suffix: str = "") -> QDoubleSpinBox:
        box = QDoubleSpinBox()
        box.setDecimals(3)
        box.setRange(low, high)
        box.setValue(value)
        box.setSuffix(suffix)
        box.setSingleStep(max(SMALLEST, 0.01 * min(high - low, 1000.0)))
        box.setMinimumWidth(110)
        return box

    def accept(self) -> None:
        """Apply, unless a range is empty."""
        window = None if self.whole.isChecked() else (self.first.value(), self.last.value())
        values = None if self.fitted.isChecked() else (self.low.value(), self.high.value())
        for words, span in (("time", window), ("values", values)):
            if span is not None and not span[1] - span[0] >= SMALLEST:
                self.told.setText(f"The {words} must end after they begin: give a larger number on the right.")
                self.told.show()
                return
        self.context.plots.set(window_s=window, range_y=values)
        super().accept()
