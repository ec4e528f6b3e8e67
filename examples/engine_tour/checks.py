"""Lines of the engine tour's table: a result beside what is known about it, and whether they agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

MARKS = {True: "✓", False: "✗", None: "·"}
WIDTHS = (1, 17, 41, 12, 12, 10, 7)
HEADER = ("", "mechanism", "compared", "result", "expected", "difference", "allowed")


@dataclass(frozen=True)
class Check:
    """One line of the table. ``passed`` is None where something is shown but not judged."""

    mechanism: str
    compared: str
    value: str
    expected: str
    difference: str
    allowed: str
    passed: bool | None

    def __str__(self) -> str:
        return _line(
            MARKS[self.passed], self.mechanism, self.compared, self.value, self.expected, self.difference, self.allowed
        )


def header() -> str:
    """Head of the table, two lines."""
    return "\n".join([_line(*HEADER), _line(*("─" * width for width in WIDTHS))])


def _line(*cells: str) -> str:
    words = [cell.ljust(width) for cell, width in zip(cells[:3], WIDTHS[:3], strict=True)]
    numbers = [cell.rjust(width) for cell, width in zip(cells[3:], WIDTHS[3:], strict=True)]
    return "  ".join(words + numbers).rstrip()


def agree(mechanism: str, compared: str, value: ArrayLike, expected: ArrayLike, allowed: float) -> Check:
    """Compare numbers, or arrays of one shape: they are shown where they differ most."""
    got, known = np.broadcast_arrays(np.atleast_1d(value), np.atleast_1d(expected))
    difference = np.abs(got - known)
    worst = np.unravel_index(int(np.argmax(difference)), difference.shape)  # a NaN counts as the largest
    return Check(
        mechanism,
        compared,
        value=f"{got[worst]:z.6f}",
        expected=f"{known[worst]:z.6f}",
        difference=f"{difference[worst]:.0e}",
        allowed=f"{allowed:.0e}",
        passed=bool(difference[worst] <= allowed),
    )


def same_counts(mechanism: str, compared: str, value: Sequence[int], expected: Sequence[int]) -> Check:
    """Compare whole numbers: the difference is how many of them are not as expected."""
    unlike = sum(a != b for a, b in zip(value, expected, strict=True))
    return Check(mechanism, compared, _slashed(value), _slashed(expected), str(unlike), "0", passed=unlike == 0)


def at_most(mechanism: str, compared: str, value: float, limit: float, style: str) -> Check:
    """Compare a number with its upper limit, both written in ``style``."""
    return Check(mechanism, compared, f"{value:{style}}", f"≤ {limit:{style}}", "", "", passed=bool(value <= limit))


def shown(mechanism: str, compared: str, value: str) -> Check:
    """Show what depends on the machine, without judging it."""
    return Check(mechanism, compared, value, "", "", "", passed=None)


def _slashed(numbers: Sequence[int]) -> str:
    return "/".join(str(number) for number in numbers)
