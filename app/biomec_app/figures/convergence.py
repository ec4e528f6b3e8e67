"""How every frame was solved: [Nunes2017] Figs. 4.8 and 4.10."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomec.base.progress import Progress
from biomec.body.kinematics.consistent_motion import ConsistentPositions
from biomec.pipeline.analysis import Analysis
from biomec_app.figures.courses import Course, draw_courses
from biomec_app.figures.kind import Chosen, Column, FigureKind
from biomec_app.figures.style import Ink

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class ConvergenceFigure(FigureKind):
    """Violation, last increment, iterations and time of every frame."""

    key, title = "convergence", "Convergence of Kinematic Consistency"
    check = True
    help = "‖Φ‖, last ‖Δq‖, iterations and computing time of every frame"
    needs = ("signals", "positions")

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> ConsistentPositions:
        """The course of the solution."""
        return analysis.positions

    def remark(self, content: ConsistentPositions, chosen: Chosen) -> str:
        """How many frames, iterations, and how long."""
        position, solved = content.position, content.valid
        told = f"{int(solved.sum())} of {content.frames} frames obey the model"
        if solved.any():
            seconds = float(np.nansum(position.seconds))
            told += f"; {position.iterations[solved].mean():.1f} iterations on average, {seconds:.2f} s in all"
        return told + "."

    def draw(self, figure: Figure, content: ConsistentPositions, chosen: Chosen, ink: Ink) -> None:
        """Four courses."""
        time = np.arange(content.frames) / content.rate_hz
        draw_courses(figure, time, content.valid, tuple(solution_courses(content).values()), ink)

    def data(self, content: ConsistentPositions, chosen: Chosen) -> tuple[Column, ...]:
        """One row a frame."""
        position = content.position
        return (
            Column("time (s)", np.arange(content.frames) / content.rate_hz),
            Column("violation", position.violation),
            Column("increment", position.increment),
            Column("iterations", position.iterations),
            Column("seconds", position.seconds),
            Column("status", position.status),
        )


def solution_courses(positions: ConsistentPositions) -> dict[str, Course]:
    """How every frame was solved: what it is -> its course."""
    position = positions.position
    return {
        "violation": Course("Violation of the constraints; dashed: tolerance", "‖Φ‖",
                            (("", "accent", position.violation),), log=True, limit=position.options.tolerance),
        "increment": Course("Last increment", "‖Δq‖", (("", "accent", position.increment),), log=True),
        "iterations": Course("Iterations", "count", (("", "accent", position.iterations.astype(float)),), steps=True),
        "time": Course("Computing time", "ms per frame", (("", "accent", 1e3 * position.seconds),)),
    }  # fmt: skip
