"""Markers on the same trial: our position problem with targets, and Pinocchio's Gauss-Newton in joint coordinates.

Three markers a body stand 0.1 m from its origin along its axes, where the measured coordinates have them. Pinocchio's
tree has a free root and 20 spherical joints, 66 degrees of freedom, as in usual marker tracking; the hinges and the
four ellipsoid contacts of our problem, which a tree of joint coordinates does not close, are left out. Pinocchio also
does recursive inverse dynamics.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.problem import Trial
from biomec.base.arrays import FloatArray, skew
from biomec.engine.position import PositionResult, PositionSolver
from biomec.engine.reference.trees import ReferenceTree
from biomec.engine.system import System
from biomec.engine.targets import PointTargets
from tests.oracles.pinocchio_tree import PinocchioTree, pin

ITERATIONS = 4
REACH_M = 0.1
WEAK = 1e-6  # pull to the start beside markers of weight 1


class TargetFit:
    """Our fit: all markers as targets under all constraints of the 21-body tree, each frame on its own.

    Every frame starts from its measured coordinates, as after the segments have been built from the markers.
    """

    def __init__(self, trial: Trial) -> None:
        self.system = _with_markers(trial.system)
        self.solver = PositionSolver(self.system, metric=WEAK)
        self.start = trial.measured
        self.targets = self._targets(slice(None))
        self.batches: list[tuple[FloatArray, PointTargets]] = []

    def _targets(self, part: slice) -> PointTargets:
        names = [f"{b.name}.{m}" for b in self.system.bodies for m in b.points if m.startswith("marker")]
        points = {name: self.system.layout.point(name)(self.start[part]) for name in names}
        return PointTargets.at(self.system.layout, points)

    def fit(self) -> PositionResult:
        """Fit the whole trial, on all threads."""
        return self.solver.solve(self.start, targets=self.targets)

    def fit_in_batches(self, size: int) -> None:
        """Fit the whole trial with calls of ``size`` frames, so that one thread does it."""
        if not self.batches:  # made once: making targets is not part of the fit
            parts = [slice(first, first + size) for first in range(0, len(self.start), size)]
            self.batches = [(self.start[part], self._targets(part)) for part in parts]
        for start, targets in self.batches:
            self.solver.solve(start, targets=targets)

    def distance(self, result: PositionResult) -> float:
        """Root-mean-square distance of the markers [m]."""
        return float(np.sqrt((self.targets.residual(result.q) ** 2).sum(-1).mean()))


def _with_markers(system: System) -> System:
    bodies = []
    for body in system.bodies:
        own = {name: place for name, place in body.points.items() if name not in ("origin", "com")}
        bodies.append(replace(body, points=own | {f"marker{k}": REACH_M * axis for k, axis in enumerate(np.eye(3))}))
    return System(bodies, system.constraints, name=system.name)


class MarkerFit:
    """Joint coordinates that bring a body's markers nearest to the measured ones, frame after frame.

    Each frame starts from the one before it. One iteration takes the stacked Jacobian of all markers from Pinocchio's
    joint Jacobians and solves the normal equations.
    """

    def __init__(self, trial: Trial) -> None:
        joints = [trial.tree.joints[0]]
        joints += [replace(joint, kind="spherical", axes=()) for joint in trial.tree.joints[1:]]
        self.oracle = PinocchioTree(ReferenceTree(trial.tree.bodies, tuple(joints)), trial.system)
        self.model, self.data = self.oracle.model, self.oracle.data
        self.measured = measured_markers(trial)  # (T, bodies, 3, 3)
        names = [body.name for body in trial.system.bodies]
        self.ids = [self.oracle.joint_of(name) for name in names]
        centres = np.array([self.oracle.centre_of(name) for name in names])
        self.local = reference_markers(trial) - centres[:, None]  # (bodies, 3, 3) in joint axes
        moves = np.zeros((len(self.ids), self.model.nv))  # 1 where a freedom moves a body
        for row, joint in zip(moves, self.ids, strict=True):
            for support in self.model.supports[joint]:
                part = self.model.joints[support]
                row[part.idx_v : part.idx_v + part.nv] = 1.0
        self.moves = moves[:, None, None, :]

    @property
    def markers(self) -> int:
        """Number of markers on all bodies."""
        return int(self.local.shape[0] * self.local.shape[1])

    def fit(self, frames: int) -> tuple[FloatArray, float, float]:
        """Fit the first frames: coordinates (frames, nq), root-mean-square marker distance [m], largest last step."""
        q = pin.neutral(self.model)
        fitted, distance, last = np.empty((frames, self.model.nq)), np.empty(frames), 0.0
        for t in range(frames):  # each frame starts from the one before it
            for _ in range(ITERATIONS if t else 10 * ITERATIONS):
                p_WM, J = self._markers_and_jacobian(q)
                away = (self.measured[t] - p_WM).ravel()
                J = J.reshape(-1, self.model.nv)
                step = np.linalg.solve(J.T @ J, J.T @ away)
                q = pin.integrate(self.model, q, step)
            fitted[t], last = q, max(last, float(np.abs(step).max()))
            distance[t] = away @ away / (away.size / 3)
        return fitted, float(np.sqrt(distance.mean())), last

    def _markers_and_jacobian(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Marker positions (bodies, 3, 3) and their Jacobian (bodies, 3, 3, nv), all bodies at once."""
        J = pin.computeJointJacobians(self.model, self.data, q)  # twists at the laboratory origin, in its axes
        R = np.array([self.data.oMi[joint].rotation for joint in self.ids])
        p = np.array([self.data.oMi[joint].translation for joint in self.ids])
        p_WM = p[:, None] + self.local @ R.transpose(0, 2, 1)
        return p_WM, self.moves * (J[:3] - skew(p_WM) @ J[3:])  # ṗ = v_O + ω × p

    def inverse_dynamics(self, calls: int, rng: np.random.Generator) -> None:
        """Run the recursive Newton-Euler algorithm in a Python loop at a random state."""
        q, v, a = self.oracle.random_state(rng)
        for _ in range(calls):
            pin.rnea(self.model, self.data, q, v, a)


def measured_markers(trial: Trial) -> FloatArray:
    """Three markers a body where the measured coordinates have them, (T, bodies, 3, 3) [m]."""
    return _markers(trial, trial.measured)


def reference_markers(trial: Trial) -> FloatArray:
    """The same markers in the reference pose, (bodies, 3, 3) [m]."""
    return _markers(trial, trial.system.reference[None])[0]


def _markers(trial: Trial, q: FloatArray) -> FloatArray:
    bodies = []
    for body in trial.system.bodies:
        own = q[:, trial.system.layout.columns(body.name)]
        maps = [body.point_map(REACH_M * axis) for axis in np.eye(3)]
        bodies.append(np.stack([own @ C.T for C in maps], axis=1))
    return np.stack(bodies, axis=1)
