"""The page about validation names tests that exist, and leaves out none of the engine's test files."""

import re
from pathlib import Path

from tests.places import ROOT

PAGE = (ROOT / "docs" / "validation.md").read_text("utf-8")
FOLDER = ROOT / "tests" / "core" / "engine"
NAMED = sorted(set(re.findall(r"`(test_\w+\.py)::(test_\w+)`", PAGE)))
FILES = sorted(set(re.findall(r"`((?:\w+/)*test_\w+\.py)", PAGE)))
ELSEWHERE = sorted(set(re.findall(r"`((?:\w+/)+test_\w+\.py)::(test_\w+)`", PAGE)))  # with their folder in tests/core


def place(name: str) -> Path:
    """Where a test file is: of the engine, in a folder of tests/core, or in tests/app."""
    if "/" not in name:
        return FOLDER / name
    return ROOT / "tests" / name if name.startswith("app/") else FOLDER.parent / name


def test_every_test_named_exists():
    missing = [
        f"{file}::{name}"
        for file, name in (*NAMED, *ELSEWHERE)
        if f"\ndef {name}(" not in place(file).read_text(encoding="utf-8")
    ]
    assert ELSEWHERE
    assert not missing


def test_every_file_named_exists():
    assert [name for name in FILES if not place(name).is_file()] == []


def test_every_test_file_of_the_engine_is_named():
    assert {file for file, _ in NAMED} == {path.name for path in FOLDER.glob("test_*.py")}
