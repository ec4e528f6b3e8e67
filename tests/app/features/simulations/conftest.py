"""What tests of simulations in the window share: a short push-up whose loads are known."""

import pytest

from biomec.io.session_import import import_session
from biomec.pipeline.analysis import Analysis
from biomec.virtual import PushUp, RecordOptions, VirtualPerson, record, write_acquisition

OPTIONS = RecordOptions(50.0, 250.0, seed=3)


@pytest.fixture(scope="session")
def push_up(tmp_path_factory) -> Analysis:
    """One push-up from the files of a laboratory, analysed up to its loads."""
    person = VirtualPerson()
    files = write_acquisition(record(PushUp("closed", cycles=1), person, OPTIONS), tmp_path_factory.mktemp("push-up"))
    return Analysis(import_session(files["emt"], subject=person.subject)).run_until("loads")


@pytest.fixture
def document(context, push_up):
    """The document of `context` with the push-up open."""
    context.document.open(push_up)
    return context.document
