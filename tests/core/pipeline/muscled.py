"""A push-up whose leg muscles were found, computed once for all tests that look at it."""

from functools import cache

from biomec.pipeline.analysis import Analysis, analyze
from biomec.pipeline.settings import AnalysisSettings, MuscleSettings, SignalSettings
from biomec.recording import Session
from biomec.virtual import PushUp, RecordOptions, VirtualPerson, record

SETTINGS = AnalysisSettings(
    signals=SignalSettings(marker_filter=None, plate_filter=None), muscles=MuscleSettings(set="legs")
)


@cache
def push_up_session() -> Session:
    """One repetition, a few frames, recorded without noise."""
    one = record(PushUp("closed", cycles=1), VirtualPerson(), RecordOptions(20.0, 20.0))
    return Session(one.dynamic, one.static, subject=one.person.subject)


@cache
def before_muscles() -> Analysis:
    """Analysed as far as joint loads."""
    return analyze(push_up_session(), SETTINGS)


@cache
def with_muscles() -> Analysis:
    """The same with the step that is asked for."""
    return before_muscles().run_until("muscles")
