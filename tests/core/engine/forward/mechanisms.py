"""Systems and states that obey their constraints, and accelerations by dense algebra that minds no dependent rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.engine.forward.formulation import Formulation
from biomec.engine.reference.human import human_system
from biomec.engine.reference.planar import four_bar, pendulum, slider_crank
from biomec.engine.reference.spatial import bennett, random_tree, spatial_pendulum
from biomec.engine.structure import null_space
from biomec.engine.system import System
from tests.core.body.loads.people import person
from tests.oracles.forward_dynamics import lagrange_matrix

ZERO = 1e-6  # singular values of Φq below this, times the largest, are those of dependent rows

TREES = ("m21", "m17", "legs", "human-like", "random tree")
OTHERS = (
    "pendulum",
    "shared pendulum",
    "spatial pendulum",
    "four-bar",
    "four-bar of 12",
    "slider-crank",
    "Bennett",
)


@cache
def mechanism(name: str) -> System:
    """A system by name: models of the virtual person, and reference mechanisms."""
    makers: dict[str, Callable[[], System]] = {
        "human-like": human_system,
        "random tree": lambda: random_tree(9, np.random.default_rng(7)).system(),
        "pendulum": lambda: pendulum([0.3, -0.4, 1.0]),
        "shared pendulum": lambda: pendulum([0.0, 0.0], shared=True),
        "spatial pendulum": lambda: spatial_pendulum(4),
        "four-bar": four_bar,
        "four-bar of 12": lambda: four_bar(shared=False),
        "slider-crank": lambda: slider_crank(driven=False),
        "Bennett": bennett,
    }
    return makers[name]() if name in makers else person(name).system


def roots_of(name: str) -> tuple[str, ...]:
    """Bodies that may be the root of a tree."""
    return tuple(person(name).model.roots) if name in ("m21", "m17", "legs") else ()


def random_state(system: System, rng: np.random.Generator, spread: float = 0.1) -> tuple[FloatArray, FloatArray]:
    """Positions away from the reference pose and velocities of order one that obey the constraints to round-off."""
    q = system.reference + spread * rng.normal(size=system.n)
    for _ in range(60):  # Newton's method with the least change
        q = q - np.linalg.pinv(system.jacobian(q), rcond=ZERO) @ system.residual(q)
        if np.abs(system.residual(q)).max() < 1e-14:
            break
    assert np.abs(system.residual(q)).max() < 1e-12
    R = null_space(system.jacobian(q)).R
    return q, R @ rng.normal(size=R.shape[1])


def random_force(system: System, rng: np.random.Generator) -> FloatArray:
    """Weight and random generalised forces."""
    return system.gravity_force + 20.0 * rng.normal(size=system.n)


def dense_accelerations(system: System, q: FloatArray, qdot: FloatArray, Q: FloatArray) -> FloatArray:
    """q̈ (n,) of classic Lagrange with dense matrices; rows that depend on others are combined away."""
    U, values, Vt = np.linalg.svd(system.jacobian(q), full_matrices=False)
    kept = values > ZERO * values.max()
    rows, rhs = Vt[kept], (U.T @ system.acceleration_rhs(q, qdot))[kept] / values[kept]
    matrix = lagrange_matrix(system.mass_matrix.toarray(), rows)
    return np.linalg.solve(matrix, np.concatenate([Q, rhs]))[: system.n]


def relative(a: FloatArray, b: FloatArray) -> float:
    """Largest difference over the largest value."""
    return float(np.abs(a - b).max() / np.abs(b).max())


def rk4(
    formulation: Formulation, q: FloatArray, qdot: FloatArray, h: float, steps: int
) -> tuple[FloatArray, FloatArray]:
    """States (steps + 1, n) under the weight alone, by the classic Runge-Kutta method in natural coordinates."""
    weight = formulation.system.gravity_force

    def rate(y: FloatArray) -> FloatArray:
        position, velocity = np.split(y, 2)
        return np.concatenate([velocity, formulation.accelerations(position, velocity, weight).qddot])

    states = [np.concatenate([q, qdot])]
    for _ in range(steps):
        y = states[-1]
        k1 = rate(y)
        k2 = rate(y + 0.5 * h * k1)
        k3 = rate(y + 0.5 * h * k2)
        k4 = rate(y + h * k3)
        states.append(y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4))
    q_all, qdot_all = np.split(np.array(states), 2, axis=1)
    return q_all, qdot_all
