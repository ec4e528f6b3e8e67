"""A part of a recording, such as a cycle: as a session of its own, or as what a simulation is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np

from biomec._version import __version__
from biomec.base.arrays import BoolArray
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, info
from biomec.engine.forward.reference_motion import DEGREE, longest_stretch
from biomec.pipeline.analysis import Analysis, run_first
from biomec.pipeline.reopen import STEPS_TO_RUN
from biomec.pipeline.settings import AnalysisSettings
from biomec.pipeline.simulation_settings import SimulationSettings
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


# ------------------------------------------------------------------------------------------- stretches for a simulation


FEWEST = DEGREE + 1  # frames that splines of the motion need
NAMED = 3  # gaps that a sentence names


class SimulationStretch(NamedTuple):
    """Frames from first to last, counted from 0, both included."""

    first: int
    last: int
    notices: tuple[Notice, ...] = ()

    @property
    def part(self) -> slice:
        """The same as a slice of arrays over frames."""
        return slice(self.first, self.last + 1)


def simulated_stretch(analysis: Analysis, settings: SimulationSettings) -> SimulationStretch:
    """Frames that the settings ask for, or a sentence that names those whose motion is not known."""
    motion, base = analysis.motion, analysis.signals.trial.first_frame
    known = np.asarray(
        np.isfinite(motion.q).all(axis=1) & np.isfinite(motion.qdot).all(axis=1) & np.isfinite(motion.qddot).all(axis=1)
    )
    if not known.any():
        raise BiomecError("The motion is known in no frame, so that nothing can be simulated. Look at its notices.")
    first, last, notices = _asked(analysis, settings, known, base)
    _refuse_gaps(known, first, last, base)
    if last - first + 1 < FEWEST:
        raise BiomecError(f"A simulation needs {FEWEST} frames of motion at least; the stretch has {last - first + 1}.")
    return SimulationStretch(first, last, notices)


def _asked(
    analysis: Analysis, settings: SimulationSettings, known: BoolArray, base: int
) -> tuple[int, int, tuple[Notice, ...]]:
    frames = len(known)
    if settings.cycle is not None:
        if not analysis.is_current("cycles"):
            raise BiomecError(run_first("cycles"))
        spans = {span.name: span for span in cycle_spans(analysis)}
        if settings.cycle not in spans:
            there = ", ".join(spans) or "none"
            raise BiomecError(f"There is no cycle {settings.cycle} to simulate; there are {there}.")
        return spans[settings.cycle].first, spans[settings.cycle].last, ()
    if settings.frames is not None:
        first, last = settings.frames
        if last >= frames:
            raise BiomecError(
                f"The recording has frames {base} to {base + frames - 1}; frames {base + first} to {base + last} "
                "cannot be simulated."
            )
        return first, last, ()
    seen = np.flatnonzero(known)
    first, last = int(seen[0]), int(seen[-1])
    if (first, last) == (0, frames - 1):
        return first, last, ()
    words = f"Frames {base + first} to {base + last} were simulated: the motion is not known before and after them."
    return first, last, (info("simulated-stretch", words, frames=(first, last)),)


def _refuse_gaps(known: BoolArray, first: int, last: int, base: int) -> None:
    inside = known[first : last + 1]
    if inside.all():
        return
    edges = np.flatnonzero(np.diff(np.concatenate([[True], inside, [True]]).astype(np.int8)))
    gaps = [
        f"{base + first + a} to {base + first + b - 1}" if b - a > 1 else f"{base + first + a}"
        for a, b in zip(edges[::2], edges[1::2], strict=True)
    ]
    named = ", ".join(gaps[:NAMED]) + (f" and {len(gaps) - NAMED} more gaps" if len(gaps) > NAMED else "")
    longest = longest_stretch(known)
    raise BiomecError(
        f"The motion is not known in frames {named} of the stretch {base + first} to {base + last}, and a simulation "
        f"cannot pass them. Choose a stretch without gaps; the longest is frames {base + longest.start} to "
        f"{base + longest.stop - 1}."
    )
