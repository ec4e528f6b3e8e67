"""How far joint loads can be trusted, in words and numbers for one page. Knows no Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.base.notices import Grade
from biomec.body.loads.contact_verdict import ContactVerdict
from biomec.body.loads.residuals import ResidualThreshold
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.steps.loads import LoadResult
from biomec.reporting.facts import load_facts
from biomec.reporting.tables import NOTHING, number
from biomec.signals.stretches import stretches
from biomec_app.kit.words import FROM_START

PUBLISHED = (1.5, 0.75)  # N and N·m by which both methods differed in [Nunes2017]
SIZES = ("force_rms", "force_peak", "torque_rms", "torque_peak")
COLUMNS = ("", "Force RMS", "Force peak", "Torque RMS", "Torque peak", "")
FEW = 4  # places of a kind that are listed


@dataclass(frozen=True)
class TrustLink:
    """A link: what it is about, its words, and where it leads.

    frame   : to go to, from 0
    segment : to pick, or None
    severe  : loads are not to be used there
    """

    title: str
    words: str
    frame: int | None
    segment: str | None = None
    severe: bool = False


@dataclass(frozen=True)
class Threshold:
    """A row of the table: name, source, its four cells, each with whether it is kept, and the verdict."""

    name: str
    source: str
    cells: tuple[tuple[str, bool | None], ...]
    kept: bool | None


@dataclass(frozen=True)
class StepRow:
    """A contact with a plate: its grade, who stands where, what is wrong, and its joints with their grades.

    sentence : about it, for a tool tip
    frame    : where it begins, from 0
    """

    grade: str
    title: str
    words: str
    sentence: str
    joints: tuple[tuple[str, str], ...]
    frame: int
    segment: str | None


@dataclass(frozen=True, eq=False)
class LoadTrustPage:
    """Everything that the page says.

    level      : "good", "check" or "poor"
    steps      : contacts with plates, one by one
    rows       : the residual here, then both limits, which judge only after residual reduction
    facts      : short sentences: balance, masses, methods, estimated frames
    places     : where to look
    force, torque : (T,) size of the residual [N], [N·m];  counted : (T,) frames that count
    """

    level: str
    verdict: str
    advice: str
    steps: tuple[StepRow, ...]
    rows: tuple[Threshold, ...]
    facts: tuple[str, ...]
    places: tuple[TrustLink, ...]
    force: FloatArray
    torque: FloatArray
    counted: BoolArray
    stale: bool


def trust_page(analysis: Analysis) -> LoadTrustPage:
    """The page of an analysis with loads."""
    found = analysis.loads
    trust, loads, facts = found.trust, found.newton_euler, load_facts(analysis)
    return LoadTrustPage(
        trust.level,
        facts["trust"].text,
        facts["advice"].text,
        tuple(_step(one) for one in trust.steps),
        _rows(found),
        tuple(_facts(analysis)),
        tuple(_places(analysis)),
        np.linalg.norm(loads.residual_force, axis=1),
        np.linalg.norm(loads.residual_torque, axis=1),
        trust.residuals.counted,
        not analysis.is_current("loads"),
    )


def _step(one: ContactVerdict) -> StepRow:
    joints = tuple(
        (f"{joint.joint.rpartition(' ')[2]} {number(joint.error, 2)}", str(joint.grade))
        for joint in one.joints.values()
    )
    force = (
        f"force {100.0 * one.figures.delta:+.0f}\N{NO-BREAK SPACE}%".replace("-", "−")
        if np.isfinite(one.figures.delta)
        else ""
    )
    words = ", ".join(part for part in (one.fault or str(one.grade), force) if part)
    return StepRow(str(one.grade), one.title, words, one.sentence, joints, one.frames[0], one.segment)


def _rows(found: LoadResult) -> tuple[Threshold, ...]:
    size = found.trust.residuals
    here = [float(getattr(size, name)[3]) for name in SIZES]
    whole = f"The modulus, over {int(size.counted.sum())} frames in which plates bear the whole body."
    rows = [Threshold("Here", whole, tuple((number(value, 1), None) for value in here), None)]
    for verdict in size.verdicts:
        limit = verdict.threshold
        kept = None if found.reduced is None else verdict.kept
        rows.append(Threshold(limit.name, limit.source, _cells(limit, here, kept is not None), kept))
    return tuple(rows)


def _cells(limit: ResidualThreshold, here: list[float], judged: bool) -> tuple[tuple[str, bool | None], ...]:
    """Limits, each with whether it is kept; None where it is none, or nothing is judged by them."""
    limits = [getattr(limit, name) for name in SIZES]
    return tuple(
        (NOTHING, None) if most is None else (number(most, 0), value <= most or not judged)
        for most, value in zip(limits, here, strict=True)
    )


def _facts(analysis: Analysis) -> list[str]:
    found = analysis.loads
    balance, sentences, facts = found.trust.balance, [], load_facts(analysis)
    sentences.append(f"{facts['plates'].label}: {facts['plates'].text}.")
    if np.isfinite(balance.force_rms):
        sentences.append(
            f"Balance of the whole body: plates and motion differ by {number(balance.force_rms, 1)} N and "
            f"{number(balance.moment_rms, 1)} N·m RMS."
        )
    if facts["mass"].value is not None:
        sentences.append(facts["mass"].text)
    if found.multibody.contacts:
        sentences.append(
            f"Both methods differ on purpose: {_multibody(found)} keeps all constraints, so that the ribs bear "
            f"the scapulae ({', '.join(found.multibody.contacts)}), and Newton-Euler leaves that to the joints."
        )
        each = [f"{one.joint} {number(one.force, 0)} N instead of {number(one.force_without, 0)} N"
                for one in found.trust.effects]  # fmt: skip
        if each:
            sentences.append(f"Mean force with the ribs bearing the scapulae: {'; '.join(each)}.")
    else:
        sentences.append(
            f"Newton-Euler and {_multibody(found)} differ by {facts['difference'].text} "
            f"(published: {PUBLISHED[0]} N and {PUBLISHED[1]} N·m)."
        )
    if facts["estimated"].value > 0.0:
        sentences.append(f"The ground reaction is estimated, not measured, in {facts['estimated'].text} of the frames.")
    elif facts["external"].value:
        sentences.append(f"The ground reaction is measured; it acts on: {facts['external'].text}.")
    else:
        sentences.append("No ground reaction was used: the residual holds it.")
    sentences.append(f"Tables and report show: {facts['reading'].value} (Settings, Loads as shown).")
    return sentences


def _multibody(found: LoadResult) -> str:
    """The multibody method in words: "multibody (Newton)"."""
    head, _, which = found.multibody.method.partition(", ")
    return f"{head.lower()} ({which})" if which else head.lower()


def _places(analysis: Analysis) -> list[TrustLink]:
    """Contacts that are not good, then where the residual is largest, then frames off the plates or estimated."""
    trust, rate = analysis.loads.trust, analysis.signals.trial.rate_hz
    places = []
    for step in trust.steps:
        if step.grade in (Grade.CHECK, Grade.POOR):
            severe = step.grade is Grade.POOR
            words = f"{step.title}: {step.fault}"
            places.append(TrustLink("Contact", words, step.frames[0], step.segment, severe))
    for one in trust.contacts:
        if one.worst is not None:
            words = f"{one.contact} contact, {_when(one.worst, rate)}, by up to {number(-one.lowest, 0, 'N')}"
            places.append(TrustLink("Ribs would pull", words, one.worst[0]))
    size = trust.residuals
    if size.worst is not None:
        places.append(TrustLink("Largest residual", _when(size.worst, rate), size.worst[0], size.root))
    estimated = [(int(a), int(b) - 1) for a, b in stretches(trust.estimated)]
    for title, spans in (("Off the plates", size.left_out), ("Estimated", estimated)):
        places += [TrustLink(title, _when(span, rate), span[0]) for span in spans[:FEW]]
        if len(spans) > FEW:
            places.append(TrustLink(title, f"and {len(spans) - FEW} more stretches", spans[FEW][0]))
    return places


def _when(span: tuple[int, int], rate: float) -> str:
    return f"{number(span[0] / rate, 2)} to {number(span[1] / rate, 2, 's')} {FROM_START}"
