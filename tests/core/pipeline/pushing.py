"""A push-up of known truth, recorded exactly and analysed up to its loads: what simulations begin with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from biomec.base.arrays import read_only
from biomec.pipeline.analysis import Analysis, Done
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
    done = Done(replace(motion, **levels), analysis.done["motion"].fingerprint)
    return replace(analysis, done={**analysis.done, "motion": done})
