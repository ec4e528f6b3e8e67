"""Angles of a joint, left and right in columns, mean and spread over the cycles: [Nunes2017] Figs. 4.21 to 4.26."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.progress import Progress
from biomec.body.kinematics.joint_angles import JointAngles
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.settings import EVENTS
from biomec.recording.marker_set import Side
from biomec.reporting.norms.choice import choose_norm, norm_notices
from biomec.reporting.norms.norm import GRID, NormSet, own_band
from biomec.reporting.norms.norm_file import shipped_norm, shipped_norms
from biomec.reporting.norms.own_norm import patient_of
from biomec.reporting.statistics.angle_ranges import AngleRow, angle_rows, cycle_curves, cycle_sides
from biomec.reporting.statistics.conditions import Condition
from biomec.reporting.statistics.cycle_statistics import cycles_in_words, left_out
from biomec.signals.cycle_average import CycleCurves
from biomec_app.figures.kind import Chosen, Column, FigureChoice, FigureKind
from biomec_app.figures.style import (
    Ink,
    at_least,
    legend,
    name,
    nothing,
    over_cycle,
    phase_change,
    quiet,
    stroke,
    zero_line,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MEAN, EVERY, TIME = "Mean ± SD", "Every cycle", "Over time"
LIMBS = {
    "Arms": ("sternoclavicular", "scapulothoracic", "shoulder", "elbow", "radioulnar", "wrist"),
    "Legs": ("pelvis in the laboratory", "hip", "knee", "ankle"),
}
OTHERS = "Other joints"
NO_NORM = "none"
SMALLEST = 10.0  # ° from bottom to top, so that noise does not look like motion


@dataclass(frozen=True, eq=False)
class RecordedAngles:
    """Angles of one recording, their mean curves by side, and what of each side's cycles is behind them, in words.

    phase : what changes the phase within a cycle: "foot off" or "phase change"
    """

    name: str
    angles: JointAngles
    curves: Mapping[str, CycleCurves]
    counts: Mapping[str, str]
    phase: str = "phase change"


@dataclass(frozen=True, eq=False)
class AngleContent:
    """Rows of a joint; the open recording, and those that it is compared with.

    norms : title -> set of norms that may stand behind the curves, and what a reader must know about it
    """

    rows: tuple[AngleRow, ...]
    own: RecordedAngles
    others: tuple[RecordedAngles, ...]
    time_s: FloatArray
    norms: Mapping[str, tuple[NormSet, str]] = field(default_factory=dict)


class AngleFigure(FigureKind):
    """Joint angles in two columns."""

    key, title = "angles", "Joint Angles, Left and Right"
    help = "Angles of a joint over the cycle, left and right in columns, mean and standard deviation"
    needs = ("signals", "angles")

    def choices(self, analysis: Analysis) -> tuple[FigureChoice, ...]:
        """Joint, and what of it."""
        over_cycle = "cycles" in analysis.done and bool(analysis.cycles.curves)
        first = main_joints(analysis) if "cycles" in analysis.done else ()
        rows = sorted(angle_rows(analysis.angles), key=lambda row: row.joint not in first)
        joints = tuple(dict.fromkeys(_called(row) for row in rows))
        shown = (MEAN, EVERY, TIME) if over_cycle else (TIME,)
        found = FigureChoice("joint", "Joint", joints), FigureChoice("shown", "Show", shown, redraws=True)
        norms = suited_norms(analysis)
        if not norms:
            return found
        known = patient_of(analysis).age_years is not None  # else nothing says whether a child or an adult walks
        options = (*norms, NO_NORM) if known else (NO_NORM, *norms)
        return *found, FigureChoice("norm", "Norm", options, redraws=True)

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> AngleContent:
        """Rows of the joint."""
        rows = tuple(row for row in angle_rows(analysis.angles) if _called(row) == chosen["joint"])
        return AngleContent(rows, recorded("", analysis), (), analysis.signals.trial.time_s, suited_norms(analysis))

    def compared(
        self, content: AngleContent, conditions: Sequence[Condition], own: str, chosen: Chosen
    ) -> AngleContent:
        """Other recordings beside the open one."""
        others = tuple(recorded(condition.name, condition.analysis) for condition in conditions)
        return replace(content, own=replace(content.own, name=own), others=others) if others else content

    def remark(self, content: AngleContent, chosen: Chosen) -> str:
        """Which joint and cycles."""
        if chosen["shown"] == TIME:
            return f"{chosen['joint']} over the time of the recording."
        mean = chosen["shown"] == MEAN
        cycles = [f"{one.name + ': ' if one.name else ''}{cycles_told(one)}" for one in (content.own, *content.others)]
        what = "mean ± SD of " if mean else ""
        remark = f"{chosen['joint']}: {what}{'; '.join(cycles)}. Dotted: {content.own.phase}."
        norm, notices = content.norms.get(chosen.get("norm", NO_NORM), (None, ""))
        if norm is None or not any(own_band(norm, row.joint, row.positive, row.negative) for row in content.rows):
            return remark
        return f"{remark} Grey: norm, mean ± SD: {norm.about.title} ({norm.about.people}). {notices}".rstrip()

    def draw(self, figure: Figure, content: AngleContent, chosen: Chosen, ink: Ink) -> None:
        """A row a component, left before right; the midline over the cycles of either side, or in one column."""
        sides: tuple[Side | None, ...] = (Side.LEFT, Side.RIGHT)
        midline = all(row.middle is not None for row in content.rows)
        if midline and (chosen["shown"] == TIME or cycle_sides(content.own.curves, None) == (None,)):
            sides = (None,)
        grid = figure.subplots(len(content.rows), len(sides), sharex=True, sharey="row", squeeze=False)
        for i, row in enumerate(content.rows):
            for j, side in enumerate(sides):
                axes = grid[i, j]
                quiet(axes, ink)
                which = "" if side is None else f", {side.value} cycles" if midline else f", {side.value}"
                name(axes, ink, f"{row.positive[0].upper()}{row.positive[1:]}{which}")
                norm, _ = content.norms.get(chosen.get("norm", NO_NORM), (None, ""))
                if norm is not None and chosen["shown"] != TIME:
                    draw_norm(axes, norm, row, ink)
                self._panel(axes, content, row.middle or row.sides.get(side), side, chosen["shown"], ink)
                if j == 0:
                    axes.set_ylabel(f"{row.positive} (+)\n{row.negative} (−), °")
                if i == len(content.rows) - 1:
                    axes.set_xlabel("time, s" if chosen["shown"] == TIME else "cycle, %")
            at_least(grid[i, 0], SMALLEST)
            zero_line(ink, *grid[i])
        if content.others and chosen["shown"] != TIME:
            names = [one.name for one in (content.own, *content.others)]
            handles = [stroke(color=colour, linewidth=2.0) for colour in ink.conditions[: len(names)]]
            legend(figure, ink, handles, names)
        figure.align_ylabels()

    def _panel(
        self, axes: Axes, content: AngleContent, angle: str | None, side: Side | None, shown: str, ink: Ink
    ) -> None:
        if shown == TIME:
            if angle is None:
                nothing(axes, ink, "not in the model")
                return
            axes.plot(content.time_s, np.degrees(content.own.angles[angle]), color=ink.side(side), linewidth=1.5)
            axes.set_xlim(float(content.time_s[0]), float(content.time_s[-1]) + 1e-9)
            return
        colours = ink.conditions if content.others else (ink.side(side),)
        drawn = [
            _draw_cycles(axes, one, angle, side, shown, colour)
            for one, colour in zip((content.own, *content.others), colours, strict=False)
        ]
        if not any(drawn):
            nothing(axes, ink, "no valid cycle" if angle else "not in the model")
            return
        axes.set_xlim(0.0, 100.0)

    def data(self, content: AngleContent, chosen: Chosen) -> tuple[Column, ...]:
        """The plotted curves in degrees."""
        if chosen["shown"] == TIME:
            names = [angle for row in content.rows for angle in row.sides.values()]
            columns = [Column(f"{angle} (deg)", np.degrees(content.own.angles[angle])) for angle in names]
            return Column("time (s)", content.time_s), *columns
        found: list[Column] = []
        for one in (content.own, *content.others):
            drawn = [(angle, own) for row in content.rows for own, angle in row.sides.items()]
            for angle, own, side in ((*of, side) for of in drawn for side in cycle_sides(one.curves, of[1])):
                curves = cycle_curves(one.curves, side)
                if curves is None or angle not in one.angles:
                    continue
                beside = f", {side.value} cycles" if own is None and side is not None else ""
                beside += f", {one.name}" if one.name else ""
                k = one.angles.names.index(angle)
                if not found:
                    found.append(Column("cycle (%)", curves.percent))
                if chosen["shown"] == MEAN:
                    found.append(Column(f"{angle}{beside}, mean (deg)", np.degrees(curves.mean[:, k])))
                    found.append(Column(f"{angle}{beside}, sd (deg)", np.degrees(curves.sd[:, k])))
                else:
                    found += [
                        Column(f"{angle}{beside}, cycle {number + 1} (deg)", np.degrees(cycle))
                        for number, cycle in zip(curves.numbers.tolist(), curves.curves[:, :, k], strict=True)
                    ]
        return tuple(found)


def suited_norms(analysis: Analysis) -> dict[str, tuple[NormSet, str]]:
    """Title -> norm of walking and what is to be said about it, the nearest first; none for other movements.

    Angles that count from the static pose have no norm.
    """
    if "cycles" not in analysis.done or analysis.cycles.by != EVENTS or analysis.angles.options.subtract_static:
        return {}
    patient = patient_of(analysis)
    sets = [one for one in map(shipped_norm, shipped_norms()) if one.curves]
    nearest = choose_norm(sets, patient).norm
    sets.sort(key=lambda one: one is not nearest)
    return {one.about.title: (one, " ".join(map(str, norm_notices(one, patient)))) for one in sets}


def draw_norm(axes: Axes, norm: NormSet, row: AngleRow, ink: Ink) -> None:
    """A grey band, mean ± SD, behind the curves of a row, if the norm has it."""
    band = own_band(norm, row.joint, row.positive, row.negative)
    if band is not None:
        mean, sd = band
        axes.fill_between(GRID, mean - sd, mean + sd, color=ink.theme.faint, alpha=0.3, linewidth=0, zorder=0)


def recorded(called: str, analysis: Analysis) -> RecordedAngles:
    """Angles and cycles of an analysis."""
    if "cycles" not in analysis.done:
        return RecordedAngles(called, analysis.angles, {}, {})
    all_cycles = analysis.cycles
    counts = {
        which: cycles_in_words(len(curves.numbers), left_out(all_cycles.groups[which], len(curves.numbers)))
        for which, curves in all_cycles.curves.items()
    }
    return RecordedAngles(called, analysis.angles, all_cycles.curves, counts, all_cycles.phase)


def _draw_cycles(
    axes: Axes, one: RecordedAngles, angle: str | None, side: Side | None, shown: str, colour: str
) -> bool:
    """Draw an angle of one recording over the cycle; False if it has none."""
    curves = cycle_curves(one.curves, side)
    if curves is None or angle is None or angle not in one.angles:
        return False
    column = one.angles.names.index(angle)
    mean, sd = np.degrees(curves.mean[:, column]), np.degrees(curves.sd[:, column])
    if shown == MEAN:
        over_cycle(axes, curves.percent, mean, sd, curves.phase_change_percent, colour, bounds=True)
        return True
    for cycle in curves.curves[:, :, column]:
        axes.plot(curves.percent, np.degrees(cycle), color=colour, linewidth=0.9, alpha=0.8)
    phase_change(axes, curves.phase_change_percent, colour)
    return True


def cycles_told(one: RecordedAngles) -> str:
    """How many cycles of each side are drawn."""
    words = [f"{'' if which == 'both' else which.lower() + ' '}{count}" for which, count in one.counts.items()]
    return ", ".join(words) or "no valid cycle"


def _called(row: AngleRow) -> str:
    return row.joint[0].upper() + row.joint[1:]


def limb_options(analysis: Analysis) -> tuple[str, ...]:
    """Arms, legs and other joints, as far as the model has them; first what the movement is about.

    Steps are about the legs, and cycles of an arm's angle about the arms; else whichever moved more.
    """
    rows = angle_rows(analysis.angles)
    there = {row.joint for row in rows}
    limbs = [limb for limb, joints in LIMBS.items() if there.intersection(joints)]
    by = analysis.cycles.by if "cycles" in analysis.done else ""
    if by == "events" or by.startswith("knee"):
        limbs.sort(key=lambda limb: limb != "Legs")
    elif by.startswith(("elbow", "shoulder")):
        limbs.sort(key=lambda limb: limb != "Arms")
    else:
        limbs.sort(key=lambda limb: -_moved(analysis, rows, LIMBS[limb]))
    return (*limbs, *([OTHERS] if there - {joint for joints in LIMBS.values() for joint in joints} else []))


def main_joints(analysis: Analysis) -> tuple[str, ...]:
    """Joints of the limbs that the movement is about, as far as the model has them."""
    there = tuple(dict.fromkeys(row.joint for row in angle_rows(analysis.angles)))
    return joints_of(there, next(iter(limb_options(analysis)), OTHERS))


def joints_of(there: Sequence[str], limb: str) -> tuple[str, ...]:
    """Joints of arms or legs, from the trunk outwards, or those of neither, as far as they are there."""
    if limb in LIMBS:
        return tuple(joint for joint in LIMBS[limb] if joint in there)
    return tuple(joint for joint in there if not any(joint in joints for joints in LIMBS.values()))


def _moved(analysis: Analysis, rows: Sequence[AngleRow], joints: Sequence[str]) -> float:
    """Largest range of the joints' angles [rad]."""
    columns = [analysis.angles[angle] for row in rows if row.joint in joints for angle in row.sides.values()]
    spans = [float(np.ptp(column[np.isfinite(column)])) for column in columns if np.isfinite(column).any()]
    return max(spans, default=0.0)
