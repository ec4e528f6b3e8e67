"""Arithmetic in machine files."""

import math

import pytest
import sympy

from biomec.base.errors import DescriptionError
from biomec.machines.expressions import value_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("m*L**2/12", 3.0 * 0.25 / 12.0),
        ("-g", -9.81),
        ("2*(L+1) - m/3", 2.0),
        ("L*cos(60*pi/180)", 0.25),
        ("sqrt(m*m) + atan2(0, 1)", 3.0),
        ("1e-3", 0.001),
    ],
)
def test_the_value_of_an_expression(text, value):
    assert value_of(text, {"m": 3.0, "L": 0.5, "g": 9.81}) == pytest.approx(value, rel=1e-15)


def test_the_same_text_with_symbols():
    m, L = sympy.symbols("m L")
    found = value_of("m*L**2/12 + sin(L)", {"m": m, "L": L}, {"sin": sympy.sin})
    assert found - (m * L**2 / 12 + sympy.sin(L)) == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("M", "there is no parameter M"),
        ("__import__('os')", "cannot be computed"),
        ("m.real", "cannot be computed"),
        ("[1][0]", "cannot be computed"),
        ("True", "cannot be computed"),
        ("m +", "is not an expression"),
        ("1/0", "has no value"),
        ("sqrt(-1)", "has no value"),
        ("sqrt(1, 2)", "has no value"),
        ("9**9**9", "too large"),
        ("((((9**64)**64)**64)**64)**64", r"has no value \(Numerical result out of range\)"),  # it never ended
        ("(-8)**0.5", "is not real"),
        ("1+" * 300 + "1", "too long"),
        ("(" * 400 + ")" * 50, "is not an expression"),
    ],
)
def test_anything_else_is_refused_with_a_sentence(text, said):
    with pytest.raises(DescriptionError, match=said):
        value_of(text, {"m": 1.0})


def test_towers_of_exact_fractions_end_too():
    with pytest.raises(DescriptionError, match="a number is too large"):
        value_of("((((x-x+1)/9)**64)**64)**64", {"x": sympy.Symbol("x")})


def test_pi_is_known_but_not_callable():
    assert value_of("pi", {}) == math.pi
