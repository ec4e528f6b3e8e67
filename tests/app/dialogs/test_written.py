"""The list of files that were written."""

import pytest
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QPushButton

from biomec_app.dialogs.written import show_written, size_text


@pytest.fixture
def dialog(qtbot, context, tmp_path):
    for name, size in (("angles.csv", 12_345), ("summary.json", 999)):
        (tmp_path / name).write_bytes(b"x" * size)
    made = show_written(context, "Export results", sorted(tmp_path.glob("*.*s*")), ("Events are not held.",))
    qtbot.addWidget(made)
    return made


def test_files_are_listed_with_their_sizes(dialog):
    rows = [(dialog.list.topLevelItem(k).text(0), dialog.list.topLevelItem(k).text(1)) for k in range(2)]
    assert rows == [("angles.csv", "12 kB"), ("summary.json", "999 B")]
    assert "Events are not held." in " ".join(label.text() for label in dialog.findChildren(type(dialog.where)))


def test_the_list_is_copied_and_the_folder_opened(dialog, tmp_path, monkeypatch):
    dialog.findChild(QPushButton, "written-copy").click()
    assert QGuiApplication.clipboard().text().splitlines() == [
        str(tmp_path / "angles.csv"),
        str(tmp_path / "summary.json"),
    ]
    opened, sentences = [], []
    dialog.context.user.tell = dialog.context.user.fail = lambda title, sentence: sentences.append(sentence)
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()))
    dialog.findChild(QPushButton, "written-open").click()
    assert opened == [str(tmp_path)]
    assert str(tmp_path) in sentences[0]  # there is no file manager here


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (1500, "1.5 kB"), (25_400_000, "25 MB"), (3_100_000_000, "3.1 GB")]
)
def test_sizes_are_short(size, text):
    assert size_text(size) == text
