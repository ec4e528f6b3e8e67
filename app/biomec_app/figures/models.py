"""The same recording by two models: what a simpler model, such as M17 beside M21, changes in the angles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomec.base.errors import BiomecError
from biomec.base.fields import MICROMETRES, MM
from biomec.base.progress import Progress
from biomec.body.anatomy.model_file import load_model
from biomec.pipeline.analysis import Analysis
from biomec.reporting.statistics.angle_ranges import ModelComparison, compare_models, other_models
from biomec.reporting.statistics.model_effort import effort_table
from biomec_app.figures.angles import main_joints
from biomec_app.figures.distances import draw_box
from biomec_app.figures.kind import Chosen, Column, FigureChoice, FigureKind
from biomec_app.figures.style import SMALL, Ink, at_least, legend, name, quiet, stroke

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WORST = 16  # angles listed


class ModelFigure(FigureKind):
    """Angles by two models."""

    key, title = "models", "Comparison of Two Models"
    check = True
    help = "Run the analysis with another model, and lay its angles over those of the first (M21 and M17)"
    needs = ("signals", "body", "angles")
    slow = True

    def choices(self, analysis: Analysis) -> tuple[FigureChoice, ...]:
        """The other model, and the joint that is drawn."""
        others = other_models(analysis)
        refused = {model: why for model, why in others.items() if why}
        first = main_joints(analysis) if "cycles" in analysis.done else ()
        shared = _joints_of(next(iter(others), ""))
        joints = sorted(
            dict.fromkeys(analysis.angles.joint),
            key=lambda joint: (joint not in shared, not joint.endswith(first or ("\n",))),
        )
        return FigureChoice("model", "Other model", tuple(others), refused=refused), FigureChoice(
            "joint", "Joint", tuple(joints), redraws=True
        )

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> ModelComparison:
        """Run the second model."""
        why = other_models(analysis)[chosen["model"]]
        if why:
            raise BiomecError(f"The model {chosen['model']} does not suit this recording: {why}.")
        return compare_models(analysis, chosen["model"], progress)

    def remark(self, content: ModelComparison, chosen: Chosen) -> str:
        """How far apart they are."""
        rms = np.array([one.rms for one in content.differences])
        sentence = f"{content.other_model} beside {content.own_model}: {len(content.names)} angles in common"
        if rms.size:
            sentence += f", {np.degrees(np.sqrt(np.mean(rms**2))):.2f}° rms over all"
        if len(rms) > WORST:
            sentence += f", the {WORST} largest at the right"
        return f"{sentence}. {effort_table(*content.efforts).note}"

    def draw(self, figure: Figure, content: ModelComparison, chosen: Chosen, ink: Ink) -> None:
        """Curves of the joint at the left, the largest differences at the right."""
        theme = ink.theme
        there = [k for k, angle in enumerate(content.names) if angle.startswith(chosen["joint"])]
        outer = figure.add_gridspec(max(1, len(there)), 2, width_ratios=(1.25, 1.0))
        cycle = bool(content.percent.size)
        x = content.percent if cycle else content.time_s
        pair = (content.own_cycle, content.other_cycle) if cycle else (content.own, content.other)
        first = None
        for row, k in enumerate(there):
            axes = first = figure.add_subplot(outer[row, 0], sharex=first)
            quiet(axes, ink)
            axes.plot(x, np.degrees(pair[0][:, k]), color=theme.accent, linewidth=2.0)
            axes.plot(x, np.degrees(pair[1][:, k]), color=ink.alarm, linewidth=1.5, linestyle=(0, (5, 2)))
            name(axes, ink, content.names[k][0].upper() + content.names[k][1:])
            axes.set_ylabel("angle, °")
            at_least(axes, 4.0)
            axes.set_xlim(float(x[0]), float(x[-1]))
            if row == len(there) - 1:
                axes.set_xlabel("cycle, %" if cycle else "time, s")
            if row == 0:
                handles = [
                    stroke(color=theme.accent, linewidth=2.0),
                    stroke(color=ink.alarm, linewidth=1.5, linestyle=(0, (5, 2))),
                ]
                legend(figure, ink, handles, (content.own_model, content.other_model))
        if not there:
            axes = figure.add_subplot(outer[:, 0])
            axes.axis("off")
            axes.text(0.5, 0.5, f"{content.other_model} has no angles of the {chosen['joint']}.", ha="center",
                      color=theme.faint, transform=axes.transAxes)  # fmt: skip
        boxes = [one.spread for one in content.efforts]
        right = outer[:, 1].subgridspec(2 if any(boxes) else 1, 1, height_ratios=(2.6, 1.0) if any(boxes) else (1.0,))
        self._differences(figure.add_subplot(right[0]), content, ink)
        if any(boxes):
            self._notch(figure.add_subplot(right[1]), content, ink)

    @staticmethod
    def _notch(axes: Axes, content: ModelComparison, ink: Ink) -> None:
        """Box of the shift of the jugular notch by each model, beside what consistency took."""
        quiet(axes, ink, grid="x")
        colours = ink.theme.accent, ink.alarm
        labels = []
        for k, (one, colour) in enumerate(zip(content.efforts, colours, strict=True)):
            if one.spread is not None:
                draw_box(axes, k, one.spread, colour, ink, upright=False)
            model, iterations, increment, shift = one.row()
            labels.append(f"{model}: {shift} cm\n{iterations} iterations\nlast step {increment} µm")
        axes.set_yticks(range(2), labels, fontsize=SMALL - 1.0)
        axes.set_ylim(1.6, -0.6)
        axes.set_xlim(left=0.0)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("shift, mm")
        name(axes, ink, "Jugular notch")

    @staticmethod
    def _differences(axes: Axes, content: ModelComparison, ink: Ink) -> None:
        quiet(axes, ink, grid="x")
        worst = sorted(content.differences, key=lambda one: -one.rms)[:WORST]
        places = np.arange(len(worst))
        axes.barh(places, [np.degrees(one.rms) for one in worst], height=0.62, color=ink.theme.measured)
        axes.set_yticks(places, [one.name for one in worst], fontsize=SMALL - 1.0)
        axes.set_ylim(max(len(worst), 4) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("difference, ° rms")
        name(axes, ink, "Largest differences")

    def data(self, content: ModelComparison, chosen: Chosen) -> tuple[Column, ...]:
        """All angles in common over time, by both models, in degrees; then what consistency took."""
        columns = [Column("time (s)", content.time_s)]
        for k, angle in enumerate(content.names):
            columns.append(Column(f"{angle}, {content.own_model} (deg)", np.degrees(content.own[:, k])))
            columns.append(Column(f"{angle}, {content.other_model} (deg)", np.degrees(content.other[:, k])))
        for one in content.efforts:
            columns += [
                Column(f"iterations, {one.model}", one.iterations),
                Column(f"last increment, {one.model} (um)", MICROMETRES * one.increment),
                Column(f"shift of the jugular notch, {one.model} (mm)", MM * one.shift),
            ]
        return tuple(columns)


def _joints_of(model: str) -> set[str]:
    """Joints whose angles a shipped model has, with their sides."""
    return {definition.joint for definition in load_model(model).angles} if model else set()
