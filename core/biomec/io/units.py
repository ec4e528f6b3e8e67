"""Units that laboratory files use, and what one SI unit is in them."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.notices import Notice, warning

PER_METRE = {"m": 1.0, "dm": 10.0, "cm": 100.0, "mm": 1000.0, "um": 1e6, "in": 1.0 / 0.0254, "ft": 1.0 / 0.3048}
PER_VOLT = {"v": 1.0, "mv": 1e3, "uv": 1e6, "nv": 1e9}
_LONG_NAMES = {
    "metre": "m", "metres": "m", "meter": "m", "meters": "m", "metro": "m", "metros": "m",
    "millimetre": "mm", "millimetres": "mm", "millimeter": "mm", "millimeters": "mm",
    "centimetre": "cm", "centimetres": "cm", "centimeter": "cm", "centimeters": "cm",
    "inch": "in", "inches": "in", '"': "in", "foot": "ft", "feet": "ft", "'": "ft",
    "volt": "v", "volts": "v", "millivolt": "mv", "millivolts": "mv", "microvolt": "uv", "microvolts": "uv",
}  # fmt: skip
LARGEST_LABORATORY_M = 50.0  # a marker further than this from the origin is in another unit


def plain_unit(unit: str) -> str:
    """The unit in lower case, without brackets, with u for micro; long names made short."""
    word = unit.strip().strip("[]()").strip().lower().replace("µ", "u").replace("μ", "u")
    return _LONG_NAMES.get(word, word)


def metres(values: FloatArray, unit: str) -> tuple[FloatArray, tuple[Notice, ...]]:
    """Lengths in metres from lengths in a unit; an unknown or missing unit is judged by the size of the values."""
    some = values[:: max(1, len(values) // 500)]  # enough frames to know how large a coordinate is
    some = np.abs(some[np.isfinite(some)])
    typical = float(np.median(some)) if some.size else 0.0
    per_metre = PER_METRE.get(plain_unit(unit))
    if per_metre is None:
        guess = "mm" if typical > LARGEST_LABORATORY_M / 10.0 else "m"
        said = f"the unit {unit!r}, which is not a length" if unit.strip() else "no unit"
        note = warning(
            "unit-assumed",
            f"The file gives {said}; {guess} was assumed because the typical coordinate is {typical:.3g}. Check it.",
        )
        return values / PER_METRE[guess], (note,)
    notices: tuple[Notice, ...] = ()
    if typical / per_metre > LARGEST_LABORATORY_M:
        notices = (
            warning(
                "unit-doubtful",
                f"The file says that lengths are in {unit.strip()}, which puts the typical coordinate at "
                f"{typical / per_metre:.3g} m; the unit is probably wrong.",
            ),
        )
    return (values if per_metre == 1.0 else values / per_metre), notices
