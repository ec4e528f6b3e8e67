"""What a method to find a joint centre is, and what it is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import TypeAlias

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.body.anatomy.frames import Points
from biomec.recording.trial import is_angle

Measures: TypeAlias = Mapping[str, float | str]
"""Measures of a person: ``sex`` ("male", "female"), ``mass`` [kg], lengths [m] and angles [rad] (``leg_length_D``)."""

MARKER_DIAMETER = 0.014  # m, where the subject's measures do not say otherwise
_LONGEST = 3.0  # m: a longer measure of a person was entered in other units
_SIDES = {"D": "right", "E": "left"}


class CentreError(BiomecError):
    """A joint centre cannot be computed from what is given; the message says what is missing or wrong."""


@dataclass(frozen=True)
class CentreMethod:
    """A published way to find a joint centre or a derived point. A star in a name stands for the side, D or E.

    name     : "hip-harrington-2007"
    centre   : what it gives, "CAQ_*", "CAC" …
    source   : key in docs/references.md
    needs    : landmarks
    measures : measures of the subject that it cannot do without
    compute  : (points (..., 3) [m], measures, side "D" or "E" or None) -> (..., 3) [m]; NaN in gives NaN out
    title    : one line for a menu
    optional : measures that it uses if they are there
    error    : mean and SD of its distance from imaging [m] with the key of their source, where that was measured
    """

    name: str
    centre: str
    source: str
    needs: tuple[str, ...]
    measures: tuple[str, ...]
    compute: Callable[[Points, Measures, str | None], FloatArray]
    title: str
    optional: tuple[str, ...] = ()
    error: tuple[float, float, str] | None = None


@dataclass(frozen=True)
class Given:
    """Points, measures and side that a formula draws on, and the name of its method for messages."""

    method: str
    points: Points
    measures: Measures
    side: str | None

    def point(self, pattern: str) -> FloatArray:
        """Position (..., 3) [m] of a landmark; a star stands for the side."""
        name = self._named(pattern)
        if name not in self.points:
            raise CentreError(
                f"{self.method} needs the landmark {name}, which is not there. "
                "Map a marker to it, or choose another method for this centre."
            )
        return np.asarray(self.points[name], dtype=np.float64)

    def mid(self, *patterns: str) -> FloatArray:
        """Mean position (..., 3) [m] of landmarks."""
        return np.asarray(sum(self.point(pattern) for pattern in patterns) / len(patterns))

    def has(self, pattern: str) -> bool:
        """Whether a measure is known. A length of zero is not: gait laboratories store it for what nobody measured."""
        return self._known(self._named(pattern)) is not None

    def measure(self, pattern: str, default: float | None = None) -> float:
        """Value of a measure [m or rad]; a length must be one that a person can have."""
        name = self._named(pattern)
        known = self._known(name)
        value = default if known is None else known
        if value is None:
            raise CentreError(
                f"{self.method} needs the {measure_words(name)}. "
                "Enter it with the subject's measures, or choose another method for this centre."
            )
        number = float("nan") if isinstance(value, str) else float(value)
        if is_angle(name):
            if not isfinite(number) or abs(number) > np.pi:
                raise CentreError(f"The {measure_words(name)} is {value}; an angle in radians is wanted, from −π to π.")
        elif not 0.0 <= number <= _LONGEST:
            raise CentreError(
                f"The {measure_words(name)} is {value}; a length in metres is wanted, from 0 to {_LONGEST:g}."
            )
        return number

    @property
    def is_male(self) -> bool:
        """Sex that the regressions distinguish."""
        sex = self.measures.get("sex")
        if sex not in ("male", "female"):
            wrong = "is not known" if sex is None else f'is "{sex}"'
            raise CentreError(f'{self.method} needs the sex of the subject, "male" or "female"; it {wrong}.')
        return sex == "male"

    @property
    def outward(self) -> float:
        """+1 on the right and −1 on the left, so that outward·Z points away from the midline."""
        return 1.0 if self._sided() == "D" else -1.0

    @property
    def marker_radius(self) -> float:
        """From the centre of a marker to the skin [m]."""
        return self.measure("marker_diameter", MARKER_DIAMETER) / 2.0

    def _known(self, name: str) -> float | str | None:
        value = self.measures.get(name)
        may_be_zero = name == "marker_diameter" or is_angle(name)
        return None if value == 0.0 and not may_be_zero else value

    def _named(self, pattern: str) -> str:
        return pattern.replace("*", self._sided()) if "*" in pattern else pattern

    def _sided(self) -> str:
        if self.side not in _SIDES:
            raise CentreError(f'{self.method} gives a centre on either side: ask for side "D" (right) or "E" (left).')
        return self.side


Formula: TypeAlias = Callable[[Given], FloatArray]


def centre_method(
    name: str,
    centre: str,
    source: str,
    needs: tuple[str, ...],
    formula: Formula,
    title: str,
    measures: tuple[str, ...] = (),
    optional: tuple[str, ...] = (),
    error: tuple[float, float, str] | None = None,
) -> CentreMethod:
    """Return the method that evaluates ``formula``."""
    compute = partial(_evaluate, name, formula)
    return CentreMethod(name, centre, source, needs, measures, compute, title, optional, error)


def middle(name: str, centre: str, source: str, of: tuple[str, ...], title: str) -> CentreMethod:
    """Return the method that takes the middle of some landmarks, or the place of one."""
    return centre_method(name, centre, source, of, partial(_mean, of), title)


def _mean(patterns: tuple[str, ...], given: Given) -> FloatArray:
    return given.mid(*patterns)


def _evaluate(name: str, formula: Formula, points: Points, measures: Measures, side: str | None) -> FloatArray:
    return formula(Given(name, points, measures, side))


def measure_words(measure: str) -> str:
    """Name of a measure for a reader: leg_length_D -> leg length (right)."""
    stem, _, last = measure.rpartition("_")
    words = f"{stem} ({_SIDES[last]})" if last in _SIDES else measure
    return words.replace("_", " ").replace("asis", "ASIS")
