"""Values as people read and type them: numbers of any size, lines of names and numbers, vectors. Without Qt."""

from __future__ import annotations

from collections.abc import Mapping
from math import floor, isfinite, log10
from typing import Any

from biomec.base.errors import BiomecError
from biomec.base.fields import Setting
from biomec.base.frozen import FrozenDict

DIGITS = 6  # significant ones that a box shows at least
SMALL, LARGE = 1e-4, 1e7  # outside, numbers are shown with a power of ten


def decimals_of(value: float) -> int:
    """Decimals with which a value is shown whole, 3 to 12."""
    text = f"{abs(value):.12f}".rstrip("0")
    whole = len(text.partition(".")[2])
    small = DIGITS - 1 - floor(log10(abs(value))) if value else 3
    return min(12, max(3, whole if whole <= DIGITS else small))


def number_words(value: float) -> str:
    """A number as a box shows it: plain, or with a power of ten where it is very large or small."""
    if value and not SMALL <= abs(value) < LARGE:
        return f"{value:.{DIGITS}g}"
    return f"{value:.{decimals_of(value)}f}".rstrip("0").rstrip(".") or "0"


def step_of(value: float) -> float:
    """A step that changes the second digit of a value."""
    return 10.0 ** (floor(log10(abs(value))) - 1) if value and isfinite(value) else 0.1


def suffix(unit: str) -> str:
    """A unit after a number."""
    return unit if unit in ("", "°") else f" {unit}"


def range_words(about: Setting) -> str:
    """The range in words, empty if there is none."""
    unit = suffix(about.unit)
    if isfinite(about.least) and isfinite(about.most):
        return f"{about.least:g} to {about.most:g}{unit}"
    if isfinite(about.least):
        return f"at least {about.least:g}{unit}"
    return f"at most {about.most:g}{unit}" if isfinite(about.most) else ""


def number_typed(text: str, label: str) -> float:
    """The number that was typed; a comma is a point."""
    text = text.strip()
    try:
        return float(text.replace(",", "."))
    except ValueError:
        told = f'"{text}"' if text else "nothing"
        raise BiomecError(f"{label}: {told} is not a number; type one such as 1e-10.") from None


def lines_text(value: Any, about: Setting) -> str:
    """Numbers by name as lines ``name = number``."""
    table = about.table[0](value) if about.table else {name: (number,) for name, number in value.items()}
    return "\n".join(f"{name} = {' '.join(f'{x:g}' for x in numbers)}" for name, numbers in table.items())


def lines_typed(text: str, about: Setting) -> Any:
    """What lines ``name = number`` mean, or a sentence about the line that means nothing."""
    table: dict[str, tuple[float, ...]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        name, equals, rest = line.partition("=")
        try:
            values = tuple(float(word.replace(",", ".")) for word in rest.split())
        except ValueError:
            values = ()
        if not equals or not name.strip() or not values:
            raise BiomecError(f'{about.label}, line {number}: "{line.strip()}" is not of the form name = number.')
        table[name.strip()] = values
    if about.table:
        return about.table[1](table)
    many = next((name for name, values in table.items() if len(values) > 1), None)
    if many is not None:
        raise BiomecError(f"{about.label}: {many} has more than one number.")
    return FrozenDict({name: values[0] for name, values in table.items()})


def vector_text(value: tuple[float, float, float] | None, factor: float) -> str:
    """Three numbers as they are shown."""
    return "" if value is None else " ".join(f"{factor * x:g}" for x in value)


def vector_typed(text: str, about: Setting, optional: bool) -> tuple[float, float, float] | None:
    """Three numbers that were typed; nothing is None where that is allowed."""
    words = text.replace(";", " ").split()
    if not words and optional:
        return None
    try:
        values = [float(word.replace(",", ".")) / about.factor for word in words]
    except ValueError:
        values = []
    if len(values) != 3:
        raise BiomecError(f'{about.label}: "{text.strip()}" is not three numbers X Y Z.')
    return values[0], values[1], values[2]


def names_of(value: Any) -> str:
    """In a few words what a value holds that can only be shown."""
    name = getattr(value, "name", "")
    names = ", ".join(value) if isinstance(value, Mapping) else ""
    count = 1 if value is not None and not hasattr(value, "__len__") else len(value or ())
    return name or names or (f"{count} set" if count else "")
