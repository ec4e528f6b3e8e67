"""Reduce residuals: choose what may be adjusted, see every change beside what was, and only then take it over."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QFormLayout, QWidget

from biomec.body.loads.mass_adjustment import MassOptions
from biomec.body.loads.motion_correction import MotionOptions
from biomec.body.loads.residual_reduction import ReductionOptions
from biomec.pipeline.analysis import Analysis
from biomec.reporting.content.reduction_section import reduction_sections
from biomec_app.features.loads.change_dialog import ChangeDialog
from biomec_app.kit.dialog_parts import explanation
from biomec_app.kit.sections import SectionView

MM, PERCENT = 1e3, 100.0


class ReductionDialog(ChangeDialog):
    """What may be adjusted, and by how much."""

    title = "Reduce Residuals"
    name = "reduce-residuals"
    words = (
        "Motion, masses and plates never agree completely; the residual is what is left over. Masses, centres of mass "
        "and the motion can be adjusted within their errors so that it shrinks. Nothing is changed before you have "
        "seen every change and accept it. Loads computed so are marked in the notices, and Undo takes it back."
    )
    accept_words = "Use the adjusted masses and motion for the loads"

    def options_page(self) -> QWidget:
        """Masses and motion, and how far they may change."""
        page = QWidget()
        form = QFormLayout(page)
        masses, motion = MassOptions(), MotionOptions()
        before = self.context.document.analysis.settings.loads.reduction or ReductionOptions()
        self.masses, self.motion = QCheckBox("Adjust &masses and centres of mass"), QCheckBox("Adjust the m&otion")
        self.masses.setChecked(before.inertia is not None)
        self.motion.setChecked(before.motion is not None)
        masses, motion = before.inertia or masses, before.motion or motion
        self.mass = _number("mass", "Largest change of a segment's mass", PERCENT * masses.mass, " %", 99.0, 0)
        self.centre = _number("centre", "Largest shift of a centre of mass", MM * masses.centre_m, " mm", 200.0, 0)
        self.marker = _number("marker", "Markers may move by (RMS)", MM * motion.marker_m, " mm", 100.0, 1)
        self._before = before
        for box, name in ((self.masses, "masses"), (self.motion, "motion")):
            box.setObjectName(f"reduce-residuals.{name}")
        form.addRow(self.masses)
        for field in (self.mass, self.centre):
            form.addRow(field.accessibleName(), field)
            self.masses.toggled.connect(field.setEnabled)
        form.addRow(self.motion)
        form.addRow(self.marker.accessibleName(), self.marker)
        self.motion.toggled.connect(self.marker.setEnabled)
        form.addRow(explanation("More can be set in Dynamics ▸ Inverse ▸ Settings."))
        return page

    @property
    def options(self) -> ReductionOptions:
        """What is entered."""
        inertia = replace(
            self._before.inertia or MassOptions(),
            mass=self.mass.value() / PERCENT,
            centre_m=self.centre.value() / MM,
        )
        motion = replace(self._before.motion or MotionOptions(), marker_m=self.marker.value() / MM)
        return ReductionOptions(
            inertia if self.masses.isChecked() else None, motion if self.motion.isChecked() else None
        )

    def missing(self, options: ReductionOptions) -> str:
        """Something must be chosen."""
        return "Choose masses, motion or both." if options.inertia is None and options.motion is None else ""

    def show_changes(self, candidate: Analysis) -> None:
        """One tab for the residual, the masses and the joints."""
        reduced = candidate.loads.reduced
        assert reduced is not None  # by the settings
        for section in reduction_sections(reduced):
            self.tabs.addTab(SectionView(section), section.title)


def _number(name: str, words: str, value: float, suffix: str, most: float, digits: int) -> QDoubleSpinBox:
    box = QDoubleSpinBox()
    box.setObjectName(f"reduce-residuals.{name}")
    box.setAccessibleName(words)
    box.setDecimals(digits)
    box.setRange(1.0 if digits == 0 else 0.1, most)
    box.setSuffix(suffix)
    box.setValue(value)
    return box
