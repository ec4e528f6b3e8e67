"""The settings dialog: what is entered becomes settings, what is wrong is told, everything can be undone."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QDialogButtonBox, QLabel, QWidget

from biomec.body.anatomy.subject_model import ModelOptions
from biomec.body.kinematics.consistency_options import ConsistencyOptions
from biomec.body.kinematics.weights import WeightOptions
from biomec.pipeline.replay import script
from biomec.pipeline.settings import AnalysisSettings, BodySettings, CycleSettings, SignalSettings
from biomec.signals import CycleOptions, FilterOptions
from biomec.signals.filtering import ManualCutoff
from biomec_app.dialogs.settings import PAGES, SettingsDialog

OK, APPLY = QDialogButtonBox.StandardButton.Ok, QDialogButtonBox.StandardButton.Apply


@pytest.fixture
def dialog(qtbot, context, document_with_demo):
    made = SettingsDialog(context)
    qtbot.addWidget(made)
    made.show()
    return made


def row(dialog, *path):
    return dialog.open_page(path[0]).form.rows[path]


def test_every_page_opens_with_the_settings_of_the_analysis_and_changes_nothing(dialog, document_with_demo):
    before = document_with_demo.analysis.settings
    for step in PAGES:
        dialog.open_page(step)
    assert dialog.entered() == before
    assert not dialog.buttons.button(APPLY).isEnabled()
    dialog.apply()
    assert document_with_demo.undo_stack.count() == 0


def test_unusual_settings_survive_being_shown(dialog, context, document_with_demo):
    unusual = AnalysisSettings(
        signals=SignalSettings(
            marker_filter=FilterOptions("fixed", 5.123456789, manual=(ManualCutoff("C7", (1.0, 2.0, 3.0)),)),
            plate_filter=None,
        ),
        body=BodySettings("m17", ModelOptions(centres={"CAQ_*": "hip-davis-1991", "GU_D": "shoulder-rab-2002"},
                                              without=("right hand",))),
        positions=ConsistencyOptions("markers", weights=WeightOptions("table", {"* hand": 3.0}, {"C7": 0.1})),
        cycles=CycleSettings("knee flexion", CycleOptions(prominence=0.123456789)),
    )  # fmt: skip
    dialog.show_settings(unusual)
    for step in PAGES:
        dialog.open_page(step)
    assert dialog.entered() == unusual  # to the last digit, though a box shows two


def test_a_change_is_applied_undone_and_written_as_python(dialog, document_with_demo, tmp_path):
    before = document_with_demo.analysis
    row(dialog, "signals", "reconstruction", "gap_limit_s").widget.setValue(0.35)
    assert "out of date" in dialog.message.text()
    dialog.buttons.button(APPLY).click()
    after = document_with_demo.analysis
    assert after.settings.signals.reconstruction.gap_limit_s == pytest.approx(0.35)
    assert "signals" in after.stale
    assert "preparation" not in after.stale
    assert document_with_demo.undo_stack.undoText() == "Change Settings (signals)"
    (line,) = document_with_demo.history
    known = {"analysis": before, "replace": replace}
    exec(line, known)
    assert known["analysis"].settings == after.settings
    assert "gap_limit_s=0.35" in script(after, document_with_demo.history, folder=tmp_path)
    document_with_demo.undo_stack.undo()
    assert document_with_demo.analysis is before


def test_lengths_are_entered_in_millimetres_and_angles_in_degrees(dialog):
    row(dialog, "signals", "static", "largest_deviation_m").widget.setValue(7.5)
    row(dialog, "cycles", "options", "prominence").widget.setValue(30.0)
    entered = dialog.entered()
    assert entered.signals.static.largest_deviation_m == pytest.approx(0.0075)
    assert entered.cycles.options.prominence == pytest.approx(0.5235987755982988)  # π/6


def test_what_the_options_refuse_is_told_in_their_words_and_cannot_be_applied(dialog, document_with_demo):
    before = document_with_demo.analysis.settings
    row(dialog, "positions", "hysteresis_n").widget.setValue(40.0)
    assert dialog.message.text().startswith("Consistency: the hysteresis of a contact is 40 N and its threshold 20 N")
    assert not dialog.buttons.button(OK).isEnabled()
    assert not dialog.apply()
    assert document_with_demo.analysis.settings == before
    row(dialog, "positions", "threshold_n").widget.setValue(60.0)  # both together are possible
    assert dialog.buttons.button(OK).isEnabled()
    assert dialog.apply()
    assert document_with_demo.analysis.settings.positions.hysteresis_n == 40.0


def test_a_number_that_is_none_is_told(dialog):
    widget = row(dialog, "positions", "position", "tolerance").widget
    widget.setText("small")
    widget.textEdited.emit("small")
    assert 'Tolerance: "small" is not a number' in dialog.message.text()
    widget.setText("1e-8")
    widget.textEdited.emit("1e-8")
    assert dialog.entered().positions.position.tolerance == 1e-8


def test_a_filter_can_be_turned_off_and_on_again(dialog, document_with_demo):
    page = dialog.open_page("signals")
    box = page.form.groups[("signals", "marker_filter")]
    box.setChecked(False)
    assert dialog.entered().signals.marker_filter is None
    dialog.apply()
    assert document_with_demo.analysis.settings.signals.marker_filter is None
    box.setChecked(True)
    assert dialog.entered().signals.marker_filter == FilterOptions()


def test_a_method_for_the_hips_is_chosen_by_its_title(dialog):
    combo = row(dialog, "body", "options", "centres").combos["CAQ_*"]
    combo.setCurrentText("Bell 1990, pelvis width")
    combo.activated.emit(combo.currentIndex())
    assert dict(dialog.entered().body.options.centres) == {"CAQ_*": "hip-bell-1990"}


def test_a_model_of_one_s_own_is_taken_from_a_file(dialog, context, tmp_path):
    own = tmp_path / "own.toml"
    choice = row(dialog, "body", "model")
    last = choice.widget.count() - 1
    context.user.ask_file = lambda title, pattern, save, start: None
    choice.widget.setCurrentIndex(last)
    choice.widget.activated.emit(last)
    assert dialog.entered().body.model is None  # cancelled: as before
    context.user.ask_file = lambda title, pattern, save, start: own
    choice.widget.setCurrentIndex(last)
    choice.widget.activated.emit(last)
    assert dialog.entered().body.model == str(own)
    assert choice.widget.currentText() == "own.toml"


def test_reset_page_leaves_the_other_pages_alone_and_reset_all_does_not(dialog):
    row(dialog, "angles", "gimbal_limit_deg").widget.setValue(20.0)
    row(dialog, "cycles", "options", "duration_s").widget.setValue(1.5)
    dialog.reset_page()  # cycles is shown
    assert dialog.entered().cycles == CycleSettings()
    assert dialog.entered().angles.gimbal_limit_deg == 20.0
    dialog.reset_all()
    assert dialog.entered() == AnalysisSettings()


def test_a_changed_field_stands_out(dialog):
    label = dialog.open_page("angles").form.labels[("angles", "unwrap")]
    assert not label.font().bold()
    row(dialog, "angles", "unwrap").widget.setChecked(False)
    assert label.font().bold()
    assert dialog.list.item(list(PAGES).index("angles")).font().bold()


def test_every_widget_has_a_name_for_screen_readers_and_tests(dialog):
    for step in PAGES:
        page = dialog.open_page(step)
        for path, one in page.form.rows.items():
            assert one.widget.objectName() == "setting-" + ".".join(path)
            assert one.widget.accessibleName()
            assert one.widget.toolTip()


@pytest.mark.parametrize("step", PAGES)
def test_no_page_is_wider_than_the_dialog(qtbot, dialog, step):
    dialog.resize(900, 640)
    page = dialog.open_page(step)
    qtbot.turns()
    assert page.widget().width() <= page.viewport().width()
    for label in page.widget().findChildren(QLabel):
        assert label.mapTo(page.widget(), label.rect().topRight()).x() <= page.viewport().width()
    assert isinstance(page.widget(), QWidget)
