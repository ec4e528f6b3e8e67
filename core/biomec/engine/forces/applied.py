"""What moves a system: generalised forces Q, as functions of time and state, and of forces and torques on bodies.

Forces and torques (theory §7.1-7.4): every function takes arrays with any leading batch shape (..., dim) and returns
Q (..., n). A force plate, a hand-held weight or a joint torque is a sum of these. Torques in the plane are numbers:
pass them as (..., 1). Equation numbers are those of [Nunes2017].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import scipy
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.engine.forward.formulation import NoNumber, bounded
from biomec.engine.maps import VectorMap
from biomec.engine.system import System

Forces = Callable[[float, FloatArray, FloatArray], FloatArray]
"""Q (n,) at a time [s] and a state q, q̇ (n,). Gravity is a force like any other."""


class InnerForces(Protocol):
    """Forces that have states y of their own beside q and q̇, such as muscles with activations and fibres."""

    @property
    def size(self) -> int:
        """Number k of these states."""

    def start(self, t: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
        """States y (k,) with which a run begins."""

    def rates(self, t: float, q: FloatArray, qdot: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Generalised forces Q (n,) and ẏ (k,)."""


def acting(forces: Forces, t: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
    """Q (n,) at a time in a state; raises `NoNumber` with the time where it is none though the state is well."""
    Q = forces(t, q, qdot)
    if not np.isfinite(Q).all() and bounded(q, qdot):
        raise NoNumber(f"a force is not a number at {t:.4f} s. Look at what acts then, such as a recorded load.")
    return Q


def weight(system: System) -> Forces:
    """Gravity alone."""
    Q = np.array(system.gravity_force)
    return lambda t, q, qdot: Q


def together(*forces: Forces) -> Forces:
    """Sum of several forces."""

    def total(t: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
        Q = np.array(forces[0](t, q, qdot))
        for force in forces[1:]:
            Q += force(t, q, qdot)
        return Q

    return total


def recorded(time_s: ArrayLike, Q: ArrayLike) -> Forces:
    """Generalised forces (T, n) known at times (T,), by cubic splines between them and constant outside.

    The corrector of a step asks for the same moment several times: the last answer is kept.
    """
    times, values = np.asarray(time_s, dtype=np.float64), np.asarray(Q, dtype=np.float64)
    if values.ndim != 2 or len(values) != len(times) or len(times) < 2:
        raise BiomecError(f"Recorded forces need the shape (times, coordinates); got {values.shape} for {len(times)}.")
    if not np.isfinite(values).all() or not (np.diff(times) > 0.0).all():
        raise BiomecError("Recorded forces: all values must be numbers, at times that increase.")
    third, second, rate, start = np.ascontiguousarray(scipy.interpolate.CubicSpline(times, values).c)
    first, last, pieces = float(times[0]), float(times[-1]), len(times) - 1

    asked, answer = np.nan, start[0]

    def at(t: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
        nonlocal asked, answer
        if t != asked:
            now = min(max(t, first), last)
            k = min(int(times.searchsorted(now, "right")) - 1, pieces - 1)
            x = now - times[k]
            asked, answer = t, ((third[k] * x + second[k]) * x + rate[k]) * x + start[k]
        return np.array(answer)

    return at


# ----------------------------------------------------------------------------------------- forces and torques on bodies


def point_force(system: System, point: str, force: ArrayLike) -> FloatArray:
    """Force f (..., dim) [N], in laboratory axes, at the body-fixed ``body.point``: Q = Cᵀ f (Eqs. 2.28-2.31)."""
    return _spread(system, system.layout.point(point, "Point force"), np.asarray(force, dtype=np.float64))


def torque(system: System, body: str, q: FloatArray, h: ArrayLike) -> FloatArray:
    """Pure torque h (..., 3) [N m], in laboratory axes, on a body at q (..., n): Q = G(q)ᵀ h.

    G is the map of the angular velocity, so the power Qᵀq̇ = hᵀω for every direction of h, zero included: nothing is
    divided by a component of h (Eq. 5.13 divides by h_x). It differs from the couple of two forces of Eqs. 2.32-2.35
    only by rigid-body rows, which changes no motion, joint force or joint torque (theory §7.2).
    """
    owner = system.layout.body(body, "Torque")
    G = owner.angular_velocity_map(system.layout.body_coordinates(q, body))
    moment = np.asarray(h, dtype=np.float64)
    if moment.shape[-1:] != (G.shape[-2],):
        raise BiomecError(f"Torque on {body}: give {G.shape[-2]} component(s) on the last axis, not {moment.shape}.")
    return _on_body(system, body, np.einsum("...ij,...i->...j", G, moment))


def wrench(
    system: System, body: str, q: FloatArray, point_W: ArrayLike, force: ArrayLike, moment: ArrayLike | None = None
) -> FloatArray:
    """Force f [N] at a laboratory point p [m] with a free moment h [N m], acting on a body at q.

    The point need not be fixed in the body (a centre of pressure). Q = C_oᵀ f + Gᵀ((p − r_o) × f + h), with o the
    body's local origin.
    """
    f = np.asarray(force, dtype=np.float64)
    arm = np.asarray(point_W, dtype=np.float64) - system.layout.point(f"{body}.origin", "Wrench")(q)
    total = _cross(arm, f) if moment is None else _cross(arm, f) + np.asarray(moment, dtype=np.float64)
    return point_force(system, f"{body}.origin", f) + torque(system, body, q, total)


def resultant(system: System, body: str, q: FloatArray, Q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Net force (..., dim) [N] and moment about the body's first basic point [N m] of Q (theory §7.4).

    In the base (r1, b1, b2, b3) the force is the part of r1, the moment is Σ b_k × Q_bk.
    """
    owner = system.layout.body(body, "Resultant")
    columns = system.layout.columns(body)
    if (columns < 0).any():
        raise BiomecError(f"Resultant on {body}: a point it shares with the ground has no generalised force.")
    dim = system.layout.dimension
    slots = system.layout.body_coordinates(q, body).reshape(*q.shape[:-1], -1, dim)
    base = np.einsum("ij,...jc->...ic", owner.to_base, slots)
    Q_base = np.einsum("ji,...jc->...ic", np.linalg.inv(owner.to_base), Q[..., columns].reshape(slots.shape))
    return Q_base[..., 0, :], _cross(base[..., 1:, :], Q_base[..., 1:, :]).sum(axis=-2)


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Moment a × b: (..., 3) in space, (..., 1) in the plane."""
    if a.shape[-1] == 3:
        return np.cross(a, b)
    return np.asarray(a[..., :1] * b[..., 1:] - a[..., 1:] * b[..., :1])


def _spread(system: System, map_: VectorMap, value: FloatArray) -> FloatArray:
    """Aᵀ value over all coordinates."""
    if value.shape[-1:] != (map_.dimension,):
        raise BiomecError(f"A force needs {map_.dimension} components on the last axis; got shape {value.shape}.")
    Q = np.zeros((*value.shape[:-1], system.n))
    Q[..., map_.columns] = value @ map_.matrix
    return Q


def _on_body(system: System, body: str, Q_body: FloatArray) -> FloatArray:
    columns = system.layout.columns(body)
    Q = np.zeros((*Q_body.shape[:-1], system.n))
    Q[..., columns[columns >= 0]] = Q_body[..., columns >= 0]
    return Q
