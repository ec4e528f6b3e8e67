"""Two columns of the table of EMG channels: the maximal contraction of each, typed or from a file, and which."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from PySide6.QtWidgets import QLineEdit, QTableWidget, QTableWidgetItem

from biomec.recording import Analog
from biomec.signals.maximal_contraction import TYPED, MaximalContraction

NOT_KNOWN = "own maximum in the trial"
MICRO = 1e6
DIGITS = 5  # of a value as it is shown


class ContractionColumns:
    """Boxes for numbers, and words about where each is from; ``values`` : channel -> contraction, as entered."""

    def __init__(self, table: QTableWidget, emg: Analog, first: int, changed: Callable[[], None]) -> None:
        self._table, self._first, self._changed = table, first, changed
        self._units = dict(zip(emg.names, emg.units, strict=True))
        self.values: dict[str, MaximalContraction] = {}
        self.boxes: dict[str, QLineEdit] = {}
        self._wrong: dict[str, str] = {}
        for row, name in enumerate(emg.names):
            box = QLineEdit()
            box.setObjectName(f"emg-channels.mvc.{name}")
            box.setAccessibleName(f"Maximal contraction of channel {name}, in {self.unit(name)}")
            box.setToolTip(
                f"Greatest envelope of a maximal contraction (20 to 450 Hz, rectified, low-pass 6 Hz) in "
                f"{self.unit(name)}; empty: the greatest of this trial is taken, and sizes mean nothing"
            )
            box.setPlaceholderText(self.unit(name))
            box.setFrame(False)
            box.textEdited.connect(lambda text, name=name: self._typed(name, text))
            table.setCellWidget(row, first, box)
            table.setItem(row, first + 1, QTableWidgetItem(NOT_KNOWN))
            self.boxes[name] = box

    def unit(self, name: str) -> str:
        """Unit in which a channel's value is entered."""
        unit = self._units[name]
        return "µV" if unit == "V" else unit or "its unit"

    def _factor(self, name: str) -> float:
        return MICRO if self._units[name] == "V" else 1.0

    def show(self, mvc: Mapping[str, float], sources: Mapping[str, str]) -> None:
        """Show values in the units of the channels, and what they are from."""
        for name, box in self.boxes.items():
            self._wrong.pop(name, None)
            self.values.pop(name, None)
            if name in mvc:
                found = MaximalContraction(name, mvc[name], self._units[name], sources.get(name, TYPED))
                self.values[name] = found
                box.setText(f"{self._factor(name) * found.value:.{DIGITS}g}")
            else:
                box.clear()
        self._tell()

    def _typed(self, name: str, text: str) -> None:
        self._wrong.pop(name, None)
        self.values.pop(name, None)
        words = text.strip().replace(",", ".")
        if words:
            try:
                value = float(words) / self._factor(name)
            except ValueError:
                value = float("nan")
            if np.isfinite(value) and value > 0.0:
                self.values[name] = MaximalContraction(name, value, self._units[name], TYPED)
            else:
                self._wrong[name] = (
                    f"The maximal contraction of {name} is “{text.strip()}”: enter a number above 0 in "
                    f"{self.unit(name)}, or nothing."
                )
        self._tell()

    def _tell(self) -> None:
        for row, name in enumerate(self.boxes):
            item = self._table.item(row, self._first + 1)
            assert item is not None  # made with the box
            source = self.values[name].source if name in self.values else NOT_KNOWN
            item.setText(source.capitalize() if source in (TYPED, NOT_KNOWN) else source)
            item.setToolTip(source)
        self._changed()

    @property
    def fault(self) -> str:
        """What is wrong with an entry; empty if all are numbers."""
        return next(iter(self._wrong.values()), "")

    @property
    def mvc(self) -> dict[str, float]:
        """Channel -> value in its unit."""
        return {name: one.value for name, one in self.values.items()}

    @property
    def mvc_from(self) -> dict[str, str]:
        """Channel -> what the value is from."""
        return {name: one.source for name, one in self.values.items()}
