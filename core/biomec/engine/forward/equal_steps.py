"""Integrators of q̈ = a(t, q, q̇) with equal steps: trapezoidal, Adams, Gear, generalised-alpha.

A step ends when its corrector no longer moves the state by more than the tolerance. Every integrator can use every
formulation: it only asks for accelerations. Index 3 solves for positions and asks for the implicit formula instead.
Equation numbers are those of [Nunes2017].
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.engine.forward.formulation import AccelerationLaw, ImplicitFormula, State, StepResult

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
STARTS = ("runge-kutta", "trapezoidal")


@dataclass(frozen=True)
class EqualStepOptions:
    """Which integrator of equal steps, and when its iterations end.

    family     : "trapezoidal", "adams", "gear" or "generalised-alpha"
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


class OneStep:
    """What formulas have in common that remember nothing but the last state."""

    def __init__(self, options: EqualStepOptions) -> None:
        self.options = options

    def reached(self, state: State, qddot: FloatArray) -> None:
        """Nothing is remembered."""


class Trapezoidal(OneStep):
    """q₊ = q + h/2 (q̇ + q̇₊), q̇₊ = q̇ + h/2 (q̈ + q̈₊), by fixed-point iteration (Eq. 2.122). Order 2."""

    def step(self, law: AccelerationLaw, state: State, h: float) -> StepResult:
        """Start from q + h q̇, q̇ + h q̈ (Eq. 5.21 prints h/2)."""
        t, q, v, a, _ = state
        guess = q + h * v, v + h * a

        def corrected(v_new: FloatArray, a_new: FloatArray) -> tuple[FloatArray, FloatArray]:
            return q + 0.5 * h * (v + v_new), v + 0.5 * h * (a + a_new)

        return _iterated(law, t, t + h, *guess, corrected, self.options)

    def formula(self, state: State, h: float) -> ImplicitFormula:
        """c₂ = 4/h²."""
        return _implicit(0.5, h, state.q + 0.5 * h * state.qdot, state.qdot + 0.5 * h * state.qddot)


class Multistep(OneStep):
    """A formula of order k in the last states; until there are enough, steps of the starting method."""

    def __init__(self, options: EqualStepOptions) -> None:
        super().__init__(options)
        self.past: deque[State] = deque(maxlen=5)  # newest first
        self.h = 0.0

    @property
    def needed(self) -> int:
        """States that the formula takes."""
        return self.options.order

    def step(self, law: AccelerationLaw, state: State, h: float) -> StepResult:
        """Predict from the past, correct until nothing changes."""
        if self._remember(state, h):
            return self._step(law, h)
        if self.options.start == "trapezoidal":
            return Trapezoidal(self.options).step(law, state, h)
        return runge_kutta(law, state, h)

    def formula(self, state: State, h: float) -> ImplicitFormula:
        """Its corrector; that of the trapezoidal rule until there are enough states."""
        if self._remember(state, h):
            return self._formula(h)
        return Trapezoidal(self.options).formula(state, h)

    def _remember(self, state: State, h: float) -> bool:
        """Keep a state; whether there are enough. The formulas are for equal steps: another length begins anew."""
        if h != self.h:
            self.past.clear()
            self.h = h
        self.past.appendleft(state)
        return len(self.past) >= self.needed

    def _step(self, law: AccelerationLaw, h: float) -> StepResult:
        raise NotImplementedError

    def _formula(self, h: float) -> ImplicitFormula:
        raise NotImplementedError


class Adams(Multistep):
    """Adams-Bashforth predictor of one order less, Adams-Moulton corrector; k − 2 steps of the starting method."""

    @property
    def needed(self) -> int:
        """The corrector counts the new state."""
        return self.options.order - 1

    def _step(self, law: AccelerationLaw, h: float) -> StepResult:
        past, order = self.past, self.options.order
        t, q, v, _, _ = past[0]
        v_past, a_past = np.array([one.qdot for one in past]), np.array([one.qddot for one in past])
        predictor = h * np.array(BASHFORTH[max(order - 1, 1)])
        q_0, v_0 = q + predictor @ v_past[: predictor.size], v + predictor @ a_past[: predictor.size]
        newest, *others = MOULTON[order]
        older = h * np.array(others)
        known_q, known_v = q + older @ v_past[: older.size], v + older @ a_past[: older.size]
        return _iterated(
            law, t, t + h, q_0, v_0, lambda v_1, a_1: (known_q + h * newest * v_1, known_v + h * newest * a_1),
            self.options,
        )  # fmt: skip

    def _formula(self, h: float) -> ImplicitFormula:
        newest, *older = MOULTON[self.options.order]
        state, pairs = self.past[0], list(zip(older, self.past, strict=False))
        known_q = state.q + h * sum((b * one.qdot for b, one in pairs), np.zeros_like(state.q))
        known_v = state.qdot + h * sum((b * one.qddot for b, one in pairs), np.zeros_like(state.q))
        return _implicit(newest, h, known_q, known_v)


class Gear(Multistep):
    """Backward differentiation; k − 1 steps of the starting method."""

    def _step(self, law: AccelerationLaw, h: float) -> StepResult:
        past, order = self.past, self.options.order
        beta, known_q, known_v = self._known()
        ahead = EXTRAPOLATION[min(order, len(past) - 1)] if len(past) > 1 else (1.0,)
        v_0 = sum((c * one.qdot for c, one in zip(ahead, past, strict=False)), np.zeros_like(past[0].q))
        q_0 = known_q + h * beta * v_0
        t = past[0].t
        return _iterated(
            law, t, t + h, q_0, v_0, lambda v_1, a_1: (known_q + h * beta * v_1, known_v + h * beta * a_1),
            self.options,
        )  # fmt: skip

    def _formula(self, h: float) -> ImplicitFormula:
        beta, known_q, known_v = self._known()
        return _implicit(beta, h, known_q, known_v)

    def _known(self) -> tuple[float, FloatArray, FloatArray]:
        """Factor of h f_{i+1}, and what the past gives to q and q̇."""
        beta, factors = GEAR[self.options.order]
        none = np.zeros_like(self.past[0].q)
        q = sum((c * one.q for c, one in zip(factors, self.past, strict=False)), none)
        v = sum((c * one.qdot for c, one in zip(factors, self.past, strict=False)), none)
        return beta, q, v


class GeneralisedAlpha:
    """Newmark's formulas with averaged accelerations: order 2, damps what the step cannot resolve [ArnoldBruls2007].

    (1 − α_m) â₊ + α_m â = (1 − α_f) q̈₊ + α_f q̈,   q₊ = q + h q̇ + h²((½ − β) â + β â₊),   q̇₊ = q̇ + h((1 − γ) â + γ â₊)
    """

    def __init__(self, options: EqualStepOptions) -> None:
        self.options = options
        self.alpha_m, self.alpha_f, self.beta, self.gamma = alpha_coefficients(options.rho)
        self.averaged: FloatArray | None = None
        self.h = 0.0

    def step(self, law: AccelerationLaw, state: State, h: float) -> StepResult:
        """Correct from constant acceleration."""
        t, q, v, a, _ = state
        old = a if self.averaged is None else self.averaged

        def corrected(_: FloatArray, a_new: FloatArray) -> tuple[FloatArray, FloatArray]:
            new = self._average(state, a_new)
            return (
                q + h * v + h * h * ((0.5 - self.beta) * old + self.beta * new),
                v + h * ((1.0 - self.gamma) * old + self.gamma * new),
            )

        step = _iterated(law, t, t + h, *corrected(v, a), corrected, self.options)
        self.reached(state, step.state.qddot)
        return step

    def formula(self, state: State, h: float) -> ImplicitFormula:
        """â₊ = (q₊ − q − h q̇)/(βh²) − (½ − β)/β â;   q̈₊ = ((1 − α_m) â₊ + α_m â − α_f q̈)/(1 − α_f)."""
        if h != self.h:
            self.averaged, self.h = None, h
        alpha_m, alpha_f, beta, gamma = self.alpha_m, self.alpha_f, self.beta, self.gamma
        old = state.qddot if self.averaged is None else self.averaged
        c = 1.0 / (beta * h * h)
        d = -c * (state.q + h * state.qdot) - (0.5 - beta) / beta * old
        mixed = (1.0 - alpha_m) / (1.0 - alpha_f)
        return ImplicitFormula(
            gamma * h * c,
            state.qdot + h * (1.0 - gamma) * old + gamma * h * d,
            mixed * c,
            mixed * d + (alpha_m * old - alpha_f * state.qddot) / (1.0 - alpha_f),
        )

    def reached(self, state: State, qddot: FloatArray) -> None:
        """Keep the averaged acceleration â₊."""
        self.averaged = self._average(state, qddot)

    def _average(self, state: State, qddot: FloatArray) -> FloatArray:
        old = state.qddot if self.averaged is None else self.averaged
        return ((1.0 - self.alpha_f) * qddot + self.alpha_f * state.qddot - self.alpha_m * old) / (1.0 - self.alpha_m)


def alpha_coefficients(rho: float) -> tuple[float, float, float, float]:
    """α_m, α_f, β, γ of generalised-alpha for a spectral radius ρ at infinite frequency [ChungHulbert1993]."""
    alpha_m, alpha_f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
    gamma = 0.5 + alpha_f - alpha_m
    return alpha_m, alpha_f, 0.25 * (gamma + 0.5) ** 2, gamma


def runge_kutta(law: AccelerationLaw, state: State, h: float) -> StepResult:
    """One step of the classical Runge-Kutta method, order 4."""
    t, q, v, a, _ = state
    rates = [(v, a)]
    for part in (0.5, 0.5, 1.0):
        dq, dv = rates[-1]
        v_i = v + part * h * dv
        rates.append((v_i, law(t + part * h, q + part * h * dq, v_i).qddot))
    weights = (1.0, 2.0, 2.0, 1.0)
    q_new = q + h / 6.0 * sum(w * dq for w, (dq, _) in zip(weights, rates, strict=True))
    v_new = v + h / 6.0 * sum(w * dv for w, (_, dv) in zip(weights, rates, strict=True))
    found = law(t + h, q_new, v_new)
    return StepResult(State(t + h, q_new, v_new, found.qddot, found.multipliers), 1, 0.0, True)


def _iterated(
    law: AccelerationLaw,
    start: float,
    t: float,
    q: FloatArray,
    v: FloatArray,
    corrected: Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]],
    options: EqualStepOptions,
) -> StepResult:
    """Evaluate and correct until the state stands still: ‖(Δq, h Δq̇)‖ below the tolerance; then evaluate once more."""
    h = t - start
    change, least = np.inf, np.inf
    done = 0
    found = law(t, q, v)
    while done < options.max_iterations:
        q_new, v_new = corrected(v, found.qddot)
        moved, faster = q_new - q, v_new - v
        change = float(np.sqrt(moved @ moved + h * h * (faster @ faster)))
        q, v, done = q_new, v_new, done + 1
        if not change < RUNAWAY * least:
            break
        found = law(t, q, v)
        if change < options.tolerance:
            break
        least = min(least, change)
    state = State(t, q, v, found.qddot, found.multipliers)
    return StepResult(state, done, change, bool(change < options.tolerance))


def _implicit(beta: float, h: float, known_q: FloatArray, known_v: FloatArray) -> ImplicitFormula:
    """Formula of q₊ = known_q + β h q̇₊ and q̇₊ = known_v + β h q̈₊."""
    c = 1.0 / (beta * h)
    return ImplicitFormula(c, -c * known_q, c * c, -c * c * known_q - c * known_v)
