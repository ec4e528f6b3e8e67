"""Dynamically consistent motion: one button, then residual, angles and joint moments before and after."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QWidget

from biomec.body.loads.dynamic_options import TRUST, DynamicOptions
from biomec.body.loads.mass_adjustment import MassOptions
from biomec.body.loads.residual_reduction import ReductionOptions
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.consistent_angles import consistent_angles
from biomec.reporting.content.dynamic_section import change_sections
from biomec_app.features.loads.before_after import BeforeAfter, Pair
from biomec_app.features.loads.change_dialog import ChangeDialog
from biomec_app.kit.dialog_parts import explanation
from biomec_app.kit.sections import SectionView


class ConsistentDialog(ChangeDialog):
    """What is trusted, then what that changes."""

    title = "Dynamically Consistent Motion"
    name = "consistent-motion"
    words = (
        "Finds the motion nearest to the measured one that obeys the equations of motion with the force plates: no "
        "residual is left in any frame that plates measured wholly. Nothing is changed before you have seen every "
        "change and accept it. Loads computed so are marked in the notices, and Undo takes it back."
    )
    accept_words = "Use this motion and these forces for the loads"

    def options_page(self) -> QWidget:
        """What is trusted, and whether masses are adjusted before."""
        page = QWidget()
        form = QFormLayout(page)
        self._before = self.context.document.analysis.settings.loads.reduction or ReductionOptions(None, None)
        dynamics = self._before.dynamics or DynamicOptions()
        self.trust = QComboBox()
        self.trust.setObjectName("consistent-motion.trust")
        self.trust.setAccessibleName("Trust")
        for value, words in TRUST.items():
            self.trust.addItem(f"{words[0].upper()}{words[1:]}", value)
        self.trust.setCurrentIndex(list(TRUST).index(dynamics.trust))
        self.masses = QCheckBox("Adjust &masses and centres of mass before")
        self.masses.setObjectName("consistent-motion.masses")
        self.masses.setChecked(self._before.inertia is not None)
        form.addRow("&Trust", self.trust)
        form.addRow(self.masses)
        form.addRow(
            explanation(
                "Both in part suits most recordings: plates then change by about a newton. How much motion and plates "
                "usually err can be set in Dynamics ▸ Inverse ▸ Settings."
            )
        )
        return page

    @property
    def options(self) -> ReductionOptions:
        """What is entered."""
        inertia = (self._before.inertia or MassOptions()) if self.masses.isChecked() else None
        dynamics = replace(self._before.dynamics or DynamicOptions(), trust=self.trust.currentData())
        return ReductionOptions(inertia, None, dynamics)

    def show_changes(self, candidate: Analysis) -> None:
        """Curves before and after, then tables."""
        reduced = candidate.loads.reduced
        assert reduced is not None  # by the settings
        if reduced.dynamics is not None:
            curves = BeforeAfter(self.name)
            curves.set_pairs(pairs_of(candidate), reduced.dynamics.consistent, candidate.signals.trial.rate_hz)
            self.tabs.addTab(curves, "Curves")
        for section in change_sections(candidate):
            self.tabs.addTab(SectionView(section), section.title)


def pairs_of(analysis: Analysis) -> list[Pair]:
    """Residual, joint moments and angles of an analysis before and after the change of its motion."""
    reduced = analysis.loads.reduced
    assert reduced is not None
    before, after = reduced.loads_before, reduced.loads
    pairs = [
        Pair(f"Residual {title}", unit, np.linalg.norm(one, axis=1), np.linalg.norm(other, axis=1))
        for title, unit, one, other in (
            ("force", "N", before.residual_force, after.residual_force),
            ("moment", "N·m", before.residual_torque, after.residual_torque),
        )
    ]
    for j in reversed(range(len(after.joints))):
        sizes = [np.linalg.norm(one.torque[:, j], axis=1) for one in (before, after)]
        pairs.append(Pair(f"Moment: {after.joints[j]}", "N·m", *sizes))
    angles, changed = analysis.angles, consistent_angles(analysis)
    pairs += [
        Pair(f"Angle: {name}", "°", np.degrees(angles.values[:, k]), np.degrees(changed.values[:, k]))
        for k, name in enumerate(angles.names)
    ]
    return pairs
