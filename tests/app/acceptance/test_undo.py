"""Every kind of edit can be undone and done again, and then everything is as it was."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QComboBox


def everything(document):
    """What a document holds that an edit can change."""
    analysis = document.analysis
    return analysis, analysis.session, analysis.settings, dict(analysis.done), document.history


def same(one, other):
    """Whether nothing differs: the very same objects, the same settings and the same history."""
    return one[0] is other[0] and one[1] is other[1] and all(a == b for a, b in zip(one[2:], other[2:], strict=True))


def edit_subject(person):
    person.choose("edit.subject")
    dialog = person.dialog()
    dialog.form.mass.setValue(dialog.form.mass.value() + 3.0)
    dialog.accept()


def edit_labels(person):
    person.choose("edit.labels")
    dialog = person.dialog()
    box = dialog.form.table.cellWidget(3, 1)
    box.setCurrentIndex(0)  # this label is not a marker
    box.activated.emit(0)
    dialog.accept()


def edit_plates(person):
    person.choose("edit.plates")
    dialog = person.dialog()
    box = dialog.findChildren(QComboBox)[0]
    other = (box.currentIndex() + 1) % box.count()
    box.setCurrentIndex(other)
    box.activated.emit(other)
    dialog.accept()


def edit_settings(person):
    person.choose("edit.settings")
    dialog = person.dialog()
    settings = person.document.analysis.settings
    dialog.show_settings(replace(settings, cycles=replace(settings.cycles, by="none")))
    dialog.edited()
    dialog.buttons.button(dialog.buttons.StandardButton.Ok).click()


def run_all(person):
    edit_subject(person)  # so that there is something to run
    person.idle()
    person.choose("kinematics.all")


EDITS = {edit.__name__: edit for edit in (edit_subject, edit_labels, edit_plates, edit_settings, run_all)}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_undone_and_done_again(person, squat_analysis, name):
    document = person.document
    document.open(squat_analysis)
    document.undo_stack.setClean()
    before = everything(document)
    EDITS[name](person)
    person.idle()
    after, count = everything(document), document.undo_stack.count()
    assert count >= 1, person.heard
    assert after[0] is not before[0]
    assert document.is_modified
    assert document.history[: len(before[-1])] == before[-1]
    for _ in range(2):
        for _ in range(count):
            person.choose("edit.undo")
        assert same(everything(document), before)
        assert not document.is_modified
        for _ in range(count):
            person.choose("edit.redo")
        assert same(everything(document), after)
        assert document.is_modified


def test_all_edits_together_are_undone_in_turn(person, squat_analysis):
    document = person.document
    document.open(squat_analysis)
    seen = [everything(document)]
    for edit in (edit_subject, edit_settings, edit_labels):
        edit(person)
        person.idle()
        seen.append(everything(document))
    assert document.undo_stack.count() == 3
    for wanted in reversed(seen[:-1]):
        person.choose("edit.undo")
        assert same(everything(document), wanted)
    assert not person.window.menus.items["edit.undo"][1].isEnabled()
    for wanted in seen[1:]:
        person.choose("edit.redo")
        assert same(everything(document), wanted)
