"""Pinocchio on the same trial: Gauss-Newton fit of markers in joint coordinates, and recursive inverse dynamics.

The tree has a free root and 20 spherical joints, 66 degrees of freedom, as in usual marker tracking; the hinges and
the four ellipsoid contacts of our problem, which a tree of joint coordinates does not close, are left out. Three
markers a body stand 0.1 m from its origin along its axes, where the measured coordinates have them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.problem import Trial
from biomec.arrays import FloatArray, skew
from biomec.multibody.reference.trees import Tree
from tests.oracles.pinocchio_tree import PinocchioTree, pin

ITERATIONS = 4
REACH_M = 0.1


class MarkerFit:
    """Joint coordinates that bring a body's markers nearest to the measured ones, frame after frame.

    Each frame starts from the one before it. One iteration takes the stacked Jacobian of all markers from Pinocchio's
    joint Jacobians and solves the normal equations.
    """

    def __init__(self, trial: Trial) -> None:
        joints = [trial.tree.joints[0]]
        joints += [replace(joint, kind="spherical", axes=()) for joint in trial.tree.joints[1:]]
        self.oracle = PinocchioTree(Tree(trial.tree.bodies, tuple(joints)), trial.system)
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
