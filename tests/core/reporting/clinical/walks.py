"""A virtual person's walks, analysed once: three cycles of each foot, two of them on plates."""

from dataclasses import replace
from functools import cache

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.io.marker_set_file import load_marker_set
from biomec.pipeline.analysis import Analysis, analyze
from biomec.recording import Session, Trial
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


def moved(session: Session, M: FloatArray, exchange: bool = False) -> Session:
    """The same recording with every place multiplied by M (3, 3), a rotation or a reflection.

    exchange : right labels become left ones, and left ones right; then M must be a reflection
    """
    turn = float(np.linalg.det(M))  # moments are pseudovectors
    names = load_marker_set("biomec-full")

    def trial(one: Trial) -> Trial:
        markers = one.markers
        labels = [names.mirrored(name) for name in markers.names] if exchange else list(markers.names)
        places = markers.p_WM @ M.T
        order = [labels.index(name) for name in markers.names]
        plates = tuple(
            replace(
                plate, force=plate.force @ M.T, moment=turn * plate.moment @ M.T, origin=M @ plate.origin,
                corners=None if plate.corners is None else plate.corners @ M.T,
            )
            for plate in one.plates
        )  # fmt: skip
        return replace(one, markers=replace(markers, p_WM=places[:, order]), plates=plates, emg=None)

    static = None if session.static is None else trial(session.static)
    return replace(session, dynamic=trial(session.dynamic), static=static)
