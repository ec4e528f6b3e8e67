"""Equations as LaTeX and MathML. Lines for drawing use no environments, so that simple engines can draw them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

import sympy as sp

from biomec.base.plain_text import html, latex
from biomec.machines.symbolic.algebra import Expr, Matrix, Symbol, rounded
from biomec.machines.symbolic.equations import EquationsOfMotion

LARGEST_DENOMINATOR = 64  # of a fraction that is shown as one
NO_NAMES: Mapping[Symbol, str] = MappingProxyType({})
DIGITS = 6  # of numbers where nobody asked for another precision


def symbol_names(equations: EquationsOfMotion) -> dict[Symbol, str]:
    """How each symbol is written in LaTeX: φ with an index, a dot for a rate."""
    coords, names = equations.coordinates, {}
    for one, rate, acceleration in zip(coords.q, coords.qdot, coords.qddot, strict=True):
        base, index = _split(one.name)
        names[one] = base + index
        names[rate] = rf"\dot{{{base}}}{index}"
        names[acceleration] = rf"\ddot{{{base}}}{index}"
    for one in (*equations.inputs, *equations.parameters):
        base, index = _split(one.name)
        names[one] = base + index
    return names


def formula(
    expression: Expr, equations: EquationsOfMotion, digits: int = DIGITS, more: Mapping[Symbol, str] = NO_NAMES
) -> str:
    """One expression in LaTeX, fractions only where they are short; numbers rounded to digits.

    more : how symbols are written that the equations do not have
    """
    names = {**symbol_names(equations), **more}
    text: str = sp.latex(_shown(expression, digits), symbol_names=names, fold_short_frac=False,
                         mul_symbol=r"\,", ln_notation=True)  # fmt: skip
    for given, drawn in ((r"\left", ""), (r"\right", ""), (r"\frac", r"\dfrac")):  # simple engines, and tall fractions
        text = text.replace(given, drawn)
    return text


def formulae(equations: EquationsOfMotion, digits: int = DIGITS) -> tuple[str, ...]:
    """Lines of LaTeX, one an equation: template, coordinates, entries that are not zero, constraints."""
    q = equations.coordinates.q
    names = symbol_names(equations)
    terms = {"A": r"A\,\ddot{q}", "B": r"B\,\dot{q}^{2}", "X": r"X\,\dot{q}_i\dot{q}_k", "C": r"C\,\dot{q}",
             "D": r"D\,q", "E": "E", "constraints": r"\Phi_q^{T}\lambda"}  # fmt: skip
    left = " + ".join(term for name, term in terms.items() if _is_there(getattr(equations, name)))
    pushed = {"F": r"F\,u", "G": "G"}
    right = " + ".join(term for name, term in pushed.items() if _is_there(getattr(equations, name))) or "0"
    lines = [f"{left} = {right}", "q = (" + r",\; ".join(names[one] for one in q) + ")"]
    for letter in ("A", "B", "C", "D", "E", "F", "G"):
        lines += _entries(letter, getattr(equations, letter), equations, digits, symmetric=letter == "A")
    for c, (i, k) in enumerate(equations.pairs):
        rates = names[equations.coordinates.qdot[i]] + names[equations.coordinates.qdot[k]]
        lines += [rf"X_{{{j + 1},\,{rates}}} = {formula(one, equations, digits)}"
                  for j, one in enumerate(equations.X[:, c]) if one != 0]  # fmt: skip
    lines += _entries(r"\Phi", equations.constraints, equations, digits)
    lines += _entries(r"\gamma", equations.gamma, equations, digits)
    return tuple(lines)


def latex_document(equations: EquationsOfMotion, title: str, digits: int = DIGITS) -> str:
    """LaTeX file with the matrices and their meaning, ready to compile."""
    names = symbol_names(equations)
    parts = [r"\documentclass{article}", r"\usepackage{amsmath}", r"\usepackage[landscape,margin=1cm]{geometry}",
             r"\allowdisplaybreaks", r"\begin{document}", rf"\section*{{{latex(title)}}}"]  # fmt: skip
    template = formulae(equations, digits)[0]
    parts += [rf"\[ {template} \]"]
    meanings = [
        (names[one], about) for one, about in zip(equations.coordinates.q, equations.coordinates.about, strict=True)
    ]
    meanings += [(names[one], about) for one, about in zip(equations.inputs, equations.input_names, strict=True)]
    meanings += [(names[one], repr(value)) for one, value in equations.parameters.items()]
    parts += [r"\begin{itemize}", *(rf"\item ${one}$: {latex(about)}" for one, about in meanings), r"\end{itemize}"]
    lines = [line.replace(" = ", " &= ", 1) for line in formulae(equations, digits)[1:]]
    parts += [r"\begin{align*}", " \\\\\n".join(lines), r"\end{align*}", r"\end{document}", ""]
    return "\n".join(parts)


def mathml(expression: Expr, equations: EquationsOfMotion, digits: int = DIGITS) -> str:
    """One expression as presentation MathML, for pages."""
    plain = {one: sp.Symbol(html(one.name)) for one in expression.free_symbols}
    body = sp.mathml(_shown(expression, digits).xreplace(plain), printer="presentation")
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML">{body}</math>'


def text(equations: EquationsOfMotion, digits: int = DIGITS) -> str:
    """The sorted equations in plain letters, for a terminal."""
    lines = []
    for letter in ("A", "B", "X", "C", "D", "E", "F", "G"):
        matrix = getattr(equations, letter)
        for j in range(matrix.rows):
            for i in range(matrix.cols):
                if matrix[j, i] != 0:
                    place = f"{j + 1}" if matrix.cols == 1 and letter in "EG" else f"{j + 1},{i + 1}"
                    lines.append(f"{letter}[{place}] = {_plain(matrix[j, i], digits)}")
    lines += [f"Phi[{k + 1}] = {_plain(one, digits)}" for k, one in enumerate(equations.constraints)]
    lines += [f"gamma[{k + 1}] = {_plain(one, digits)}" for k, one in enumerate(equations.gamma)]
    return "\n".join(lines)


def _entries(
    letter: str, matrix: Matrix, equations: EquationsOfMotion, digits: int, symmetric: bool = False
) -> list[str]:
    found = []
    for i in range(matrix.rows):
        for j in range(matrix.cols):
            if matrix[i, j] != 0 and not (symmetric and j < i):
                place = f"{i + 1}" if matrix.cols == 1 and letter not in ("A", "F") else f"{i + 1}{j + 1}"
                same = rf" = {letter}_{{{j + 1}{i + 1}}}" if symmetric and j > i else ""
                found.append(f"{letter}_{{{place}}}{same} = {formula(matrix[i, j], equations, digits)}")
    return found


def _is_there(matrix: Matrix) -> bool:
    return any(one != 0 for one in matrix)


def _shown(expression: Expr, digits: int) -> Expr:
    """Expression whose fractions are decimals of so many digits, except short ones of no few decimals, such as 1/12."""
    if isinstance(expression, sp.Rational) and (expression.q > LARGEST_DENOMINATOR or expression.q % 5 == 0):
        value = rounded(expression, digits)
        return sp.Float(str(sp.N(value, digits)), digits)
    if isinstance(expression, sp.Float):
        return sp.Float(expression, digits)
    if not expression.args or (expression.is_Pow and expression.exp.is_Number and not expression.base.args):
        return expression
    return expression.func(*(_shown(one, digits) for one in expression.args), evaluate=False)


def _plain(expression: Expr, digits: int) -> str:
    return str(_shown(expression, digits))


def _split(name: str) -> tuple[str, str]:
    """Letter and index in LaTeX: phi1 is φ with the index 1."""
    found = re.fullmatch(r"([A-Za-z]+?)_*(\d*)_*", name)
    if found is None:
        return rf"\mathrm{{{latex(name.replace('_', ' '))}}}", ""
    letter, number = found.groups()
    greek = {"phi": r"\varphi", "theta": r"\theta", "alpha": r"\alpha", "beta": r"\beta", "gamma": r"\gamma",
             "rho": r"\rho", "mu": r"\mu", "omega": r"\omega", "lambda": r"\lambda"}  # fmt: skip
    base = greek.get(letter, letter if len(letter) == 1 else rf"\mathrm{{{letter}}}")
    return base, f"_{{{number}}}" if number else ""
