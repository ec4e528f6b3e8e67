"""What tests of muscles in the window share: one short push-up, with the muscles of the legs."""

from dataclasses import replace

import pytest

from biomec.pipeline.analysis import Analysis
from biomec.pipeline.settings import AnalysisSettings
from biomec.recording import Session
from biomec.virtual import PushUp, RecordOptions, VirtualPerson, record


@pytest.fixture(scope="session")
def muscle_analysis() -> Analysis:
    """A push-up at 20 Hz, as far as its muscle forces."""
    one = record(PushUp("closed", cycles=1), VirtualPerson(), RecordOptions(20.0, 20.0))
    usual = AnalysisSettings()
    signals = replace(usual.signals, marker_filter=None, plate_filter=None)
    settings = replace(usual, signals=signals, muscles=replace(usual.muscles, set="legs"))
    return Analysis(Session(one.dynamic, one.static, subject=one.person.subject), settings).run_until("muscles")
