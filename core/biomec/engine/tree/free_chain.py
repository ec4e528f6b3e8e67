"""Bodies that hang on each other by joints with six freedoms, in the coordinates of these joints: compiled kernels.

Body 0 is the ground. The coordinates of body i are its place and attitude in its parent p ([Mouzo2018] Eq. 2.18):

    z = (x, y, z, α, β, γ)      r_i = r_p + A_p (x, y, z)      A_i = A_p Rz(γ) Ry(β) Rx(α)
    ω_i = ω_p + A_p L φ̇         L = [[cβ cγ, −sγ, 0], [cβ sγ, cγ, 0], [−sβ, 0, 1]]

The source calls the angles turns about axes that move with the body; the printed L belongs to turns about the fixed
axes x, y, z of the parent, which is what stands here. L has no inverse at β = ±90°.

The matrix R of `recursion`, which takes ż to the velocities of all bodies, is square here: nothing is constrained.
M̄ z̈ = Q̄ then falls apart into the equations of Newton and Euler of every body, and z̈ follows from the parent outwards.
No matrix is factored, and a step costs as much as there are bodies.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.compiled import compiled
from biomec.engine.tree.vectors import cross


class FreeChain(NamedTuple):
    """Constants of B bodies, the ground among them as number 0.

    parent   : (B,) number of the body before, smaller than the body's own; −1 for the ground
    mass     : (B,) [kg];  com : (B, 3) centre of mass in the body's axes [m]
    inertia  : (B, 3, 3) about the centre of mass, in the body's axes [kg·m²];  inverse : (B, 3, 3) of it
    """

    parent: IntArray
    mass: FloatArray
    com: FloatArray
    inertia: FloatArray
    inverse: FloatArray


class ChainMotion(NamedTuple):
    """Where the bodies are and how they move, in axes of the ground.

    R, p    : (B, 3, 3) attitudes, columns are the axes; (B, 3) origins [m]
    turning : (B, 3, 3) A_p L: columns are the axes of the angles
    v, w    : (B, 3) velocities of the origins [m/s], (B, 3) angular velocities [rad/s]
    shift, spin : (B, 3) A_p ẋ and A_p L φ̇: velocities relative to the parent
    """

    R: FloatArray
    p: FloatArray
    turning: FloatArray
    v: FloatArray
    w: FloatArray
    shift: FloatArray
    spin: FloatArray


def free_chain(parent: IntArray, mass: FloatArray, com: FloatArray, inertia: FloatArray) -> FreeChain:
    """Constants of bodies 1 … B − 1; number 0, the ground, is added. Arrays are (B − 1, …), as in `FreeChain`."""
    inverse = np.linalg.inv(inertia)
    ground = np.zeros((1, 3, 3))
    return FreeChain(
        np.concatenate([[-1], parent]).astype(np.int64),
        np.concatenate([[0.0], mass]),
        np.concatenate([np.zeros((1, 3)), com]),
        np.concatenate([ground, inertia]),
        np.concatenate([ground, inverse]),
    )


def chain_motion(bodies: int) -> ChainMotion:
    """Room for the motion of bodies, the ground among them, which rests."""
    made = ChainMotion(
        np.zeros((bodies, 3, 3)), np.zeros((bodies, 3)), np.zeros((bodies, 3, 3)), np.zeros((bodies, 3)),
        np.zeros((bodies, 3)), np.zeros((bodies, 3)), np.zeros((bodies, 3)),
    )  # fmt: skip
    made.R[0] = np.eye(3)
    return made


@compiled
def place_chain(chain: FreeChain, z: FloatArray, motion: ChainMotion) -> None:
    """Attitudes, origins and axes of the angles at coordinates z (6 (B − 1),) [m, rad]."""
    R, p, turning = motion.R, motion.p, motion.turning
    for b in range(1, chain.mass.size):
        k, q = 6 * (b - 1), chain.parent[b]
        sa, ca = np.sin(z[k + 3]), np.cos(z[k + 3])
        sb, cb = np.sin(z[k + 4]), np.cos(z[k + 4])
        sg, cg = np.sin(z[k + 5]), np.cos(z[k + 5])
        for i in range(3):
            x, y, w = R[q, i, 0], R[q, i, 1], R[q, i, 2]
            p[b, i] = p[q, i] + x * z[k] + y * z[k + 1] + w * z[k + 2]
            e, f = cg * x + sg * y, cg * y - sg * x  # axes after the turn γ about z
            g = cb * e - sb * w
            R[b, i, 0] = g
            R[b, i, 1] = sa * (sb * e + cb * w) + ca * f
            R[b, i, 2] = ca * (sb * e + cb * w) - sa * f
            turning[b, i, 0] = g
            turning[b, i, 1] = f
            turning[b, i, 2] = w


@compiled
def move_chain(chain: FreeChain, zdot: FloatArray, motion: ChainMotion) -> None:
    """Velocities of all bodies, which are where `place_chain` put them, at rates ż (6 (B − 1),)."""
    arm, turn = np.empty(3), np.empty(3)
    for b in range(1, chain.mass.size):
        k, q = 6 * (b - 1), chain.parent[b]
        for i in range(3):
            arm[i] = motion.p[b, i] - motion.p[q, i]
            motion.shift[b, i], motion.spin[b, i] = 0.0, 0.0
            for j in range(3):
                motion.shift[b, i] += motion.R[q, i, j] * zdot[k + j]
                motion.spin[b, i] += motion.turning[b, i, j] * zdot[k + 3 + j]
            motion.w[b, i] = motion.w[q, i] + motion.spin[b, i]
        cross(motion.w[q], arm, turn)
        for i in range(3):
            motion.v[b, i] = motion.v[q, i] + turn[i] + motion.shift[b, i]


@compiled
def chain_accelerations(
    chain: FreeChain,
    motion: ChainMotion,
    z: FloatArray,
    zdot: FloatArray,
    load: FloatArray,
    zddot: FloatArray,
    origin: FloatArray,
    angular: FloatArray,
) -> None:
    """z̈ (6 (B − 1),) under loads (B, 6), the force and its moment about the body's origin, in axes of the ground.

    Of every body, with g its centre of mass, c = g − r and J its inertia about g ([Mouzo2018] Eqs. 2.12-2.20):

        m g̈ = f      J ω̇ = n − c × f − ω × J ω      r̈ = g̈ − ω̇ × c − ω × (ω × c)
        A_p ẍ = r̈ − r̈_p − ω̇_p × d − ω_p × (ω_p × d) − 2 ω_p × A_p ẋ,      d = r − r_p
        A_p L φ̈ = ω̇ − ω̇_p − ω_p × A_p L φ̇ − A_p L̇ φ̇

    origin, angular : (B, 3) filled with r̈ and ω̇
    """
    c, u, h, n, d = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    R, w = motion.R, motion.w
    for b in range(1, chain.mass.size):
        k, q = 6 * (b - 1), chain.parent[b]
        for i in range(3):
            c[i] = R[b, i, 0] * chain.com[b, 0] + R[b, i, 1] * chain.com[b, 1] + R[b, i, 2] * chain.com[b, 2]
            u[i] = R[b, 0, i] * w[b, 0] + R[b, 1, i] * w[b, 1] + R[b, 2, i] * w[b, 2]  # ω in the body's axes
        cross(c, load[b, :3], n)
        for i in range(3):
            h[i] = chain.inertia[b, i, 0] * u[0] + chain.inertia[b, i, 1] * u[1] + chain.inertia[b, i, 2] * u[2]
            n[i] = load[b, 3 + i] - n[i]
        cross(u, h, d)
        for i in range(3):
            h[i] = R[b, 0, i] * n[0] + R[b, 1, i] * n[1] + R[b, 2, i] * n[2] - d[i]
        for i in range(3):
            u[i] = chain.inverse[b, i, 0] * h[0] + chain.inverse[b, i, 1] * h[1] + chain.inverse[b, i, 2] * h[2]
        for i in range(3):
            angular[b, i] = R[b, i, 0] * u[0] + R[b, i, 1] * u[1] + R[b, i, 2] * u[2]
        cross(angular[b], c, u)
        cross(w[b], c, h)
        cross(w[b], h, n)
        for i in range(3):
            origin[b, i] = load[b, i] / chain.mass[b] - u[i] - n[i]
            d[i] = motion.p[b, i] - motion.p[q, i]
        cross(angular[q], d, u)
        cross(w[q], d, h)
        cross(w[q], h, n)
        cross(w[q], motion.shift[b], h)
        for i in range(3):
            d[i] = origin[b, i] - origin[q, i] - u[i] - n[i] - 2.0 * h[i]
        cross(w[q], motion.spin[b], h)
        for i in range(3):
            c[i] = angular[b, i] - angular[q, i] - h[i]
        for i in range(3):  # into the axes of the parent
            zddot[k + i] = R[q, 0, i] * d[0] + R[q, 1, i] * d[1] + R[q, 2, i] * d[2]
            u[i] = R[q, 0, i] * c[0] + R[q, 1, i] * c[1] + R[q, 2, i] * c[2]
        sb, cb = np.sin(z[k + 4]), np.cos(z[k + 4])
        sg, cg = np.sin(z[k + 5]), np.cos(z[k + 5])
        da, db, dg = zdot[k + 3], zdot[k + 4], zdot[k + 5]
        u[0] -= (-sb * cg * db - cb * sg * dg) * da - cg * dg * db
        u[1] -= (-sb * sg * db + cb * cg * dg) * da - sg * dg * db
        u[2] -= -cb * db * da
        zddot[k + 3] = (cg * u[0] + sg * u[1]) / cb
        zddot[k + 4] = cg * u[1] - sg * u[0]
        zddot[k + 5] = u[2] + sb * zddot[k + 3]


@compiled
def add_joint_load(
    chain: FreeChain, motion: ChainMotion, b: int, z: FloatArray, Q: FloatArray, load: FloatArray
) -> None:
    """Add generalised forces Q (6,) conjugate to the coordinates of body b, and their reactions, to loads (B, 6).

    The force A_p Q_x acts at the origin of b, with the torque τ of (A_p L)ᵀ τ = Q_φ; the parent gets the opposite.
    """
    k, q = 6 * (b - 1), chain.parent[b]
    sb, cb = np.sin(z[k + 4]), np.cos(z[k + 4])
    sg, cg = np.sin(z[k + 5]), np.cos(z[k + 5])
    s = (Q[3] + sb * Q[5]) / cb
    tx, ty, tz = cg * s - sg * Q[4], sg * s + cg * Q[4], Q[5]
    f, d, turn = np.empty(3), np.empty(3), np.empty(3)
    for i in range(3):
        x, y, w = motion.R[q, i, 0], motion.R[q, i, 1], motion.R[q, i, 2]
        f[i] = x * Q[0] + y * Q[1] + w * Q[2]
        d[i] = motion.p[b, i] - motion.p[q, i]
        torque = x * tx + y * ty + w * tz
        load[b, i] += f[i]
        load[b, 3 + i] += torque
        load[q, i] -= f[i]
        load[q, 3 + i] -= torque
    cross(d, f, turn)
    for i in range(3):
        load[q, 3 + i] -= turn[i]


@compiled
def joint_forces(chain: FreeChain, motion: ChainMotion, load: FloatArray, Q: FloatArray) -> None:
    """Generalised forces Q (6 (B − 1),) of loads (B, 6), by accumulation from the ends: A_pᵀ F and (A_p L)ᵀ N."""
    total = load.copy()
    turn, d = np.empty(3), np.empty(3)
    for b in range(chain.mass.size - 1, 0, -1):
        k, q = 6 * (b - 1), chain.parent[b]
        for i in range(3):
            Q[k + i], Q[k + 3 + i] = 0.0, 0.0
            for j in range(3):
                Q[k + i] += motion.R[q, j, i] * total[b, j]
                Q[k + 3 + i] += motion.turning[b, j, i] * total[b, 3 + j]
            d[i] = motion.p[b, i] - motion.p[q, i]
        cross(d, total[b, :3], turn)
        for i in range(3):
            total[q, i] += total[b, i]
            total[q, 3 + i] += total[b, 3 + i] + turn[i]


@compiled
def chain_kinetic_energy(chain: FreeChain, motion: ChainMotion) -> float:
    """½ Σ m ġ² + ω·Jω [J]."""
    c, turn, u = np.empty(3), np.empty(3), np.empty(3)
    total = 0.0
    for b in range(1, chain.mass.size):
        R = motion.R[b]
        for i in range(3):
            c[i] = R[i, 0] * chain.com[b, 0] + R[i, 1] * chain.com[b, 1] + R[i, 2] * chain.com[b, 2]
            u[i] = R[0, i] * motion.w[b, 0] + R[1, i] * motion.w[b, 1] + R[2, i] * motion.w[b, 2]
        cross(motion.w[b], c, turn)
        for i in range(3):
            speed = motion.v[b, i] + turn[i]
            total += chain.mass[b] * speed * speed
            for j in range(3):
                total += u[i] * chain.inertia[b, i, j] * u[j]
    return 0.5 * total
