"""Integrate a machine in time: fixed Runge-Kutta steps or scipy's error-controlled methods, with events.

What is integrated is a `FirstOrderProblem`: the whole state with stabilised constraints (`stabilised`), or only
independent coordinates (`partitioned`). A run that cannot go on keeps what it reached and says why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.engine.forward.integrators import SCIPY
from biomec.machines.reference_points.assembly import NotAssembled, SingularPosition
from biomec.machines.reference_points.model import ReferencePointModel

FIXED_STEP = "runge-kutta 4"
METHODS = {FIXED_STEP: "", **SCIPY}
"""Names of the integrators, and what scipy calls them."""
RUNAWAY = 1e6  # [m, rad, m/s, rad/s]; beyond, a motion is not a motion of a machine
PATIENCE = 300  # evaluations in a row that give no numbers, before a run gives up
COMPLETED = "completed"
MOST_STEPS = 1_000_000

Torques = Callable[[float], FloatArray]
"""Torques of all motors (motors,) [N m] at a time [s]."""
Loads = Callable[[float, FloatArray, FloatArray], FloatArray]
"""Further generalised forces (n,) at a time and a state q, q̇ (n,), such as those of a contact."""


@dataclass(frozen=True)
class ZeroCrossing:
    """Something that happens where a value passes through zero.

    value     : of the time and the state q, q̇ (n,)
    direction : 1 upward, −1 downward, 0 both;  terminal : whether it ends the run
    """

    name: str
    value: Callable[[float, FloatArray, FloatArray], float]
    direction: int = 0
    terminal: bool = True


@dataclass(frozen=True)
class IntegrationOptions:
    """How to integrate.

    method     : one of `METHODS`
    step_s     : of the method with fixed steps [s]
    rtol, atol : allowed error of a step of the others, relative and absolute
    longest_s  : their longest step [s];  most_steps : after which a run gives up
    keep_steps : keep the states at the integrator's own steps instead of those at the times asked for, between them
    """

    method: str = "runge-kutta 8"
    step_s: float = 1e-3
    rtol: float = 1e-9
    atol: float = 1e-11
    longest_s: float = np.inf
    most_steps: int = MOST_STEPS
    keep_steps: bool = False

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise BiomecError(f"The integrator is one of {', '.join(METHODS)}, not {self.method}.")
        if not (self.step_s > 0.0 and self.rtol > 0.0 and self.atol > 0.0 and self.longest_s > 0.0):
            raise BiomecError("Steps and tolerances of an integrator must be positive.")


@dataclass(frozen=True, eq=False)
class IntegratedMotion:
    """A motion in time; arrays are read-only and hold what was reached.

    time_s : (T,);  q, qdot, qddot : (T, n);  multipliers : (T, m) of the model's rows;  torques : (T, motors) [N m]
    status : ``completed``, or why it ended;  succeeded : whether it reached its end or a terminal event
    happened : names and times of events [s];  steps : that were taken
    """

    model: ReferencePointModel
    time_s: FloatArray
    q: FloatArray
    qdot: FloatArray
    qddot: FloatArray
    multipliers: FloatArray
    torques: FloatArray
    status: str
    succeeded: bool
    happened: tuple[tuple[str, float], ...]
    steps: int


class FirstOrderProblem(Protocol):
    """First-order equations of a machine."""

    @property
    def model(self) -> ReferencePointModel:
        """The machine."""

    def packed(self, q: FloatArray, qdot: FloatArray) -> FloatArray:
        """State vector y of coordinates and velocities."""

    def unpacked(self, t: float, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """q and q̇ of a state vector."""

    def solved(self, t: float, q: FloatArray, qdot: FloatArray) -> tuple[FloatArray, FloatArray]:
        """q̈ and λ at a state."""

    def rate(self, t: float, y: FloatArray) -> FloatArray:
        """ẏ."""

    def renewed(self, t: float, q: FloatArray, qdot: FloatArray) -> bool:
        """After a step: whether the meaning of y had to change, so that the state has to be packed again."""


def integrate(
    problem: FirstOrderProblem,
    q: FloatArray,
    qdot: FloatArray,
    time_s: ArrayLike,
    options: IntegrationOptions = IntegrationOptions(),
    events: Sequence[ZeroCrossing] = (),
    torques: Torques | None = None,
    progress: Progress | None = None,
) -> IntegratedMotion:
    """Motion from a state that satisfies the constraints, kept at times (T,), which increase."""
    times = np.asarray(time_s, dtype=np.float64).reshape(-1)
    if times.size < 2 or not (np.diff(times) > 0.0).all() or not np.isfinite(times).all():
        raise BiomecError("A motion needs at least two times, which increase.")
    if options.method == FIXED_STEP:
        refuse_steps(float(times[-1] - times[0]), options.step_s, options.most_steps)
    return _Run(problem, times, options, events, torques, progress).run(np.array(q), np.array(qdot))


def refuse_steps(duration_s: float, step_s: float, most_steps: int = MOST_STEPS) -> None:
    """Raise where a motion would take more steps than are allowed."""
    if duration_s / step_s > most_steps * (1.0 + 1e-9):
        raise BiomecError(
            f"{duration_s:g} s in steps of about {step_s:g} s are too many steps (more than {most_steps}). "
            "Take longer steps or a shorter motion."
        )


class _Run:
    def __init__(
        self,
        problem: FirstOrderProblem,
        times: FloatArray,
        options: IntegrationOptions,
        events: Sequence[ZeroCrossing],
        torques: Torques | None,
        progress: Progress | None,
    ) -> None:
        self.problem, self.times, self.options, self.events = problem, times, options, events
        self.torques, self.progress = torques, progress
        self.kept: list[tuple[float, FloatArray, FloatArray]] = []
        self.happened: list[tuple[str, float]] = []
        self.steps = 0

    def run(self, q: FloatArray, qdot: FloatArray) -> IntegratedMotion:
        t, end = float(self.times[0]), float(self.times[-1])
        self.kept.append((t, q, qdot))
        values = [event.value(t, q, qdot) for event in self.events]
        status, succeeded = COMPLETED, True
        try:
            stepper = self._stepper(t, self.problem.packed(q, qdot), end)
            while t < end:
                before = t
                t, path = stepper.step()
                self.steps += 1
                q, qdot = self.problem.unpacked(t, path(t))
                if not (np.abs(q).max() < RUNAWAY and np.abs(qdot).max() < RUNAWAY):
                    raise _Ended(f"stopped at {before:.5g} s: the motion ran away")
                values, stop = self._events(before, t, path, values, q, qdot)
                self._keep(before, t if stop is None else stop[1], path)
                if stop is not None:
                    if self.kept[-1][0] < stop[1]:
                        self.kept.append((stop[1], *self.problem.unpacked(stop[1], path(stop[1]))))
                    break
                if self.steps >= self.options.most_steps:
                    raise _Ended(f"stopped at {t:.5g} s: it needed too many steps")
                if self.progress is not None:
                    self.progress(min(1.0, (t - self.times[0]) / (end - self.times[0])))
                if t < end and self.problem.renewed(t, q, qdot):
                    stepper = self._stepper(t, self.problem.packed(q, qdot), end)
        except (_Ended, NotAssembled, SingularPosition) as error:
            status, succeeded = str(error), False
        return self._motion(status, succeeded)

    def _stepper(self, t: float, y: FloatArray, end: float) -> _RungeKutta4 | _Scipy:
        if self.options.method == FIXED_STEP:
            return _RungeKutta4(self.problem, t, y, end, self.options.step_s)
        return _Scipy(self.problem, t, y, end, self.options)

    def _keep(self, before: float, t: float, path: _Path) -> None:
        if self.options.keep_steps:
            self.kept.append((t, *self.problem.unpacked(t, path(t))))
            return
        for at in self.times[(self.times > before) & (self.times <= t)]:
            self.kept.append((float(at), *self.problem.unpacked(float(at), path(float(at)))))

    def _events(
        self, before: float, t: float, path: _Path, values: list[float], q: FloatArray, qdot: FloatArray
    ) -> tuple[list[float], tuple[str, float] | None]:
        """Values at the end of the step, and the first terminal event within it."""
        after = [event.value(t, q, qdot) for event in self.events]
        found: list[tuple[float, ZeroCrossing]] = []
        for event, old, new in zip(self.events, values, after, strict=True):
            crossed = old < 0.0 <= new if event.direction > 0 else old > 0.0 >= new
            if event.direction == 0:
                crossed = (old < 0.0 <= new) or (old > 0.0 >= new)
            if crossed:
                found.append((self._located(event, before, t, path, old), event))
        for at, event in sorted(found, key=lambda one: one[0]):
            self.happened.append((event.name, at))
            if event.terminal:
                return after, (event.name, at)
        return after, None

    def _located(self, event: ZeroCrossing, low: float, high: float, path: _Path, at_low: float) -> float:
        """Time of a crossing by bisection, to round-off: the side after it is returned."""
        for _ in range(60):
            middle = 0.5 * (low + high)
            if not low < middle < high:
                break
            value = event.value(middle, *self.problem.unpacked(middle, path(middle)))
            if value == 0.0 or (value > 0.0) != (at_low > 0.0):
                high = middle
            else:
                low = middle
        return high

    def _motion(self, status: str, succeeded: bool) -> IntegratedMotion:
        time_s = [t for t, _, _ in self.kept]
        solutions = [self.problem.solved(*one) for one in self.kept]
        model = self.problem.model
        torques = model.given_torques(time_s) if self.torques is None else np.array([self.torques(t) for t in time_s])
        torques = np.zeros((len(time_s), len(model.motors))) if torques is None else torques
        return IntegratedMotion(
            model=model,
            time_s=read_only(time_s),
            q=read_only([q for _, q, _ in self.kept]),
            qdot=read_only([v for _, _, v in self.kept]),
            qddot=read_only([a for a, _ in solutions]),
            multipliers=read_only([multipliers for _, multipliers in solutions]),
            torques=read_only(torques),
            status=status,
            succeeded=succeeded,
            happened=tuple(self.happened),
            steps=self.steps,
        )


class _Ended(Exception):
    """A run that cannot go on; says why."""


_Path = Callable[[float], FloatArray]


class _RungeKutta4:
    """Classical Runge-Kutta steps of equal length; cubic between the ends of a step."""

    def __init__(self, problem: FirstOrderProblem, t: float, y: FloatArray, end: float, step_s: float) -> None:
        self.problem, self.start, self.t, self.y, self.end = problem, t, t, y, end
        self.count = max(1, int(np.ceil((end - t) / step_s - 1e-9)))
        self.h, self.done = (end - t) / self.count, 0

    def step(self) -> tuple[float, _Path]:
        t, y, h, rate = self.t, self.y, self.h, self.problem.rate
        first = rate(t, y)
        second = rate(t + 0.5 * h, y + 0.5 * h * first)
        third = rate(t + 0.5 * h, y + 0.5 * h * second)
        fourth = rate(t + h, y + h * third)
        new = y + h / 6.0 * (first + 2.0 * second + 2.0 * third + fourth)
        self.done += 1
        self.t = self.end if self.done == self.count else self.start + self.done * h
        self.y = new
        slopes: list[FloatArray] = []  # of the end, evaluated only if something inside the step is asked for

        def path(at: float) -> FloatArray:
            if at == self.t:
                return new
            if not slopes:
                slopes.append(rate(t + h, new))
            x = (at - t) / h
            return np.asarray(
                (1 + 2 * x) * (1 - x) ** 2 * y
                + x * x * (3 - 2 * x) * new
                + h * x * (1 - x) ** 2 * first
                + h * x * x * (x - 1) * slopes[0]
            )

        return self.t, path


class _Scipy:
    """One of scipy's integrators, step by step."""

    def __init__(
        self, problem: FirstOrderProblem, t: float, y: FloatArray, end: float, options: IntegrationOptions
    ) -> None:
        from scipy import integrate as library  # slow to import

        self.problem, self.why, self.useless, self.reached = problem, "", 0, t
        self.strict = options.method == "lsoda"  # the others shorten a step whose rates are not numbers
        solver: Any = getattr(library, METHODS[options.method])
        longest = min(options.longest_s, end - t)
        self.solver = solver(self._rate, t, y, end, rtol=options.rtol, atol=options.atol, max_step=longest)

    def _rate(self, t: float, y: FloatArray) -> FloatArray:
        try:
            rate = self.problem.rate(float(t), y)
        except (NotAssembled, SingularPosition) as error:
            if self.strict:
                raise
            self.why = str(error)
            rate = np.full(y.shape, np.nan)
        self.useless = 0 if np.isfinite(rate).all() else self.useless + 1
        if self.useless > PATIENCE:
            raise _Ended(self.why or f"stopped at {self.reached:.5g} s: the forces there are not numbers")
        return rate

    def step(self) -> tuple[float, _Path]:
        before = float(self.solver.t)
        try:
            with np.errstate(all="ignore"):
                self.solver.step()
        except ValueError as error:  # a matrix of numbers that are none
            raise _Ended(self.why or f"stopped at {before:.5g} s: the equations have no solution") from error
        if self.solver.status == "failed":
            raise _Ended(self.why or f"stopped at {before:.5g} s: steps became too small to go on")
        self.reached = float(self.solver.t)
        return self.reached, self.solver.dense_output()


INTERPOLATIONS = ("linear", "spline")
CLOSED = 1e-9  # of the largest torque: the first and the last one are the same, so the motion repeats


def torque_table(time_s: ArrayLike, torques: ArrayLike, interpolation: str = "linear") -> Torques:
    """Torques of all motors as a function of time, constant outside the table.

    time_s : (T,);  torques : (T, motors) [N m]
    interpolation : ``linear``; or ``spline``, cubic, periodic if the table ends as it begins
    """
    times, values = np.asarray(time_s, dtype=np.float64), np.asarray(torques, dtype=np.float64)
    if values.ndim != 2 or len(values) != len(times) or len(times) < 2 or not (np.diff(times) > 0.0).all():
        raise BiomecError("A table of torques needs times that increase, with the torques of all motors at each.")
    if not np.isfinite(values).all():
        raise BiomecError("A table of torques has values that are not numbers.")
    if interpolation not in INTERPOLATIONS:
        raise BiomecError(f"Torques are interpolated {' or '.join(INTERPOLATIONS)}, not {interpolation}.")
    first, last = float(times[0]), float(times[-1])
    if interpolation == "linear":

        def straight(t: float) -> FloatArray:
            now = min(max(t, first), last)
            k = min(int(times.searchsorted(now, "right")) - 1, len(times) - 2)
            share = (now - times[k]) / (times[k + 1] - times[k])
            return np.asarray((1.0 - share) * values[k] + share * values[k + 1])

        return straight
    from scipy.interpolate import CubicSpline  # slow to import

    repeats = bool(np.abs(values[-1] - values[0]).max(initial=0.0) <= CLOSED * np.abs(values).max(initial=1.0))
    if repeats:
        values = values.copy()
        values[-1] = values[0]
    spline = CubicSpline(times, values, bc_type="periodic" if repeats and len(times) > 2 else "not-a-knot")
    return lambda t: np.asarray(spline(min(max(t, first), last)))
