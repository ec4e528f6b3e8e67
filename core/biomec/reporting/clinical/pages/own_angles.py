"""Angles of trunk and arms, or of whichever joints move: in the signs of the program, over the cycles of a visit.

There is no clinical convention and no norm for them; words at the ends of the axes say what goes up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.reporting.clinical.blocks import MEAN, Course, CycleOrigin, Grid, LeftOut, Page, Panel, course_of
from biomec.reporting.clinical.definition import PageEntry
from biomec.reporting.clinical.material import Material
from biomec.reporting.clinical.visit import SIDES
from biomec.reporting.statistics.angle_ranges import AngleRow, angle_rows
from biomec.signals.cycle_average import resample_cycles

KIND, TITLE = "trunk and arms", "Trunk and arms"
LEGS = ("hip", "knee", "ankle", "foot", "pelvis", "toe", "patell", "subtalar", "metatars")
LEAST_RANGE_DEG = 5.0  # a joint that moves less is not shown
MOST, COLUMNS = 12, 3
STEP_DEG = 10.0
LONGEST_WORD = 11  # letters of what is not shortened at the end of an axis
SHORT = {
    "rotation": "rot.", "flexion": "flex.", "extension": "ext.", "lateral": "lat.", "deviation": "dev.",
    "internal": "int.", "external": "ext.", "abduction": "abd.", "adduction": "add.", "horizontal": "hor.",
}  # fmt: skip
BOTH = "both"
Wanted = Callable[[AngleRow], bool]


def arm_and_trunk(row: AngleRow) -> bool:
    """Whether an angle is not one of the legs."""
    return not any(part in row.joint.lower() for part in LEGS)


def trunk_and_arms_page(material: Material, entry: PageEntry) -> Page | LeftOut:
    """Angles of trunk and arms in walking."""
    title = entry.title or TITLE
    if not material.walks:
        return LeftOut(title, "They are on the page of the movement itself.")
    grid = joint_grid(material, arm_and_trunk, MEAN, SIDES, least=0.0)
    if grid is None:
        return LeftOut(title, "Neither the trunk nor the arms were measured.")
    return Page(KIND, title, (grid,), True)


def joint_grid(
    material: Material, wanted: Wanted, style: str, sides: Sequence[str], least: float = LEAST_RANGE_DEG
) -> Grid | None:
    """Panels of the wanted angles that move, those that move most; None without any.

    An angle of the trunk has a course for the cycles of each side, or one for cycles of both.
    """
    found: list[tuple[float, int, Panel]] = []
    for k, row in enumerate(angle_rows(material.visit.first.angles)):
        if not wanted(row):
            continue
        panel = _panel(material, row, SIDES)
        if panel is None:
            continue
        moved = max(float(np.ptp(course.mean[np.isfinite(course.mean)])) for course in panel.courses)
        if moved >= least:
            kept = tuple(course for course in panel.courses if course.side in (*sides, ""))
            found.append((moved, k, replace(panel, courses=kept)))
    chosen = sorted(sorted(found, key=lambda one: -one[0])[:MOST], key=lambda one: one[1])
    panels = [panel for _, _, panel in chosen if panel.courses]
    if not panels:
        return None
    places: list[Panel | None] = [*panels, *[None] * (-len(panels) % COLUMNS)]
    rows = [tuple(places[k : k + COLUMNS]) for k in range(0, len(places), COLUMNS)]
    note = "Angles as Biomec defines them; words at the axes say what goes up. No norm."
    if len(found) > MOST:
        note += f" The {MOST} angles that move most of {len(found)}."
    if material.walks:
        return Grid("Trunk and arms", tuple(rows), style, note)
    return Grid("Joint angles", tuple(rows), style, note, material.visit.first.cycles.phase, "% of the cycle")


def _panel(material: Material, row: AngleRow, sides: Sequence[str]) -> Panel | None:
    courses = []
    for side in sides:
        name = row.right if side == "right" else row.left
        name = name or row.middle
        course = None if name is None else _course(material, name, side)
        if course is not None:
            courses.append(course)
    if row.middle is not None and not courses:
        course = _course(material, row.middle, "")
        courses = [] if course is None else [course]
    if not courses:
        return None
    values = np.concatenate([course.curves.ravel() for course in courses])
    values = values[np.isfinite(values)]
    low = STEP_DEG * math.floor(float(values.min()) / STEP_DEG)
    high = STEP_DEG * math.ceil(float(values.max()) / STEP_DEG)
    high = max(high, low + 2 * STEP_DEG)
    title = f"{row.joint} {row.positive}"
    return Panel(
        title, f"{title[0].upper()}{title[1:]} [°]", "°", end_of_axis(row.positive), end_of_axis(row.negative),
        low, high, courses=tuple(courses),
    )  # fmt: skip


def end_of_axis(words: str) -> str:
    """A direction for the end of an axis, of which a long one has little."""
    if len(words) <= LONGEST_WORD:
        return words
    return " ".join(SHORT.get(word, word) for word in words.split(" "))


def _course(material: Material, name: str, side: str) -> Course | None:
    """Cycles of one angle in all recordings: of the side's own group, or of the one that both share."""
    curves: list[FloatArray] = []
    origins: list[CycleOrigin] = []
    turns: list[float] = []
    whose = "" if side == "" else side
    for k, trial in enumerate(material.visit.trials):
        analysis = trial.analysis
        groups = analysis.cycles.groups
        cycles = groups.get(side.capitalize()) if side.capitalize() in groups else groups.get(BOTH)
        if trial.excluded or cycles is None or name not in analysis.angles or not cycles.valid.any():
            continue
        made = resample_cycles(cycles, np.degrees(analysis.angles[name]))
        for number, curve, turn in zip(made.numbers, made.curves, made.phase_change_percent, strict=True):
            if np.isfinite(curve).all():
                first, last = (int(frame) for frame in cycles.spans[number])
                curves.append(curve)
                origins.append(CycleOrigin(k, int(number), first, last))
                turns.append(float(turn))
    if not curves:
        return None
    known = [one for one in turns if math.isfinite(one)]
    course = course_of(whose, np.array(curves), whose.capitalize() or "Both", 0, tuple(origins))
    return replace(course, foot_off=float(np.mean(known)) if known else None)
