"""Run a simulation: from a state, over a time, with a way to stop, and with everything that tells how good it is."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

import numpy as np

from biomec.base.arrays import FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.engine.forces.applied import Forces, InnerForces, acting
from biomec.engine.forward.formulation import (
    Accelerations,
    Formulation,
    Integrator,
    NoNumber,
    Runaway,
    State,
    StepResult,
    Unsolvable,
)
from biomec.engine.forward.integrators import IntegratorOptions, new_integrator
from biomec.engine.system import System

CHUNK = 512  # states whose constraints are measured at once
FASTEST = 1e4  # [m/s]; nothing in a body or a machine moves like that
MOST_NUMBERS = 300_000_000  # that a run may keep, 2.4 GB; of a body of 21 segments, 300 000 states


class Ending(Enum):
    """How a simulation ended."""

    COMPLETED = "completed"
    STOPPED = "stopped by the user"
    EVENT = "an event ended it"
    NOT_CONVERGED = "the corrector did not converge"
    DIVERGED = "the motion ran away"
    UNSOLVABLE = "the equations could not be solved"
    NO_NUMBER = "a force was not a number"
    TOO_LONG = "it needed too many steps"


class Stepper(Protocol):
    """A formulation with an integrator: from one state to the next."""

    @property
    def system(self) -> System:
        """The system."""

    @property
    def title(self) -> str:
        """What a table calls it."""

    @property
    def forces(self) -> Forces:
        """What acts."""

    def start(self, t: float, q: FloatArray, qdot: FloatArray) -> State:
        """State with its accelerations."""

    def step(self, state: State, h: float) -> StepResult:
        """Take one step of h seconds."""


class Stepped:
    """Any formulation with any integrator of accelerations.

    inner : forces with states y of their own. Integrators see them as further velocities, which change with ẏ: a state
            then holds (q, ∫y), (q̇, y) and (q̈, ẏ), and every formula takes q̇ and y alike.
    """

    def __init__(
        self,
        formulation: Formulation,
        forces: Forces,
        options: IntegratorOptions = IntegratorOptions(),
        inner: InnerForces | None = None,
    ) -> None:
        self.formulation, self.inner = formulation, inner
        self.system = formulation.system
        self.forces = forces if inner is None else self._with_inner(forces, inner)
        self.title = formulation.title
        self._given = forces
        self._integrator: Integrator = new_integrator(options)

    def start(self, t: float, q: FloatArray, qdot: FloatArray) -> State:
        """State with its accelerations; inner states begin by themselves where they are not given behind q̇."""
        q, qdot = np.array(q), np.array(qdot)
        if self.inner is not None and len(q) == self.system.n:
            y = self.inner.start(t, q, qdot)
            q, qdot = np.concatenate([q, np.zeros_like(y)]), np.concatenate([qdot, y])
        found = self.law(t, q, qdot)
        return State(t, q, qdot, found.qddot, found.multipliers)

    def step(self, state: State, h: float) -> StepResult:
        """Take one step of h seconds."""
        return self._integrator.step(self.law, state, h)

    def law(self, t: float, q: FloatArray, qdot: FloatArray) -> Accelerations:
        """Accelerations in a state, and the rates of inner states behind them."""
        if self.inner is None:
            return self.formulation.accelerations(q, qdot, acting(self.forces, t, q, qdot))
        n, inner, rate = self.system.n, self.inner, np.zeros(0)

        def all_forces(t: float, q: FloatArray, v: FloatArray) -> FloatArray:
            nonlocal rate
            Q, rate = inner.rates(t, q, v, qdot[n:])
            if not np.isfinite(rate).all():
                Q = np.full(n, np.nan)
            return self._given(t, q, v) + Q

        found = self.formulation.accelerations(q[:n], qdot[:n], acting(all_forces, t, q[:n], qdot[:n]))
        return found._replace(qddot=np.concatenate([found.qddot, rate]))

    def _with_inner(self, forces: Forces, inner: InnerForces) -> Forces:
        n = self.system.n
        return lambda t, q, v: forces(t, q[:n], v[:n]) + inner.rates(t, q[:n], v[:n], v[n:])[0]


@dataclass(frozen=True, eq=False)
class Simulation:
    """A simulated motion; arrays are read-only and hold what was reached, however it ended.

    T states (the first is the start), n coordinates, m rows.

    time_s         : (T,)
    q, qdot, qddot : (T, n);  multipliers : (T, m), NaN where the formulation knows none
    iterations     : (T,) of each step, 0 at the start;  increment : (T,) last change of the corrector [m]
    seconds        : (T,) processor time of each step
    violation, rate_violation, acceleration_violation : (T,) ‖Φ‖, ‖Φ̇‖, ‖Φ̈‖
    kinetic, potential : (T,) energies [J]
    work           : (T,) that all forces but the weight have done since the start [J]
    ending, sentence   : how and why it ended
    inner          : (T, k) states of forces that have some, such as muscles
    """

    system: System
    title: str
    time_s: FloatArray
    q: FloatArray
    qdot: FloatArray
    qddot: FloatArray
    multipliers: FloatArray
    iterations: IntArray
    increment: FloatArray
    seconds: FloatArray
    violation: FloatArray
    rate_violation: FloatArray
    acceleration_violation: FloatArray
    kinetic: FloatArray
    potential: FloatArray
    work: FloatArray
    ending: Ending
    sentence: str
    inner: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))

    @property
    def energy_drift(self) -> FloatArray:
        """(T,) mechanical energy less what it was and what was done on the system [J]; zero for an exact motion."""
        total = self.kinetic + self.potential
        return np.asarray(total - total[0] - self.work)


NUMBERS = ("time_s", "iterations", "increment", "seconds", "power")


class RunRecord:
    """States as they come, and the power of all forces but the weight; memory grows with them.

    room : states that are expected
    """

    def __init__(self, stepper: Stepper, room: int = 256) -> None:
        system, more = stepper.system, inner_size(stepper)
        self.stepper, self.most = stepper, most_states(system, more)
        self.count = 0
        self._levels = [np.empty((room, size)) for size in (*(3 * (system.n + more,)), system.m)]
        self._numbers = np.empty((room, len(NUMBERS)))

    def add(self, state: State, iterations: int, increment: float, seconds: float) -> None:
        """Keep a state."""
        t, q, qdot, *_ = state
        system = self.stepper.system
        power = float((self.stepper.forces(t, q, qdot) - system.gravity_force) @ qdot[: system.n])
        if self.count == len(self._numbers):
            self._levels = [_doubled(level) for level in self._levels]
            self._numbers = _doubled(self._numbers)
        for level, value in zip(self._levels, state[1:], strict=True):
            level[self.count] = value
        self._numbers[self.count] = t, iterations, increment, seconds, power
        self.count += 1

    @property
    def full(self) -> tuple[Ending, str] | None:
        """How a run ends that has kept as many states as there is room for, if so."""
        if self.count <= self.most:
            return None
        t, h = self._numbers[self.count - 1, 0], np.diff(self._numbers[self.count - 2 : self.count, 0])[0]
        return Ending.TOO_LONG, (
            f"Stopped at {t:.4f} s after {self.count - 1} steps, the last of {h:.0e} s: it would take too long and too "
            "much memory. Allow a larger error, or take an integrator for stiff forces, such as index 3 or Radau."
        )

    @property
    def levels(self) -> list[FloatArray]:
        """q, q̇, q̈ and multipliers of all states."""
        return [level[: self.count] for level in self._levels]

    @property
    def numbers(self) -> dict[str, FloatArray]:
        """Time, iterations, last change, processor time and power of all states."""
        return dict(zip(NUMBERS, self._numbers[: self.count].T, strict=True))


def _doubled(array: FloatArray) -> FloatArray:
    return np.concatenate([array, np.empty_like(array)])


def inner_size(stepper: Stepper) -> int:
    """Number of states that the forces of a stepper have of their own."""
    return stepper.inner.size if isinstance(stepper, Stepped) and stepper.inner is not None else 0


def most_states(system: System, more: int = 0) -> int:
    """How many states of a system, with so many inner ones, a run may keep."""
    return MOST_NUMBERS // (3 * (system.n + more) + system.m + len(NUMBERS))


def simulate(
    stepper: Stepper,
    q: FloatArray,
    qdot: FloatArray,
    duration_s: float,
    step_s: float,
    *,
    start_s: float = 0.0,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
    stop_when: Callable[[State], str | None] | None = None,
) -> Simulation:
    """Integrate with steps of equal length from a consistent state (n,), (n,).

    cancelled : asked after every step; True ends the run and keeps what was reached
    stop_when : an event; returns the sentence with which it ends the run, or None
    """
    state = started(stepper, q, qdot, duration_s, step_s, start_s)
    steps = max(1, round(duration_s / step_s))
    if steps >= most_states(stepper.system, inner_size(stepper)):
        raise BiomecError(
            f"{steps} steps of {step_s:g} s would take too long and too much memory. Take longer steps, or simulate a "
            "shorter part."
        )
    record = RunRecord(stepper, steps + 1)
    ending, sentence = Ending.COMPLETED, "Completed."
    record.add(state, 0, 0.0, 0.0)
    for k in range(steps):
        began = time.process_time()
        try:
            step = stepper.step(state._replace(t=start_s + k * step_s), step_s)
        except Unsolvable as error:
            ending, sentence = failure(error, state.t)
            break
        seconds, state = time.process_time() - began, step.state
        halt = after_step(record, step, seconds, (k + 1) / steps, progress, cancelled, stop_when)
        if halt is not None:
            ending, sentence = halt
            break
    return as_simulation(stepper, record, ending, sentence)


def started(
    stepper: Stepper, q: FloatArray, qdot: FloatArray, duration_s: float, step_s: float, start_s: float
) -> State:
    """First state of a run, or a sentence about what it lacks."""
    if not (0.0 < step_s < np.inf and 0.0 < duration_s < np.inf):
        raise BiomecError(f"A simulation needs a positive time and step, not {duration_s:g} s and {step_s:g} s.")
    if not (np.isfinite(q).all() and np.isfinite(qdot).all()):
        raise BiomecError("A simulation cannot start where coordinates or velocities are not known.")
    try:
        return stepper.start(start_s, np.asarray(q, dtype=np.float64), np.asarray(qdot, dtype=np.float64))
    except Unsolvable as error:
        raise BiomecError(f"The simulation cannot start: {error}") from error


def after_step(
    record: RunRecord,
    step: StepResult,
    seconds: float,
    fraction: float,
    progress: Progress | None,
    cancelled: Callable[[], bool] | None,
    stop_when: Callable[[State], str | None] | None,
) -> tuple[Ending, str] | None:
    """Keep a good step and tell how far the run is; return how it ends if the step, the user or an event ends it."""
    wrong = trouble(step)
    if wrong is not None:
        return wrong
    state = step.state
    try:
        record.add(state, step.iterations, step.increment, seconds)
    except Unsolvable as error:
        return failure(error, state.t)
    if progress is not None:
        progress(min(1.0, fraction))
    if cancelled is not None and cancelled():
        return Ending.STOPPED, f"Stopped at {state.t:.4f} s."
    said = None if stop_when is None else stop_when(state)
    return record.full if said is None else (Ending.EVENT, said)


def failure(error: Unsolvable, t: float) -> tuple[Ending, str]:
    """How a run ends whose equations have no solution after time t."""
    kinds = {Runaway: Ending.DIVERGED, NoNumber: Ending.NO_NUMBER}
    ending = next((found for kind, found in kinds.items() if isinstance(error, kind)), Ending.UNSOLVABLE)
    return ending, f"Stopped at {t:.4f} s: {error}"


def trouble(step: StepResult) -> tuple[Ending, str] | None:
    """What is wrong with a step, if anything."""
    state = step.state
    if not all(np.isfinite(level).all() for level in (state.q, state.qdot, state.qddot)):
        return Ending.DIVERGED, f"Stopped at {state.t:.4f} s: the motion ran away. Take a smaller step."
    if np.abs(state.qdot).max() > FASTEST:
        return Ending.DIVERGED, f"Stopped at {state.t:.4f} s: something moves faster than {FASTEST:g} m/s."
    if not step.converged:
        passes = "one iteration" if step.iterations == 1 else f"{step.iterations} iterations"
        return (
            Ending.NOT_CONVERGED,
            f"Stopped at {state.t:.4f} s: the step did not settle in {passes} (last change {step.increment:.1e} m). "
            "Take a smaller step, allow more iterations, or take the index-3 formulation for stiff forces.",
        )
    return None


def locked(array: FloatArray) -> FloatArray:
    """The array itself, which nothing else will write to, closed for writing: a copy would double the memory."""
    array.setflags(write=False)
    return array


def as_simulation(stepper: Stepper, record: RunRecord, ending: Ending, sentence: str) -> Simulation:
    """Gather the states of a run, and measure constraints, energy and work."""
    system, numbers = stepper.system, record.numbers
    q, v, a, multipliers = record.levels
    inner, (q, v, a) = v[:, system.n :], (np.ascontiguousarray(level[:, : system.n]) for level in (q, v, a))
    phi, rate, acceleration, kinetic, potential = np.empty((5, record.count))
    for first in range(0, record.count, CHUNK):
        part = slice(first, first + CHUNK)
        phi[part] = np.linalg.norm(system.residual(q[part]), axis=1)
        moving, turning = system.jacobian_products(q[part], v[part], a[part])
        rate[part] = np.linalg.norm(moving, axis=1)
        acceleration[part] = np.linalg.norm(turning - system.acceleration_rhs(q[part], v[part]), axis=1)
        kinetic[part], potential[part] = system.kinetic_energy(v[part]), system.potential_energy(q[part])
    time_s, power = numbers["time_s"], numbers["power"]
    done = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(time_s))])
    return Simulation(
        system=system,
        title=stepper.title,
        time_s=read_only(time_s),
        q=locked(q),
        qdot=locked(v),
        qddot=locked(a),
        multipliers=locked(multipliers),
        iterations=read_only(numbers["iterations"], np.int64),
        increment=read_only(numbers["increment"]),
        seconds=read_only(numbers["seconds"]),
        violation=read_only(phi),
        rate_violation=read_only(rate),
        acceleration_violation=read_only(acceleration),
        kinetic=read_only(kinetic),
        potential=read_only(potential),
        work=read_only(done),
        ending=ending,
        sentence=sentence,
        inner=locked(inner),
    )
