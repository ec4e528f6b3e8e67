"""Options of a study as a form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from biomec.base.fields import group
from biomec.machines.study import Study, options_from
from biomec_app.kit.dialog_parts import explanation
from biomec_app.kit.forms.form import Form


class OptionForm(QWidget):
    """One row for every option.

    changed : a value was changed
    """

    changed = Signal()

    def __init__(self, study: Study, values: Mapping[str, Any], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.study = study
        self.form = Form(group(study.options()), "workbench.option.{}", parent=self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 4, 0)
        column.setSpacing(4)
        self.form.narrow(column)
        if not self.form.rows:
            column.addWidget(explanation("Nothing to be chosen here."))
        column.addStretch(1)
        self.boxes = {path[0]: row.widget for path, row in self.form.rows.items()}
        self.resets = {path[0]: reset for path, reset in self.form.resets.items()}
        for name, value in values.items():
            self.set(name, value)
        self.form.edited.connect(self.changed)

    @property
    def values(self) -> dict[str, Any]:
        """Name of an option -> its value."""
        return {path[0]: row.value() for path, row in self.form.rows.items()}

    def options(self) -> Any:
        """The options, checked; raises a sentence."""
        return options_from(self.study, self.values)

    def set(self, name: str, value: Any) -> None:
        """Give an option a value."""
        self.form.rows[name,].set(value)
        self.form.mark()
