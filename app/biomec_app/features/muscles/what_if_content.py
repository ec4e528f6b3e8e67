"""What variants of muscles a question offers, and its answers in bars and words. Knows no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.progress import Progress, part_of
from biomec.body.muscles.muscle_forces import MuscleForces
from biomec.body.muscles.muscle_transfer import transferred_model
from biomec.body.muscles.some_frames import ENOUGH, emg_of_frames, model_of_frames, motion_of_frames, telling_frames
from biomec.body.muscles.what_if import (
    LossCurve,
    MuscleQuestion,
    MuscleVariant,
    VariantResult,
    compare_variants,
    loss_curve,
    muscle_question,
)
from biomec.pipeline.analysis import Analysis
from biomec.recording.marker_set import Side
from biomec_app.curves.curve import capital
from biomec_app.features.muscles.heat_content import means
from biomec_app.features.muscles.readings import MuscleReadings, readings_of

MOST = 4  # variants beside each other
CHANGED = 0.005  # mean activation by which a muscle must change to be shown
LISTED = 14  # muscles and joints that are shown
WEAKER, REMOVED, MOVED = "strength", "removed", "moved"


@dataclass(frozen=True)
class MuscleChange:
    """What a user asks for.

    target  : what is changed, in words, such as "right soleus";  muscles : its elements
    kind    : `WEAKER` (or stronger) by ``factor``, `REMOVED`, or `MOVED` to the end of the muscle ``to``
    """

    target: str
    muscles: tuple[str, ...]
    kind: str = WEAKER
    factor: float = 0.5
    to: str = ""

    @property
    def title(self) -> str:
        """In words."""
        if self.kind == REMOVED:
            return f"Without {self.target}"
        if self.kind == MOVED:
            return f"{capital(self.target)} moved to the end of {self.to}"
        less = 100.0 * (1.0 - self.factor)
        return f"{capital(self.target)} {abs(less):.0f} % {'weaker' if less >= 0.0 else 'stronger'}"


@dataclass(frozen=True, eq=False)
class AskedFrames:
    """A question about some frames of a recording; ``frames`` : of the ``whole`` that have a solution at all."""

    question: MuscleQuestion
    frames: np.ndarray
    whole: int
    analysis: Analysis


def asked_frames(analysis: Analysis, every: bool = False, progress: Progress | None = None) -> AskedFrames:
    """The recorded body in telling frames, or in all that are known."""
    found = analysis.muscles
    known = np.flatnonzero(np.isfinite(found.model.rows.wanted).all(axis=1))
    frames = known if every else telling_frames(found.model, ENOUGH, readings_of(analysis).counted)
    question = muscle_question(
        model_of_frames(found.model, frames),
        motion_of_frames(found.paths.motion, frames),
        found.options.sharing,
        found.fitted.person.model,
        emg_of_frames(found.question.emg, frames),
    )
    return AskedFrames(question, frames, len(known), analysis)


def targets_of(readings: MuscleReadings) -> dict[str, tuple[str, ...]]:
    """What can be changed: whole muscles of a side, of both sides, and single parts -> their elements."""
    found: dict[str, tuple[str, ...]] = {}
    for group in readings.groups:
        for side in (Side.RIGHT, Side.LEFT):
            names = readings.of_group(group, side)
            if names:
                found[f"{side.value} {group}"] = names
        every = readings.of_group(group)
        if len({readings.muscle(name).side for name in every}) > 1:
            found[f"{group} of both sides"] = every
    for one in readings.muscles:
        found.setdefault(one.sided_title, (one.name,))
    return found


def proposals(readings: MuscleReadings) -> tuple[MuscleChange, ...]:
    """Changes to begin with: the whole muscles that do most of the work, weakened and removed."""
    effort = means(readings) * readings.paths.fitted.fmax
    work = {
        target: float(sum(effort[readings.place[name]] for name in names))
        for target, names in targets_of(readings).items()
        if not target.endswith("of both sides") and len({readings.muscle(name).group for name in names}) == 1
    }
    hardest = sorted(work, key=lambda target: -work[target])
    groups: list[str] = []
    for target in hardest:
        stem = target.partition(" ")[2]
        if all(stem != one.partition(" ")[2] for one in groups):
            groups.append(target)
    targets = targets_of(readings)
    return tuple(
        MuscleChange(target, targets[target], kind, 0.5)
        for target, kind in zip(groups[:3], (WEAKER, REMOVED, WEAKER), strict=False)
    )


def answers(
    asked: AskedFrames, changes: Sequence[MuscleChange], progress: Progress | None = None
) -> tuple[VariantResult, ...]:
    """Answer all changes, each by itself."""
    found: list[VariantResult] = []
    for k, change in enumerate(changes):
        within = part_of(progress, k / len(changes), (k + 1) / len(changes))
        found += compare_variants(asked.question, [variant_of(asked, change)], within)
    return tuple(found)


def variant_of(asked: AskedFrames, change: MuscleChange) -> MuscleVariant:
    """A change as the library asks it."""
    if change.kind == MOVED:
        target = next(one.name for one in readings_of(asked.analysis).muscles if one.sided_title == change.to)
        found = asked.analysis.muscles
        model = transferred_model(
            found.paths, found.model, change.muscles, target, asked.frames, found.options.sharing.curves
        )
        return MuscleVariant(change.title, model=model)
    factor = 0.0 if change.kind == REMOVED else change.factor
    return MuscleVariant(change.title, dict.fromkeys(change.muscles, factor))


def loss(asked: AskedFrames, change: MuscleChange, progress: Progress | None = None) -> LossCurve:
    """From which loss of the changed muscles on the movement can no longer be carried."""
    return loss_curve(asked.question, change.muscles, 6, progress)


@dataclass(frozen=True)
class ComparedLine:
    """A line of a chart: its name, a value for each variant (and before them as recorded, for joints), in words."""

    label: str
    values: tuple[float, ...]
    text: str
    tip: str
    key: str


def compensation(
    readings: MuscleReadings, results: Sequence[VariantResult], own: Sequence[Sequence[str]]
) -> tuple[ComparedLine, ...]:
    """Muscles that work more in any variant, the most first; ``own`` : the changed ones, which are left out there."""
    names = readings.forces.names
    change = np.stack(
        [[dict(zip(one.forces.names, one.change, strict=True)).get(name, 0.0) for name in names] for one in results]
    )
    for k, left_out in enumerate(own):
        change[k, [names.index(name) for name in left_out if name in names]] = 0.0
    highest = change.max(axis=0)
    lines = []
    for m in np.argsort(-highest, kind="stable")[:LISTED]:
        if highest[m] < CHANGED:
            break
        one = readings.muscles[m]
        text = " / ".join(signed(100.0 * value) for value in change[:, m])
        tip = f"{capital(one.sided_title)}: " + "; ".join(
            f"{result.variant.title}: {100.0 * value:+.1f} % of full activation on average"
            for result, value in zip(results, change[:, m], strict=True)
        )
        lines.append(
            ComparedLine(one.sided_title, tuple(float(max(value, 0.0)) for value in change[:, m]), text, tip, one.name)
        )
    return tuple(lines)


def contact_lines(asked: AskedFrames, results: Sequence[VariantResult]) -> tuple[ComparedLine, ...]:
    """Greatest contact forces, as recorded and in every variant, those that change most first."""
    before = {joint: peak for joint, (peak, _) in asked.question.contacts.peaks().items()}
    crossed = {joint for joints in readings_of(asked.analysis).crossed.values() for joint in joints}
    lines = []
    for joint, peak in before.items():
        if joint not in crossed:
            continue
        values = (peak, *(one.joints[joint][1] if joint in one.joints else float("nan") for one in results))
        text = " / ".join(f"{value:.1f}" if np.isfinite(value) else "–" for value in values)
        tip = f"{capital(joint)}: {peak:.2f} body weights as recorded; " + "; ".join(
            f"{result.variant.title}: {value:.2f}" for result, value in zip(results, values[1:], strict=True)
        )
        lines.append(ComparedLine(capital(joint), values, text, tip, joint))
    lines.sort(
        key=lambda line: -max(abs(value - line.values[0]) if np.isfinite(value) else 0.0 for value in line.values)
    )
    return tuple(lines[:LISTED])


def signed(value: float) -> str:
    """A whole number with its sign; 0 without one."""
    return "0" if abs(value) < 0.5 else f"{value:+.0f}".replace("-", "−")


def verdict(asked: AskedFrames, result: VariantResult) -> tuple[str, str]:
    """Sign and sentence about a variant."""
    if result.carried:
        return "✓", "the movement can still be carried."
    before, after = asked.question.forces, result.forces
    grown = {row: _lack(after, row) - _lack(before, row) for row in after.rows if row in before.rows}
    worst = max(grown, key=lambda row: grown[row]) if grown else ""
    if not worst or grown[worst] <= 0.0:
        return "✕", "the movement can no longer be carried."
    wanted = float(np.nanmax(np.abs(after.wanted[:, after.rows.index(worst)])))
    was = _lack(before, worst)
    recorded = f", {was:.0f} as recorded" if was >= 1.0 else ""
    return "✕", (
        f"the movement can no longer be carried: of {worst}, {_lack(after, worst):.0f} of {wanted:.0f} N·m are "
        f"lacking{recorded}."
    )


def lacking_already(asked: AskedFrames) -> str:
    """A sentence about torques that the muscles as recorded lack, against which variants are judged."""
    short = asked.question.forces.shortages
    if not short:
        return ""
    one = short[0]
    more = f", and {len(short) - 1} other torques are lacking too" if len(short) > 1 else ""
    return (
        f"Already as recorded no muscle makes {one.missing_Nm:.0f} of {one.wanted_Nm:.0f} N·m of {one.torque}{more}. "
        "Variants are judged by what they lack beyond that."
    )


def _lack(forces: MuscleForces, row: str) -> float:
    """Greatest torque of a row that no muscle makes [N m]."""
    return float(np.nan_to_num(np.abs(forces.reserve[:, forces.rows.index(row)])).max(initial=0.0))
