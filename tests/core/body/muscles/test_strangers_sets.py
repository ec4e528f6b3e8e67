"""Muscle sets from strangers: they reach no other folder, build on no endless chain, and ask for little."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from biomec.base.errors import BiomecError
from biomec.body.muscles.set_file import load_muscle_set, parse_muscle_set
from biomec.body.muscles.source_functions import MOST_KNOTS
from tests.fuzz.targets import MUSCLE_SET
from tests.hostile import HOSTILE

OWN = MUSCLE_SET.decode()
LINEAR = '{ type = "Linear", coefficients = [0.01, -0.1] }'


def include(name: str, times: int = 1) -> str:
    return '[meta]\nmodel = "a"\n' + f"[[include]]\nset = {json.dumps(name)}\n" * times


def test_a_file_builds_on_one_beside_it(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(OWN)
    (tmp_path / "more.toml").write_text(include("own.toml"))
    assert load_muscle_set(str(tmp_path / "more.toml")).names == load_muscle_set(str(tmp_path / "own.toml")).names


@pytest.mark.parametrize("name", ["../own.toml", "/etc/own.toml", "C:own.toml", "\\\\server\\own.toml", "a\nb.toml"])
def test_no_file_of_another_folder_is_read(name: str, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(OWN)
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "more.toml").write_text(include(name))
    with pytest.raises(BiomecError, match="must be a file in the same folder"):
        load_muscle_set(str(tmp_path / "below" / "more.toml"))


def test_a_text_without_a_folder_builds_on_no_file() -> None:
    with pytest.raises(BiomecError, match="must be a file in the same folder"):
        parse_muscle_set(include("own.toml"), "a.toml")


def test_files_that_build_on_each_other_are_refused_before_their_number_explodes(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(include("b.toml", 3))
    (tmp_path / "b.toml").write_text(include("a.toml", 3))
    with pytest.raises(BiomecError, match="includes itself"):
        load_muscle_set(str(tmp_path / "a.toml"))


@pytest.mark.parametrize(
    ("curve", "said"),
    [
        (f'{{ type = "SimmSpline", x = {list(range(MOST_KNOTS + 1))}, y = [1.0] }}', "from 1 to 1000 knots"),
        ('{ type = "SimmSpline", x = ["a", "b"], y = [1.0, 2.0] }', "x must be 2 numbers"),
        ('{ type = "SimmSpline", x = [0.0, 1.0], y = [1.0] }', "y must be 2 numbers"),
        ('{ type = "SimmSpline", x = [0.0, nan], y = [1.0, 1.0] }', "finite"),
        ('{ type = "PiecewiseLinearFunction", x = [1.0, 0.0], y = [1.0, 1.0] }', "must increase"),
        ('{ type = "PiecewiseLinearFunction", x = [0.0, 1e-320], y = [0.0, 1.0] }', "too close"),
        ('{ type = "Multiplier", scale = 1.0, function = { type = "Exec" } }', "is not known"),
    ],
)
def test_curves_that_are_none(curve: str, said: str) -> None:
    with pytest.raises(BiomecError, match=said):
        parse_muscle_set(OWN.replace(LINEAR, curve), "a.toml")


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ('sequence = "ZXY"', 'sequence = "ZZ; drop"', "sequence must be one of"),
        ("[[muscle]]", "[[joint]]\ncoordinates = 3\n[[muscle]]", "coordinates must be a block"),
        ("[[muscle]]", "[[joint]]\ncoordinates = [{ name = 3 }]\n[[muscle]]", "name must be a text"),
    ],
)
def test_other_parts_of_the_wrong_kind(right: str, wrong: str, said: str) -> None:
    with pytest.raises(BiomecError, match=said):
        parse_muscle_set(OWN.replace(right, wrong, 1), "a.toml")


def test_hostile_names_stay_words() -> None:
    """They are read as they are, and only looked up."""
    for name in HOSTILE:
        text = name.replace("\\", "\\\\").replace('"', '\\"')
        text = "".join(one if one.isprintable() else f"\\U{ord(one):08x}" for one in text)
        assert parse_muscle_set(OWN.replace("Two muscles", text), "a.toml").title == name
        with pytest.raises(BiomecError) as caught:
            parse_muscle_set(OWN.replace('object = "ball"', f'object = "{text}"'), "a.toml")
        assert "there is no surface" in str(caught.value)
