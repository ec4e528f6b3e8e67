"""Products of sines and cosines as sums over multiple angles: a normal form of what planar mechanisms give."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache

import sympy as sp

from biomec.machines.symbolic.coordinates import Expr


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
