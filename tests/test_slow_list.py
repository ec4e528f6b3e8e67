"""The list of slow tests names tests that exist."""

import re

from tests.conftest import FIRST, slow_tests
from tests.places import ROOT


def test_every_slow_test_exists():
    stale = []
    for line in slow_tests():
        file, _, name = line.partition("::")
        text = (ROOT / file).read_text(encoding="utf-8") if (ROOT / file).is_file() else ""
        if not re.search(rf"^\s*def {name}\(", text, re.MULTILINE):
            stale.append(line)
    assert not stale, "rename or remove these lines of tests/slow.txt, or run `make slow`"


def test_the_files_that_workers_begin_with_exist():
    assert [file for file in FIRST if not (ROOT / file).is_file()] == []
