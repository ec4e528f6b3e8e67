"""Independent coordinates: the equations of motion in as many velocities as there are freedoms, by the matrix R.

    q̇ = R ż,   q̈ = R z̈ + S c,   Φq R = 0          Rᵀ M R z̈ = Rᵀ(Q − M S c)      ([Nunes2017] Eqs. 2.80-2.88)

ż are some of the q̇ themselves. Any system will do, closed chains too, and rows that depend on others do no harm: ranks
are numerical. Which coordinates are independent is chosen by pivoting, kept from state to state, and chosen anew where
the posture has made another choice better; accelerations do not depend on it.
"""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.engine.forward.constraint_factor import (
    LANES,
    MassTable,
    Pivots,
    accelerations,
    choose_pivots,
    reduced,
    transformation,
)
from biomec.engine.forward.formulation import (
    Accelerations,
    FormulationOptions,
    ReducedTerms,
    Unsolvable,
    checked_state,
    refuse_driven,
    refuse_runaway,
)
from biomec.engine.structure import RANK_TOLERANCE, Partition
from biomec.engine.system import System

WORSE = 10.0  # times what the choice began with: then independent coordinates are chosen anew
LEAK = 1e-6  # of Φq R in rows that were left out as dependent: below it they still are
BY_VIOLATION = 100.0  # dependent rows part by about ‖Φ‖ where the state violates its constraints; this factor is room
COARSEST = 1e-3  # rank tolerance at most: the whole-body model has its smallest singular value at 1e-2 of the largest


class IndependentCoordinates:
    """Equations of motion in independent coordinates, for any system.

    Multipliers are those of the rows in use; rows that depend on them get 0.

    stabilised : keeps all rows from drifting (Baumgarte, ξ and ω of the options)
    """

    title = "independent coordinates"

    def __init__(self, system: System, options: FormulationOptions | None = None, *, stabilised: bool = False) -> None:
        refuse_driven(system)
        self.system = system
        self.options = options or FormulationOptions()
        xi, omega = (self.options.xi, self.options.omega) if stabilised else (0.0, 0.0)
        self._damping, self._stiffness = 2.0 * xi * omega, omega**2
        M = system.mass_matrix
        self._mass = MassTable(M.indptr.astype(np.int64), M.indices.astype(np.int64), np.array(M.data))
        self._pivots: Pivots | None = None
        self._limits = (0.0, 0.0, 0.0)
        self.choices = 0  # how often independent coordinates were chosen

    @property
    def partition(self) -> Partition | None:
        """Coordinates that are independent at present; None before the first state."""
        if self._pivots is None:
            return None
        return Partition(self._pivots.independent, np.sort(self._pivots.columns))

    def accelerations(self, q: FloatArray, qdot: FloatArray, Q: FloatArray) -> Accelerations:
        """Accelerations at the state (n,), (n,) under applied generalised forces Q (n,), gravity included."""
        q, qdot, Q = checked_state(self.system, q, qdot, Q)
        pivots = self._transform(q, qdot)
        qddot, multipliers = np.empty(self.system.n), np.empty(self.system.m)
        solved = accelerations(pivots, self._mass, self._factors, self._W, self._MW, Q, qddot, multipliers)
        if not (solved and np.isfinite(qddot).all()):
            refuse_runaway(self.system, q, qdot, Q)
        if not solved:
            raise Unsolvable(
                f"{self.system.name}: a motion that its joints allow moves no mass, so its acceleration is not "
                "determined. Give every body a mass and an inertia."
            )
        return Accelerations(qddot, multipliers, 1)

    def velocities(self, q: FloatArray, qdot: FloatArray) -> FloatArray:
        """ż (g,), the independent ones of the velocities q̇ (n,), as `terms` at this state takes them."""
        q, qdot, _ = checked_state(self.system, q, qdot)
        return qdot[self._transform(q, qdot).independent]

    def terms(self, q: FloatArray, qdot: FloatArray, Q: FloatArray) -> ReducedTerms:
        """Terms of M̄ z̈ = Q̄ at the state; `partition` tells which velocities they are for."""
        q, qdot, Q = checked_state(self.system, q, qdot, Q)
        g = self._transform(q, qdot).independent.size
        M_bar, Q_bar = np.empty((g, g)), np.empty(g)
        reduced(self._mass, self._W, Q, self._MW, M_bar, Q_bar)
        M_bar += np.tril(M_bar, -1).T
        return ReducedTerms(M_bar, Q_bar, self._W[:, :g].copy(), self._W[:, g].copy(), np.zeros((0, g)), np.zeros(0))

    # ------------------------------------------------------------------ matrix R

    def _transform(self, q: FloatArray, qdot: FloatArray) -> Pivots:
        """Compute W with the choice of coordinates in use or a new one, which is returned."""
        pivots = self._pivots
        if pivots is not None:
            growth, largest, leak = self._evaluate(pivots, q, qdot)
            if growth <= self._limits[0] and largest <= self._limits[1] and leak <= self._limits[2]:
                return pivots
        refuse_runaway(self.system, q, qdot)
        pivots = self._choose(q)
        judged = self._evaluate(pivots, q, qdot)
        if not np.isfinite(judged).all():
            self._pivots = None
            raise Unsolvable(f"{self.system.name}: its constraints cannot be resolved in this posture.")
        self._pivots, self._limits = pivots, tuple(WORSE * np.maximum(judged, (10.0, 1.0, LEAK / WORSE)))
        return pivots

    def _choose(self, q: FloatArray) -> Pivots:
        Phi, Phi_q = self.system.residual(q), self.system.jacobian(q)
        tolerance = min(max(RANK_TOLERANCE, BY_VIOLATION * float(np.abs(Phi).max(initial=0.0))), COARSEST)
        pivots = choose_pivots(Phi_q, self.system.tables, tolerance)
        self.choices += 1
        shape = (self.system.n, -(-(pivots.independent.size + 1) // LANES) * LANES)
        self._factors, self._W, self._MW = np.empty(pivots.entries.size), _aligned(shape), _aligned(shape)
        return pivots

    def _evaluate(self, pivots: Pivots, q: FloatArray, qdot: FloatArray) -> tuple[float, float, float]:
        return transformation(
            pivots, self.system.tables, q, qdot, self._damping, self._stiffness, self._factors, self._W,
        )  # fmt: skip


def _aligned(shape: tuple[int, int]) -> FloatArray:
    """Array whose rows begin where lines of the processor's cache do, if their length is a multiple of eight."""
    size = shape[0] * shape[1]
    room = np.empty(size + 8)
    first = -(room.ctypes.data // 8) % 8
    return room[first : first + size].reshape(shape)
