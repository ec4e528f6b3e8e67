"""Every example runs from an empty folder, without a screen, and leaves the picture that it names."""

import re
import runpy
from pathlib import Path

import pytest

from tests.places import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def run(example: Path, folder: Path, monkeypatch, capsys) -> str:
    monkeypatch.chdir(folder)
    runpy.run_path(str(example), run_name="__main__")
    return capsys.readouterr().out


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_and_draws(example, tmp_path, monkeypatch, capsys):
    assert run(example, tmp_path, monkeypatch, capsys).strip()
    picture = tmp_path / f"{example.stem}.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert [item.name for item in tmp_path.iterdir()] == [picture.name]
    assert picture.name in example.read_text("utf-8").partition('"""\n')[0]  # its opening lines say what it writes


@pytest.mark.parametrize("name", ["03_swinging_rod", "04_spring_at_rest"])
def test_example_finds_its_closed_form(name, tmp_path, monkeypatch, capsys):
    """The first line shows result and closed form with eight decimals; they are the same digits."""
    (example,) = [path for path in EXAMPLES if path.stem == name]
    first = run(example, tmp_path, monkeypatch, capsys).splitlines()[0]
    found, expected = re.findall(r"-?\d+\.\d{8}", first)
    assert float(found) == pytest.approx(float(expected), abs=2e-8)  # two roundings to the eighth decimal


def test_examples_are_numbered():
    assert [int(path.stem[:2]) for path in EXAMPLES] == list(range(1, len(EXAMPLES) + 1))
