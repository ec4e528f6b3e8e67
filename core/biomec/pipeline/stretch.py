"""A part of a recording as a session of its own: one good cycle, a stretch of frames, what is visible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from biomec._version import __version__
from biomec.base.errors import BiomecError
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.reopen import STEPS_TO_RUN
from biomec.pipeline.settings import AnalysisSettings
from biomec.recording import Record, Session
from biomec.recording.step import plain_data


@dataclass(frozen=True)
class CycleSpan:
    """One cycle of a movement.

    name        : what it is called, such as ``3`` or ``Right 2``
    first, last : its frames, counted from 0, both included
    valid       : all its frames obey the model
    """

    name: str
    first: int
    last: int
    valid: bool


def cycle_spans(analysis: Analysis) -> tuple[CycleSpan, ...]:
    """Return the cycles of an analysis; none where they have not been sought or found."""
    if "cycles" not in analysis.done:
        return ()
    groups = analysis.cycles.groups
    spans = []
    for group, cycles in groups.items():
        named = f"{group} " if len(groups) > 1 else ""
        for k, ((first, last), valid) in enumerate(zip(cycles.spans, cycles.valid, strict=True), start=1):
            spans.append(CycleSpan(f"{named}{k}", int(first), int(last), bool(valid)))
    return tuple(spans)


def covering(spans: Sequence[CycleSpan]) -> tuple[int, int]:
    """First and last frame of several cycles together."""
    if not spans:
        raise BiomecError("Choose at least one cycle.")
    return min(span.first for span in spans), max(span.last for span in spans)


def stretch_session(analysis: Analysis, first: int, last: int) -> Session:
    """Return frames ``first`` to ``last`` (from 0, inclusive) with the settings of the analysis, to be stored.

    The recording is cut as measured; the steps that the analysis has run are run anew when it is opened, for filters
    at the ends of the stretch see what it holds and nothing else. Times in the settings count from its start.
    """
    session = analysis.session
    dynamic = session.dynamic.stretch(first, last)
    begins = first / session.dynamic.rate_hz
    lasts = dynamic.duration_s
    chosen = tuple(
        replace(choice, at_s=choice.at_s - begins)
        for choice in analysis.settings.signals.by_hand
        if 0.0 <= choice.at_s - begins <= lasts
    )
    settings: AnalysisSettings = replace(analysis.settings, signals=replace(analysis.settings.signals, by_hand=chosen))
    when = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    record = Record("stretch", when, __version__, {"first": first, "last": last})
    return replace(
        session,
        dynamic=dynamic,
        settings={**session.settings, "analysis": plain_data(settings), STEPS_TO_RUN: tuple(analysis.done)},
        results={},
        provenance=(*session.provenance, record),
        originals=(),
        emg_alignment=None,
    )
