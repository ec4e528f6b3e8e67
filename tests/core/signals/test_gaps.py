"""Gap lengths against a walk from frame to frame."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from biomec.signals.gaps import gap_lengths


def length_by_walking(present, frame):
    if present[frame]:
        return 0
    first = last = frame
    while first >= 0 and not present[first]:
        first -= 1
    while last < len(present) and not present[last]:
        last += 1
    return np.inf if first < 0 or last == len(present) else last - first - 1


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.lists(st.booleans(), min_size=40, max_size=40))
def test_gap_lengths(one, other):
    present = np.array([one, other[: len(one)]]).T
    expected = [[length_by_walking(present[:, k], t) for k in range(2)] for t in range(len(one))]
    assert gap_lengths(present).tolist() == expected


def test_no_frames_and_no_markers():
    assert gap_lengths(np.zeros((0, 3), dtype=bool)).shape == (0, 3)
    assert gap_lengths(np.zeros((3, 0), dtype=bool)).shape == (3, 0)
