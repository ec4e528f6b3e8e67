"""Derivative check of the constraints: ‖Φ̇ − (Φq q̇ + Φt)‖ along the measured motion: [Nunes2017] Fig. C.17."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomec.base.progress import Progress
from biomec.pipeline.analysis import Analysis
from biomec.reporting.statistics.constraint_checks import DerivativeCheck, check_derivatives
from biomec_app.figures.courses import Course, draw_courses
from biomec_app.figures.kind import Chosen, Column, FigureKind
from biomec_app.figures.style import Ink

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class DerivativeFigure(FigureKind):
    """Rates of the constraints by differences, and how far the engine's own are from them."""

    key, title = "derivatives", "Derivative Check of the Constraints"
    check = True
    help = "Φ̇ and Φ̈ by differences in time beside those of the equations, along the measured coordinates"
    needs = ("body", "positions")
    slow = True

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> DerivativeCheck:
        """Check along the measured coordinates, which violate the constraints."""
        positions = analysis.positions
        return check_derivatives(analysis.body.person.system, positions.q_star, positions.rate_hz, progress)

    def remark(self, content: DerivativeCheck, chosen: Chosen) -> str:
        """How large the difference is."""
        shares = [
            100.0 * np.nanmedian(error) / np.nanmedian(whole)
            for whole, error in ((content.first, content.first_error), (content.second, content.second_error))
        ]
        return (
            f"The equations differ from central differences by {shares[0]:.1g} % (velocities) and {shares[1]:.1g} % "
            "(accelerations), in the median: what is left is the error of the differences, not of the equations."
        )

    def draw(self, figure: Figure, content: DerivativeCheck, chosen: Chosen, ink: Ink) -> None:
        """Two courses."""
        lines = (
            ("Velocities", "‖dΦ/dt‖", content.first, content.first_error),
            ("Accelerations", "‖d²Φ/dt²‖", content.second, content.second_error),
        )
        courses = tuple(
            Course(title, label, (("by differences", "rebuilt", whole), ("minus equations", "accent", error)), True)
            for title, label, whole, error in lines
        )  # fmt: skip
        time = np.arange(len(content.first)) / content.rate_hz
        draw_courses(figure, time, np.ones(len(time), dtype=bool), courses, ink)

    def data(self, content: DerivativeCheck, chosen: Chosen) -> tuple[Column, ...]:
        """One row a frame."""
        return (
            Column("time (s)", np.arange(len(content.first)) / content.rate_hz),
            Column("velocity of the constraints, by differences", content.first),
            Column("velocity, difference from the equations", content.first_error),
            Column("acceleration of the constraints, by differences", content.second),
            Column("acceleration, difference from the equations", content.second_error),
        )
