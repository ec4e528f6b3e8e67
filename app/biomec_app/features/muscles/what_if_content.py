"""Answers to what would happen if muscles were different, in bars and words. Knows no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.progress import Progress
from biomec.body.muscles.lacking import joints_at_least, lower_bounds
from biomec.body.muscles.muscle_forces import MuscleForces
from biomec.body.muscles.muscle_transfer import transferred, transferred_model
from biomec.body.muscles.sharing_model import SharingModel
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
from biomec_app.curves.curve import capital
from biomec_app.features.muscles.readings import MuscleReadings, readings_of
from biomec_app.features.muscles.what_if_variants import MOVED, REMOVED, Variant

CHANGED = 0.005  # mean activation by which a muscle must change to be shown
LISTED = 14  # muscles and joints that are shown
FEW = 4  # joints that a sentence names


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


def answer(asked: AskedFrames, variant: Variant, progress: Progress | None = None) -> VariantResult:
    """Answer a variant."""
    (found,) = compare_variants(asked.question, [library_variant(asked, variant)], progress)
    return found


def library_variant(asked: AskedFrames, variant: Variant) -> MuscleVariant:
    """A variant as the library asks it."""
    strength: dict[str, float] = {}
    for one in variant.changes:
        if one.kind != MOVED:
            factor = 0.0 if one.kind == REMOVED else one.factor
            strength |= dict.fromkeys(one.muscles, factor)
    return MuscleVariant(variant.title, strength, _moved_model(asked, variant))


def _moved_model(asked: AskedFrames, variant: Variant) -> SharingModel | None:
    """The same motion with muscles at other ends, one move after the other; None where none is moved."""
    found = asked.analysis.muscles
    names = {one.sided_title: one.name for one in readings_of(asked.analysis).muscles}
    moves = [(one.muscles, names[one.to]) for one in variant.changes if one.kind == MOVED]
    if not moves:
        return None
    paths = found.paths
    for muscles, target in moves[:-1]:
        paths = replace(paths, fitted=transferred(paths.fitted, muscles, target))
    muscles, target = moves[-1]
    return transferred_model(paths, found.model, muscles, target, asked.frames, found.options.sharing.curves)


def loss(asked: AskedFrames, variant: Variant, progress: Progress | None = None) -> LossCurve:
    """From which loss of the changed muscles on the movement can no longer be carried."""
    return loss_curve(asked.question, variant.muscles, 6, progress)


@dataclass(frozen=True)
class ComparedLine:
    """A line of a chart: its name, a value for each variant (and before them as recorded, for joints), in words.

    pale : values that are only a lower bound, and not to be compared
    """

    label: str
    values: tuple[float, ...]
    text: str
    tip: str
    key: str
    pale: tuple[bool, ...] = ()


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
    """Greatest contact forces, as recorded and in every variant, those that change most first.

    Where torque is lacking, what is lacking presses on nothing: such a joint bears at least what is shown, and the
    value does not count as a change.
    """
    question = asked.question
    before = {joint: peak for joint, (peak, _) in question.contacts.peaks().items()}
    bounds = (recorded_bounds(asked), *(one.at_least for one in results))
    crossed = {joint for joints in readings_of(asked.analysis).crossed.values() for joint in joints}
    lines: list[ComparedLine] = []
    changes: dict[str, tuple[float, float]] = {}
    for joint, peak in before.items():
        if joint not in crossed:
            continue
        values = (peak, *(one.joints[joint][1] if joint in one.joints else float("nan") for one in results))
        pale = tuple(joint in one for one in bounds)
        text = " / ".join(_bounded(value, least, 1) for value, least in zip(values, pale, strict=True))
        tip = f"{capital(joint)}: {_bounded(peak, pale[0], 2)} body weights as recorded; " + "; ".join(
            f"{result.variant.title}: {_bounded(value, least, 2)}"
            for result, value, least in zip(results, values[1:], pale[1:], strict=True)
        )
        if any(pale):
            tip += ". ≥: torque is lacking there, and what no muscle makes presses on nothing; do not compare."
        lines.append(ComparedLine(capital(joint), values, text, tip, joint, pale))
        known = [(abs(value - peak), least or pale[0]) for value, least in zip(values[1:], pale[1:], strict=True)
                 if np.isfinite(value)]  # fmt: skip
        sure, bound = (max((change for change, least in known if least is wanted), default=0.0)
                       for wanted in (False, True))  # fmt: skip
        changes[joint] = (round(sure, 1), bound)
    lines.sort(key=lambda line: changes[line.key], reverse=True)
    return tuple(lines[:LISTED])


def _bounded(value: float, least: bool, digits: int) -> str:
    if not np.isfinite(value):
        return "–"
    return f"{'≥' if least else ''}{value:.{digits}f}"


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
    k = after.rows.index(worst)
    reserve = np.nan_to_num(after.reserve[:, k])
    sense = -1.0 if reserve[np.abs(reserve).argmax()] < 0.0 else 1.0
    wanted, was = float(np.nanmax(sense * after.wanted[:, k])), _lack(before, worst)
    recorded = f", {was:.0f} as recorded" if was >= 1.0 else ""
    model = result.variant.model or asked.question.model
    title = worst if sense > 0.0 else model.rows.opposite[k]
    return "✕", (
        f"the movement can no longer be carried: of {title}, {_lack(after, worst):.0f} of {wanted:.0f} N·m are "
        f"lacking{recorded}. {bounds_words(asked, result)}"
    )


def bounds_words(asked: AskedFrames, result: VariantResult) -> str:
    """Joints whose contact cannot be compared, beyond those of the recorded body, in words; empty without any."""
    joints = [joint for joint in result.contacts.joints if joint in result.at_least - recorded_bounds(asked)]
    if not joints:
        return ""
    return f"What is lacking presses on nothing: contact of {_listed(joints)} is at least what is shown (≥)."


def recorded_bounds(asked: AskedFrames) -> frozenset[str]:
    """Joints whose contact is a lower bound as recorded."""
    question = asked.question
    return joints_at_least(question.contacts, lower_bounds(question.model, question.forces))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:FEW]) + (f" and {len(names) - FEW} more" if len(names) > FEW else "")


def lacking_already(asked: AskedFrames) -> str:
    """A sentence about torques that the muscles as recorded lack, against which variants are judged."""
    short = asked.question.forces.shortages
    if not short:
        return ""
    one = short[0]
    more = f", and {len(short) - 1} other torques are lacking too" if len(short) > 1 else ""
    return (
        f"Already as recorded no muscle makes {one.missing_Nm:.0f} of {one.wanted_Nm:.0f} N·m of {one.torque}{more}. "
        "Variants are judged by what they lack beyond that. What is lacking presses on nothing: contact of "
        f"{_listed(sorted(recorded_bounds(asked)))} is at least what is shown (≥)."
    )


def _lack(forces: MuscleForces, row: str) -> float:
    """Greatest torque of a row that no muscle makes [N m]."""
    return float(np.nan_to_num(np.abs(forces.reserve[:, forces.rows.index(row)])).max(initial=0.0))
