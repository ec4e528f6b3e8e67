"""Vectors of the plane as sums of vectors that turn with bodies: Σ R(θ_k) c_k.

Their products come out in cosines and sines of differences of angles, the compact form of the equations of planar
chains, without a search for trigonometric identities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from biomec.machines.symbolic.coordinates import Expr, Symbol

Pair = tuple[Expr, Expr]


@dataclass(frozen=True)
class Turning:
    """Σ R(θ) (c_x, c_y) over parts θ -> c, where R turns counter-clockwise by θ; θ = 0 is fixed in the ground."""

    parts: Mapping[Expr, Pair]

    def __add__(self, other: Turning) -> Turning:
        parts = dict(self.parts)
        for angle, (x, y) in other.parts.items():
            a, b = parts.get(angle, (sp.S.Zero, sp.S.Zero))
            parts[angle] = (a + x, b + y)
        return Turning({angle: c for angle, c in parts.items() if c != (0, 0)})

    def __sub__(self, other: Turning) -> Turning:
        return self + other.times(-1)

    def times(self, factor: Expr) -> Turning:
        """The vector times a number."""
        return Turning({angle: (factor * x, factor * y) for angle, (x, y) in self.parts.items()})

    def by(self, one: Symbol) -> Turning:
        """Derivative by a coordinate: R(θ) (∂c/∂q + ∂θ/∂q ĉ), where ĉ is c turned by a quarter."""
        found = Turning({})
        for angle, (x, y) in self.parts.items():
            turn = sp.diff(angle, one)
            found += Turning({angle: (sp.diff(x, one) - turn * y, sp.diff(y, one) + turn * x)})
        return found

    def along(self, q: Sequence[Symbol], rates: Sequence[Symbol]) -> Turning:
        """Derivative by time."""
        found = Turning({})
        for one, rate in zip(q, rates, strict=True):
            found += self.by(one).times(rate)
        return found

    def dot(self, other: Turning) -> Expr:
        """Scalar product."""
        terms = []
        for a, (ax, ay) in self.parts.items():
            for b, (bx, by) in other.parts.items():
                turn = b - a
                terms.append(sp.cos(turn) * (ax * bx + ay * by) + sp.sin(turn) * (ay * bx - ax * by))
        return sp.Add(*terms)

    def components(self) -> Pair:
        """Laboratory components."""
        return self.dot(fixed(1, 0)), self.dot(fixed(0, 1))


def turned(angle: Expr, components: Sequence[Expr]) -> Turning:
    """Vector of a body that stands at an angle, by its components in the body's axes."""
    x, y = components
    return Turning({sp.sympify(angle): (sp.sympify(x), sp.sympify(y))}) + Turning({})


def fixed(x: Expr, y: Expr) -> Turning:
    """Vector of the ground."""
    return turned(sp.S.Zero, (x, y))
