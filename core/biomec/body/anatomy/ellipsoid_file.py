"""Published ellipsoids of the ribcage, read from TOML files. `docs/inertia-and-ellipsoids.md` describes them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, read_only, rotation_about
from biomec.base.description_file import Descriptions
from biomec.base.toml_table import TomlTable, read_toml, shown

FILE_KEYS = (
    "name", "title", "sources", "confidence", "note", "centre", "radii", "turn_about_y_rad", "reference_stature_m",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class EllipsoidPreset:
    """An ellipsoid of the right side in thorax axes (X forward, Y up, Z right), from IJ.

    centre              : (3,) [m]
    radii               : (3,) [m]
    attitude            : (3, 3) columns are its axes
    reference_stature_m : stature that it belongs to; None if it is not scaled
    """

    name: str
    title: str
    sources: tuple[str, ...]
    confidence: str
    note: str
    centre: FloatArray
    radii: FloatArray
    attitude: FloatArray
    reference_stature_m: float | None = None

    def told(self) -> str:
        """Name and sources, for messages."""
        return f"{self.name} ({', '.join(self.sources) or self.title})"


def parse_ellipsoid(text: str, source: str) -> EllipsoidPreset:
    """Ellipsoid described in TOML ``text``; messages call it ``source``. Raises only `DescriptionError`."""
    top = read_toml(text, source, with_lines=True)
    top.only(FILE_KEYS)
    turn = float(top.numbers("turn_about_y_rad", ())) if "turn_about_y_rad" in top else 0.0
    stature = _within(top, "reference_stature_m", (), 3.0) if "reference_stature_m" in top else None
    return EllipsoidPreset(
        name=top.text("name"),
        title=top.text("title"),
        sources=tuple(top.texts("sources")) if "sources" in top else (),
        confidence=top.text("confidence") if "confidence" in top else "medium",
        note=top.text("note") if "note" in top else "",
        centre=read_only(top.numbers("centre", (3,))),
        radii=read_only(_within(top, "radii", (3,), 1.0)),
        attitude=read_only(rotation_about([0.0, 1.0, 0.0], turn)),
        reference_stature_m=None if stature is None else float(stature),
    )


ELLIPSOIDS = Descriptions("ellipsoid", ("ellipsoids",), parse_ellipsoid)
shipped_ellipsoids, load_ellipsoid, read_ellipsoid = ELLIPSOIDS.shipped, ELLIPSOIDS.load, ELLIPSOIDS.read


def _within(top: TomlTable, key: str, shape: tuple[int, ...], limit: float) -> FloatArray:
    numbers = top.numbers(key, shape)
    if not np.all((numbers > 0.0) & (numbers < limit)):
        raise top.refusal(
            f"{key} is {shown(numbers.tolist())}; it must be more than 0 and less than {limit:g} m. Check the unit.",
            key,
        )
    return numbers
