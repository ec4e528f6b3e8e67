"""How an attempt ended, in words and in the short codes that run histories use ([Silva2007]), and why some must fail.

Motors lose their hold where no torque, however large, keeps a machine to its path. A path that is held exactly and
leaves nothing free fixes the motion, and with it what the torques have to do: with the first derivatives by time of its
residuals that torques enter,

    a(t) + D(t) u = 0.

Where det D passes zero and a does not, u has a pole like 1/(t − t₀) and ∫u² dt no value: the finer the mesh, the larger
the cost. A crank-rocker driven at its rocker is such a machine: the rocker stands still wherever it turns round.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.machines.optimal_control.guess import path_guess
from biomec.machines.optimal_control.problem import Problem

ON_PATH = 1e-6  # largest residual of a motion that keeps to the path
REGULAR = 1e-6  # least singular value of conditions, against their largest, that fix a motion
NOTHING = 1e-3  # of the largest that the torques have to do: so little needs no hold
ROUND_OFF = 1e-9  # of an ordinary torque: likewise


def lost_hold(problem: Problem) -> float | None:
    """Time [s] at which the motors have no hold on the path; None if they always have, or if nothing tells.

    It is known for a path that is held exactly, fixes the motion, and has as many conditions as there are torques.
    """
    import casadi as ca

    one, places = problem.dynamics, problem.conditions()
    n, m = one.x.numel() // 2, 0 if one.closure is None else one.closure.numel() // 2
    if problem.limit > 0.0 or one.x.numel() % 2 or not len(places) == one.u.numel() == n - m:
        return None
    if not ca.is_equal(one.explicit[:n], one.x[n:]):  # other equations than those of q and its rates
        return None
    levels = [_levels(problem, problem.path[k]) for k in places]
    known = [one for one in levels if one is not None]
    if len(known) < len(levels):
        return None
    conditions, asked = (ca.vertcat(*(level[k] for level in known)) for k in (0, 1))
    gain = ca.jacobian(asked, one.u)
    if ca.depends_on(gain, one.u):
        return None
    motion = path_guess(problem)
    whole = conditions if one.closure is None else ca.vertcat(conditions, one.closure[m:])
    value = ca.Function("hold", [one.x, one.u, one.t], [problem.path, ca.jacobian(whole, one.x[n:]), gain, asked])
    found = [value(x, np.zeros(one.u.numel()), t) for x, t in zip(motion.states, motion.time_s, strict=True)]
    off, fixed, D, a = (np.array([np.asarray(at[k]) for at in found]) for k in range(4))
    sizes = np.linalg.svd(fixed, compute_uv=False) if np.isfinite(fixed).all() else np.zeros((1, n))
    if not (np.abs(off).max() < ON_PATH and (sizes[:, -1] > REGULAR * sizes[:, 0]).all()):
        return None
    return _pole(motion.time_s, D, a[..., 0], problem.size_u)


def _levels(problem: Problem, residual: Any) -> tuple[Any, Any] | None:
    """A residual or its rate, which fixes velocities, and the rate of that, which torques enter; None if none does."""
    import casadi as ca

    one = problem.dynamics
    now = residual
    for _ in range(2):
        after = ca.jacobian(now, one.x) @ one.explicit + ca.jacobian(now, one.t)
        if ca.depends_on(now, one.u):
            return None
        if ca.depends_on(after, one.u):
            return now, after
        now = after
    return None


def _pole(time_s: FloatArray, D: FloatArray, a: FloatArray, ordinary: FloatArray) -> float | None:
    """First time at which a + D u = 0 asks for an endless u, by Cramer's rule; D (T, nu, nu), a (T, nu).

    ordinary : (nu,) ordinary sizes of u, against which a that is zero but for round-off asks for nothing
    """
    below = np.linalg.det(D)
    above = np.stack([np.linalg.det(_replaced(D, a, k)) for k in range(a.shape[1])], axis=1)
    nothing = np.maximum(NOTHING * np.abs(above).max(axis=0), ROUND_OFF * np.abs(below).max() * ordinary)
    for k in np.flatnonzero(below[1:] * below[:-1] <= 0.0):
        share = below[k] / (below[k] - below[k + 1]) if below[k] != below[k + 1] else 0.0
        there = (1.0 - share) * above[k] + share * above[k + 1]
        if (np.abs(there) > nothing).any():
            return float((1.0 - share) * time_s[k] + share * time_s[k + 1])
    return None


def _replaced(D: FloatArray, a: FloatArray, column: int) -> FloatArray:
    made = D.copy()
    made[..., column] = a
    return made


# --------------------------------------------------------------------------------------------------------- how it ended


@dataclass(frozen=True)
class SolverStatus:
    """code : as in a run history;  words : for people;  succeeded : whether the answer can be used."""

    code: str
    words: str
    succeeded: bool = False


NORMAL = SolverStatus("Normal", "completed", True)
ACCEPTABLE = SolverStatus("KKC", "completed to an acceptable level: the last digits still change", True)
MOST_ITERATIONS = SolverStatus("MNI", "stopped at the largest number of iterations")
NOT_KEPT = SolverStatus(
    "MNI",
    "stopped at the largest number of iterations: no torques were found that keep to the path, the bounds and the end",
)
LINE_SEARCH = SolverStatus("LSF", "the search found no better point and gave up")
NO_FEASIBLE_POINT = SolverStatus(
    "NFP", "cannot be controlled: no torques were found that keep to the path and the bounds"
)
OVERDETERMINED = SolverStatus(
    NO_FEASIBLE_POINT.code,
    "more conditions than torques: path and end together ask for more than the motors can choose. "
    "Leave out what follows from the rest, or give the path a limit above 0",
)
TIME_IS_UP = SolverStatus("TIME", "stopped at the limit of time. Allow more time, or take fewer intervals", False)
NOT_A_NUMBER = SolverStatus("FPE", "the equations gave no number: the start, the guess or the step is not possible")
NO_GRADIENT = SolverStatus("CECG", "the derivatives of the constraints could not be computed")
OTHER = SolverStatus("HUMMM", "ended for an unknown reason")
EVERY = (NORMAL, ACCEPTABLE, MOST_ITERATIONS, LINE_SEARCH, NO_FEASIBLE_POINT, NOT_A_NUMBER, NO_GRADIENT, OTHER)


def off_at_the_start(squares: float, limit: float) -> SolverStatus:
    """The task fails before it begins."""
    return SolverStatus(
        NO_FEASIBLE_POINT.code,
        f"cannot be controlled: the start is off the path already, by a sum of squares of {squares:.3g}; "
        f"the limit is {limit:.3g}",
    )


def more_conditions_than_torques(conditions: int, torques: int) -> SolverStatus:
    """Nothing is left to be found."""
    acts = "1 torque acts" if torques == 1 else f"{torques} torques act"
    return SolverStatus(
        NO_FEASIBLE_POINT.code,
        f"more conditions than torques: {conditions} residuals of the path must vanish all the time, and {acts}. "
        "Leave some out, let more motors act, or give the path a limit above 0",
    )


def no_hold(motors: tuple[str, ...], time_s: float) -> SolverStatus:
    """A path that would take endless torques."""
    who = f"the motor {motors[0]} has" if len(motors) == 1 else f"the motors {', '.join(motors)} have"
    return SolverStatus(
        NO_FEASIBLE_POINT.code,
        f"cannot be controlled: at {time_s:.3g} s {who} no hold on what the path asks for, and no torque, however "
        "large, keeps to it exactly. Let other motors act, or give the path a limit above 0",
    )


def pressed_at_the_start(gap: float) -> SolverStatus:
    """A plan that keeps clear of stops cannot begin in one."""
    return SolverStatus(
        NO_FEASIBLE_POINT.code,
        f"cannot be controlled: the start presses a stop by {-1e3 * gap:.3g} mm, and optimal control keeps clear of "
        "stops. Change the start, or the stop",
    )


def hopeless_from_the_start(problem: Problem) -> SolverStatus | None:
    """Why a task cannot be done, where that is plain before anything is tried; else None."""
    gap = float(problem.least_clear(problem.start[None]).min(initial=0.0))
    if gap < -TOUCHING:
        return pressed_at_the_start(gap)
    off = problem.start_off_path()
    if off is not None:
        return off_at_the_start(off, problem.limit)
    conditions, torques = len(problem.conditions()), len(problem.dynamics.controls)
    if problem.limit == 0.0 and conditions > torques:
        return more_conditions_than_torques(conditions, torques)
    lost = lost_hold(problem)
    return None if lost is None else no_hold(problem.dynamics.controls, lost)


TOUCHING = 1e-9  # [m] of round-off where a motion begins at a stop
FAR = 1e-3  # violation, of the scaled problem, beyond which constraints are plainly not kept


def stopped_early(status: SolverStatus, violation: float, tolerance: float) -> SolverStatus:
    """What to say of a search that ran out of iterations, by the largest violation of its constraints where it stopped.

    A search that was stopped proves nothing, so that even a large violation is not proof that nothing can be found.
    """
    if status is not MOST_ITERATIONS:
        return status
    return MOST_ITERATIONS if violation <= max(FAR, 1e3 * tolerance) else NOT_KEPT


FROM_IPOPT = {
    "Solve_Succeeded": NORMAL,
    "Feasible_Point_Found": NORMAL,
    "Solved_To_Acceptable_Level": ACCEPTABLE,
    "Maximum_Iterations_Exceeded": MOST_ITERATIONS,
    "Maximum_CpuTime_Exceeded": MOST_ITERATIONS,
    "Maximum_WallTime_Exceeded": MOST_ITERATIONS,
    "Infeasible_Problem_Detected": NO_FEASIBLE_POINT,
    "Not_Enough_Degrees_Of_Freedom": OVERDETERMINED,
    "Search_Direction_Becomes_Too_Small": LINE_SEARCH,
    "Restoration_Failed": LINE_SEARCH,
    "Error_In_Step_Computation": LINE_SEARCH,
    "Diverging_Iterates": LINE_SEARCH,
    "Invalid_Number_Detected": NOT_A_NUMBER,
}
"""Return status of IPOPT -> ours."""
