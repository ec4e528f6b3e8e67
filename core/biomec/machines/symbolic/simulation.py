"""Motion from state equations: variable-step integration of high order, or an implicit one for stiff machines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.machines.symbolic.compiled import CompiledEquations

METHODS = ("DOP853", "Radau")
FRAMES, MOST_FRAMES, RATE_Hz = 201, 5001, 100.0  # of a motion that is shown: at least, at most, in between
Inputs = Callable[[float, FloatArray], ArrayLike]
Rates = Callable[[FloatArray, FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class StateHistory:
    """States over time.

    time_s : (T,);  x : (T, 2n) coordinates and rates;  energy_J : (T,) kinetic and potential, NaN if not known
    status : ``completed``, or why it ended early;  evaluations : of the state equations
    """

    time_s: FloatArray
    x: FloatArray
    energy_J: FloatArray
    status: str
    evaluations: int


def shown_times(duration_s: float) -> FloatArray:
    """Times of a motion that is shown: a hundred a second, but neither few nor very many."""
    if not 0.0 < duration_s < np.inf:
        raise BiomecError(f"A motion lasts longer than 0 s, not {duration_s:g} s.")
    return np.linspace(0.0, duration_s, int(np.clip(round(RATE_Hz * duration_s) + 1, FRAMES, MOST_FRAMES)))


def simulate(
    equations: CompiledEquations,
    start: ArrayLike,
    time_s: ArrayLike,
    *,
    inputs: Inputs | None = None,
    method: str = "DOP853",
    tolerance: float = 1e-10,
    rates: Rates | None = None,
    progress: Progress | None = None,
) -> StateHistory:
    """Integrate from state ``start`` (2n,) at time_s[0] and give the states at time_s (T,).

    inputs    : u(t, x); none are 0
    method    : ``DOP853``, explicit of order 8; ``Radau``, implicit of order 5 with the exact Jacobian, for stiff ties
    tolerance : relative; the absolute one is a hundredth of it
    rates     : ẋ(x, u) of the same equations, faster than their own (see `compiled.fast_rates`)
    """
    from scipy.integrate import solve_ivp

    if method not in METHODS:
        raise BiomecError(f"There is no integrator {method}. The integrators are {', '.join(METHODS)}.")
    times = np.asarray(time_s, dtype=np.float64)
    begin, end = float(times[0]), float(times[-1])

    quickly = equations.xdot if rates is None else rates
    none = np.zeros(len(equations.equations.inputs))

    def pushed(t: float, x: FloatArray) -> FloatArray:
        return none if inputs is None else np.asarray(inputs(t, x), dtype=np.float64)

    furthest = 0.0

    def moved(t: float, x: FloatArray) -> FloatArray:
        nonlocal furthest
        if progress is not None:
            furthest = min(1.0, max(furthest, (t - begin) / (end - begin)))  # steps that are refused go back
            progress(furthest)
        return quickly(x, pushed(t, x))

    def slopes(t: float, x: FloatArray) -> FloatArray:
        return equations.jacobians(x, pushed(t, x))[0]

    extra = {"jac": slopes} if method == "Radau" else {}
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            found = solve_ivp(moved, (begin, end), np.asarray(start, dtype=np.float64), method=method, t_eval=times,
                              rtol=tolerance, atol=tolerance / 100.0, **extra)  # fmt: skip
    except (OverflowError, ValueError) as error:
        raise BiomecError(f"The motion left all bounds ({error}). Try a shorter time or Radau.") from error
    x = found.y.T
    try:
        energy = np.add(*equations.energies(x))
    except BiomecError:
        energy = np.full(len(x), np.nan)
    status = "completed" if found.success else f"ended at {found.t[-1]:.6g} s: {found.message}"
    return StateHistory(read_only(found.t), read_only(x), read_only(energy), status, int(found.nfev))
