"""The File menu, driven as a user does: open, save, export, recent files; unsaved work is asked about."""

import errno
import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.testing import assert_array_equal
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent

from biomec.io.project import load_project, save_project
from biomec.pipeline.analysis import ALWAYS, analyze
from biomec.pipeline.reopen import open_again
from biomec.recording import Subject
from biomec_app.dialogs.import_plan import ImportPlan, read
from biomec_app.dialogs.importing import FILES, MARK, ImportDialog
from biomec_app.session.project_file import SAVE, may_discard
from biomec_app.shell import files
from biomec_app.shell.actions.file import ACTIONS
from tests.app.shell.files.menus import idle, run
from tests.real_data import recording


def test_the_menu_has_the_usual_order_and_shortcuts(window):
    menu = window.menuBar().actions()[0].menu()
    texts = [action.text().replace("&", "").rstrip("…") for action in menu.actions() if action.text()]
    wanted = ["Import", "Open", "Save", "Save As", "Save Stretch", "Copy Figure", "Save Figure", "Exit"]
    assert [text for text in texts if text in wanted] == wanted
    keys = {key: item.shortcut().toString() for key, (_, item) in window.menus.items.items()}
    assert {key: keys[f"file.{key}"] for key in ("import", "open", "save", "save-as", "save-stretch", "exit")} == {
        "import": "Ctrl+I", "open": "Ctrl+O", "save": "Ctrl+S", "save-as": "Ctrl+B", "save-stretch": "Ctrl+L",
        "exit": "Ctrl+E",
    }  # fmt: skip


def test_items_that_cannot_run_say_why(window):
    for action in ACTIONS:
        if action.run is None or action.key.startswith("file.recent"):
            continue
        _, item = window.menus.items[action.key]
        always = (
            "file.import",
            "file.open",
            "file.open-visit",
            "file.open-study",
            "file.study",
            "file.demo",
            "file.exit",
        )
        assert item.isEnabled() == (action.key in always), action.key
        if not item.isEnabled():
            window.menus.run(action.key)
            assert window.heard.pop().endswith(".")


def test_save_and_open_give_the_same_numbers_as_the_library(qtbot, with_recording, short_analysis, tmp_path):
    with_recording.path = tmp_path / "study"
    run(qtbot, with_recording, "file.save")
    path = tmp_path / "study.biomec"
    document = with_recording.context.document
    assert document.path == path
    assert not document.is_modified
    assert document.title == "study.biomec"
    run(qtbot, with_recording, "file.close")
    assert not document.is_open
    with_recording.path = path
    run(qtbot, with_recording, "file.open")
    assert not document.is_modified
    again = document.analysis
    assert_array_equal(again.motion.q, short_analysis.motion.q)
    assert_array_equal(again.angles.values, short_analysis.angles.values)
    assert_array_equal(again.cycles.curves["both"].mean, short_analysis.cycles.curves["both"].mean)
    by_hand = analyze(load_project(path))
    assert_array_equal(by_hand.angles.values, again.angles.values)
    assert with_recording.context.preferences.recent == [path]
    assert with_recording.menus.items["file.recent.1"][1].text().startswith("&1 study.biomec")
    assert not with_recording.menus.items["file.recent.2"][1].isVisible()
    run(qtbot, with_recording, "file.forget-recent")
    assert with_recording.context.preferences.recent == []


def test_a_recent_file_that_is_gone_is_told(qtbot, window, tmp_path):
    window.context.preferences.add_recent(tmp_path / "gone.biomec")
    window.menus.refresh()
    run(qtbot, window, "file.recent.1")
    assert "no such file" in window.heard[0]


def test_closing_with_unsaved_work_asks(qtbot, whole, tmp_path):
    document = whole.context.document
    whole.answer = None  # cancel
    assert not whole.close()
    assert whole.isVisible()
    assert "Save the changes of" in whole.asked[0]
    whole.answer, whole.path = SAVE, None  # save, but then no name
    assert not whole.close()
    whole.path = tmp_path / "last.biomec"
    assert whole.close()
    assert (tmp_path / "last.biomec").exists()
    assert not document.is_modified
    assert whole.windowTitle().startswith("last.biomec –")


def test_a_disk_that_is_full_gives_a_sentence_and_loses_nothing(qtbot, with_recording, tmp_path, monkeypatch):
    with_recording.path = tmp_path / "kept.biomec"
    run(qtbot, with_recording, "file.save")
    before = with_recording.path.read_bytes()
    analysis = with_recording.context.document.analysis
    changed = replace(analysis, session=replace(analysis.session, subject=Subject("Other", mass_kg=70.0)))
    with_recording.context.document.change("Subject", changed)

    def full(fd):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("biomec.base.atomic.os.fsync", full)
    with_recording.context.jobs.failed.connect(lambda title, sentence: with_recording.heard.append(sentence))
    run(qtbot, with_recording, "file.save")
    assert "No space left" in with_recording.heard[-1]
    assert with_recording.path.read_bytes() == before
    assert with_recording.context.document.is_modified
    monkeypatch.undo()
    run(qtbot, with_recording, "file.save")
    assert not with_recording.context.document.is_modified
    assert load_project(with_recording.path).subject.name == "Other"


def test_a_project_that_is_damaged_is_told_and_the_open_one_stays(qtbot, with_recording, tmp_path):
    broken = tmp_path / "broken.biomec"
    broken.write_bytes(b"BIOMEC PROJECT\nschema 1\n")
    with qtbot.waitSignal(with_recording.context.jobs.failed) as failed:
        files.open_file(with_recording.context, broken)
    assert "broken.biomec" in failed.args[1]
    assert with_recording.context.document.is_open


def test_a_new_file_is_read_before_the_old_one_is_asked_about(qtbot, with_recording, tmp_path):
    """Whoever chose a damaged file was first asked to save what was open."""
    context = with_recording.context
    context.document.undo_stack.resetClean()
    broken = tmp_path / "broken.biomec"
    broken.write_bytes(b"BIOMEC PROJECT\nschema 1\n")
    with qtbot.waitSignal(context.jobs.failed):
        files.open_file(context, broken)
    assert with_recording.asked == []
    save_project(context.document.analysis.session, tmp_path / "good.biomec")
    with_recording.answer = None
    with qtbot.waitSignal(context.jobs.finished):
        files.open_file(context, tmp_path / "good.biomec")
    assert len(with_recording.asked) == 1
    assert context.document.path != tmp_path / "good.biomec"


def test_a_change_while_saving_stays_unsaved(qtbot, with_recording, tmp_path):
    with_recording.path = tmp_path / "study.biomec"
    with_recording.menus.run("file.save")
    document = with_recording.context.document
    other = replace(document.analysis.session, subject=Subject("Other"))
    document.change("Subject", replace(document.analysis, session=other))
    idle(qtbot, with_recording)
    assert document.path == with_recording.path
    assert document.is_modified
    assert load_project(with_recording.path).subject.name != "Other"


def test_a_stretch_of_one_cycle_opens_as_a_session(qtbot, with_recording, short_analysis, tmp_path):
    from PySide6.QtCore import Qt

    from biomec_app.dialogs.stretch import StretchDialog

    run(qtbot, with_recording, "file.save-stretch")
    (dialog,) = with_recording.findChildren(StretchDialog)
    assert not dialog.by_window.isEnabled() or with_recording.context.figure is not None
    assert dialog.cycles.count() == 2
    dialog.cycles.item(1).setCheckState(Qt.CheckState.Checked)
    assert dialog.by_cycles.isChecked()
    with_recording.path = tmp_path / "cycle2.biomec"
    dialog.accept()
    idle(qtbot, with_recording)
    first, last = short_analysis.cycles.groups["both"].spans[1]
    part = open_again(load_project(tmp_path / "cycle2.biomec"))
    assert part.session.dynamic.frames == last - first + 1
    assert set(part.done) == set(short_analysis.done)
    # a filter sees other ends, so that angles agree but not to the bit: most of a degree is never reached
    apart = np.degrees(np.abs(part.angles.values - short_analysis.angles.values[first : last + 1]))
    assert np.nanmedian(apart) < 0.5
    assert with_recording.context.document.analysis is short_analysis


def test_the_demonstration_opens_analysed_and_may_be_closed_unasked(qtbot, window):
    run(qtbot, window, "file.demo")
    document = window.context.document
    assert len(document.analysis.done) == len(ALWAYS)
    assert not document.is_modified
    assert may_discard(window.context)
    assert window.asked == []


def drop(qtbot, window, *paths):
    """Drop files on the window, and wait until they are read."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, buttons, keys))
    idle(qtbot, window)


def test_a_file_that_is_dropped_is_opened(qtbot, whole, tmp_path):
    whole.path = tmp_path / "study.biomec"
    run(qtbot, whole, "file.save")
    run(qtbot, whole, "file.close")
    drop(qtbot, whole, whole.path)
    assert whole.context.document.path == whole.path


def test_of_files_dropped_together_the_movement_is_imported_and_the_other_is_its_static(
    qtbot, whole, movement_file, static_file, tmp_path
):
    """The first that was dropped had been taken, and analysed into flat curves where it was the static."""
    run(qtbot, whole, "file.close")
    static, movement = tmp_path / "A01.c3d", tmp_path / "elsewhere" / "A05.c3d"
    movement.parent.mkdir()
    shutil.copy(static_file, static)
    shutil.copy(movement_file, movement)
    drop(qtbot, whole, static, movement)
    (dialog,) = whole.findChildren(ImportDialog)
    assert (dialog.plan.dynamic, dialog.plan.static) == (movement, static)
    assert dialog.preview.session.static.source.name == "A01.c3d"
    assert dialog.pages.item(FILES).data(MARK) == "✓"
    dialog.reject()


def test_what_is_no_recording_among_files_dropped_together_is_told_and_the_others_are_imported(
    qtbot, whole, movement_file, tmp_path
):
    """A letter that lay among the recordings had kept all of them out."""
    run(qtbot, whole, "file.close")
    sentences = []
    whole.context.user.tell = whole.context.user.fail = lambda title, sentence: sentences.append(sentence)
    whole.context.jobs.failed.connect(lambda title, sentence: sentences.append(sentence))
    letter, scan, notes = (tmp_path / name for name in ("letter.docx", "scan.pdf", "notes.txt"))
    letter.write_bytes(b"PK\x03\x04" + b"\0" * 60)
    scan.write_bytes(b"%PDF-1.7")
    notes.write_text("Tuesday, closed grip\n", "utf-8")
    drop(qtbot, whole, letter, notes, movement_file, scan)
    (dialog,) = whole.findChildren(ImportDialog)
    assert dialog.plan.dynamic == movement_file
    (sentence,) = sentences
    assert sentence.startswith("Left out: letter.docx, scan.pdf: this is not a recording that Biomec knows.")
    assert " notes.txt: " in sentence
    dialog.done(0)
    dialog.deleteLater()
    qtbot.turns()
    drop(qtbot, whole, letter, scan)
    assert sentences[1].startswith("letter.docx, scan.pdf: this is not a recording that Biomec knows.")
    drop(qtbot, whole, notes, letter)  # alone, it may be a table, but it is none
    assert "notes.txt" in sentences[2]
    assert whole.findChildren(ImportDialog) == []


def test_a_project_among_files_dropped_together_is_opened_and_the_others_told(qtbot, whole, tmp_path):
    sentences = []
    whole.context.user.tell = whole.context.user.fail = lambda title, sentence: sentences.append(sentence)
    whole.path = tmp_path / "study.biomec"
    run(qtbot, whole, "file.save")
    run(qtbot, whole, "file.close")
    letter = tmp_path / "letter.docx"
    letter.write_bytes(b"PK\x03\x04")
    drop(qtbot, whole, letter, whole.path)
    assert whole.context.document.path == whole.path
    assert sentences == ["A project is opened by itself: study.biomec was taken, and letter.docx left out."]


def test_a_static_imported_as_the_movement_is_worth_a_look(qtbot, context, movement_file, static_file):
    dialog = ImportDialog(context, read(ImportPlan(static_file, static=movement_file)))
    qtbot.addWidget(dialog)
    assert dialog.pages.item(FILES).data(MARK) == "!"
    assert "is this the static?" in dialog.reason.text()
    assert "is this the static?" in dialog.notices.toPlainText()


def test_cancelling_an_opening_leaves_the_document(qtbot, with_recording, tmp_path):
    with_recording.path = tmp_path / "study.biomec"
    run(qtbot, with_recording, "file.save")
    analysis = with_recording.context.document.analysis
    files.open_project(with_recording.context, Path(with_recording.path))
    with_recording.context.jobs.cancel()
    idle(qtbot, with_recording)
    assert with_recording.context.document.analysis is analysis


def test_a_recording_can_be_opened_without_any_question(qtbot, window, tmp_path):
    files.open_unasked(window.context, recording("gait_pig_pair/HC030A05.c3d"))
    idle(qtbot, window)
    analysis = window.context.document.analysis
    assert len(analysis.done) == len(ALWAYS)
    assert analysis.session.static.source.name == "HC030A01.c3d"
    window.path = tmp_path / "walk.biomec"
    run(qtbot, window, "file.save")
    files.open_unasked(window.context, window.path)
    idle(qtbot, window)
    assert_array_equal(window.context.document.analysis.angles.values, analysis.angles.values)
