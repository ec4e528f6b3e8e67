"""The list of notices, and where a click leads."""

from dataclasses import replace

import pytest
from PySide6.QtGui import QGuiApplication

from biomec.base.notices import Severity, info, problem, warning
from biomec_app.features.trust.notice_content import Target, as_text, counts, frame_words, shown, target
from biomec_app.features.trust.notices import NOTICE, NoticePanel
from biomec_app.kit.theme import DARK

GAP = problem("gap", "C7 is lost for long.", "C7", frames=(40, 60))
JOINT = warning("joint", "The right elbow comes apart.", "right elbow")
SEGMENT = warning("segment", "The thorax changes its shape.", "thorax", "C7")
REMARK = info("remark", "All is well.")


@pytest.fixture(scope="module")
def troubled(demo_analysis):
    session = replace(demo_analysis.session, notices=(REMARK, GAP, JOINT, SEGMENT, GAP))
    return replace(demo_analysis, session=session)


@pytest.fixture
def panel(qtbot, context, troubled):
    context.document.open(troubled)
    widget = NoticePanel(context)
    qtbot.addWidget(widget)
    widget.resize(900, 200)
    widget.show()
    return widget


def lines(panel):
    heads = [panel.list.topLevelItem(k) for k in range(panel.list.topLevelItemCount())]
    return [head.child(k) for head in heads for k in range(head.childCount())]


def line(panel, notice):
    return next(item for item in lines(panel) if item.data(0, NOTICE) == notice)


def test_the_most_severe_come_first_and_each_once():
    found = shown([REMARK, GAP, JOINT, GAP], set(Severity))
    assert [group.severity for group in found] == [Severity.PROBLEM, Severity.WARNING, Severity.INFO]
    assert found[0].notices == (GAP,)
    assert counts([REMARK, GAP, JOINT, GAP]) == {Severity.PROBLEM: 1, Severity.WARNING: 1, Severity.INFO: 1}


def test_exchanged_labels_are_repaired_by_a_button_and_undone(qtbot, context, troubled):
    """What the user saw: a notice about exchanged labels, and no way to act on it."""
    context.document.open(troubled)
    panel = NoticePanel(context)
    qtbot.addWidget(panel)
    panel.show()
    assert not panel.repair.isVisible()
    found = warning("labels-swapped", "A and B seem to have exchanged labels.", "A", "B")
    context.document.open(replace(troubled, session=replace(troubled.session, notices=(found,))))
    assert panel.repair.isVisible()
    panel.repair.click()
    assert context.document.analysis.settings.preparation.repair_swaps
    assert not context.document.analysis.is_current("preparation")
    assert "repair_swaps=True" in context.document.history[-1]
    context.document.undo_stack.undo()
    assert not context.document.analysis.settings.preparation.repair_swaps


def test_words_and_severities_filter():
    everything = [REMARK, GAP, JOINT, SEGMENT]
    assert [one for group in shown(everything, set(Severity), "c7") for one in group.notices] == [GAP, SEGMENT]
    assert shown(everything, {Severity.INFO}, "lost") == ()


def test_a_notice_leads_to_its_frames_and_to_what_it_is_about(troubled):
    assert target(troubled, GAP) == Target(frame=40, point="C7")
    assert target(troubled, SEGMENT) == Target(segment="thorax")
    centre = next(joint.centre for joint in troubled.body.person.model.joints if joint.name == "right elbow")
    assert target(troubled, JOINT) == Target(point=centre)
    assert not target(troubled, REMARK).leads_anywhere
    assert frame_words(troubled, GAP) == "frames 41–61"
    assert frame_words(troubled, REMARK) == ""


def test_text_to_copy_has_headings():
    text = as_text(shown([GAP, REMARK], set(Severity)))
    assert text.startswith("Problems (1). ")
    assert "- C7 is lost for long." in text
    assert as_text(()) == ""


def test_a_click_goes_there(panel, context):
    panel.list.itemClicked.emit(line(panel, GAP), 0)
    assert context.document.frame == 40
    assert context.document.selection.point == "C7"
    panel.list.itemActivated.emit(line(panel, SEGMENT), 0)
    assert context.document.selection.segment == "thorax"
    assert context.document.frame == 40  # it has no frames of its own


def test_buttons_count_and_hide(panel):
    assert panel.filters[Severity.PROBLEM].text() == "Problems 1"
    before = len(lines(panel))
    panel.filters[Severity.INFO].setChecked(False)
    assert len(lines(panel)) == before - counts(panel._notices())[Severity.INFO]
    panel.search.setText("elbow comes")
    assert [item.data(0, NOTICE) for item in lines(panel)] == [JOINT]
    panel.search.setText("nonsense")
    assert panel.list.topLevelItem(0).text(0) == "No notice holds these words."
    assert not panel.copy_all.isEnabled()


def test_copies_what_is_shown_or_chosen(panel):
    panel.search.setText("C7")
    panel.copy_all.click()
    assert "- C7 is lost for long." in QGuiApplication.clipboard().text()
    assert "elbow" not in QGuiApplication.clipboard().text()
    line(panel, GAP).setSelected(True)
    panel._copy_chosen()
    assert QGuiApplication.clipboard().text() == GAP.sentence


def test_long_sentences_wrap(panel):
    panel.list.expandAll()  # remarks are folded where warnings lead
    longest = max(lines(panel), key=lambda item: len(item.data(0, NOTICE).sentence))
    heights = {}
    for width in (1600, 420):
        panel.resize(width, 300)
        panel.list.doItemsLayout()
        heights[width] = panel.list.visualItemRect(longest).height()
    assert heights[420] > 1.5 * heights[1600]


def test_without_a_recording_there_is_nothing_to_tell(panel, context):
    context.document.close()
    assert panel.list.topLevelItem(0).text(0) == "There is nothing to tell."
    panel.set_theme(DARK)
    assert panel.grab().width() > 0
