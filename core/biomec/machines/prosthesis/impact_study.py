"""The study `impact`: the swing with a stop of rigid bodies.

Velocities jump at impacts, and the knee may rest on its stop until it lifts. Each impact is one of impulse and
restitution (`biomec.engine.contact.impacts`). When an impact leaves less than `REST_SPEED` the stop stays closed: the
gap is one constraint more, with no motion left, whose multiplier is the force of the stop; it opens when that force
would have to pull.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress, part_of
from biomec.engine.contact.impacts import RigidImpact, rigid_impact
from biomec.machines.machine import Machine
from biomec.machines.prosthesis.curves import leg_figures, named, swing_run
from biomec.machines.prosthesis.history import held_accelerations
from biomec.machines.prosthesis.integration import (
    MOST_STEPS,
    AdaptiveSteps,
    Phase,
    PhasedTrajectory,
    PhaseEquations,
    StopEvent,
    endless,
    stretch,
)
from biomec.machines.prosthesis.reduced import Reduced, reduced_motion
from biomec.machines.prosthesis.swing import Swing, SwingSettings, summed_up
from biomec.machines.prosthesis.swing_study import refusal
from biomec.machines.study import Run, Study, option, time_limit

REST_SPEED = 1e-4  # [m/s] of the gap after an impact: a hundredth of a slow touch of the knee
SETTLING = 1000  # impacts, however fast they follow each other: with a restitution of 0.99 0.1 m/s take 690 to rest
LIFTS = 1e-9  # [m/s²] of the gap, were it free: what rests without being pressed stays, and round-off does not lift it
LOOK = 0.25e-3  # [s] between looks at the force of a stop that rests


@dataclass(frozen=True, eq=False)
class ImpactSwing:
    """A swing with impacts.

    swing    : histories and figures; its forces are those of rest, impacts act in no time
    impacts  : time [s] and what happened, in order
    """

    swing: Swing
    impacts: tuple[tuple[float, RigidImpact], ...]

    @property
    def impulse(self) -> float:
        """Of all impacts and of the rest on the stop [N·s]."""
        return sum(one.impulse for _, one in self.impacts) + self.swing.figures["contact_impulse_Ns"]


def impact_swing(
    machine: Machine,
    restitution: float = 0.15,
    settings: SwingSettings = SwingSettings(),
    progress: Progress | None = None,
) -> ImpactSwing:
    """Swing of a machine of one degree of freedom whose stops are rigid."""
    moving, q, qdot = reduced_motion(machine)
    if moving.f != 1:
        raise BiomecError(f"{machine.name} has {moving.f} degrees of freedom; rigid stops are simulated with one.")
    if not moving.stops.names:
        raise BiomecError(f"{machine.name} has no stop.")
    if (moving.stops.gaps(q) < 0.0).any():
        raise BiomecError(
            f"{machine.name}: its start reaches into a stop. Rigid bodies cannot overlap; start elsewhere."
        )
    duration = settings.duration or machine.duration_s
    never: tuple[float | None, ...] = (None,) * len(moving.stops.names)
    watch = part_of(progress, 0.0, 0.9)
    free, start = list(moving.free), q
    t, y = 0.0, np.concatenate([q[free], qdot[free]])
    phases: list[Phase] = []
    events: list[StopEvent] = []
    impacts: list[tuple[float, RigidImpact]] = []
    status, evaluations = "completed", 0
    while t < duration and status == "completed":
        motion = PhaseEquations(moving, q, never)
        stepper = AdaptiveSteps(motion, t, y, duration, settings.tolerance, False)
        made = stretch(motion, stepper, t, y, duration, MOST_STEPS, watch)
        evaluations, status = evaluations + motion.evaluations, made.status
        if made.phase is not None:
            phases.append(made.phase)
        t, y, q = made.end, made.state, motion.position(made.end, made.state)
        if made.stop is None or status != "completed":
            continue
        q = moving.positions(y[:1], t, q)
        qdot = moving.velocities(q, y[1:], t)
        hit = rigid_impact(
            moving.model.mass, moving.model.jacobian(q), moving.stops.rows(q)[made.stop], qdot, restitution
        )
        events.append(StopEvent(t, "impact", made.stop, hit.gap_rate_before))
        rests = hit.gap_rate_after < REST_SPEED
        if rests:
            hit = rigid_impact(moving.model.mass, moving.model.jacobian(q), moving.stops.rows(q)[made.stop], qdot, 0.0)
        impacts.append((t, hit))
        y = np.concatenate([q[free], hit.rates[free]])
        touches = [one.time_s for one in events if one.kind == "impact" and one.stop == made.stop]
        status = endless(moving.stops.names[made.stop], touches, SETTLING) or status
        if rests and status == "completed":
            rest = _rest(moving, q, t, duration, made.stop, LIFTS * hit.effective_mass)
            if rest is not None:
                events += [StopEvent(t, "rest", made.stop, 0.0)]
                phases.append(rest)
                t = rest.end
                y = rest.state(np.array([t]))[0]
                q = moving.positions(y[:1], t, q)
                if t < duration:
                    events.append(StopEvent(t, "release", made.stop, 0.0))
    trajectory = PhasedTrajectory(tuple(phases), tuple(events), status, evaluations)
    swing = summed_up(machine, settings, moving, trajectory, start, progress, balanced=False)  # energy jumps at impacts
    return ImpactSwing(swing, tuple(impacts))


def _rest(moving: Reduced, q: FloatArray, t: float, duration: float, stop: int, pull: float) -> Phase | None:
    """The phase of rest on a stop from t [s] on, until it would pull by more than ``pull`` [N]; None if at once."""
    from scipy.optimize import brentq

    def closed(time: float, guess: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Position and velocity with the gap at zero."""
        return _closed(moving, time, guess, stop)

    def pressed(time: float, guess: FloatArray) -> float:
        """By how much it does not pull [N]."""
        at, rate = closed(time, guess)
        return pull + float(held_accelerations(moving, at[None], rate[None], np.array([time]), stop)[2][0])

    if pressed(t, q) <= 0.0:
        return None
    times, places, end = [t], [closed(t, q)[0]], duration
    while times[-1] < duration:
        later = min(times[-1] + LOOK, duration)
        if pressed(later, places[-1]) <= 0.0:
            end = float(brentq(lambda x: pressed(x, places[-1]), times[-1], later, xtol=1e-13))
            break
        times.append(later)
        places.append(closed(later, places[-1])[0])
    nodes, known = np.array(times), np.array(places)

    def state(at: FloatArray) -> FloatArray:
        out = np.empty((len(at), 2))
        for k, one in enumerate(at):
            near = known[int(np.abs(nodes - one).argmin())]
            where, rate = closed(float(one), near)
            out[k] = where[moving.free[0]], rate[moving.free[0]]
        return out

    return Phase(t, end, state, (None,) * len(moving.stops.names), stop, nodes[1:-1])


def _closed(moving: Reduced, t: float, guess: FloatArray, stop: int) -> tuple[FloatArray, FloatArray]:
    """q, q̇ (n,) of a machine of one degree of freedom whose gap is zero at t, by Newton's method."""
    model, q = moving.model, np.array(guess)
    for _ in range(30):
        matrix = np.vstack([model.jacobian(q), moving.stops.rows(q)[stop]])
        change = np.linalg.solve(matrix, -np.append(model.residual(q, t), moving.stops.gaps(q)[stop]))
        q += change
        if np.abs(change).max() < 1e-10:
            break
    return q, np.linalg.solve(matrix, np.append(model.rate_rhs(t), 0.0))


# ------------------------------------------------------------------------------------------------------------ the study


@dataclass(frozen=True)
class ImpactOptions:
    """Options of the study."""

    restitution: float = option(0.15, "Speed after an impact over speed before, 0 to 1")
    every_s: float = option(0.001, "Time between the samples shown", "s")
    duration_s: float = option(0.0, "Duration; 0 takes that of the machine", "s")
    tolerance: float = option(1e-8, "Relative tolerance of steps")
    time_limit_s: float = time_limit()


def run_impact(machine: Machine, options: ImpactOptions, progress: Progress | None = None) -> Run:
    """Answer the study."""
    settings = SwingSettings(duration=options.duration_s, tolerance=options.tolerance, every=options.every_s)
    made = impact_swing(machine, options.restitution, settings, progress)
    swing = made.swing
    figures = {"impacts": float(len(made.impacts))}
    lines = ["impulses [N·s] and turning rates [deg/s]"]
    notices = []
    if made.impacts:
        time, first = made.impacts[0]
        figures |= {
            "impact_time_s": time,
            "impact_impulse_Ns": first.impulse,
            "effective_mass_kg": first.effective_mass,
            "gap_rate_before_m_s": first.gap_rate_before,
            "gap_rate_after_m_s": first.gap_rate_after,
            "impact_energy_lost_J": first.energy_lost,
            "total_impulse_Ns": made.impulse,
            "rest_force_peak_N": swing.figures["contact_peak_N"],
        }
        for kind, key in (("rest", "rest_begin_s"), ("release", "release_s")):
            times = [one.time_s for one in swing.events if one.kind == kind]
            if times:
                figures[key] = times[0]
        model = swing.moving.model
        for time, hit in made.impacts:
            lines.append(f"\nat {time:.6f} s, impulse {hit.impulse:.5g}, effective mass {hit.effective_mass:.6g} kg")
            for body in model.bodies:
                column = model.column(body)
                after = np.rad2deg(hit.rates[column])
                before = after - np.rad2deg(hit.change[column])
                lines.append(f"  {body:20} {before:12.4f} -> {after:12.4f}")
            for one in model.joints:
                taken = -hit.multipliers[model.rows_of(one.name)]
                lines.append(f"  impulse of {one.name:9} " + " ".join(f"{x:12.4f}" for x in taken))
    else:
        notices.append("The stop is not met within the swing.")
    kept = ("damper_work_J", "drive_torque_max_Nm", "drive_torque_min_Nm")
    figures |= {name: swing.figures[name] for name in kept if name in swing.figures}
    return swing_run(
        "impact",
        f"Rigid stop, restitution {options.restitution:g}",
        machine,
        options,
        swing.moving,
        swing.history,
        named(figures | leg_figures(swing), machine),
        status=swing.status,
        succeeded=swing.completed,
        notices=tuple(notices),
        text="\n".join(lines),
    )


STUDY = Study(
    "impact",
    "Rigid stop",
    "The swing with a stop of rigid bodies: velocities jump, joints take impulses, and the knee may rest on its stop.",
    ImpactOptions,
    refusal,
    run_impact,
)
