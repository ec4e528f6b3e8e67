"""How every frame was solved, and what a frozen Jacobian costs and saves: [Nunes2017] Figs. 4.8 and 4.10."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.progress import Progress, part_of
from biomec.body.kinematics.consistent_motion import ConsistentPositions
from biomec.engine.contacts import PointContacts
from biomec.engine.dense import ONCE, KeptSolution, solve_with_kept_jacobian
from biomec.engine.position import PositionOptions
from biomec.pipeline.analysis import Analysis
from biomec_app.figures.courses import Course, draw_courses
from biomec_app.figures.kind import Chosen, Column, FigureChoice, FigureKind
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
        sentence = f"{int(solved.sum())} of {content.frames} frames obey the model"
        if solved.any():
            seconds = float(np.nansum(position.seconds))
            sentence += f"; {position.iterations[solved].mean():.1f} iterations on average, {seconds:.2f} s in all"
        return sentence + "."

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


MOST_ITERATIONS = 200
RENEWED = {"Once a frame": MOST_ITERATIONS, "Every 10 iterations": 10, "Never: that of the first frame": ONCE}
FRAMES = {"40, spread over the movement": 40, "120, spread over the movement": 120}


@dataclass(frozen=True, eq=False)
class FrozenJacobianContent:
    """Times of the frames [s], and how they were solved with each Jacobian."""

    time_s: FloatArray
    exact: KeptSolution
    frozen: KeptSolution


class FrozenJacobianFigure(FigureKind):
    """Exact beside frozen Jacobian."""

    key, title = "frozen", "Exact and Frozen Jacobian"
    check = True
    help = "‖Φ‖, ‖Δq‖, iterations and computing time with a Jacobian that is renewed always, rarely or never"
    needs = ("body", "positions")
    slow = True

    def choices(self, analysis: Analysis) -> tuple[FigureChoice, ...]:
        """How often it is renewed, and how many frames are solved."""
        return FigureChoice("renewed", "Frozen one renewed", tuple(RENEWED)), FigureChoice(
            "frames", "Frames", tuple(FRAMES)
        )

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> FrozenJacobianContent:
        """Solve some frames twice, with plain dense algebra, so that nothing but the Jacobian differs."""
        positions, system = analysis.positions, analysis.body.person.system
        there = np.flatnonzero(np.isfinite(positions.q_star).all(axis=1))
        frames = there[np.linspace(0, len(there) - 1, min(FRAMES[chosen["frames"]], len(there))).astype(int)]
        held = _of_frames(positions.held, frames)
        options = PositionOptions(max_iterations=MOST_ITERATIONS, tolerance=positions.position.options.tolerance)
        found = [
            solve_with_kept_jacobian(
                system, positions.q_star[frames], every, contacts=held, options=options,
                progress=part_of(progress, *part),
            )
            for every, part in ((1, (0.0, 0.4)), (RENEWED[chosen["renewed"]], (0.4, 1.0)))
        ]  # fmt: skip
        return FrozenJacobianContent(np.asarray(frames / positions.rate_hz), found[0], found[1])

    def remark(self, content: FrozenJacobianContent, chosen: Chosen) -> str:
        """How both fared."""
        parts = []
        for words, one in (("Exact", content.exact), ("frozen", content.frozen)):
            count = int(one.converged.sum())
            sentence = f"{words}: {count} of {len(one.converged)} frames converge"
            if count:
                sentence += f" in {one.iterations[one.converged].mean():.1f} iterations"
            parts.append(f"{sentence}, {1e3 * np.nanmean(one.seconds):.1f} ms a frame")
        return f"{'; '.join(parts)}. Plain dense algebra, {MOST_ITERATIONS} iterations at most, all weights alike."

    def draw(self, figure: Figure, content: FrozenJacobianContent, chosen: Chosen, ink: Ink) -> None:
        """Four courses, two lines each."""
        pair = (("exact Jacobian", "accent", content.exact), ("frozen Jacobian", "left", content.frozen))

        def lines(field: str, scale: float = 1.0) -> tuple[tuple[str, str, FloatArray], ...]:
            return tuple((name, role, scale * np.asarray(getattr(one, field), float)) for name, role, one in pair)

        draw_courses(
            figure,
            content.time_s,
            np.ones(len(content.time_s), dtype=bool),
            (
                Course("Violation of the constraints", "‖Φ‖", lines("violation"), log=True),
                Course("Last increment", "‖Δq‖", lines("increment"), log=True),
                Course("Iterations", "count", lines("iterations"), steps=True),
                Course("Computing time", "ms per frame", lines("seconds", 1e3)),
            ),
            ink,
        )

    def data(self, content: FrozenJacobianContent, chosen: Chosen) -> tuple[Column, ...]:
        """One row a frame."""
        columns = [Column("time (s)", content.time_s)]
        for words, one in (("exact", content.exact), ("frozen", content.frozen)):
            for field in ("violation", "increment", "iterations", "seconds", "converged"):
                columns.append(Column(f"{field}, {words}", getattr(one, field)))
        return tuple(columns)


def _of_frames(held: PointContacts | None, frames: np.ndarray) -> PointContacts | None:
    """Temporary rows of some frames."""
    if held is None:
        return None
    return replace(held, entries=held.entries[frames], targets=held.targets[frames], active=held.active[frames])
