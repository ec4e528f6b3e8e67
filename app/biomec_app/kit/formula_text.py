"""Formulas in TeX as a line of text, for pages that cannot draw them: √(a/b), ẋ, x², Φ. Knows no Qt."""

from __future__ import annotations

import re
from unicodedata import normalize

SIGNS = {
    "alpha": "α", "beta": "β", "delta": "δ", "lambda": "λ", "omega": "ω", "varphi": "φ", "theta": "θ", "sigma": "σ",
    "pi": "π", "chi": "χ", "Phi": "Φ", "sum": "∑", "int": "∫", "pm": "±", "le": "≤", "ge": "≥", "times": "×",
    "cdot": "·", "quad": "   ", "qquad": "      ", "lVert": "‖", "rVert": "‖", "left": "", "right": "",
    "tan": " tan ", "sin": " sin ", "cos": " cos ",
}  # fmt: skip
UP = dict(zip("0123456789+-−=()nTi", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿᵀⁱ", strict=True))
DOWN = dict(zip("0123456789+-=()aeoxijrt", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓᵢⱼᵣₜ", strict=True))
DOTS = {"dot": "\u0307", "ddot": "\u0308"}
GROUP = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
ONE = rf"(?:{GROUP}|\s*(\\[A-Za-z]+|[A-Za-z0-9]))"


def formula_text(tex: str) -> str:
    """A formula as text that reads the same."""
    text = " ".join(tex.split())
    text = re.sub(r"\\(text|mathrm)" + GROUP, lambda found: found[2], text)
    for _ in range(4):  # what is nested deepest is not deeper
        text = re.sub(rf"\\[dt]?frac{ONE}{ONE}", _fraction, text)
        text = re.sub(rf"\\sqrt{ONE}", lambda m: f"√{_bracketed(m[1] or m[2])}", text)
    text = re.sub(rf"\\(ddot|dot){ONE}", lambda m: _sign(m[2] or m[3]) + DOTS[m[1]], text)
    text = re.sub(r"\\([A-Za-z]+)", lambda m: SIGNS.get(m[1], m[1]), text)
    text = re.sub(r"\\[,;!: ]", " ", text)
    text = re.sub(rf"\^{ONE}", lambda m: _raised(m[1] or m[2], UP, "^"), text)
    text = re.sub(rf"_{ONE}", lambda m: _raised(m[1] or m[2], DOWN, "_"), text)
    text = text.replace("{", "").replace("}", "").replace("-", "−").replace("|", "∣")
    return normalize("NFC", " ".join(text.split()))


def _sign(text: str) -> str:
    return SIGNS.get(text.lstrip("\\"), text.lstrip("\\"))


def _fraction(found: re.Match[str]) -> str:
    """a/b, in brackets where a letter stands before or behind it."""
    text = f"{_bracketed(found[1] or found[2])}/{_bracketed(found[3] or found[4])}"
    before, after = found.string[: found.start()], found.string[found.end() :]
    beside = re.search(r"[A-Za-z0-9)}]$", before) or re.match(r"[A-Za-z0-9(]|\\(tan|sin|cos)", after)
    return f"({text})" if beside else text


def _bracketed(text: str) -> str:
    text = text.strip()
    simple = re.fullmatch(r"\\?[A-Za-z]+|[0-9.]+|[A-Za-z](_[A-Za-z0-9])?", text)
    return text if simple else f"({text})"


def _raised(text: str, letters: dict[str, str], mark: str) -> str:
    if all(letter in letters for letter in text):
        return "".join(letters[letter] for letter in text)
    return f"{mark}{text}" if len(text) == 1 else f"{mark}({text})"
