"""Compiled geodesics of an ellipsoid, and how their ends move with their beginnings (theory of muscles §2.4).

With D = diag(1/a²) and G = D x a geodesic obeys x″ = −(x′ᵀ D x′)/(G·G) G, and keeps c = (x′ᵀ D x′)(G·G) [Jacobi1839].
So neither its acceleration nor that of the distance y to a neighbouring geodesic, which Gauss's curvature bends,

    x″ = −c D x/(G·G)²,      y″ = −y/(a1 a2 a3 G·G)²

depends on velocities, and the method of [Nystroem1925] of fifth order needs four evaluations a step.
"""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.compiled import compiled
from biomec.engine.paths.vectors import Vector, vector

STEP = 0.12  # longest step, as a part of the smallest semi-axis; ends then lie within 5e-6 of the length, mostly 1e-7
SMALLEST_STEPS, MOST_STEPS = 2, 80


@compiled
def steps_for(smallest: float, length: float) -> int:
    """Number of steps for a geodesic of some length on an ellipsoid with this smallest semi-axis."""
    return min(MOST_STEPS, SMALLEST_STEPS + int(max(length, 0.0) / (STEP * smallest)))


@compiled
def geodesic(
    size: Vector, x: Vector, d: Vector, y: float, rate: float, length: float, steps: int
) -> tuple[Vector, Vector, float, float]:
    """Where point x and unit tangent d come to after ``length`` [m]; distance y and rate y′ of a neighbour."""
    i0, i1, i2 = 1.0 / size[0] ** 2, 1.0 / size[1] ** 2, 1.0 / size[2] ** 2
    x0, x1, x2 = x
    d0, d1, d2 = d
    g0, g1, g2 = i0 * x0, i1 * x1, i2 * x2
    c = -(i0 * d0 * d0 + i1 * d1 * d1 + i2 * d2 * d2) * (g0 * g0 + g1 * g1 + g2 * g2)
    s0, s1, s2, s3 = c * i0, c * i1, c * i2, -i0 * i1 * i2
    i0, i1, i2 = i0 * i0, i1 * i1, i2 * i2
    h = length / steps
    hh = h * h
    for _ in range(steps):
        f = i0 * x0 * x0 + i1 * x1 * x1 + i2 * x2 * x2
        f = 1.0 / (f * f)
        k0, k1, k2, k3 = f * s0 * x0, f * s1 * x1, f * s2 * x2, f * s3 * y
        a, b = h / 5.0, hh / 50.0
        u0, u1, u2, u3 = x0 + a * d0 + b * k0, x1 + a * d1 + b * k1, x2 + a * d2 + b * k2, y + a * rate + b * k3
        f = i0 * u0 * u0 + i1 * u1 * u1 + i2 * u2 * u2
        f = 1.0 / (f * f)
        l0, l1, l2, l3 = f * s0 * u0, f * s1 * u1, f * s2 * u2, f * s3 * u3
        a, b = h / 1.5, hh / 27.0
        u0, u1, u2 = (
            x0 + a * d0 + b * (7.0 * l0 - k0),
            x1 + a * d1 + b * (7.0 * l1 - k1),
            x2 + a * d2 + b * (7.0 * l2 - k2),
        )
        u3 = y + a * rate + b * (7.0 * l3 - k3)
        f = i0 * u0 * u0 + i1 * u1 * u1 + i2 * u2 * u2
        f = 1.0 / (f * f)
        m0, m1, m2, m3 = f * s0 * u0, f * s1 * u1, f * s2 * u2, f * s3 * u3
        b = hh / 70.0
        u0 = x0 + h * d0 + b * (21.0 * k0 - 4.0 * l0 + 18.0 * m0)
        u1 = x1 + h * d1 + b * (21.0 * k1 - 4.0 * l1 + 18.0 * m1)
        u2 = x2 + h * d2 + b * (21.0 * k2 - 4.0 * l2 + 18.0 * m2)
        u3 = y + h * rate + b * (21.0 * k3 - 4.0 * l3 + 18.0 * m3)
        f = i0 * u0 * u0 + i1 * u1 * u1 + i2 * u2 * u2
        f = 1.0 / (f * f)
        b = hh / 336.0
        x0 += h * d0 + b * (14.0 * k0 + 100.0 * l0 + 54.0 * m0)
        x1 += h * d1 + b * (14.0 * k1 + 100.0 * l1 + 54.0 * m1)
        x2 += h * d2 + b * (14.0 * k2 + 100.0 * l2 + 54.0 * m2)
        y += h * rate + b * (14.0 * k3 + 100.0 * l3 + 54.0 * m3)
        b = h / 336.0
        d0 += b * (14.0 * k0 + 125.0 * l0 + 162.0 * m0 + 35.0 * f * s0 * u0)
        d1 += b * (14.0 * k1 + 125.0 * l1 + 162.0 * m1 + 35.0 * f * s1 * u1)
        d2 += b * (14.0 * k2 + 125.0 * l2 + 162.0 * m2 + 35.0 * f * s2 * u2)
        rate += b * (14.0 * k3 + 125.0 * l3 + 162.0 * m3 + 35.0 * f * s3 * u3)
    return (x0, x1, x2), (d0, d1, d2), y, rate


def geodesic_points(
    size: FloatArray, start: FloatArray, towards: FloatArray, step: float, most: int
) -> tuple[FloatArray, FloatArray]:
    """Points and directions (most + 1, 3) every ``step`` [m] along the geodesic from a point in a tangent direction."""
    points, along = np.empty((2, most + 1, 3))
    points[0], along[0] = start, towards
    _points(size, step, points, along)
    return points, along


@compiled
def _points(size: FloatArray, step: float, points: FloatArray, along: FloatArray) -> None:
    x, d = vector(points[0]), vector(along[0])
    for k in range(1, len(points)):
        x, d, _, _ = geodesic(vector(size), x, d, 0.0, 0.0, step, 1)
        for i in range(3):
            points[k, i], along[k, i] = x[i], d[i]
