"""Compiled loops over muscles in one state: where their bodies are, what they pull, what their pulls do to a system."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, IntArray
from biomec.base.compiled import compiled
from biomec.engine.forces.activation import activation_rate
from biomec.engine.forces.hill_curves import passive_energy
from biomec.engine.forces.hill_muscle import (
    DAMPING,
    LONGEST,
    SLACK,
    ElasticMuscle,
    HillParameters,
    RigidTendon,
    contractile_powers,
    elastic_energy,
    elastic_equilibrium,
    elastic_rate,
    rigid_forces,
)
from biomec.engine.forces.state_maps import StateMap, add_rows, add_torque, angular_velocity, read_rows

SHORTEST = 0.1  # of lopt: a fibre in a simulation does not become shorter
STEEPEST = 1.01  # nor shorter than this over the length at which it would stand across its tendon


@compiled
def muscle_poses(
    origins: StateMap, axes: StateMap, q: FloatArray, qdot: FloatArray, R: FloatArray, p: FloatArray,
    twist: FloatArray, e: FloatArray,
) -> None:  # fmt: skip
    """Attitudes (B, 3, 3), origins (B, 3) and twists (B, 6) about the laboratory's origin; e (9 B,) the axes."""
    count = p.shape[0]
    at, moving, rates, omega = np.empty(3 * count), np.empty(3 * count), np.empty(9 * count), np.empty(3)
    read_rows(origins, q, False, at)
    read_rows(origins, qdot, True, moving)
    read_rows(axes, q, False, e)
    read_rows(axes, qdot, True, rates)
    for b in range(count):
        angular_velocity(e, rates, b, omega)
        for c in range(3):
            i, j = (c + 1) % 3, (c + 2) % 3
            p[b, c] = at[3 * b + c]
            twist[b, c] = moving[3 * b + c] - (omega[i] * at[3 * b + j] - omega[j] * at[3 * b + i])
            twist[b, 3 + c] = omega[c]
            for k in range(3):
                R[b, c, k] = e[9 * b + 3 * k + c]


@compiled
def spread_pulls(
    origins: StateMap, axes: StateMap, at: FloatArray, e: FloatArray, body: IntArray, cord: IntArray,
    pull: FloatArray, force: FloatArray, Q: FloatArray,
) -> None:  # fmt: skip
    """Add to Q what the pulls (P, 6) of tensions (M,) [N] do: f through the origin r of the body, and m − r × f.

    at : (3 B,) origins;  e : (9 B,) axes
    """
    f, h = np.empty(3), np.empty(3)
    for k in range(pull.shape[0]):
        b, tension = body[k], force[cord[k]]
        for c in range(3):
            f[c] = tension * pull[k, c]
        for c in range(3):
            i, j = (c + 1) % 3, (c + 2) % 3
            h[c] = tension * pull[k, 3 + c] - (at[3 * b + i] * f[j] - at[3 * b + j] * f[i])
        add_rows(origins, 3 * b, f, Q)
        add_torque(axes, e, b, h, Q)


@compiled
def muscle_rates(
    muscles: HillParameters, length: FloatArray, speed: FloatArray, y: FloatArray, excitation: FloatArray,
    curves: int, elastic: BoolArray, dynamics: bool, force: FloatArray, rate: FloatArray,
) -> None:  # fmt: skip
    """Forces (M,) [N] and ẏ (2 M + 2,) of paths (M,) [m], [m/s] in states y: a, l̃, work put in, work taken out."""
    M = length.size
    rate[:] = 0.0
    made = _of_rigid(muscles, length, speed, curves)
    for m in range(M):
        a = excitation[m]
        if dynamics:
            a = min(max(y[m], 0.0), 1.0)
            rate[m] = activation_rate(excitation[m], y[m])
        if elastic[m]:
            one = one_muscle(muscles, m)
            v, fibre, force[m] = moving_fibre(one, length[m], y[M + m], a, curves)
            put_in, taken_out = contractile_powers(one, fibre, v, a, curves)
        else:
            v, active, passive = made.fibre_speed[0, m], a * made.optimum[0, m], made.passive[0, m]
            force[m] = _rigid_force(made, m, muscles.fmax[m], a)
            put_in, taken_out = -active * speed[m], (force[m] - active - passive) * speed[m]
        rate[M + m] = muscles.vmax[m] * v
        rate[2 * M] += put_in
        rate[2 * M + 1] += taken_out


@compiled
def moving_fibre(
    one: ElasticMuscle, length: float, fibre: float, activation: float, curves: int
) -> tuple[float, float, float]:
    """ṽ and length l̃ of a fibre that does not become shorter than `least_fibre`, and the tendon's force [N]."""
    least = least_fibre(one)
    held = max(fibre, least)
    v, force = elastic_rate(one, length, held, activation, curves)
    return (0.0 if fibre <= least and v < 0.0 else v), held, force


@compiled
def muscle_fibres(
    muscles: HillParameters,
    length: FloatArray,
    activation: FloatArray,
    curves: int,
    elastic: BoolArray,
    fibre: FloatArray,
) -> None:
    """Fill the fibre lengths (M,) over the optimal ones of muscles that stand still."""
    made = _of_rigid(muscles, length, np.zeros(length.size), curves)
    for m in range(length.size):
        fibre[m] = made.fibre_length[0, m]
        if elastic[m]:
            one = one_muscle(muscles, m)
            fibre[m] = max(elastic_equilibrium(one, length[m], activation[m], curves), least_fibre(one))


@compiled
def muscle_energy(
    muscles: HillParameters, length: FloatArray, fibre: FloatArray, curves: int, elastic: BoolArray
) -> float:
    """Energy in all tendons and passive fibres [J]; with a rigid tendon, f_P is one beyond a fibre length of 1.6."""
    total = 0.0
    for m in range(length.size):
        if elastic[m]:
            total += elastic_energy(one_muscle(muscles, m), length[m], fibre[m], curves)
        else:
            beyond = max(fibre[m] - LONGEST, 0.0)
            total += muscles.fmax[m] * muscles.lopt[m] * (passive_energy(curves, fibre[m] - beyond) + beyond)
    return float(total)


@compiled
def one_muscle(muscles: HillParameters, m: int) -> ElasticMuscle:
    """Parameters of muscle m."""
    return ElasticMuscle(muscles.fmax[m], muscles.lopt[m], muscles.lts[m], muscles.pennation[m], muscles.vmax[m])


@compiled
def least_fibre(one: ElasticMuscle) -> float:
    """Length over the optimal one below which a fibre does not go."""
    return float(max(SHORTEST, STEEPEST * np.sin(one.pennation)))


@compiled
def _of_rigid(muscles: HillParameters, length: FloatArray, speed: FloatArray, curves: int) -> RigidTendon:
    """Rigid tendons in one state."""
    M = length.size
    made = RigidTendon(
        np.empty((1, M)), np.empty((1, M)), np.empty((1, M)), np.empty((1, M)), np.empty((1, M)),
        np.empty((1, M), dtype=np.uint8),
    )  # fmt: skip
    rigid_forces(muscles, length.reshape((1, M)), speed.reshape((1, speed.size)), curves, made)
    return made


@compiled
def rigid_pull(one: ElasticMuscle, length: float, speed: float, activation: float, curves: int) -> float:
    """Force [N] of a muscle with a rigid tendon, damping included; a tendon never pushes."""
    single = HillParameters(
        np.array([one.fmax]), np.array([one.lopt]), np.array([one.lts]), np.array([one.pennation]),
        np.array([one.vmax]),
    )  # fmt: skip
    made = _of_rigid(single, np.array([length]), np.array([speed]), curves)
    return float(_rigid_force(made, 0, one.fmax, activation))


@compiled
def _rigid_force(made: RigidTendon, m: int, fmax: float, activation: float) -> float:
    if made.state[0, m] == SLACK:
        return 0.0
    damped = fmax * DAMPING * made.fibre_speed[0, m] * made.cosine[0, m]
    return float(max(0.0, activation * made.optimum[0, m] + made.passive[0, m] + damped))
