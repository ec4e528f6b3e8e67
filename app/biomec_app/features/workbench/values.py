"""Boxes for numbers of any size: how many decimals and how large a step fit a value. Without Qt."""

from __future__ import annotations

from math import floor, inf, isfinite, log10

from biomec.machines.blueprint import Parameter

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


def range_of(parameter: Parameter) -> tuple[float, float]:
    """Smallest and largest value that a box takes; finite."""
    large = 1e9
    return (
        parameter.minimum if parameter.minimum > -inf else -large,
        parameter.maximum if parameter.maximum < inf else large,
    )


def range_words(parameter: Parameter) -> str:
    """The range in words, empty if there is none."""
    low, high = parameter.minimum, parameter.maximum
    unit = f" {parameter.unit}" if parameter.unit else ""
    if isfinite(low) and isfinite(high):
        return f"{low:g} to {high:g}{unit}"
    if isfinite(low):
        return f"at least {low:g}{unit}"
    return f"at most {high:g}{unit}" if isfinite(high) else ""
