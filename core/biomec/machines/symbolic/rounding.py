"""Numbers in expressions: exact decimal fractions, and rounding to significant digits."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

import sympy as sp

from biomec.machines.symbolic.coordinates import Expr

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
