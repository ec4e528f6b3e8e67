"""A Jacobian that is kept: the same configurations as the exact one, after more iterations."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError
from biomec.engine.dense import ONCE, solve_positions_dense, solve_with_kept_jacobian
from biomec.engine.position import PositionOptions
from biomec.engine.reference.planar import four_bar


@pytest.fixture(scope="module")
def problem():
    system = four_bar()
    rng = np.random.default_rng(3)
    return system, system.reference + rng.normal(0.0, 0.01, (6, system.n))


def test_renewed_always_it_is_the_dense_iteration(problem):
    system, measured = problem
    found = solve_with_kept_jacobian(system, measured, 1)
    q, _, counts = solve_positions_dense(system, measured)
    assert found.converged.all()
    assert_allclose(found.q, q, atol=1e-9)  # both end below a violation of 1e-10
    assert found.iterations.tolist() == counts


def test_kept_for_ever_it_finds_the_same_after_more_iterations(problem):
    system, measured = problem
    exact = solve_with_kept_jacobian(system, measured, 1)
    frozen = solve_with_kept_jacobian(system, measured, ONCE, options=PositionOptions(max_iterations=300))
    assert frozen.converged.all()
    assert frozen.iterations.sum() > exact.iterations.sum()
    assert np.abs(system.residual(frozen.q)).max() < 1e-10
    assert_allclose(frozen.q, exact.q, atol=2e-3)  # a fifth of the noise: an old Jacobian misses the nearest point


def test_frames_with_gaps_do_not_converge_and_nonsense_is_refused(problem):
    system, measured = problem
    gap = measured.copy()
    gap[2, 0] = np.nan
    assert solve_with_kept_jacobian(system, gap, 1).converged.tolist() == [True, True, False, True, True, True]
    with pytest.raises(BiomecError, match="renewed every"):
        solve_with_kept_jacobian(system, measured, -1)
