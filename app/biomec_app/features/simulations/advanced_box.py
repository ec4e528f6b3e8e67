"""Settings of formulations, integrators and control that have specified values; folded until somebody wants them."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtGui import QDoubleValidator
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QPushButton, QToolButton, QVBoxLayout, QWidget

from biomec.base.errors import BiomecError
from biomec.body.tracking.controllers import ControlOptions
from biomec.engine.forward.integrators import Steps
from biomec.pipeline.simulation_settings import SimulationSettings
from biomec_app.kit.dialog_parts import explanation

CRITICAL = "critical"
COLUMNS = 2


class Setting(NamedTuple):
    """One number: what it is called, its unit and what it does. Those of the equations are named so."""

    words: str
    unit: str
    help: str


SETTINGS = {
    "alpha": Setting("Penalty factor α", "", "Penalty, augmented Lagrangian, index 3: how hard constraints are held. "
                     "1e5 suits a body, 1e7 small mechanisms; much more loses digits"),
    "xi": Setting("Stabilisation ξ", "", "Baumgarte: damping ratio with which errors of the constraints vanish; 1 is "
                  "critical"),
    "omega": Setting("Stabilisation ω", "rad/s", "Baumgarte: frequency with which errors of the constraints vanish"),
    "constraints": Setting("Constraint tolerance", "", "Augmented Lagrangian: ends its iterations"),
    "constraint_iterations": Setting("Constraint iterations", "", "Augmented Lagrangian: at most so many, 1 to 1000, "
                                     "even if the tolerance is not reached"),
    "tolerance": Setting("Corrector tolerance", "m", "Integrators of equal steps, and trapezoidal of variable ones: "
                         "ends the iterations of a step"),
    "max_iterations": Setting("Step iterations", "", "Integrators of equal steps, and trapezoidal of variable ones: at "
                              "most so many, 1 to 1000; a step that needs more ends the run, or is made shorter"),
    "rho": Setting("Damping ρ", "", "Generalised-α: what a step leaves of the fastest oscillations; 1 all, 0 nothing"),
    "damping": Setting("Control damping", "1/s", "Of computed torques and of springs at the joints; critical, if "
                       "empty: twice the root of the stiffness"),
}  # fmt: skip


class AdvancedBox(QWidget):
    """Fields for the settings; those without a meaning for what is chosen are disabled.

    changed : something was entered
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
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
        self.fields = {name: _field(name, setting) for name, setting in SETTINGS.items()}
        self._build()
        self.fold.toggled.connect(self._show)
        self._show(False)
        for field in self.fields.values():
            field.textChanged.connect(self.changed)

    def _build(self) -> None:
        grid = QGridLayout(self.inside)
        grid.setContentsMargins(18, 0, 0, 0)
        grid.setVerticalSpacing(4)
        for k, (name, setting) in enumerate(SETTINGS.items()):
            row, column = k // COLUMNS, 3 * (k % COLUMNS)
            label = QLabel(setting.words)
            label.setBuddy(self.fields[name])
            label.setToolTip(setting.help)
            grid.addWidget(label, row, column)
            grid.addWidget(self.fields[name], row, column + 1)
            grid.addWidget(QLabel(setting.unit), row, column + 2)
        last = len(SETTINGS)
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

    def fill(self, settings: SimulationSettings) -> None:
        """Show settings; unfolded where one is not the specified one."""
        equations = settings.equations
        numbers = {
            "alpha": equations.alpha, "xi": equations.xi, "omega": equations.omega, "constraints": equations.tolerance,
            "constraint_iterations": equations.max_iterations, "tolerance": settings.tolerance,
            "max_iterations": settings.max_iterations, "rho": settings.rho, "damping": settings.damping,
        }  # fmt: skip
        for name, number in numbers.items():
            self.fields[name].setText("" if number is None else f"{number:.12g}")
        if self.applied(SimulationSettings()) != SimulationSettings():
            self.fold.setChecked(True)

    def applied(self, settings: SimulationSettings) -> SimulationSettings:
        """Settings with what is entered here; a sentence where that is no number."""
        return replace(
            settings,
            equations=replace(
                settings.equations,
                alpha=self._number("alpha"),
                xi=self._number("xi"),
                omega=self._number("omega"),
                tolerance=self._number("constraints"),
                max_iterations=self._count("constraint_iterations"),
            ),
            tolerance=self._number("tolerance"),
            max_iterations=self._count("max_iterations"),
            rho=self._number("rho"),
            damping=self._number("damping") if self.fields["damping"].text().strip() else None,
        )

    def follow(self, settings: SimulationSettings) -> None:
        """Enable what has a meaning for settings."""
        equations, steps = settings.formulation_kind.uses, settings.integrator_kind.uses
        stabilised = "xi" in equations and settings.integrator_kind.steps is not Steps.JOINT
        meant = {
            "alpha": "alpha" in equations,
            "xi": stabilised,
            "omega": stabilised,
            "constraints": "tolerance" in equations,
            "constraint_iterations": "max_iterations" in equations,
            "tolerance": "tolerance" in steps,
            "max_iterations": "max_iterations" in steps,
            "rho": "rho" in steps,
            "damping": settings.follows and settings.input != "inverse",
        }
        for name, there in meant.items():
            self.fields[name].setEnabled(there)
        c_D = ControlOptions(stiffness=settings.stiffness).c_D
        self.fields["damping"].setPlaceholderText(f"{CRITICAL} ({c_D:.4g})")

    def _number(self, name: str) -> float:
        text = self.fields[name].text().strip()
        try:
            return float(text.replace(",", "."))
        except ValueError:
            raise BiomecError(f"{SETTINGS[name].words}: {text or 'nothing'} is no number.") from None

    def _count(self, name: str) -> int:
        number = self._number(name)
        if not number.is_integer():
            raise BiomecError(f"{SETTINGS[name].words}: {number:g} is no whole number.")
        return round(number)

    def _specified(self) -> None:
        self.fill(SimulationSettings())


def _field(name: str, setting: Setting) -> QLineEdit:
    field = QLineEdit()
    field.setObjectName(f"simulation.{name}")
    field.setAccessibleName(f"{setting.words} {setting.unit}".strip())
    field.setToolTip(setting.help)
    check = QDoubleValidator(0.0, 1e12, 15, field)
    check.setNotation(QDoubleValidator.Notation.ScientificNotation)
    check.setLocale(QLocale.c())
    field.setValidator(check)
    return field
