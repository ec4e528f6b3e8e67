"""How an attempt ended, in words and in the short codes that run histories use ([Silva2007])."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from biomec.machines.optimal_control.hold import lost_hold

if TYPE_CHECKING:
    from biomec.machines.optimal_control.problem import Problem


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


def hopeless_from_the_start(problem: Problem) -> SolverStatus | None:
    """Why a task cannot be done, where that is plain before anything is tried; else None."""
    off = problem.start_off_path()
    if off is not None:
        return off_at_the_start(off, problem.limit)
    conditions, torques = len(problem.conditions()), len(problem.dynamics.controls)
    if problem.limit == 0.0 and conditions > torques:
        return more_conditions_than_torques(conditions, torques)
    lost = lost_hold(problem)
    return None if lost is None else no_hold(problem.dynamics.controls, lost)


FAR = 1e-3  # violation, of the scaled problem, beyond which constraints are plainly not kept


def stopped_early(status: SolverStatus, violation: float, tolerance: float) -> SolverStatus:
    """What to say of a search that ran out of iterations, by the largest violation of its constraints where it stopped.

    A search that was stopped proves nothing, so that even a large violation is no proof that nothing can be found.
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
