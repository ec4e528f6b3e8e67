"""What an old Jacobian costs: the position problem with Φq renewed always, every ten iterations, or never.

All three run the same dense iteration. A Jacobian that is kept saves its evaluation, the product ΦqᵀΦq and the
factorisation; what it costs are iterations. *Never* means that of the first frame serves the whole trial.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from benchmarks.problem import Trial
from biomec.engine.dense import ONCE, solve_with_kept_jacobian
from biomec.engine.position import PositionOptions

FRAMES = 24  # spread over the trial
MAX_ITERATIONS = 200
OPTIONS = PositionOptions(max_iterations=MAX_ITERATIONS)
PASSES = 3
EVERY_ITERATION, EVERY_TENTH, NEVER = "every iteration", "every 10 iterations", "first frame only"
POLICIES = {EVERY_ITERATION: 1, EVERY_TENTH: 10, NEVER: ONCE}  # iterations between two Jacobians; 0: one for the trial


@dataclass
class Policy:
    """How the frames of a trial fared with one way of renewing the Jacobian."""

    name: str
    iterations: list[int] = field(default_factory=list)  # of the frames that converged
    frames: int = 0
    seconds: float = np.inf  # a frame, best pass

    @property
    def converged(self) -> float:
        """Fraction of the frames that satisfied their constraints."""
        return len(self.iterations) / self.frames


def with_kept_jacobians(trial: Trial) -> list[Policy]:
    """Solve some frames with every policy, in turns, several times."""
    measured = trial.measured[:: len(trial.measured) // FRAMES][:FRAMES]
    policies = {name: Policy(name) for name in POLICIES}
    for turn in range(PASSES):
        for name, every in POLICIES.items():
            solved = solve_with_kept_jacobian(trial.system, measured, every, options=OPTIONS)
            policy = policies[name]
            policy.seconds = min(policy.seconds, float(np.mean(solved.seconds)))
            if turn == 0:
                policy.frames, policy.iterations = len(measured), solved.iterations[solved.converged].tolist()
    return list(policies.values())


def print_kept_jacobians(trial: Trial) -> None:
    """Iterations, frames that converged, and time, by how often the Jacobian is renewed."""
    print(f"\nJacobian kept, dense algebra, {FRAMES} frames, {MAX_ITERATIONS} iterations at most:")
    for policy in with_kept_jacobians(trial):
        mean = f"{np.mean(policy.iterations):.1f}" if policy.iterations else "none"
        print(
            f"  renewed {policy.name:20}{100 * policy.converged:5.0f} % converged, iterations {mean:>5}, "
            f"{1e3 * policy.seconds:7.1f} ms a frame"
        )
