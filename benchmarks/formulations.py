"""One evaluation of the accelerations of the whole body by every formulation, beside Pinocchio's recursive algorithm.

``python -m benchmarks.formulations``. Model M21 of the virtual person: 21 bodies, 252 coordinates, 44 degrees of
freedom, one state after the other from Python. Pinocchio has the same bodies with spherical joints and a free root (66
degrees of freedom, no loops): its articulated-body algorithm finds accelerations of joint coordinates. It is given
coordinates that it needs not compute, which ours find from 252 natural ones.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.timing import Task, interleaved
from biomec.engine.forward.formulation import Formulation
from biomec.engine.forward.independent import IndependentCoordinates
from biomec.engine.forward.lagrangian import AugmentedLagrangian, ClassicLagrange, Penalty, StabilisedLagrange
from biomec.engine.forward.semi_recursive import SemiRecursive
from tests.core.body.loads.people import person, pinocchio
from tests.core.engine.forward.mechanisms import dense_accelerations, random_state
from tests.oracles.pinocchio_tree import pin

PASSES, CALLS = 25, 40
ABA, DENSE = "Pinocchio aba, 66 velocities", "dense classic Lagrange (numpy)"


def print_formulations() -> None:
    """Print microseconds an evaluation and how far accelerations are from dense algebra."""
    model = person("m21")
    system, roots = model.system, model.model.roots
    q, qdot = random_state(system, np.random.default_rng(1))
    Q = np.array(system.gravity_force)
    semi, independent = SemiRecursive(system, roots=roots), IndependentCoordinates(system)
    formulations: list[Formulation] = [
        semi, independent, ClassicLagrange(system), StabilisedLagrange(system), Penalty(system),
        AugmentedLagrangian(system),
    ]  # fmt: skip
    stabilised = SemiRecursive(system, roots=roots, stabilised=True)
    theirs = pinocchio("m21")
    at, v, _ = theirs.random_state(np.random.default_rng(2))
    none = np.zeros(theirs.model.nv)

    def repeated(call: Callable[..., object], *arguments: object) -> Callable[[], None]:
        def run() -> None:
            for _ in range(CALLS):
                call(*arguments)

        return run

    calls = {one.title: repeated(one.accelerations, q, qdot, Q) for one in formulations}
    calls |= {
        "semi-recursive, stabilised": repeated(stabilised.accelerations, q, qdot, Q),
        "semi-recursive, its terms": repeated(semi.terms, q, qdot, Q),
        "independent coordinates, its terms": repeated(independent.terms, q, qdot, Q),
        ABA: repeated(pin.aba, theirs.model, theirs.data, at, v, none),
    }
    tasks = [Task(name, call, CALLS) for name, call in calls.items()]
    tasks.append(Task(DENSE, lambda: dense_accelerations(system, q, qdot, Q), 1))
    timings = interleaved(tasks, PASSES)
    exact = dense_accelerations(system, q, qdot, Q)
    away = {one.title: np.abs(one.accelerations(q, qdot, Q).qddot - exact).max() for one in formulations}
    print(f"\naccelerations reach {np.abs(exact).max():.0f} m/s²")
    print(f"{'one evaluation, M21':36s} {'best µs':>9s} {'median µs':>10s} {'off by':>9s}")
    for name, timing in timings.items():
        distance = f"{away[name]:9.0e}" if name in away else ""
        print(f"{name:36s} {1e6 * timing.best:9.1f} {1e6 * timing.median:10.1f} {distance}")


if __name__ == "__main__":
    print_formulations()
