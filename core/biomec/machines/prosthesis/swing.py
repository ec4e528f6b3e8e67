"""Swing of a prosthetic leg: simulated, and summed up in figures.

Figures do not depend on how densely the motion is shown: contacts are located as events, and integrals and peaks are
taken on a grid of their own, stretch by stretch between the events.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress, part_of
from biomec.machines.machine import Machine
from biomec.machines.prosthesis.history import History, integral, powers, sampled
from biomec.machines.prosthesis.integration import PhasedTrajectory, StopEvent, integrate
from biomec.machines.prosthesis.reduced import Reduced, reduced_motion
from biomec.machines.reference_points import NotAssembled

FINE = 0.25e-3  # [s] between samples of integrals and peaks
HALVES = 3  # pairs of samples for each step of the integrator, whose order is higher than that of the integrals
UNBALANCED = 0.02  # of the work that is exchanged: what an audit of energy may miss
METHODS = ("adaptive", "rk4")


@dataclass(frozen=True)
class SwingSettings:
    """How to simulate a swing.

    law       : contact law in place of the file's, or empty;  duration : [s], 0 for that of the machine
    method    : ``adaptive`` with a relative ``tolerance``, or ``rk4`` with a constant ``step`` [s]
    every     : [s] between the samples of the history
    """

    law: str = ""
    duration: float = 0.0
    method: str = "adaptive"
    tolerance: float = 1e-8
    step: float = 0.5e-3
    every: float = 1e-3

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise BiomecError(f"There is no method {self.method}. The methods are {', '.join(METHODS)}.")
        if self.duration < 0.0 or not (self.every > 0.0 and self.step > 0.0 and 0.0 < self.tolerance < 1.0):
            raise BiomecError("Duration, steps and tolerance of a swing must be above 0.")


@dataclass(frozen=True, eq=False)
class Swing:
    """A simulated swing.

    moving, trajectory : model and motion, for what is not among the results
    history            : every ``settings.every`` seconds;  fine : on the grid of the figures
    events             : touches of the stops;  figures : see `figures_of`
    status             : ``completed`` or how else it ended
    """

    machine: Machine
    settings: SwingSettings
    moving: Reduced
    trajectory: PhasedTrajectory
    history: History
    fine: History
    stretches: tuple[slice, ...]
    events: tuple[StopEvent, ...]
    figures: Mapping[str, float]
    status: str

    @property
    def completed(self) -> bool:
        """Whether it reached its end."""
        return self.status == "completed"


def simulate_swing(
    machine: Machine, settings: SwingSettings = SwingSettings(), progress: Progress | None = None
) -> Swing:
    """Free motion of a machine with its kept laws, its springs and its stops, from its start."""
    moving, q, qdot = reduced_motion(machine, settings.law)
    trajectory = integrate(
        moving,
        q,
        qdot,
        settings.duration or machine.duration_s,
        settings.method,
        settings.tolerance,
        settings.step,
        part_of(progress, 0.0, 0.9),
    )
    return summed_up(machine, settings, moving, trajectory, q, progress)


def summed_up(
    machine: Machine,
    settings: SwingSettings,
    moving: Reduced,
    trajectory: PhasedTrajectory,
    q: FloatArray,
    progress: Progress | None = None,
    balanced: bool = True,
) -> Swing:
    """Histories and figures of a trajectory that starts at q.

    balanced : whether its energy must be explained by its powers for the run to count as completed
    """
    if not trajectory.phases or trajectory.end < 1e-9:
        raise BiomecError(f"{machine.name}: not a single step could be made. {trajectory.status}")
    try:
        history, fine, stretches = _histories(settings, moving, trajectory, q)
    except NotAssembled:
        if trajectory.status == "completed":
            raise
        last = trajectory.phases[-1]  # it ended where parts could not be joined: leave the very end out
        sooner = last.begin + 0.9 * (last.end - last.begin)
        kept = replace(last, end=sooner, nodes=last.nodes[last.nodes < sooner])
        events = tuple(one for one in trajectory.events if one.time_s <= sooner)
        trajectory = replace(trajectory, phases=(*trajectory.phases[:-1], kept), events=events)
        history, fine, stretches = _histories(settings, moving, trajectory, q)
    figures = figures_of(machine, moving, fine, stretches, trajectory.events)
    if progress is not None:
        progress(1.0)
    status = trajectory.status
    exchanged = figures["energy_exchanged_J"]
    missing = abs(figures["energy_residual_J"])
    if balanced and status == "completed" and missing > UNBALANCED * exchanged + 1e-3:
        status = f"not converged: energy is out of balance by {missing:.3g} J. Take shorter steps, or converged ones"
    return Swing(machine, settings, moving, trajectory, history, fine, stretches, trajectory.events, figures, status)


def _histories(
    settings: SwingSettings, moving: Reduced, trajectory: PhasedTrajectory, q: FloatArray
) -> tuple[History, History, tuple[slice, ...]]:
    count = int(np.floor(trajectory.end / settings.every + 1e-9))
    time, stretches = _grid(trajectory)
    shown = sampled(moving, trajectory, settings.every * np.arange(count + 1, dtype=np.float64), q)
    return shown, sampled(moving, trajectory, time, q), stretches


def _grid(trajectory: PhasedTrajectory) -> tuple[FloatArray, tuple[slice, ...]]:
    """Times and the smooth stretches between events among them.

    A stretch has an odd number of samples, every second midway between its neighbours, several for each step of the
    integrator; ends of stretches belong to both neighbours.
    """
    marks = {trajectory.phases[0].begin, trajectory.end}
    marks |= {phase.end for phase in trajectory.phases} | {one.time_s for one in trajectory.events}
    nodes = np.concatenate([phase.nodes for phase in trajectory.phases])
    times: list[FloatArray] = []
    stretches: list[slice] = []
    first = 0
    for low, high in pairwise(sorted(marks)):
        if high - low < 1e-12:
            continue
        within = nodes[(nodes > low + 1e-12) & (nodes < high - 1e-12)]
        edges = np.concatenate([[low], within, [high]])
        if times:
            edges[0] += 1e-12 * (high - low)  # within this stretch, not the one before
        parts = [np.array([edges[0]])]
        for a, b in pairwise(edges):
            half = max(HALVES, int(np.ceil((b - a) / (2.0 * FINE))))
            parts.append(np.linspace(a, b, 2 * half + 1)[1:])
        inside = np.concatenate(parts)
        times.append(inside)
        stretches.append(slice(first, first + len(inside)))
        first += len(inside)
    return read_only(np.concatenate(times)), tuple(stretches)


def figures_of(
    machine: Machine, moving: Reduced, fine: History, stretches: tuple[slice, ...], events: tuple[StopEvent, ...]
) -> dict[str, float]:
    """Headline figures.

    contact_onset_s, force_end_s, separation_s : first of each, left out if it does not happen
    contact_peak_N and its time, contact_impulse_Ns = ∫F dt, contact_work_J = ∫F dδ lost, contact_depth_mm and its time
    contact_duration_s                         : how long a stop pushes
    drive_…                                    : torque of the kept law and its work;  damper_work_J
    energy_exchanged_J                         : by drivers, dampers and stops, in or out
    energy_residual_J                          : what the audit of energy leaves unexplained
    """
    figures: dict[str, float] = {}
    for key, kind in (("contact_onset_s", "onset"), ("force_end_s", "force ends"), ("separation_s", "separation")):
        times = [one.time_s for one in events if one.kind == kind]
        if times:
            figures[key] = times[0]
    onsets = [one for one in events if one.kind == "onset"]
    if onsets:
        figures["contact_speed_m_s"] = -onsets[0].rate
    t, force = fine.time_s, fine.force.sum(axis=1)
    pushing = [part for part in stretches if len(t[part]) > 2 and force[part][1:-1].max(initial=0.0) > 0.0]
    figures["contact_peak_N"], when = top(t, force, stretches)
    figures["contact_impulse_Ns"] = sum(integral(force[part], t[part]) for part in stretches)
    figures["contact_duration_s"] = float(sum(t[part][-1] - t[part][0] for part in pushing))
    figures["contact_touches"] = float(len(onsets))
    if onsets:
        figures["contact_peak_time_s"] = when
        depth, when = top(t, np.maximum(-fine.gap, 0.0).max(axis=1), stretches)
        figures["contact_depth_mm"], figures["contact_depth_time_s"] = 1e3 * depth, when
    power = powers(machine, moving, fine)
    work = {
        name: sum(integral(values[part], t[part]) for part in stretches)
        for name, values in (("drive", power.drivers), ("damper", power.dampers), ("stop", power.stops))
    }
    figures["contact_work_J"] = -work["stop"]
    figures["damper_work_J"] = work["damper"]
    figures["drive_work_J"] = work["drive"]
    size = np.abs(power.drivers) + np.abs(power.dampers) + np.abs(power.stops)
    figures["energy_exchanged_J"] = sum(integral(size[part], t[part]) for part in stretches)
    figures["energy_residual_J"] = float(power.energy[-1] - power.energy[0] - sum(work.values()))
    for one in moving.model.drivers:
        if one.rows == 1 and len(moving.model.drivers) == 1:
            torque = fine.torque(moving, one.name)
            figures["drive_torque_max_Nm"], figures["drive_torque_max_time_s"] = top(t, torque, stretches)
            lowest, figures["drive_torque_min_time_s"] = top(t, -torque, stretches)
            figures["drive_torque_min_Nm"] = -lowest
    return figures


def top(t: FloatArray, x: FloatArray, stretches: tuple[slice, ...]) -> tuple[float, float]:
    """Largest value of a curve and its time; between samples of a smooth stretch by a parabola."""
    best, when = -np.inf, float(t[0])
    for part in stretches:
        a, b = t[part], x[part]
        k = int(np.argmax(b))
        value, at = float(b[k]), float(a[k])
        if 0 < k < len(b) - 1:
            left, right = (b[k] - b[k - 1]) / (a[k] - a[k - 1]), (b[k + 1] - b[k]) / (a[k + 1] - a[k])
            bend = (right - left) / (a[k + 1] - a[k - 1])  # half the second derivative
            slope = left + bend * (a[k] - a[k - 1])  # at the middle sample
            if bend < 0.0:
                value, at = float(b[k] - slope**2 / (4.0 * bend)), float(a[k] - slope / (2.0 * bend))
        if value > best:
            best, when = value, at
    return best, when
