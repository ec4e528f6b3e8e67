"""Peaks against their definition, found by looking."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from biomec.signals.peaks import prominent_peaks


def test_a_peak_counts_by_its_height_above_the_higher_valley() -> None:
    x = np.array(
        [0.0, 3.0, 2.0, 4.0, 4.0, 4.0, 1.0, 1.5, 0.0]
    )  # 3 stands 1 above its valley, 4 stands 4, 1.5 stands 0.5
    assert prominent_peaks(x, 0.4).tolist() == [1, 4, 7]
    assert prominent_peaks(x, 0.9).tolist() == [1, 4]
    assert prominent_peaks(x, 1.1).tolist() == [4]


def test_ends_are_no_peaks() -> None:
    assert prominent_peaks(np.array([5.0, 1.0, 0.0, 2.0]), 0.1).size == 0


@given(st.lists(st.integers(-20, 20), min_size=3, max_size=40, unique=True), st.integers(1, 15))
def test_every_peak_is_found_by_walking_down_from_it(values: list[int], prominence: int) -> None:
    x = np.array(values, dtype=np.float64)
    expected = []
    for k in range(1, len(x) - 1):
        if x[k] > x[k - 1] and x[k] > x[k + 1]:
            left, right = x[:k][::-1], x[k + 1 :]
            valleys = [side[: int(np.argmax(side > x[k])) or len(side)].min() for side in (left, right)]
            if x[k] - max(valleys) >= prominence:
                expected.append(k)
    assert prominent_peaks(x, float(prominence)).tolist() == expected
