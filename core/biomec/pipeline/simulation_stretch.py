"""The stretch of a recorded motion that a simulation is asked for, and whether all of it is known."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biomec.base.arrays import BoolArray
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, info
from biomec.body.tracking.reference_motion import DEGREE, longest_stretch
from biomec.pipeline.analysis import Analysis, run_first
from biomec.pipeline.simulation_settings import SimulationSettings
from biomec.pipeline.stretch import cycle_spans

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
    told = ", ".join(gaps[:NAMED]) + (f" and {len(gaps) - NAMED} more gaps" if len(gaps) > NAMED else "")
    longest = longest_stretch(known)
    raise BiomecError(
        f"The motion is not known in frames {told} of the stretch {base + first} to {base + last}, and a simulation "
        f"cannot pass them. Choose a stretch without gaps; the longest is frames {base + longest.start} to "
        f"{base + longest.stop - 1}."
    )
