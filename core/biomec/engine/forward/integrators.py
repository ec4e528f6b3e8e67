"""Fixed-step integrators of q̈ = a(t, q, q̇): trapezoidal, Adams, Gear, generalised-alpha.

A step ends when its corrector no longer moves the state by more than the tolerance. Every integrator can use every
formulation: it only asks for accelerations. Equation numbers are those of [Nunes2017].
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.engine.forward.formulation import Accelerations

FAMILIES = ("trapezoidal", "adams", "gear", "generalised-alpha")
STARTS = ("runge-kutta", "trapezoidal")
MAX_ORDER = {"trapezoidal": 2, "adams": 4, "gear": 4, "generalised-alpha": 2}

BASHFORTH = {
    1: (1.0,),
    2: (3 / 2, -1 / 2),
    3: (23 / 12, -16 / 12, 5 / 12),
    4: (55 / 24, -59 / 24, 37 / 24, -9 / 24),
}
"""Order -> factors of f_i, f_{i−1}, … (Table 5.2)."""
MOULTON = {
    1: (1.0,),
    2: (1 / 2, 1 / 2),
    3: (5 / 12, 8 / 12, -1 / 12),
    4: (9 / 24, 19 / 24, -5 / 24, 1 / 24),
}
"""Order -> factors of f_{i+1}, f_i, f_{i−1}, … (Table 5.3)."""
GEAR = {
    1: (1.0, (1.0,)),
    2: (2 / 3, (4 / 3, -1 / 3)),
    3: (6 / 11, (18 / 11, -9 / 11, 2 / 11)),
    4: (12 / 25, (48 / 25, -36 / 25, 16 / 25, -3 / 25)),
}
"""Order -> factor of h f_{i+1}, and factors of y_i, y_{i−1}, …: backward differentiation [Gear1971]."""
RUNAWAY = 1e3  # times the least change so far: a corrector that does this will not return
EXTRAPOLATION = {1: (2.0, -1.0), 2: (3.0, -3.0, 1.0), 3: (4.0, -6.0, 4.0, -1.0), 4: (5.0, -10.0, 10.0, -5.0, 1.0)}


class State(NamedTuple):
    """Where a simulation is: time [s], q, q̇, q̈ (n,), multipliers (m,)."""

    t: float
    q: FloatArray
    qdot: FloatArray
    qddot: FloatArray
    multipliers: FloatArray


class Step(NamedTuple):
    """A new state, the corrector's passes, its last change ‖(Δq, h Δq̇)‖ [m], and whether it converged."""

    state: State
    iterations: int
    increment: float
    converged: bool


Motion = Callable[[float, FloatArray, FloatArray], Accelerations]
"""Accelerations at a time and a state."""


class Integrator(Protocol):
    """Steps from one state to the next; remembers what its formula needs of the past."""

    def step(self, motion: Motion, state: State, h: float) -> Step:
        """Take one step of h seconds."""


@dataclass(frozen=True)
class IntegratorOptions:
    """Which integrator, and when its iterations end.

    family     : "trapezoidal", "adams" (Adams-Bashforth predictor of one order less, Adams-Moulton corrector), "gear"
                 (backward differentiation) or "generalised-alpha"
    order      : of Adams and Gear, 1 to 4; the others have order 2
    start      : how a multistep formula gets its first values: "runge-kutta" (order 4, so that the order is kept), or
                 "trapezoidal", as published
    tolerance  : on the change ‖(Δq, h Δq̇)‖ by a pass of the corrector [m]
    max_iterations : of the corrector; a step that needs more has not converged
    rho        : of generalised-alpha: spectral radius at infinite frequency, 0 to 1; 1 damps nothing
    """

    family: str = "adams"
    order: int = 4
    start: str = "runge-kutta"
    tolerance: float = 1e-8
    max_iterations: int = 50
    rho: float = 0.8

    def __post_init__(self) -> None:
        if self.family not in FAMILIES or self.start not in STARTS:
            raise BiomecError(
                f"Integrator: the family is {', '.join(FAMILIES)} and the start {' or '.join(STARTS)}, not "
                f'"{self.family}" and "{self.start}".'
            )
        if self.family in ("adams", "gear") and self.order not in range(1, MAX_ORDER[self.family] + 1):
            raise BiomecError(f"Integrator: the order of {self.family} is 1 to {MAX_ORDER[self.family]}.")
        if not (self.tolerance > 0.0 and self.max_iterations > 0 and 0.0 <= self.rho <= 1.0):
            raise BiomecError("Integrator: tolerance and iterations must be positive, ρ between 0 and 1.")


def integrator(options: IntegratorOptions) -> Integrator:
    """Return a new integrator, without a past."""
    if options.family == "trapezoidal":
        return Trapezoidal(options)
    if options.family == "generalised-alpha":
        return GeneralisedAlpha(options)
    return Multistep(options)


class Trapezoidal:
    """q₊ = q + h/2 (q̇ + q̇₊), q̇₊ = q̇ + h/2 (q̈ + q̈₊), by fixed-point iteration (Eq. 2.122). Order 2."""

    def __init__(self, options: IntegratorOptions) -> None:
        self.options = options

    def step(self, motion: Motion, state: State, h: float) -> Step:
        """Start from q + h q̇, q̇ + h q̈ (Eq. 5.21 prints h/2)."""
        t, q, v, a, _ = state
        guess = q + h * v, v + h * a

        def corrected(v_new: FloatArray, a_new: FloatArray) -> tuple[FloatArray, FloatArray]:
            return q + 0.5 * h * (v + v_new), v + 0.5 * h * (a + a_new)

        return _iterated(motion, t, t + h, *guess, corrected, self.options)


class Multistep:
    """Adams-Bashforth-Moulton or Gear of order k; the first steps by the starting method: k − 2 and k − 1 of them."""

    def __init__(self, options: IntegratorOptions) -> None:
        self.options = options
        self.past: deque[State] = deque(maxlen=5)  # newest first
        self.h = 0.0

    def step(self, motion: Motion, state: State, h: float) -> Step:
        """Predict from the past, correct until nothing changes."""
        if h != self.h:  # the formulas are for equal steps
            self.past.clear()
            self.h = h
        self.past.appendleft(state)
        adams = self.options.family == "adams"
        if len(self.past) < (self.options.order - 1 if adams else self.options.order):
            if self.options.start == "trapezoidal":
                return Trapezoidal(self.options).step(motion, state, h)
            return runge_kutta(motion, state, h)
        return self._adams(motion, h) if adams else self._gear(motion, h)

    def _adams(self, motion: Motion, h: float) -> Step:
        past, order = self.past, self.options.order
        t, q, v, _, _ = past[0]
        v_past, a_past = np.array([one.qdot for one in past]), np.array([one.qddot for one in past])
        predictor = h * np.array(BASHFORTH[max(order - 1, 1)])
        q_0, v_0 = q + predictor @ v_past[: predictor.size], v + predictor @ a_past[: predictor.size]
        newest, *others = MOULTON[order]
        older = h * np.array(others)
        known_q, known_v = q + older @ v_past[: older.size], v + older @ a_past[: older.size]
        return _iterated(
            motion, t, t + h, q_0, v_0, lambda v_1, a_1: (known_q + h * newest * v_1, known_v + h * newest * a_1),
            self.options,
        )  # fmt: skip

    def _gear(self, motion: Motion, h: float) -> Step:
        past, order = self.past, self.options.order
        beta, factors = GEAR[order]
        known_q = sum((c * one.q for c, one in zip(factors, past, strict=False)), np.zeros_like(past[0].q))
        known_v = sum((c * one.qdot for c, one in zip(factors, past, strict=False)), np.zeros_like(past[0].q))
        ahead = EXTRAPOLATION[min(order, len(past) - 1)] if len(past) > 1 else (1.0,)
        v_0 = sum((c * one.qdot for c, one in zip(ahead, past, strict=False)), np.zeros_like(past[0].q))
        q_0 = known_q + h * beta * v_0
        t = past[0].t
        return _iterated(
            motion, t, t + h, q_0, v_0, lambda v_1, a_1: (known_q + h * beta * v_1, known_v + h * beta * a_1),
            self.options,
        )  # fmt: skip


class GeneralisedAlpha:
    """Newmark's formulas with averaged accelerations: order 2, damps what the step cannot resolve [ArnoldBruls2007].

    (1 − α_m) â₊ + α_m â = (1 − α_f) q̈₊ + α_f q̈,   q₊ = q + h q̇ + h²((½ − β) â + β â₊),   q̇₊ = q̇ + h((1 − γ) â + γ â₊)
    """

    def __init__(self, options: IntegratorOptions) -> None:
        self.options = options
        self.alpha_m, self.alpha_f, self.beta, self.gamma = alpha_coefficients(options.rho)
        self.averaged: FloatArray | None = None

    def step(self, motion: Motion, state: State, h: float) -> Step:
        """Correct from constant acceleration."""
        t, q, v, a, _ = state
        old = a if self.averaged is None else self.averaged

        def averaged(a_new: FloatArray) -> FloatArray:
            return ((1.0 - self.alpha_f) * a_new + self.alpha_f * a - self.alpha_m * old) / (1.0 - self.alpha_m)

        def corrected(_: FloatArray, a_new: FloatArray) -> tuple[FloatArray, FloatArray]:
            new = averaged(a_new)
            return (
                q + h * v + h * h * ((0.5 - self.beta) * old + self.beta * new),
                v + h * ((1.0 - self.gamma) * old + self.gamma * new),
            )

        step = _iterated(motion, t, t + h, *corrected(v, a), corrected, self.options)
        self.averaged = averaged(step.state.qddot)
        return step


def alpha_coefficients(rho: float) -> tuple[float, float, float, float]:
    """α_m, α_f, β, γ of generalised-alpha for a spectral radius ρ at infinite frequency [ChungHulbert1993]."""
    alpha_m, alpha_f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
    gamma = 0.5 + alpha_f - alpha_m
    return alpha_m, alpha_f, 0.25 * (gamma + 0.5) ** 2, gamma


def runge_kutta(motion: Motion, state: State, h: float) -> Step:
    """One step of the classical Runge-Kutta method, order 4."""
    t, q, v, a, _ = state
    rates = [(v, a)]
    for part in (0.5, 0.5, 1.0):
        dq, dv = rates[-1]
        v_i = v + part * h * dv
        rates.append((v_i, motion(t + part * h, q + part * h * dq, v_i).qddot))
    weights = (1.0, 2.0, 2.0, 1.0)
    q_new = q + h / 6.0 * sum(w * dq for w, (dq, _) in zip(weights, rates, strict=True))
    v_new = v + h / 6.0 * sum(w * dv for w, (_, dv) in zip(weights, rates, strict=True))
    found = motion(t + h, q_new, v_new)
    return Step(State(t + h, q_new, v_new, found.qddot, found.multipliers), 1, 0.0, True)


def _iterated(
    motion: Motion,
    start: float,
    t: float,
    q: FloatArray,
    v: FloatArray,
    corrected: Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]],
    options: IntegratorOptions,
) -> Step:
    """Evaluate and correct until the state stands still: ‖(Δq, h Δq̇)‖ below the tolerance; then evaluate once more."""
    h = t - start
    change, least = np.inf, np.inf
    done = 0
    found = motion(t, q, v)
    while done < options.max_iterations:
        q_new, v_new = corrected(v, found.qddot)
        moved, faster = q_new - q, v_new - v
        change = float(np.sqrt(moved @ moved + h * h * (faster @ faster)))
        q, v, done = q_new, v_new, done + 1
        if not change < RUNAWAY * least:
            break
        found = motion(t, q, v)
        if change < options.tolerance:
            break
        least = min(least, change)
    state = State(t, q, v, found.qddot, found.multipliers)
    return Step(state, done, change, bool(change < options.tolerance))
