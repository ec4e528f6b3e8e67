"""Every Python block of the documentation runs, and prints what the page shows below it."""

import contextlib
import io
import re
from pathlib import Path

import pytest

import biomec_app.features.table  # noqa: F401 - fills the tables before an example adds to them
from biomec_app.curves.catalogue import PROVIDERS
from tests.places import ROOT
from tests.tables import tables_kept

PAGES = sorted([ROOT / "README.md", *(p for p in (ROOT / "docs").rglob("*.md") if "_build" not in p.parts)])
# a block of Python and, if it follows directly, the block of text that it prints
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```$(?:\n+^```text\n(?P<output>.*?)^```$)?", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[re.Match[str]]:
    return list(BLOCK.finditer(page.read_text("utf-8")))


WITH_CODE = [page for page in PAGES if blocks(page)]


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_blocks_of_a_page_run_one_after_the_other(page, tmp_path, monkeypatch):
    """All blocks of a page share their names; files that they write go to an empty folder."""
    monkeypatch.chdir(tmp_path)
    text, names = page.read_text("utf-8"), {"__name__": "__main__"}
    for block in blocks(page):
        line = text.count("\n", 0, block.start("code"))
        said = io.StringIO()
        with contextlib.redirect_stdout(said), tables_kept():
            # blank lines in front, so that an error is reported with its line in the page
            exec(compile("\n" * line + block["code"], str(page), "exec"), names)
        if block["output"] is not None:
            assert said.getvalue().strip() == block["output"].strip(), f"{page.name}, line {line}"


def test_the_pages_that_teach_python_are_among_them():
    assert {"README.md", "quickstart-python.md", "mechanism-files.md"} <= {page.name for page in WITH_CODE}


def test_what_an_example_registers_is_gone_afterwards(tmp_path, monkeypatch):
    """A kind of curve of the guide stayed in the tables, and a test that lists them all failed in the same process."""
    before = list(PROVIDERS)
    page = ROOT / "docs" / "extending.md"
    assert any("register_curves(" in block["code"] for block in blocks(page))
    test_the_blocks_of_a_page_run_one_after_the_other(page, tmp_path, monkeypatch)
    assert before == PROVIDERS
