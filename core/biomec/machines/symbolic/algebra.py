"""Algebra of the expressions that equations of motion are made of.

Generalised coordinates as symbols and the derivative by time of what depends on them; exact decimal fractions and
rounding; products of sines and cosines as sums over multiple angles, a normal form of what planar mechanisms give; and
vectors of the plane as sums of vectors that turn with bodies, Σ R(θ_k) c_k. Products of those come out in cosines and
sines of differences of angles, the compact form of the equations of planar chains, without a search for trigonometric
identities.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

import sympy as sp

# ---------------------------------------------------------------------------------------------------------- coordinates


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


# -------------------------------------------------------------------------------------------------------------- numbers


LARGEST_DENOMINATOR = 10_000  # of a fraction that stands for a number of a file


def exact(value: float) -> Expr:
    """Number as a fraction, so that identities can be decided: a short one such as 1/12 if it is the same number to the
    last bit, otherwise the decimal that Python prints for it.
    """
    short = Fraction(value).limit_denominator(LARGEST_DENOMINATOR)
    return sp.Rational(short.numerator, short.denominator) if float(short) == value else sp.Rational(repr(float(value)))


def rounded(expression: Expr, digits: int) -> Expr:
    """Expression with every coefficient rounded to significant digits, half to even; powers are kept.

    Like variable-precision arithmetic in [Silva2007, App. A]: with 3 digits, 7/3 becomes 2.33.
    """
    if isinstance(expression, sp.Number):
        return expression if expression.is_Integer and abs(expression) < 10**digits else _number(expression, digits)
    if not expression.args:
        return expression
    if expression.is_Pow and isinstance(expression.exp, sp.Number):
        return rounded(expression.base, digits) ** expression.exp
    return expression.func(*(rounded(one, digits) for one in expression.args))


def _number(value: Expr, digits: int) -> Expr:
    """Decimal of so many significant digits."""
    if not value.is_finite:
        return value
    fraction = sp.Rational(value)
    short = Context(prec=digits, rounding=ROUND_HALF_EVEN).divide(Decimal(int(fraction.p)), Decimal(int(fraction.q)))
    return sp.Rational(str(short))


# ------------------------------------------------------------------------------------------------------ multiple angles


def multiple_angles(expression: Expr) -> Expr:
    """Sum of coefficient times sin or cos of a sum of angles, products of them linearised, like terms collected.

    cos a cos b = ½ cos(a−b) + ½ cos(a+b), and so on; what stands in a denominator or under a root is left as it is.
    """
    return sp.Add(*(coefficient * wave for wave, coefficient in waves(expression).items()))


def tidy(expression: Expr) -> Expr:
    """The normal form with factored coefficients: short to read, and 0 for what vanishes identically."""
    return sp.Add(*(sp.factor_terms(coefficient) * wave for wave, coefficient in waves(expression).items()))


def waves(expression: Expr) -> dict[Expr, Expr]:
    """Wave (1, or sin or cos of a sum of angles) -> coefficient that is not zero, of the normal form."""
    total: defaultdict[Expr, list[Expr]] = defaultdict(list)
    for term in sp.Add.make_args(sp.expand(expression)):
        rest, factors = _split(term)
        for wave, number in factors:
            total[wave].append(rest * number)
    found = {wave: sp.expand(sp.Add(*coefficients)) for wave, coefficients in total.items()}
    return {wave: coefficient for wave, coefficient in found.items() if coefficient != 0}


@lru_cache(maxsize=100_000)
def _split(term: Expr) -> tuple[Expr, tuple[tuple[Expr, Expr], ...]]:
    """A product as what has no sine or cosine, and (wave, number) whose sum is the rest."""
    rest, factors = [], []
    for factor in sp.Mul.make_args(term):
        base, exponent = factor.as_base_exp()
        if isinstance(base, sp.sin | sp.cos) and exponent.is_Integer and exponent > 0:
            factors += [base] * int(exponent)
        else:
            rest.append(factor)
    found: dict[Expr, Expr] = {sp.S.One: sp.S.One}
    for factor in factors:
        product: defaultdict[Expr, Expr] = defaultdict(lambda: sp.S.Zero)
        for wave, number in found.items():
            for other, share in _product(wave, factor):
                product[other] += number * share
        found = {wave: number for wave, number in product.items() if number != 0}
    return sp.Mul(*rest), tuple(found.items())


@lru_cache(maxsize=100_000)
def _product(a: Expr, b: Expr) -> tuple[tuple[Expr, Expr], ...]:
    """Product of two waves as a sum of (wave, number); signs that sympy takes out of a sine go to the number."""
    if a == 1:
        return _signed((b, sp.S.One))
    x, y, half = a.args[0], b.args[0], sp.Rational(1, 2)
    less, more = sp.expand(x - y), sp.expand(x + y)
    match a, b:
        case sp.cos(), sp.cos():
            return _signed((sp.cos(less), half), (sp.cos(more), half))
        case sp.sin(), sp.sin():
            return _signed((sp.cos(less), half), (sp.cos(more), -half))
        case sp.sin(), sp.cos():
            return _signed((sp.sin(less), half), (sp.sin(more), half))
    return _signed((sp.sin(-less), half), (sp.sin(more), half))


def _signed(*waves: tuple[Expr, Expr]) -> tuple[tuple[Expr, Expr], ...]:
    found = []
    for wave, number in waves:
        sign, bare = wave.as_coeff_Mul()
        if bare != 0 and sign != 0:
            found.append((bare, number * sign))
    return tuple(found)


# ------------------------------------------------------------------------------------------------------ turning vectors


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
