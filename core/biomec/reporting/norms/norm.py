"""A norm: mean and standard deviation of curves and values of people without complaints, and who they were."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Notice
from biomec.base.physics import GRAVITY
from biomec.reporting.clinical_presentation import ANGLE, BY_NAME, clinical_of
from biomec.signals.cycle_average import PERCENT_POINTS

GRID = read_only(np.linspace(0.0, 100.0, PERCENT_POINTS))
LARGEST = 1e4  # no angle [°], moment [N·m/kg], power [W/kg] or force is larger
FEWEST_ROWS = 11


@dataclass(frozen=True, eq=False)
class NormCurve:
    """Band of one curve over the cycle of the same side; arrays are read-only.

    mean, sd       : (101,) at 0, 1, … 100 % of the cycle, in ``unit``; sd between limbs
    limbs, subjects : how many are behind it; None where the source does not say
    """

    name: str
    unit: str
    positive: str
    negative: str
    mean: FloatArray
    sd: FloatArray
    limbs: int | None = None
    subjects: int | None = None

    def __post_init__(self) -> None:
        for what in ("mean", "sd"):
            values = np.asarray(getattr(self, what), dtype=np.float64)
            if values.shape != (PERCENT_POINTS,):
                raise BiomecError(f"{self.name}: the {what} has {values.size} values; a norm has {PERCENT_POINTS}.")
            if not (np.isfinite(values).all() and float(np.abs(values).max()) <= LARGEST):
                raise BiomecError(f"{self.name}: the {what} holds values that are missing or beyond ±{LARGEST:g}.")
            object.__setattr__(self, what, read_only(values))
        if float(self.sd.min()) < 0.0:
            raise BiomecError(f"{self.name}: a standard deviation is negative.")

    def band(self, deviations: float = 1.0) -> tuple[FloatArray, FloatArray]:
        """Lower and upper edge (101,): mean ∓ so many standard deviations."""
        return self.mean - deviations * self.sd, self.mean + deviations * self.sd


def clinical_norm(
    name: str, mean: ArrayLike, sd: ArrayLike, limbs: int | None = None, subjects: int | None = None
) -> NormCurve:
    """Band of a curve of the clinical presentation, from any number of equally spaced values from 0 to 100 %."""
    row = BY_NAME[name]
    return NormCurve(
        name, row.unit, row.positive, row.negative, on_percent(mean, name), on_percent(sd, name), limbs, subjects
    )


def on_percent(values: ArrayLike, name: str = "curve") -> FloatArray:
    """Values (N,) at equal steps from 0 to 100 % brought to 101 points by linear interpolation."""
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or len(x) < FEWEST_ROWS:
        raise BiomecError(f"{name}: {x.size} values do not make a curve; at least {FEWEST_ROWS} are needed.")
    return np.asarray(np.interp(GRID, np.linspace(0.0, 100.0, len(x)), x))


@dataclass(frozen=True)
class NormParameter:
    """A value such as cadence: mean and SD over n people, in ``unit``."""

    name: str
    unit: str
    mean: float
    sd: float
    people: int | None = None


@dataclass(frozen=True)
class NormDiscrete:
    """A value taken from a curve within a window of the cycle [%], such as the peak of knee flexion in swing."""

    name: str
    unit: str
    curve: str
    first_percent: float
    last_percent: float
    taken: str
    mean: float
    sd: float
    limbs: int | None = None


@dataclass(frozen=True)
class SpeedOfAge:
    """Preferred walking speed of people of an age [years], sex "all", "female" or "male".

    speed_m_s, dimensionless : mean and SD; without dimension is v / √(g l), l the length of the leg [Hof1996]
    """

    age_from: float
    age_to: float
    sex: str
    speed_m_s: tuple[float, float]
    dimensionless: tuple[float, float]
    people: int


@dataclass(frozen=True, eq=False)
class LimbCurve:
    """Mean curve (101,) of one limb of a nameless person."""

    subject: str
    side: str
    curve: str
    values: FloatArray


@dataclass(frozen=True)
class NormAbout:
    """Where a set comes from and whom it describes; None where nobody has said it.

    model       : model of the body that gave the curves
    ages        : youngest and oldest [years];  ages_from : what they were taken from, if they were not stated
    speed_m_s, speed_dimensionless : mean and SD of the walking speed
    doubtful    : curve -> why it must not serve as a norm
    """

    title: str
    citation: str = ""
    source: str = ""
    licence: str = ""
    task: str = ""
    model: str = ""
    subjects: int | None = None
    limbs: int | None = None
    ages: tuple[float, float] | None = None
    ages_from: str = ""
    speed_m_s: tuple[float, float] | None = None
    speed_dimensionless: tuple[float, float] | None = None
    notes: tuple[str, ...] = ()
    doubtful: Mapping[str, str] = field(default_factory=FrozenDict, hash=False)

    @property
    def people(self) -> str:
        """How many, how old and how fast, in words for a footer or a list."""
        parts = []
        if self.subjects is not None:
            parts.append(f"n = {self.subjects}")
        if self.ages is not None:
            parts.append(f"{self.ages[0]:g} to {self.ages[1]:g} years{' (assumed)' if self.ages_from else ''}")
        if self.speed_m_s is not None:
            parts.append(f"{self.speed_m_s[0]:.2f} ± {self.speed_m_s[1]:.2f} m/s")
        return ", ".join(parts) or "people not described"


@dataclass(frozen=True, eq=False)
class NormSet:
    """A set of norms; `name` is that of its folder."""

    name: str
    about: NormAbout
    curves: Mapping[str, NormCurve] = field(default_factory=FrozenDict)
    parameters: tuple[NormParameter, ...] = ()
    discrete: tuple[NormDiscrete, ...] = ()
    speeds: tuple[SpeedOfAge, ...] = ()
    limbs: tuple[LimbCurve, ...] = ()
    notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "curves", FrozenDict(self.curves))

    def band(self, curve: str) -> NormCurve | None:
        """Return the band to draw behind a curve; None where the set has none, or one that must not be used."""
        return None if curve in self.about.doubtful else self.curves.get(curve)


def own_band(norm: NormSet, joint: str, positive: str, negative: str) -> tuple[FloatArray, FloatArray] | None:
    """Mean and SD (101,) [°] of a norm in the sign of one of Biomec's own angles; None where there is no such norm.

    joint : without its side, such as "hip". Pelvis and feet, whose own angles count from the laboratory, have none.
    """
    clinical = clinical_of(ANGLE, joint, positive, negative)
    band = None if clinical is None else norm.band(clinical[0])
    return None if clinical is None or band is None else (clinical[1] * band.mean, band.sd)


def dimensionless_speed(speed_m_s: float, leg_length_m: float) -> float:
    """Speed without dimension, v / √(g l) [Hof1996]."""
    if not (leg_length_m > 0.0 and np.isfinite(speed_m_s)):
        raise BiomecError(f"A speed of {speed_m_s:g} m/s and a leg of {leg_length_m:g} m have no common measure.")
    return float(speed_m_s / np.sqrt(GRAVITY * leg_length_m))
