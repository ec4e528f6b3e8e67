"""People made of ten markers, for tests of what data show about a laboratory."""

import numpy as np

from biomec.recording import BIOMEC_AXES, Markers, Source, Trial

# A person of 1.7 m who stands 2 m from the origin, in Biomec's axes: forward, up, right.
STANDING = {
    "LFHD": (0.10, 1.60, -0.08), "RFHD": (0.10, 1.60, 0.08), "C7": (-0.05, 1.45, 0.0),
    "RASI": (0.08, 0.95, 0.12), "LASI": (0.08, 0.95, -0.12), "SACR": (-0.10, 0.97, 0.0),
    "RHEE": (-0.08, 0.05, 0.12), "LHEE": (-0.08, 0.05, -0.12), "RTOE": (0.14, 0.06, 0.14), "LTOE": (0.14, 0.06, -0.14),
}  # fmt: skip
# The same in a push-up along +x: face down, hands on the floor, toes on the floor.
PUSH_UP = {
    "LFHD": (2.7, 0.45, -0.08), "RFHD": (2.7, 0.45, 0.08), "C7": (2.45, 0.55, 0.0),
    "RASI": (1.95, 0.35, 0.12), "LASI": (1.95, 0.35, -0.12), "SACR": (1.93, 0.55, 0.0),
    "RHEE": (1.05, 0.22, 0.12), "LHEE": (1.05, 0.22, -0.12), "RTOE": (1.1, 0.04, 0.14), "LTOE": (1.1, 0.04, -0.14),
}  # fmt: skip


def person(points: dict, *, walks_m: float = 0.0, place=(2.0, 0.0, 0.7), names=None, frames: int = 50) -> Trial:
    way = np.linspace(0.0, walks_m, frames)[:, None, None] * np.array([1.0, 0.0, 0.0])
    p = np.array(list(points.values()))[None] + np.array(place) + way
    return Trial(Source("a.trc", "TRC", "", 0), Markers(tuple(names or points), p, 100.0), BIOMEC_AXES)
