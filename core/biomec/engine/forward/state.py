"""States of a simulation, what a step returns, and what an integrator of equal steps has to offer."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from biomec.base.arrays import FloatArray
from biomec.engine.forward.formulation import Accelerations


class State(NamedTuple):
    """Where a simulation is: time [s], q, q̇, q̈ (n,), multipliers (m,)."""

    t: float
    q: FloatArray
    qdot: FloatArray
    qddot: FloatArray
    multipliers: FloatArray


class StepResult(NamedTuple):
    """A new state, the corrector's passes, its last change ‖(Δq, h Δq̇)‖ [m], and whether it converged."""

    state: State
    iterations: int
    increment: float
    converged: bool


class ImplicitFormula(NamedTuple):
    """q̇ = c₁ q + d₁ and q̈ = c₂ q + d₂ in the new state."""

    c_1: float
    d_1: FloatArray
    c_2: float
    d_2: FloatArray


AccelerationLaw = Callable[[float, FloatArray, FloatArray], Accelerations]
"""Accelerations at a time and a state."""


class Integrator(Protocol):
    """Steps of equal length from one state to the next; remembers what its formula needs of the past.

    One object serves one run, by `step` or by `formula`.
    """

    def step(self, law: AccelerationLaw, state: State, h: float) -> StepResult:
        """Take one step of h seconds."""

    def formula(self, state: State, h: float) -> ImplicitFormula:
        """Its implicit formula for the state h seconds later, where positions are solved for (index 3)."""

    def reached(self, state: State, qddot: FloatArray) -> None:
        """Take note of the accelerations (n,) that a step by `formula` from a state has led to."""
