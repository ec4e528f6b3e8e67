"""Everything about a motion at given times: coordinates, accelerations, reactions, forces of stops, works."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, IntArray, read_only
from biomec.machines.machine import Machine
from biomec.machines.prosthesis.integration import PhasedTrajectory
from biomec.machines.prosthesis.reduced import Reduced

GUIDE = 2.5e-3  # [s] between positions that are solved one after another; those between start from interpolation


@dataclass(frozen=True, eq=False)
class History:
    """A motion at T times.

    time_s           : (T,)
    q, qdot, qddot   : (T, n) reference-point coordinates [m, rad] and derivatives
    multipliers      : (T, m); the constraints exert −Φqᵀ λ
    gap, gap_rate    : (T, s) of each stop [m, m/s];  force : (T, s) [N], on the body of the circle along the normal
    contact          : (T, n) generalised forces of all stops
    """

    time_s: FloatArray
    q: FloatArray
    qdot: FloatArray
    qddot: FloatArray
    multipliers: FloatArray
    gap: FloatArray
    gap_rate: FloatArray
    force: FloatArray
    contact: FloatArray

    def reaction(self, moving: Reduced, joint: str) -> FloatArray:
        """Force (T, 2) [N] that a pin exerts on the first body of its equation: −λ."""
        return np.asarray(-self.multipliers[:, moving.model.rows_of(joint)])

    def torque(self, moving: Reduced, driver: str) -> FloatArray:
        """Torque (T,) [N·m] that a kept law of an angle applies: −λ."""
        return np.asarray(-self.multipliers[:, moving.model.rows_of(driver)[0]])


def sampled(moving: Reduced, trajectory: PhasedTrajectory, time_s: FloatArray, guess: FloatArray) -> History:
    """History at times within a trajectory, in rising order; at an event, of the phase that ends there.

    guess : (n,) a position near the beginning of the trajectory
    """
    time = np.asarray(time_s, dtype=np.float64)
    states, which = states_at(moving, trajectory, time)
    q = positions_along(moving, trajectory, states[:, : moving.f], time, guess)
    qdot = moving.velocities(q, states[:, moving.f :], time)
    gap, rows = moving.stops.gaps(q), moving.stops.rows(q)
    rate = np.einsum("tsn,tn->ts", rows, qdot)
    force = np.zeros_like(gap)
    qddot, multipliers = np.empty_like(q), np.empty((len(time), moving.model.m))
    for k in np.unique(which):
        at = which == k
        phase = trajectory.phases[k]
        force[at] = moving.stops.forces(gap[at], rate[at], phase.onset_rates)
        if phase.held is None:
            extra = np.einsum("ts,tsn->tn", force[at], rows[at])
            qddot[at], multipliers[at] = moving.model.accelerations(q[at], qdot[at], time[at], extra=extra)
        else:
            qddot[at], multipliers[at], force[at, phase.held] = held_accelerations(
                moving, q[at], qdot[at], time[at], phase.held
            )
    contact = np.einsum("ts,tsn->tn", force, rows)
    return History(*(read_only(x) for x in (time, q, qdot, qddot, multipliers, gap, rate, force, contact)))


def states_at(moving: Reduced, trajectory: PhasedTrajectory, time: FloatArray) -> tuple[FloatArray, IntArray]:
    """z and ż (T, 2 f) at times, and the number of the phase of each; at an event, of the phase that ends there."""
    ends = np.array([phase.end for phase in trajectory.phases])
    which = np.minimum(np.searchsorted(ends, time), len(ends) - 1)
    states = np.empty((len(time), 2 * moving.f))
    for k in np.unique(which):
        states[which == k] = trajectory.phases[k].state(time[which == k])
    return states, which


def positions_along(
    moving: Reduced, trajectory: PhasedTrajectory, z: FloatArray, time: FloatArray, guess: FloatArray
) -> FloatArray:
    """Positions (T, n) along a motion: close instants one after another, then all that are wanted, at once."""
    begin = trajectory.phases[0].begin
    nodes = np.linspace(begin, time[-1], int(np.ceil((time[-1] - begin) / GUIDE)) + 1)
    solved = np.empty((len(nodes), moving.model.n))
    last = guess
    for k, one in enumerate(states_at(moving, trajectory, nodes)[0][:, : moving.f]):
        last = moving.positions(one, nodes[k], last)
        solved[k] = last
    between = np.stack([np.interp(time, nodes, column) for column in solved.T], axis=-1)
    return moving.positions(z, time, between)


def held_accelerations(
    moving: Reduced, q: FloatArray, qdot: FloatArray, time: FloatArray, stop: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """q̈, λ and the force [N] of a rigid stop whose gap stays zero, for states (T, n)."""
    model = moving.model
    rows = moving.stops.rows(q)[..., stop : stop + 1, :]
    J = np.concatenate([model.jacobian(q), rows], axis=-2)
    gamma = np.concatenate(
        [model.acceleration_rhs(q, qdot, time), -moving.stops.quadratic(q, qdot, stop)[..., None]], axis=-1
    )
    qddot, multipliers = model.saddle_solution(J, model.applied(q, qdot, time), gamma)
    return qddot, multipliers[..., :-1], -multipliers[..., -1]


@dataclass(frozen=True, eq=False)
class Powers:
    """Powers (T,) [W] that change the energy of a motion, and that energy [J] without what the stops store.

    drivers : of kept laws and of motors that are given torques;  dampers : of springs, ties, hinges;  stops : of all
    """

    drivers: FloatArray
    dampers: FloatArray
    stops: FloatArray
    energy: FloatArray


def powers(machine: Machine, moving: Reduced, history: History) -> Powers:
    """Powers of a motion. The energy changes by their integral."""
    model, q, v = moving.model, history.q, history.qdot
    law_rates = np.broadcast_to(model.rate_rhs(history.time_s), history.multipliers.shape)
    dampers = np.zeros(len(history.time_s))
    for spring in machine.springs:
        _, rate, _ = spring_state(moving, history, spring.first, spring.second)
        dampers -= spring.damping * rate**2
    for tie in machine.ties:
        slip = model.velocity(q, v, tie.first) - model.velocity(q, v, tie.second)
        dampers -= tie.damping * np.sum(slip**2, axis=-1)
    for hinge in machine.hinges:
        rates = [v[:, model.column(body)] if body in model.bodies else 0.0 for body in (hinge.proximal, hinge.distal)]
        dampers -= hinge.damping * np.asarray(rates[1] - rates[0]) ** 2
    driven = -np.sum(history.multipliers * law_rates, axis=-1)
    torques = model.given_torques(history.time_s)
    if torques is not None:
        driven += np.sum(torques * (v @ model.transmission), axis=-1)
    return Powers(
        driven,
        dampers,
        np.sum(history.force * history.gap_rate, axis=-1),
        model.kinetic_energy(v) + model.potential_energy(q),
    )


def spring_state(
    moving: Reduced, history: History, first: str, second: str
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Length [m], its rate [m/s], each (T,), and the direction from the second to the first point (T, 2)."""
    model, q, v = moving.model, history.q, history.qdot
    d = model.position(q, first) - model.position(q, second)
    length = np.linalg.norm(d, axis=-1)
    e = d / length[:, None]
    rate = np.sum(e * (model.velocity(q, v, first) - model.velocity(q, v, second)), axis=-1)
    return length, rate, e


def integral(values: FloatArray, time_s: FloatArray) -> float:
    """∫ values dt by Simpson's rule over an odd number of samples, of which every second lies midway."""
    if len(time_s) < 3:
        return 0.0
    width = time_s[2::2] - time_s[:-2:2]
    return float(np.sum(width / 6.0 * (values[:-2:2] + 4.0 * values[1:-1:2] + values[2::2])))
