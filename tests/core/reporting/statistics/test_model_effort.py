"""Iterations and shift of the jugular notch by two models, against closed forms."""

import numpy as np
import pytest
from scipy import stats

from biomec.reporting.statistics.model_effort import ModelEffort, effort_table, shift_test

M21 = ModelEffort("m21", np.array([16.0, 17.0, 15.0]), np.array([3e-6, 4e-6, 5e-6]), np.array([0.040, 0.043, 0.046]))
M17 = ModelEffort("m17", np.array([11.0, 12.0, 10.0]), np.array([2e-6, 3e-6, 4e-6]), np.array([0.034, 0.036, 0.035]))


def test_the_test_is_students_for_independent_samples():
    """t = (m2 − m1) / (s_p √(2/n)) with the pooled deviation, and p of its distribution with 2n − 2 freedoms."""
    t, p = shift_test(M21, M17)
    pooled = np.sqrt(0.5 * (M21.shift.var(ddof=1) + M17.shift.var(ddof=1)))
    expected = (M17.shift.mean() - M21.shift.mean()) / (pooled * np.sqrt(2.0 / 3.0))
    assert t == pytest.approx(expected)
    assert p == pytest.approx(2.0 * stats.t.sf(abs(expected), 4))


def test_the_table_has_the_published_columns():
    """Published: 16.5 ± 1.6 and 11.5 ± 1.9 iterations, 30.3 % fewer; here 16 and 11, 31.2 % fewer."""
    table = effort_table(M21, M17)
    assert table.rows == (
        ("m21", "16.0 ± 1.0", "4.0 ± 1.0", "4.30 ± 0.30"), ("m17", "11.0 ± 1.0", "3.0 ± 1.0", "3.50 ± 0.10"),
    )  # fmt: skip
    assert "m17 needs 31.2 % fewer iterations." in table.note
    assert "t = −4.4, p = 0.012 by Student's test" in table.note


def test_a_recording_without_the_notch_has_no_test():
    bare = ModelEffort("legs", np.array([5.0, 5.0]), np.array([1e-9, 1e-9]), np.zeros(0))
    assert bare.spread is None
    table = effort_table(bare, bare)
    assert table.rows[0] == ("legs", "5.0 ± 0.0", "0.001 ± 0.000", "–")
    assert "as many iterations" in table.note
    assert "Shift" not in table.note


def test_the_box_has_the_percentiles_of_the_shift():
    assert M21.spread.median == pytest.approx(0.043)
    assert M21.spread.largest == pytest.approx(0.046)
