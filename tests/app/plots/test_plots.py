"""The panel of plots: it follows the document, and the document follows it."""

import threading
from dataclasses import replace
from pathlib import Path
from time import thread_time
from xml.etree import ElementTree

import numpy as np
import pytest
from pyqtgraph import CONFIG_OPTIONS
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QImage, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication

from biomec.base.errors import BiomecError
from biomec.pipeline.analysis import Analysis
from biomec_app.kit.painter import DRAWING
from biomec_app.kit.theme import DARK
from biomec_app.plots.plots import PlotPanel
from biomec_app.session.context import Context
from biomec_app.session.document import Document
from biomec_app.session.jobs import Jobs
from biomec_app.session.plot_view import MEAN, SEPARATE
from biomec_app.shell.actions.utilities import ACTIONS

ELBOWS = ("angle/right elbow flexion", "angle/left elbow flexion")


@pytest.fixture
def panel(qtbot, context: Context, document_with_demo) -> PlotPanel:
    panel = PlotPanel(context, ACTIONS)
    qtbot.addWidget(panel)
    panel.resize(620, 700)
    panel.show()
    panel.refresh()
    return panel


def line(panel: PlotPanel, k: int = 0) -> float:
    return float(panel.grid.items_[k].cursor_line.value())


def test_a_recording_begins_with_its_joints(panel: PlotPanel) -> None:
    assert panel.context.document.selection.curves[:2] == ELBOWS
    assert [item.pane.title for item in panel.grid.items_][:2] == ["Elbow", "Shoulder"]


def test_curves_hold_the_numbers_of_the_analysis(panel: PlotPanel, demo_analysis: Analysis) -> None:
    from biomec_app.plots.plot_axis import SampledCurve

    drawn = [one for one in panel.grid.items_[0].box.addedItems if isinstance(one, SampledCurve)]
    assert np.allclose(drawn[0].samples[1], np.degrees(demo_analysis.angles["right elbow flexion"]))


def test_cursors_follow_the_document(panel: PlotPanel) -> None:
    panel.context.document.set_frame(750)
    assert {line(panel, k) for k in range(len(panel.grid.items_))} == {7.5}
    degrees = panel.grid.items_[0].pane.traces[0].y[750]
    assert panel.grid.items_[0].heading.values[0] == f"{degrees:.0f}"


def test_dragging_a_cursor_moves_the_document(panel: PlotPanel) -> None:
    cursor = panel.grid.items_[2].cursor_line
    cursor.setValue(3.21)
    cursor.sigDragged.emit(cursor)
    assert panel.context.document.frame == 321
    assert line(panel) == 3.21


def test_a_click_goes_to_its_time(panel: PlotPanel) -> None:
    box = panel.grid.items_[1].box
    panel.grid.click(box.mapViewToScene(QPointF(12.0, 0.0)))
    assert panel.context.document.frame == 1200


def test_a_click_measures_if_asked_to(panel: PlotPanel, qtbot) -> None:
    panel.context.plots.set(measure=True)
    panel.refresh()
    item = panel.grid.items_[0]
    frame, value = panel.context.document.frame, item.pane.traces[0].at(5.0)
    with qtbot.waitSignal(panel.grid.measured):
        panel.grid.click(item.box.mapViewToScene(QPointF(5.0, value)))
    assert "5.000 s" in panel.said.text()
    assert f"{value:.0f}°" in panel.said.text()
    assert panel.context.document.frame == frame
    assert len(item.points) == 2
    panel.context.plots.points_cleared.emit()
    assert not item.points


def test_choosing_signals_plots_them(panel: PlotPanel, qtbot) -> None:
    panel.context.document.select(curves=("body/position Y",))
    qtbot.waitUntil(lambda: len(panel.grid.items_) == 1)
    assert panel.grid.items_[0].pane.title == "Whole body"


def test_over_the_cycle_the_cursor_counts_percents(panel: PlotPanel, demo_analysis: Analysis) -> None:
    panel.context.plots.set(over=MEAN)
    panel.refresh()
    first, last = demo_analysis.cycles.groups["both"].spans[2]
    panel.context.document.set_frame(int(first + (last - first) // 2))
    assert abs(line(panel) - 50.0) < 0.3
    cursor = panel.grid.items_[0].cursor_line
    cursor.setValue(25.0)
    cursor.sigDragged.emit(cursor)
    assert panel.context.document.frame == round(first + 0.25 * (last - first))
    assert panel.window_s is None


def test_columns_and_grouping(panel: PlotPanel) -> None:
    panel.context.plots.set(columns=3, grouping=SEPARATE)
    panel.refresh()
    assert panel.grid.columns_for(400) == 3
    assert len(panel.grid.items_) == len(panel.context.document.selection.curves)
    assert panel.columns.currentText() == "3 cols"


def test_combos_change_the_view(panel: PlotPanel) -> None:
    panel.over.setCurrentIndex(panel.over.findData(MEAN))
    panel.over.activated.emit(panel.over.currentIndex())
    assert panel.context.plots.view.over == MEAN


def test_linked_plots_zoom_together(panel: PlotPanel) -> None:
    panel.context.plots.set(window_s=(2.0, 4.0))
    assert all(np.allclose(window, (2.0, 4.0)) for window in panel.grid.windows)
    assert np.allclose(panel.window_s, (2.0, 4.0))


def test_match_brings_all_plots_to_the_shortest_window(panel: PlotPanel) -> None:
    panel.context.plots.set(linked=False)
    panel.refresh()
    item = panel.grid.items_[1]
    item.box.setXRange(6.0, 7.0, padding=0.0)
    item.box.sigRangeChangedManually.emit([True, True])
    assert not np.allclose(panel.grid.windows[0], (6.0, 7.0))
    panel.context.plots.match()
    assert all(np.allclose(window, (6.0, 7.0)) for window in panel.grid.windows)


def test_shift_and_restore(panel: PlotPanel) -> None:
    state = panel.context.plots
    state.set(window_s=(2.0, 4.0))
    state.shift(1)
    assert np.allclose(panel.window_s, (4.0, 6.0))
    state.shift(-1)
    state.shift(-1)
    state.shift(-1)
    assert np.allclose(panel.window_s, (0.0, 2.0))
    state.restore()
    panel.refresh()
    assert np.allclose(panel.window_s, (0.0, 18.84))


def test_set_scale_reaches_all_plots(panel: PlotPanel) -> None:
    panel.context.plots.set(range_y=(-50.0, 150.0))
    panel.refresh()
    assert all(np.allclose(item.box.viewRange()[1], (-50.0, 150.0)) for item in panel.grid.items_)


def test_a_picked_point_can_be_plotted(panel: PlotPanel) -> None:
    document = panel.context.document
    before = panel.grid.items_[0]
    document.select(point="thorax.C7")
    assert "C7" in panel.notice.text()
    assert panel.grid.items_[0] is before  # a pick draws nothing anew
    panel.notice.linkActivated.emit("picked")
    assert document.selection.curves[:3] == ("marker/C7/X", "marker/C7/Y", "marker/C7/Z")


def test_without_curves_the_panel_says_what_to_do(panel: PlotPanel) -> None:
    panel.context.document.select(curves=())
    panel.refresh()
    assert panel.pages.currentWidget() is panel.empty
    assert "Choose signals" in panel.empty.text()
    with pytest.raises(BiomecError, match="Nothing is plotted"):
        panel.save(Path("nothing.png"))


def test_closing_the_recording_empties_the_panel(panel: PlotPanel) -> None:
    panel.context.document.close()
    panel.refresh()
    assert not panel.grid.items_


def test_another_recording_is_shown_as_a_whole(panel: PlotPanel, demo_analysis: Analysis) -> None:
    panel.context.plots.set(window_s=(2.0, 4.0))
    panel.context.document.open(demo_analysis)
    panel.refresh()
    assert np.allclose(panel.window_s, (0.0, 18.84))


def test_stale_curves_are_told(panel: PlotPanel, demo_analysis: Analysis) -> None:
    from dataclasses import replace

    settings = demo_analysis.settings
    changed = replace(settings, angles=replace(settings.angles, subtract_static=True))
    panel.context.document.change("angles", demo_analysis.with_settings(changed))
    panel.refresh()
    assert "older than the settings" in panel.notice.text()


def test_what_the_user_chose_survives_another_result(panel: PlotPanel, demo_analysis: Analysis) -> None:
    panel.context.document.select(curves=("body/position Y",))
    panel.context.document.change("again", demo_analysis.with_settings(demo_analysis.settings))
    panel.refresh()
    assert panel.context.document.selection.curves == ("body/position Y",)


@pytest.mark.parametrize("name", ["figure.png", "figure.svg", "figure.pdf", "figure.csv"])
def test_figures_are_saved(panel: PlotPanel, qtbot, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    panel.save(path)
    qtbot.waitUntil(lambda: not panel.saving, timeout=20_000)
    content = path.read_bytes()
    if name.endswith("png"):
        image = QImage(str(path))
        assert image.width() >= 3 * 600
        assert image.pixelColor(1, 1).name() == "#ffffff"
        colours = {
            image.pixelColor(x, y).name() for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)
        }
        assert len(colours) > 20
    elif name.endswith("svg"):
        root = ElementTree.fromstring(content)
        words = " ".join(root.itertext())
        assert "Elbow" in words
        assert b"<image" not in content  # curves are lines, not pictures
    elif name.endswith("pdf"):
        assert content.startswith(b"%PDF")
    else:
        assert content.startswith("time [s],right elbow flexion [°]".encode())


def test_figures_are_white_in_the_dark(panel: PlotPanel, qtbot, tmp_path: Path) -> None:
    panel.set_theme(DARK)
    panel.refresh()
    panel.save(tmp_path / "dark.png")
    qtbot.waitUntil(lambda: not panel.saving, timeout=20_000)
    assert QImage(str(tmp_path / "dark.png")).pixelColor(1, 1).name() == "#ffffff"
    assert panel.grab().toImage().pixelColor(300, 650).lightness() < 128


def test_a_figure_of_no_kind_is_refused(panel: PlotPanel, qtbot, tmp_path: Path) -> None:
    with pytest.raises(BiomecError, match="is not a kind of figure"):
        panel.save(tmp_path / "figure.docx")
    sentences = []
    panel.context.user.tell = panel.context.user.fail = lambda title, sentence: sentences.append(sentence)
    panel.save(tmp_path / "no such folder" / "figure.png")
    qtbot.waitUntil(lambda: bool(sentences), timeout=20_000)
    assert "figure.png" in sentences[0]


def test_figures_that_are_being_saved_are_whole_when_the_window_closes(panel: PlotPanel, tmp_path: Path) -> None:
    for name in ("one.png", "two.png"):
        panel.save(tmp_path / name)
    for close in panel.context.closing:
        close()
    assert not QImage(str(tmp_path / "one.png")).isNull()
    assert not QImage(str(tmp_path / "two.png")).isNull()


def test_of_two_figures_with_one_name_the_later_stays(panel: PlotPanel, qtbot, tmp_path: Path) -> None:
    """The first was still being written, and came over the second."""
    path = tmp_path / "figure.csv"
    DRAWING.acquire()
    panel.save(path)
    panel.context.document.select(curves=("body/position Y",))
    panel.refresh()
    threading.Timer(0.3, DRAWING.release).start()
    panel.save(path)
    qtbot.waitUntil(lambda: not panel.saving, timeout=20_000)
    assert "elbow" not in path.read_text("utf-8").partition("\n")[0]


def test_figures_are_copied(panel: PlotPanel) -> None:
    clipboard = QGuiApplication.clipboard()
    panel.copy("data")
    assert clipboard.text().startswith("time [s]\tright elbow flexion [°]\t")
    panel.copy("svg")
    assert clipboard.mimeData().hasFormat("image/svg+xml")
    panel.copy("png")
    assert clipboard.mimeData().hasImage()
    assert panel.context.figure is panel


def test_cursors_move_without_drawing_the_plots_anew(panel: PlotPanel) -> None:
    """Processor time of the best of several tries, as a part of what building the same plots takes in the same run."""
    panel.context.document.select(curves=panel.context.document.selection.curves[:12])
    began = thread_time()
    panel.refresh()
    building = thread_time() - began
    assert len(panel.grid.items_) == 6
    tries = []
    for k in range(40):
        began = thread_time()
        panel.context.document.set_frame(20 * k + 1)
        tries.append(thread_time() - began)
    assert min(tries) < 0.1 * building  # 0.4 ms of some 40


def test_a_long_curve_is_drawn_with_few_points(qtbot, panel: PlotPanel) -> None:
    from biomec_app.plots.plot_axis import SampledCurve

    panel.context.document.select(curves=("emg raw/triceps_D",))
    panel.refresh()
    (curve,) = (one for one in panel.grid.items_[0].box.addedItems if isinstance(one, SampledCurve))
    qtbot.waitUntil(lambda: 400 < len(curve.getData()[0]) < 4 * panel.grid.width())
    assert np.nanmax(curve.getData()[1]) == np.nanmax(curve.samples[1])
    panel.context.plots.set(window_s=(5.0, 5.1))
    qtbot.waitUntil(lambda: len(curve.getData()[0]) < 120)
    assert len(curve.getData()[0]) >= 100  # 0.1 s at 1 kHz, every sample


def test_the_menu_of_the_plots_switches_the_grid(panel: PlotPanel) -> None:
    menu = panel.menu()
    items = {item.objectName(): item for item in menu.actions()}
    assert items["utilities.grid"].isChecked()
    items["utilities.grid"].trigger()
    assert not panel.context.plots.view.grid


def test_every_control_can_be_named_and_reached(panel: PlotPanel) -> None:
    for widget in (panel.choose, panel.grouping, panel.over, panel.columns, panel.more):
        assert widget.accessibleName()
        assert widget.objectName()
        assert widget.focusPolicy() != Qt.FocusPolicy.NoFocus


def place(panel: PlotPanel, k: int, x: float):
    """Point of the widget over x in the middle of a plot."""
    box = panel.grid.items_[k].box
    (low, high) = box.viewRange()[1]
    return panel.grid.mapFromScene(box.mapViewToScene(QPointF(x, 0.5 * (low + high))))


def test_the_mouse_drags_the_cursor(panel: PlotPanel, qtbot, monkeypatch) -> None:
    monkeypatch.setitem(CONFIG_OPTIONS, "mouseRateLimit", 0)  # else moves that follow too closely are one
    panel.context.document.set_frame(500)
    qtbot.turns()
    view = panel.grid.viewport()
    start, end = place(panel, 0, 5.0), place(panel, 0, 10.0)
    qtbot.mouseMove(view, start)
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    for k in range(1, 6):
        point = start + (end - start) * k / 5
        move = QMouseEvent(
            QEvent.Type.MouseMove, QPointF(point), view.mapToGlobal(QPointF(point)), Qt.MouseButton.NoButton,
            Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier,
        )  # fmt: skip
        QApplication.sendEvent(view, move)
        qtbot.turns()
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=end)
    assert abs(panel.context.document.frame - 1000) < 15  # a pixel is about a tenth of a second


def turn_wheel(panel: PlotPanel, keys: Qt.KeyboardModifier) -> None:
    view, at = panel.grid.viewport(), place(panel, 0, 9.0)
    event = QWheelEvent(
        QPointF(at), view.mapToGlobal(QPointF(at)), QPoint(0, 0), QPoint(0, 240), Qt.MouseButton.NoButton, keys,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view, event)


def test_the_wheel_zooms_time_where_all_plots_fit(panel: PlotPanel, qtbot) -> None:
    panel.context.document.select(curves=ELBOWS)
    panel.refresh()
    qtbot.turns()
    turn_wheel(panel, Qt.KeyboardModifier.NoModifier)
    first, last = panel.window_s
    assert last - first < 15.0
    assert np.allclose(panel.context.plots.view.window_s, (first, last))


def test_the_wheel_scrolls_where_plots_do_not_fit_and_ctrl_zooms(panel: PlotPanel, qtbot) -> None:
    panel.context.plots.set(columns=1)
    panel.refresh()
    qtbot.waitUntil(lambda: panel.area.verticalScrollBar().maximum() > 0)
    turn_wheel(panel, Qt.KeyboardModifier.NoModifier)
    assert np.allclose(panel.window_s, (0.0, 18.84))
    turn_wheel(panel, Qt.KeyboardModifier.ControlModifier)
    assert panel.window_s[1] - panel.window_s[0] < 15.0


@pytest.mark.parametrize("width", [300, 460, 640, 1000])
def test_plots_are_high_enough_to_read(panel: PlotPanel, qtbot, width: int) -> None:
    """A scroll bar that came up took a column away, and the plots of the other were drawn flat."""
    panel.resize(width, 460)
    qtbot.waitUntil(lambda: min(item.box.height() for item in panel.grid.items_) >= 75.0)


def test_fewer_plots_after_many_take_no_more_room_than_they_need(panel: PlotPanel, qtbot) -> None:
    angles = tuple(curve.key for curve in panel.catalogue if curve.key.startswith("angle/"))
    panel.context.document.select(curves=angles)
    panel.refresh()
    qtbot.waitUntil(lambda: panel.grid.height() > 2 * panel.area.viewport().height())
    panel.context.document.select(curves=ELBOWS)
    panel.refresh()
    qtbot.waitUntil(lambda: panel.grid.height() == panel.area.viewport().height())
    item = panel.grid.items_[0]
    assert item.box.height() <= 0.81 * item.size().width()  # not stretched to fill the panel
    assert not panel.area.verticalScrollBar().isVisible()


def test_plots_come_one_after_the_other_and_the_window_has_its_turn_between(panel: PlotPanel, qtbot, monkeypatch):
    from biomec_app.plots import plots

    monkeypatch.setattr(plots, "SLICE_S", 0.0)
    turns: list[int] = []
    beat = QTimer()
    beat.timeout.connect(lambda: turns.append(len(panel.grid.items_)))
    beat.start(0)
    panel.context.document.select(curves=tuple(c.key for c in panel.catalogue if c.key.startswith("angle/")))
    qtbot.waitUntil(lambda: len(panel.grid.items_) == 33, timeout=20_000)
    beat.stop()
    seen = sorted(set(turns))
    assert len(seen) > 10  # the event loop saw them grow
    assert {item.box.viewRange()[0][1] for item in panel.grid.items_} == {18.84}
    assert {line(panel, k) for k in range(33)} == {panel.context.document.frame / 100.0}


def test_the_legend_says_how_many_cycles_are_behind_the_mean(panel: PlotPanel, demo_analysis: Analysis) -> None:
    from biomec.signals.cycles import exclude_cycle

    def words() -> str:
        panel.context.plots.set(over=MEAN)
        panel.refresh()
        return " | ".join(name for name, _ in panel.grid.legend.entries)

    assert "mean ± SD of 5 cycles" in words()
    all_cycles = demo_analysis.cycles
    fewer = replace(all_cycles, groups={"both": exclude_cycle(all_cycles.groups["both"], 2)})
    done = {**demo_analysis.done, "cycles": replace(demo_analysis.done["cycles"], value=fewer)}
    panel.context.document.change("exclude", replace(demo_analysis, done=done))
    assert "mean ± SD of 4 cycles, 1 left out: taken out by hand" in words()


def test_how_plots_were_shown_and_what_is_remembered_for_the_next_time(qtbot, panel: PlotPanel, demo_analysis) -> None:
    context = panel.context
    context.plots.set(grouping=SEPARATE, columns=2, grid=False, window_s=(1.0, 2.0))
    context.document.select(curves=("body/position Y",))
    again = Context(Document(), Jobs(), context.preferences)
    second = PlotPanel(again)
    qtbot.addWidget(second)
    view = again.plots.view
    assert (view.grouping, view.columns, view.grid) == (SEPARATE, 2, False)
    assert view.window_s is None  # of that recording alone
    again.document.open(demo_analysis)
    assert again.document.selection.curves == ("body/position Y",)


def test_nonsense_in_the_preferences_changes_nothing(panel: PlotPanel) -> None:
    state = panel.context.plots
    before = state.view
    state.take({"grouping": "upside down", "columns": 7, "grid": "yes", "what": 1})
    assert state.view == before
