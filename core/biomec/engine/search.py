"""The search of the position problem, compiled: frames side by side, each ending on its own (theory §8.1, §8.6).

Without targets, augmented Lagrangians as in `position.py`. With measured points as targets (`targets.py`) residuals of
centimetres stay at the solution, so the matrix takes along the curvature of the constraints, and the multipliers follow
the linear problem: stabilised sequential quadratic programming [Wright1998].

    (W + Σ w CᵀC + Σ λ ∂²φ/∂q² + ΦqᵀαΦq) Δq = −W (q − q*) − Σ w Cᵀ(C q − p) − Φqᵀ(αΦ + λ);   λ ← λ + α(Φ + Φq Δq)
"""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.compiled import compiled
from biomec.engine import rows as row_kernels
from biomec.engine.curvature import Curvature, add_curvature
from biomec.engine.elimination import factor, solve
from biomec.engine.normal import NormalMatrix, add_product, add_transposed, assemble, metric_product
from biomec.engine.targets import TargetTables, add_pull, add_stiffness, target_stiffness

LINE = 64
RUNAWAY = 1e6  # ‖Δq‖ of a search that has left the laboratory [m]
LONGEST = 0.5  # step of a coordinate towards targets [m]; half a radian for a unit vector
SETTLING = 3  # iterations after which multipliers are near enough to lend the constraints' curvature,
NEAR = 0.3  # or two, where the second step ‖Δq‖ was shorter than this
FIRST_PENALTY = 1e3  # in units of the targets' weight: rows that measured coordinates alone make independent stay weak


@compiled
def workspace(rows: int, frames: int) -> FloatArray:
    """Array (rows, frames) from a multiple of `LINE` bytes on: numbers taken at once lie in one line of the cache."""
    raw = np.empty(rows * frames + LINE // 8)
    first = (-raw.ctypes.data % LINE) // 8
    return raw[first : first + rows * frames].reshape(rows, frames)


@compiled
def _residuals(
    normal: NormalMatrix,
    q: FloatArray,
    target: FloatArray,
    sine: FloatArray,
    contact_entries: FloatArray,
    contact_points: FloatArray,
    phi: FloatArray,
    jacobian: FloatArray,
) -> None:
    """Φ of the system and of the contacts (rows, F), and the system's Jacobian entries."""
    m, frames = target.shape
    row_kernels.evaluate(normal.tables, q, target, sine, phi, jacobian)
    for r in range(contact_points.shape[0]):
        for f in range(frames):
            phi[m + r, f] = -contact_points[r, f]
        for i in range(4):
            column = normal.contact_columns[r, i]
            for f in range(frames):
                phi[m + r, f] += contact_entries[r, i, f] * q[column, f]


@compiled
def solve_lanes(
    normal: NormalMatrix,
    first_alpha: float,
    q_star: FloatArray,
    q: FloatArray,
    trusted: FloatArray,
    target: FloatArray,
    contact_entries: FloatArray,
    contact_points: FloatArray,
    soft: TargetTables,
    curvature: Curvature,
    soft_points: FloatArray,
    soft_weights: FloatArray,
    tolerance: float,
    step_tolerance: float,
    max_iterations: int,
    lam: FloatArray,
    phi_0: FloatArray,
    phi: FloatArray,
    status: IntArray,
    iterations: IntArray,
    increment: FloatArray,
) -> None:
    """Augmented-Lagrangian iterations for the frames in q (n, F), in place; a frame that has ended stays as it is.

    q_star, q : measured coordinates, and where the search starts
    trusted   : (F,) 1 where q and the multipliers follow from the frame before, so that these bend the matrix at once
    first_alpha : α of the first step, unless all frames are trusted
    """
    n, frames = q.shape
    rows = phi.shape[0]
    pulled = soft_points.shape[0] > 0
    alpha = normal.alpha if trusted.all() else first_alpha
    jacobian, factored = (
        workspace(normal.tables.columns.size, frames),
        workspace(normal.tables.columns.size, frames),
    )
    X = workspace(normal.plan.rows.size, frames)
    y, step = workspace(n, frames), workspace(n, frames)
    weighted = workspace(rows, frames)
    norm, bad, active, before = np.empty(frames), np.zeros(frames), np.ones(frames), np.full(frames, np.inf)
    violation = np.zeros(frames)
    sine = np.empty((normal.tables.angle.size, frames))
    stiffness = np.empty((soft.places.size, frames))
    target_stiffness(soft, soft_weights, stiffness)
    row_kernels.sine_form(normal.tables, q, target, sine)
    _residuals(normal, q_star, target, sine, contact_entries, contact_points, phi, jacobian)
    left, squared = frames, np.sqrt(step_tolerance)
    fresh = nearly = False
    for i in range(n):
        for f in range(frames):
            violation[f] += q_star[i, f]
    for r in range(rows):
        for f in range(frames):
            phi_0[r, f] = phi[r, f]
            violation[f] += phi[r, f]
    for f in range(frames):
        status[f], iterations[f], increment[f] = 2, 0, 0.0
        if not np.isfinite(violation[f]):
            status[f], active[f] = 4, 0.0
            left -= 1
    if trusted.any():
        _residuals(normal, q, target, sine, contact_entries, contact_points, phi, jacobian)
    for iteration in range(1, max_iterations + 1):
        if left == 0:
            break
        if iteration == 2:
            alpha = normal.alpha
        for i in range(n):
            for f in range(frames):
                step[i, f] = q_star[i, f] - q[i, f]
        metric_product(normal, step, y)
        # Newton's steps fall like their squares: the one after ``squared`` is below the tolerance. With the Jacobian
        # and the factor of the step before it is as long, and what it misses is ``squared`` times shorter still.
        again = pulled and fresh and nearly
        fresh = not again
        for r in range(rows):
            for f in range(frames):
                weighted[r, f] = -lam[r, f] if again else -(alpha * phi[r, f] + lam[r, f])
        add_transposed(normal, jacobian, contact_entries, weighted, y)
        if again:
            for r in range(rows):
                for f in range(frames):
                    weighted[r, f] = -alpha * phi[r, f]
            add_transposed(normal, factored, contact_entries, weighted, y)
        for f in range(frames):
            bad[f], norm[f] = 0.0, 0.0
        if pulled:
            add_pull(soft, normal.plan.place, q, soft_points, soft_weights, y)
        if fresh:
            _factor(
                normal, alpha, jacobian, contact_entries, soft, stiffness, curvature, q, lam, trusted, pulled,
                iteration, increment, active, X, bad,
            )  # fmt: skip
            jacobian, factored = factored, jacobian
        solve(normal.plan, X, y)
        if pulled:
            _shorten(normal, factored, contact_entries, phi, y, step, weighted)
        for i in range(n):
            k = normal.plan.place[i]
            for f in range(frames):
                norm[f] += y[k, f] * y[k, f]
                q[i, f] = q[i, f] + y[k, f] if active[f] > 0.5 else q[i, f]
        _residuals(normal, q, target, sine, contact_entries, contact_points, phi, jacobian)
        nearly = True
        taken = weighted if pulled else phi
        for f in range(frames):
            violation[f] = 0.0
        for r in range(rows):
            for f in range(frames):
                lam[r, f] = lam[r, f] + alpha * taken[r, f] if active[f] > 0.5 else lam[r, f]
                violation[f] += phi[r, f] * phi[r, f]
        for f in range(frames):
            if active[f] < 0.5:
                continue
            total, last = violation[f], increment[f]
            iterations[f] = iteration
            increment[f] = np.sqrt(norm[f])
            # Steps that shrink by a factor θ leave θ / (1 − θ) of the last; Newton's shrink faster and faster.
            still = increment[f]
            if (iteration > SETTLING or trusted[f] > 0.5) and increment[f] < 0.5 * last:
                still *= increment[f] / (last - increment[f])
            if bad[f] > 0.5 or not increment[f] < RUNAWAY:
                status[f], active[f] = 3, 0.0
            elif np.sqrt(total) < tolerance and (not pulled or still < step_tolerance):
                status[f], active[f] = 0, 0.0
            elif increment[f] < tolerance and not total < 0.25 * before[f]:  # a violation that still falls goes on
                status[f], active[f] = 1, 0.0
            before[f] = total
            if active[f] < 0.5:
                left -= 1
            elif not increment[f] < squared:
                nearly = False


@compiled
def _factor(
    normal: NormalMatrix,
    alpha: float,
    jacobian: FloatArray,
    contact_entries: FloatArray,
    soft: TargetTables,
    stiffness: FloatArray,
    curvature: Curvature,
    q: FloatArray,
    lam: FloatArray,
    trusted: FloatArray,
    pulled: bool,
    iteration: int,
    increment: FloatArray,
    active: FloatArray,
    X: FloatArray,
    bad: FloatArray,
) -> None:
    """Factor W + Σ w CᵀC + Σ λ ∂²φ/∂q² + α ΦqᵀΦq; where that is indefinite or too early, without the curvature."""
    bending, bend = lam.copy(), False
    for f in range(bad.size):
        later = iteration > SETTLING or (iteration == SETTLING and increment[f] < NEAR)
        if pulled and (later or trusted[f] > 0.5):
            bend = True
        else:
            bending[:, f] = 0.0
    while True:
        assemble(normal, alpha, jacobian, contact_entries, X)
        add_stiffness(soft, stiffness, X)
        if bend:
            add_curvature(normal.tables, curvature, q, bending, X)
        factor(normal.plan, X, bad)
        again = False
        for f in range(bad.size):
            if bend and bad[f] * active[f] > 0.5 and bending[:, f].any():
                again = True
                bending[:, f] = 0.0
        if not again:
            return
        for f in range(bad.size):
            bad[f] = 0.0


@compiled
def _shorten(
    normal: NormalMatrix,
    jacobian: FloatArray,
    contact_entries: FloatArray,
    phi: FloatArray,
    y: FloatArray,
    step: FloatArray,
    linear: FloatArray,
) -> None:
    """Scale the step y (in the order of elimination) by s ≤ 1 so that no coordinate moves more than LONGEST.

    ``step`` becomes s Δq in the order of q, and ``linear`` s (Φ + Φq Δq), which the multipliers take.
    """
    n, frames = y.shape
    scale = np.zeros(frames)
    for i in range(n):
        for f in range(frames):
            scale[f] = abs(y[i, f]) if abs(y[i, f]) > scale[f] else scale[f]
    for f in range(frames):
        scale[f] = LONGEST / scale[f] if scale[f] > LONGEST else 1.0
    for i in range(n):
        k = normal.plan.place[i]
        for f in range(frames):
            y[k, f] *= scale[f]
            step[i, f] = y[k, f]
    for r in range(phi.shape[0]):
        for f in range(frames):
            linear[r, f] = scale[f] * phi[r, f]
    add_product(normal, jacobian, contact_entries, step, linear)
