"""A free motion in time that finds every touch of a stop: onset and separation are located as events, and the rate of
overlap at the onset is latched there, not inside trial steps.

Between events the forces are smooth. Steps are adaptive (Dormand-Prince of order 8, or Radau where a law is stiff), or
constant with the classical Runge-Kutta method, whose every stage solves positions and velocities anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray
from biomec.base.progress import Progress
from biomec.machines.prosthesis.reduced import Reduced
from biomec.machines.reference_points import NotAssembled, SingularPosition
from biomec.machines.reference_points.partitioned import Partitioned

STIFF_LAWS = ("step", "kelvin-voigt")
MOST_TOUCHES = 60  # of one stop, after which it is looked at how they follow each other
TOUCHES_A_SECOND = 500  # more of them, for the time that has gone by
SHRUNK = 1e-6  # of the longest time between touches: so short ones go on without end
MOST_STEPS = 1500  # of adaptive integration since the last touch; a whole swing takes 60 to 300
STEPS_A_SECOND = 1000  # more of them, for the time that they covered
EXPLICIT_STEPS = 400  # instead of MOST_STEPS without an implicit method: after that it is tried
HINT = "If they can, name another free angle under start: the present one does not determine the position there."
TOO_STIFF = "stopped: the forces are too stiff for any step that is worth waiting for"
LONGEST_STEP = 20e-3  # [s] of adaptive steps, so that no touch is stepped over
LATER = 2.0 ** -np.arange(20, 0, -1)  # shares of a step at which a gap that was just left is looked at again
FIRST_SHARE = 1e-9  # of a phase, after its beginning: a gap that is zero there must not count as an event


@dataclass(frozen=True)
class StopEvent:
    """Something that happened at a stop.

    kind : ``onset``, ``force ends``, ``separation``, ``impact``, ``rest`` or ``release``
    rate : of the gap at that time [m/s]
    """

    time_s: float
    kind: str
    stop: int
    rate: float


@dataclass(frozen=True, eq=False)
class Phase:
    """A stretch of smooth motion.

    begin, end  : [s]
    state       : times (k,) -> z and ż, (k, 2 f)
    onset_rates : of each stop that is pressed, else None
    held        : number of the stop that rests on its face without parting, if it is rigid, else None
    nodes       : (k,) ends of the steps it was made of [s]
    """

    begin: float
    end: float
    state: Callable[[FloatArray], FloatArray]
    onset_rates: tuple[float | None, ...]
    held: int | None = None
    nodes: FloatArray = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True, eq=False)
class PhasedTrajectory:
    """Phases that follow each other, what separates them, and how it ended."""

    phases: tuple[Phase, ...]
    events: tuple[StopEvent, ...]
    status: str
    evaluations: int

    @property
    def end(self) -> float:
        """Last time reached [s]."""
        return self.phases[-1].end


@dataclass(frozen=True, eq=False)
class IntegrationStep:
    """One step of an integrator, with the states (2 f,) at both ends and between them."""

    begin: float
    end: float
    before: FloatArray
    after: FloatArray
    between: Callable[[ArrayLike], FloatArray]


class PhaseEquations:
    """Right-hand side ẏ = (ż, z̈) of one phase, with the stops that are pressed in it."""

    def __init__(self, moving: Reduced, q: FloatArray, onset_rates: tuple[float | None, ...]) -> None:
        self.moving, self.onset_rates = moving, onset_rates
        pressed = any(one is not None for one in onset_rates)
        self.problem = Partitioned(moving.model, q, loads=self._push if pressed else None, independent=moving.free)
        self.evaluations = 0

    def __call__(self, t: float, y: FloatArray) -> FloatArray:
        self.evaluations += 1
        return self.problem.rate(float(t), y)

    def position(self, t: float, y: FloatArray) -> FloatArray:
        """q (n,)."""
        return self.problem.unpacked(t, y)[0]

    def gaps(self, t: float, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Gaps and their rates, each (s,)."""
        q, qdot = self.problem.unpacked(t, y)
        return self.moving.stops.gaps(q), self.moving.stops.rows(q) @ qdot

    def _push(self, _: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
        rows = self.moving.stops.rows(q)
        return np.asarray(self.moving.stops.forces(self.moving.stops.gaps(q), rows @ qdot, self.onset_rates) @ rows)

    def forces(self, t: float, y: FloatArray) -> FloatArray:
        """What the formulae of the laws give (s,) [N], also where they would pull; 0 for stops that are not pressed."""
        gaps, rates = self.gaps(t, y)
        found = np.zeros(len(gaps))
        for k, onset in enumerate(self.onset_rates):
            if onset is not None:
                found[k] = self.moving.stops.laws[k].unclamped(max(-gaps[k], 0.0), -rates[k], onset)
        return found


class AdaptiveSteps:
    """Steps of scipy's solvers."""

    def __init__(
        self, motion: PhaseEquations, t: float, y: FloatArray, end: float, tolerance: float, stiff: bool
    ) -> None:
        self.given = motion, t, y, end
        self.tolerance, self.stiff = tolerance, stiff
        self.solver: Any = None

    def step(self) -> IntegrationStep | None:
        """The next step; None if no step is short enough."""
        from scipy.integrate import DOP853, Radau

        if self.solver is None:  # made here, because it evaluates the motion already
            kind = Radau if self.stiff else DOP853
            self.solver = kind(*self.given, rtol=self.tolerance, atol=0.01 * self.tolerance, max_step=LONGEST_STEP)
        before = self.solver.y.copy()
        self.solver.step()
        if self.solver.status == "failed":
            return None
        dense = self.solver.dense_output()
        return IntegrationStep(
            self.solver.t_old, self.solver.t, before, self.solver.y.copy(), lambda t: np.asarray(dense(t))
        )


class ConstantSteps:
    """Classical Runge-Kutta steps that end at multiples of h."""

    def __init__(self, motion: PhaseEquations, t: float, y: FloatArray, end: float, h: float) -> None:
        self.motion, self.t, self.y, self.end, self.h = motion, t, y, end, h

    def step(self) -> IntegrationStep | None:
        """The next step, to the next multiple of h or to the end."""
        node = (np.floor(self.t / self.h + 1e-9) + 1.0) * self.h
        t, y = self.t, self.y
        self.t = float(min(node, self.end))
        self.y = rk4(self.motion, t, y, self.t - t)
        if not np.isfinite(self.y).all():
            return None
        slopes = np.stack([self.motion(t, y), self.motion(self.t, self.y)])
        after, end = self.y, self.t
        return IntegrationStep(t, end, y, after, lambda at: _hermite(at, t, end, np.stack([y, after]), slopes))


def rk4(rates: Callable[[float, FloatArray], FloatArray], t: float, y: FloatArray, h: float) -> FloatArray:
    """Classical Runge-Kutta step."""
    k1 = rates(t, y)
    k2 = rates(t + h / 2, y + h / 2 * k1)
    k3 = rates(t + h / 2, y + h / 2 * k2)
    k4 = rates(t + h, y + h * k3)
    return np.asarray(y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))


def integrate(
    moving: Reduced,
    q: FloatArray,
    qdot: FloatArray,
    duration: float,
    method: str = "adaptive",
    tolerance: float = 1e-9,
    step: float = 0.5e-3,
    progress: Progress | None = None,
) -> PhasedTrajectory:
    """Free motion from a consistent state at t = 0 for a duration [s].

    method    : ``adaptive`` with a relative ``tolerance``, or ``rk4`` with a constant ``step`` [s]
    It ends early, with a status in words, where a contact chatters, steps become too many, or parts cannot be joined.
    """
    count = len(moving.stops.names)
    free = list(moving.free)
    y, t = np.concatenate([q[free], qdot[free]]), 0.0
    gaps, rates = moving.stops.gaps(q), moving.stops.rows(q) @ qdot
    onset: list[float | None] = [float(max(-rates[k], 0.0)) if gaps[k] < 0.0 else None for k in range(count)]
    events = [StopEvent(0.0, "onset", k, float(rates[k])) for k in range(count) if onset[k] is not None]
    phases: list[Phase] = []
    evaluations, status, implicit = 0, "completed", False
    while t < duration and status == "completed":
        motion = PhaseEquations(moving, q, tuple(onset))
        stiff = implicit or any(
            law.name in STIFF_LAWS and onset[k] is not None for k, law in enumerate(moving.stops.laws)
        )
        stepper: AdaptiveSteps | ConstantSteps
        if method == "rk4":
            stepper = ConstantSteps(motion, t, y, duration, step)
        else:
            stepper = AdaptiveSteps(motion, t, y, duration, tolerance, stiff)
        if method == "rk4":
            allowed = int(duration / step) + MOST_STEPS
        else:
            allowed = MOST_STEPS if stiff else min(EXPLICIT_STEPS, MOST_STEPS)
        made = stretch(motion, stepper, t, y, duration, allowed, progress)
        evaluations, status = evaluations + motion.evaluations, made.status
        events += made.events
        if made.phase is not None:
            phases.append(made.phase)
        if status == TOO_STIFF and not stiff and method == "adaptive":
            implicit, status = True, "completed"  # the same stretch goes on with implicit steps
        if made.phase is None and status != "completed":
            break
        t, y, q = made.end, made.state, motion.position(made.end, made.state)
        if made.stop is not None and status == "completed":
            k = made.stop
            _, rates = motion.gaps(t, y)
            opens = onset[k] is not None
            onset[k] = None if opens else float(max(-rates[k], 0.0))
            events.append(StopEvent(t, "separation" if opens else "onset", k, float(rates[k])))
            touches = [one.time_s for one in events if one.kind == "onset" and one.stop == k]
            status = endless(moving.stops.names[k], touches) or status
    return PhasedTrajectory(tuple(phases), tuple(sorted(events, key=lambda one: one.time_s)), status, evaluations)


def endless(name: str, times: Sequence[float], room: int = 0) -> str:
    """Status of a contact whose touches, at times in order [s], cannot be followed to an end; empty if they can.

    A contact that chatters is touched after times that shrink geometrically towards zero; what bounces regularly may go
    on for as long as it likes, unless it does so too fast.

    room : for so many touches more, however fast they follow each other
    """
    if len(times) <= MOST_TOUCHES:
        return ""
    between, touches = np.diff(times), f"({len(times)} touches by {times[-1]:.4f} s)"
    if between[-1] < SHRUNK * between.max():
        return f"stopped: the contact of the {name} chatters {touches}"
    if len(times) > MOST_TOUCHES + room + TOUCHES_A_SECOND * times[-1]:
        return f"stopped: the contact of the {name} bounces too fast to be followed {touches}"
    return ""


@dataclass(frozen=True, eq=False)
class PhaseStretch:
    """Motion up to the next event: phase (None if no step was made), end, state there and the stop that ended it."""

    phase: Phase | None
    end: float
    state: FloatArray
    stop: int | None
    events: tuple[StopEvent, ...]
    status: str


def stretch(
    motion: PhaseEquations,
    stepper: AdaptiveSteps | ConstantSteps,
    t: float,
    y: FloatArray,
    duration: float,
    budget: int,
    progress: Progress | None = None,
) -> PhaseStretch:
    """Steps from t until a gap closes or opens, or the duration is over.

    budget : largest number of steps, besides those that the time they covered allows
    """
    begin, pieces, status, steps = t, [], "completed", 0
    events: list[StopEvent] = []
    found: tuple[float, int] | None = None
    while found is None and t < duration:
        steps += 1
        try:
            with np.errstate(all="ignore"):  # what comes next reports a motion that runs away
                made = stepper.step()
        except (NotAssembled, SingularPosition) as error:
            status = f"{error} {HINT}"
            break
        if made is None or steps > budget + STEPS_A_SECOND * (t - begin):
            status = TOO_STIFF
            break
        first = made.begin + FIRST_SHARE * (made.end - made.begin) if made.begin == begin else made.begin
        found = _first_event(motion, made, first)
        t = found[0] if found is not None else made.end
        events += _ends_of_force(motion, made, first, t)
        if found is None:
            y = made.after
        elif isinstance(stepper, ConstantSteps):
            y = rk4(motion, made.begin, made.before, t - made.begin)
        else:
            y = made.between(t)
        pieces.append(made)
        if progress is not None:
            progress(min(t / duration, 1.0))
    nodes = np.array([one.end for one in pieces])
    phase = Phase(begin, t, _joined(pieces), motion.onset_rates, None, nodes[nodes < t]) if pieces else None
    return PhaseStretch(phase, t, y, found[1] if found else None, tuple(events), status)


def _first_event(motion: PhaseEquations, made: IntegrationStep, first: float) -> tuple[float, int] | None:
    """Time and stop of the first gap that closes (if it was open) or opens (if it was pressed) within a step."""
    if not motion.onset_rates:
        return None
    before, after = motion.gaps(first, made.between(first))[0], motion.gaps(made.end, made.after)[0]
    found = []
    for k, onset in enumerate(motion.onset_rates):
        sign = 1.0 if onset is None else -1.0  # open: from + to −; pressed: from − to +
        if sign * after[k] < 0.0 or after[k] == 0.0:
            gap, begin = partial(_gap_at, motion, made, k), first
            if sign * before[k] <= 0.0:  # by round-off of the event before, if the gap goes the right way
                away = [at for at in first + LATER * (made.end - first) if sign * gap(at) > 0.0]
                if not away or sign * motion.gaps(first, made.between(first))[1][k] <= 0.0:
                    found.append((first, k))
                    continue
                begin = away[0]
            ends = sign * gap(made.end) >= 0.0  # what lies between steps may differ from them in its last digits
            found.append((made.end if ends else _root(gap, begin, made.end), k))
    return min(found) if found else None


def _ends_of_force(motion: PhaseEquations, made: IntegrationStep, first: float, end: float) -> list[StopEvent]:
    """Times within a step at which a stop that is still overlapped ceases to push."""
    if all(one is None for one in motion.onset_rates) or end <= first:
        return []
    before, after = motion.forces(first, made.between(first)), motion.forces(end, made.between(end))
    found = []
    for k in range(len(before)):
        if before[k] > 0.0 > after[k]:
            t = _root(partial(_force_at, motion, made, k), first, end)
            found.append(StopEvent(t, "force ends", k, float(motion.gaps(t, made.between(t))[1][k])))
    return found


def _gap_at(motion: PhaseEquations, made: IntegrationStep, k: int, t: float) -> float:
    return float(motion.gaps(t, made.between(t))[0][k])


def _force_at(motion: PhaseEquations, made: IntegrationStep, k: int, t: float) -> float:
    return float(motion.forces(t, made.between(t))[k])


def _root(value: Callable[[float], float], low: float, high: float) -> float:
    from scipy.optimize import brentq

    return float(brentq(value, low, high, xtol=1e-14, rtol=1e-14))


def _joined(pieces: Sequence[IntegrationStep]) -> Callable[[FloatArray], FloatArray]:
    """State (k, 2 f) at times (k,) within steps that follow each other."""
    ends = np.array([one.end for one in pieces])

    def state(t: FloatArray) -> FloatArray:
        time = np.asarray(t, dtype=np.float64)
        at = np.minimum(np.searchsorted(ends, time), len(ends) - 1)
        out = np.empty((len(time), len(pieces[0].after)))
        for k in np.unique(at):
            inside = at == k
            out[inside] = pieces[k].between(time[inside]).T
        return out

    return state


def _hermite(at: ArrayLike, t0: float, t1: float, y: FloatArray, slopes: FloatArray) -> FloatArray:
    """Cubic through two states (2, n) with slopes (2, n): (n,) at one time, (n, k) at several."""
    time, h = np.asarray(at, dtype=np.float64), t1 - t0
    s = (time - t0) / h
    a, b, c, d = (1 + 2 * s) * (1 - s) ** 2, s * (1 - s) ** 2 * h, s**2 * (3 - 2 * s), s**2 * (s - 1) * h
    return np.asarray(
        np.multiply.outer(y[0], a) + np.multiply.outer(slopes[0], b)
        + np.multiply.outer(y[1], c) + np.multiply.outer(slopes[1], d)
    )  # fmt: skip
