"""File ▸ Open Visit…: recordings of a folder are analysed in a job, shown together, and one of them is the document."""

from dataclasses import replace

import pytest

from biomec.recording import ClinicalNotes
from biomec.reporting.clinical.visit import LeftOutTrial, visit_of
from biomec_app.features.clinical import visit_opening
from biomec_app.features.clinical.visit_opening import members_of, open_visit, show_visit
from biomec_app.features.clinical.window import KINEMATICS, ClinicalWindow
from biomec_app.session.project_file import DISCARD
from biomec_app.shell.files import open_file
from tests.app.features.clinical.conftest import Answers, settled


def again(analysis):
    """The same recording as if it were another one of the visit."""
    return replace(analysis, session=replace(analysis.session))


@pytest.fixture
def visit(walk_analysis):
    both = [walk_analysis, again(walk_analysis)]
    return visit_of(both, ("first", "second"), (LeftOutTrial("third", "It holds no markers."),))


@pytest.fixture
def shown(context, visit, qtbot):
    context.user = Answers("stumbled")
    show_visit(context, visit)
    window = ClinicalWindow(context)
    window.show()
    settled(window, qtbot)
    yield window
    window.close()


def test_a_folder_is_analysed_in_the_background_and_its_first_recording_shown(
    context, visit, qtbot, monkeypatch, tmp_path
):
    asked = []

    def opened(paths, progress):
        asked.append(paths)
        progress(0.5)
        return visit

    monkeypatch.setattr(visit_opening, "opened_visit", opened)
    open_file(context, tmp_path)  # what a drop on the window calls
    assert context.jobs.busy
    qtbot.waitUntil(lambda: not context.jobs.busy)
    assert asked == [[tmp_path]]
    assert [one.name for one in context.visit.members] == ["first", "second", "third"]
    assert context.visit.members[2].reason == "It holds no markers."
    assert context.document.analysis is visit.trials[0].analysis
    assert not context.document.is_modified
    assert context.visit.folder == tmp_path


def test_nothing_is_opened_if_it_is_cancelled(context, walk_analysis, qtbot, monkeypatch, tmp_path):
    context.document.open(walk_analysis)

    def opened(paths, progress):
        while True:
            progress(0.5)

    monkeypatch.setattr(visit_opening, "opened_visit", opened)
    with qtbot.waitSignal(context.jobs.cancelled):
        open_visit(context, tmp_path)
        context.jobs.cancel()
    assert context.document.analysis is walk_analysis
    assert len(context.visit.members) == 1


def test_cycles_of_all_recordings_are_pooled(shown, walk_analysis):
    alone = visit_of([walk_analysis]).cycles()["right", "knee flexion"]
    panel = shown.grids[KINEMATICS].place_of("knee flexion").panel
    course = next(one for one in panel.courses if one.side == "right")
    assert len(course.curves) == 2 * len(alone)
    assert {one.trial for one in course.origins} == {0, 1}
    tree = shown.trials
    assert [tree.topLevelItem(k).text(0) for k in range(3)] == ["first", "second", "third"]
    assert tree.topLevelItem(2).text(1) == "It holds no markers."


def test_a_cycle_of_another_recording_brings_that_one_to_the_window(shown, context, visit):
    origin = next(one for one in visit.cycles()["right", "knee flexion"].origins if one.trial == 1)
    shown.trials.picked.emit(1, "right", origin)
    assert context.visit.place == 1
    assert context.document.analysis is visit.trials[1].analysis
    assert context.document.frame == origin.first


def test_a_recording_is_excluded_with_a_reason(shown, context, qtbot):
    from PySide6.QtCore import Qt

    shown.trials.topLevelItem(1).setCheckState(0, Qt.CheckState.Unchecked)
    settled(shown, qtbot)
    assert context.visit.place == 1  # what is excluded is seen
    assert context.document.analysis.session.notes.excluded == "stumbled"
    panel = shown.grids[KINEMATICS].place_of("knee flexion").panel
    assert {one.trial for course in panel.courses for one in course.origins} == {0}
    context.document.undo_stack.undo()
    settled(shown, qtbot)
    assert context.document.analysis.session.notes == ClinicalNotes()


def test_unsaved_work_is_asked_about_before_another_recording_is_shown(shown, context, visit):
    notes = replace(context.document.analysis.session.notes, findings="Stiff knee.")
    analysis = context.document.analysis
    context.document.change("Texts", replace(analysis, session=replace(analysis.session, notes=notes)))
    context.user.answer = None
    assert shown.cycles._show_trial(1) is False
    assert context.visit.place == 0
    context.user.answer = DISCARD
    assert shown.cycles._show_trial(1) is True
    assert context.visit.members[0].analysis is visit.trials[0].analysis


def test_another_recording_ends_the_visit(shown, context, walk_analysis):
    context.document.open(again(walk_analysis))
    assert len(context.visit.members) == 1
    assert context.visit.folder is None


def test_members_are_in_the_order_of_the_visit(visit):
    assert [one.analysis is None for one in members_of(visit)] == [False, False, True]
