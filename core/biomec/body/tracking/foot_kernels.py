"""Compiled forces of spheres under a foot whose motion is known, and how much that motion may be wrong.

Markers place a foot to a few millimetres, and a tenth of one presses its spheres with 100 N. So every frame may have a
correction c of the foot, as small as it explains the forces:

    min_c ‖(f(c) − f*)/σ_f‖² + ‖c/σ_c‖²,   c = (lift, turns about X and Z; speed along X and Z, turning about Y)

by Levenberg and Marquardt's steps with the slopes of the contact law.
"""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.compiled import compiled
from biomec.engine.forces.contact_kernels import contact_force, contact_slopes, hunt_crossley

STEPS = 8  # of a frame's correction
SIZE = 6


@compiled
def foot_force(
    height: float,
    attitude: FloatArray,
    velocity: FloatArray,
    omega: FloatArray,
    centres: FloatArray,
    radii: FloatArray,
    law: FloatArray,
    c: FloatArray,
    found: FloatArray,
    slope: FloatArray,
) -> None:
    """Force and moment about the foot's origin (6,), and their slopes (6, 6) with the correction c (6,).

    height : of the foot's origin above the floor [m];  law : K, n, λ, μ, v_s
    """
    n = np.array([0.0, 1.0, 0.0])
    arm, v, force, normal, column = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    stiffness, damping = np.empty((3, 3)), np.empty((3, 3))
    found[:] = 0.0
    slope[:] = 0.0
    for s in range(radii.size):
        for i in range(3):
            arm[i] = 0.0
            for j in range(3):
                arm[i] += attitude[i, j] * centres[s, j]
        lift = c[0] + c[2] * arm[0] - c[1] * arm[2]
        depth = radii[s] - height - arm[1] - lift
        if not depth > 0.0:
            continue
        arm[1] -= radii[s]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            v[i] = velocity[i] + omega[j] * arm[k] - omega[k] * arm[j]
        v[0] += c[3] + c[5] * arm[2]
        v[2] += c[4] - c[5] * arm[0]
        hunt_crossley(depth, -v[1], law[0], law[1], law[2], normal)
        contact_force(normal[0], v, n, law[3], law[4], 0.0, force)
        contact_slopes(normal, v, n, law[3], law[4], 0.0, stiffness, damping)
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            found[i] += force[i]
            found[3 + i] += arm[j] * force[k] - arm[k] * force[j]
        for p in range(SIZE):
            for i in range(3):
                if p == 0:
                    column[i] = stiffness[i, 1]
                elif p == 1:
                    column[i] = -stiffness[i, 1] * arm[2]
                elif p == 2:
                    column[i] = stiffness[i, 1] * arm[0]
                elif p == 3:
                    column[i] = damping[i, 0]
                elif p == 4:
                    column[i] = damping[i, 2]
                else:
                    column[i] = damping[i, 0] * arm[2] - damping[i, 2] * arm[0]
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                slope[i, p] += column[i]
                slope[3 + i, p] += arm[j] * column[k] - arm[k] * column[j]


@compiled
def _squares(found: FloatArray, wanted: FloatArray, scale: FloatArray, c: FloatArray, sigma: FloatArray) -> float:
    total = 0.0
    for i in range(SIZE):
        total += ((found[i] - wanted[i]) * scale[i]) ** 2 + (c[i] / sigma[i]) ** 2
    return total


@compiled
def _solved(A: FloatArray, b: FloatArray, x: FloatArray) -> None:
    """x of A x = b for a positive definite A (6, 6), which is replaced by its factor."""
    for i in range(SIZE):
        for j in range(i + 1):
            value = A[i, j]
            for k in range(j):
                value -= A[i, k] * A[j, k]
            A[i, j] = np.sqrt(value) if i == j else value / A[j, j]
    for i in range(SIZE):
        x[i] = b[i]
        for k in range(i):
            x[i] -= A[i, k] * x[k]
        x[i] /= A[i, i]
    for i in range(SIZE - 1, -1, -1):
        for k in range(i + 1, SIZE):
            x[i] -= A[k, i] * x[k]
        x[i] /= A[i, i]


@compiled
def foot_forces(
    height: FloatArray,
    attitude: FloatArray,
    velocity: FloatArray,
    omega: FloatArray,
    wanted: FloatArray,
    centres: FloatArray,
    radii: FloatArray,
    law: FloatArray,
    scale: FloatArray,
    sigma: FloatArray,
    found: FloatArray,
    corrections: FloatArray,
) -> None:
    """Forces and moments (F, 6) of a foot over frames, and corrections (F, 6) with which they come near those wanted.

    scale : (6,) 1/σ_f;  sigma : (6,) σ_c; the first of them 0: no corrections
    """
    A, g, step, trial, f_trial = np.empty((6, 6)), np.empty(6), np.empty(6), np.empty(6), np.empty(6)
    slope, slope_trial = np.empty((6, 6)), np.empty((6, 6))
    for t in range(height.size):
        c, f = corrections[t], found[t]
        c[:] = 0.0
        foot_force(height[t], attitude[t], velocity[t], omega[t], centres, radii, law, c, f, slope)
        if not sigma[0] > 0.0:
            continue
        best, damping = _squares(f, wanted[t], scale, c, sigma), 1e-3
        for _ in range(STEPS):
            for i in range(SIZE):
                g[i] = -c[i] / sigma[i]
                for p in range(SIZE):
                    g[i] -= sigma[i] * slope[p, i] * scale[p] ** 2 * (f[p] - wanted[t, p])
                for j in range(i + 1):
                    A[i, j] = 1.0 + damping if i == j else 0.0
                    for p in range(SIZE):
                        A[i, j] += sigma[i] * slope[p, i] * scale[p] ** 2 * slope[p, j] * sigma[j]
            _solved(A, g, step)
            length = 0.0
            for i in range(SIZE):
                trial[i] = c[i] + sigma[i] * step[i]
                length += step[i] * step[i]
            foot_force(height[t], attitude[t], velocity[t], omega[t], centres, radii, law, trial, f_trial, slope_trial)
            now = _squares(f_trial, wanted[t], scale, trial, sigma)
            if now < best:
                c[:], f[:], slope[:] = trial, f_trial, slope_trial
                best, damping = now, 0.1 * damping
                if length < 1e-6:
                    break
            else:
                damping = 10.0 * damping + 1e-2
