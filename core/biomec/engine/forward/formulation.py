"""What every formulation of the equations of motion offers: accelerations at one state.

    M q̈ + Φqᵀ λ = Q,   Φ(q) = 0          ([Nunes2017] Eq. 2.96; constraints act with −Φqᵀ λ)

Formulations differ in how they impose the constraints. Constraints must not depend on time: whatever drives the system
acts through Q.
"""

from __future__ import annotations

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
        20, "Constraint iterations", "Augmented Lagrangian: at most so many, 1 to 1000, even if the tolerance is not "
        "reached.", typed=True)  # fmt: skip

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
    """Equations of motion have no answer where the state is out of all bounds or the forces are no numbers."""
    if not bounded(q, qdot):
        raise Runaway(f"{system.name}: the motion ran away. Take a smaller step.")
    if Q is not None and not np.isfinite(Q).all():
        raise NoNumber(f"{system.name}: a force is not a number.")


def bounded(q: FloatArray, qdot: FloatArray) -> bool:
    """Whether a state is one that a body or a machine can be in; not if it is no number."""
    return all(bool(np.abs(level).max(initial=0.0) < RUNAWAY) for level in (q, qdot))
