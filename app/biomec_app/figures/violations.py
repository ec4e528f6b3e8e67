"""Violation of the constraints: by type, of their rates, and their derivatives: [Nunes2017] Figs. 4.7, 4.14, C.17."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomec.base.progress import Progress
from biomec.body.kinematics.consistent_motion import ConsistentMotion
from biomec.pipeline.analysis import Analysis
from biomec.reporting.facts import constraint_words
from biomec.reporting.statistics.constraint_checks import (
    GOOD_AFTER,
    UNITS,
    DerivativeCheck,
    Violation,
    check_derivatives,
    violations,
)
from biomec.reporting.tables import power
from biomec_app.figures.courses import Course, draw_courses
from biomec_app.figures.kind import Chosen, Column, FigureKind
from biomec_app.figures.style import SMALL, Ink, legend, logarithmic, nothing, patch, quiet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NUMBER = 1e4  # by which the axis goes on behind the longest bar, for its number
FLOOR = 1e-17  # what a violation of exactly zero is drawn as


class ViolationFigure(FigureKind):
    """Violation by type."""

    key, title = "violations", "Violation by Constraint Type"
    check = True
    help = "Mean violation of the model's constraints before and after kinematic consistency"
    needs = ("positions",)

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> tuple[Violation, ...]:
        """Means over the valid frames."""
        positions = analysis.positions
        return violations(positions.position.before, positions.position.after, positions.valid)

    def remark(self, content: tuple[Violation, ...], chosen: Chosen) -> str:
        """What a bar is."""
        return (
            "Mean of a row over the valid frames: metres for joints and contacts, m² for lengths within segments, the "
            f"ellipsoid scaled by its radii. Good: consistent below {power(GOOD_AFTER)}."
        )

    def draw(self, figure: Figure, content: tuple[Violation, ...], chosen: Chosen, ink: Ink) -> None:
        """Two bars a type, on a logarithmic axis, with their numbers."""
        axes = figure.subplots()
        quiet(axes, ink, grid="x")
        logarithmic(axes, "x")
        theme = ink.theme
        colours = (theme.rebuilt, theme.accent)
        for k, one in enumerate(content):
            for row, value in enumerate((one.before, one.after)):
                if np.isfinite(value):
                    shown = max(value, FLOOR)
                    y = k + 0.2 * (2 * row - 1)
                    axes.barh(y, shown - 0.1 * FLOOR, left=0.1 * FLOOR, height=0.36, color=colours[row])
                    number = axes.text(1.35 * shown, y, power(value), va="center", fontsize=SMALL, color=theme.text)
                    number.set_bbox(
                        {"facecolor": axes.get_facecolor(), "edgecolor": "none", "pad": 1.0}
                    )  # over the grid
        largest = max((one.before for one in content if np.isfinite(one.before)), default=FLOOR)
        axes.set_xlim(0.3 * FLOOR, max(1.0, NUMBER * largest))
        axes.set_yticks(
            range(len(content)), [f"{constraint_words(one.kind)} [{UNITS.get(one.kind, '–')}]" for one in content]
        )
        axes.set_ylim(max(len(content), 3) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0, labelsize=SMALL + 1.0)
        axes.set_xlabel("mean violation, SI units")
        if not any(np.isfinite(one.before) for one in content):
            nothing(axes, ink, "no valid frame")
        legend(figure, ink, [patch(color=c) for c in colours], ("as measured", "consistent"))

    def data(self, content: tuple[Violation, ...], chosen: Chosen) -> tuple[Column, ...]:
        """One row a type."""
        return (
            Column("constraint", [constraint_words(one.kind) for one in content]),
            Column("as measured", [one.before for one in content]),
            Column("consistent", [one.after for one in content]),
        )


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
