"""A push-up of known truth, recorded exactly and analysed up to its loads: what simulations begin with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from biomec.base.arrays import read_only
from biomec.body.kinematics.consistent_motion import ConsistentMotion
from biomec.pipeline.analysis import Analysis, Done, step_named
from biomec.pipeline.settings import AnalysisSettings, SignalSettings
from biomec.recording import Session
from biomec.virtual import PushUp, RecordOptions, VirtualAcquisition, VirtualPerson, record

UNFILTERED = AnalysisSettings(signals=SignalSettings(marker_filter=None, plate_filter=None))


@dataclass(frozen=True)
class Pushed:
    """What was recorded, and its analysis."""

    acquisition: VirtualAcquisition
    analysis: Analysis


@cache
def pushed() -> Pushed:
    """One cycle at 100 frames a second, without noise."""
    one = record(PushUp("closed", cycles=1), VirtualPerson(), RecordOptions(100.0, 500.0))
    session = Session(one.dynamic, one.static, subject=one.person.subject)
    return Pushed(one, Analysis(session, UNFILTERED).run_until("loads"))


def with_gap(analysis: Analysis, first: int, last: int) -> Analysis:
    """The same with the motion not known in some frames."""
    motion = analysis.motion
    levels = {}
    for name in ("q", "qdot", "qddot"):
        level = getattr(motion, name).copy()
        level[first : last + 1] = float("nan")
        levels[name] = read_only(level)
    return with_motion(analysis, replace(motion, **levels))


def with_motion(analysis: Analysis, motion: ConsistentMotion) -> Analysis:
    """The same with another motion, and the segments that move by it; all that comes later is as it was."""
    moved = replace(analysis, done={**analysis.done, "motion": Done(motion, analysis.done["motion"].fingerprint)})
    return computed_again(moved, "segments")


def computed_again(analysis: Analysis, name: str) -> Analysis:
    """The same with the result of one step computed from those that are there."""
    done = Done(step_named(name).run(analysis, None), analysis.done[name].fingerprint)
    return replace(analysis, done={**analysis.done, name: done})
