"""A table of body segment inertial parameters as data: rows of segments, numbers of each sex, inertial frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import DescriptionError
from biomec.base.frozen import FrozenDict
from biomec.base.toml_table import did_you_mean
from biomec.body.anatomy.frames import FrameDefinition, parse_direction

SEXES = ("male", "female")
PAIRED = ("upper arm", "forearm", "hand", "thigh", "shank", "foot")
GIRDLE = ("clavicle", "scapula")
TORSO_FROM_IJ = "torso from IJ"  # the torso of a recording without pelvis
ROWS = ("head", "torso", TORSO_FROM_IJ, "thorax", "abdomen", "pelvis", *PAIRED, *GIRDLE)
TORSO_CHOICES = ("auto", "split-2018", "diagonal", "literal")


@dataclass(frozen=True)
class InertiaEntry:
    """Inertia of one segment of one sex, right side.

    mass         : % of the body mass, or kg if ``absolute``
    com          : (3,) from the origin, % of the length
    shape        : (3, 3) tensor at the centre of mass per mass and squared length [-], or kg m² if ``absolute``
    length_mm    : of the reference person, None if unknown
    not_physical : why no mass distribution can have this tensor; empty if one can
    """

    mass: float
    com: FloatArray
    shape: FloatArray
    length_mm: float | None = None
    confidence: str = "high"
    absolute: bool = False
    not_physical: str = ""

    def tensor(self, mass: float, length: float) -> FloatArray:
        """J = m L² (r/100)² ([Dumas2007]), at the centre of mass, in axes of the segment (3, 3) [kg m²].

        The tensor of an absolute entry is in proportion to the mass that the segment takes of it.
        """
        return np.asarray(mass / self.mass * self.shape if self.absolute else mass * length**2 * self.shape)


@dataclass(frozen=True)
class InertiaRow:
    """A row of a table. A star in the name of a landmark stands for the side, D or E.

    origin      : landmark that the centre of mass is counted from
    com_of      : landmarks whose mean is the centre of mass, instead of origin and percentages
    length_from : the length is the distance from the mean of these landmarks …
    length_to   : … to the mean of these; both are empty if the length is the stature
    frames      : the inertial frame; further ones are taken where landmarks are missing
    entries     : "male", "female" -> numbers
    """

    name: str
    origin: str
    com_of: tuple[str, ...]
    length_from: tuple[str, ...]
    length_to: tuple[str, ...]
    frames: tuple[FrameDefinition, ...]
    entries: Mapping[str, InertiaEntry]

    def __post_init__(self) -> None:
        object.__setattr__(self, "entries", FrozenDict(dict(self.entries)))

    def on(self, side: str | None) -> InertiaRow:
        """The row with the landmarks of a side, "D" or "E"; without a side as it is."""
        if side is None:
            return self
        return replace(
            self,
            origin=self.origin.replace("*", side),
            com_of=_names_on(self.com_of, side),
            length_from=_names_on(self.length_from, side),
            length_to=_names_on(self.length_to, side),
            frames=tuple(_frame_on(frame, side) for frame in self.frames),
        )

    @property
    def sided(self) -> bool:
        """Whether it describes a right and a left segment."""
        return "*" in "".join([self.origin, *self.com_of])


@dataclass(frozen=True)
class InertiaTable:
    """A published set of body segment inertial parameters.

    reference_stature_m : sex -> stature of the person whose lengths are `InertiaEntry.length_mm`
    torso               : what the choice "auto" means for its torso
    girdle_taken_off    : whether clavicles and scapulae are already left out of the torso's mass
    """

    name: str
    title: str
    sources: tuple[str, ...]
    rows: Mapping[str, InertiaRow]
    reference_stature_m: Mapping[str, float] = field(default_factory=dict)
    torso: str = "auto"
    girdle_taken_off: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", FrozenDict(dict(self.rows)))
        object.__setattr__(self, "reference_stature_m", FrozenDict(dict(self.reference_stature_m)))

    def __contains__(self, row: str) -> bool:
        return row in self.rows

    def row(self, name: str) -> InertiaRow:
        """Return the row of a segment."""
        if name not in self.rows:
            raise DescriptionError(
                f'The inertia table {self.name} has no row "{name}"{did_you_mean(name, list(self.rows))} '
                f"It has {', '.join(self.rows)}."
            )
        return self.rows[name]

    def entry(self, name: str, sex: str) -> InertiaEntry:
        """Return the numbers of a segment and a sex."""
        row = self.row(name)
        if sex not in row.entries:
            raise DescriptionError(
                f'The inertia table {self.name} has no {sex} numbers for "{name}". Take a table that has them, such '
                f"as dumas-2007."
            )
        return row.entries[sex]

    @property
    def whole(self) -> bool:
        """Whether it has every segment of a body; the shoulder girdle is part of the torso."""
        return {"head", "pelvis", *PAIRED} <= set(self.rows) and set(self._trunk) <= set(self.rows)

    @property
    def _trunk(self) -> tuple[str, ...]:
        return ("torso",) if "torso" in self.rows else ("thorax", "abdomen")

    def total_percent(self, sex: str) -> float:
        """Mass of its segments, both sides, in % of the body mass: 100.2 for the men of [Dumas2007]."""
        once = [name for name in ("head", *self._trunk, "pelvis") if name in self.rows]
        twice = [name for name in PAIRED if name in self.rows]
        return sum(self.entry(name, sex).mass for name in [*once, *twice, *twice])


def physical_fault(J: FloatArray) -> str:
    """Why no mass distribution has the tensor J (3, 3) at its centre of mass; empty if one has.

    J and Π = ½ tr(J) 1 − J must be positive definite: the principal moments are positive, and none reaches the sum of
    the two others. Π is what the mass matrix in natural coordinates is made of.
    """
    principal = np.linalg.eigvalsh(J)
    if not principal[0] > 0.0:
        return "a principal moment of inertia is not positive"
    if not principal[0] + principal[1] > principal[2]:
        return "its largest principal moment of inertia reaches or exceeds the sum of the two others"
    return ""


def _names_on(names: tuple[str, ...], side: str) -> tuple[str, ...]:
    return tuple(name.replace("*", side) for name in names)


def _frame_on(frame: FrameDefinition, side: str) -> FrameDefinition:
    (first, direction_1), (second, direction_2) = (
        (axis, parse_direction(direction.text.replace("*", side))) for axis, direction in frame.axes
    )
    return FrameDefinition(frame.origin.replace("*", side), ((first, direction_1), (second, direction_2)))
