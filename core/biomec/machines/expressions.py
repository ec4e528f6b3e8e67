"""Arithmetic in the texts of machine files: ``"=m1*L1**2/12"`` in terms of named parameters.

The same text gives a number or, with symbols for names, a symbolic expression.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from biomec.base.errors import DescriptionError
from biomec.base.toml_table import did_you_mean

MARK = "="
"""First character of a text that stands for a number."""

NUMERIC: Mapping[str, Any] = {
    "pi": math.pi,
    **{name: getattr(math, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "sqrt")},
}
"""Functions and constants of an expression whose value is a number."""

LARGEST_POWER = 64  # nobody's geometry needs more, and 9**9**9 would never end
WHOLE_BITS = 53  # whole numbers of more bits become floats: towers of powers would grow without end
LARGEST_BITS = 1100  # of numerator and denominator of exact fractions of symbols; floats end at 1024
LONGEST = 500  # characters of one expression

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}


def value_of(text: str, names: Mapping[str, Any], functions: Mapping[str, Any] = NUMERIC) -> Any:
    """Value of an expression such as ``m1*L1**2/12``, without the mark.

    names     : values of the parameters, numbers or symbols
    functions : what ``sin``, ``sqrt``, ``pi`` … mean for such values
    Raises `DescriptionError` with what is wrong.
    """
    if len(text) > LONGEST:
        raise DescriptionError(f"an expression of {len(text)} characters is too long; at most {LONGEST} are read.")
    try:
        tree = ast.parse(text.strip(), mode="eval")
        return _value(tree.body, names, functions)
    except (SyntaxError, RecursionError) as error:
        raise DescriptionError(f'"{text}" is not an expression. Write it like m1*L1**2/12.') from error
    except (ZeroDivisionError, ValueError, OverflowError, TypeError) as error:
        raise DescriptionError(f'"{text}" has no value ({error.args[-1] if error.args else error}).') from error


def _value(node: ast.expr, names: Mapping[str, Any], functions: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as number):
            return _bounded(number)
        case ast.Name(id=name):
            return _named(name, names, functions)
        case ast.UnaryOp(op=op, operand=inner) if type(op) in _UNARY:
            return _UNARY[type(op)](_value(inner, names, functions))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            a, b = _value(left, names, functions), _value(right, names, functions)
            if isinstance(op, ast.Pow) and isinstance(b, int | float) and abs(b) > LARGEST_POWER:
                raise DescriptionError(f"a power of {b:g} is too large; at most {LARGEST_POWER} is computed.")
            return _bounded(_BINARY[type(op)](a, b))
        case ast.Call(func=ast.Name(id=name), args=inner, keywords=[]) if callable(functions.get(name)):
            return functions[name](*(_value(one, names, functions) for one in inner))
    raise DescriptionError(
        f'"{ast.unparse(node)}" cannot be computed. Use numbers, parameters, + − * / ** and '
        f"{', '.join(name for name in functions if callable(functions[name]))}."
    )


def _bounded(value: Any) -> Any:
    """A number that takes no more room than any other; symbolic expressions as they are."""
    if isinstance(value, int):
        return float(value) if value.bit_length() > WHOLE_BITS else value
    if isinstance(value, complex):
        raise DescriptionError("a root or power of a negative number is not real.")
    parts = [part for name in ("p", "q") if isinstance(part := getattr(value, name, 0), int)]  # of exact fractions
    if any(part.bit_length() > LARGEST_BITS for part in parts):
        raise OverflowError("a number is too large")
    return value


def _named(name: str, names: Mapping[str, Any], functions: Mapping[str, Any]) -> Any:
    if name in names:
        return names[name]
    if name in functions and not callable(functions[name]):
        return functions[name]
    known = [*names, *functions]
    there = ", ".join(names) or "none"
    raise DescriptionError(f"there is no parameter {name}{did_you_mean(name, known)} The parameters are {there}.")
