"""Violation of the velocity and acceleration constraints: [Nunes2017] Fig. 4.14."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomec.base.progress import Progress
from biomec.body.kinematics.consistent_motion import ConsistentMotion
from biomec.pipeline.analysis import Analysis
from biomec_app.figures.courses import Course, draw_courses
from biomec_app.figures.kind import Chosen, Column, FigureKind
from biomec_app.figures.style import Ink

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WEIGHED = {"mass": "masses", "identity": "coordinates, all alike"}


class RateFigure(FigureKind):
    """Velocities and accelerations before and after their projection."""

    key, title = "rates", "Violation of Velocities and Accelerations"
    check = True
    help = "‖Φ̇‖ and ‖Φ̈‖ of differentiated and of consistent coordinates"
    needs = ("motion",)

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> ConsistentMotion:
        """The projections."""
        return analysis.motion

    def remark(self, content: ConsistentMotion, chosen: Chosen) -> str:
        """How it was projected."""
        options = content.options
        return f"Derivatives by {options.scheme} differences, projected in the metric of the {WEIGHED[options.metric]}."

    def draw(self, figure: Figure, content: ConsistentMotion, chosen: Chosen, ink: Ink) -> None:
        """Two courses."""
        courses = tuple(
            Course(title, label, (("differentiated", "rebuilt", one.before), ("consistent", "accent", one.after)), True)
            for title, label, one in (
                ("Velocities", "‖dΦ/dt‖", content.velocity),
                ("Accelerations", "‖d²Φ/dt²‖", content.acceleration),
            )
        )
        draw_courses(figure, np.arange(content.frames) / content.rate_hz, content.valid, courses, ink)

    def data(self, content: ConsistentMotion, chosen: Chosen) -> tuple[Column, ...]:
        """One row a frame."""
        return (
            Column("time (s)", np.arange(content.frames) / content.rate_hz),
            Column("velocity violation, differentiated", content.velocity.before),
            Column("velocity violation, consistent", content.velocity.after),
            Column("acceleration violation, differentiated", content.acceleration.before),
            Column("acceleration violation, consistent", content.acceleration.after),
        )
