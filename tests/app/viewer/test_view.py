"""The 3-D view as a widget: it follows the document, mouse and keys; it draws, in both themes, and can be closed."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("PySide6", reason="the desktop part is not installed")
pytest.importorskip("vtkmodules", reason="the desktop part is not installed")

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest

from biomec_app.kit.theme import DARK, LIGHT
from biomec_app.session.view_options import RAW
from biomec_app.shell.actions.visualize import bar_menus
from biomec_app.viewer import quality
from biomec_app.viewer.canvas import averaged
from biomec_app.viewer.overlays import OVERLAYS
from biomec_app.viewer.picking import place_of
from biomec_app.viewer.poses import ScenePoses
from biomec_app.viewer.quality import FinePicture, Quality
from biomec_app.viewer.scene import Scene
from biomec_app.viewer.view import BodyView


@pytest.fixture
def view(context, demo_analysis, qtbot):
    view = BodyView(context, bar_menus())
    qtbot.addWidget(view)
    view.resize(640, 480)
    view.show()
    context.document.open(demo_analysis)
    context.document.set_frame(300)
    view.set_theme(LIGHT)
    view.fit()
    yield view
    view.release()


def pixels(view: BodyView) -> np.ndarray:
    image = view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return rows[:, : image.width(), :3].astype(int)


def at(view: BodyView, name: str) -> QPoint:
    (x, y), *_ = view.camera.project(place_of(view.scene, name)[None], view.picture_size)[0]
    return QPoint(round(x), round(y))


def test_it_draws_the_person_right_way_up(view):
    """VTK's rows begin at the bottom: the picture must show pixels of the head where the head projects to."""
    view.context.document.set_view(overlays=frozenset())
    shown = pixels(view)
    sky = np.array([QColor(LIGHT.sky_bottom).blue(), QColor(LIGHT.sky_bottom).green(), QColor(LIGHT.sky_bottom).red()])
    for name in ("head.CAC", "pelvis.CAL", "right shank.KJC_D"):  # points inside the body, wherever one looks from
        place = at(view, name)
        assert np.abs(shown[place.y(), place.x()] - sky).max() > 20, name
    assert view.failure == ""


def test_it_is_empty_without_a_recording_and_after_closing_one(context, qtbot, demo_analysis):
    view = BodyView(context)
    qtbot.addWidget(view)
    view.resize(200, 150)
    view.set_theme(DARK)
    assert view.scene is None
    assert np.ptp(pixels(view)) <= np.ptp([QColor(DARK.sky_bottom).red(), QColor(DARK.sky_bottom).blue()])
    context.document.open(demo_analysis)
    assert view.scene is not None
    context.document.close()
    assert view.scene is None
    assert view.failure == ""
    view.release()


def test_it_follows_frame_view_and_theme(view):
    before = pixels(view)
    view.context.document.set_frame(420)
    assert view.scene.moment.frame == 420
    moved = pixels(view)
    assert np.abs(moved - before).max() > 60
    view.context.document.set_view(coloured=True, signals=(RAW,), overlays=frozenset(OVERLAYS))
    assert view.scene.kinds == (RAW,)
    assert np.abs(pixels(view) - moved).max() > 60
    view.set_theme(DARK)
    assert pixels(view)[240, 2].max() < 80
    assert view.failure == ""


def test_a_click_on_a_point_selects_it_and_its_segment(view, qtbot):
    view.camera.look("lateral right")
    view.fit()
    place = at(view, "right thigh.CLAT_D")
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=place)
    selection = view.context.document.selection
    assert selection.point.partition(".")[2] in ("CLAT_D", "KJC_D", "CMED_D")
    assert selection.segment in ("right thigh", "right shank")
    pixels(view)
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(3, 470))
    assert view.context.document.selection.point is None
    assert view.failure == ""


def test_a_segment_that_is_picked_is_marked_and_named_where_it_is(view):
    document, before = view.context.document, pixels(view)
    document.select(segment="right thigh", point=None)
    marked = pixels(view)
    changed = np.argwhere(np.abs(marked - before).max(-1) > 60)
    place = at(view, "right thigh.com")
    assert len(changed)
    assert np.abs(changed - [place.y(), place.x()]).max(1).min() <= 12  # the ring
    document.select(segment=None, point=None)
    assert np.array_equal(pixels(view), before)


def test_dragging_turns_right_dragging_shifts_and_the_wheel_zooms(view, qtbot):
    azimuth, target, distance = view.camera.azimuth, view.camera.target.copy(), view.camera.distance
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(300, 200))
    view._mouse_moved(_moved(view, QPoint(340, 220), Qt.MouseButton.LeftButton))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(340, 220))
    assert view.camera.azimuth == pytest.approx(azimuth - 16.0)
    assert view.context.document.selection.point is None  # a drag is not a click
    qtbot.mousePress(view, Qt.MouseButton.RightButton, pos=QPoint(300, 200))
    view._mouse_moved(_moved(view, QPoint(300, 260), Qt.MouseButton.RightButton))
    assert view.camera.target[1] > target[1]
    view.press(0, "+", Qt.KeyboardModifier.NoModifier)
    assert view.camera.distance < distance


def _moved(view, place, button):
    from PySide6.QtCore import QEvent, QPointF
    from PySide6.QtGui import QMouseEvent

    return QMouseEvent(
        QEvent.Type.MouseMove, QPointF(place), QPointF(view.mapToGlobal(place)), Qt.MouseButton.NoButton, button,
        Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip


def test_keys_choose_sides_and_the_arrows_are_left_to_the_timeline(view, qtbot):
    for key, azimuth in ((Qt.Key.Key_1, 0.0), (Qt.Key.Key_2, 90.0), (Qt.Key.Key_3, -90.0), (Qt.Key.Key_4, 180.0)):
        qtbot.keyClick(view, key)
        assert view.camera.azimuth == azimuth
    qtbot.keyClick(view, Qt.Key.Key_5)
    assert view.camera.elevation == 89.0
    assert not view.press(Qt.Key.Key_Left, "", Qt.KeyboardModifier.NoModifier)
    before = view.camera.azimuth
    assert view.press(Qt.Key.Key_Left, "", Qt.KeyboardModifier.ControlModifier)
    assert view.camera.azimuth != before


def test_every_key_that_the_help_lists_for_the_view_does_something(view):
    """Keys of the table in the menu Help, pressed as they are written there."""
    from biomec_app.shell.guide import MOUSE

    arrows = {"Ctrl": Qt.KeyboardModifier.ControlModifier,
              "Ctrl+Shift": Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier}  # fmt: skip
    rows = [keys.split(", ")[0] for where, keys, _ in MOUSE if where == "3-D view"]
    assert len(rows) > 8
    for keys in rows:
        if keys.endswith("+arrows"):
            assert view.press(Qt.Key.Key_Up, "", arrows[keys.removesuffix("+arrows")])
        elif keys == "Esc":
            assert view.press(Qt.Key.Key_Escape, "", Qt.KeyboardModifier.NoModifier)
        elif keys != "Click" and not keys.startswith("Ctrl+"):
            for key in keys.replace("−", "-").split(" "):
                assert view.press(0, key, Qt.KeyboardModifier.NoModifier), key
    follow = view.context.document.view.follow
    view.press(0, "c", Qt.KeyboardModifier.NoModifier)
    assert view.context.document.view.follow is not follow


def test_the_tree_shows_what_was_picked_in_the_view(view, qtbot):
    from biomec_app.shell.browser import Browser

    browser = Browser(view.context)
    qtbot.addWidget(browser)
    document = view.context.document
    document.select(segment="right thigh", point=None)
    assert browser.model.node(browser.view.currentIndex()).segment == "right thigh"
    document.select(segment="right thigh", point="right thigh.CLAT_D")
    assert browser.model.node(browser.view.currentIndex()).point == "CLAT_D"
    document.select(segment=None, point=None)
    assert browser.model.node(browser.view.currentIndex()).point == "CLAT_D"  # nothing picked moves nothing


def test_the_window_fits_a_small_screen(demo_analysis, tmp_path, qtbot):
    from biomec_app.session.preferences import Preferences
    from biomec_app.shell.main_window import MainWindow

    window = MainWindow(Preferences(tmp_path / "window.ini"))
    qtbot.addWidget(window)
    window.resize(1024, 640)
    window.show()
    window.context.document.open(demo_analysis, tmp_path / "saved.biomec")
    qtbot.waitUntil(lambda: not window.context.aside.busy)
    qtbot.turns()
    hint = window.minimumSizeHint()
    assert hint.width() <= 1024
    assert hint.height() <= 640
    for close in window.context.closing:
        close()


def test_menus_can_ask_for_a_side(view):
    view.context.document.camera_asked.emit("posterior")
    assert view.camera.azimuth == 180.0


def test_measuring_by_clicks(view, qtbot):
    view.camera.look("lateral right")
    view.fit()
    view.context.document.set_view(measure="distance")
    for name in ("right humerus.GU_D", "right thigh.CAQ_D"):
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=at(view, name))
    assert view.measurement.complete
    assert view.measurement.told(view.scene).endswith(" mm")
    pixels(view)
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert view.measurement is None
    assert view.context.document.view.measure == ""
    assert view.failure == ""


def test_following_keeps_the_person_in_the_middle(view):
    document = view.context.document
    document.set_view(follow=True)
    middle = view._centre()
    target = view.camera.target.copy()
    document.set_frame(500)
    assert view.camera.target - target == pytest.approx(view._centre() - middle)


def test_buttons_over_the_view_show_the_same_items_as_the_menu(view, qtbot):
    view.bar.fill()
    texts = {action.text().replace("&", "") for action in view.bar.menu.actions()}
    assert {"Anatomical Points", "Local Frames", "Forces"} <= texts
    item = next(action for action in view.bar.menu.actions() if "Local Frames" in action.text().replace("&", ""))
    item.trigger()
    assert "local frames" in view.context.document.view.overlays
    qtbot.mouseClick(view.bar.findChild(type(view.bar.show_button), "view.frontal"), Qt.MouseButton.LeftButton)
    assert view.camera.azimuth == 0.0


def test_an_error_while_drawing_is_told_in_the_view_and_does_not_end_the_program(view, monkeypatch, caplog):
    def broken():
        raise TypeError("no graphics")

    monkeypatch.setattr(view, "_render", broken)
    view._changed()
    pixels(view)
    assert view.failure == "The 3-D view failed: no graphics"
    pixels(view)


def test_still_pictures_have_smooth_edges(view, qtbot):
    """Averaged from four pixels each: colours between those of the moving picture appear along edges."""
    view.context.document.set_view(overlays=frozenset())
    view._quality._full_s = 0.005  # a machine that can afford it
    pixels(view)
    assert view._image.width() == view.width()
    moving = len(np.unique(pixels(view).reshape(-1, 3), axis=0))
    qtbot.waitUntil(lambda: view._fine is None and not view._settle.isActive(), timeout=20000)
    assert not view._stale
    assert view._image.width() == view.width()
    assert len(np.unique(pixels(view).reshape(-1, 3), axis=0)) > 1.3 * moving


def test_a_large_picture_at_rest_is_drawn_in_parts(view):
    """In bands that follow each other the picture is the same as in one piece.

    Pixels on edges may fall to either side, because the bands' numbers are rounded otherwise.
    """
    size = 1600, 1200
    canvas = view._shown_canvas()
    whole = averaged(canvas.pixels(view.camera, (2 * size[0], 2 * size[1]))[::-1], 2)
    fine = FinePicture(size, 2)
    bands = 0
    while not fine.complete:
        fine.draw_band(canvas, view.camera)
        bands += 1
    assert bands > 3
    unlike = (np.abs(fine.pixels[..., :3].astype(int) - whole[..., :3]) > 40).any(axis=2)
    assert unlike.mean() < 0.002


@pytest.mark.parametrize("row_s", [1e-6, 1e-4, 2e-3])
def test_a_band_is_as_high_as_can_be_drawn_in_a_short_time(monkeypatch, row_s):
    """On machines of any speed, by a clock that counts the rows that are drawn; the first band is a guess."""
    clock, took = [0.0], []

    class Rows:
        def pixels(self, camera, size, band):
            took.append(row_s * (band[1] - band[0]))
            clock[0] += took[-1]
            return np.zeros((band[1] - band[0], size[0], 4), np.uint8)

    monkeypatch.setattr(quality, "perf_counter", lambda: clock[0])
    fine = FinePicture((1600, 1200), 2)
    while not fine.complete:
        fine.draw_band(Rows(), None)
    assert sum(took) == pytest.approx(2 * 1200 * row_s)
    least = 16 * row_s  # eight rows that are shown
    assert max(took[2:], default=0.0) <= max(1.05 * quality.BAND_S, least)  # a slow start is down to a quarter twice
    if row_s < 1e-5:
        assert len(took) < 8  # a fast machine does not waste its time on small bands


def test_what_moves_stops_the_picture_at_rest(view, qtbot):
    qtbot.waitUntil(lambda: view._fine is not None or not view._stale, timeout=20000)
    view.context.document.set_frame(302)
    assert view._fine is None
    assert view._stale


def test_quality_gives_way_to_speed_while_things_move():
    quality = Quality()
    for _ in range(40):
        quality.took(0.040, 1.0)
    assert quality.scale(1.0) == 0.5
    assert quality.scale(2.0) == 1.0
    assert quality.smooth == 2
    for _ in range(40):
        quality.took(0.500, 1.0)
    assert quality.scale(1.0) == 0.4
    assert quality.smooth == 1
    for _ in range(40):
        quality.took(0.005, 1.0)
    assert quality.scale(1.0) == 1.0


def test_quality_comes_back_once_there_is_time_for_it():
    """A machine that needs half the time for a quarter of the width, as software OpenGL does, was disturbed."""
    quality = Quality()
    for _ in range(40):
        quality.took(0.200, 1.0)
    assert quality.scale(1.0) == 0.4
    for _ in range(80):
        scale = quality.scale(1.0)
        quality.took(0.018 * scale**0.5, scale)
    assert quality.scale(1.0) == 1.0


# --------------------------------------------------------------------------------------------------------------- legend
def test_the_legend_lies_under_the_picture_and_tells_what_is_drawn(view):
    document = view.context.document
    texts = [entry.text for entry in view.legend.entries]
    assert "anatomical point" in texts
    document.set_view(overlays=frozenset(OVERLAYS))
    assert view.legend.geometry().top() == view.picture_size[1]
    assert view.legend.geometry().bottom() == view.height() - 1
    assert view.legend.height() <= 0.12 * view.height()  # two rows
    assert view.legend.more.isVisible()
    before = view.picture_size[1]
    view.legend.more.click()
    assert view.picture_size[1] < before
    assert sum(map(len, view.legend.shown_rows(view.width()))) == len(view.legend.entries)
    document.set_view(overlays=frozenset())
    assert [entry.text for entry in view.legend.entries] == ["right", "left"]
    assert not view.legend.more.isVisible()


def test_the_legend_of_the_static_pose_has_nothing_of_the_movement(view):
    view.context.document.set_view(overlays=frozenset(OVERLAYS), static=True)
    texts = " ".join(entry.text for entry in view.legend.entries)
    for moving in ("ground force", "way of a marker", "measured →"):
        assert moving not in texts
    assert "anatomical point" in texts


def test_opening_builds_one_scene_of_what_was_found_in_the_background(qtbot, context, demo_analysis, monkeypatch):
    from biomec_app.session.ready import ready
    from biomec_app.viewer import view as module

    shown = BodyView(context)
    qtbot.addWidget(shown)
    built = []

    def scene(*given):
        built.append(given[0])
        return Scene(*given)

    monkeypatch.setattr(module, "Scene", scene)
    context.document.open(ready(demo_analysis))
    assert built == [demo_analysis]
    assert shown.scene.poses is demo_analysis.derived(ScenePoses)
    context.document.change("Another", replace(demo_analysis))
    assert len(built) == 2
    shown.release()
