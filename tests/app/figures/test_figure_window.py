"""The window of a figure: it follows the document, copies, saves, zooms, and never makes the program wait."""

import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QComboBox, QDialog, QFileDialog, QMainWindow, QPushButton

from biomec.pipeline.analysis import Analysis
from biomec_app.figures.registry import figure_named
from biomec_app.figures.window import FigureWindow, open_figure, refuse_options
from biomec_app.shell.actions import file, signal_analysis
from biomec_app.shell.window_user import WindowUser


@pytest.fixture
def opened(qtbot, context, document_with_demo):
    """Opens windows of figures and closes them after the test."""
    windows = []

    def open_one(key, wait=True):
        window = open_figure(context, figure_named(key))
        windows.append(window)
        if wait:
            drawn(qtbot, window)
        return window

    yield open_one
    for window in list(context.windows):
        window.shut()


def drawn(qtbot, window):
    qtbot.waitUntil(lambda: window.canvas.drawn is not None and not window.painter.busy, timeout=60_000)


def middle_of_axes(window, number=0):
    canvas = window.canvas
    left, lower, right, upper = canvas.drawn.axes[number].box
    height, width = canvas.drawn.pixels.shape[:2]
    x, y = 0.5 * (left + right) / width, 1.0 - 0.5 * (lower + upper) / height
    return QPointF(x * canvas.width(), y * canvas.height())


def test_a_figure_opens_once_and_is_what_the_file_menu_copies(qtbot, opened, context):
    window = opened("violations")
    assert opened("violations") is window
    assert context.figure is window
    window.close()
    assert context.figure is None
    assert not context.windows


def test_another_choice_draws_another_figure(qtbot, opened):
    window = opened("angles")
    before = window.canvas.drawn
    window.combos["joint"].setCurrentText("Elbow")
    qtbot.waitUntil(lambda: window.canvas.drawn is not before and not window.painter.busy, timeout=60_000)
    assert "Elbow" in window.canvas.drawn.words
    assert "Elbow" in window.canvas.accessibleDescription()


def test_a_change_of_settings_marks_the_figure_as_out_of_date(qtbot, opened, document_with_demo):
    window = opened("violations")
    assert not window.stale.isVisible()
    analysis = document_with_demo.analysis
    settings = replace(analysis.settings, body=replace(analysis.settings.body, model="m17"))
    document_with_demo.change("Model", analysis.with_settings(settings))
    assert window.stale.isVisible()
    document_with_demo.undo_stack.undo()
    assert not window.stale.isVisible()


def test_a_recording_without_results_shows_a_sentence(qtbot, opened, context, demo_analysis):
    window = opened("violations")
    context.document.open(Analysis(demo_analysis.session))
    assert window.canvas.drawn is None
    assert window.canvas.sentence == 'Run "Consistent Positions" first.'
    context.document.close()
    assert window.canvas.sentence == "No recording is open."
    context.document.open(demo_analysis)
    drawn(qtbot, window)


def test_the_picture_the_drawing_and_the_data_are_copied(qtbot, opened):
    window = opened("violations")
    for kind in ("png", "svg"):
        window.copy(kind)
        qtbot.waitUntil(lambda: "clipboard" in window.values.text() and not window.painter.busy, timeout=60_000)
        mime = QGuiApplication.clipboard().mimeData()
        if kind == "png":
            assert QImage(mime.imageData()).width() > 1000
        else:
            assert bytes(mime.data("image/svg+xml")).startswith(b"<?xml")
        window.values.clear()
    window.copy("data")
    assert QGuiApplication.clipboard().text().startswith("constraint\tas measured\tconsistent\n")


@pytest.mark.parametrize("kind", ["png", "svg", "pdf", "csv"])
def test_a_figure_is_saved_dark_on_white(qtbot, opened, context, tmp_path, kind):
    window = opened("violations")
    path = tmp_path / f"figure.{kind}"
    context.user.ask_file = lambda title, pattern, save, start: path
    window.findChild(QPushButton, "figure-save").click()
    qtbot.waitUntil(lambda: window.values.text() == f"Saved as figure.{kind}.", timeout=60_000)
    head = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF", "csv": b"constraint,as measured"}[kind]
    assert path.read_bytes().startswith(head)
    if kind == "png":
        assert QImage(str(path)).pixelColor(3, 3).name() == "#ffffff"


def test_a_figure_stays_in_front_after_saving(qtbot, opened, context, tmp_path, monkeypatch):
    """The main window came before the figure when the question for a file name, which was its own, had gone."""
    main = QMainWindow()
    main.context = context
    qtbot.addWidget(main)
    main.show()
    context.user = WindowUser(main)
    window = opened("violations")
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    askers = []

    def name_a_file(asker, title, start, pattern):
        question = QDialog(asker)  # as the dialog of the platform does, it takes the front and hands it back
        question.show()
        qtbot.waitUntil(question.isActiveWindow)
        question.close()
        asker.activateWindow()
        askers.append(asker)
        return str(tmp_path / "figure.png"), pattern

    monkeypatch.setattr(QFileDialog, "getSaveFileName", name_a_file)
    window.findChild(QPushButton, "figure-save").click()
    qtbot.waitUntil(lambda: window.values.text() == "Saved as figure.png.", timeout=60_000)
    assert askers == [window]
    assert QApplication.activeWindow() is window


def test_a_png_is_called_a_picture(qtbot, opened, context, monkeypatch):
    """It was called "PNG" here and "image" there."""
    window, asked = opened("violations"), []
    monkeypatch.setattr(context.user, "ask_file", lambda title, pattern, *_: asked.append((title, pattern)))
    next(item for item in file.ACTIONS if item.key == "file.save-png").run(context)
    window.findChild(QPushButton, "figure-save").click()
    (title, pattern), (_, patterns) = asked
    assert title == "Save figure as picture (PNG)"
    assert pattern == "Picture (PNG) (*.png)"
    assert patterns.split(";;")[0] == pattern
    assert "picture (PNG)" in window.findChild(QPushButton, "figure-save").toolTip()


@pytest.mark.parametrize("name", ["figure.bmp", "no such folder/figure.png"])
def test_a_file_that_cannot_be_written_is_told(qtbot, opened, context, tmp_path, name):
    sentences = []
    context.user.tell = context.user.fail = lambda title, sentence: sentences.append(sentence)
    window = opened("violations")
    window.save(tmp_path / name)
    qtbot.waitUntil(lambda: bool(sentences), timeout=60_000)
    assert "figure." in sentences[0]


def test_values_are_read_zoomed_moved_and_restored(qtbot, opened):
    window = opened("convergence")
    canvas, place = window.canvas, middle_of_axes(window)
    assert canvas.values_at(place).startswith("x:")
    assert canvas.values_at(QPointF(1.0, 1.0)) == ""
    axes = canvas.drawn.axes[0]
    before = axes.limits[0]
    canvas.zoom(place, 0.5)
    drawn_again(qtbot, window, axes)
    after = canvas.drawn.axes[0].limits[0]
    np.testing.assert_allclose(np.diff(after), 0.5 * np.diff(before), rtol=1e-6)
    np.testing.assert_allclose(np.mean(after), np.mean(before), rtol=0.02)  # the place under the mouse stays
    axes = canvas.drawn.axes[0]
    canvas.move_axes(0, place, place + QPointF(50.0, 0.0))
    drawn_again(qtbot, window, axes)
    moved = canvas.drawn.axes[0].limits[0]
    assert moved[0] < after[0]
    np.testing.assert_allclose(np.diff(moved), np.diff(after), rtol=1e-6)
    axes = canvas.drawn.axes[0]
    canvas.restore()
    drawn_again(qtbot, window, axes)
    np.testing.assert_allclose(canvas.drawn.axes[0].limits[0], before)


def drawn_again(qtbot, window, axes):
    qtbot.waitUntil(lambda: window.canvas.drawn.axes[0] is not axes and not window.painter.busy, timeout=60_000)


def test_a_slow_figure_runs_as_a_job_that_can_be_cancelled_and_started_again(qtbot, opened, context):
    window = opened("models", wait=False)
    qtbot.waitUntil(lambda: context.jobs.busy, timeout=60_000)
    with qtbot.waitSignal(context.jobs.cancelled, timeout=60_000):
        context.jobs.cancel()
    assert "cancelled" in window.canvas.sentence
    window.compute.click()
    drawn(qtbot, window)
    kept = window.canvas.drawn
    window.combos["joint"].setCurrentText("right hip")
    qtbot.waitUntil(lambda: window.canvas.drawn is not kept and not window.painter.busy, timeout=60_000)
    assert not context.jobs.busy  # another joint of the same models needs no second run


def test_while_another_job_runs_a_slow_figure_says_so(qtbot, opened, context):
    release = threading.Event()
    context.jobs.start("Something long", lambda progress: release.wait(600.0), lambda value: None)
    window = opened("models", wait=False)
    qtbot.waitUntil(lambda: '"Something long" is still running' in window.canvas.sentence, timeout=60_000)
    with qtbot.waitSignal(context.jobs.finished, timeout=60_000):
        release.set()


def test_closing_while_it_is_drawn_leaves_nothing_behind(qtbot, opened, context):
    for key in ("emg", "agreement", "angles"):
        opened(key, wait=False).close()
    assert not context.windows
    qtbot.waitUntil(lambda: not context.aside.busy)
    qtbot.turns()


def test_the_program_goes_on_while_a_figure_is_drawn(qtbot, opened):
    """Drawing takes up to a second; the window's own thread must not wait for it."""
    ticks = []
    timer = QTimer()
    timer.timeout.connect(lambda: ticks.append(time.process_time()))
    window = opened("angles")
    timer.start(5)
    before = window.canvas.drawn
    window.combos["joint"].setCurrentText("Shoulder")
    qtbot.waitUntil(lambda: window.canvas.drawn is not before and not window.painter.busy, timeout=60_000)
    timer.stop()
    assert len(ticks) > 10.0 * (ticks[-1] - ticks[0])  # a second of work, of all threads together


def test_every_figure_has_its_item_in_the_menu(qtbot, context, document_with_demo):
    items = {action.key: action for action in signal_analysis.actions()}
    assert {"figures.residual", "figures.agreement", "figures.models", "signals.statistics"} <= set(items)
    reasons = {key: action.blocked(context) for key, action in items.items() if action.run is not None}
    assert "no simulations" in reasons.pop("figures.simulation-runs")
    waiting = {reason for reason in reasons.values() if reason is not None}
    assert waiting == {
        "The recording is not compared with another one.",
        "The person wears no device with springs and leans on no instrumented crutch. Choose a body model with "
        "devices.",
    }
    context.document.close()
    assert items["figures.emg"].blocked(context) == "Open or import a recording first."
    items["figures.violations"].run(context)
    (window,) = context.windows
    assert isinstance(window, FigureWindow)
    window.shut()


def test_options_that_cannot_be_chosen_say_why(qtbot):
    combo = QComboBox()
    qtbot.addWidget(combo)
    combo.addItems(["m17", "m21"])
    refuse_options(combo, {"m21": "only 1 of its 21 segments can be followed"})
    assert combo.currentText() == "m17"
    assert not combo.model().item(1).isEnabled()
    assert combo.itemData(1, Qt.ItemDataRole.ToolTipRole) == "m21: only 1 of its 21 segments can be followed."


def test_the_first_figure_does_not_make_the_window_wait_for_matplotlib():
    """It is loaded beside the window's thread: neither opening the module nor making a window needs it."""
    import subprocess
    import sys

    code = "import sys, biomec_app.figures.window; print('matplotlib' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_what_was_chosen_in_a_figure_is_chosen_the_next_time(qtbot, opened):
    window = opened("angles")
    window.combos["joint"].setCurrentText("Knee")
    drawn(qtbot, window)
    window.close()
    assert opened("angles").combos["joint"].currentText() == "Knee"
