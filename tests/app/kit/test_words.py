"""Names and moments in words."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from biomec.base.notices import warning
from biomec.pipeline.analysis import Analysis
from biomec_app.curves.catalogue import catalogue, default_curves
from biomec_app.dialogs.events import TIME, EventsDialog
from biomec_app.dialogs.plates import PlatesDialog
from biomec_app.dialogs.set_scale import SetScaleDialog
from biomec_app.dialogs.stretch import StretchDialog
from biomec_app.features.trust.notices import NoticePanel
from biomec_app.kit.words import (
    channel_words,
    file_clock_s,
    moment_told,
    origin,
    plate_user,
    plate_words,
    point_words,
    with_code,
    with_zero,
    zero_told,
)
from biomec_app.plots.plot_content import panes
from biomec_app.session.plot_view import PlotView
from biomec_app.shell.tree_content import tree
from biomec_app.viewer.timeline import Timeline


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("AA_D", "acromial angle, right"),
        ("C7", "spinous process of the 7th cervical vertebra"),
        ("CAQ_E", "centre of the hip joint, left"),
        ("what", ""),
    ],
)
def test_landmarks_are_told_in_words(code, words):
    assert point_words(code) == words
    assert with_code(code, words) == (f"{words} ({code})" if words else code)


def test_markers_of_another_set_have_that_set_s_words(demo_analysis):
    from biomec.io.marker_set_file import load_marker_set

    assert point_words("RFHD", load_marker_set("plug-in-gait")) == "front of the head band, right"


def test_plates_are_named_after_who_stands_on_them_not_after_their_label(demo_analysis):
    assert plate_words(demo_analysis, "Mao_D") == "right hand (Mao_D)"
    clean = demo_analysis.signals
    other = {"right hand": "left hand", "left hand": "right hand"}
    items = [replace(item, segment=other.get(item.segment, item.segment)) for item in clean.contacts.contacts]
    swapped = replace(clean.contacts, contacts=tuple(items))
    done = demo_analysis.done
    clean = replace(done["signals"], value=replace(clean, contacts=swapped))
    analysis = replace(demo_analysis, done={**done, "signals": clean})
    assert plate_user(analysis, "Mao_D") == "left hand"
    assert plate_words(analysis, "Mao_D") == "left hand (Mao_D)"


def test_channels_and_origins():
    assert channel_words("triceps_D") == "triceps, right (triceps_D)"
    assert channel_words("EMG 1") == "EMG 1"
    assert origin("Mao_D") == "Mao stands for mão, hand; _D stands for direita, right (Portuguese)."
    assert origin("AA_E") == "_E stands for esquerda, left (Portuguese)."
    assert "braço" in origin("CLBR_D_11")
    assert origin("C7") == ""


FIRST = 286
MATCHING = Qt.MatchFlag.MatchContains | Qt.MatchFlag.MatchRecursive


@pytest.fixture(scope="module")
def cut(walk_analysis) -> Analysis:
    """The walk as if it had been cut from a longer recording."""
    session = walk_analysis.session
    odd = warning("odd", "Something is odd there.", frames=(10, 12))  # a sound walk has no notice about frames
    dynamic = replace(session.dynamic, first_frame=FIRST).with_notices(odd)
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
    lane = timeline.events
    assert "from start, frame" in lane.told_at(lane.x_of(cut.events[0]))
    keys = default_curves(cut, catalogue(cut))
    assert panes(catalogue(cut).found(keys), PlotView(), cut)[0].x_label == "time from start [s]"
    tips = [item.toolTip(2) for item in notices.list.findItems("", MATCHING) if item.text(2)]
    assert tips
    assert all("from start, frame" in tip and "2.85 s there" in tip for tip in tips)


@pytest.mark.parametrize(
    ("sentence", "with_zero_words"),
    [
        ("It is largest from 1.20 to 1.35 s.", True),
        ("Right strikes at 0.17 and 3.02 s are too far apart to be one stride.", True),
        ("Contact 1 of the plate Pe_D (0.10 to 0.80 s) is short.", True),
        ("The plates are recorded from -0.100 s to 2.000 s, the markers from 0 s to 2.1 s.", True),
        ("Marker C7 is hidden from frame 312 to 498 (0.37 s). Gaps longer than 0.20 s are not filled.", False),
        ("It stands at 2 sides.", False),
    ],
)
def test_a_sentence_of_the_library_that_tells_a_moment_says_where_time_begins(cut, sentence, with_zero_words):
    assert with_zero(cut.session.dynamic, sentence) == sentence + (
        f" {zero_told(cut.session.dynamic)}" * with_zero_words
    )


def test_dialogs_and_notices_say_where_time_begins(qtbot, context, cut):
    """Events and Set Scale asked for a time, and did not say from where it counts."""
    asked = warning("strikes", "Right strikes at 0.17 and 3.02 s are too far apart to be one stride.")
    context.document.open(replace(cut, session=replace(cut.session, notices=(asked,))))
    trial = cut.session.dynamic
    events, plates, scale, stretch, notices = (
        make(context) for make in (EventsDialog, PlatesDialog, SetScaleDialog, StretchDialog, NoticePanel)
    )
    for widget in (events, plates, scale, stretch, notices):
        qtbot.addWidget(widget)
    for table, column in ((events.table, TIME), (plates.table, 2)):
        head = table.horizontalHeaderItem(column)
        assert (head.text(), head.toolTip()) == ("Time from start [s]", zero_told(trial))
    events.add_here()
    events.table.cellWidget(0, TIME).setValue(0.17)
    assert events.table.cellWidget(0, TIME).toolTip() == moment_told(trial, 0.17)
    assert "from start, frame" in plates.table.item(0, 2).toolTip()
    assert "Time from start" in [label.text() for label in scale.findChildren(QLabel)]
    assert scale.first.toolTip() == zero_told(trial)
    assert "s from start" in stretch.cycles.item(0).text()
    assert "on the file's clock" in stretch.cycles.item(0).toolTip()
    (item,) = notices.list.findItems(asked.sentence, MATCHING)
    assert item.toolTip(0) == f"{asked.sentence} {zero_told(trial)}"
