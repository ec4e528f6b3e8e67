"""Violation by type: means over valid frames only."""

import numpy as np

from biomec.reporting.statistics.constraint_violation import violations


def test_the_mean_is_over_valid_frames_and_leaves_out_what_is_not_a_number():
    valid = np.array([True, True, False, True])
    before = {"spherical": np.array([1.0, 3.0, 1000.0, np.nan]), "rigid": np.array([np.nan, np.nan, 1.0, np.nan])}
    after = {"spherical": np.array([0.1, 0.3, 1000.0, 0.5]), "rigid": np.zeros(4)}
    spherical, rigid = violations(before, after, valid)
    assert (spherical.kind, spherical.before) == ("spherical", 2.0)
    np.testing.assert_allclose(spherical.after, 0.3)
    assert np.isnan(rigid.before)
    assert rigid.after == 0.0
