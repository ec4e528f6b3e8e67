"""Compiled solution of the sharing problem by Newton's method on its multipliers, one frame after another.

    min Σ fᵢ(xᵢ)   with   A x = b,   lo ≤ x ≤ hi,      fᵢ(x) = wᵢ xᵖ + γᵢ (x − x̂ᵢ)²,   p = 2 or 3

Activations, reserve torques, contacts and penalties are all such variables. The costs are separable and strictly
convex, so multipliers λ of the equations, one a torque row, determine every variable by itself:

    fᵢ'(xᵢ) = aᵢᵀλ, bounded to [loᵢ, hiᵢ]              (Karush-Kuhn-Tucker)

What is left is A x(λ) = b, the gradient of a concave function of few unknowns: Newton steps with a Cholesky factor of
A D Aᵀ, D = dx/dg of the variables off their bounds, and a line search along each. A point with A x(λ) = b is optimal:
the residual proves the solution. Started from λ = 0 in every frame, so that no frame depends on another.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.compiled import compiled

MOST_STEPS = 100
MOST_TRIALS = 40  # of a line search
ENOUGH = 1e-3  # of the slope at its start: a line search ends there
EXACT = 1e-16  # of Σ|A x| + |b| of a row, for each variable: no sum of so many numbers is more exact
ROUNDING = 1e-13  # likewise: a solution, though λ, which may be large, leaves its rounding in it
POLISHING = 2  # steps to take beyond that, towards the exact one
TINY = 1e-300


class Costs(NamedTuple):
    """Costs and bounds of n variables.

    power : (n,) p, 2 or 3;  weight : (n,) w
    pull  : (T, n) γ;  target : (T, n) x̂;  low, high : (T, n)
    """

    power: IntArray
    weight: FloatArray
    pull: FloatArray
    target: FloatArray
    low: FloatArray
    high: FloatArray


@compiled
def _variable(g: float, power: int, weight: float, pull: float, target: float, low: float, high: float,
              ) -> tuple[float, float]:  # fmt: skip
    """x with f'(x) = g between its bounds, and dx/dg, 0 on a bound."""
    if power == 2:
        x, slope = (g + 2.0 * pull * target) / (2.0 * (weight + pull)), 0.5 / (weight + pull)
    else:
        inside = 4.0 * pull * pull + 12.0 * weight * (g + 2.0 * pull * target)
        root = np.sqrt(max(inside, 0.0))
        x = (root - 2.0 * pull) / (6.0 * weight)
        slope = 1.0 / root if root > 0.0 else 0.0
    if x <= low:
        return low, 0.0
    if x >= high:
        return high, 0.0
    return x, slope


@compiled
def _slope_along(t: float, g: FloatArray, change: FloatArray, gain: float, frame: int, costs: Costs) -> float:
    """Derivative of the dual function at λ + t d: d·b − Σ (aᵢ·d) xᵢ."""
    total = gain
    for i in range(g.size):
        x, _ = _variable(
            g[i] + t * change[i], costs.power[i], costs.weight[i], costs.pull[frame, i], costs.target[frame, i],
            costs.low[frame, i], costs.high[frame, i],
        )  # fmt: skip
        total -= change[i] * x
    return total


@compiled
def _cholesky_solve(H: FloatArray, r: FloatArray, d: FloatArray) -> bool:
    """d = H⁻¹ r of a symmetric matrix, whose lower half is overwritten; False if it is not positive definite."""
    m = r.size
    for j in range(m):
        for k in range(j + 1):
            total = H[j, k]
            for i in range(k):
                total -= H[j, i] * H[k, i]
            if k < j:
                H[j, k] = total / H[k, k]
            else:
                if not total > 0.0:
                    return False
                H[j, j] = np.sqrt(total)
    for j in range(m):
        total = r[j]
        for i in range(j):
            total -= H[j, i] * d[i]
        d[j] = total / H[j, j]
    for j in range(m - 1, -1, -1):
        total = d[j]
        for i in range(j + 1, m):
            total -= H[i, j] * d[i]
        d[j] = total / H[j, j]
    return True


@compiled
def _step_length(g: FloatArray, change: FloatArray, gain: float, start: float, frame: int, costs: Costs) -> float:
    """t > 0 at which the dual function is highest along a direction, or nearly so; 1 if that is good enough."""
    low, at_low, high = 0.0, start, 1.0
    at_high = _slope_along(high, g, change, gain, frame, costs)
    doubled = 0
    while at_high > ENOUGH * start and doubled < 30:
        low, at_low, high = high, at_high, 2.0 * high
        at_high = _slope_along(high, g, change, gain, frame, costs)
        doubled += 1
    if abs(at_high) <= ENOUGH * start:
        return high
    for k in range(MOST_TRIALS):
        t = low + (high - low) * at_low / (at_low - at_high)
        if k % 3 == 2 or not low < t < high:
            t = 0.5 * (low + high)
        at_t = _slope_along(t, g, change, gain, frame, costs)
        if abs(at_t) <= ENOUGH * start:
            return t
        if at_t > 0.0:
            low, at_low = t, at_t
        else:
            high, at_high = t, at_t
    return 0.5 * (low + high)


@compiled
def share_frames(columns: FloatArray, b: FloatArray, costs: Costs, x: FloatArray, steps: IntArray) -> None:
    """Solve frames; fills x (T, n) and the steps that were needed (T,), −1 if unsolved.

    columns : (T, n, m) Aᵀ, rows scaled alike;  b : (T, m). NaN in a frame leaves it unsolved.
    """
    frames, n, m = columns.shape
    H = np.empty((m, m))
    lam, r, d, size = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    g, change = np.empty(n), np.empty(n)
    for t in range(frames):
        lam[:] = 0.0
        steps[t] = -1
        near = MOST_STEPS  # step from which on only rounding is left
        for step in range(MOST_STEPS):
            H[:] = 0.0
            for k in range(m):
                r[k] = b[t, k]
                size[k] = abs(b[t, k])
            for i in range(n):
                total = 0.0
                for k in range(m):
                    total += columns[t, i, k] * lam[k]
                g[i] = total
                value, slope = _variable(
                    total, costs.power[i], costs.weight[i], costs.pull[t, i], costs.target[t, i], costs.low[t, i],
                    costs.high[t, i],
                )  # fmt: skip
                x[t, i] = value
                for k in range(m):
                    part = columns[t, i, k] * value
                    r[k] -= part
                    size[k] += abs(part)
                if slope > 0.0:
                    for k in range(m):
                        factor = slope * columns[t, i, k]
                        for j in range(k + 1):
                            H[k, j] += factor * columns[t, i, j]
            worst, relative, largest = 0.0, 0.0, 0.0
            for k in range(m):
                worst = max(worst, abs(r[k]))
                relative = max(relative, abs(r[k]) / max(size[k], TINY))
                largest = max(largest, H[k, k])
            if not np.isfinite(worst):
                break
            if relative <= ROUNDING * n:
                steps[t] = step
                near = min(near, step)
            if relative <= EXACT * n or step - near >= POLISHING:
                break
            if largest == 0.0:
                largest = 1.0
            for k in range(m):
                H[k, k] += largest * max(1e-14, 1e-6 * min(1.0, worst))
            if not _cholesky_solve(H, r, d):
                break
            gain, start = 0.0, 0.0
            for k in range(m):
                gain += d[k] * b[t, k]
                start += d[k] * r[k]
            for i in range(n):
                total = 0.0
                for k in range(m):
                    total += columns[t, i, k] * d[k]
                change[i] = total
            if not start > 0.0:
                break
            length = _step_length(g, change, gain, start, t, costs)
            for k in range(m):
                lam[k] += length * d[k]
