"""ARCHITECTURE.md names files and names in them that exist, and few places for each change."""

import ast
import re

import pytest

from tests.places import ROOT

PAGE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
STILL_TO_COME = "## Still to come"
TODAY = PAGE.partition(STILL_TO_COME)[0]
TOP = sorted(path.name for path in ROOT.iterdir() if not path.name.startswith("."))
PLACE = re.compile(rf"`((?:{'|'.join(map(re.escape, TOP))})(?:/[^`:]*)?)(?:::([\w.]+))?`")
CHANGES = {  # how many places a change may touch
    "A joint type": 4,
    "A marker set": 1,
    "A panel": 1,
    "A file format": 1,
    "A filter": 1,
    "An integrator": 1,
    "A report section": 1,
    "A menu item": 1,
}


def names(path: str) -> set[str]:
    """Names that a Python file defines: of modules, and of classes after a dot."""
    found: set[str] = set()
    for node in ast.parse((ROOT / path).read_text("utf-8")).body:
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{name}" for member in node.body for name in defined(member)}
        found |= defined(node)
    return found


def defined(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}


def test_every_path_exists():
    paths = {path for path, _ in PLACE.findall(TODAY)}
    assert len(paths) > 50
    assert sorted(path for path in paths if not (ROOT / path).exists()) == []


def test_every_name_is_in_its_file():
    places = {(path, name) for path, name in PLACE.findall(TODAY) if name}
    assert places
    for path, name in sorted(places):
        known = names(path) if path.endswith(".py") else set(re.findall(r"\w+", (ROOT / path).read_text("utf-8")))
        assert name in known, f"{path} has no {name}"


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_touches_few_places(change):
    section = re.search(rf"^### {change}\n(.*?)(?=^##|\Z)", TODAY, re.MULTILINE | re.DOTALL)
    assert section is not None
    places = re.findall(r"^\d+\. ", section[1], re.MULTILINE)
    assert 1 <= len(places) <= CHANGES[change]


def test_every_change_of_the_room_test_is_described():
    assert re.findall(r"^### (.*)$", PAGE.partition("## Room test")[2], re.MULTILINE) == [
        *CHANGES,
        "More",
        "A language",
    ]
