"""Generalised coordinates as symbols, and the derivative by time of what depends on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import sympy as sp

Expr: TypeAlias = Any  # sympy ships no types
Symbol: TypeAlias = Any
Matrix: TypeAlias = Any


def symbol(name: str, taken: Iterable[Symbol] = ()) -> Symbol:
    """Real symbol; underscores are added while a taken one has the name."""
    names = {one.name for one in taken}
    while name in names:
        name += "_"
    return sp.Symbol(name, real=True)


@dataclass(frozen=True)
class Coordinates:
    """Generalised coordinates q, their rates q̇ and accelerations q̈, as symbols.

    about : what each is, such as ``angle of crank [rad]``
    """

    q: tuple[Symbol, ...]
    qdot: tuple[Symbol, ...]
    qddot: tuple[Symbol, ...]
    about: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.q)

    @property
    def x(self) -> tuple[Symbol, ...]:
        """State (q, q̇)."""
        return self.q + self.qdot

    def derivative(self, expression: Expr) -> Expr:
        """d/dt of an expression of q and q̇."""
        return time_derivative(expression, {**dict(zip(self.q, self.qdot, strict=True)),
                                            **dict(zip(self.qdot, self.qddot, strict=True))})  # fmt: skip


def coordinates(names: Sequence[str], about: Sequence[str] = (), taken: Iterable[Symbol] = ()) -> Coordinates:
    """Coordinates of these names; rates end in ``d``, accelerations in ``dd``."""
    taken = list(taken)
    q = tuple(symbol(name, taken) for name in names)
    qdot = tuple(symbol(f"{name}d", taken) for name in names)
    qddot = tuple(symbol(f"{name}dd", taken) for name in names)
    return Coordinates(q, qdot, qddot, tuple(about) or tuple(names))


def time_derivative(expression: Expr, moving: Mapping[Symbol, Symbol] | Iterable[Symbol] | None = None) -> Expr:
    """Total derivative by time, d/dt f = Σ ∂f/∂s ṡ over the symbols s that depend on time [Silva2007, App. A].

    moving : symbol -> its derivative; or symbols, whose derivatives get their name and a ``d``;
             None: only the symbol whose name is nearest to x, as computer algebra chooses a variable by default.
    All other symbols are constants.
    """
    expression = sp.sympify(expression)
    if moving is None:
        moving = sorted(expression.free_symbols, key=_distance_to_x)[:1]
    rates = moving if isinstance(moving, Mapping) else {one: symbol(f"{one.name}d") for one in moving}
    return sp.Add(*(sp.diff(expression, one) * rate for one, rate in rates.items()))


def _distance_to_x(one: Symbol) -> tuple[bool, int, str]:
    first = one.name[:1]
    return first.isupper(), abs(ord(first.lower()) - ord("x")), one.name
