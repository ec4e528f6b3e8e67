"""The import dialog: everything filled in, everything changeable, nothing lost by a broken file."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRect, Qt

from biomec.io.registry import read_trial, write_trial
from biomec.io.session_import import SKIP
from biomec.pipeline import replay
from biomec.pipeline.analysis import KINEMATICS, STOPPED, Analysis
from biomec.pipeline.outlook import Obstacles
from biomec.recording import Authority, LabAxes
from biomec.virtual import DEMO, VirtualPerson, push_up, record, write_acquisition
from biomec_app.dialogs.import_plan import ImportPlan, all_labels, analysis_reach, read
from biomec_app.dialogs.importing import AXES, EMG, LABELS, MARK, SUBJECT, ImportDialog
from biomec_app.session.project_file import analyse_imported, imported
from biomec_app.shell import files as actions
from tests.core.io.people import person
from tests.core.io.test_foreign_exports import HANDSTAND

TRUNK = ("C7", "T8", "IJ", "PX", "CIAS_D", "CIAS_E")


@pytest.fixture(scope="module")
def acquisition(tmp_path_factory):
    return write_acquisition(record(push_up("closed", 1), VirtualPerson(), DEMO), tmp_path_factory.mktemp("acq"))


@pytest.fixture
def dialog(qtbot, context, acquisition):
    made = ImportDialog(context, read(ImportPlan(acquisition["emt"])))
    qtbot.addWidget(made)
    made.show()
    return made


def idle(qtbot, dialog):
    qtbot.waitUntil(lambda: not dialog._jobs.busy, timeout=20000)


def test_enter_imports_what_the_files_say(qtbot, context, dialog):
    assert dialog.import_button.isDefault()
    dialog.analyse.setChecked(False)
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    document = context.document
    assert document.is_open
    assert document.is_modified
    assert document.analysis.session.subject.name == "Demo"
    assert len(document.analysis.session.dynamic.plates) == 4
    assert document.analysis.session.dynamic.emg is not None
    assert document.history[0].startswith("analysis = Analysis(import_session(")
    assert context.preferences.recent[0].name == dialog.plan.dynamic.name
    assert not context.preferences.analyse_imported


def test_what_is_entered_about_the_subject_is_imported(qtbot, context, dialog):
    assert dialog.pages.item(SUBJECT).data(MARK) == "!"
    form = dialog.subject
    form.mass.setValue(72.5)
    form.height_.setValue(1.8)
    form.sex.setCurrentText("female")
    for born, age in (("2025-01-01", "1 year"), ("1990-02-03", "36 years")):
        form.born.setText(born)
        form.born.textEdited.emit(born)
        assert form.age.text() == age
    assert dialog.pages.item(SUBJECT).data(MARK) == "✓"
    form.measures.item(0, 1).setText("912,5")
    dialog.analyse.setChecked(False)
    dialog.accept()
    subject = context.document.analysis.session.subject
    assert (subject.mass_kg, subject.height_m, subject.sex) == (72.5, 1.8, "female")
    assert subject.measures == {"leg_length_D": 0.9125}


def test_a_date_that_is_none_is_told_and_nothing_is_imported(qtbot, context, dialog):
    dialog.subject.born.setText("3.2.1990")
    dialog.subject.changed.emit()
    assert "not a date" in dialog.wrong.text()
    assert dialog.wrong.isVisible()
    assert not dialog.import_button.isEnabled()
    dialog.accept()
    assert not context.document.is_open
    dialog.subject.born.setText("")
    dialog.subject.changed.emit()
    assert dialog.import_button.isEnabled()
    assert not dialog.wrong.isVisible()


def test_somebody_upside_down_is_asked_about_and_turned_over(qtbot, context, tmp_path):
    """One sentence on the page of the axes, which are corrected there."""
    standing = person(HANDSTAND)
    write_trial(replace(standing, axes=LabAxes("+y", "+x", Authority.FILE)), tmp_path / "handstand.c3d")
    dialog = ImportDialog(context, read(ImportPlan(tmp_path / "handstand.c3d")))
    qtbot.addWidget(dialog)
    dialog.show()
    item = dialog.pages.item(AXES)
    assert item.data(MARK) == "!"
    assert "head and shoulders are 1.5 m below the feet" in item.toolTip()
    form = dialog.axes
    form.up.setCurrentIndex(form.up.findData("-y"))
    form.up.activated.emit(form.up.currentIndex())
    idle(qtbot, dialog)
    assert dialog.preview.session.dynamic.axes.up == "-y"
    assert item.data(MARK) == "✓"


def test_a_file_that_cannot_be_read_is_told_and_the_last_choice_stays(qtbot, context, dialog, tmp_path):
    broken = tmp_path / "broken.c3d"
    broken.write_bytes(b"\x02\x50 nonsense")
    context.user.ask_file = lambda *_: broken
    dialog.subject.name.setText("Kept")
    qtbot.mouseClick(dialog.browse["static"], Qt.MouseButton.LeftButton)
    idle(qtbot, dialog)
    assert "broken.c3d" in dialog.wrong.text()
    assert dialog.names["static"].text().endswith("Static.emt")
    assert dialog.subject.name.text() == "Kept"
    assert dialog.import_button.isEnabled()


def test_another_static_or_none_can_be_chosen(qtbot, context, dialog, acquisition, tmp_path):
    other = tmp_path / "other.emt"
    shutil.copy(dialog.preview.companions.static.path, other)
    context.user.ask_file = lambda *_: other
    qtbot.mouseClick(dialog.browse["static"], Qt.MouseButton.LeftButton)
    idle(qtbot, dialog)
    assert dialog.names["static"].text() == "other.emt"
    assert dialog.whys["static"].text() == "Chosen by you."
    qtbot.mouseClick(dialog.none["static"], Qt.MouseButton.LeftButton)
    idle(qtbot, dialog)
    assert dialog.names["static"].text() == "–"
    assert dialog.plan.static is SKIP
    assert dialog.preview.session.static is None


def test_axes_by_hand_are_read_anew_and_kept_apart(qtbot, context, dialog):
    form = dialog.axes
    form.up.setCurrentIndex(form.up.findData("+z"))
    form.up.activated.emit(form.up.currentIndex())
    idle(qtbot, dialog)
    assert dialog.preview.session.dynamic.axes.up == "+z"
    assert dialog.pages.item(AXES).data(MARK) == "!"  # the plates push along y
    form.forward.setCurrentIndex(form.forward.findData("+z"))
    form.forward.activated.emit(form.forward.currentIndex())
    idle(qtbot, dialog)
    axes = dialog.preview.session.dynamic.axes
    assert axes.forward == "+z"
    assert axes.up[1] != "z"


def test_the_import_waits_for_files_that_are_being_read(qtbot, context, dialog):
    dialog.analyse.setChecked(False)
    dialog._choose("emg", SKIP)
    assert dialog._jobs.busy
    dialog.accept()
    qtbot.waitUntil(lambda: context.document.is_open, timeout=20000)
    assert context.document.analysis.session.dynamic.emg is None


def test_frames_of_the_emg_are_asked_for(qtbot, context, dialog):
    assert not dialog.pages.item(EMG).isHidden()
    dialog.first.setValue(11)
    dialog.first.editingFinished.emit()
    idle(qtbot, dialog)
    assert dialog.preview.session.emg_alignment.first == 11
    assert dialog.pages.item(EMG).data(MARK) == "!"
    dialog.first.setValue(100_000)
    dialog.first.editingFinished.emit()
    assert "not a stretch" in dialog.wrong.text()
    dialog._choose("emg", SKIP)
    idle(qtbot, dialog)
    assert dialog.pages.item(EMG).isHidden()


def test_uncertain_labels_are_decided_by_hand(qtbot, context, acquisition, tmp_path):
    trial = read_trial(acquisition["emt"])
    static = read_trial(next(acquisition["emt"].parent.glob("*Static.emt")))
    for source, name in ((trial, "walk.trc"), (static, "static.trc")):
        names = tuple({"GLAB": "nose tip", "C7": "C_7x"}.get(label, label) for label in source.markers.names)
        write_trial(replace(source, markers=replace(source.markers, names=names)), tmp_path / name)
    made = ImportDialog(context, read(ImportPlan(tmp_path / "walk.trc", static=tmp_path / "static.trc")))
    qtbot.addWidget(made)
    made.show()
    form = made.mapping
    assert form.marker_set is None  # nothing was decided
    combo = form._combos["nose tip"]
    combo.setCurrentText("GLAB")
    combo.activated.emit(combo.currentIndex())
    assert form.label_map().targets["nose tip"] == "GLAB"
    other = form._combos["VC"]
    other.setCurrentText("GLAB")
    other.activated.emit(other.currentIndex())
    assert "all mapped to GLAB" in made.wrong.text()
    assert not made.import_button.isEnabled()
    other.setCurrentText("not used")
    other.activated.emit(other.currentIndex())
    assert made.import_button.isEnabled()
    made.analyse.setChecked(False)
    made.accept()
    prepared = context.document.analysis.run("preparation").preparation
    assert "GLAB" in prepared.dynamic.markers.names
    assert "VC" not in prepared.dynamic.markers.names
    assert prepared.marker_set.name == "biomec-full"


def test_a_mapping_is_saved_and_loaded(qtbot, context, dialog, tmp_path):
    form = dialog.mapping
    dialog.pages.setCurrentRow(LABELS)
    combo = form._combos["VC"]
    combo.setCurrentText("not used")
    combo.activated.emit(combo.currentIndex())
    context.user.ask_file = lambda *_: tmp_path / "lab.toml"
    qtbot.mouseClick(form.store, Qt.MouseButton.LeftButton)
    combo.setCurrentText("VC")
    combo.activated.emit(combo.currentIndex())
    qtbot.mouseClick(form.load, Qt.MouseButton.LeftButton)
    assert "GLAB" in form.chosen().values()
    (tmp_path / "lab.toml").write_text("nonsense = ")
    qtbot.mouseClick(form.load, Qt.MouseButton.LeftButton)
    assert "lab.toml" in form.fault_.text()
    form.search.setText("glab")
    shown = [row for row in range(form.table.rowCount()) if not form.table.isRowHidden(row)]
    assert len(shown) == 1


def test_what_analysing_at_once_does_is_told_and_ends_where_it_makes_sense(qtbot, context, dialog):
    assert "what the joints carry" in dialog.reach.text()
    assert dialog._step == "loads"
    trial = dialog.preview.session.dynamic
    step, words = analysis_reach(replace(trial, plates=()), True)
    assert step == KINEMATICS
    assert "no force plates" in words
    assert "joint angles" in words
    step, words = analysis_reach(trial, False)
    assert step is None
    assert "Labels" in words
    assert analysis_reach(replace(trial, markers=trial.markers.select([])), True)[0] is None
    for plates in (trial.plates, ()):
        step, words = analysis_reach(replace(trial, plates=plates), True, Obstacles(loads="No joint leads there."))
        assert step == KINEMATICS
        assert words.endswith("but not to what the joints carry. No joint leads there.")
    dialog._read(replace(dialog.plan, plates=SKIP))
    idle(qtbot, dialog)
    dialog.accept()
    qtbot.waitUntil(lambda: not context.jobs.busy, timeout=60000)
    done = context.document.analysis.done
    assert "cycles" in done
    assert "loads" not in done


def test_a_page_that_is_worth_a_look_says_why(qtbot, dialog):
    assert not dialog.reason.isVisible()
    dialog.pages.setCurrentRow(SUBJECT)
    assert dialog.reason.isVisible()
    assert "sex" in dialog.reason.text()
    dialog.subject.sex.setCurrentText("female")
    assert "sex" not in dialog.reason.text()
    dialog.subject.mass.setValue(72.5)
    dialog.subject.height_.setValue(1.8)
    assert not dialog.reason.isVisible()


def test_analysing_at_once_gives_angles(qtbot, context, dialog):
    dialog.analyse.setChecked(True)
    dialog.accept()
    qtbot.waitUntil(lambda: not context.jobs.busy, timeout=60000)
    assert "cycles" in context.document.analysis.done
    assert context.preferences.analyse_imported


def test_cancel_changes_nothing(qtbot, context, dialog):
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not context.document.is_open
    assert not dialog.isVisible()


def test_a_broken_recording_is_told_before_any_dialog(qtbot, context, tmp_path):
    sentences = []
    context.user.tell = context.user.fail = lambda title, sentence: sentences.append(sentence)
    context.jobs.failed.connect(lambda title, sentence: sentences.append(sentence))
    broken = tmp_path / "broken.c3d"
    broken.write_bytes(b"\x02\x50" + b"\0" * 600)
    actions.open_file(context, broken)
    qtbot.waitUntil(lambda: bool(sentences), timeout=10000)
    assert "broken.c3d" in sentences[0]
    for name, content in (("empty.emt", b""), ("picture.png", b"\x89PNG\r\n"), ):  # fmt: skip
        (tmp_path / name).write_bytes(content)
        actions.open_file(context, tmp_path / name)
        assert name in sentences[-1]
    actions.open_file(context, tmp_path / "gone.c3d")
    assert "gone.c3d" in sentences[-1]
    assert not context.document.is_open


@pytest.fixture
def without_trunk(acquisition, tmp_path):
    """The movement and its static without markers that thorax and pelvis need, so that no model can be built."""
    for name, path in (("S1_push.c3d", acquisition["emt"]), ("S1_static.c3d", ImportPlan(acquisition["emt"]))):
        source = read(path).session.static if isinstance(path, ImportPlan) else read_trial(path)
        kept = [one for one in source.markers.names if one not in TRUNK]
        write_trial(replace(source, markers=source.markers.select(kept)), tmp_path / name)
    return tmp_path / "S1_push.c3d"


def tried(qtbot, dialog):
    qtbot.waitUntil(lambda: not (dialog._try_due.isActive() or dialog._trying.busy), timeout=60000)


def test_what_cannot_be_analysed_is_told_before_the_import(qtbot, context, without_trunk):
    """Joint angles had been promised, and a message told the contrary afterwards."""
    dialog = ImportDialog(context, read(ImportPlan(without_trunk)))
    qtbot.addWidget(dialog)
    failures = []
    dialog._trying.failed.connect(lambda title, sentence: failures.append(sentence))
    dialog.show()
    qtbot.waitUntil(lambda: failures or not dialog.analyse.isEnabled())  # tried again while tables still fill
    assert failures == []  # the dialog shows none: whether it can be analysed is left open then
    assert "not analysed as it is" in dialog.reach.text()
    assert "cannot be built" in dialog.analyse.toolTip()
    assert dialog.pages.item(LABELS).data(MARK) == "!"
    dialog.pages.setCurrentRow(LABELS)
    assert "cannot be built" in dialog.reason.text()
    dialog.accept()
    assert context.document.is_open
    assert not context.jobs.busy  # nothing was begun


def test_a_try_that_fails_leaves_it_to_the_analysis_to_tell(qtbot, context, without_trunk, monkeypatch):
    """What an earlier try had found kept "Analyse at once" off, whatever was chosen afterwards."""
    dialog = ImportDialog(context, read(ImportPlan(without_trunk)))
    qtbot.addWidget(dialog)
    dialog.show()
    tried(qtbot, dialog)
    assert not dialog.analyse.isEnabled()

    def broken(*_):
        raise RuntimeError("a fault of the program")

    monkeypatch.setattr("biomec_app.dialogs.importing.obstacles", broken)
    dialog._try()
    tried(qtbot, dialog)
    assert dialog.analyse.isEnabled()
    dialog.reject()


def test_labels_that_are_put_right_let_it_be_analysed(qtbot, context, dialog):
    tried(qtbot, dialog)
    assert dialog.analyse.isEnabled()
    combos = dialog.mapping._combos
    for label in TRUNK:
        combos[label].setCurrentText("not used")
        combos[label].activated.emit(0)
    tried(qtbot, dialog)
    assert not dialog.analyse.isEnabled()
    assert not dialog.analyse.isChecked()
    for label in TRUNK:
        combos[label].setCurrentText(label)
        combos[label].activated.emit(0)
    tried(qtbot, dialog)
    assert dialog.analyse.isEnabled()
    assert dialog.analyse.isChecked()  # as before
    dialog.reject()


def test_an_analysis_that_stops_keeps_what_was_done_and_the_reason(qtbot, context, without_trunk):
    sentences = []
    context.jobs.failed.connect(lambda title, sentence: sentences.append(sentence))
    session = read(ImportPlan(without_trunk)).session
    imported(context, Analysis(session), without_trunk, "")
    analyse_imported(context, KINEMATICS)
    qtbot.waitUntil(lambda: not context.jobs.busy, timeout=60000)
    analysis = context.document.analysis
    assert list(analysis.done) == ["preparation", "signals"]
    assert context.document.history[-1] == 'analysis = analysis.run_until("signals")'
    (notice,) = (notice for notice in analysis.notices if notice.code == STOPPED)
    assert sentences == [notice.sentence]


def test_a_wrong_unit_is_put_right_while_importing(qtbot, context, acquisition, tmp_path):
    """The page had said "check the unit" and had nothing to change it with."""
    trial = read_trial(acquisition["emt"])
    huge = replace(trial.markers, p_WM=1000.0 * trial.markers.p_WM)
    write_trial(replace(trial, markers=huge, plates=(), emg=None, events=()), tmp_path / "huge.emt")
    dialog = ImportDialog(context, read(ImportPlan(tmp_path / "huge.emt")))
    qtbot.addWidget(dialog)
    before = dialog.preview.session.dynamic.markers.p_WM
    size = dialog.axes.size_
    size.setCurrentIndex(size.findData(0.001))
    size.activated.emit(size.currentIndex())
    idle(qtbot, dialog)
    assert dialog.plan.factor == 0.001
    assert size.currentData() == 0.001
    now = dialog.preview.session.dynamic.markers.p_WM
    assert np.array_equal(now, 0.001 * before, equal_nan=True)
    assert "unit-contradicted" not in [notice.code for notice in dialog.preview.session.dynamic.notices]
    dialog.analyse.setChecked(False)
    dialog.accept()
    line = context.document.history[0]
    names = {}
    exec("\n".join(replay._imports([line])), names)
    exec(line, names)
    assert np.array_equal(names["analysis"].session.dynamic.markers.p_WM, now, equal_nan=True)


def test_reasons_for_labels_are_not_cut_off(qtbot, context, acquisition, tmp_path):
    """They were, where they were longest: at labels that are not certain."""
    trial = read_trial(acquisition["emt"])
    names = tuple("JUGULAR" if name == "IJ" else f"X{name}" if name == "PX" else name for name in trial.markers.names)
    other = replace(trial, markers=replace(trial.markers, names=names), plates=(), emg=None, events=())
    write_trial(other, tmp_path / "other.emt")
    dialog = ImportDialog(context, read(ImportPlan(tmp_path / "other.emt")))
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.pages.setCurrentRow(LABELS)
    qtbot.waitExposed(dialog)
    table, metrics = dialog.mapping.table, dialog.mapping.table.fontMetrics()
    table.setColumnWidth(0, 260)  # little room is left
    width = table.columnWidth(2) - 8  # margins of a cell
    lines = []
    for row in range(table.rowCount()):
        text = table.item(row, 2).text()
        needed = metrics.boundingRect(QRect(0, 0, width, 1000), Qt.TextFlag.TextWordWrap, text).height()
        assert table.rowHeight(row) >= needed, text
        lines.append(round(needed / metrics.lineSpacing()))
    assert max(lines) > 2  # or the test could not fail


def test_the_labels_of_header_and_page_add_up(dialog):
    """The header told 71 markers, the page 87 labels of the same recording."""
    labels = all_labels(dialog.preview.session)
    here = len(dialog.preview.session.dynamic.markers.names)
    assert here < len(labels)
    assert dialog.summary.text().startswith(f"{here} markers and {len(labels) - here} more in the static,")
    assert f"of {len(labels)} labels of movement and static" in dialog.mapping.words.text()
