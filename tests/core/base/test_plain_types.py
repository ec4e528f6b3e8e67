"""Objects made again from plain data by the types of their fields."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

import pytest

from biomec.base.plain_types import REFUSED, UNKNOWN, UnfitError, made_from, parsed_json, restored


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Part:
    name: str
    size: float = 1.0


@dataclass(frozen=True)
class Whole:
    count: int = 0
    parts: tuple[Part, ...] = ()
    born: date | None = None
    colour: Colour = Colour.RED
    sizes: Mapping[str, float] | None = None
    frames: tuple[int, int] | None = None
    right: bool = False


GIVEN = {
    "count": 3,
    "parts": [["a", 2], {"name": "b"}],
    "born": "2001-02-03",
    "colour": "red",
    "sizes": {"x": 1},
    "frames": [1, 2],
    "right": True,
    "of a later version": 1,
}
WANTED = Whole(3, (Part("a", 2.0), Part("b")), date(2001, 2, 3), Colour.RED, {"x": 1.0}, (1, 2), True)


def test_tables_lists_days_and_enumerations_become_what_the_fields_state():
    made = made_from(Whole, GIVEN)
    assert made == WANTED
    assert isinstance(made.parts[0].size, float)


BAD = [
    ("count", 1.0, "whole number"),
    ("count", True, "whole number"),
    ("count", None, "whole number"),
    ("count", 2**63, "too large"),
    ("parts", "ab", "not a list"),
    ("parts", [{}], "name is missing"),
    ("parts", [["a", float("nan")]], "finite"),
    ("parts", [["a", 1.0, 2.0]], "at most 2"),
    ("parts", [["a", 10**400]], "too large"),
    ("born", 5, "text"),
    ("born", "2026-13-45", "month"),
    ("colour", "blue", "blue"),
    ("sizes", {"x": float("inf")}, "finite"),
    ("sizes", [1.0], "not a table"),
    ("frames", [1], "2 are needed"),
    ("right", 1, "truth value"),
]


@pytest.mark.parametrize(("name", "value", "words"), BAD)
def test_what_does_not_fit_is_refused_with_its_place(name, value, words):
    with pytest.raises(UnfitError, match=rf"stored: {name}: .*{words}"):
        made_from(Whole, {**GIVEN, name: value}, "stored")


@pytest.mark.parametrize(("name", "value", "words"), [bad for bad in BAD if bad[0] != "parts"])
def test_settings_take_the_default_and_tell(name, value, words):
    made, notices = restored(Whole, {name: value})
    assert made == Whole()
    assert [notice.code for notice in notices] == [REFUSED]
    assert words in notices[0].sentence


def test_settings_tell_names_of_another_version():
    made, notices = restored(Whole, {"count": 2, "more": 1})
    assert (made.count, [notice.code for notice in notices]) == (2, [UNKNOWN])


def test_a_value_without_end_is_quoted_short():
    _, notices = restored(Whole, {"count": ["x" * 100] * 100_000})
    assert len(notices[0].sentence) < 500


@pytest.mark.parametrize("text", ["[" * 100_000, "[" * 70 + "]" * 70, '{"a":' * 70 + "1" + "}" * 70])
def test_json_that_is_nested_without_end_is_no_json(text):
    with pytest.raises(ValueError):
        parsed_json(text)


@pytest.mark.parametrize("content", [None, 1, "x", [], {"a": [1, {"b": [2]}]}])
def test_json_is_parsed(content):
    assert parsed_json(json.dumps(content)) == content
