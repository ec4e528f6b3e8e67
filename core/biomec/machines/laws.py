"""Laws: what a driver or the torque of a motor does over time. Values in rad, m or N·m, with exact derivatives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import DescriptionError
from biomec.base.toml_table import TomlTable, shown


class Law(Protocol):
    """A driver's value over time."""

    def value(self, t: ArrayLike) -> FloatArray:
        """Value [rad or m] at times t (...) [s]."""

    def rate(self, t: ArrayLike) -> FloatArray:
        """First derivative by time."""

    def acceleration(self, t: ArrayLike) -> FloatArray:
        """Second derivative by time."""


@dataclass(frozen=True)
class Polynomial:
    """c₀ + c₁ t + c₂ t² + …, coefficients in rising order [rad, rad/s …]."""

    coefficients: tuple[float, ...]

    def value(self, t: ArrayLike) -> FloatArray:
        """The polynomial."""
        return self._derivative(t, 0)

    def rate(self, t: ArrayLike) -> FloatArray:
        """Its first derivative."""
        return self._derivative(t, 1)

    def acceleration(self, t: ArrayLike) -> FloatArray:
        """Its second derivative."""
        return self._derivative(t, 2)

    def _derivative(self, t: ArrayLike, order: int) -> FloatArray:
        time = np.asarray(t, dtype=np.float64)
        value = np.zeros_like(time)
        for c in reversed(_derived(self.coefficients, order)):
            value = value * time + c
        return np.asarray(value)


@lru_cache(maxsize=256)
def _derived(coefficients: tuple[float, ...], order: int) -> tuple[float, ...]:
    """Coefficients of a derivative of a polynomial, in rising order."""
    for _ in range(order):
        coefficients = tuple(k * c for k, c in enumerate(coefficients))[1:]
    return coefficients


@dataclass(frozen=True)
class Sine:
    """mean + amplitude sin(2π frequency t + phase)."""

    mean: float
    amplitude: float
    frequency_Hz: float
    phase: float = 0.0

    def value(self, t: ArrayLike) -> FloatArray:
        """The sine."""
        return np.asarray(self.mean + self.amplitude * np.sin(self._argument(t)))

    def rate(self, t: ArrayLike) -> FloatArray:
        """Its first derivative."""
        return np.asarray(self.amplitude * self._pulsation * np.cos(self._argument(t)))

    def acceleration(self, t: ArrayLike) -> FloatArray:
        """Its second derivative."""
        return np.asarray(-self.amplitude * self._pulsation**2 * np.sin(self._argument(t)))

    @property
    def _pulsation(self) -> float:
        return 2.0 * np.pi * self.frequency_Hz

    def _argument(self, t: ArrayLike) -> FloatArray:
        return np.asarray(self._pulsation * np.asarray(t, dtype=np.float64) + self.phase)


@dataclass(frozen=True, eq=False)
class Tabled:
    """Values at times [s] and what lies between: a cubic spline, or straight lines; constant outside the table.

    Straight lines have no second derivative and are for torques, which need none.
    """

    time_s: FloatArray
    values: FloatArray
    straight: bool = False

    def __post_init__(self) -> None:
        t, x = (np.asarray(one, dtype=np.float64) for one in (self.time_s, self.values))
        if t.ndim != 1 or t.shape != x.shape or len(t) < 2 or not (np.diff(t) > 0.0).all():
            raise DescriptionError("a table needs two or more times that increase, and as many values.")
        if not (np.isfinite(t).all() and np.isfinite(x).all()):
            raise DescriptionError("a table has values that are not numbers.")

    def value(self, t: ArrayLike) -> FloatArray:
        """The value between its neighbours in the table."""
        if self.straight:
            return np.asarray(np.interp(np.asarray(t, dtype=np.float64), self.time_s, self.values))
        return self._spline(t, 0)

    def rate(self, t: ArrayLike) -> FloatArray:
        """Its first derivative, zero outside the table."""
        return self._spline(t, 1)

    def acceleration(self, t: ArrayLike) -> FloatArray:
        """Its second derivative, zero outside the table."""
        return self._spline(t, 2)

    @cached_property
    def _curve(self) -> Any:
        from scipy.interpolate import CubicSpline, make_interp_spline  # slow to import

        return (
            make_interp_spline(self.time_s, self.values, k=1)
            if self.straight
            else CubicSpline(self.time_s, self.values)
        )

    def _spline(self, t: ArrayLike, order: int) -> FloatArray:
        time = np.asarray(t, dtype=np.float64)
        inside = np.clip(time, self.time_s[0], self.time_s[-1])
        value = self._curve(inside, order)
        return np.asarray(value if not order else np.where(inside == time, value, 0.0))


def fitted(time_s: Sequence[float], value: Sequence[float], degree: int = 4) -> Polynomial:
    """Least-squares polynomial through samples [rad or m], as gait laboratories smooth a prescribed angle."""
    t, x = np.asarray(time_s, dtype=np.float64), np.asarray(value, dtype=np.float64)
    if t.shape != x.shape or t.ndim != 1 or len(t) <= degree or not (np.isfinite(t).all() and np.isfinite(x).all()):
        raise DescriptionError(
            f"a polynomial of degree {degree} needs more than {degree} samples, as many times as values."
        )
    return Polynomial(tuple(np.polynomial.Polynomial.fit(t, x, degree).convert().coef))


@dataclass(frozen=True)
class Quantity:
    """What a law gives, in words, and its units with what each is in rad, m or N·m; the first need not be written."""

    words: str
    units: Mapping[str, float]


ANGLE = Quantity("its driver is an angle", {"deg": np.pi / 180.0, "rad": 1.0})
LENGTH = Quantity("its driver is a length", {"m": 1.0})
TORQUE = Quantity("its motor gives a torque", {"N·m": 1.0, "N m": 1.0, "Nm": 1.0})


def law_in(table: TomlTable, quantity: Quantity) -> Law:
    """Law described by a table of a machine file (``docs/machine-files.md``)."""
    kind = table.text("type")
    if kind not in _READERS:
        raise table.refusal(f"there is no law of type {kind}. The types are {', '.join(_READERS)}.")
    keys, make = _READERS[kind]
    table.only(("motor" if quantity is TORQUE else "driver", "type", "kept", "unit", *keys))
    unit = table.text("unit") if "unit" in table else next(iter(quantity.units))
    if unit not in quantity.units:
        allowed = " or ".join(f'"{one}"' for one in quantity.units)
        raise table.refusal(f"{quantity.words}, so unit must be {allowed}, not {shown(unit)}.", "unit")
    law = make(table, quantity.units[unit])
    if isinstance(law, Tabled) and law.straight and quantity is not TORQUE:
        raise table.refusal(
            'straight lines have no acceleration, which a driver needs. Write interpolation = "spline".',
            "interpolation",
        )
    return law


def _number(table: TomlTable, key: str, default: float | None = None) -> float:
    return float(table.numbers(key, ())) if key in table or default is None else default


def _list(table: TomlTable, key: str) -> FloatArray:
    value = table.values.get(key)
    return table.numbers(key, (len(value) if isinstance(value, list) else 1,))


def _constant_rate(table: TomlTable, unit: float) -> Law:
    return Polynomial((unit * _number(table, "start"), unit * _number(table, "rate")))


def _polynomial(table: TomlTable, unit: float) -> Law:
    coefficients = unit * _list(table, "coefficients")
    if not len(coefficients):
        raise table.refusal("coefficients must hold at least one number.", "coefficients")
    coefficients[0] += unit * _number(table, "offset", 0.0)
    return Polynomial(tuple(coefficients))


def _sine(table: TomlTable, unit: float) -> Law:
    return Sine(
        unit * _number(table, "mean", 0.0),
        unit * _number(table, "amplitude"),
        _number(table, "frequency_Hz"),
        np.deg2rad(_number(table, "phase_deg", 0.0)),
    )


def _samples(table: TomlTable, unit: float) -> Law:
    time_s, values = _list(table, "time_s").tolist(), (unit * _list(table, "values")).tolist()
    degree = _number(table, "degree", 4.0)
    if degree < 0.0 or degree != int(degree):
        raise table.refusal(f"degree must be a whole number from 0 on, not {degree:g}.", "degree")
    try:
        return fitted(time_s, values, int(degree))
    except DescriptionError as error:
        raise table.refusal(str(error)) from error


def _constant(table: TomlTable, unit: float) -> Law:
    return Polynomial((unit * _number(table, "value"),))


def _table(table: TomlTable, unit: float) -> Law:
    between = table.text("interpolation") if "interpolation" in table else INTERPOLATIONS[0]
    return tabled(table, _list(table, "time_s"), unit * _list(table, "values"), between)


def tabled(table: TomlTable, time_s: FloatArray, values: FloatArray, interpolation: str) -> Tabled:
    """Law of a table of values, whose faults are reported as those of ``table``."""
    if interpolation not in INTERPOLATIONS:
        raise table.refusal(f"interpolation must be {' or '.join(INTERPOLATIONS)}.", "interpolation")
    try:
        return Tabled(read_only(time_s), read_only(values), interpolation == "linear")
    except DescriptionError as error:
        raise table.refusal(str(error)) from error


INTERPOLATIONS = ("spline", "linear")

_READERS: dict[str, tuple[tuple[str, ...], Callable[[TomlTable, float], Law]]] = {
    "constant": (("value",), _constant),
    "constant rate": (("start", "rate"), _constant_rate),
    "polynomial": (("coefficients", "offset"), _polynomial),
    "sine": (("mean", "amplitude", "frequency_Hz", "phase_deg"), _sine),
    "samples": (("time_s", "values", "degree"), _samples),
    "table": (("time_s", "values", "interpolation"), _table),
}
