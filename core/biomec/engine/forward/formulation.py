"""What formulations and integrators of the equations of motion offer: accelerations at one state, and steps.

    M q̈ + Φqᵀ λ = Q,   Φ(q) = 0          ([Nunes2017] Eq. 2.96; constraints act with −Φqᵀ λ)

Formulations differ in how they impose the constraints. Constraints must not depend on time: whatever drives the system
acts through Q. The matrix R and the semi-recursive formulation have equations in few velocities in common:

    q̇ = R ż,   q̈ = R z̈ + Ṙ ż                                     (ż: as many velocities as the system has freedoms)
    M̄ z̈ + J_zᵀ λ = Q̄,   J_z z̈ = c_z     with     M̄ = Rᵀ M R,   Q̄ = Rᵀ(Q − M Ṙż)

[GarciaDeJalonBayo1994]; [Nunes2017] Eqs. 2.80-2.88. Velocities of a tree leave the constraints that close its loops:
they stay as rows J_z. Without loops J_z has no rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.fields import setting
from biomec.engine.system import System

RUNAWAY = 1e6  # [m, m/s]; far beyond any coordinate or velocity of a body or a machine


class Accelerations(NamedTuple):
    """Answer of a formulation at one state.

    qddot       : (n,) [m/s²]
    multipliers : (m,) of all rows of the system; NaN where the formulation knows none
    iterations  : solutions that it took
    """

    qddot: FloatArray
    multipliers: FloatArray
    iterations: int


class Formulation(Protocol):
    """A way to impose the constraints. Immutable data apart from work space; one for each run and thread."""

    @property
    def system(self) -> System:
        """The system that it was prepared for."""

    @property
    def title(self) -> str:
        """What a list or a table calls it."""

    def accelerations(self, q: FloatArray, qdot: FloatArray, Q: FloatArray) -> Accelerations:
        """Accelerations at the state (n,), (n,) under applied generalised forces Q (n,), gravity included.

        Raises `Unsolvable` where the equations have no solution in this state.
        """


class Unsolvable(BiomecError):
    """The equations of motion cannot be solved in a state; says which and why."""


class Runaway(Unsolvable):
    """The state is out of all bounds."""


class NoNumber(Unsolvable):
    """A force is not a number in a state that is well."""


@dataclass(frozen=True)
class FormulationOptions:
    """Settings of all formulations; each uses those it needs.

    alpha      : penalty factor α; in a whole body 1e5 is accurate, in small mechanisms 1e7 (theory §12)
    xi, omega  : damping ratio ξ and frequency ω [rad/s] of Baumgarte's stabilisation
    tolerance  : on ‖Φ̈ + 2ξω Φ̇ + ω² Φ‖, at which an augmented Lagrangian ends its iterations
    max_iterations : of an augmented Lagrangian
    """

    alpha: float = setting(
        1e5, "Penalty factor α", "Penalty, augmented Lagrangian, index 3: how hard constraints are held. 1e5 suits a "
        "body, 1e7 small mechanisms; much more loses digits.", typed=True)  # fmt: skip
    xi: float = setting(
        1.0, "Stabilisation ξ", "Baumgarte: damping ratio with which errors of the constraints vanish; 1 is critical.",
        typed=True)  # fmt: skip
    omega: float = setting(
        10.0, "Stabilisation ω", "Baumgarte: frequency with which errors of the constraints vanish.",
        unit="rad/s", typed=True)  # fmt: skip
    tolerance: float = setting(1e-10, "Constraint tolerance", "Augmented Lagrangian: ends its iterations.", typed=True)
    max_iterations: int = setting(
        20, "Constraint iterations", "Augmented Lagrangian: at most so many, even if the tolerance is not reached.",
        least=1, most=1000, typed=True)  # fmt: skip

    def __post_init__(self) -> None:
        positive = (self.alpha, self.omega, self.tolerance)
        if not (all(0.0 < value < np.inf for value in positive) and self.xi >= 0.0 and self.max_iterations > 0):
            raise BiomecError("Formulation: α, ω, the tolerance and the iterations must be positive, ξ not negative.")


def refuse_driven(system: System) -> None:
    """Formulations are for constraints that do not depend on time."""
    if system.drivers:
        raise BiomecError(
            f"{system.name} is driven by {', '.join(system.drivers)}: a simulation finds the motion itself. "
            "Take the drivers off, or apply forces that follow them."
        )


def refuse_runaway(system: System, q: FloatArray, qdot: FloatArray, Q: FloatArray | None = None) -> None:
    """Equations of motion have no answer where the state is out of all bounds or the forces are not numbers."""
    if not bounded(q, qdot):
        raise Runaway(f"{system.name}: the motion ran away. Take a smaller step.")
    if Q is not None and not np.isfinite(Q).all():
        raise NoNumber(f"{system.name}: a force is not a number.")


def bounded(q: FloatArray, qdot: FloatArray) -> bool:
    """Whether a state is one that a body or a machine can be in; not if it is not a number."""
    return all(bool(np.abs(level).max(initial=0.0) < RUNAWAY) for level in (q, qdot))


# ----------------------------------------------------------------------------------------------------- states and steps


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


# ------------------------------------------------------------------------------------------ equations in few velocities


class ReducedTerms(NamedTuple):
    """Terms of M̄ z̈ + J_zᵀ λ = Q̄, J_z z̈ = c_z at one state, with g velocities and l rows that close loops.

    M_bar   : (g, g)
    Q_bar   : (g,)
    R       : (n, g)
    bias    : (n,) Ṙ ż, the accelerations [m/s²] at z̈ = 0
    J_loop  : (l, g) J_z
    c_loop  : (l,) c_z
    """

    M_bar: FloatArray
    Q_bar: FloatArray
    R: FloatArray
    bias: FloatArray
    J_loop: FloatArray
    c_loop: FloatArray

    def accelerations(self, zddot: FloatArray) -> FloatArray:
        """q̈ = R z̈ + Ṙ ż, (n,)."""
        return self.R @ zddot + self.bias


def checked_state(
    system: System, q: FloatArray, qdot: FloatArray, Q: FloatArray | None = None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Copies of positions, velocities and forces (n,) as compiled code wants them; forces not given are zero.

    Copies, because numba would compile everything again for arrays that cannot be written to.
    """
    given = (q, qdot, np.zeros(system.n) if Q is None else Q)
    x, y, z = (np.array(one, dtype=np.float64, order="C") for one in given)
    if not x.shape == y.shape == z.shape == (system.n,):
        shapes = f"{x.shape}, {y.shape} and {z.shape}"
        raise BiomecError(f"{system.name} has {system.n} coordinates; its state and forces were given as {shapes}.")
    return x, y, z
