"""Second derivatives of the constraints, against differences of the Jacobian."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.engine.curvature import add_curvature, curvature_tables
from biomec.engine.normal import checked_metric, normal_matrix
from biomec.engine.reference.human import human_system
from tests.core.engine.examples import CONSTRAINT_EXAMPLES

# rows of angles are left out of the curvature on purpose
EXAMPLES = {name: build for name, build in CONSTRAINT_EXAMPLES.items() if "angle" not in name}
EXAMPLES["human-like tree"] = human_system


@pytest.mark.parametrize("build", EXAMPLES.values(), ids=EXAMPLES)
def test_curvature_is_the_derivative_of_the_jacobian(build, rng):
    """Σ λ ∂²φ/∂q² = ∂(Φqᵀλ)/∂q, column by column."""
    system = build()
    n, frames = system.n, 3
    q = system.reference + 0.1 * rng.normal(size=(frames, n))
    lam = rng.normal(size=(frames, system.m))
    plan = normal_matrix(system, checked_metric(None, n), 1.0).plan
    X = np.zeros((plan.size, frames))
    add_curvature(system.tables, curvature_tables(system.tables, plan), q.T.copy(), np.ascontiguousarray(lam.T), X)
    column = np.repeat(np.arange(n), np.diff(plan.pointer))
    drive = system.drive(dict.fromkeys(system.drivers, 0.3)) if system.drivers else None
    h = 1e-5
    for f in range(frames):
        dense = np.zeros((n, n))
        dense[plan.order[plan.rows], plan.order[column]] = X[:, f]
        dense[plan.order[column], plan.order[plan.rows]] = X[:, f]
        steps = h * np.eye(n)
        difference = (system.jacobian(q[f] + steps, drive) - system.jacobian(q[f] - steps, drive)) / (2.0 * h)
        numeric = np.einsum("cmn,m->nc", difference, lam[f])
        # central differences are exact for quadratic rows but for eps/h ~ 1e-11; ellipsoids have third derivatives,
        # and entries of their H of 1/0.09² m⁻² ~ 1e2
        assert_allclose(dense, numeric, rtol=0, atol=1e-8 * max(1.0, np.abs(numeric).max()))
