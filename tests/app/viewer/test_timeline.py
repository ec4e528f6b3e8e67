"""The timeline: slider, quality strip, buttons, keys."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from biomec.base.notices import GRADES, Grade
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.frame_map import FrameMap, FrameState, frame_map
from biomec_app.kit.theme import DARK, LIGHT
from biomec_app.viewer.playback import Loop
from biomec_app.viewer.quality_strip import RULER, WORDS, QualityStrip, StripMark, state_colours, thinned
from biomec_app.viewer.timeline import Timeline, marks


@pytest.fixture
def timeline(qtbot, context, document_with_demo):
    widget = Timeline(context)
    qtbot.addWidget(widget)
    widget.resize(700, widget.sizeHint().height())
    widget.show()
    widget.activateWindow()
    widget.setFocus()
    return widget


def a_map(states, held=()):
    contact = np.ones((len(states), len(held)), dtype=bool)
    none = np.zeros((len(states), 0), dtype=int)
    return FrameMap(np.array(states), (), none, None, tuple(held), contact, 100.0, 1)


def test_slider_boxes_and_document_move_together(timeline, document_with_demo):
    document_with_demo.set_frame(300)
    assert timeline.strip.value() == 300
    assert timeline.frame.value() == 301  # by the numbers of the file
    assert timeline.time.value() == pytest.approx(3.0)
    timeline.frame.setValue(11)
    assert document_with_demo.frame == 10
    timeline.time.setValue(5.5)
    assert document_with_demo.frame == 550


def test_a_click_on_the_strip_goes_there(qtbot, timeline, document_with_demo):
    strip = timeline.strip
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(round(strip.x_of(942)), strip.height() // 2))
    assert abs(document_with_demo.frame - 942) <= 2  # a pixel is some three frames wide
    qtbot.mousePress(strip, Qt.MouseButton.LeftButton, pos=QPoint(strip.width() + 50, 5))
    assert document_with_demo.frame == document_with_demo.frames - 1


@pytest.mark.parametrize(
    ("key", "modifier", "frame"),
    [
        (Qt.Key.Key_Right, Qt.KeyboardModifier.NoModifier, 101),
        (Qt.Key.Key_Left, Qt.KeyboardModifier.NoModifier, 99),
        (Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier, 110),
        (Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier, 90),
        (Qt.Key.Key_Home, Qt.KeyboardModifier.NoModifier, 0),
        (Qt.Key.Key_End, Qt.KeyboardModifier.NoModifier, 1884),
    ],
)
def test_keys_move_the_frame(qtbot, timeline, document_with_demo, key, modifier, frame):
    document_with_demo.set_frame(100)
    qtbot.keyClick(timeline, key, modifier)
    assert document_with_demo.frame == frame


def test_space_plays_and_pauses(qtbot, timeline):
    qtbot.keyClick(timeline, Qt.Key.Key_Space)
    assert timeline.playback.playing
    assert timeline.play.accessibleName() == "Pause"
    qtbot.keyClick(timeline, Qt.Key.Key_Space)
    assert not timeline.playback.playing


def test_keys_belong_to_the_field_that_is_typed_in(qtbot, context, document_with_demo):
    window = QWidget()
    field, timeline = QLineEdit(), Timeline(context)
    layout = QVBoxLayout(window)
    layout.addWidget(field)
    layout.addWidget(timeline)
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    qtbot.keyClicks(field, "right elbow")
    assert field.text() == "right elbow"
    assert not timeline.playback.playing
    assert document_with_demo.frame == 0


def test_speed_and_loop_are_chosen(timeline):
    timeline.speed.setCurrentText("0.25×")
    assert timeline.playback.speed == 0.25
    timeline.loop.setCurrentText("Loop cycle")
    assert timeline.playback.loop is Loop.CYCLE


def test_a_cycle_cannot_be_looped_before_cycles_are_found(qtbot, context, demo_analysis):
    bare = Analysis(demo_analysis.session, demo_analysis.settings)
    context.document.open(bare)
    widget = Timeline(context)
    qtbot.addWidget(widget)
    assert not widget.loop.model().item(2).isEnabled()
    context.document.change("analysed", demo_analysis)
    assert widget.loop.model().item(2).isEnabled()


def test_the_tooltip_says_why(timeline, demo_analysis):
    rebuilt = int(np.flatnonzero(timeline.map.state == FrameState.REBUILT)[0])
    tip = timeline.strip.told_at(timeline.strip.x_of(rebuilt))
    assert "rebuilt" in tip.lower()
    border = demo_analysis.cycles.groups["both"].borders[1]
    assert "cycle 2 begins" in timeline.strip.told_at(timeline.strip.x_of(border))


def test_the_legend_names_the_states_that_occur(timeline):
    text = timeline.legend.text()
    assert timeline.map.held == ("right hand", "left hand", "right foot", "left foot")
    for words in ("measured", "rebuilt", "interpolated", "contact"):
        assert words in text
    assert "converged" not in text


def test_marks_are_the_borders_of_cycles(demo_analysis):
    assert [mark.frame for mark in marks(demo_analysis)] == list(demo_analysis.cycles.groups["both"].borders)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_one_bad_frame_of_nine_thousand_is_seen(qtbot, theme):
    states = [FrameState.MEASURED] * 9000
    states[4321] = FrameState.FAILED
    strip = QualityStrip()
    qtbot.addWidget(strip)
    strip.set_theme(theme)
    strip.set_content(a_map(states, ("right foot",)), [StripMark(100, "a cycle")])
    strip.resize(600, strip.sizeHint().height())
    strip.show()
    picture = strip.grab().toImage()
    ratio = picture.devicePixelRatio()
    y = round((strip.band.top() + 5) * ratio)
    colours = {QColor(picture.pixel(x, y)).name() for x in range(picture.width())}
    assert QColor(state_colours(theme)[FrameState.FAILED]).name() in colours
    assert QColor(state_colours(theme)[FrameState.MEASURED]).name() in colours


def test_a_poor_contact_is_neither_green_nor_whole(qtbot):
    """A partial strike had the green of a good contact."""
    mapped = a_map([FrameState.MEASURED] * 300, ("right foot", "left foot"))
    grades = np.tile([GRADES.index(Grade.GOOD), GRADES.index(Grade.POOR)], (300, 1))
    sentence = "Left foot, Plate 2: partial strike."
    mapped = replace(mapped, grades=grades, contacts=((("left foot",), 0, 299, sentence),))
    strip = QualityStrip()
    qtbot.addWidget(strip)
    strip.set_content(mapped)
    strip.resize(600, strip.sizeHint().height())
    picture = strip._image(600)
    right, left = ({QColor(picture.pixel(x, row)).name() for x in range(600)} for row in (1, 2))
    assert right == {QColor(LIGHT.contact).name()}
    assert left == {QColor(LIGHT.failed).name(), QColor(LIGHT.line).name()}  # dashed
    assert sentence in strip.told_at(strip.x_of(150))
    assert mapped.found_grades == (Grade.GOOD, Grade.POOR)


def test_grades_are_those_of_the_loads(demo_analysis):
    mapped = frame_map(demo_analysis)
    contacts = demo_analysis.loads.trust.judged.contacts
    assert contacts
    for one in contacts:
        for segment in set(one.segments) & set(mapped.touching):
            k, (first, last) = mapped.touching.index(segment), one.frames
            seen = mapped.grades[first : last + 1, k][mapped.contact[first : last + 1, k]]
            assert set(seen.tolist()) <= {GRADES.index(one.grade)}
    before = replace(demo_analysis, done={k: v for k, v in demo_analysis.done.items() if k != "loads"})
    assert frame_map(before).found_grades == (Grade.NOT_JUDGED,)


def test_closing_the_recording_empties_the_strip(timeline, context):
    context.document.close()
    assert timeline.map is None
    assert not timeline.play.isEnabled()
    assert timeline.strip.told_at(50.0) == ""
    assert timeline.grab().width() > 0


def test_everything_has_a_name_and_a_help(timeline):
    for child in (timeline.first, timeline.back, timeline.play, timeline.forward, timeline.last, timeline.speed,
                  timeline.loop, timeline.frame, timeline.time):  # fmt: skip
        assert child.objectName().startswith("timeline.")
        assert child.accessibleName()
        assert child.toolTip()


def test_nothing_is_computed_again_for_the_same_analysis(timeline, document_with_demo):
    before = timeline.map
    document_with_demo.analysis_changed.emit()
    assert timeline.map is before
    document_with_demo.change("copy", replace(document_with_demo.analysis))
    assert timeline.map is not before


# ---------------------------------------------------------------------------------------------------------------- marks
def strip_pixels(strip) -> np.ndarray:
    image = strip._drawn().toImage().convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return rows[:, : image.width(), :3].astype(int)


def many_marks(frames: int, count: int) -> list[StripMark]:
    found = []
    for k, frame in enumerate(np.linspace(0, frames - 1, count).astype(int)):
        side = ("right", "left")[k % 2]
        found.append(StripMark(int(frame), f"{side} cycle {k} begins", side))
    return found


def test_hundreds_of_cycles_leave_the_quality_of_the_frames_to_be_seen(timeline):
    """The rows of pixels that show the frames' states are the same with 390 cycles as without any."""
    strip = timeline.strip
    strip.resize(560, strip.sizeHint().height())
    states = slice(RULER + 1, RULER + 10)
    strip.set_content(timeline.map, ())
    bare = strip_pixels(strip)
    strip.set_content(timeline.map, many_marks(timeline.map.frames, 390))
    crowded = strip_pixels(strip)
    assert (crowded[states] == bare[states]).all()
    assert (crowded[WORDS:RULER] != bare[WORDS:RULER]).any(axis=2).mean() > 0.5  # cycles are there, above
    strip.set_content(timeline.map, many_marks(timeline.map.frames, 8))
    assert (strip_pixels(strip)[states] != bare[states]).any(axis=2).mean() < 0.05  # few cycles have lines


def test_a_tooltip_over_many_marks_stays_short(timeline):
    strip = timeline.strip
    strip.set_content(timeline.map, [StripMark(100, f"cycle {k}") for k in range(40)])
    tip = strip.told_at(strip.x_of(100))
    assert "cycle 0" in tip
    assert "and 35 more marks here" in tip
    assert tip.count("<br>") < 12


def test_thinned_places_keep_their_distance():
    assert thinned([5.0, 0.0, 1.0, 2.9, 3.0, 9.0], 3.0) == [0.0, 3.0, 9.0]
    assert thinned([], 3.0) == []


def test_the_numbers_of_the_ruler_are_not_under_the_hand(timeline):
    strip = timeline.strip
    strip.resize(560, strip.sizeHint().height())
    strip.setValue(0)
    bare = strip_pixels(strip)
    image = strip.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    ink = bare[:WORDS].max(axis=(0, 2)) > 0
    assert ink[:30].any()  # "0 s" is drawn at the left end
    ground = rows[WORDS // 2, 300, :3].astype(int)
    hand = np.abs(rows[:WORDS, :12, :3].astype(int) - ground).max(axis=2)
    assert (hand > 150).mean() < 0.15  # thin letters, no filled head of the hand


def test_keys_for_speed_and_loop(timeline, qtbot):
    for key, box in ((",", timeline.speed), (".", timeline.speed), ("L", timeline.loop)):
        before = box.currentIndex()
        timeline._shortcuts[key].activated.emit()
        assert box.currentIndex() != before, key
    for _ in range(10):
        timeline._shortcuts["."].activated.emit()
    assert timeline.playback.speed == 4.0
