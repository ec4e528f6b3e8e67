"""Expressions as lines of a program: common parts computed once, names that the language allows."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from biomec.machines.symbolic.coordinates import Expr, Matrix, Symbol

LONGEST = 100_000  # numerator or denominator of a fraction that is written as one
LARGEST_PRODUCT = 4  # powers up to it are written as products where the language has no operator for them
C_WORDS = frozenset(("auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else",
    "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "main", "register", "restrict",
    "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void",
    "volatile", "while"))  # fmt: skip
MATLAB_WORDS = frozenset(("break", "case", "catch", "classdef", "continue", "e", "else", "elseif", "end",
    "endfunction", "endif", "for", "function", "global", "i", "if", "j", "nargin", "ones", "otherwise",
    "parfor", "persistent", "return", "spmd", "switch", "try", "while", "zeros"))  # fmt: skip
FUNCTIONS = frozenset(("abs", "acos", "asin", "atan", "atan2", "cos", "exp", "fabs", "log", "math", "np", "pi",
    "pow", "sin", "sqrt", "t", "tan"))  # fmt: skip
RESERVED = frozenset(keyword.kwlist) | C_WORDS | MATLAB_WORDS | FUNCTIONS


@dataclass(frozen=True, eq=False)
class Listing:
    """What a program computes, with symbols that any language can name.

    arguments  : name of an argument -> its symbols in order, such as ``x`` -> (phi1, phi1d)
    steps      : (symbol, expression) of the common parts, in order
    outputs    : name -> matrix
    """

    arguments: Mapping[str, tuple[Symbol, ...]]
    steps: tuple[tuple[Symbol, Expr], ...]
    outputs: Mapping[str, Matrix]

    @property
    def used(self) -> frozenset[Symbol]:
        """Symbols that anything depends on."""
        expressions = [one for _, one in self.steps] + [one for matrix in self.outputs.values() for one in matrix]
        return frozenset().union(*(one.free_symbols for one in expressions)) if expressions else frozenset()


def listing(
    arguments: Mapping[str, Sequence[Symbol]], outputs: Mapping[str, Matrix], reserved: Sequence[str] = ()
) -> Listing:
    """Listing of matrices of the arguments" symbols."""
    taken = set(RESERVED) | set(arguments) | set(outputs) | set(reserved)
    names: dict[Symbol, Symbol] = {}
    for symbols in arguments.values():
        for one in symbols:
            names[one] = sp.Symbol(_free_name(one.name, taken), real=True)
            taken.add(names[one].name)
    entries = [_decimals(one.xreplace(names)) for matrix in outputs.values() for one in matrix]
    steps, reduced = sp.cse(entries, symbols=_temporaries(taken), order="none", list=True)
    parts = iter(reduced)
    made = {name: sp.ImmutableMatrix(*matrix.shape, [next(parts) for _ in matrix]) for name, matrix in outputs.items()}
    return Listing(
        {key: tuple(names[one] for one in symbols) for key, symbols in arguments.items()}, tuple(steps), made
    )


def _decimals(expression: Expr) -> Expr:
    """Long fractions as decimals of 17 digits, which is every digit that a number of double precision has."""
    long = [one for one in expression.atoms(sp.Rational) if one.q > LONGEST or abs(one.p) > LONGEST]
    return expression.xreplace({one: sp.Float(one, 17) for one in long})


def _free_name(name: str, taken: set[str]) -> str:
    """A name of letters, digits and underscores that nothing else has."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
    if not plain[:1].isalpha():
        plain = f"v{plain}"
    while plain in taken:
        plain += "_"
    return plain


def _temporaries(taken: set[str]) -> Iterator[Symbol]:
    k = 0
    while True:
        if f"z{k}" not in taken:
            yield sp.Symbol(f"z{k}", real=True)
        k += 1
