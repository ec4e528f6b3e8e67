"""Modules, classes and functions that the pages name with their full path exist."""

import re
from pydoc import locate

import pytest

from tests.places import ROOT

PAGES = [*(page for page in ROOT.glob("*.md") if page.name != "CHANGELOG.md"), *(ROOT / "docs").glob("**/*.md")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_names_of_a_page_resolve(page):
    pytest.importorskip("PySide6", reason="the desktop part is not installed")
    named = set(re.findall(r"\b(biomec(?:_app|_resources)?(?:\.\w+)+)", page.read_text("utf-8")))
    assert [name for name in sorted(named) if locate(name) is None] == []
