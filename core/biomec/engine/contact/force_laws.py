"""Contact force laws: how hard two bodies push while they overlap by δ, which grows at the rate δ̇.

    F = K δⁿ (1 + f(c_r) δ̇/δ̇⁻) ≥ 0        δ̇⁻ : rate at the onset of this contact

f = 0 is Hertz's elastic contact; the others lose energy according to the restitution coefficient c_r. The seven forms
of f are collected in [Machado2012]. Two laws have another shape: Kelvin-Voigt, F = K δ + D δ̇, and the penalty law of
engineering programs, F = K δⁿ + STEP(δ; 0, 0, d_max, c_max) δ̇ [Markus2015].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray
from biomec.base.errors import DescriptionError
from biomec.base.toml_table import did_you_mean

SLOWEST_ONSET = 1e-5  # [m/s] a contact that begins slower counts as this fast: f/δ̇⁻ would grow without bound

HYSTERESIS: dict[str, Callable[[float], float]] = {
    "hertz": lambda cr: 0.0,
    "hunt-crossley": lambda cr: 3.0 * (1.0 - cr) / 2.0,
    "herbert-mcwhannell": lambda cr: 6.0 * (1.0 - cr) / ((2.0 * cr - 1.0) ** 2 + 3.0),
    "lee-wang": lambda cr: 3.0 * (1.0 - cr) / 4.0,
    "lankarani-nikravesh": lambda cr: 3.0 * (1.0 - cr**2) / 4.0,
    "gonthier": lambda cr: (1.0 - cr**2) / cr,
    "zhiying-qishao": lambda cr: 3.0 * (1.0 - cr**2) * exp(2.0 * (1.0 - cr)) / 4.0,
    "flores": lambda cr: 8.0 * (1.0 - cr) / (5.0 * cr),
}
"""f(c_r) of each law. Gonthier's is the approximation that [Machado2012] prints."""

LAWS = (*HYSTERESIS, "kelvin-voigt", "step")
"""Names of all laws."""

DIVIDES_BY_RESTITUTION = ("gonthier", "flores")


@dataclass(frozen=True)
class ContactLaw:
    """A law with its numbers.

    name        : one of `LAWS`
    stiffness   : K [N/mⁿ];  exponent : n (not used by Kelvin-Voigt, which is linear)
    restitution : c_r, 0 to 1; not used by ``hertz``, ``kelvin-voigt`` and ``step``
    damping     : D of Kelvin-Voigt, c_max of ``step`` [N·s/m]
    full_depth  : d_max of ``step`` [m], the depth from which all of c_max acts
    """

    name: str
    stiffness: float
    exponent: float = 1.5
    restitution: float = 0.5
    damping: float = 0.0
    full_depth: float = 1e-4

    def __post_init__(self) -> None:
        if self.name not in LAWS:
            raise DescriptionError(
                f"There is no contact law {self.name}{did_you_mean(self.name, LAWS)} The laws are {', '.join(LAWS)}."
            )
        if not self.stiffness > 0.0 or not self.exponent >= 1.0:
            raise DescriptionError("A contact needs a stiffness above 0 and an exponent of 1 or more.")
        if not 0.0 <= self.restitution <= 1.0:
            raise DescriptionError(f"A restitution of {self.restitution:g} is impossible: it is between 0 and 1.")
        if self.name in DIVIDES_BY_RESTITUTION and self.restitution == 0.0:
            raise DescriptionError(
                f"The law {self.name} has no value for a restitution of 0. Give a little, or take another law."
            )
        if self.damping < 0.0 or not self.full_depth > 0.0:
            raise DescriptionError("The damping of a contact is not negative, and its depth of full damping above 0.")

    @property
    def hysteresis(self) -> float:
        """f(c_r); 0 for laws of another shape."""
        return HYSTERESIS[self.name](self.restitution) if self.name in HYSTERESIS else 0.0

    def unclamped(self, depth: ArrayLike, rate: ArrayLike, onset_rate: float) -> FloatArray:
        """The formula of the law, which may also pull, for δ ≥ 0 and δ̇ of equal shapes [m, m/s] -> [N]."""
        d, v = np.asarray(depth, dtype=np.float64), np.asarray(rate, dtype=np.float64)
        if self.name == "kelvin-voigt":
            return np.asarray(self.stiffness * d + self.damping * v)
        elastic = self.stiffness * d**self.exponent
        if self.name == "step":
            return np.asarray(elastic + step(d, 0.0, 0.0, self.full_depth, self.damping) * v)
        return np.asarray(elastic * (1.0 + self.hysteresis * v / max(onset_rate, SLOWEST_ONSET)))

    def force(self, depth: ArrayLike, rate: ArrayLike, onset_rate: float) -> FloatArray:
        """Force that pushes the bodies apart: the formula where they overlap (δ > 0) and it pushes, elsewhere 0.

        depth, rate : δ (...) [m] and δ̇ (...) [m/s]
        onset_rate  : δ̇⁻ [m/s] of the present contact
        """
        d = np.asarray(depth, dtype=np.float64)
        inside = d > 0.0
        return np.where(inside, np.maximum(self.unclamped(np.where(inside, d, 0.0), rate, onset_rate), 0.0), 0.0)

    def stored(self, depth: ArrayLike) -> FloatArray:
        """Elastic energy [J] at depth δ (...): K δⁿ⁺¹/(n + 1)."""
        n = 1.0 if self.name == "kelvin-voigt" else self.exponent
        return np.asarray(
            self.stiffness * np.maximum(np.asarray(depth, dtype=np.float64), 0.0) ** (n + 1.0) / (n + 1.0)
        )


def step(x: ArrayLike, x1: float, y1: float, x2: float, y2: float) -> FloatArray:
    """y1 below x1, y2 above x2, between them the cubic y1 + (y2 − y1) z² (3 − 2z), z = (x − x1)/(x2 − x1)."""
    z = np.clip((np.asarray(x, dtype=np.float64) - x1) / (x2 - x1), 0.0, 1.0)
    return np.asarray(y1 + (y2 - y1) * z**2 * (3.0 - 2.0 * z))
