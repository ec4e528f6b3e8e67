"""Tables of body segment inertial parameters: rows of segments, numbers of each sex, inertial frames.

They are read from TOML files, which `docs/inertia-and-ellipsoids.md` describes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.description_file import Descriptions
from biomec.base.errors import DescriptionError
from biomec.base.frozen import FrozenDict
from biomec.base.toml_table import TomlTable, did_you_mean, read_toml, shown
from biomec.body.anatomy.frames import FrameDefinition, parse_direction

SEXES = ("male", "female")
PAIRED = ("upper arm", "forearm", "hand", "thigh", "shank", "foot")
GIRDLE = ("clavicle", "scapula")
PART_OF = {"neck": "head", "toes": "foot"}  # rows whose mass other rows include: taken off these where a model has both
TORSO_FROM_IJ = "torso from IJ"  # the torso of a recording without pelvis
UPPER_BODY = "head, arms and trunk"  # all above the lumbar joint as one rigid part
ROWS = ("head", "torso", TORSO_FROM_IJ, UPPER_BODY, "thorax", "abdomen", "pelvis", *PAIRED, *GIRDLE, *PART_OF)
SIDED = (*PAIRED, *GIRDLE, "toes")
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


# ---------------------------------------------------------------------------------------------------------------- files


CONFIDENCES = ("high", "medium", "low")
STATURE = "stature"  # a length that is the person's stature
FILE_KEYS = ("name", "title", "sources", "reference_stature_m", "torso", "girdle_taken_off", "segment")
ROW_KEYS = ("name", "origin", "com_of", "length", "frame", *SEXES)
ENTRY_KEYS = ("mass", "mass_kg", "com", "gyration", "tensor", "length_mm", "confidence", "not_physical")
_ELEMENTS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
_RADIUS = re.compile(r"\s*(\d+(?:\.\d+)?)\s*i\s*")


def parse_inertia_table(text: str, source: str) -> InertiaTable:
    """Table described in TOML ``text``; messages call it ``source``. Raises only `DescriptionError`."""
    top = read_toml(text, source, with_lines=True)
    top.only(FILE_KEYS)
    tables = top.tables("segment")
    if not tables:
        raise top.refusal("it describes no segment. Add blocks that start with [[segment]].")
    rows: dict[str, InertiaRow] = {}
    for table in tables:
        row = _row(table)
        if row.name in rows:
            raise table.refusal("this segment is described twice. Keep one of the blocks.", "name")
        rows[row.name] = row
    torso = top.text("torso") if "torso" in top else "auto"
    if torso not in TORSO_CHOICES:
        raise top.refusal(f"torso is {shown(torso)}; it can be {', '.join(TORSO_CHOICES)}.", "torso")
    taken_off = top.values.get("girdle_taken_off", False)
    if not isinstance(taken_off, bool):
        raise top.refusal("girdle_taken_off must be true or false.", "girdle_taken_off")
    stature = top.table("reference_stature_m")
    stature.only(SEXES)
    return InertiaTable(
        name=top.text("name"),
        title=top.text("title"),
        sources=tuple(top.texts("sources")) if "sources" in top else (),
        rows=rows,
        reference_stature_m={sex: _positive(stature, sex) for sex in SEXES if sex in stature},
        torso=torso,
        girdle_taken_off=taken_off,
    )


TABLES = Descriptions("inertia table", ("inertia",), parse_inertia_table)
shipped_inertia_tables, load_inertia_table, read_inertia_table = TABLES.shipped, TABLES.load, TABLES.read
GIRDLES = Descriptions("inertia of the shoulder girdle", ("inertia", "girdle"), parse_inertia_table)
shipped_girdles, load_girdle = GIRDLES.shipped, GIRDLES.load


def _row(table: TomlTable) -> InertiaRow:
    table.only(ROW_KEYS)
    name = table.text("name")
    if name not in ROWS:
        raise table.refusal(f"there is no such segment{did_you_mean(name, ROWS)} There are {', '.join(ROWS)}.", "name")
    if ("origin" in table) == ("com_of" in table):
        raise table.refusal(
            'give either origin = "…", the landmark that com is counted from, or com_of = ["…", "…"], the landmarks '
            "whose middle is the centre of mass."
        )
    com_of = tuple(table.texts("com_of")) if "com_of" in table else ()
    origin = table.text("origin") if "origin" in table else ""
    length_from, length_to = _length(table)
    entries = {sex: _entry(table, sex, bool(com_of)) for sex in SEXES if sex in table}
    if not entries:
        raise table.refusal("it has no numbers. Add male = { mass = … } or female = { mass = … }, or both.")
    frames = _frames(table, origin or com_of[0])
    return InertiaRow(name, origin, com_of, length_from, length_to, frames, entries)


def _length(table: TomlTable) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if table.values.get("length") == STATURE:
        return (), ()
    length = table.table("length")
    length.only(("from", "to"))
    ends = tuple(length.texts("from")), tuple(length.texts("to"))
    if not all(ends):
        raise table.refusal('length needs landmarks, such as { from = ["CAC"], to = ["VC"] }, or "stature".', "length")
    return ends


def _frames(table: TomlTable, origin: str) -> tuple[FrameDefinition, ...]:
    found = []
    for inner in table.tables("frame"):
        if len(inner.values) != 2:
            raise table.refusal(
                'a frame has two axes in the order in which they are built, such as { y = "GU_* - PME_*", '
                'x = "s y x (EL_* - EM_*)" }.',
                "frame",
            )
        try:
            (first, direction_1), (second, direction_2) = ((key, inner.text(key)) for key in inner.values)
            axes = ((first, parse_direction(direction_1)), (second, parse_direction(direction_2)))
            found.append(FrameDefinition(origin, axes))
        except DescriptionError as error:
            raise table.refusal(f"frame: {error}", "frame") from error
    if not found:
        raise table.refusal('it has no frame. Add frame = [{ y = "A - B", x = "C - D" }].')
    return tuple(found)


def _entry(table: TomlTable, sex: str, com_of: bool) -> InertiaEntry:
    values = table.table(sex)
    if values.lines is not None:  # numbers of both sexes have the same keys: look in the line of this one
        line = values.lines.of(sex)
        values = replace(values, lines=replace(values.lines, first=line))
    values.only(ENTRY_KEYS)
    absolute = "mass_kg" in values
    if absolute and table.text("name") not in GIRDLE:
        raise values.refusal(f"{sex}.mass_kg is for {' and '.join(GIRDLE)} only; give mass, in %.", "mass_kg")
    if absolute == ("mass" in values):
        raise values.refusal(f"{sex} needs either mass, in % of the body mass, or mass_kg.", sex)
    confidence = values.text("confidence") if "confidence" in values else "medium"
    if confidence not in CONFIDENCES:
        raise values.refusal(f"{sex}.confidence can be {', '.join(CONFIDENCES)}.", "confidence")
    key = "tensor" if absolute else "gyration"
    six = values.numbers(key, (6,)) if absolute else _squares(values)
    shape = np.zeros((3, 3))
    for (j, k), number in zip(_ELEMENTS, six, strict=True):
        shape[j, k] = shape[k, j] = number
    fault, known = physical_fault(shape), values.text("not_physical") if "not_physical" in values else ""
    if fault and not known:
        raise values.refusal(
            f"the {sex} tensor of this segment is impossible: {fault}. Check the numbers and their order "
            f'(xx, yy, zz, xy, xz, yz; imaginary radii as "7i").',
            key,
        )
    return InertiaEntry(
        mass=_positive(values, "mass_kg" if absolute else "mass"),
        com=read_only(np.zeros(3) if com_of else values.numbers("com", (3,))),
        shape=read_only(shape),
        length_mm=_positive(values, "length_mm") if "length_mm" in values else None,
        confidence=confidence,
        absolute=absolute,
        not_physical=known if fault else "",
    )


def _squares(values: TomlTable) -> FloatArray:
    """(r/100)² of the six radii of gyration; negative for an imaginary radius such as "7i"."""
    radii = values.values.get("gyration")
    if not (isinstance(radii, list) and len(radii) == 6):
        raise values.refusal(
            f"{values.prefix}gyration must be six radii in % of the length (xx, yy, zz, xy, xz, yz), such as "
            f'[28, 21, 30, "7i", "2i", 3], not {shown(radii)}.',
            "gyration",
        )
    return np.array([(_radius(values, radius) ** 2).real / 1e4 for radius in radii])


def _radius(values: TomlTable, radius: object) -> complex:
    match = _RADIUS.fullmatch(radius) if isinstance(radius, str) else None
    if match:
        return complex(0.0, float(match[1]))
    number = radius if isinstance(radius, (int, float)) and not isinstance(radius, bool) else -1
    if not 0.0 <= number <= 1000.0:
        raise values.refusal(
            f"{values.prefix}gyration holds {shown(radius)}. A radius is a number of % between 0 and 1000, "
            f'or an imaginary one in quotes such as "7i", which makes the product of inertia negative.',
            "gyration",
        )
    return complex(number)


def _positive(values: TomlTable, key: str) -> float:
    number = float(values.numbers(key, ()))
    if not number > 0.0:
        raise values.refusal(f"{values.prefix}{key} must be more than 0, not {shown(number)}.", key)
    return number
