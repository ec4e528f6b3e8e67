"""Agreement of rebuilt with measured markers: known noise comes back as bias and spread."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError
from biomec.recording import Markers
from biomec.reporting.statistics.rebuilding_agreement import checkable, rebuilding_agreement


def pair(frames=20_000, seed=4):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(frames, 2, 3))
    noise = rng.normal(size=truth.shape) * [0.001, 0.002, 0.003] + [0.0005, 0.0, -0.001]
    names = ("A", "B")
    return Markers(names, truth, 100.0), Markers(names, truth + noise, 100.0)


def test_bias_and_spread_of_known_noise_come_back_in_millimetres():
    measured, rebuilt = pair()
    found = rebuilding_agreement(measured, rebuilt, ("A", "B")).axes
    # standard errors at 40 000 pairs: bias σ/200 ≤ 0.015 mm, spread σ/283; five of them
    assert_allclose(found.bias, [0.5, 0.0, -1.0], atol=0.08)
    assert_allclose(found.sd, [1.0, 2.0, 3.0], rtol=0.02)
    assert len(found.difference) == 40_000


def test_the_chi2_ellipsoid_holds_what_it_promises():
    one = rebuilding_agreement(*pair(), ("A",)).ellipsoid
    assert one.expected == pytest.approx(0.9)
    assert one.inside == pytest.approx(0.9, abs=0.011)  # five binomial standard errors at 20 000 pairs


def test_only_markers_that_are_seen_and_rebuilt_at_once_can_be_checked():
    measured, rebuilt = pair(10)
    p = rebuilt.p_WM.copy()
    p[2:, 1] = np.nan
    assert checkable(measured, Markers(rebuilt.names, p, 100.0)) == ("A",)
    assert checkable(measured, Markers(("C",), p[:, :1], 100.0)) == ()
    with pytest.raises(BiomecError, match="nothing to compare"):
        rebuilding_agreement(measured, rebuilt, ())
