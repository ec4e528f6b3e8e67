"""Colours as text and as numbers."""

from __future__ import annotations

Colour = tuple[float, float, float]
COMPARED = {"light": ("#0072B2", "#C8102E", "#00805D", "#8A6100"), "dark": ("#56B4E9", "#FF6B5E", "#2FC49B", "#E6B93C")}
"""Theme -> colours of recordings that are compared: the first blue, the second red [Nunes2017]."""


def rgb(colour: str) -> Colour:
    """``#RRGGBB`` as three numbers from 0 to 1."""
    red, green, blue = (int(colour[k : k + 2], 16) / 255.0 for k in (1, 3, 5))
    return red, green, blue


def mixed(one: str, other: str, share: float) -> str:
    """Colour between two, ``share`` of the second, as ``#RRGGBB``."""
    parts = [(1.0 - share) * a + share * b for a, b in zip(rgb(one), rgb(other), strict=True)]
    return "#" + "".join(f"{round(255.0 * part):02X}" for part in parts)
