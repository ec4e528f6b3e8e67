"""The block elimination against dense algebra, and its cost against the number of bodies."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse

from biomec.engine.elimination import factor, matrix_on_pattern, plan_elimination, solve
from biomec.engine.normal import checked_metric, normal_matrix
from biomec.engine.reference.human import human_system
from biomec.engine.reference.spatial import spatial_pendulum


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), groups=st.integers(1, 8), frames=st.integers(1, 5))
def test_factor_and_solve_equal_dense_algebra(seed, groups, frames):
    """Random coupling graphs, loops included; a different positive definite matrix in every frame."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, size=groups)
    n = int(sizes.sum())
    blocks = np.split(rng.permutation(n), np.cumsum(sizes)[:-1])
    cliques = [rng.choice(n, size=min(n, rng.integers(1, 5)), replace=False) for _ in range(2 * groups)]
    plan = plan_elimination(n, blocks, cliques)
    A = np.tile(np.eye(n), (frames, 1, 1))
    for clique in cliques:
        J = rng.normal(size=(frames, clique.size))
        A[np.ix_(range(frames), clique, clique)] += J[:, :, None] * J[:, None, :]
    X = np.column_stack([matrix_on_pattern(plan, sparse.csr_array(matrix)) for matrix in A])
    rhs = rng.normal(size=(n, frames))
    y, bad = rhs[plan.order].copy(), np.zeros(frames)
    factor(plan, X, bad)
    solve(plan, X, y)
    assert not bad.any()
    expected = np.linalg.solve(A, rhs.T[..., None])[..., 0].T
    assert_allclose(y[plan.place], expected, rtol=1e-9, atol=1e-9)


def test_trials_of_one_model_share_a_plan_and_other_patterns_do_not():
    def pair(*clique):
        return plan_elimination(3, [np.arange(3)], [np.array(clique)])

    assert pair(0, 1) is pair(0, 1)
    assert pair(0, 2).size == 4
    assert plan_elimination(3, [np.arange(3)], [np.array([0]), np.array([1])]).size == 3  # members alike, sizes not


def test_a_matrix_that_is_not_positive_definite_is_marked_frame_by_frame():
    plan = plan_elimination(2, [np.array([0, 1])], [np.array([0, 1])])
    good, wrong = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([[1.0, 2.0], [2.0, 1.0]])
    X = np.column_stack([matrix_on_pattern(plan, sparse.csr_array(matrix)) for matrix in (good, wrong, good)])
    bad = np.zeros(3)
    factor(plan, X, bad)
    assert bad.tolist() == [0.0, 1.0, 0.0]


def _normal(system):
    return normal_matrix(system, checked_metric(None, system.n), 1e7)


def test_cost_grows_linearly_with_a_chain():
    """Multiply-adds a body settle: leaves first leaves no fill behind."""
    operations = {n: _normal(spatial_pendulum(n)).plan.operations for n in (8, 16, 32, 64)}
    per_body = [operations[n] / n for n in operations]
    assert_allclose(per_body, per_body[-1], rtol=0.1)


def test_whole_body_factor_is_sparse():
    """A dense factorisation of 252 coordinates takes 252³/6 = 2.7 million multiply-adds."""
    plan = _normal(human_system()).plan
    assert plan.operations < 252**3 / 6 / 100
    assert plan.size < 252 * 253 / 2 / 5


@pytest.mark.parametrize("with_mass", [False, True])
def test_constant_part_holds_the_metric_and_the_linear_rows(with_mass):
    system = human_system()
    metric = system.mass_matrix if with_mass else None
    normal = normal_matrix(system, checked_metric(metric, system.n), 10.0)
    J = system.jacobian(system.reference)
    linear = np.concatenate([system.row_types[name] for name in ("spherical", "revolute")])
    expected = 10.0 * J[linear].T @ J[linear] + (system.mass_matrix.toarray() if with_mass else np.eye(system.n))
    assert_allclose(normal.constant, matrix_on_pattern(normal.plan, sparse.csr_array(expected)), atol=1e-12)
