"""The page about validation names tests that exist, and leaves out none of the engine's test files."""

import re

from tests.places import ROOT

PAGE = (ROOT / "docs" / "validation.md").read_text("utf-8")
FOLDER = ROOT / "tests" / "core" / "engine"
NAMED = sorted(set(re.findall(r"`(test_\w+\.py)::(test_\w+)`", PAGE)))
FILES = sorted(set(re.findall(r"`((?:\w+/)*test_\w+\.py)", PAGE)))
ELSEWHERE = sorted(set(re.findall(r"`((?:\w+/)+test_\w+\.py)::(test_\w+)`", PAGE)))  # with their folder in tests/core


def test_every_test_named_exists():
    missing = [
        f"{file}::{name}"
        for folder, named in ((FOLDER, NAMED), (FOLDER.parent, ELSEWHERE))
        for file, name in named
        if f"\ndef {name}(" not in (folder / file).read_text(encoding="utf-8")
    ]
    assert ELSEWHERE
    assert not missing


def test_every_file_named_exists():
    assert [name for name in FILES if not ((FOLDER.parent if "/" in name else FOLDER) / name).is_file()] == []


def test_every_test_file_of_the_engine_is_named():
    assert {file for file, _ in NAMED} == {path.name for path in FOLDER.glob("test_*.py")}
