"""A virtual person's walks, analysed once: three cycles of each foot, two of them on plates."""

from functools import cache

from biomec.pipeline.analysis import Analysis, analyze
from biomec.recording import Session
from biomec.virtual import RecordOptions, VirtualAcquisition, VirtualPerson, record
from biomec.virtual.walking import Walk

PERSON = VirtualPerson(81.6, 1.79, "male")


@cache
def acquisition() -> VirtualAcquisition:
    """What the laboratory recorded of the walk."""
    return record(Walk(), PERSON, RecordOptions(rate_hz=50.0, plate_rate_hz=250.0))


@cache
def walk() -> Analysis:
    """The walk, analysed with loads."""
    found = acquisition()
    return analyze(Session(found.dynamic, found.static, subject=found.person.subject))
