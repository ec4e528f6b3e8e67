"""What tests of joint loads in the window share."""

import pytest

from biomec.io.session_import import import_session
from biomec.pipeline.analysis import Analysis, analyze
from biomec.virtual import PushUp, RecordOptions, VirtualPerson, record, write_acquisition

QUICK = RecordOptions(rate_hz=50.0, noise_mm=0.3, seed=3)


def grip(kind: str, folder) -> Analysis:
    """A few push-ups with a grip, from the files of a laboratory."""
    files = write_acquisition(record(PushUp(kind, cycles=4), VirtualPerson(), QUICK), folder)
    return analyze(import_session(files["emt"], subject=VirtualPerson().subject))


@pytest.fixture(scope="session")
def grips(tmp_path_factory) -> dict[str, Analysis]:
    """Closed and open grip of the same person."""
    return {kind: grip(kind, tmp_path_factory.mktemp(kind)) for kind in ("closed", "open")}
