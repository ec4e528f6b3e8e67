"""What an old Jacobian costs: the position problem with Φq renewed always, every ten iterations, or never.

All three run the same dense iteration. A Jacobian that is kept saves its evaluation, the product ΦqᵀΦq and the
factorisation; what it costs are iterations. *Never* means that of the first frame serves the whole trial.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
from scipy import linalg

from benchmarks.problem import Trial
from biomec.arrays import FloatArray
from biomec.multibody.position import PositionOptions
from biomec.multibody.system import System

FRAMES = 24  # spread over the trial
MAX_ITERATIONS = 200
PASSES = 3
EVERY_ITERATION, EVERY_TENTH, NEVER = "every iteration", "every 10 iterations", "first frame only"
POLICIES = {EVERY_ITERATION: 1, EVERY_TENTH: 10, NEVER: 0}  # iterations between two Jacobians; 0: one for the trial


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


class KeptJacobian:
    """The iteration of `biomec.multibody.dense` with identity weights, and a Jacobian that may be old."""

    def __init__(self, system: System, every: int) -> None:
        self.system, self.every = system, every
        self.options = PositionOptions(max_iterations=MAX_ITERATIONS)
        self.renewed = False

    def renew(self, q: FloatArray) -> None:
        """Evaluate Φq at q and factor I + α ΦqᵀΦq."""
        self.Phi_q = self.system.jacobian(q)
        self.factor = linalg.cho_factor(np.eye(self.system.n) + self.options.alpha * self.Phi_q.T @ self.Phi_q)
        self.renewed = True

    def solve(self, q_star: FloatArray) -> int:
        """Return the iterations until ‖Φ‖ is below the tolerance, or 0 if it never is."""
        alpha, q = self.options.alpha, q_star.copy()
        Phi = self.system.residual(q)
        lam = np.zeros_like(Phi)
        for iteration in range(1, self.options.max_iterations + 1):
            if not self.renewed or (self.every and (iteration - 1) % self.every == 0):
                self.renew(q)
            q -= linalg.cho_solve(self.factor, q - q_star + self.Phi_q.T @ (alpha * Phi + lam))
            Phi = self.system.residual(q)
            violation = float(np.linalg.norm(Phi))
            if violation < self.options.tolerance:
                return iteration
            if not violation < 1e6:
                return 0
            lam += alpha * Phi
        return 0


def with_kept_jacobians(trial: Trial) -> list[Policy]:
    """Solve some frames with every policy, in turns, several times."""
    measured = trial.measured[:: len(trial.measured) // FRAMES][:FRAMES]
    policies = {name: Policy(name) for name in POLICIES}
    for turn in range(PASSES):
        for name, every in POLICIES.items():
            solver = KeptJacobian(trial.system, every)
            begin = time.perf_counter()
            counts = [solver.solve(q) for q in measured]  # frame by frame: the first one's Jacobian may serve the rest
            policy = policies[name]
            policy.seconds = min(policy.seconds, (time.perf_counter() - begin) / len(measured))
            if turn == 0:
                policy.frames, policy.iterations = len(counts), [count for count in counts if count]
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
