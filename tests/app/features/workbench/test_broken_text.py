"""Broken text in the workbench: the fault is told, the last good machine stays in sight, and nothing waits."""

import pytest
from PySide6.QtWidgets import QApplication

from tests.core.machines.test_broken_files import BROKEN


def typed(student, text):
    """What happens when somebody types and pauses."""
    student.window.editor.text.setPlainText(text)
    student.window.editor.read()
    student.idle()


def test_every_broken_text_is_told_and_the_last_good_machine_stays(student):
    window, bench = student.window, student.bench
    window.resize(1270, 700)
    window.show()
    machine, shown, text = bench.machine, window.stage.drawing.sketch, bench.draft.text
    for broken, said, line in BROKEN.values():
        typed(student, broken)
        assert said in bench.draft.fault
        assert window.editor.fault.text() == bench.draft.fault
        assert line is None or broken.splitlines()[bench.draft.fault_line - 1] == line
        assert bench.machine is machine
        assert window.stage.drawing.sketch is shown
        assert not window.studies.run_button.isEnabled()
        QApplication.processEvents()
        assert window.width() <= 1270  # a long sentence does not push the window wide
    typed(student, text)
    assert bench.draft.fault == ""
    assert window.studies.run_button.isEnabled()
    assert student.told == []


def test_a_broken_file_is_not_opened_and_what_is_open_stays(student, tmp_path):
    before = student.bench.draft
    file = tmp_path / "broken.toml"
    student.context.user.ask_file = lambda *_: file
    for broken, said, _ in BROKEN.values():
        file.write_text(broken, "utf-8")
        student.item("open").trigger()
        assert said in student.told[-1]
        assert student.bench.draft is before
    file.write_bytes(b"\xff\xfe\x00\x80")
    student.item("open").trigger()
    assert "cannot be read as text" in student.told[-1]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("duration = 1.0", "duration = 1e11", "so fast that only the first 15 s"),
        ("L4 = { value = 1.0", "L4 = { value = 4.9", "cannot"),  # the bars do not reach
        ('mass = "=m1"', "mass = 0.0", "as its laws say"),
        ('mass = "=m1"', "mass = 1e12", "as its laws say"),
    ],
)
def test_odd_machines_that_can_be_described_are_drawn_or_told(student, old, new, words):
    text = student.bench.draft.text
    assert old in text
    typed(student, text.replace(old, new, 1))
    assert words in student.window.stage.drawing.words
    student.window.stage.grab()
