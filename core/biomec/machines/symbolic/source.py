"""Equations as source text: Python, C, MATLAB/Octave, LaTeX. Inputs and parameters are arguments, never globals.

Common parts are computed once; names are such as the language allows.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import sympy as sp
from sympy.printing.c import C99CodePrinter
from sympy.printing.octave import OctaveCodePrinter
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.pycode import PythonCodePrinter

from biomec.base.errors import BiomecError
from biomec.base.plain_text import comment, identifier
from biomec.machines.symbolic.algebra import Expr, Matrix, Symbol
from biomec.machines.symbolic.equations import EquationsOfMotion, accelerations
from biomec.machines.symbolic.typeset import latex_document

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
    """Listing of matrices of the arguments' symbols."""
    for key in (*arguments, *outputs, *reserved):
        if identifier(key) != key:
            raise BiomecError(f"{key!r} cannot be a name in a program. Use letters, digits and _.")
    taken = set(RESERVED) | set(arguments) | set(outputs) | set(reserved)
    names: dict[Symbol, Symbol] = {}
    for symbols in arguments.values():
        for one in symbols:
            names[one] = sp.Symbol(identifier(one.name, taken), real=True)
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


def _temporaries(taken: set[str]) -> Iterator[Symbol]:
    k = 0
    while True:
        if f"z{k}" not in taken:
            yield sp.Symbol(f"z{k}", real=True)
        k += 1


ENDINGS = {"python": "py", "c": "c", "matlab": "m", "latex": "tex"}
"""Languages, and how names of their files end."""


class _Python(PythonCodePrinter):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__({"fully_qualified_modules": False})

    def _print_Integer(self, expr: Expr) -> str:
        return str(int(expr))


class _C(C99CodePrinter):  # type: ignore[misc]
    def _print_Pi(self, expr: Expr) -> str:
        return "3.14159265358979323846"  # M_PI is not part of the language

    def _print_Pow(self, expr: Expr) -> str:
        base, power = expr.as_base_exp()
        if power.is_Integer and 2 <= power <= LARGEST_PRODUCT:
            return "(" + "*".join([self.parenthesize(base, PRECEDENCE["Mul"])] * int(power)) + ")"
        return str(super()._print_Pow(expr))


def _number(value: Expr) -> str:
    return repr(float(value))


def _printer(language: str) -> Callable[[Expr], str]:
    """Text of an expression; whole expressions that are numbers are written with a decimal point."""
    made = {"python": _Python, "c": _C, "matlab": OctaveCodePrinter}[language]()
    return lambda one: _number(one) if one.is_Number else str(made.doprint(one))


# ---------------------------------------------------------------------- any matrices


def matrices_source(
    language: str, name: str, arguments: Mapping[str, Sequence[Symbol]], outputs: Mapping[str, Matrix]
) -> str:
    """Function ``name`` that computes matrices: one index for vectors, two for matrices, common parts once.

    arguments : name -> symbols in their order, such as {"x": states, "u": inputs, "p": parameters}
    """
    lines = listing(arguments, outputs, (name,))
    match language:
        case "python":
            shown = ", ".join(_python_matrix(one) for one in lines.outputs.values())
            head = [*_python_imports(lines), "", "", f"def {name}({', '.join(arguments)}):"]
            return "\n".join([*head, *(f"    {one}" for one in python_steps(lines)), f"    return {shown}", ""])
        case "c":
            given = [f"const double *{key}" for key in arguments]
            made = [f"double {key}[]" if 1 in one.shape else f"double {key}[][{one.cols}]"
                    for key, one in outputs.items()]  # fmt: skip
            head = ["#include <math.h>", "", f"void {name}({', '.join(given + made)})", "{"]
            return "\n".join(
                [*head, *(f"    {one}" for one in [*_c_steps(lines), *_c_outputs(lines.outputs)]), "}", ""]
            )
        case "matlab":
            title = f"function [{', '.join(outputs)}] = {name}({', '.join(arguments)})"
            return "\n".join(
                [title, *(f"  {one}" for one in [*_matlab_steps(lines), *_matlab_outputs(lines)]), "end", ""]
            )
    raise _unknown(language)


# ---------------------------------------------------------------------- state equations


def to_source(
    equations: EquationsOfMotion,
    language: str,
    name: str = "xdot",
    title: str = "",
    *,
    explicit: bool = False,
    start: Sequence[float] | None = None,
) -> str:
    """Source text of ẋ = f(t, x, u, p), x = (q, q̇).

    language : a key of `ENDINGS`
    explicit : accelerations as formulas (open chains of at most four coordinates); otherwise the program solves the
               linear equations for them
    start    : state x (2n,) that the program holds as one to begin with: START in Python, NAME_start in C, and what
               NAME() returns without arguments in MATLAB
    """
    if language == "latex":
        return latex_document(equations, title or name)
    if language not in ENDINGS:
        raise _unknown(language)
    arguments = {"x": equations.coordinates.x, "u": equations.inputs, "p": tuple(equations.parameters)}
    if explicit:
        outputs = {"a": accelerations(equations)}
    else:
        matrix, right = equations.saddle()
        outputs = {"S": matrix, "r": right}
    taken = ("dx", "a", "k", "i", "j", "n", "solve", "status", "PARAMETERS", "START", f"{name}_start", name)
    lines = listing(arguments, outputs, taken)
    begun = None if start is None else [repr(float(one)) for one in start]
    return {"python": _python, "c": _c, "matlab": _matlab}[language](equations, lines, name, title, begun)


def _unknown(language: str) -> BiomecError:
    return BiomecError(f"There is no language {language}. The languages are {', '.join(ENDINGS)}.")


def _legend(equations: EquationsOfMotion, title: str, place: str = "{}[{}]", first: int = 0) -> list[str]:
    """What the arguments are, for the comment at the top; ``place`` writes an index, which counts from ``first``."""
    about = equations.coordinates.about
    states = [*about, *(f"rate of {one.replace(']', '/s]')}" for one in about)]
    values = [f"{one.name} = {value!r}" for one, value in equations.parameters.items()]
    rows = [f"State equations{f' of {title}' if title else ''}, derived by Biomec: dx/dt = f(t, x, u, p)."]
    for letter, words in (("x", states), ("u", equations.input_names), ("p", values)):
        rows += [f"{place.format(letter, k)}: {one}" for k, one in enumerate(words, first)]
    return [comment(one) for one in rows]


# ---------------------------------------------------------------------- Python


def python_steps(lines: Listing) -> list[str]:
    """Assignments of the arguments' parts and of the common parts."""
    text, used = _printer("python"), lines.used
    parts = [f"{one} = {key}[{k}]" for key, row in lines.arguments.items() for k, one in enumerate(row) if one in used]
    return parts + [f"{one} = {text(value)}" for one, value in lines.steps]


def python_values(matrix: Matrix) -> str:
    """Entries of a matrix, row after row."""
    text = _printer("python")
    return "(" + "".join(f"{text(one)}, " for one in matrix) + ")"


def _python_matrix(matrix: Matrix, *, nested: bool = False) -> str:
    text = _printer("python")
    if matrix.cols == 1 and not nested:
        return f"[{', '.join(text(one) for one in matrix)}]"
    rows = ("[" + ", ".join(text(one) for one in matrix.row(k)) + "]" for k in range(matrix.rows))
    return "[" + ", ".join(rows) + "]"


def _python_imports(lines: Listing) -> list[str]:
    body = " ".join([*python_steps(lines), *(python_values(one) for one in lines.outputs.values())])
    found = [one for one in ("acos", "asin", "atan", "atan2", "copysign", "cos", "exp", "log", "pi", "sin", "sqrt",
                             "tan")
             if f"{one}(" in body or (one == "pi" and "pi" in body)]  # fmt: skip
    return [f"from math import {', '.join(found)}"] if found else []


BEGUN = "where a motion begins, with all loops closed, for the values of the parameters above"


def _python(equations: EquationsOfMotion, lines: Listing, name: str, title: str, begun: list[str] | None) -> str:
    n, m = equations.n, len(equations.inputs)
    values = ", ".join(f"{one.name!r}: {value!r}" for one, value in equations.parameters.items())
    text = _printer("python")
    head = [
        '"""' + "\n".join(_legend(equations, title)),
        '"""',
        "",
        *_python_imports(lines),
        "",
        "import numpy as np",
        "",
    ]
    head += [f"PARAMETERS = {{{values}}}"]
    head += [f"START = ({', '.join(begun)},)  # {BEGUN}"] if begun is not None else []
    head += ["", ""]
    head += [f"def {name}(t, x, u=(0.0,) * {m}, p=tuple(PARAMETERS.values())):"]
    body = python_steps(lines)
    if "a" in lines.outputs:
        body += [f"a = [{', '.join(text(one) for one in lines.outputs['a'])}]"]
    else:
        S, r = lines.outputs["S"], lines.outputs["r"]
        body += [
            f"S = np.array({_python_matrix(S, nested=True)})",
            f"r = np.array({_python_matrix(r)})",
            "a = np.linalg.solve(S, r)",
        ]
    body += [f"return np.array([*x[{n}:], *a[:{n}]])"]
    return "\n".join([*head, *(f"    {one}" for one in body), ""])


# ---------------------------------------------------------------------- C

C_SOLVE = """/* Gauss elimination with row exchange: r becomes the solution of S a = r. Returns 1 if S is singular. */
static int solve(int n, double *S, double *r)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(S[i*n + k]) > fabs(S[best*n + k])) best = i;
        if (S[best*n + k] == 0.0) return 1;
        if (best != k) {
            for (int j = 0; j < n; j++) { double s = S[k*n + j]; S[k*n + j] = S[best*n + j]; S[best*n + j] = s; }
            double s = r[k]; r[k] = r[best]; r[best] = s;
        }
        for (int i = k + 1; i < n; i++) {
            double f = S[i*n + k]/S[k*n + k];
            for (int j = k; j < n; j++) S[i*n + j] -= f*S[k*n + j];
            r[i] -= f*r[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) r[i] -= S[i*n + j]*r[j];
        r[i] /= S[i*n + i];
    }
    return 0;
}
"""


def _c_steps(lines: Listing) -> list[str]:
    text, used = _printer("c"), lines.used
    parts = [f"const double {one} = {key}[{k}];"
             for key, row in lines.arguments.items() for k, one in enumerate(row) if one in used]  # fmt: skip
    return parts + [f"const double {one} = {text(value)};" for one, value in lines.steps]


def _c_outputs(outputs: Mapping[str, Matrix]) -> list[str]:
    text = _printer("c")
    found = []
    for key, matrix in outputs.items():
        if 1 in matrix.shape:
            found += [f"{key}[{k}] = {text(one)};" for k, one in enumerate(matrix)]
        else:
            found += [
                f"{key}[{i}][{j}] = {text(matrix[i, j])};" for i in range(matrix.rows) for j in range(matrix.cols)
            ]
    return found


def _c(equations: EquationsOfMotion, lines: Listing, name: str, title: str, begun: list[str] | None) -> str:
    n = equations.n
    head = [
        "/* " + "\n   ".join(_legend(equations, title)),
        "   Returns 0, or 1 if the equations are singular at x. */",
    ]
    head += ["#include <math.h>", ""]
    if begun is not None:
        head += [f"/* {BEGUN} */", f"const double {name}_start[{2 * n}] = {{{', '.join(begun)}}};", ""]
    body = ["(void)t; (void)u; (void)p;", *_c_steps(lines)]
    if "a" in lines.outputs:
        body += [f"double a[{n}];", *_c_outputs(lines.outputs), "const int status = 0;"]
    else:
        size = lines.outputs["r"].rows
        row_after_row = {"S": lines.outputs["S"].reshape(size * size, 1), "r": lines.outputs["r"]}
        head += [C_SOLVE]
        body += [f"double S[{size * size}], r[{size}];", *_c_outputs(row_after_row)]
        body += [f"const int status = solve({size}, S, r);", "const double *a = r;"]
    body += [f"for (int k = 0; k < {n}; k++) {{ dx[k] = x[k + {n}]; dx[k + {n}] = a[k]; }}", "return status;"]
    head += [f"int {name}(double t, const double *x, const double *u, const double *p, double *dx)", "{"]
    return "\n".join([*head, *(f"    {one}" for one in body), "}", ""])


# ---------------------------------------------------------------------- MATLAB, Octave


def _matlab_steps(lines: Listing) -> list[str]:
    text, used = _printer("matlab"), lines.used
    parts = [f"{one} = {key}({k + 1});"
             for key, row in lines.arguments.items() for k, one in enumerate(row) if one in used]  # fmt: skip
    return parts + [f"{one} = {text(value)};" for one, value in lines.steps]


def _matlab_outputs(lines: Listing) -> list[str]:
    text = _printer("matlab")
    found = []
    for key, matrix in lines.outputs.items():
        rows = "; ".join(", ".join(text(one) for one in matrix.row(k)) for k in range(matrix.rows))
        found.append(f"{key} = [{rows}];")
    return found


def _matlab(equations: EquationsOfMotion, lines: Listing, name: str, title: str, begun: list[str] | None) -> str:
    n, m = equations.n, len(equations.inputs)
    values = "; ".join(repr(value) for value in equations.parameters.values())
    body = [f"if nargin < 3, u = zeros({m}, 1); end", f"if nargin < 4, p = [{values}]; end", *_matlab_steps(lines),
            *_matlab_outputs(lines)]  # fmt: skip
    if begun is not None:
        body = [f"if nargin == 0, dx = [{'; '.join(begun)}]; return; end  % {BEGUN}", *body]
    if "a" not in lines.outputs:
        body.append("a = S\\r;")
    body.append(f"dx = [reshape(x({n + 1}:{2 * n}), {n}, 1); a(1:{n})];")
    head = [f"function dx = {name}(t, x, u, p)", *(f"% {one}" for one in _legend(equations, title, "{}({})", 1))]
    return "\n".join([*head, *(f"  {one}" for one in body), "end", ""])
