"""The guide to the workbench: it names only what exists, has all keys, and shows the pictures that are made."""

import re

from PIL import Image
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QTabWidget

from biomec.machines.studies import studies
from docs.tools.workbench_pictures import PICTURES
from tests.places import DOCS

PAGE = (DOCS / "workbench.md").read_text("utf-8")
LARGEST = 400_000  # bytes of a picture: the page must open on a slow line


def plain(text):
    return text.replace("&", "")


def test_what_is_named_exists(student):
    window = student.window
    seen = {plain(one.text()) for one in window.findChildren(QAbstractButton)}
    for tabs in window.findChildren(QTabWidget):
        seen |= {plain(tabs.tabText(k)) for k in range(tabs.count())}
    seen |= {plain(one.text()) for one in window.findChildren(QAction)}
    seen |= {"Machine", "Preset", "Dynamics ▸ Mechanism Workbench…"} | {study.title for study in studies()}
    named = set(re.findall(r"\*\*(.+?)\*\*", " ".join(PAGE.split())))
    assert len(named) > 12
    assert sorted(named - seen) == []


def test_the_keys_are_those_of_the_menus(student):
    there = {keys.toString() for item in student.window.findChildren(QAction) for keys in item.shortcuts()}
    rows = re.findall(r"^\| (`.+?) \| ", PAGE.split("| keys | what they do |")[1], re.MULTILINE)
    documented = {QKeySequence(keys).toString() for row in rows for keys in re.findall(r"`([^`]+)`", row)}
    assert documented - there == {"F2", "Del"}  # of the list of runs itself
    left = {
        "Ctrl+W",
        "Ctrl+Y",
        "Ctrl+=",
        "Ctrl+Shift+Left",
        "Ctrl+Shift+Right",
    }  # ways to say the same, or told in words
    assert {key for key in there - documented if key} <= left


def test_the_page_shows_every_picture_and_they_are_small():
    assert re.findall(r"\]\(pictures/(.+?)\)", PAGE) == list(PICTURES)
    for name in PICTURES:
        path = DOCS / "pictures" / name
        assert path.stat().st_size < LARGEST, name
        with Image.open(path) as image:
            assert image.width <= 1600
            assert image.height <= 1000
