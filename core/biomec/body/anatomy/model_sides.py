"""Rows of a model file whose names have a side: a star stands for the right and the left."""

from __future__ import annotations

from collections.abc import Iterable

from biomec.base.toml_table import TomlTable, did_you_mean, shown
from biomec.io.marker_set_file import LANDMARK_SIDES, WORDS
from biomec.recording.marker_set import SIDE, Side


def sides(pattern: str) -> tuple[Side | None, ...]:
    """Sides of a row by its name: both for a star, one for ``right thigh``, none on the midline."""
    if SIDE in pattern:
        return (Side.RIGHT, Side.LEFT)
    return (next((side for side in Side if pattern.startswith(WORDS.write(f"{SIDE} ", side))), None),)


def code(pattern: str, side: Side | None) -> str:
    """Landmark on a side."""
    return LANDMARK_SIDES.write(pattern, side) if side else pattern


def word(pattern: str, side: Side | None) -> str:
    """Name of a segment or joint on a side."""
    return WORDS.write(pattern, side) if side else pattern


def codes(table: TomlTable, key: str, side: Side | None) -> tuple[str, ...]:
    """Landmarks of a list, each on the side of its row; in a row without side a star stands for both."""
    found: list[str] = []
    for pattern in table.texts(key) if key in table else []:
        found += [code(pattern, side)] if side else [code(pattern, one) for one in sides(pattern)]
    return tuple(found)


def known(table: TomlTable, key: str, value: str, names: Iterable[str]) -> str:
    """Return a name that a key gives, if it is among those of the segments."""
    if value not in names:
        raise table.refusal(
            f"{key} names {shown(value)}, which is no segment here{did_you_mean(value, list(names))}", key
        )
    return value
