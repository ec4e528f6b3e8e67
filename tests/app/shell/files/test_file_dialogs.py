"""Dialogs of the Edit menu about the recording: subject, labels, plate assignment. Every edit can be undone."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox

from biomec.pipeline.analysis import ALWAYS
from biomec.pipeline.replay import script
from biomec.pipeline.settings import ContactChoice
from biomec.recording import LabAxes
from biomec_app.dialogs.axes import right_of
from biomec_app.dialogs.mapping import MappingDialog
from biomec_app.dialogs.plates import NOBODY, PlatesDialog, needs_contacts
from biomec_app.dialogs.subject import SubjectDialog, measure_rows, parse_number
from biomec_app.shell.actions.edit import ACTIONS


def choose(combo, text):
    combo.setCurrentText(text)
    combo.activated.emit(combo.currentIndex())


def test_the_subject_is_changed_undone_and_replayed(qtbot, context, document_with_demo):
    document = document_with_demo
    before = document.analysis
    dialog = SubjectDialog(context)
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.form.mass.value() == pytest.approx(before.session.subject.mass_kg, abs=0.05)
    dialog.form.mass.setValue(81.5)
    dialog.form.name.setText("Anna")
    qtbot.mouseClick(dialog.buttons.button(QDialogButtonBox.StandardButton.Ok), Qt.MouseButton.LeftButton)
    subject = document.analysis.session.subject
    assert (subject.name, subject.mass_kg) == ("Anna", 81.5)
    assert subject.height_m == before.session.subject.height_m  # not rounded by being shown
    assert document.analysis.stale  # inertia depends on it
    assert "81.5" in script(document.analysis, ["analysis = None", *document.history])
    document.undo_stack.undo()
    assert document.analysis is before
    document.undo_stack.redo()
    assert document.analysis.session.subject == subject


def test_nothing_changed_is_no_edit(qtbot, context, document_with_demo):
    for make in (SubjectDialog, MappingDialog, PlatesDialog):
        dialog = make(context)
        qtbot.addWidget(dialog)
        dialog.accept()
    assert document_with_demo.undo_stack.count() == 0


@pytest.mark.parametrize(
    ("field", "text", "fault"),
    [
        ("born", "yesterday", "not a date"),
        ("born", "2130-01-01", "born after"),
        ("recorded_on", "2020-13-01", "not a date"),
    ],
)
def test_a_field_that_cannot_be_right_is_told(qtbot, context, document_with_demo, field, text, fault):
    dialog = SubjectDialog(context)
    qtbot.addWidget(dialog)
    dialog.show()
    edit = getattr(dialog.form, field)
    edit.clear()
    qtbot.keyClicks(edit, text)
    assert fault in dialog.wrong.text()
    assert not dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).isEnabled()
    dialog.accept()
    assert document_with_demo.undo_stack.count() == 0


def test_measures_are_shown_in_millimetres_and_degrees(qtbot, context, document_with_demo):
    analysis = document_with_demo.analysis
    subject = replace(analysis.session.subject, measures={"knee_width_E": 0.1043, "thigh_rotation_D": 0.1})
    document_with_demo.open(replace(analysis, session=replace(analysis.session, subject=subject)))
    dialog = SubjectDialog(context)
    qtbot.addWidget(dialog)
    rows = {root: k for k, (_, root, _, _) in enumerate(measure_rows())}
    table = dialog.form.measures
    assert table.item(rows["knee_width"], 2).text() == "104.3"
    assert table.item(rows["thigh_rotation"], 1).text() == "5.73"
    assert dialog.form.subject().measures == subject.measures  # not rounded by being shown
    table.item(rows["knee_width"], 2).setText("wide")
    assert "not a number" in dialog.wrong.text()
    table.item(rows["knee_width"], 2).setText("104300")
    assert "Check the unit" in dialog.wrong.text()
    assert parse_number(" 1,5 ", "It") == 1.5
    assert parse_number("", "It") is None


def test_a_contact_is_given_to_another_and_back(qtbot, context, document_with_demo):
    document = document_with_demo
    assert needs_contacts(context) is None
    dialog = PlatesDialog(context)
    qtbot.addWidget(dialog)
    dialog.show()
    plates = [dialog.table.item(row, 0).text() for row in range(dialog.table.rowCount())]
    row = plates.index("Pe_D")
    assert dialog.combos[row].currentText() == "right foot"
    choose(dialog.combos[row], NOBODY)
    dialog.accept()
    (choice,) = document.analysis.settings.signals.by_hand
    assert isinstance(choice, ContactChoice)
    assert (choice.plate, choice.segment) == ("Pe_D", None)
    assert "signals" in document.analysis.stale
    assert needs_contacts(context) is not None  # out of date: run it again first
    script(document.analysis, ["analysis = None", *document.history])

    again = document.analysis.run("signals")
    (item,) = [one for one in again.signals.contacts.contacts if one.contact.plate == "Pe_D"]
    assert (item.segment, item.by) == (None, "manual")
    assert not [n for n in again.signals.notices if n.code == "contact-choice-unused"]
    document.open(again)
    dialog = PlatesDialog(context)
    qtbot.addWidget(dialog)
    dialog.accept()
    assert document.undo_stack.count() == 0  # choices made before stay
    dialog = PlatesDialog(context)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.mouseClick(dialog.buttons.button(QDialogButtonBox.StandardButton.Reset), Qt.MouseButton.LeftButton)
    dialog.accept()
    assert document.analysis.settings.signals.by_hand == ()


def test_a_choice_for_a_contact_that_is_not_there_is_told(demo_analysis):
    signals = replace(demo_analysis.settings.signals, by_hand=(ContactChoice("Pe_D", 99.0, "right foot"),))
    again = demo_analysis.with_settings(replace(demo_analysis.settings, signals=signals)).run("signals")
    (notice,) = [notice for notice in again.signals.notices if notice.code == "contact-choice-unused"]
    assert "99.00 s" in notice.sentence


def test_bars_of_the_chart_choose_contacts(qtbot, context, document_with_demo):
    dialog = PlatesDialog(context)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.mouseClick(dialog.chart, Qt.MouseButton.LeftButton, pos=dialog.chart._bar(2).center().toPoint())
    assert dialog.table.currentRow() == 2


def test_labels_are_mapped_otherwise_and_undone(qtbot, context, document_with_demo):
    document = document_with_demo
    dialog = MappingDialog(context)
    qtbot.addWidget(dialog)
    choose(dialog.form._combos["VC"], "not used")
    dialog.accept()
    preparation = document.analysis.settings.preparation
    assert preparation.marker_set == "biomec-full"
    assert "VC" not in preparation.label_map.targets.values()
    assert len(document.analysis.stale) == len(ALWAYS)
    script(document.analysis, ["analysis = None", *document.history])
    dialog = MappingDialog(context)
    qtbot.addWidget(dialog)
    assert dialog.form._combos["VC"].currentText() == "not used"
    choose(dialog.form._combos["VC"], "VC")
    dialog.accept()
    assert document.analysis.settings.preparation.label_map is None
    document.undo_stack.undo()
    document.undo_stack.undo()
    assert document.analysis.stale == ()


@pytest.mark.parametrize(
    ("up", "forward", "right"), [("+y", "+x", "+z"), ("+z", "+y", "+x"), ("+z", "+x", "-y"), ("+z", "-y", "-x")]
)
def test_the_right_of_somebody_who_looks_forward(up, forward, right):
    # by hand: with z up and walking along +y, the right arm points along +x
    assert right_of(LabAxes(up, forward)) == right


def test_items_of_the_menu_open_the_dialogs(qtbot, context, document_with_demo):
    actions = {action.key: action for action in ACTIONS}
    for key in ("edit.subject", "edit.labels", "edit.plates"):
        assert actions[key].blocked(context) is None
    document_with_demo.close()
    for key in ("edit.subject", "edit.labels", "edit.plates"):
        assert actions[key].blocked(context).startswith("Open or import")
