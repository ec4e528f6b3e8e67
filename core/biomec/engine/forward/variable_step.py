"""Steps as long as the accuracy allows.

Two ways. `simulate_adaptive` doubles and halves the steps of any one-step stepper, the index-3 one included: a step is
taken once whole and once in two halves, and the difference, divided by 2^p − 1 for a method of order p, is the error of
the halves (Richardson). Taken off them, it leaves a state of higher order, q + (q₂ − q₁)/(2^p − 1): of order 4 with the
trapezoidal rule, whose error has even powers of h only. Index 3 keeps the halves as they are, because its states obey
the constraints to round-off and a combination of them would not. `simulate_to_tolerance` hands the accelerations of a
formulation to one of scipy's integrators.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.engine.forces.applied import Forces, InnerForces
from biomec.engine.forward.formulation import Formulation, NoNumber, State, StepResult, Unsolvable
from biomec.engine.forward.integrators import SCIPY
from biomec.engine.forward.simulation import (
    Ending,
    RunRecord,
    Simulation,
    Stepped,
    Stepper,
    after_step,
    as_simulation,
    failure,
    started,
    trouble,
)

LEAST = 100.0 * float(np.finfo(np.float64).eps)  # relative error that can be asked for: round-off
SAFETY, SMALLEST, LARGEST = 0.9, 0.2, 4.0  # of the step's growth


@dataclass(frozen=True)
class ErrorControl:
    """How accurate each step must be.

    position   : allowed error of a step in any coordinate [m], before it is extrapolated
    velocity   : and in any velocity [m/s]
    first_s    : the first step [s];  least_s, most_s : bounds of all steps [s]
    order      : of the one-step method: 2 for the trapezoidal rule and generalised-alpha
    """

    position: float = 1e-7
    velocity: float = 1e-5
    first_s: float = 1e-3
    least_s: float = 1e-7
    most_s: float = 0.05
    order: int = 2

    def __post_init__(self) -> None:
        bounds = 0.0 < self.least_s <= self.first_s <= self.most_s
        if not (bounds and self.position > 0.0 and self.velocity > 0.0 and self.order > 0):
            raise BiomecError("Variable step: errors must be positive, and least ≤ first ≤ longest step.")


def simulate_adaptive(
    stepper: Stepper,
    q: FloatArray,
    qdot: FloatArray,
    duration_s: float,
    control: ErrorControl = ErrorControl(),
    *,
    start_s: float = 0.0,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
    stop_when: Callable[[State], str | None] | None = None,
) -> Simulation:
    """Integrate a one-step stepper with error control; arguments as of `simulate`."""
    state = started(stepper, q, qdot, duration_s, control.first_s, start_s)
    record = RunRecord(stepper)
    record.add(state, 0, 0.0, 0.0)
    end, h = start_s + duration_s, control.first_s
    ending, sentence = Ending.COMPLETED, "Completed."
    while state.t < end - 1e-12:
        began = time.process_time()
        h = min(h, end - state.t)
        tried = _tried(stepper, state, h, control)
        if isinstance(tried, Unsolvable) or tried[1] > 1.0:
            if h <= control.least_s:
                ending, sentence = _given_up(tried, state.t, h)
                break
            shrink = 0.25  # where there is no step at all
            if not isinstance(tried, Unsolvable):
                shrink = max(SMALLEST, SAFETY * tried[1] ** (-1 / (control.order + 1)))
            h = max(control.least_s, h * shrink)
            continue
        step, error = tried
        state = step.state
        seconds = time.process_time() - began
        growth = LARGEST if error == 0.0 else min(LARGEST, SAFETY * error ** (-1 / (control.order + 1)))
        h = min(control.most_s, h * max(1.0, growth) if growth > 1.2 else h * min(1.0, growth))
        fraction = (state.t - start_s) / duration_s
        halt = after_step(record, step, seconds, fraction, progress, cancelled, stop_when)
        if halt is not None:
            ending, sentence = halt
            break
    return as_simulation(stepper, record, ending, sentence)


def _given_up(tried: tuple[StepResult, float] | Unsolvable, t: float, h: float) -> tuple[Ending, str]:
    """How a run ends whose shortest step is not good enough."""
    if isinstance(tried, NoNumber):
        return failure(tried, t)
    reason = tried if isinstance(tried, Unsolvable) else "The error asked for needs smaller ones."
    return Ending.NOT_CONVERGED, f"Stopped at {t:.4f} s with steps of {h:.0e} s: {reason}"


def _tried(stepper: Stepper, state: State, h: float, control: ErrorControl) -> tuple[StepResult, float] | Unsolvable:
    """The two half steps, extrapolated where that is for the good, and their error over the allowed one; or why not."""
    try:
        whole = stepper.step(state, h)
        first = stepper.step(state, 0.5 * h)
        second = stepper.step(first.state, 0.5 * h)
    except Unsolvable as unsolvable:
        return unsolvable
    for step in (whole, first, second):
        wrong = trouble(step)
        if wrong is not None:
            return Unsolvable(wrong[1])
    fraction = 2.0**control.order - 1.0
    wrong_q = (second.state.q - whole.state.q) / fraction
    wrong_v = (second.state.qdot - whole.state.qdot) / fraction
    error = float(max(np.abs(wrong_q).max() / control.position, np.abs(wrong_v).max() / control.velocity))
    state = second.state
    if isinstance(stepper, Stepped) and error <= 1.0:
        try:
            state = stepper.start(state.t, state.q + wrong_q, state.qdot + wrong_v)
        except Unsolvable as unsolvable:
            return unsolvable
    return StepResult(state, whole.iterations + first.iterations + second.iterations, second.increment, True), error


def simulate_to_tolerance(
    formulation: Formulation,
    forces: Forces,
    q: FloatArray,
    qdot: FloatArray,
    duration_s: float,
    *,
    method: str = "runge-kutta 8",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    longest_s: float = np.inf,
    start_s: float = 0.0,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
    stop_when: Callable[[State], str | None] | None = None,
    inner: InnerForces | None = None,
) -> Simulation:
    """Integrate a formulation with one of scipy's error-controlled methods; arguments as of `simulate` and `Stepped`.

    Nothing draws the state back to Φ = 0 but the formulation itself: choose a stabilised one.
    """
    if method not in SCIPY:
        raise BiomecError(f'Variable step: the method is {", ".join(SCIPY)}, not "{method}".')
    from scipy import integrate  # slow to import, and few need it

    stepper = Stepped(formulation, forces, inner=inner)
    n = formulation.system.n
    state = started(stepper, q, qdot, duration_s, longest_s if longest_s < np.inf else duration_s, start_s)
    record = RunRecord(stepper)
    record.add(state, 0, 0.0, 0.0)

    unused = np.zeros(len(state.q) - n)  # ∫ of inner states

    def rate(t: float, y: FloatArray) -> FloatArray:
        found = stepper.law(t, np.concatenate([y[:n], unused]), y[n:])
        return np.concatenate([y[n : 2 * n], found.qddot])

    end = start_s + duration_s
    solver = getattr(integrate, SCIPY[method])(
        rate,
        start_s,
        np.concatenate([state.q[:n], state.qdot]),
        end,
        rtol=max(rtol, LEAST),
        atol=atol,
        max_step=longest_s,
    )
    ending, sentence = Ending.COMPLETED, "Completed."
    while solver.status == "running":
        began = time.process_time()
        before = solver.nfev
        try:
            message = solver.step()
            state = stepper.start(float(solver.t), np.concatenate([solver.y[:n], unused]), solver.y[n:])
        except Unsolvable as error:
            ending, sentence = failure(error, float(solver.t))
            break
        step = StepResult(state, solver.nfev - before, 0.0, solver.status != "failed")
        seconds, fraction = time.process_time() - began, (state.t - start_s) / duration_s
        halt = after_step(record, step, seconds, fraction, progress, cancelled, stop_when)
        if halt is not None:
            ending, sentence = halt
            if message is not None:
                sentence = f"Stopped at {solver.t:.4f} s: steps became too small to go on."
            break
    return as_simulation(stepper, record, ending, sentence)
