"""Ranges of the parameters of a machine, for boxes and for people. Without Qt."""

from __future__ import annotations

from math import inf, isfinite

from biomec.machines.blueprint import Parameter


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
