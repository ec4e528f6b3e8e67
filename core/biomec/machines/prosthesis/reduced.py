"""A machine with stops by its independent coordinates z, for many instants at once: all else follows exactly.

    [Φq; I_z] Δq = [−Φ; 0],   [Φq; I_z] q̇ = [ν; ż]

I_z selects the independent columns of q [Markus2015]. The motion in time is integrated by
`biomec.machines.reference_points.partitioned`, in the same coordinates. Stops give gaps, their rates, rows and forces.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.machines.closed_chain.stops import Stops, stops_of
from biomec.machines.closed_chain.study_parts import start_state
from biomec.machines.machine import Machine
from biomec.machines.reference_points import NotAssembled, ReferencePointModel, reference_point_model
from biomec.machines.reference_points.partitioned import independent_columns

ITERATIONS = 30
STEP = (
    1e-8  # [m, rad] of the last step of Newton's method; the error after it goes with its square, 1e-14 for short links
)
LARGEST_STEP = 10.0  # [m, rad] beyond which the search has left the machine


@dataclass(frozen=True, eq=False)
class Reduced:
    """A model, its stops and the columns of q that are independent.

    model : reference-point model with the kept laws as rows;  stops : of the machine
    free  : columns of q, as many as the machine has degrees of freedom
    """

    model: ReferencePointModel
    stops: Stops
    free: tuple[int, ...]

    @property
    def f(self) -> int:
        """Degrees of freedom."""
        return len(self.free)

    def positions(self, z: ArrayLike, t: ArrayLike, guess: ArrayLike) -> FloatArray:
        """q (..., n) with Φ(q, t) = 0 and the independent ones z (..., f), near a guess (..., n)."""
        given, time = np.asarray(z, dtype=np.float64), np.asarray(t, dtype=np.float64)
        q = np.broadcast_to(np.asarray(guess, dtype=np.float64), (*given.shape[:-1], self.model.n)).copy()
        q[..., list(self.free)] = given
        for _ in range(ITERATIONS):
            right = np.concatenate([-self.model.residual(q, time), np.zeros_like(given)], axis=-1)
            change = self._solved(self.square(q), right, time)
            largest = float(np.abs(change).max(initial=0.0))
            if not largest < LARGEST_STEP:
                break
            q += change
            if largest < STEP:
                return q
        raise NotAssembled(
            f"{self.model.name}: its parts cannot be joined at t = {float(np.ravel(time)[0]):.4g} s. "
            "The joints ask for a position that its lengths do not allow."
        )

    def square(self, q: FloatArray) -> FloatArray:
        """[Φq; I_z], (..., n, n)."""
        J = self.model.jacobian(q)
        whole = np.zeros((*J.shape[:-2], self.model.n, self.model.n))
        whole[..., : J.shape[-2], :] = J
        whole[..., np.arange(J.shape[-2], self.model.n), list(self.free)] = 1.0
        return whole

    def velocities(self, q: FloatArray, zdot: ArrayLike, t: ArrayLike) -> FloatArray:
        """q̇ (..., n) of independent ones ż (..., f)."""
        given = np.asarray(zdot, dtype=np.float64)
        right = np.concatenate([np.broadcast_to(self.model.rate_rhs(t), (*given.shape[:-1], self.model.m)), given], -1)
        return self._solved(self.square(q), right, t)

    def _solved(self, whole: FloatArray, right: FloatArray, t: ArrayLike) -> FloatArray:
        try:
            if right.ndim == whole.ndim:
                x = np.linalg.solve(whole, right)
            else:
                x = np.linalg.solve(whole, right[..., None])[..., 0]
        except np.linalg.LinAlgError:
            x = np.full(right.shape, np.nan)
        if not np.isfinite(x).all():
            raise NotAssembled(
                f"{self.model.name}: near t = {float(np.ravel(np.asarray(t))[0]):.4g} s it stands where its "
                "constraints do not say how it moves on (bars in line)."
            )
        return np.asarray(x)


def reduced_model(machine: Machine, law: str = "") -> Reduced:
    """A machine by independent coordinates.

    The angles that ``[start]`` names are independent if they are as many as the degrees of freedom; otherwise the
    coordinates that move most when the machine moves.
    law : a contact law in place of that of the file
    """
    if not machine.is_planar:
        raise BiomecError(f"{machine.name} moves in space; a swing is simulated in one plane.")
    model = reference_point_model(machine, "kept")
    f = model.n - int(np.linalg.matrix_rank(model.jacobian(model.guess), tol=1e-9))
    if f < 1:
        raise BiomecError(f"{machine.name}: the laws that are kept leave no motion to be simulated.")
    if model.m != model.n - f:
        raise BiomecError(f"{machine.name}: some of its constraints repeat others; leave them out.")
    named = [model.column(body) for body in machine.start.angles]
    free = named if len(named) == f else _free_columns(model, f)
    return Reduced(model, stops_of(machine, model, law), tuple(free))


def reduced_motion(machine: Machine, law: str = "") -> tuple[Reduced, FloatArray, FloatArray]:
    """A machine by independent coordinates, and where its free motion starts: q, q̇ (n,)."""
    moving = reduced_model(machine, law)
    model, free = moving.model, list(moving.free)
    if machine.start.ways or machine.start.speeds:
        q, qdot, _ = start_state(machine, model)
        return moving, q, qdot
    guess, rates = np.array(model.guess), np.zeros(model.n)
    for body, angle in machine.start.angles.items():
        guess[model.column(body)] = angle
    for body, rate in machine.start.rates.items():
        rates[model.column(body)] = rate
    q = moving.positions(guess[free], 0.0, guess)
    return moving, q, moving.velocities(q, rates[free], 0.0)


def _free_columns(model: ReferencePointModel, f: int) -> list[int]:
    """Angles of bodies that determine the rest, because they do so in most positions; otherwise whatever does here."""
    from scipy.linalg import null_space, qr

    angles = np.arange(2, model.n, 3)
    motion = null_space(model.jacobian(model.guess), rcond=1e-9)[angles]
    _, R, order = qr(motion.T, pivoting=True, mode="economic")
    size = np.abs(np.diag(R))
    if len(size) == f and size[-1] > 1e-3 * size[0]:
        return sorted(int(angles[k]) for k in order[:f])
    return [int(one) for one in independent_columns(model, model.guess)]
