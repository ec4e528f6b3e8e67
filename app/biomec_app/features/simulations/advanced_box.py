"""Settings of formulations, integrators and control that have specified values; folded until somebody wants them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from biomec.body.tracking.controllers import ControlOptions
from biomec.engine.forward.integrators import Steps
from biomec.pipeline.simulation_settings import SimulationSettings
from biomec_app.kit.dialog_parts import explanation
from biomec_app.kit.forms.form import Form

COLUMNS = 2


class AdvancedBox(QWidget):
    """Fields for the settings; those without a meaning for what is chosen are disabled."""

    def __init__(self, form: Form, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.form = form
        owners = {part.path: part.setting.advanced for part in form.owner.parts}
        self.rows = {path: row for path, row in form.rows.items() if owners[path[:1]]}
        self.setObjectName("simulation.advanced")
        self.fold = QToolButton()
        self.fold.setObjectName("simulation.advanced.fold")
        self.fold.setText("&Advanced")
        self.fold.setToolTip("Settings of the method that have specified values")
        self.fold.setAccessibleName("Advanced settings")
        self.fold.setCheckable(True)
        self.fold.setAutoRaise(True)
        self.fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.inside = QWidget()
        self.reset = QPushButton("Specified &Values")
        self.reset.setObjectName("simulation.advanced.reset")
        self.reset.setToolTip("Put all of these back to the values that are specified for them")
        self.reset.setAutoDefault(False)
        self.reset.clicked.connect(self._specified)
        self._build()
        self.fold.toggled.connect(self._show)
        self._show(False)

    def _build(self) -> None:
        grid = QGridLayout(self.inside)
        grid.setContentsMargins(18, 0, 0, 0)
        grid.setVerticalSpacing(4)
        for k, (path, row) in enumerate(self.rows.items()):
            line, column = k // COLUMNS, 3 * (k % COLUMNS)
            grid.addWidget(self.form.label(path), line, column)
            grid.addWidget(row.widget, line, column + 1)
            grid.addWidget(QLabel(row.entry.setting.unit), line, column + 2)
        last = len(self.rows)
        grid.addWidget(self.reset, last // COLUMNS, 3 * (last % COLUMNS) + 1)
        for column in (1, 4):
            grid.setColumnStretch(column, 1)
        grid.addWidget(explanation(
            "These have the values that are specified for them. Point at a name to read what it does; what does "
            "nothing with the chosen equations, steps and input is grey."
        ), last // COLUMNS + 1, 0, 1, 6)  # fmt: skip
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.fold)
        layout.addWidget(self.inside)

    def _show(self, there: bool) -> None:
        self.fold.setArrowType(Qt.ArrowType.DownArrow if there else Qt.ArrowType.RightArrow)
        self.inside.setVisible(there)

    def unfold(self) -> None:
        """Show the fields where one has not the specified value."""
        if any(row.differs for row in self.rows.values()):
            self.fold.setChecked(True)

    def follow(self, settings: SimulationSettings) -> None:
        """Enable what has a meaning for settings."""
        equations, steps = settings.formulation_kind.uses, settings.integrator_kind.uses
        if settings.integrator_kind.steps is Steps.JOINT:  # stays on the constraints by itself
            equations = equations - {"xi", "omega"}
        for path, row in self.rows.items():
            row.widget.setEnabled(path[-1] in (equations if len(path) > 1 else steps))
        damping = self.rows["damping",].widget
        damping.setEnabled(settings.follows and settings.input != "inverse")
        c_D = ControlOptions(stiffness=settings.stiffness).c_D
        damping.setProperty("placeholderText", f"{self.rows['damping',].entry.setting.nothing} ({c_D:.4g})")

    def _specified(self) -> None:
        for row in self.rows.values():
            row.set(row.entry.default)
        self.form.edited.emit()
