"""`angles.png`: joint angles over the cycle, both sides in one panel, mean and spread; over time without cycles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from biomec.base.arrays import FloatArray
from biomec.pipeline.analysis import Analysis
from biomec.reporting.angle_ranges import AngleRow, angle_rows
from biomec.signals.cycle_average import CycleCurves
from biomec_app.figures.export import save_figure
from biomec_app.figures.report.style import HAIR, INK, LEFT, MIDDLE, MUTED, RIGHT, SIDE_COLOUR
from biomec_app.figures.style import PAPER, new_figure, quiet

ARMS = ("sternoclavicular", "scapulothoracic", "shoulder", "elbow", "radioulnar", "wrist")
LEGS = ("pelvis in the laboratory", "hip", "knee", "ankle")
COLUMNS = 3
PANEL = (4.05, 1.95)  # inches
CYCLE_COLOUR = {"Right": RIGHT, "Left": LEFT, "both": MIDDLE}


@dataclass(frozen=True)
class Curve:
    """What is drawn of one angle: against percent or seconds, in degrees; spread and turning points may lack."""

    colour: str
    x: FloatArray
    y: FloatArray
    sd: FloatArray | None = None
    turns: FloatArray | None = None


def chosen_joints(analysis: Analysis) -> tuple[str, ...]:
    """Joints of the limbs that the movement is about, as far as the model has them.

    Steps are about the legs, and cycles of an arm's angle about the arms; else whichever moved more.
    """
    by, rows = analysis.cycles.by, angle_rows(analysis.angles)
    there = tuple(dict.fromkeys(row.joint for row in rows))
    arms, legs = (tuple(joint for joint in group if joint in there) for group in (ARMS, LEGS))
    if not arms or not legs:
        return arms or legs or there
    if by == "events" or by.startswith("knee"):
        return legs
    if by.startswith(("elbow", "shoulder")):
        return arms
    return max((arms, legs), key=lambda group: _moved(analysis, rows, group))


def _moved(analysis: Analysis, rows: Sequence[AngleRow], joints: Sequence[str]) -> float:
    """Largest range of the joints' angles [rad]."""
    columns = [analysis.angles[name] for row in rows if row.joint in joints for name in row.sides.values()]
    spans = [float(np.ptp(column[np.isfinite(column)])) for column in columns if np.isfinite(column).any()]
    return max(spans, default=0.0)


def draw_angles(analysis: Analysis, path: Path) -> None:
    """Draw and save the picture."""
    joints = chosen_joints(analysis)
    rows = [row for joint in joints for row in angle_rows(analysis.angles) if row.joint == joint]
    grid = _grid(rows)
    height = PANEL[1] * max(1, len(grid)) + 1.45
    figure = new_figure((PANEL[0] * COLUMNS, height), layout="none")
    figure.subplots_adjust(
        left=0.055, right=0.985, top=1.0 - 1.22 / height, bottom=0.62 / height, hspace=0.62, wspace=0.2
    )
    spec = figure.add_gridspec(max(1, len(grid)), COLUMNS)
    over_cycle = bool(analysis.cycles.curves)
    for i, line in enumerate(grid):
        for j, row in enumerate(line):
            axes = figure.add_subplot(spec[i, j])
            below = all(j >= len(later) for later in grid[i + 1 :])
            _panel(axes, row, curves_of(analysis, row), over_cycle, below)
    _head(figure, analysis, height, over_cycle)
    if not grid:
        figure.text(0.5, 0.4, "The model has no joint angles.", ha="center", fontsize=12, color=MUTED)
    save_figure(figure, path)


def _grid(rows: Sequence[AngleRow]) -> list[list[AngleRow]]:
    """Panels in lines: a joint a line; a short joint joins the line of the one before if there is room."""
    lines: list[list[AngleRow]] = []
    for joint in dict.fromkeys(row.joint for row in rows):
        panels = [row for row in rows if row.joint == joint]
        if lines and len(lines[-1]) + len(panels) <= COLUMNS and len(panels) < COLUMNS:
            lines[-1] += panels
        else:
            lines += [panels[k : k + COLUMNS] for k in range(0, len(panels), COLUMNS)]
    return lines


def curves_of(analysis: Analysis, row: AngleRow) -> list[Curve]:
    """Curves of an angle: each side over its own cycles; without sides over the cycles of either side."""
    angles, all_cycles = analysis.angles, analysis.cycles
    found = []
    for side, name in row.sides.items():
        column = angles.names.index(name)
        if not all_cycles.curves:
            found.append(Curve(SIDE_COLOUR[side], analysis.signals.trial.time_s, np.degrees(angles[name])))
            continue
        for cycles, curves in all_cycles.curves.items():
            if side is None or cycles == "both" or cycles.lower() == side.value:
                colour = SIDE_COLOUR[side] if side is not None else CYCLE_COLOUR[cycles]
                found.append(_over_cycle(curves, column, colour))
    return found


def _over_cycle(curves: CycleCurves, column: int, colour: str) -> Curve:
    sd = np.degrees(curves.sd[:, column])
    return Curve(
        colour,
        curves.percent,
        np.degrees(curves.mean[:, column]),
        sd if np.isfinite(sd).any() else None,
        curves.phase_change_percent,
    )


def _panel(axes: Axes, row: AngleRow, curves: Sequence[Curve], over_cycle: bool, below: bool) -> None:
    quiet(axes, PAPER, grid="")
    axes.grid(axis="y", color=HAIR, linewidth=0.5)
    axes.set_axisbelow(True)
    for curve in curves:
        if curve.sd is not None:
            axes.fill_between(
                curve.x, curve.y - curve.sd, curve.y + curve.sd, color=curve.colour, alpha=0.18, linewidth=0
            )
        axes.plot(curve.x, curve.y, color=curve.colour, linewidth=1.8)
        if curve.turns is not None and np.isfinite(curve.turns).any():
            axes.axvline(float(np.nanmean(curve.turns)), color=curve.colour, linewidth=1.0, linestyle=(0, (4, 3)))
    _limits(axes, curves)
    axes.set_title(
        row.title.removesuffix(" in the laboratory"), loc="left", fontsize=10.5, fontweight="bold", color=INK, pad=19
    )
    axes.text(0.0, 1.04, f"{row.directions}, °", transform=axes.transAxes, fontsize=8.8, color=MUTED, va="bottom")
    if over_cycle:
        axes.set_xlim(0.0, 100.0)
    elif curves:
        axes.set_xlim(float(curves[0].x[0]), float(max(curves[0].x[-1], curves[0].x[0] + 1e-3)))
    if below:
        axes.set_xlabel("cycle, %" if over_cycle else "time, s", color=MUTED)
    if not any(np.isfinite(curve.y).any() for curve in curves):
        axes.text(0.5, 0.5, "no valid frame", transform=axes.transAxes, ha="center", va="center", color=MUTED)


def _limits(axes: Axes, curves: Sequence[Curve]) -> None:
    """At least 20° high, so that noise does not look like motion; a line at 0 if it is in sight."""
    spread = [0.0 if curve.sd is None else np.nan_to_num(curve.sd) for curve in curves]
    values = [np.concatenate([c.y - s, c.y + s]) for c, s in zip(curves, spread, strict=True)]
    finite = [value[np.isfinite(value)] for value in values]
    finite = [value for value in finite if value.size]
    if not finite:
        axes.set_ylim(-10.0, 10.0)
        return
    low, high = min(float(v.min()) for v in finite), max(float(v.max()) for v in finite)
    half = max(10.0, 0.56 * (high - low))
    middle = 0.5 * (low + high)
    axes.set_ylim(middle - half, middle + half)
    if middle - half < 0.0 < middle + half:
        axes.axhline(0.0, color=MUTED, linewidth=0.7)


def _head(figure: Figure, analysis: Analysis, height: float, over_cycle: bool) -> None:
    all_cycles = analysis.cycles
    name = f"{analysis.body.subject.name or 'Subject'}: joint angles"
    figure.text(0.016, 1.0 - 0.34 / height, name, fontsize=15, fontweight="bold", color=INK)
    if over_cycle:
        counts = {who: len(curves.numbers) for who, curves in all_cycles.curves.items()}
        sides = {who: "" if who == "both" else f"{who.lower()} " for who in counts}
        whose = " and ".join(f"{n} {sides[who]}cycle{'s' * (n > 1)}" for who, n in counts.items())
        told = f"Mean and standard deviation of {whose}" if max(counts.values()) > 1 else whose
        told += "; dashed where the phase changes."
    else:
        told = "Over the time of the recording; there is no valid cycle."
    figure.text(0.016, 1.0 - 0.60 / height, told, fontsize=10.5, color=MUTED)
    entries: dict[str, Artist] = {
        "right": Line2D([], [], color=RIGHT, linewidth=3),
        "left": Line2D([], [], color=LEFT, linewidth=3),
    }
    if over_cycle and max(len(curves.numbers) for curves in all_cycles.curves.values()) > 1:
        entries["± standard deviation"] = Patch(facecolor=MIDDLE, alpha=0.25)
    figure.legend(
        list(entries.values()), list(entries), loc="upper right", bbox_to_anchor=(0.985, 1.0 - 0.2 / height),
        ncols=len(entries), frameon=False, fontsize=10, labelcolor=INK, handlelength=1.6,
    )  # fmt: skip
