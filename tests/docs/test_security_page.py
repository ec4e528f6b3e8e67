"""SECURITY.md names tests that exist, and has one in every row of its tables of threats."""

import ast
import re

from tests.places import ROOT

PAGE = (ROOT / "SECURITY.md").read_text("utf-8")
TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


def rows():
    """Rows of the tables of threats."""
    part = PAGE.partition("## Threats")[2].partition("## How to report")[0]
    lines = [line for line in part.splitlines() if line.startswith("|") and not line.startswith("|---")]
    return [line for line in lines if not line.rstrip().endswith("| tests |")]


def test_every_threat_names_its_tests():
    assert len(rows()) > 20
    assert [row for row in rows() if not TEST.search(row.rstrip(" |").rpartition("|")[2])] == []


def test_every_test_named_exists():
    named = TEST.findall(PAGE)
    assert len(named) > 40
    for path, name in named:
        tree = ast.parse((ROOT / path).read_text("utf-8"))
        tests = {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test")}
        assert tests, path
        assert not name or name in tests, f"{path} has no {name}"


def test_other_files_and_pages_named_exist():
    for path in re.findall(r"\]\((?!http)([^)#]+)", PAGE):
        assert (ROOT / path).exists(), path


def test_nothing_opens_the_network():
    network = {"socket", "ssl", "urllib", "http", "ftplib", "smtplib", "requests", "httpx", "aiohttp", "QtNetwork"}
    for root in ("core", "app", "resources"):
        for file in (ROOT / root).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                names = [one.name for one in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                parts = {part for name in names for part in name.split(".")}
                assert not parts & network, file


def test_the_page_is_found():
    for page in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"):
        assert "(SECURITY.md)" in (ROOT / page).read_text("utf-8"), page
