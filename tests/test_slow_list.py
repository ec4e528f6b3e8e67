"""The list of slow tests names tests that exist."""

import re

from tests.conftest import SLOW
from tests.places import ROOT


def test_every_slow_test_exists():
    stale = []
    for line in SLOW.read_text(encoding="utf-8").split():
        file, _, name = line.partition("::")
        text = (ROOT / file).read_text(encoding="utf-8") if (ROOT / file).is_file() else ""
        if not re.search(rf"^\s*def {name}\(", text, re.MULTILINE):
            stale.append(line)
    assert not stale, "rename or remove these lines of tests/slow.txt, or run `make slow`"
