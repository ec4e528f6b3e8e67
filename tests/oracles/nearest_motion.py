"""The nearest motion of two bodies with a ball joint, as a programme for IPOPT, its mechanics written down anew.

Momentum and angular momentum are differentiated symbolically in time; splines are scipy's. Nothing of the engine is
used: neither natural coordinates nor recursions, nor bands.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
import scipy

GRAVITY = np.array([0.0, -9.81, 0.0])


@dataclass(frozen=True)
class TwoBodies:
    """masses, inertias about the centres of mass, and places in the bodies' axes [kg, kg m², m].

    com   : centres of mass from the first body's reference point, and from the joint in the second body
    joint : from the first body's reference point;  base : attitudes of the first body and of the second in it
    """

    mass: tuple[float, float]
    inertia: tuple[np.ndarray, np.ndarray]
    com: tuple[np.ndarray, np.ndarray]
    joint: np.ndarray
    base: tuple[np.ndarray, np.ndarray]


def _turn(v: ca.SX) -> ca.SX:
    angle = ca.sqrt(ca.dot(v, v) + 1e-30)  # 1e-15 rad off, so that derivatives exist at rest
    V = ca.skew(v)
    return ca.SX.eye(3) + ca.sin(angle) / angle * V + (1 - ca.cos(angle)) / angle**2 * (V @ V)


def _functions(bodies: TwoBodies) -> tuple[ca.Function, ca.Function]:
    """Wrench about the origin of y, ẏ, ÿ, and places and attitudes of y."""
    y, ydot, yddot = (ca.SX.sym(name, 9) for name in ("y", "v", "a"))

    def rate(x: ca.SX) -> ca.SX:
        return ca.jtimes(x, y, ydot) + ca.jtimes(x, ydot, yddot)

    R = [_turn(y[3:6]) @ bodies.base[0]]
    R.append(R[0] @ _turn(y[6:9]) @ bodies.base[1])
    p = [y[:3] + R[0] @ bodies.com[0], y[:3] + R[0] @ bodies.joint + R[1] @ bodies.com[1]]
    force, moment = ca.SX.zeros(3), ca.SX.zeros(3)
    for k in range(2):
        spin = ca.reshape(rate(ca.reshape(R[k], 9, 1)), 3, 3) @ R[k].T
        omega = ca.vertcat(spin[2, 1], spin[0, 2], spin[1, 0])
        f = bodies.mass[k] * (rate(rate(p[k])) - GRAVITY)
        force += f
        moment += ca.cross(p[k], f) + rate(R[k] @ bodies.inertia[k] @ R[k].T @ omega)
    places = ca.vertcat(*p, *(ca.reshape(one, 9, 1) for one in R))
    return ca.Function("wrench", [y, ydot, yddot], [ca.vertcat(force, moment)]), ca.Function("places", [y], [places])


def wrenches(bodies: TwoBodies, jets: list[np.ndarray]) -> np.ndarray:
    """(T, 6) of y, ẏ, ÿ (T, 9)."""
    wrench, _ = _functions(bodies)
    return np.array([np.asarray(wrench(*one)).ravel() for one in zip(*jets, strict=True)])


def nearest_coefficients(
    bodies: TwoBodies,
    times: np.ndarray,
    jets: list[np.ndarray],
    wanted: np.ndarray,
    position: float,
    turn: float,
    linear: bool = True,
) -> np.ndarray:
    """Coefficients (T, 9) of the least change in places and attitudes that gives ``wanted``.

    linear : to first order in the coefficients; otherwise distances of the bodies' centres, and of their axes
    """
    wrench, places = _functions(bodies)
    count = len(times)
    knots = scipy.interpolate.make_interp_spline(times, times, k=5).t
    basis = scipy.interpolate.BSpline(knots, np.eye(count), 5)
    values = [basis(times), basis.derivative(1)(times), basis.derivative(2)(times)]
    y = ca.SX.sym("y", 9)
    slope = ca.Function("slope", [y], [ca.jacobian(places(y), y)])
    size = np.concatenate([np.full(6, 1.0 / position), np.full(18, np.sqrt(0.5) / turn)])
    c = ca.MX.sym("c", 9, count)
    cost, rows = 0, []
    for k in range(count):
        if linear:
            change = np.asarray(slope(jets[0][k])) @ c[:, k]
        else:
            change = places(jets[0][k] + c @ values[0][k]) - places(jets[0][k])
        cost += ca.sumsqr(size * change) / 2
        moved = [jets[d][k] + c @ values[d][k] for d in range(3)]
        rows.append(wrench(*moved) - wanted[k])
    quiet = {"ipopt.print_level": 0, "print_time": False, "ipopt.tol": 1e-11, "ipopt.sb": "yes"}
    quiet |= {"ipopt.hessian_approximation": "limited-memory", "ipopt.max_iter": 500}
    solver = ca.nlpsol("nearest", "ipopt", {"x": ca.reshape(c, -1, 1), "f": cost, "g": ca.vertcat(*rows)}, quiet)
    found = solver(x0=np.zeros(9 * count), lbg=0.0, ubg=0.0)
    assert solver.stats()["success"]
    return np.asarray(found["x"]).reshape(count, 9)


def distance(bodies: TwoBodies, y: np.ndarray, change: np.ndarray, position: float, turn: float) -> float:
    """Root of the summed squares of what centres and axes move by, in usual errors, of y and its change (T, 9)."""
    _, places = _functions(bodies)
    size = np.concatenate([np.full(6, 1.0 / position), np.full(18, np.sqrt(0.5) / turn)])
    gaps = [np.asarray(places(a + b)).ravel() - np.asarray(places(a)).ravel() for a, b in zip(y, change, strict=True)]
    return float(np.sqrt(((size * np.array(gaps)) ** 2).sum()))
