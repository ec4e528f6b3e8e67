"""What docstrings cite exists: sections of the theory pages, and keys of the references."""

import re

import pytest

from tests.places import ROOT

CODE = [path for root in ("core", "app", "tests", "benchmarks", "examples") for path in (ROOT / root).rglob("*.py")]
ENGINE = [path for path in CODE if "engine" in path.parts]
THEORY = (ROOT / "docs" / "theory" / "multibody.md").read_text("utf-8")
SECTIONS = re.findall(r"^##+ (\d+(?:\.\d+)?)\.? ", THEORY, re.MULTILINE)
KEYS = set(re.findall(r"^\((\w+)\)=$", (ROOT / "docs" / "references.md").read_text("utf-8"), re.MULTILINE))


@pytest.mark.parametrize("path", ENGINE, ids=lambda path: str(path.relative_to(ROOT)))
def test_sections_of_the_theory_exist(path):
    cited = re.findall(r"[Tt]heory\s+§(\d+(?:\.\d+)?)", path.read_text("utf-8"))
    assert set(cited) <= set(SECTIONS)


def test_every_section_has_its_anchor():
    anchors = [f"multibody-{section.replace('.', '-')}" for section in SECTIONS]
    assert re.findall(r"^\((multibody-[\d-]+)\)=$", THEORY, re.MULTILINE) == anchors


def test_keys_of_sources_resolve():
    cited = {
        (key, path.name) for path in CODE for key in re.findall(r"\[([A-Z]\w+\d{4})[\],]", path.read_text("utf-8"))
    }
    assert {("Nunes2017", "body.py")} <= cited
    assert not {(key, name) for key, name in cited if key not in KEYS}
