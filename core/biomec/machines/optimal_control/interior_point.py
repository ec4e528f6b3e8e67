"""IPOPT through CasADi: silent, with progress, and stoppable."""

from __future__ import annotations

from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.progress import Cancelled, Progress
from biomec.machines.optimal_control.status import (
    FROM_IPOPT,
    NOT_A_NUMBER,
    OTHER,
    OVERDETERMINED,
    SolverStatus,
    stopped_early,
)


def watching(nlp: Any, progress: Progress | None) -> Any:
    """Callback of CasADi that tells ``progress`` how far the iterations are and lets it stop them."""
    import casadi as ca

    class Watch(ca.Callback):
        def __init__(self) -> None:
            ca.Callback.__init__(self)
            self.count = 0
            self.cancelled: Cancelled | None = None
            self.shapes = {"x": nlp["x"].sparsity(), "f": ca.Sparsity.dense(1, 1), "g": nlp["g"].sparsity()}
            self.shapes |= {"lam_x": self.shapes["x"], "lam_g": self.shapes["g"], "lam_p": ca.Sparsity(0, 0)}
            self.construct("watch", {})

        def get_n_in(self) -> int:
            return int(ca.nlpsol_n_out())

        def get_n_out(self) -> int:
            return 1

        def get_name_in(self, i: int) -> str:
            return str(ca.nlpsol_out(i))

        def get_sparsity_in(self, i: int) -> Any:
            return self.shapes[ca.nlpsol_out(i)]

        def eval(self, arg: Any) -> list[int]:
            self.count += 1
            if progress is not None:
                try:
                    progress(min(0.99, self.count / (self.count + 40.0)))  # iterations to come are not known
                except Cancelled as stop:
                    self.cancelled = stop
                    return [1]
            return [0]

    return Watch()


def solve(
    nlp: Any, bounds: Any, first: FloatArray, tolerance: float, most: int, warm: bool, watch: Any
) -> tuple[FloatArray, SolverStatus, int, float]:
    """Minimum of a nonlinear program: unknowns, how it ended, iterations, value. Raises `Cancelled` if stopped."""
    import casadi as ca

    values = ca.Function("values", [nlp["x"]], [nlp["f"], nlp["g"]])
    if not (np.isfinite(first).all() and all(np.isfinite(np.asarray(one)).all() for one in values(first))):
        return first, NOT_A_NUMBER, 0, np.nan
    if np.sum(bounds["lbg"] == bounds["ubg"]) > np.sum(bounds["lbx"] < bounds["ubx"]):
        return first, OVERDETERMINED, 0, np.nan  # CasADi would print a warning of its own
    settings: dict[str, Any] = {
        "print_level": 0,
        "sb": "yes",
        "tol": tolerance,
        "max_iter": most,
        "mu_strategy": "monotone",
        "acceptable_tol": 1e3 * tolerance,
        "acceptable_iter": 10,
    }
    if warm:
        settings |= {"mu_init": 1e-3}
    options = {"ipopt": settings, "print_time": False, "verbose": False, "iteration_callback": watch,
               "show_eval_warnings": False, "error_on_fail": False}  # fmt: skip
    solver = ca.nlpsol("solver", "ipopt", nlp, options)
    answer = solver(x0=first, **bounds)
    if watch.cancelled is not None:
        raise watch.cancelled
    statistics = solver.stats()
    status = FROM_IPOPT.get(statistics["return_status"], OTHER)
    found = np.asarray(answer["x"], dtype=np.float64).ravel()
    if not np.isfinite(found).all():
        return first, NOT_A_NUMBER, int(statistics["iter_count"]), np.nan
    value = np.nan if status is NOT_A_NUMBER else float(answer["f"])
    held = (answer["g"], bounds["lbg"], bounds["ubg"]), (answer["x"], bounds["lbx"], bounds["ubx"])
    off = max(violation(*(np.asarray(one, dtype=np.float64).ravel() for one in three)) for three in held)
    return found, stopped_early(status, off, tolerance), int(statistics["iter_count"]), value


def violation(values: FloatArray, low: FloatArray, high: FloatArray) -> float:
    """By how much the worst of some values leaves its bounds; infinite if one of them is no number."""
    off = np.maximum(low - values, values - high).max(initial=0.0)
    return float(off) if np.isfinite(off) else np.inf
