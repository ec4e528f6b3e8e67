"""Loads of a joint by both methods, multibody solid and Newton-Euler dashed: [Nunes2017] Figs. 5.4 to 5.9."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.base.progress import Progress
from biomec.body.loads.load_components import FORCE, METHODS, MOMENT, MULTIBODY, UNITS
from biomec.pipeline.analysis import Analysis, run_first
from biomec.reporting.tables import power
from biomec_app.curves.curve import DOUBTFUL, capital, side_of_name, sound_and_doubtful
from biomec_app.features.loads.choice import important_joints, joints_of
from biomec_app.features.loads.readings import Readings, has_loads, stem
from biomec_app.figures.kind import WHOLE, Chosen, Column, FigureChoice, FigureKind, cycle_options, span_s
from biomec_app.figures.style import COMPONENTS, DOUBT, Ink, legend, name, quiet, stroke

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NORMALISATIONS = {"N, N·m": "none", "N/kg, N·m/kg": "mass", "% body weight": "weight"}
DASHES = (0, (4, 2.2))


@dataclass(frozen=True, eq=False)
class MethodContent:
    """Both sides of a joint; values[joint, method] (T, 6): force then moment, along X, Y, Z of the laboratory.

    usable : joint -> (T,) frames in which its loads can be relied on
    plates : how the forces of the plates were filtered
    """

    joints: tuple[str, ...]
    values: dict[tuple[str, str], FloatArray]
    time_s: FloatArray
    units: tuple[str, str]
    multibody: str
    difference: tuple[float, float]
    usable: dict[str, BoolArray]
    plates: str


def joint_options(analysis: Analysis) -> tuple[str, ...]:
    """Joints without their side, those that the movement is about first."""
    first = important_joints(analysis)
    return tuple(capital(one) for one in dict.fromkeys((*first, *joints_of(analysis))))


class MethodFigure(FigureKind):
    """Both methods over each other, in the axes of the laboratory."""

    key, title = "load-methods", "Joint Loads by Both Methods"
    check = True
    help = "Force and moment of a joint by the multibody method (solid) and by Newton-Euler (dashed)"
    needs = ("signals", "body", "segments", "loads")

    def blocked(self, analysis: Analysis) -> str | None:
        """Needs loads of this motion."""
        return super().blocked(analysis) or (None if has_loads(analysis) else run_first("loads"))

    def choices(self, analysis: Analysis) -> tuple[FigureChoice, ...]:
        """Joint, stretch of time, unit."""
        return (
            FigureChoice("joint", "Joint", joint_options(analysis)),
            FigureChoice("cycle", "Cycle", (*cycle_options(analysis), WHOLE)),
            FigureChoice("unit", "Unit", tuple(NORMALISATIONS)),
        )

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> MethodContent:
        """Both sides by both methods."""
        readings, unit = Readings(analysis), NORMALISATIONS[chosen["unit"]]
        joints = tuple(joint for joint in readings.joints if capital(stem(joint)) == chosen["joint"])
        first, last = span_s(analysis, chosen["cycle"])
        time = analysis.signals.trial.time_s
        within = (time >= first - 1e-9) & (time <= last + 1e-9)
        values = {
            (joint, method): readings.components(joint, "laboratory", unit, method).values[within]
            for joint in joints
            for method in METHODS
        }
        found = readings.found
        force, torque = (
            max(float(np.nanmax(np.abs(getattr(found.multibody, what)[:, j] - getattr(found.newton_euler, what)[:, j])))
                for j in map(found.newton_euler.index, joints))
            for what in ("force", "torque")
        )  # fmt: skip
        return MethodContent(
            joints, values, time[within], (UNITS[unit, FORCE], UNITS[unit, MOMENT]), found.multibody.method,
            (force, torque),
            {joint: usable[within] for joint in joints if (usable := readings.usable(joint)) is not None},
            readings.plates,
        )  # fmt: skip

    def remark(self, content: MethodContent, chosen: Chosen) -> str:
        """Which joint, which methods, and by how much they differ."""
        force, torque = content.difference
        plates = f"; {content.plates}" if content.plates else ""
        return (
            f"{chosen['joint']}, {chosen['cycle'].lower()}: internal (proximal on distal segment), laboratory axes "
            f"(X forward, Y up, Z right){plates}. {content.multibody} differs from Newton-Euler by {power(force)} N "
            f"and {power(torque)} N·m at most."
        )

    def draw(self, figure: Figure, content: MethodContent, chosen: Chosen, ink: Ink) -> None:
        """Force over moment, X to Z."""
        grid = figure.subplots(2, 3, sharex=True)
        for k, axes in enumerate(grid.ravel()):
            quiet(axes, ink)
            for joint in content.joints:
                colour = ink.side(side_of_name(joint)[0])
                for method in METHODS:
                    solid = method == MULTIBODY
                    y = content.values[joint, method][:, k]
                    over = colour if solid else ink.theme.text
                    sound, doubtful = sound_and_doubtful(y, content.usable.get(joint))
                    axes.plot(content.time_s, sound, color=over, linewidth=2.0 if solid else 1.0,
                              linestyle="-" if solid else DASHES)  # fmt: skip
                    if doubtful is not None:
                        axes.plot(content.time_s, doubtful, color=over, **DOUBT)
            axes.axhline(0.0, color=ink.theme.faint, linewidth=0.6, zorder=0.5)
            name(axes, ink, f"{'Force' if k < 3 else 'Moment'} {COMPONENTS[k % 3]}")
            axes.set_xlim(float(content.time_s[0]), float(content.time_s[-1]) + 1e-9)
            if k % 3 == 0:
                axes.set_ylabel(content.units[k // 3])
            if k > 2:
                axes.set_xlabel("time, s")
        sides = [side_of_name(joint)[0] for joint in content.joints]
        handles = [stroke(color=ink.side(side), linewidth=2.0) for side in sides]
        labels = [f"multibody{'' if side is None else f', {side.value}'}" for side in sides]
        handles.append(stroke(color=ink.theme.text, linewidth=1.0, linestyle=DASHES))
        labels.append("Newton-Euler")
        if not all(usable.all() for usable in content.usable.values()):
            handles.append(stroke(color=ink.theme.text, **DOUBT))
            labels.append(DOUBTFUL)
        legend(figure, ink, handles, labels)
        figure.align_ylabels()

    def data(self, content: MethodContent, chosen: Chosen) -> tuple[Column, ...]:
        """All curves."""
        columns = [Column("time (s)", content.time_s)]
        for (joint, method), values in content.values.items():
            for k in range(6):
                what, unit = ("force", content.units[0]) if k < 3 else ("moment", content.units[1])
                columns.append(Column(f"{joint} {what} {COMPONENTS[k % 3]}, {method} ({unit})", values[:, k]))
        return tuple(columns)
