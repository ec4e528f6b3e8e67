"""Compiled motion of a tree in coordinates y, and how every coordinate moves it: R = ∂q/∂y, Ṙ and R̈.

Coordinates y are those of `joint_kernels.chart`: C = exp(y) C₀ for the root and spherical joints, C = exp(a y₁) C₀
exp(b y₂) for those with axes. Column i of R is a screw {v; a}, v = r × a, of everything beyond the joint, whose centre
is at r, so that elements move with a × s, and points with v as well. Along a motion,

    δq = R δy,   δq̇ = Ṙ δy + R δẏ,   δq̈ = R̈ δy + 2 Ṙ δẏ + R δÿ

because variations and derivatives in time may be exchanged: R̈ is what second derivatives of q would give.
"""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.compiled import compiled
from biomec.engine.tree.joint_kernels import JointSides, applied, times
from biomec.engine.tree.recursion import FREE, REVOLUTE, SPHERICAL, Branches, mapped
from biomec.engine.tree.restoring import Shapes
from biomec.engine.tree.vectors import cross, dot, exponential

SHORT = 0.5  # [rad] below this the series are exact to round-off, and quotients lose digits
TERMS = 9


@compiled
def _series(x: float, offset: int, to: FloatArray) -> None:
    """Σ (−x)ⁿ/(2n + offset)! as to[0], with to[1] = 2 d/dx of it and to[2] = 2 d/dx of that."""
    to[:] = 0.0
    factorial = 1.0
    for k in range(2, offset + 1):
        factorial *= k
    term = 1.0 / factorial
    first, second = 0.0, 0.0  # xⁿ⁻¹ and xⁿ⁻² terms without their factors n and n (n − 1)
    for n in range(TERMS):
        to[0] += term
        to[1] += 2.0 * n * first
        to[2] += 4.0 * n * (n - 1) * second
        ratio = -1.0 / ((2 * n + offset + 1) * (2 * n + offset + 2))
        second, first, term = first * ratio, term * ratio, term * ratio * x


@compiled
def turn_columns(
    v: FloatArray, vdot: FloatArray, vddot: FloatArray, J: FloatArray, Jdot: FloatArray, Jddot: FloatArray
) -> None:
    """Rows of J, J̇ and J̈ (3, 3) are the columns of J(v) = I + a V + b V² and its derivatives (`vectors`)."""
    x = dot(v, v)
    a, b = np.empty(3), np.empty(3)
    if x < SHORT * SHORT:
        _series(x, 2, a)
        _series(x, 3, b)
    else:
        theta = np.sqrt(x)
        s, c = np.sin(theta), np.cos(theta)
        n, m = theta * s - 2.0 * (1.0 - c), theta * (1.0 - c) - 3.0 * (theta - s)
        a[0], b[0] = (1.0 - c) / x, (theta - s) / (theta * x)
        a[1], b[1] = n / (x * x), m / (x * x * theta)
        a[2] = (theta * c - s) / (x * x * theta) - 4.0 * n / (x * x * x)
        b[2] = n / (x * x * x) - 5.0 * m / (x * x * x * theta)
    rate = dot(v, vdot)
    change = dot(vdot, vdot) + dot(v, vddot)
    adot, bdot = rate * a[1], rate * b[1]
    addot, bddot = change * a[1] + rate * rate * a[2], change * b[1] + rate * rate * b[2]
    speed, pull = dot(vdot, vdot), dot(v, vddot)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        # V has −v_k in row i, column j and v_j in row i, column k; here [column, row]
        J[j, i], J[k, i] = -a[0] * v[k], a[0] * v[j]
        Jdot[j, i] = -adot * v[k] - a[0] * vdot[k]
        Jdot[k, i] = adot * v[j] + a[0] * vdot[j]
        Jddot[j, i] = -addot * v[k] - 2.0 * adot * vdot[k] - a[0] * vddot[k]
        Jddot[k, i] = addot * v[j] + 2.0 * adot * vdot[j] + a[0] * vddot[j]
        J[i, i], Jdot[i, i], Jddot[i, i] = 1.0, 0.0, 0.0
    for i in range(3):
        for j in range(3):  # V² = v vᵀ − v·v I
            square = v[i] * v[j]
            first = v[i] * vdot[j] + vdot[i] * v[j]
            second = v[i] * vddot[j] + 2.0 * vdot[i] * vdot[j] + vddot[i] * v[j]
            if i == j:
                square -= x
                first -= 2.0 * rate
                second -= 2.0 * (speed + pull)
            J[j, i] += b[0] * square
            Jdot[j, i] += bdot * square + b[0] * first
            Jddot[j, i] += bddot * square + 2.0 * bdot * first + b[0] * second


@compiled
def _add_cross(a: FloatArray, b: FloatArray, factor: float, to: FloatArray) -> None:
    """to += factor a × b."""
    to[0] += factor * (a[1] * b[2] - a[2] * b[1])
    to[1] += factor * (a[2] * b[0] - a[0] * b[2])
    to[2] += factor * (a[0] * b[1] - a[1] * b[0])


@compiled
def chart_motion(
    tables: Branches,
    shapes: Shapes,
    sides: JointSides,
    base: FloatArray,
    y: FloatArray,
    ydot: FloatArray,
    yddot: FloatArray,
    s: FloatArray,
    sdot: FloatArray,
    sddot: FloatArray,
    b: FloatArray,
    bdot: FloatArray,
    bddot: FloatArray,
) -> None:
    """Elements s, ṡ, s̈ (S, 4, 3) at y, ẏ, ÿ (g,), and screws {v; a} (g, 6) of all coordinates with two derivatives."""
    steps = tables.body.size
    A, omega, alpha = np.empty((steps, 3, 3)), np.zeros((steps, 3)), np.zeros((steps, 3))
    J, Jdot, Jddot = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    turn, half, C = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    r, rdot, rddot = np.empty(3), np.empty(3), np.empty(3)
    v, arm, speed, e = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    b[:], bdot[:], bddot[:] = 0.0, 0.0, 0.0
    for k in range(steps):
        body, first, last = tables.body[k], tables.first[k], tables.first[k + 1]
        turning = first
        sign = tables.sign[k]
        axial = tables.kind[k] != FREE and tables.kind[k] != SPHERICAL
        if axial:
            J[:], Jdot[:], Jddot[:] = 0.0, 0.0, 0.0
            for j in range(last - first):
                for i in range(3):
                    J[j, i] = sides.axes[k, j, i]
            for i in range(3):
                v[i] = sides.axes[k, 0, i] * y[first]
            exponential(v, turn)
            times(turn, base[k], C)
            if tables.kind[k] != REVOLUTE:
                for i in range(3):
                    v[i] = sides.axes[k, 1, i] * y[first + 1]
                exponential(v, half)
                times(C, half, turn)
                C, turn = turn, C
        else:
            if tables.kind[k] == FREE:
                turning += 3
            turn_columns(y[turning:last], ydot[turning:last], yddot[turning:last], J, Jdot, Jddot)
            exponential(y[turning:last], turn)
            times(turn, base[k], C)
        if tables.kind[k] == FREE:
            sign = 1.0
            for i in range(3):
                for j in range(3):
                    A[body, i, j] = C[i, j]
                r[i], rdot[i], rddot[i] = y[i], ydot[i], yddot[i]
                b[i, i] = 1.0
        else:
            before = tables.body[tables.parent[k]]
            if sign > 0.0:
                times(A[before], C, A[body])
            else:
                times(A[before], C.T, A[body])
            for i in range(3):
                omega[body, i], alpha[body, i] = omega[before, i], alpha[before, i]
            mapped(shapes.at_parent[k], s[before], r)
            mapped(shapes.at_parent[k], sdot[before], rdot)
            mapped(shapes.at_parent[k], sddot[before], rddot)
        for i in range(turning, last):  # axes a in the laboratory, and the turning of the body
            j = i - turning
            if tables.kind[k] == FREE:
                for c in range(3):
                    b[i, 3 + c] = J[j, c]
            else:
                owner = sides.distal[k] if axial and j == 1 else sides.proximal[k]
                applied(A[owner], J[j], b[i, 3:])
            for c in range(3):
                b[i, 3 + c] *= sign
                omega[body, c] += b[i, 3 + c] * ydot[i]
                alpha[body, c] += b[i, 3 + c] * yddot[i]
        for i in range(turning, last):
            j = i - turning
            if tables.kind[k] == FREE:
                for c in range(3):
                    bdot[i, 3 + c] = Jdot[j, c]
            else:
                owner = sides.distal[k] if axial and j == 1 else sides.proximal[k]
                applied(A[owner], Jdot[j], bdot[i, 3:])
                for c in range(3):
                    bdot[i, 3 + c] *= sign
                _add_cross(omega[owner], b[i, 3:], 1.0, bdot[i, 3:])
            for c in range(3):
                alpha[body, c] += bdot[i, 3 + c] * ydot[i]
        for i in range(turning, last):  # ä = ω̇ × a + ω × (ȧ + A J̇) + A J̈
            j = i - turning
            if tables.kind[k] == FREE:
                for c in range(3):
                    bddot[i, 3 + c] = Jddot[j, c]
            else:
                owner = sides.distal[k] if axial and j == 1 else sides.proximal[k]
                applied(A[owner], Jdot[j], e)
                applied(A[owner], Jddot[j], bddot[i, 3:])
                for c in range(3):
                    bddot[i, 3 + c] *= sign
                    e[c] = sign * e[c] + bdot[i, 3 + c]
                _add_cross(alpha[owner], b[i, 3:], 1.0, bddot[i, 3:])
                _add_cross(omega[owner], e, 1.0, bddot[i, 3:])
            _add_cross(r, b[i, 3:], 1.0, b[i, :3])
            _add_cross(r, bdot[i, 3:], 1.0, bdot[i, :3])
            _add_cross(rdot, b[i, 3:], 1.0, bdot[i, :3])
            _add_cross(r, bddot[i, 3:], 1.0, bddot[i, :3])
            _add_cross(rdot, bdot[i, 3:], 2.0, bddot[i, :3])
            _add_cross(rddot, b[i, 3:], 1.0, bddot[i, :3])
        for j in range(5):  # first the arm from the joint's centre to the body's origin, then the elements
            if j == 0:
                applied(A[body], shapes.centre[k], arm)
            else:
                applied(A[body], shapes.local[body, j - 1], arm)
            cross(omega[body], arm, speed)
            cross(alpha[body], arm, e)
            _add_cross(omega[body], speed, 1.0, e)
            for i in range(3):
                if j == 0:
                    r[i] -= arm[i]
                    rdot[i] -= speed[i]
                    rddot[i] -= e[i]
                else:
                    p = tables.is_point[body, j - 1]
                    s[body, j - 1, i] = arm[i] + p * r[i]
                    sdot[body, j - 1, i] = speed[i] + p * rdot[i]
                    sddot[body, j - 1, i] = e[i] + p * rddot[i]
