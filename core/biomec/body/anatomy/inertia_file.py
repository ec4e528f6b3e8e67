"""Tables of body segment inertial parameters, read from TOML files. `docs/inertia-and-ellipsoids.md` describes them."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.description_file import Descriptions
from biomec.base.errors import DescriptionError
from biomec.base.toml_table import TomlTable, did_you_mean, read_toml, shown
from biomec.body.anatomy.frames import FrameDefinition, parse_direction
from biomec.body.anatomy.inertia_table import (
    GIRDLE,
    ROWS,
    SEXES,
    TORSO_CHOICES,
    InertiaEntry,
    InertiaRow,
    InertiaTable,
    physical_fault,
)

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
