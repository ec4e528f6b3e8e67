"""Muscles over the cycle, for the clinical report: what the main joints bear, and when muscles are active.

Cycles of all recordings of a visit with muscle forces are pooled, those alone whose loads count for every joint of a
curve. Contact forces have gaps where torque is lacking at a joint, for what is lacking presses on nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.body.muscles.emg_comparison import group_activation, proposed_muscles
from biomec.body.muscles.lacking import lower_bounds
from biomec.body.muscles.muscle_set import Muscle
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.muscle_cycles import BOTH, SIDES, cycles_of_joints, cycles_of_muscles, foot_off_of
from biomec.reporting.clinical.blocks import Course, CycleOrigin, Grid, Panel, course_of
from biomec.reporting.clinical.ground_reaction import pooled_strides
from biomec.reporting.clinical.visit import Visit
from biomec.signals.cycle_average import FEWEST_SAMPLES, PERCENT_POINTS, resample_spans
from biomec.signals.cycles import Cycles
from biomec.signals.emg_muscles import EmgChannel

JOINTS = ("hip", "knee", "ankle", "glenohumeral", "elbow")
"""Joints whose contact force is drawn, where muscles cross them."""
COLUMNS = 4
MOST = 16  # muscles of a page
PERCENT = 100.0
CERTAIN = 0.99  # of the frames around a sample, by their nearness, must be usable
WEIGHTS, STEP_PERCENT = 1.0, 25.0  # steps by which axes grow [body weight], [% of full activation]


class _Pool:
    """Curves of one side, collected recording by recording."""

    def __init__(self, side: str) -> None:
        self.side = side
        self.curves: list[FloatArray] = []
        self.origins: list[CycleOrigin] = []
        self.foot_off: list[float] = []
        self.estimated = self.gaps = False

    def add(self, visit: Visit, trial: int, cycles: Cycles, values: FloatArray, usable: BoolArray) -> None:
        """Add the cycles that count, whose values are known, and that are of the kind that the visit pools.

        usable : (T,) frames that are drawn; the others are gaps
        """
        kinds = pooled_strides(visit, trial)
        for number in np.flatnonzero(cycles.valid):
            first, last = (int(frame) for frame in cycles.spans[number])
            short = last - first < FEWEST_SAMPLES - 1 or last >= len(values)
            if short or not kinds.get((self.side, first), True):
                continue
            part, sure = values[first : last + 1], usable[first : last + 1]
            if not np.isfinite(part).all() or not sure.any():
                continue
            curve = resample_spans(part, [[0, last - first]]).curves[0]
            curve = np.clip(curve, part.min(), part.max())  # beside a muscle at full strength, cubics swing beyond it
            near = np.interp(np.linspace(0.0, last - first, PERCENT_POINTS), np.arange(len(sure)), sure) > CERTAIN
            self.gaps |= not near.all()
            self.curves.append(np.where(near, curve, np.nan))
            self.origins.append(CycleOrigin(trial, int(number), first, last))
            self.estimated |= bool(cycles.source)
        off = foot_off_of(cycles)
        if off is not None:
            self.foot_off.append(off)

    @property
    def course(self) -> Course | None:
        """Mean, spread and single cycles; None without any."""
        if not self.curves:
            return None
        course = course_of(self.side, np.reshape(self.curves, (-1, PERCENT_POINTS)), self.side.capitalize(), 0,
                           tuple(self.origins))  # fmt: skip
        return replace(course, foot_off=float(np.mean(self.foot_off)) if self.foot_off else None)


def contact_grid(visit: Visit) -> Grid | None:
    """Contact force of the main joints over the cycle [body weight], right and left; None where no cycle counts."""
    panels, estimated, gaps = [], False, False
    for stem in JOINTS:
        courses = []
        for side in SIDES:
            pool = _Pool(side)
            for trial, analysis in _with_muscles(visit):
                joint = f"{side} {stem}"
                found = analysis.muscles
                crossed = {one for joints in found.model.crossed_joints.values() for one in joints}
                cycles = _of_side(cycles_of_joints(analysis, (joint,)), side)
                if cycles is None or joint not in found.contacts.joints or joint not in crossed:
                    continue
                j = found.contacts.index(joint)
                sure = ~lower_bounds(found.model, found.forces)[:, j]
                pool.add(visit, trial, cycles, found.contacts.size[:, j] / found.contacts.body_weight, sure)
            courses.append(pool.course)
            estimated, gaps = estimated or pool.estimated, gaps or pool.gaps
        there = tuple(one for one in courses if one is not None)
        if there:
            high = _high(there, WEIGHTS, 4.0)
            panels.append(Panel(stem, f"{stem.capitalize()} [body weight]", "body weight", "", "", 0.0, high,
                                high > 4.0, there))  # fmt: skip
    if not panels:
        return None
    note = "Force of bone on bone with the muscles that pull across the joint, over cycles whose loads count."
    note += " Gaps: torque is lacking, and what no muscle makes presses on nothing." if gaps else ""
    return Grid("Contact forces over the cycle", (tuple(panels),), note=note + _estimated(estimated))


def activation_grid(visit: Visit) -> Grid | None:
    """Activation of the main muscles over the cycle, right and left, with usual activity; None without a cycle."""
    panels, estimated = [], False
    for name, elements in _shown(visit):
        courses = []
        for side in SIDES:
            pool = _Pool(side)
            for trial, analysis in _with_muscles(visit):
                names = [one for one in elements.get(side, ()) if one in analysis.muscles.forces.names]
                cycles = _of_side(cycles_of_muscles(analysis, names), side) if names else None
                if cycles is not None:
                    values = PERCENT * group_activation(analysis.muscles.forces, names)
                    pool.add(visit, trial, cycles, values, np.ones(len(values), dtype=np.bool_))
            courses.append(pool.course)
            estimated |= pool.estimated
        there = tuple(one for one in courses if one is not None)
        if there:
            offs = [one.foot_off for one in there if one.foot_off is not None]
            table = visit.first.settings.emg.table
            active = table.active(name, float(np.mean(offs)) if offs else None) if name in table.names else ()
            high = _high(there, STEP_PERCENT, STEP_PERCENT)
            panels.append(Panel(name, f"{name.capitalize()} [%]", "%", "", "", 0.0, high, courses=there, active=active))
    if not panels:
        return None
    places: list[Panel | None] = [*panels, *(None,) * (-len(panels) % COLUMNS)]
    rows = [tuple(places[k : k + COLUMNS]) for k in range(0, len(places), COLUMNS)]
    note = "Computed activation in % of full activation, over cycles whose loads count."
    if any(panel.active for panel in panels):
        note += f" Bars below: {visit.first.settings.emg.table.title}, brought to the own foot off."
    return Grid("Activation of muscles over the cycle", tuple(rows), note=note + _estimated(estimated))


def _estimated(estimated: bool) -> str:
    return " The ground reaction of some was estimated, since none was measured." if estimated else ""


def _with_muscles(visit: Visit) -> list[tuple[int, Analysis]]:
    """Numbers and analyses of the recordings that count and have muscle forces of their motion."""
    return [
        (k, one.analysis)
        for k, one in enumerate(visit.trials)
        if not one.excluded and "muscles" in one.analysis.done and "cycles" in one.analysis.done
        and one.analysis.muscles.forces.frames == len(one.analysis.motion.q)
    ]  # fmt: skip


def _of_side(groups: Mapping[str, Cycles], side: str) -> Cycles | None:
    return groups.get(side.capitalize()) or groups.get(BOTH)


def _shown(visit: Visit) -> list[tuple[str, dict[str, tuple[str, ...]]]]:
    """Muscles of a page -> elements of each side: those with usual timing in a walk, else those that work most."""
    analyses = [analysis for _, analysis in _with_muscles(visit)]
    if not analyses:
        return []
    first = analyses[0]
    muscles, table = first.muscles.fitted.muscles, first.settings.emg.table
    if foot_off_of(next(iter(first.cycles.groups.values()), None)) is None:
        return [(group, _elements(muscles, group)) for group in _busiest(first)]
    found = {}
    for one in table.muscles:
        sides = {side: proposed_muscles([EmgChannel(one.name, side, one.name)], muscles).get(one.name, ())
                 for side in SIDES}  # fmt: skip
        if one.active and any(sides.values()):
            found[one.name] = sides
    kept: list[tuple[str, dict[str, tuple[str, ...]]]] = []
    for name, sides in found.items():
        mine = {element for names in sides.values() for element in names}
        others = [{e for names in other.values() for e in names} for key, other in found.items() if key != name]
        twice = any(mine == {e for names in one.values() for e in names} for _, one in kept)
        if not twice and not any(other < mine for other in others):  # parts rather than what they are parts of
            kept.append((name, sides))
    return kept[:MOST]


def _elements(muscles: Sequence[Muscle], group: str) -> dict[str, tuple[str, ...]]:
    return {
        side: tuple(one.name for one in muscles if one.group == group and one.side and one.side.value == side)
        for side in SIDES
    }


def _busiest(analysis: Analysis) -> list[str]:
    """Whole muscles by their mean force, the greatest first."""
    found = analysis.muscles
    force = found.forces.force[found.forces.solved]
    mean = force.mean(axis=0) if len(force) else np.zeros(len(found.forces.names))
    total: dict[str, float] = {}
    for m, one in enumerate(found.fitted.muscles):
        total[one.group] = total.get(one.group, 0.0) + float(mean[m])
    return sorted(total, key=lambda group: -total[group])[:MOST]


def _high(courses: Sequence[Course], step: float, usual: float) -> float:
    """Upper end of an axis: the usual one, or as many steps as what is drawn needs."""
    top = max(float(np.nanmax(one.mean + np.nan_to_num(one.sd) if one.banded else one.curves)) for one in courses)
    return max(usual, step * float(np.ceil(top / step - 1e-6)))  # a full activation is 1 within rounding
