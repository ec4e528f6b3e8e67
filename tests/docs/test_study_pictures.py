"""Pictures of the guide to studies: each is on the page and small, and can be made again."""

import re

from PySide6.QtGui import QImage

from biomec_app.shell import main as program
from docs.tools.study_pictures import PICTURES, draw
from tests.core.study.known import analysed_known, write_known
from tests.places import DOCS

LARGEST = 400_000  # bytes: the page must open on a slow line


def test_the_guide_shows_every_picture_and_they_are_small():
    shown = re.findall(r"\]\(pictures/(study-[^)]+)\)", (DOCS / "studies.md").read_text("utf-8"))
    assert shown == list(PICTURES)
    for name in shown:
        path = DOCS / "pictures" / name
        assert path.stat().st_size < LARGEST, name
        assert not QImage(str(path)).isNull()


def test_pictures_can_be_made_again(qapp, tmp_path, monkeypatch):
    monkeypatch.setattr(program, "STILL_S", 0.05)  # work that is seen is waited for all the same
    monkeypatch.setattr(program, "AFTER_S", 0.05)
    study = analysed_known(write_known(tmp_path / "study", 2, visits=1))
    written = draw(study, tmp_path)
    assert [path.name for path in written] == list(PICTURES)
    for path in written:
        assert not QImage(str(path)).isNull(), path.name
