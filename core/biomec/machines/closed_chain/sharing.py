"""How redundant motors share the torques of a given motion, and ways to drive it side by side: cost, peaks, work.

The motion leaves M q̈ − Q = T u − Φqᵀ λ. The pseudo-inverse makes multipliers and torques together small,
min XᵀWX with X = (λ, u) and [−Φqᵀ, T] X = M q̈ − Q ([Silva2007]): its answer depends on units and weights, because
forces and torques are added. Seen from the free directions R of the joints (Φq R = 0) the multipliers vanish,
(RᵀT) u = Rᵀ(M q̈ − Q), and min Σ w u² is the least torque for this motion at every instant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.machines.closed_chain.inverse import ChainInverseDynamics, squared_integral
from biomec.machines.reference_points.model import ReferencePointModel


@dataclass(frozen=True, eq=False)
class Method:
    """Torques (T, motors) [N m] of a method at times (T,).

    strokes : (T, motors) the angles that motors turn through [rad]
    """

    name: str
    motors: tuple[str, ...]
    time_s: FloatArray
    torques: FloatArray
    strokes: FloatArray

    @property
    def cost(self) -> float:
        """∫ Σ u² dt [N² m² s]."""
        return squared_integral(self.time_s, self.torques)

    @property
    def peaks(self) -> FloatArray:
        """Largest |u| of each motor [N m]."""
        return np.asarray(np.abs(self.torques).max(axis=0))

    @property
    def works(self) -> FloatArray:
        """Work of each motor, trapezoidal [J]."""
        return work_trapezoid(self.torques, self.strokes)

    @property
    def works_left(self) -> FloatArray:
        """Work of each motor by left sums [J]."""
        return work_left_riemann(self.torques, self.strokes)


def comparison_table(methods: Sequence[Method]) -> str:
    """Table to be read: a line for each method."""
    names = list(dict.fromkeys(name for method in methods for name in method.motors))
    width = max([len(method.name) for method in methods] + [6])
    head = (
        ["∫Σu² dt"]
        + [f"peak {name}" for name in names]
        + [f"work {name}" for name in names]
        + ["work, all", "left sums"]
    )
    sizes = [max(10, len(one)) for one in head]
    lines = [_line("method", width, head, sizes)]
    for method in methods:
        peaks = dict(zip(method.motors, method.peaks, strict=True))
        works = dict(zip(method.motors, method.works, strict=True))
        cells = [f"{method.cost:.1f}"]
        cells += [f"{values[name]:.2f}" if name in values else "–" for values in (peaks, works) for name in names]
        sums = [f"{method.works.sum():.3f}", f"{method.works_left.sum():.3f}"]
        lines.append(_line(method.name, width, [*cells, *sums], sizes))
    words = "∫Σu² dt in N² m² s, peaks in N m, work in J; left sums: all work as [Silva2007] adds it"
    return "\n".join([*lines, words])


def _line(name: str, width: int, cells: Sequence[str], sizes: Sequence[int]) -> str:
    return " ".join([f"{name:{width}s}", *(f"{cell:>{size}s}" for cell, size in zip(cells, sizes, strict=True))])


def work_left_riemann(torques: FloatArray, strokes: FloatArray) -> FloatArray:
    """Σ u(i) (r(i+1) − r(i)) of each motor, (motors,) [J], as published in [Silva2007].

    Its error falls only in proportion to the step, so that a motion which repeats seems to need work.
    """
    return np.asarray((torques[:-1] * np.diff(strokes, axis=0)).sum(axis=0))


def work_trapezoid(torques: FloatArray, strokes: FloatArray) -> FloatArray:
    """Σ ½ (u(i) + u(i+1)) (r(i+1) − r(i)) of each motor, (motors,) [J]; the error falls with the square of the step."""
    return np.asarray((0.5 * (torques[:-1] + torques[1:]) * np.diff(strokes, axis=0)).sum(axis=0))


METHODS = ("pseudo-inverse", "pointwise", "smallest peak")
POOR = 1e-6  # smallest over largest singular value of what motors can do: below, they cannot make the motion
WEAK = 0.02  # of their best hold on the motion: below, they nearly lose it


class CannotShare(BiomecError):
    """Motors that alone cannot make a motion."""


@dataclass(frozen=True, eq=False)
class Sharing(Method):
    """Torques of chosen motors, by a method of that name; arrays are read-only.

    multipliers : (T, joint rows) that go with them
    """

    multipliers: FloatArray


def shared(
    solution: ChainInverseDynamics,
    motors: Sequence[str],
    method: str = "pseudo-inverse",
    motor_weights: ArrayLike = 1.0,
    force_weight: float = 1.0,
    kept: Sequence[str] = (),
) -> Sharing:
    """Torques of ``motors`` that make the motion of ``solution``.

    method        : one of `METHODS`
    motor_weights : of each motor, or the same of all, positive
    force_weight  : of every multiplier, for the pseudo-inverse
    kept          : drivers that stay in place beside the motors
    """
    if method not in METHODS:
        raise BiomecError(f"Torques can be shared by {', '.join(METHODS)}, not {method}.")
    model = solution.model.with_drivers(kept)
    chosen = motor_columns(model, motors)
    try:
        weights = np.broadcast_to(np.asarray(motor_weights, dtype=np.float64), (chosen.size,))
    except ValueError:
        raise BiomecError(
            f"{chosen.size} motors need one weight or {chosen.size}, not {np.size(motor_weights)}."
        ) from None
    if not (weights > 0.0).all() or not 0.0 < force_weight < np.inf or not np.isfinite(weights).all():
        raise BiomecError("Weights of motors and forces must be positive numbers.")
    T, J, required = model.transmission[:, chosen], model.jacobian(solution.q), solution.required
    reach = _reach(J, T)
    if (reach < POOR).any():
        at = float(solution.time_s[int(reach.argmin())])
        raise CannotShare(
            f"{model.name}: the motors {', '.join(motors)} alone cannot make this motion; at t = {at:g} s they have no "
            "hold on it. Choose other motors, or more."
        )
    if method == "pseudo-inverse":
        u, multipliers = _pseudo_inverse(J, T, required, weights, force_weight)
    else:
        u = _pointwise(J, T, required, weights) if method == "pointwise" else _smallest_peak(J, T, required)
        rest = required - u @ T.T
        multipliers = -(np.linalg.pinv(np.swapaxes(J, -1, -2)) @ rest[..., None])[..., 0]
    return Sharing(
        method, tuple(motors), solution.time_s, read_only(u), read_only(solution.q @ T), read_only(multipliers)
    )


def weak_hold(solution: ChainInverseDynamics, motors: Sequence[str], kept: Sequence[str] = ()) -> float | None:
    """When motors come near losing their hold on the motion, or lose it between two instants [s]; None if never.

    With as many motors as degrees of freedom they lose it where det RᵀT changes its sign; R is made to follow the
    motion, so that its own sign does not matter.
    """
    model = solution.model.with_drivers(kept)
    J, T = model.jacobian(solution.q), model.transmission[:, motor_columns(model, motors)]
    reach = _reach(J, T)
    near = reach < WEAK * reach.max()
    R = free_directions(J)
    if R.shape[-1] == T.shape[-1] > 0:
        along = np.sign(np.linalg.det(np.swapaxes(R[:-1], -1, -2) @ R[1:]))  # whether R turned over
        hold = np.linalg.det(np.swapaxes(R, -1, -2) @ T)
        near[1:] |= hold[:-1] * hold[1:] * along < 0.0
    if not near.any():
        return None
    return float(solution.time_s[int(np.where(near, reach, np.inf).argmin())])


def motor_columns(model: ReferencePointModel, motors: Sequence[str]) -> IntArray:
    """Columns of the transmission matrix of named motors."""
    unknown = [name for name in motors if name not in model.motors]
    if unknown or not motors or len(set(motors)) < len(motors):
        there = ", ".join(model.motors) or "none"
        fault = f"there is no motor {', '.join(unknown)}" if unknown else "name each motor once"
        raise BiomecError(f"{model.name}: {fault}; the motors are {there}.")
    return np.array([model.motors.index(name) for name in motors], dtype=np.int64)


def free_directions(J: FloatArray) -> FloatArray:
    """R (T, n, f) with Φq R = 0 and RᵀR = I, from the singular value decomposition of Φq (T, m, n)."""
    _, values, Vt = np.linalg.svd(J, full_matrices=True)
    ranks = (values > 1e-9 * values.max(axis=-1, keepdims=True)).sum(axis=-1)
    rank = int(ranks.max(initial=0))
    return np.swapaxes(Vt[..., rank:, :], -1, -2)


def _reach(J: FloatArray, T: FloatArray) -> FloatArray:
    """How well motors can push along the free directions, (T,): 0 where they cannot."""
    B = np.swapaxes(free_directions(J), -1, -2) @ T
    if B.shape[-2] == 0:
        return np.ones(J.shape[0])
    if B.shape[-1] < B.shape[-2]:
        return np.zeros(J.shape[0])
    values = np.linalg.svd(B, compute_uv=False)
    return np.asarray(values[..., -1])


def _pseudo_inverse(
    J: FloatArray, T: FloatArray, required: FloatArray, weights: FloatArray, force_weight: float
) -> tuple[FloatArray, FloatArray]:
    """u and λ of X = W⁻¹ Pᵀ (P W⁻¹ Pᵀ)⁻¹ G with P = [Φqᵀ, −T] and G = Q − M q̈."""
    m, k = J.shape[-2], T.shape[-1]
    P = np.concatenate([np.swapaxes(J, -1, -2), np.broadcast_to(-T, (*J.shape[:-2], *T.shape))], axis=-1)
    scale = 1.0 / np.sqrt(np.concatenate([np.full(m, force_weight), weights]))
    X = scale * (np.linalg.pinv(P * scale) @ -required[..., None])[..., 0]
    return X[..., m : m + k], X[..., :m]


def _pointwise(J: FloatArray, T: FloatArray, required: FloatArray, weights: FloatArray) -> FloatArray:
    """u = W⁻¹ Bᵀ (B W⁻¹ Bᵀ)⁻¹ b with B = RᵀT, b = Rᵀ(M q̈ − Q): min Σ w u² at every instant."""
    RT = np.swapaxes(free_directions(J), -1, -2)
    scale = 1.0 / np.sqrt(weights)
    b = RT @ required[..., None]
    return np.asarray(scale * (np.linalg.pinv(RT @ T * scale) @ b)[..., 0])


def _smallest_peak(J: FloatArray, T: FloatArray, required: FloatArray) -> FloatArray:
    """min max |u| at every instant: a linear programme; with one degree of freedom u = sign(a) b / Σ|a|."""
    RT = np.swapaxes(free_directions(J), -1, -2)
    B, b = RT @ T, (RT @ required[..., None])[..., 0]
    if B.shape[-2] == 1:
        a = B[..., 0, :]
        return np.asarray(np.sign(a) * b / np.abs(a).sum(axis=-1, keepdims=True))
    from scipy.optimize import linprog  # slow to import

    k = T.shape[-1]
    cost = np.append(np.zeros(k), 1.0)
    within = np.block([[np.eye(k), -np.ones((k, 1))], [-np.eye(k), -np.ones((k, 1))]])
    bounds = [(None, None)] * k + [(0.0, None)]
    u = np.empty((len(b), k))
    for i in range(len(b)):  # each instant is its own programme
        found = linprog(cost, within, np.zeros(2 * k), np.hstack([B[i], np.zeros((len(B[i]), 1))]), b[i], bounds)
        u[i] = found.x[:k] if found.status == 0 else np.nan
    return u
