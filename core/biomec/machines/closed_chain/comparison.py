"""Ways to drive the same motion, side by side: cost, peaks, and work over the angles that motors turn through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.machines.closed_chain.inverse import squared_integral


@dataclass(frozen=True, eq=False)
class Method:
    """Torques (T, motors) [N m] of a method at times (T,).

    strokes : (T, motors) the angles that motors turn through [rad]
    """

    name: str
    motors: tuple[str, ...]
    time_s: FloatArray
    torques: FloatArray
    strokes: FloatArray

    @property
    def cost(self) -> float:
        """∫ Σ u² dt [N² m² s]."""
        return squared_integral(self.time_s, self.torques)

    @property
    def peaks(self) -> FloatArray:
        """Largest |u| of each motor [N m]."""
        return np.asarray(np.abs(self.torques).max(axis=0))

    @property
    def works(self) -> FloatArray:
        """Work of each motor, trapezoidal [J]."""
        return work_trapezoid(self.torques, self.strokes)

    @property
    def works_left(self) -> FloatArray:
        """Work of each motor by left sums [J]."""
        return work_left_riemann(self.torques, self.strokes)


def comparison_table(methods: Sequence[Method]) -> str:
    """Table to be read: a line for each method."""
    names = list(dict.fromkeys(name for method in methods for name in method.motors))
    width = max([len(method.name) for method in methods] + [6])
    head = ["∫Σu² dt"] + [f"peak {name}" for name in names] + [f"work {name}" for name in names] + ["work, all"]
    sizes = [max(10, len(one)) for one in head]
    lines = [_line("method", width, head, sizes)]
    for method in methods:
        peaks = dict(zip(method.motors, method.peaks, strict=True))
        works = dict(zip(method.motors, method.works, strict=True))
        cells = [f"{method.cost:.1f}"]
        cells += [f"{values[name]:.2f}" if name in values else "–" for values in (peaks, works) for name in names]
        lines.append(_line(method.name, width, [*cells, f"{method.works.sum():.3f}"], sizes))
    return "\n".join([*lines, "∫Σu² dt in N² m² s, peaks in N m, work in J"])


def _line(name: str, width: int, cells: Sequence[str], sizes: Sequence[int]) -> str:
    return " ".join([f"{name:{width}s}", *(f"{cell:>{size}s}" for cell, size in zip(cells, sizes, strict=True))])


def work_left_riemann(torques: FloatArray, strokes: FloatArray) -> FloatArray:
    """Σ u(i) (r(i+1) − r(i)) of each motor, (motors,) [J], as published in [Silva2007].

    Its error falls only in proportion to the step, so that a motion which repeats seems to need work.
    """
    return np.asarray((torques[:-1] * np.diff(strokes, axis=0)).sum(axis=0))


def work_trapezoid(torques: FloatArray, strokes: FloatArray) -> FloatArray:
    """Σ ½ (u(i) + u(i+1)) (r(i+1) − r(i)) of each motor, (motors,) [J]; the error falls with the square of the step."""
    return np.asarray((0.5 * (torques[:-1] + torques[1:]) * np.diff(strokes, axis=0)).sum(axis=0))
