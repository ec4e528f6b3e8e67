"""The document: one object that all views listen to."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from biomec.base.errors import BiomecError
from biomec.body.kinematics.joint_angles import AngleOptions
from biomec_app.session.document import Document
from biomec_app.shell.actions.edit import ACTIONS as EDIT


def changed(analysis):
    return analysis.with_settings(replace(analysis.settings, angles=AngleOptions(convention="isb")))


def test_nothing_is_open_at_first(qapp):
    document = Document()
    assert not document.is_open
    assert document.title == ""
    assert document.frames == 0
    with pytest.raises(BiomecError, match="Open or import a recording first"):
        _ = document.analysis


def test_a_change_can_be_undone_and_done_again(document_with_demo, demo_analysis):
    document = document_with_demo
    after = changed(demo_analysis)
    document.change("Settings", after, "settings = …")
    assert document.analysis is after
    assert document.history == ["settings = …"]
    document.undo_stack.undo()
    assert document.analysis is demo_analysis
    assert document.history == []
    document.undo_stack.redo()
    assert document.analysis is after


def test_what_is_not_saved_has_a_star(document_with_demo, demo_analysis):
    document = document_with_demo
    assert document.is_modified  # an imported recording has no project yet
    document.saved_as(Path("walk.biomec"))
    assert document.title == "walk.biomec"
    document.change("Settings", changed(demo_analysis))
    assert document.title == "walk.biomec *"
    document.undo_stack.undo()
    assert document.title == "walk.biomec"


def test_setters_that_change_nothing_say_nothing(document_with_demo, qtbot):
    document = document_with_demo
    document.set_frame(5)
    with qtbot.assertNotEmitted(document.frame_changed), qtbot.assertNotEmitted(document.view_changed):
        document.set_frame(5)
        document.set_view(coloured=document.view.coloured)
    with qtbot.waitSignal(document.frame_changed) as seen:
        document.set_frame(10**9)
    assert seen.args == [document.frames - 1]
    with qtbot.waitSignal(document.selection_changed):
        document.select(segment="right hand")


def test_closing_forgets_what_could_be_undone(document_with_demo, demo_analysis):
    document_with_demo.change("Settings", changed(demo_analysis))
    document_with_demo.close()
    assert not document_with_demo.is_open
    assert not document_with_demo.undo_stack.canUndo()
    assert not document_with_demo.is_modified


def test_a_result_for_a_recording_changed_meanwhile_is_not_used(qtbot, context, document_with_demo, demo_analysis):
    """F5, then another sex in Subject while it ran: when the run ended, the sex was the old one again."""
    go = threading.Event()

    def work(analysis, progress):
        go.wait(600.0)
        return changed(analysis)

    context.analyse("Slow", work, "…")
    edited = replace(demo_analysis, session=replace(demo_analysis.session, settings={"edited": True}))
    document_with_demo.change("Subject", edited)
    with qtbot.waitSignal(context.jobs.failed, timeout=5000) as failed:
        go.set()
    assert "changed meanwhile" in failed.args[1]
    assert document_with_demo.analysis is edited


def test_edits_wait_for_the_running_job(qtbot, context, document_with_demo):
    go = threading.Event()
    context.jobs.start("Slow", lambda progress: go.wait(600.0), lambda value: None)
    edits = [action for action in EDIT if action.key in ("edit.subject", "edit.settings", "edit.labels")]
    assert {action.blocked(context) for action in edits} == {'"Slow" is running. Wait until it is done, or cancel it.'}
    with qtbot.waitSignal(context.jobs.finished, timeout=5000):
        go.set()
    assert {action.blocked(context) for action in edits} == {None}
