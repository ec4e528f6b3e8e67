import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from biomec.signals.stretches import blocks, stretches


def test_runs_at_both_ends_and_of_one_sample():
    assert stretches(np.array([1, 1, 0, 1, 0, 0, 1], dtype=bool)).tolist() == [[0, 2], [3, 4], [6, 7]]
    assert stretches(np.zeros(4, dtype=bool)).shape == (0, 2)
    assert stretches(np.zeros(0, dtype=bool)).shape == (0, 2)


@given(arrays(np.bool_, st.tuples(st.integers(0, 20), st.integers(0, 4))))
def test_blocks_cover_every_sample_once_and_nothing_else(present):
    covered = np.zeros(present.shape, dtype=int)
    for block in blocks(np.where(present, 1.0, np.nan)):
        covered[block.first : block.stop, block.columns] += 1
        for edge in (block.first - 1, block.stop):
            if 0 <= edge < len(present):
                assert not present[edge, block.columns].any()
    assert (covered == present).all()
