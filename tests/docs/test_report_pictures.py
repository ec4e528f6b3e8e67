"""Pictures of the guide to the clinical report: each is on the page, and can be made again."""

import re
from pathlib import Path

from PySide6.QtGui import QImage

from biomec.reporting.clinical.definition import KINDS
from docs.tools.report_pictures import PICTURES, draw
from tests.app.figures.report_content import example_report

DOCS = Path(__file__).parents[2] / "docs"
GUIDE = (DOCS / "clinical-report.md").read_text("utf-8")


def test_the_guide_shows_every_picture():
    shown = re.findall(r"!\[[^\]]+\]\(pictures/(report-[^)]+)\)", GUIDE)
    assert shown == list(PICTURES)
    for name in shown:
        assert not QImage(str(DOCS / "pictures" / name)).isNull()


def test_pictures_can_be_made_again(qapp, tmp_path):
    report = example_report()
    assert set(PICTURES.values()) <= {page.kind for page in report.pages}
    assert [path.name for path in draw(report, tmp_path)] == list(PICTURES)
    assert all(not QImage(str(tmp_path / name)).isNull() for name in PICTURES)


def test_the_guide_names_every_page_of_a_definition():
    named = set(re.findall(r"`([a-z ]+)`", GUIDE))
    assert [kind for kind in KINDS if kind not in named] == []
