"""Segment frames written as in the tables of the field: `y = "GU_D - PME_D"`, `x = "s (EL_D - GU_D) x (EM_D - GU_D)"`.

A direction is a difference of two points, an axis that was already built, or the cross product of two of these. A
leading minus reverses it; a leading ``s`` reverses it on the left side, so that X points forward, Y up and Z to the
subject's right on both sides ([Nunes2017] Table 4.2, written there for the right side only).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.compiled import compiled
from biomec.base.errors import DescriptionError
from biomec.engine.rotations import AXES, cross, unit

Points: TypeAlias = Mapping[str, FloatArray]
"""Landmark -> laboratory positions (..., 3) [m]."""

_TERM = r"(?:\(\s*([^\s()]+)\s*-\s*([^\s()]+)\s*\)|([xyz]))"
_PRODUCT = re.compile(rf"\s*(-)?\s*(s\s)?\s*{_TERM}(?:\s*x\s*{_TERM})?\s*")
_DIFFERENCE = re.compile(r"\s*(-)?\s*(s\s)?\s*([^\s()]+)\s+-\s+([^\s()]+)\s*")


@dataclass(frozen=True)
class Term:
    """An axis already built (``axis``), or the line from ``tail`` to ``head``."""

    head: str = ""
    tail: str = ""
    axis: str = ""

    def along(self, points: Points, axes: Mapping[str, FloatArray]) -> FloatArray:
        """Vector (..., 3), not normalised."""
        return axes[self.axis] if self.axis else np.asarray(points[self.head] - points[self.tail])

    def on_line_of(self, other: Term) -> bool:
        """Whether it runs along the same axis or between the same two points as another one."""
        return (self.axis, {self.head, self.tail}) == (other.axis, {other.head, other.tail})


@dataclass(frozen=True)
class Direction:
    """A direction in terms of landmarks, such as ``s (EL_D - GU_D) x (EM_D - GU_D)``."""

    text: str
    first: Term
    second: Term | None = None
    sign: float = 1.0
    sided: bool = False

    @property
    def landmarks(self) -> tuple[str, ...]:
        """Landmarks that it needs."""
        terms = [self.first] + ([self.second] if self.second else [])
        return tuple(dict.fromkeys(name for term in terms for name in (term.head, term.tail) if name))

    @property
    def axes(self) -> tuple[str, ...]:
        """Axes that must have been built before."""
        return tuple(term.axis for term in (self.first, self.second) if term is not None and term.axis)

    def unit(self, points: Points, side: float = 1.0, axes: Mapping[str, FloatArray] | None = None) -> FloatArray:
        """Unit vectors (..., 3); ``side`` is +1 on the right and the midline, −1 on the left. NaN where undefined."""
        return unit(self.along(points, side, axes))

    def along(self, points: Points, side: float = 1.0, axes: Mapping[str, FloatArray] | None = None) -> FloatArray:
        """Vectors (..., 3) in that direction, not normalised; axes may be of any length."""
        vector = self.first.along(points, axes or {})
        if self.second is not None:
            vector = cross(vector, self.second.along(points, axes or {}))
        return -vector if self.sign * (side if self.sided else 1.0) < 0.0 else vector


@dataclass(frozen=True)
class FixedDirection(Direction):
    """A direction that is known as such, by components (3,) in the static pose, and not by landmarks."""

    vector: tuple[float, float, float] = (0.0, 0.0, 1.0)

    @classmethod
    def of(cls, vector: tuple[float, float, float]) -> FixedDirection:
        """Direction along a vector (3,) in the axes of the static pose."""
        return cls("given", Term(), vector=vector)

    def along(self, points: Points, side: float = 1.0, axes: Mapping[str, FloatArray] | None = None) -> FloatArray:
        """Return the vector (3,)."""
        return np.array(self.vector, dtype=np.float64)


def parse_direction(text: str) -> Direction:
    """Direction written as ``A - B``, ``(A - B) x (C - D)``, ``y x (A - B)`` …, or a sentence about what is wrong."""
    match = _DIFFERENCE.fullmatch(text)
    if match:
        minus, sided, head, tail = match.groups()
        return _with_length(Direction(text, Term(head, tail), None, -1.0 if minus else 1.0, bool(sided)))
    match = _PRODUCT.fullmatch(text)
    if match is None:
        raise DescriptionError(
            f'"{text}" is not a direction. Write a difference of two points such as "CAC - VC", or a cross product '
            f'such as "(GLAB - CAC) x y"; an s in front reverses it on the left side.'
        )
    minus, sided, head, tail, axis, head_2, tail_2, axis_2 = match.groups()
    second = Term(head_2 or "", tail_2 or "", axis_2 or "") if head_2 or axis_2 else None
    first = Term(head or "", tail or "", axis or "")
    return _with_length(Direction(text, first, second, -1.0 if minus else 1.0, bool(sided)))


def _with_length(direction: Direction) -> Direction:
    """Return the direction, unless it has none whatever the landmarks: ``A - A``, ``(A - B) x (B - A)``."""
    first, second = direction.first, direction.second
    if any(term is not None and term.head and term.head == term.tail for term in (first, second)):
        raise DescriptionError(f'"{direction.text}" has no direction: it runs from a point to itself. Name two points.')
    if second is not None and first.on_line_of(second):
        raise DescriptionError(
            f'"{direction.text}" has no direction: both factors run along one line. Name a point beside that line.'
        )
    return direction


@dataclass(frozen=True)
class FrameDefinition:
    """A frame: its origin and two of its axes, in the order in which they are built.

    The first axis is kept as it is, the second is made normal to it, the third completes a right-handed frame.
    """

    origin: str
    axes: tuple[tuple[str, Direction], tuple[str, Direction]]

    def __post_init__(self) -> None:
        (first, direction_1), (second, direction_2) = self.axes
        if first == second or first not in AXES or second not in AXES:
            raise DescriptionError(f"a frame needs two different axes out of x, y and z, not {first} and {second}.")
        if direction_1.axes or not set(direction_2.axes) <= {first}:
            raise DescriptionError(
                f'in "{direction_2.text}" only the axis {first} is known, because it is built first.'
            )
        if self._along_first(direction_1, direction_2):
            raise DescriptionError(
                f'the axes {first} = "{direction_1.text}" and {second} = "{direction_2.text}" of a frame run along one '
                f"line, which leaves {second} without direction. Give {second} a landmark beside that line."
            )

    @staticmethod
    def _along_first(first: Direction, second: Direction) -> bool:
        """Whether the second direction is the first one, or its product with it, whatever the landmarks."""

        def along(term: Term) -> bool:
            return bool(term.axis) or (first.second is None and term.on_line_of(first.first))

        terms = [term for term in (second.first, second.second) if term is not None]
        if all(along(term) for term in terms):
            return True
        factors = [term for term in (first.first, first.second) if term is not None]
        return len(factors) == len(terms) == 2 and all(any(t.on_line_of(f) for f in factors) for t in terms)

    @property
    def landmarks(self) -> tuple[str, ...]:
        """Landmarks that it needs."""
        return tuple(dict.fromkeys([self.origin, *self.axes[0][1].landmarks, *self.axes[1][1].landmarks]))

    def attitude(self, points: Points, side: float = 1.0) -> FloatArray:
        """R_WB (..., 3, 3), columns are the axes x, y, z in the laboratory; NaN where a landmark is missing."""
        (name_1, direction_1), (name_2, direction_2) = self.axes
        first = direction_1.along(points, side)
        second = direction_2.along(points, side, {name_1: first})
        shape = np.broadcast_shapes(first.shape, second.shape)
        u, v = (np.ascontiguousarray(np.broadcast_to(one, shape).reshape(-1, 3)) for one in (first, second))
        R = _completed(u, v, AXES.index(name_1), AXES.index(name_2))
        return R.reshape(*shape, 3)


@compiled
def _completed(first: FloatArray, second: FloatArray, i: int, j: int) -> FloatArray:
    """R (N, 3, 3): axis i along the first vectors (N, 3), axis j normal to it towards the second, the third follows.

    NaN where a vector has no length or both lie on a line.
    """
    k = 3 - i - j
    sense = 1.0 if (i + 1) % 3 == j else -1.0
    R = np.empty((first.shape[0], 3, 3))
    for t in range(first.shape[0]):
        one, two, along = 0.0, 0.0, 0.0
        for c in range(3):
            one += first[t, c] ** 2
            two += second[t, c] ** 2
        one, two = np.sqrt(one), np.sqrt(two)
        for c in range(3):
            R[t, c, i] = first[t, c] / one if one > 0.0 else np.nan
            R[t, c, j] = second[t, c] / two if two > 0.0 else np.nan
            along += R[t, c, i] * R[t, c, j]
        length = 0.0
        for c in range(3):
            R[t, c, j] -= along * R[t, c, i]
            length += R[t, c, j] ** 2
        length = np.sqrt(length)
        for c in range(3):
            R[t, c, j] = R[t, c, j] / length if length > 0.0 else np.nan
        for c in range(3):
            d, e = (c + 1) % 3, (c + 2) % 3
            R[t, c, k] = sense * (R[t, d, i] * R[t, e, j] - R[t, e, i] * R[t, d, j])
    return R
