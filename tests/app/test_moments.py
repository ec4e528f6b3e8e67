"""Frames and times beside each other, for a file that begins with its frame 286."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from biomec.pipeline.analysis import Analysis
from biomec_app.moments import file_clock_s, moment_told, zero_told
from biomec_app.panels.catalogue import catalogue
from biomec_app.panels.default_curves import default_curves
from biomec_app.panels.notices import NoticePanel
from biomec_app.panels.plot_content import panes
from biomec_app.panels.plot_view import PlotView
from biomec_app.panels.tree_content import tree
from biomec_app.viewer.timeline import Timeline, marks

FIRST = 286
MATCHING = Qt.MatchFlag.MatchContains | Qt.MatchFlag.MatchRecursive


@pytest.fixture(scope="module")
def cut(walk_analysis) -> Analysis:
    """The walk as if it had been cut from a longer recording."""
    session = walk_analysis.session
    dynamic = replace(session.dynamic, first_frame=FIRST)
    return replace(walk_analysis, session=replace(session, dynamic=dynamic))


def test_the_clock_of_the_file_runs_since_its_frame_1(cut):
    """Frame 384 stood beside 0.98 s, and a strike at 0.17 s that the laboratory knew at 3.02 s."""
    trial = cut.session.dynamic
    assert trial.rate_hz == 100.0
    assert file_clock_s(trial, 0.17) == pytest.approx((FIRST + 17 - 1) / 100.0)
    assert moment_told(trial, 0.17) == "0.17 s from start, frame 303 (3.02 s on the file's clock)"
    assert "frame 286 of the file" in zero_told(trial)
    whole = replace(trial, first_frame=1)
    assert moment_told(whole, 0.17) == "0.17 s from start, frame 18"


def test_wherever_frame_and_time_stand_together_the_zero_is_told(qtbot, context, cut):
    timeline, notices = Timeline(context), NoticePanel(context)
    for widget in (timeline, notices):
        qtbot.addWidget(widget)
    context.document.open(cut)
    context.document.set_frame(98)
    assert (timeline.frame.value(), timeline.time.value()) == (384, pytest.approx(0.98))
    words = [label.text() for label in timeline.findChildren(type(timeline.legend))]
    assert "From start" in words
    assert "2.85 s there" in timeline.time.toolTip()
    events = next(node for node in tree(cut).children[0].children if node.key == "recording/events")
    assert "frame 286" in events.tip
    assert all("on the file's clock" in node.tip for node in events.children)
    assert any("from start, frame" in mark.words for mark in marks(cut) if mark.event)
    keys = default_curves(cut, catalogue(cut))
    assert panes(catalogue(cut).found(keys), PlotView(), cut)[0].x_label == "time from start [s]"
    tips = [item.toolTip(2) for item in notices.list.findItems("", MATCHING) if item.text(2)]
    assert tips
    assert all("from start, frame" in tip and "2.85 s there" in tip for tip in tips)
