"""What of the loads is plotted: quantity, joint, axes, unit, method and sign, chosen in six boxes."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QGridLayout, QPushButton, QWidget

from biomec.body.loads.load_components import AXES_WORDS, LoadReading
from biomec.pipeline.analysis import Analysis
from biomec_app.curves.curve import capital
from biomec_app.features.loads import choice as choices
from biomec_app.features.loads.choice import WHAT, LoadChoice, chosen_keys, joints_of, read_choice
from biomec_app.features.loads.readings import has_loads, stem
from biomec_app.session.context import Context

IMPORTANT = "Main joints"
KINDS = ("load", "power/", "stress/", "residual load/", "contact force/")  # how keys of curves of loads begin


class PlottedLoads(QWidget):
    """Boxes that choose what is plotted, and the button that plots it; they follow settings and plots."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context, self._document = context, context.document
        self._known: Analysis | None = None
        self._reading: LoadReading | None = None  # of the settings, as it was shown last
        self._filling = False
        self.choice = LoadChoice()
        row = QGridLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        self.combos: dict[str, QComboBox] = {}
        row.setHorizontalSpacing(4)
        row.setVerticalSpacing(3)
        for k, (field, options, words) in enumerate((
            ("what", WHAT, "What is plotted of the loads"),
            ("joint", {"": IMPORTANT}, "Which joint is plotted"),
            ("axes", AXES_WORDS, "Axes of the components"),
            ("unit", choices.UNITS, "Unit: as they are, by mass, or by weight"),
            ("method", choices.SHOWN, "Method: multibody is drawn solid, Newton-Euler dashed"),
            ("sign", choices.SIGNS, "Internal: what muscles and ligaments do; external: the load that they resist"),
        )):  # fmt: skip
            combo = QComboBox()
            combo.setObjectName(f"loads.{field}")
            combo.setAccessibleName(words)
            combo.setToolTip(words)
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            combo.setMinimumContentsLength(6)
            for value, text in options.items():
                combo.addItem(text, value)
            combo.activated.connect(self._choice_made)
            self.combos[field] = combo
            row.addWidget(combo, k // 3, k % 3)
        self.plot = QPushButton("&Plot")
        self.plot.setObjectName("loads.plot")
        self.plot.setToolTip("Plot the chosen loads in the panel Signals")
        self.plot.clicked.connect(self._plot_asked)
        row.addWidget(self.plot, 2, 0, 1, 3)
        for column in range(3):
            row.setColumnStretch(column, 1)
        self._document.opened.connect(self._forget_reading)
        self._document.selection_changed.connect(self._show_choice)

    def set_analysis(self, analysis: Analysis) -> None:
        """Offer what can be plotted of an analysis with loads."""
        self._known = analysis
        self._fill_joints(analysis)
        self._follow_settings(analysis.settings.load_reading)
        self._show_choice()

    def forget(self) -> None:
        """There are no loads any more."""
        self._known = None

    def _forget_reading(self) -> None:
        self._reading = None

    def _follow_settings(self, reading: LoadReading) -> None:
        """Read the loads as the settings do, at first and whenever these change; what is plotted changes with them."""
        before, self._reading = self._reading, reading
        if before == reading:
            return
        self.choice = self.choice.read_as(reading)
        self._fill_choice(self.choice)
        if before is not None and self._plots_loads:
            self._plot_chosen()

    def _fill_joints(self, analysis: Analysis) -> None:
        combo = self.combos["joint"]
        before, names = combo.currentData(), joints_of(analysis)
        combo.blockSignals(True)
        combo.clear()
        combo.addItem(IMPORTANT, "")
        for name in names:
            combo.addItem(capital(name), name)
        combo.setCurrentIndex(max(0, combo.findData(before)))
        combo.blockSignals(False)
        what = self.combos["what"]
        at, there = what.findData("contact"), bool(analysis.loads.multibody.contacts)
        if there and at < 0:
            what.addItem(WHAT["contact"], "contact")
        elif not there and at >= 0:
            what.removeItem(at)

    def plot_joint(self, joint: object) -> None:
        """Plot the moments of a joint of the bars."""
        combo = self.combos["joint"]
        combo.setCurrentIndex(max(0, combo.findData(stem(str(joint)))))
        self._plot_asked()

    def _plot_asked(self) -> None:
        """Plot what was chosen, and show the plots, which may stand behind this panel."""
        self._plot_chosen()
        self._context.plots.look_asked.emit()

    def _choice_made(self) -> None:
        """Plot at once what was chosen, if loads are plotted already."""
        self._take_choice()
        if self._plots_loads:
            self._plot_chosen()

    @property
    def _plots_loads(self) -> bool:
        return any(key.startswith(KINDS) for key in self._document.selection.curves)

    def _take_choice(self) -> None:
        self.choice = LoadChoice(**{field: str(combo.currentData()) for field, combo in self.combos.items()})
        of_components = self.choice.what in choices.QUANTITIES
        self.combos["axes"].setEnabled(of_components or self.choice.what == "residual")
        self.combos["unit"].setEnabled(of_components or self.choice.what == "power")
        self.combos["method"].setEnabled(of_components and self.choice.what not in choices.BY_ORIGIN)
        self.combos["sign"].setEnabled(of_components)
        self.combos["joint"].setEnabled(self.choice.what not in ("residual", "contact"))

    def _plot_chosen(self) -> None:
        self._take_choice()
        if self._known is not None and has_loads(self._known):
            self._filling = True
            self._document.select(curves=chosen_keys(self._known, self.choice))
            self._filling = False

    def _show_choice(self) -> None:
        """Show axes, unit, method and sign of what is plotted."""
        if self._filling or self._known is None:
            return
        self._fill_choice(read_choice(self._document.selection.curves, self.choice))

    def _fill_choice(self, choice: LoadChoice) -> None:
        for field in ("what", "axes", "unit", "method", "sign"):
            combo = self.combos[field]
            combo.setCurrentIndex(max(0, combo.findData(getattr(choice, field))))
        self._take_choice()
