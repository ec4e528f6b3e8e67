"""Compiled steps of the head and neck: forces of all elements in one state, and two integrators over them.

    symplectic Euler    ż⁺ = ż + h z̈(z, ż)    z⁺ = z + h ż⁺    y⁺ = y + h ẏ          [Mouzo2018] §4.3
    Runge-Kutta         the classic one of fourth order, four evaluations a step

y holds activations and fibre lengths. Works are integrated with the motion: P = Σ load · twist over the bodies, for
each kind of load. Symplectic Euler is the leapfrog scheme with velocities half a step late; velocities between two
steps, ż + ½ h z̈, belong to the time of z, and energies and works are taken with them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.compiled import compiled
from biomec.engine.forces.activation import activation_rate
from biomec.engine.forces.discs import Discs, disc_load
from biomec.engine.forces.hill_curves import THELEN
from biomec.engine.forces.hill_muscle import HillParameters
from biomec.engine.forces.ligaments import Ligaments, ligament_pull
from biomec.engine.forces.muscle_kernels import moving_fibre, one_muscle
from biomec.engine.forces.polylines import LinePoints, Polylines, line_points, pull_line, trace_lines
from biomec.engine.forces.sphere_plane import SpherePlanes, contact_push, overlap
from biomec.engine.tree.free_chain import (
    ChainMotion,
    FreeChain,
    add_joint_load,
    chain_accelerations,
    chain_kinetic_energy,
    chain_motion,
    move_chain,
    place_chain,
)
from biomec.engine.tree.vectors import cross

EULER, RUNGE_KUTTA = 0, 1
CURVES = THELEN
ELASTIC, DISC, LIGAMENT, CONTACT, MUSCLE, BLOW = range(6)
LOADS = 6
FARTHEST, STEEPEST = 0.5, 1.5  # [m], [rad]: a joint that opens or turns further has come apart


class NeckTables(NamedTuple):
    """Constants of the model; body 0 is T1.

    gravity : (3,) [m/s²]
    head    : number of the body that is hit;  point : (3,) of it, in its axes [m];  direction : (3,) of the blow, a
              unit vector in axes of the ground
    """

    chain: FreeChain
    gravity: FloatArray
    discs: Discs
    ligament_lines: Polylines
    ligaments: Ligaments
    muscle_lines: Polylines
    muscles: HillParameters
    contacts: SpherePlanes
    head: int
    point: FloatArray
    direction: FloatArray


class NeckState(NamedTuple):
    """z, ż (48,); y (2 M,) activations and fibre lengths over the optimal ones; onset (C,) greatest closing rates."""

    z: FloatArray
    zdot: FloatArray
    y: FloatArray
    onset: FloatArray


class NeckWork(NamedTuple):
    """Room for one evaluation, and what it leaves: loads by kind (6, B, 6), forces of the elements, accelerations."""

    motion: ChainMotion
    loads: FloatArray
    total: FloatArray
    ligament_points: LinePoints
    muscle_points: LinePoints
    ligament: FloatArray  # (3, N) length, speed, tension
    muscle: FloatArray  # (3, M) length, speed, force of the tendon
    yrate: FloatArray  # (2 M,)
    contact: FloatArray  # (3, C) depth, rate, force
    disc: FloatArray  # (2, D, 6) elastic and damping generalised forces
    origin: FloatArray  # (B, 3) accelerations of the origins
    angular: FloatArray  # (B, 3)
    zddot: FloatArray


def neck_work(tables: NeckTables) -> NeckWork:
    """Room for evaluations of a model."""
    bodies, lines, muscles = tables.chain.mass.size, tables.ligaments.rest.size, tables.muscles.fmax.size
    return NeckWork(
        chain_motion(bodies), np.zeros((LOADS, bodies, 6)), np.zeros((bodies, 6)), line_points(tables.ligament_lines),
        line_points(tables.muscle_lines), np.zeros((3, lines)), np.zeros((3, muscles)), np.zeros(2 * muscles),
        np.zeros((3, tables.contacts.radius.size)), np.zeros((2, tables.discs.body.size, 6)), np.zeros((bodies, 3)),
        np.zeros((bodies, 3)), np.zeros(6 * (bodies - 1)),
    )  # fmt: skip


@compiled
def evaluate(tables: NeckTables, state: NeckState, excitation: FloatArray, blow: float, work: NeckWork) -> float:
    """Forces, z̈ and ẏ in a state; returns the potential energy of discs, ligaments, contacts and weight [J].

    excitation : (M,);  blow : force of the blow [N]
    """
    chain, motion, loads = tables.chain, work.motion, work.loads
    z, zdot, y, onset = state
    place_chain(chain, z, motion)
    move_chain(chain, zdot, motion)
    loads[:] = 0.0
    energy = _discs(tables, z, zdot, work)
    R, p = motion.R, motion.p
    energy += _ligaments(tables, work)
    _muscles(tables, y, excitation, work)
    energy += _contacts(tables, onset, work)
    arm, force, turn = np.empty(3), np.empty(3), np.empty(3)
    b = tables.head
    for i in range(3):
        arm[i] = R[b, i, 0] * tables.point[0] + R[b, i, 1] * tables.point[1] + R[b, i, 2] * tables.point[2]
        force[i] = blow * tables.direction[i]
    cross(arm, force, turn)
    for i in range(3):
        loads[BLOW, b, i] += force[i]
        loads[BLOW, b, 3 + i] += turn[i]
    for b in range(1, chain.mass.size):
        for i in range(6):
            work.total[b, i] = 0.0
            for kind in range(LOADS):
                work.total[b, i] += loads[kind, b, i]
        for i in range(3):
            arm[i] = R[b, i, 0] * chain.com[b, 0] + R[b, i, 1] * chain.com[b, 1] + R[b, i, 2] * chain.com[b, 2]
            force[i] = chain.mass[b] * tables.gravity[i]
            energy -= force[i] * (p[b, i] + arm[i])
        cross(arm, force, turn)
        for i in range(3):
            work.total[b, i] += force[i]
            work.total[b, 3 + i] += turn[i]
    chain_accelerations(chain, motion, z, zdot, work.total, work.zddot, work.origin, work.angular)
    return energy


@compiled
def _discs(tables: NeckTables, z: FloatArray, zdot: FloatArray, work: NeckWork) -> float:
    energy = 0.0
    for d in range(tables.discs.body.size):
        b = tables.discs.body[d]
        part = slice(6 * (b - 1), 6 * b)
        elastic, damping = work.disc[0, d], work.disc[1, d]
        energy += disc_load(tables.discs, d, z[part], zdot[part], elastic, damping)
        add_joint_load(tables.chain, work.motion, b, z, elastic, work.loads[ELASTIC])
        add_joint_load(tables.chain, work.motion, b, z, damping, work.loads[DISC])
    return energy


@compiled
def _ligaments(tables: NeckTables, work: NeckWork) -> float:
    motion, lines, points = work.motion, tables.ligament_lines, work.ligament_points
    length, speed, tension = work.ligament
    trace_lines(lines, motion.R, motion.p, motion.v, motion.w, points, length, speed)
    energy = 0.0
    for n in range(length.size):
        elastic, damping, stored = ligament_pull(tables.ligaments, n, length[n], speed[n])
        tension[n] = elastic + damping
        energy += stored
        if elastic > 0.0:
            pull_line(lines, n, points, elastic, work.loads[ELASTIC])
            pull_line(lines, n, points, damping, work.loads[LIGAMENT])
    return energy


@compiled
def _muscles(tables: NeckTables, y: FloatArray, excitation: FloatArray, work: NeckWork) -> None:
    motion, lines, points = work.motion, tables.muscle_lines, work.muscle_points
    length, speed, force = work.muscle
    trace_lines(lines, motion.R, motion.p, motion.v, motion.w, points, length, speed)
    M = length.size
    for m in range(M):
        a = min(max(y[m], 0.0), 1.0)
        work.yrate[m] = 0.0 if excitation[m] == y[m] else activation_rate(excitation[m], y[m])
        velocity, _, force[m] = moving_fibre(one_muscle(tables.muscles, m), length[m], y[M + m], a, CURVES)
        work.yrate[M + m] = tables.muscles.vmax[m] * velocity
        if force[m] > 0.0:
            pull_line(lines, m, points, force[m], work.loads[MUSCLE])


@compiled
def _contacts(tables: NeckTables, onset: FloatArray, work: NeckWork) -> float:
    pairs, motion = tables.contacts, work.motion
    at, normal, arm, turn = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    energy = 0.0
    for n in range(pairs.radius.size):
        depth, rate = overlap(pairs, n, motion.R, motion.p, motion.v, motion.w, at, normal)
        elastic, damping, stored = contact_push(pairs, n, depth, rate, max(onset[n], rate))
        work.contact[0, n], work.contact[1, n], work.contact[2, n] = depth, rate, elastic + damping
        energy += stored
        if elastic == 0.0:
            continue
        for side in range(2):
            b = pairs.sphere[n] if side == 0 else pairs.plane[n]
            sign = 1.0 if side == 0 else -1.0
            for i in range(3):
                arm[i] = at[i] - motion.p[b, i]
            cross(arm, normal, turn)
            for i in range(3):
                work.loads[ELASTIC, b, i] += sign * elastic * normal[i]
                work.loads[ELASTIC, b, 3 + i] += sign * elastic * turn[i]
                work.loads[CONTACT, b, i] += sign * damping * normal[i]
                work.loads[CONTACT, b, 3 + i] += sign * damping * turn[i]
    return energy


@compiled
def _powers(work: NeckWork, powers: FloatArray) -> None:
    """P (6,) of every kind of load at the velocities in the motion [W]."""
    for kind in range(LOADS):
        total = 0.0
        for b in range(1, work.total.shape[0]):
            for i in range(3):
                total += work.loads[kind, b, i] * work.motion.v[b, i] + work.loads[kind, b, 3 + i] * work.motion.w[b, i]
        powers[kind] = total


@compiled
def _remember(work: NeckWork, onset: FloatArray) -> None:
    for n in range(onset.size):
        onset[n] = max(onset[n], work.contact[1, n]) if work.contact[0, n] > 0.0 else 0.0


@compiled
def _head(tables: NeckTables, work: NeckWork, to: FloatArray) -> None:
    """Acceleration of the head's centre of mass and its angular velocity (6,), in the head's axes."""
    b, motion = tables.head, work.motion
    R, w = motion.R[b], motion.w[b]
    c, a, h, n = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for i in range(3):
        c[i] = R[i, 0] * tables.chain.com[b, 0] + R[i, 1] * tables.chain.com[b, 1] + R[i, 2] * tables.chain.com[b, 2]
    cross(work.angular[b], c, a)
    cross(w, c, h)
    cross(w, h, n)
    for i in range(3):
        a[i] += work.origin[b, i] + n[i]
    for i in range(3):
        to[i] = R[0, i] * a[0] + R[1, i] * a[1] + R[2, i] * a[2]
        to[3 + i] = R[0, i] * w[0] + R[1, i] * w[1] + R[2, i] * w[2]


@compiled
def _lost(state: NeckState, work: NeckWork) -> bool:
    for j in range(state.z.size):
        if not (abs(state.z[j]) < (FARTHEST if j % 6 < 3 else STEEPEST) and abs(work.zddot[j]) < 1e12):
            return True
    return False


class Record(NamedTuple):
    """What is kept of F frames, a row every ``every`` steps, and of the head at every one of K steps.

    z, zdot : (F, 48);  y : (F, 2 M);  onset : (F, C)
    energy  : (F, 2) kinetic and potential [J];  works : (F, 6) of every kind of load since the start [J]
    head    : (K, 6) acceleration of its centre of mass [m/s²] and angular velocity [rad/s], in its axes
    """

    z: FloatArray
    zdot: FloatArray
    y: FloatArray
    onset: FloatArray
    energy: FloatArray
    works: FloatArray
    head: FloatArray


@compiled
def run_steps(
    tables: NeckTables,
    method: int,
    h: float,
    first: int,
    last: int,
    every: int,
    blow: FloatArray,
    excitation: FloatArray,
    state: NeckState,
    works: FloatArray,
    work: NeckWork,
    record: Record,
) -> int:
    """Steps ``first`` … ``last`` − 1 of size h [s], in place; returns the step at which the model came apart, or −1.

    blow : forces [N] at half steps, (2 k,) and zero afterwards;  works : (6,) carried from call to call [J]
    """
    count = state.z.size
    powers, sums = np.empty(LOADS), np.empty(LOADS)
    z0, v0, y0 = state.z.copy(), state.zdot.copy(), state.y.copy()
    dz, dv, dy = np.empty(count), np.empty(count), np.empty(y0.size)
    for n in range(first, last):
        now = blow[2 * n] if 2 * n < blow.size else 0.0
        potential = evaluate(tables, state, excitation, now, work)
        if _lost(state, work):
            return n
        _remember(work, state.onset)
        frame = n // every if n % every == 0 else -1
        _head(tables, work, record.head[n])
        if frame >= 0:
            record.z[frame], record.y[frame], record.onset[frame] = state.z, state.y, state.onset
            record.energy[frame, 1] = potential
        if method == EULER:
            for j in range(count):
                v0[j] = state.zdot[j] + 0.5 * h * work.zddot[j]
            move_chain(tables.chain, v0, work.motion)
            _powers(work, powers)
            if frame >= 0:
                record.zdot[frame] = v0
                record.energy[frame, 0] = chain_kinetic_energy(tables.chain, work.motion)
                for k in range(LOADS):
                    record.works[frame, k] = works[k] + 0.5 * h * powers[k]
            for k in range(LOADS):
                works[k] += h * powers[k]
            for j in range(count):
                state.zdot[j] += h * work.zddot[j]
                state.z[j] += h * state.zdot[j]
            for j in range(state.y.size):
                state.y[j] += h * work.yrate[j]
            continue
        if frame >= 0:
            record.zdot[frame], record.works[frame] = state.zdot, works
            record.energy[frame, 0] = chain_kinetic_energy(tables.chain, work.motion)
        z0[:], v0[:], y0[:] = state.z, state.zdot, state.y
        dz[:], dv[:], dy[:], sums[:] = 0.0, 0.0, 0.0, 0.0
        for stage in range(4):
            weight = h / 6.0 if stage == 0 or stage == 3 else h / 3.0
            if stage > 0:
                k = 2 * n + (2 if stage == 3 else 1)
                evaluate(tables, state, excitation, blow[k] if k < blow.size else 0.0, work)
            _powers(work, powers)
            for k in range(LOADS):
                sums[k] += weight * powers[k]
            ahead = 0.5 * h if stage < 2 else h
            for j in range(count):
                dz[j] += weight * state.zdot[j]
                dv[j] += weight * work.zddot[j]
                state.z[j] = z0[j] + ahead * state.zdot[j]
                state.zdot[j] = v0[j] + ahead * work.zddot[j]
            for j in range(y0.size):
                dy[j] += weight * work.yrate[j]
                state.y[j] = y0[j] + ahead * work.yrate[j]
        for j in range(count):
            state.z[j], state.zdot[j] = z0[j] + dz[j], v0[j] + dv[j]
        for j in range(y0.size):
            state.y[j] = y0[j] + dy[j]
        for k in range(LOADS):
            works[k] += sums[k]
    return -1
