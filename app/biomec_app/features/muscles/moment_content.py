"""What makes a torque, muscle by muscle, over time or over the cycle: layers that add up, and facts. Knows no Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.body.muscles.muscle_work import TorquePeak
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.muscle_cycles import BOTH, SIDES, cycles_of_joints
from biomec.reporting.content.muscle_work_tables import against_text, makers_text
from biomec.signals import Cycles
from biomec_app.curves.curve import capital
from biomec_app.features.muscles.heat_content import CYCLE, over_cycle, words_of
from biomec_app.features.muscles.plotted import MAIN_JOINTS
from biomec_app.features.muscles.readings import MuscleReadings, readings_of

NAMED = 5  # muscles with a layer of their own
OTHERS, NO_MUSCLE, RIBS = "other muscles", "no muscle", "ribs"
SEEN = 0.02  # of the greatest torque: reserves and ribs below it have no layer


@dataclass(frozen=True, eq=False)
class Layer:
    """A part of a torque (N,) [N m]; ``number`` of its colour among the named muscles, −1 for the rest."""

    name: str
    values: FloatArray
    number: int = -1


@dataclass(frozen=True, eq=False)
class MomentPage:
    """A torque and what makes it.

    joint   : of the torque, such as "right knee"
    x       : (N,) time [s], or % of the cycle;  over : `heat_content.TIME` or `CYCLE`
    total   : (N,) net torque [N m];  layers : they add up to it, the greatest first
    opposite : title of the torque below 0
    note    : which cycles, or why nothing is shown
    """

    row: str
    opposite: str
    joint: str
    over: str
    x: FloatArray
    total: FloatArray
    layers: tuple[Layer, ...]
    note: str

    @property
    def known(self) -> bool:
        """Whether anything is known."""
        return bool(np.isfinite(self.total).any())


def moment_page(analysis: Analysis, row: str, over: str) -> MomentPage:
    """Layers of a torque; those of frames whose loads cannot be relied on are left out."""
    readings = readings_of(analysis)
    found, time = readings.shares(row), analysis.session.dynamic.time_s
    opposite = readings.model.rows.opposite[readings.forces.rows.index(row)]
    usable = readings.usable_row(row)
    cycles = _cycles(analysis, readings, row) if over == CYCLE else None

    def shown(course: FloatArray) -> FloatArray:
        if over == CYCLE:
            return over_cycle(course, cycles)
        return course if usable is None else np.where(usable, course, np.nan)

    largest = _greatest(found.total, usable)
    order = np.argsort(-_size(found.torque, usable), kind="stable")
    layers = [Layer(found.groups[g], shown(found.torque[:, g]), k) for k, g in enumerate(order[:NAMED])]
    if len(order) > NAMED:
        layers.append(Layer(OTHERS, shown(found.torque[:, order[NAMED:]].sum(axis=1))))
    for name, course in ((RIBS, found.ribs), (NO_MUSCLE, found.reserve)):
        if _greatest(course, usable) > SEEN * largest:
            layers.append(Layer(name, shown(course)))
    x = np.linspace(0.0, 100.0, len(layers[0].values)) if over == CYCLE else np.asarray(time)[: len(found.total)]
    return MomentPage(
        row, opposite, readings.joint_of(row), over, x, shown(found.total), tuple(layers), _note(cycles, over, usable)
    )


def _cycles(analysis: Analysis, readings: MuscleReadings, row: str) -> Cycles | None:
    """Cycles of the side of a torque that count for its joint."""
    if "cycles" not in analysis.done:
        return None
    groups = cycles_of_joints(analysis, (readings.joint_of(row),))
    side = next((side for side in SIDES if row.startswith(f"{side} ")), SIDES[0])
    return groups.get(side.capitalize()) or groups.get(BOTH)


def _note(cycles: Cycles | None, over: str, usable: BoolArray | None) -> str:
    if over != CYCLE:
        return "" if usable is None or usable.all() else "Blank where the loads of the joint cannot be relied on."
    return words_of(cycles, "this joint")


def _size(torque: FloatArray, usable: BoolArray | None) -> FloatArray:
    """(G,) mean sizes over the usable frames."""
    known = np.isfinite(torque).all(axis=1)
    known = known if usable is None or not (known & usable).any() else known & usable
    return np.abs(torque[known]).mean(axis=0) if known.any() else np.zeros(torque.shape[1])


def _greatest(course: FloatArray, usable: BoolArray | None) -> float:
    course = course if usable is None else course[usable]
    return float(np.abs(course[np.isfinite(course)]).max(initial=0.0))


def stacked(layers: tuple[Layer, ...], positive: bool) -> list[tuple[FloatArray, FloatArray]]:
    """Lower and upper edge (N,) of every layer, piled up from 0 upwards, or downwards for what is negative."""
    low = np.zeros(len(layers[0].values)) if layers else np.zeros(0)
    edges = []
    for layer in layers:
        part = np.nan_to_num(layer.values)
        high = low + (np.maximum(part, 0.0) if positive else np.minimum(part, 0.0))
        edges.append((low, high))
        low = high
    return edges


def usual_row(analysis: Analysis) -> str:
    """The torque to begin with: the greatest one of a main joint over frames in which loads can be used."""
    model, every = analysis.muscles.model, analysis.muscles.torque_peaks
    peaks = [one for one in every if one.joint.partition(" ")[2] in MAIN_JOINTS] or every
    rows = analysis.muscles.forces.rows
    if not peaks:
        return rows[0] if rows else ""
    title = max(peaks, key=lambda one: one.torque_Nm).title
    return title if title in rows else rows[model.rows.opposite.index(title)]


def peak_sentences(analysis: Analysis, row: str) -> tuple[str, ...]:
    """Who makes a torque where it is greatest, in both senses."""
    readings = readings_of(analysis)
    opposite = readings.model.rows.opposite[readings.forces.rows.index(row)]
    return tuple(_sentence(analysis, one) for one in analysis.muscles.torque_peaks if one.title in (row, opposite))


def _sentence(analysis: Analysis, peak: TorquePeak) -> str:
    against = against_text(peak)
    words = f"{capital(peak.title)}: up to {peak.torque_Nm:.1f} N·m at {_seconds(analysis, peak):.2f} s, made by "
    return f"{words}{makers_text(peak)}{f'; against it {against}' if against != '–' else ''}."


def _seconds(analysis: Analysis, peak: TorquePeak) -> float:
    return float(analysis.session.dynamic.time_s[peak.frame])


def work_rows(analysis: Analysis, row: str) -> tuple[tuple[str, tuple[float, float, float, float]], ...]:
    """Whole muscles of a torque's side -> work given and taken [J], least and greatest power [W], most work first."""
    readings, work = readings_of(analysis), analysis.muscles.work
    k = readings.forces.rows.index(row)
    turning = (np.nan_to_num(readings.model.arms[:, :, k]) != 0.0).any(axis=0).tolist()
    found = []
    for group in readings.row_groups(row):
        which = [m for m, one in enumerate(readings.muscles) if one.group == group and turning[m]]
        power = work.power[:, which].sum(axis=1)[work.counted[:, which].all(axis=1)]
        low, high = (float(power.min()), float(power.max())) if power.size else (float("nan"),) * 2
        found.append((group, (float(work.given[which].sum()), float(work.taken[which].sum()), low, high)))
    return tuple(sorted(found, key=lambda one: -(one[1][0] + one[1][1])))
