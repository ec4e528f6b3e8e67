"""Stacked courses over time, with the frames that do not obey the model: shared by two figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.signals.stretches import stretches
from biomec_app.figures.style import Ink, legend, logarithmic, name, patch, quiet, stroke

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FLOOR = 1e-18  # zero on a logarithmic axis


@dataclass(frozen=True, eq=False)
class Course:
    """One panel: label of its axis and lines, as (name, colour role, values (T,))."""

    title: str
    label: str
    lines: tuple[tuple[str, str, FloatArray], ...]
    log: bool = False
    steps: bool = False
    limit: float | None = None


def draw_courses(figure: Figure, time_s: FloatArray, valid: BoolArray, courses: Sequence[Course], ink: Ink) -> None:
    """Panels under each other on one time axis; frames that are not valid are shaded."""
    grid = np.atleast_1d(figure.subplots(len(courses), 1, sharex=True))
    for axes, course in zip(grid, courses, strict=True):
        draw_course(axes, time_s, valid, course, ink)
        axes.tick_params(labelbottom=axes is grid[-1])
        name(axes, ink, course.title)
    grid[-1].set_xlabel("time, s")
    named = {text: role for course in courses for text, role, _ in course.lines if text}
    entries: dict[str, Artist] = {
        text: stroke(color=getattr(ink.theme, role), linewidth=2) for text, role in named.items()
    }
    if not valid.all():
        entries["frames that are not valid"] = patch(color=ink.theme.failed, alpha=0.3)
    if entries:
        legend(figure, ink, list(entries.values()), list(entries))
    figure.align_ylabels()


def draw_course(axes: Axes, time_s: FloatArray, valid: BoolArray, course: Course, ink: Ink) -> None:
    """One panel, without its name."""
    quiet(axes, ink)
    if course.log:
        logarithmic(axes, "y")
    for _, role, values in course.lines:
        y = np.maximum(values, FLOOR) if course.log else values
        axes.plot(time_s, y, color=getattr(ink.theme, role), linewidth=1.1,
                  drawstyle="steps-mid" if course.steps else "default")  # fmt: skip
    if course.limit is not None:
        axes.axhline(course.limit, color=ink.alarm, linewidth=1.0, linestyle=(0, (5, 3)))
    if not course.log:
        axes.set_ylim(bottom=0.0)
    if course.steps:
        from matplotlib.ticker import MaxNLocator

        axes.yaxis.set_major_locator(MaxNLocator(nbins="auto", steps=[1, 2, 2.5, 5, 10], integer=True))
    rate = 1.0 / (time_s[1] - time_s[0]) if len(time_s) > 1 else 1.0
    for first, stop in stretches(~valid).tolist():
        start = float(time_s[first])
        axes.axvspan(start, start + (stop - first) / rate, color=ink.theme.failed, alpha=0.25, linewidth=0)
    axes.set_ylabel(course.label)
    axes.set_xlim(float(time_s[0]), max(float(time_s[-1]), float(time_s[0]) + 1e-3))
