"""Arrows of the loads in the 3-D view: which are drawn, and how long."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSlider, QWidget

from biomec.pipeline.load_reading import chosen_loads
from biomec_app.features.loads.readings import has_loads
from biomec_app.session.document import Document
from biomec_app.session.view_options import View
from biomec_app.viewer.overlays.forces import METRES_A_NEWTON

SCALES = 40  # steps of the slider: lengths of arrows from 1/4 to 8 times the usual
LOWEST, HIGHEST = 0.25, 8.0
ARROW = 0.5  # m that the largest joint force has after Auto
ARROWS = ("joint forces", "joint moments", "load residual")


class ArrowRow(QWidget):
    """Buttons for forces, moments and residual, and a slider for the length of arrows."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self._document = document
        self._filling = False
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        self.arrows: dict[str, QPushButton] = {}
        for name, text in zip(ARROWS, ("Forces", "Moments", "Residual"), strict=True):
            button = QPushButton(text)
            button.setCheckable(True)
            button.setObjectName(f"loads.arrows.{name}")
            button.setAccessibleName(f"Show {name} in the 3-D view")
            button.setToolTip(f"Show {name} as arrows in the 3-D view")
            button.clicked.connect(lambda _, name=name: self._toggle(name))
            self.arrows[name] = button
            row.addWidget(button)
        self.scale = QSlider(Qt.Orientation.Horizontal)
        self.scale.setObjectName("loads.scale")
        self.scale.setAccessibleName("Length of arrows in the 3-D view")
        self.scale.setToolTip("Length of all force arrows in the 3-D view")
        self.scale.setRange(0, SCALES)
        self.scale.setMinimumWidth(50)
        self.scale.valueChanged.connect(self._scaled)
        self.auto = QPushButton("Auto")
        self.auto.setObjectName("loads.scale.auto")
        self.auto.setToolTip("Choose a length by which the largest joint force fits")
        self.auto.clicked.connect(self.auto_scale)
        row.addWidget(self.scale, 1)
        row.addWidget(self.auto)
        document.view_changed.connect(self.show_view)

    def _toggle(self, name: str) -> None:
        self._document.set_view(overlays=self._document.view.overlays ^ {name})

    def _scaled(self, step: int) -> None:
        if not self._filling:
            self._document.set_view(force_scale=scale_of(step))

    def auto_scale(self) -> None:
        """Let the largest joint force have a length that fits."""
        if not self._document.is_open or not has_loads(self._document.analysis):
            return
        analysis = self._document.analysis
        force = chosen_loads(analysis).force
        sizes = np.linalg.norm(force[analysis.loads.trust.residuals.counted], axis=2)
        if not sizes.size:
            sizes = np.linalg.norm(force, axis=2)
        largest = float(np.nanmax(sizes, initial=0.0))
        if largest > 0.0:
            scale = ARROW / (METRES_A_NEWTON * largest)
            self._document.set_view(force_scale=float(np.clip(scale, LOWEST, HIGHEST)))

    def show_view(self) -> None:
        """Show which arrows are drawn, and how long."""
        view: View = self._document.view
        for name, button in self.arrows.items():
            button.setChecked(name in view.overlays)
        self._filling = True
        self.scale.setValue(step_of(view.force_scale))
        self._filling = False


def scale_of(step: int) -> float:
    """Length of arrows at a step of the slider."""
    return float(LOWEST * (HIGHEST / LOWEST) ** (step / SCALES))


def step_of(scale: float) -> int:
    """Step of the slider at a length of arrows."""
    return round(SCALES * float(np.log(max(scale, LOWEST) / LOWEST) / np.log(HIGHEST / LOWEST)))
