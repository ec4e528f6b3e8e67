"""The panels around the view: which is in front, what their tabs and the status bar tell of them, and their room."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, pairwise

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QProgressDialog, QTabBar

from biomec.base.notices import Notice, Severity
from biomec.pipeline.analysis import ALWAYS, Analysis
from biomec.reporting.trust import Level
from biomec_app.kit.verdict_signs import sign
from biomec_app.features.trust.verdicts import recording_told, verdicts
from biomec_app.kit.theme import LIGHT, apply
from biomec_app.session.jobs import PREPARING, Status
from biomec_app.session.preferences import Preferences
from biomec_app.shell.main_window import NEXT_TURN_MS, MainWindow
from biomec_app.shell.panels import PANELS


@pytest.fixture
def window(qtbot, tmp_path, demo_analysis) -> Iterator[MainWindow]:
    """The window with the demonstration open, at the size of a small laptop."""
    made = MainWindow(Preferences(tmp_path / "prefs.ini"))
    qtbot.addWidget(made)
    made.context.user.confirm = lambda title, question, choices: "Don't save"
    made.resize(1280, 720)
    made.show()
    made.context.document.open(demo_analysis)
    QApplication.processEvents()
    yield made
    made.close()


def item(window: MainWindow, name: str):
    """The item of a panel in the menu, as it is now."""
    return window.menus.items[f"visualize.panel.{name}"][1]


def test_choosing_a_panel_that_another_covers_brings_it_to_the_front(window):
    """Visualize > Panels > Trust never showed Trust: ticked behind Signals, it was closed, and came back behind."""
    assert item(window, "plots").isChecked()
    assert not item(window, "trust").isChecked()
    item(window, "trust").trigger()
    QApplication.processEvents()
    assert window.panel_seen("trust")
    assert item(window, "trust").isChecked()
    assert not item(window, "plots").isChecked()
    item(window, "trust").trigger()  # in front: close it
    QApplication.processEvents()
    assert window.docks["trust"].isHidden()
    item(window, "trust").trigger()
    QApplication.processEvents()
    assert window.panel_seen("trust")


def test_plotting_from_a_panel_that_covers_the_plots_brings_them_to_the_front(window):
    """Plot in the panel Loads seemed to do nothing: what it drew was covered by the panel itself."""
    window.raise_panel("loads")
    QApplication.processEvents()
    assert not window.panel_seen("plots")
    window.docks["loads"].widget().plotted.plot.click()
    QApplication.processEvents()
    assert window.panel_seen("plots")
    window.docks["plots"].hide()
    window.context.plots.look_asked.emit()
    QApplication.processEvents()
    assert window.panel_seen("plots")


def test_every_panel_has_a_key(qtbot, window):
    keys = [item(window, name).shortcut().toString() for name in window.docks]
    assert keys == [f"Alt+{k}" if k < 10 else "" for k in range(1, len(PANELS) + 1)]
    window.activateWindow()
    number = list(window.docks).index("loads") + 1
    qtbot.keyClick(window, Qt.Key[f"Key_{number}"], Qt.KeyboardModifier.AltModifier)
    QApplication.processEvents()
    assert window.panel_seen("loads")


# ------------------------------------------------------------------------------------------------- verdicts and status
@pytest.fixture(scope="module")
def doubtful(demo_analysis) -> Analysis:
    """The demonstration, of which most frames have no solution."""
    positions = demo_analysis.positions
    valid = positions.valid.copy()
    valid[::2] = valid[1::4] = False
    done = dict(demo_analysis.done)
    done["positions"] = replace(done["positions"], value=replace(positions, valid=valid))
    return Analysis(demo_analysis.session, demo_analysis.settings, done)


def tabs(window: MainWindow) -> dict[str, tuple[bool, str]]:
    """Title of every tab of panels -> whether it has a sign, and its tooltip."""
    bars = [bar for bar in window.findChildren(QTabBar) if bar.parent() is window]
    return {
        bar.tabText(k): (not bar.tabIcon(k).isNull(), bar.tabToolTip(k)) for bar in bars for k in range(bar.count())
    }


def test_a_bad_verdict_is_seen_on_its_tab_and_in_the_status_bar_which_leads_there(qtbot, window, doubtful):
    """Bad verdicts stayed hidden behind tabs."""
    line = window.status_line
    qtbot.waitUntil(lambda: line.buttons["trust"].text() == "Trust: good", timeout=10_000)
    assert not any(signed for signed, _ in tabs(window).values())
    window.context.document.open(doubtful)
    qtbot.waitUntil(lambda: line.buttons["trust"].text() == "Trust: not reliable", timeout=10_000)
    assert [title for title, (signed, _) in tabs(window).items() if signed] == ["Trust"]
    assert tabs(window)["Trust"][1] == line.buttons["trust"].toolTip()
    for wanted in (True, False):  # the sign stays when Qt makes the tabs anew
        window.docks["loads"].setFloating(wanted)
        qtbot.waitUntil(lambda: tabs(window)["Trust"][0], timeout=10_000)
    qtbot.mouseClick(line.buttons["trust"], Qt.MouseButton.LeftButton)
    QApplication.processEvents()
    assert window.panel_seen("trust")
    qtbot.mouseClick(line.buttons["trust"], Qt.MouseButton.LeftButton)
    QApplication.processEvents()
    assert window.panel_seen("trust")  # it leads there, and never away
    window.context.document.close()
    qtbot.waitUntil(lambda: not line.verdicts, timeout=10_000)
    assert line.recording.text() == ""


def test_signs_differ_in_shape_not_only_in_colour(qapp):
    outlines = []
    for level in Level:
        image = sign(level, LIGHT).pixmap(48, 48).toImage()
        outlines.append([image.pixelColor(x, y).alpha() > 128 for x in range(48) for y in range(48)])
    for one, other in combinations(outlines, 2):
        assert sum(a != b for a, b in zip(one, other, strict=True)) > 100  # of 2304 pixels


def test_the_status_bar_tells_what_is_open_and_what_is_out_of_date(demo_analysis, doubtful):
    summary = recording_told(demo_analysis)
    assert summary.split("  ·  ") == [
        demo_analysis.session.dynamic.source.name, "1885 frames at 100 Hz, 18.85 s", "model m21, 21 segments",
        "analysis up to date",
    ]  # fmt: skip
    assert recording_told(Analysis(demo_analysis.session)).endswith("not analysed (F5)")
    begun = Analysis(demo_analysis.session).run_until("preparation")
    assert recording_told(begun).endswith(f"analysis: {len(ALWAYS) - 1} steps to do")  # as the tree says
    assert verdicts(Analysis(demo_analysis.session)) == ()
    settings = replace(demo_analysis.settings, signals=replace(demo_analysis.settings.signals, marker_filter=None))
    changed = demo_analysis.with_settings(settings)
    assert recording_told(changed).endswith("analysis out of date (F5)")
    assert [(one.words, one.level) for one in verdicts(changed)] == [
        ("Trust: out of date", Level.CHECK), ("Loads: out of date", Level.CHECK),
    ]  # what is out of date has no green sign  # fmt: skip
    assert next((one.panel, one.level) for one in verdicts(doubtful)) == ("trust", Level.POOR)


# --------------------------------------------------------------------------------------------------------------- room
def test_a_small_screen_leaves_the_body_its_room_and_folds_notices_that_only_remark(qtbot, window, doubtful):
    """At 1280 × 720 the view had 585 × 406, and two lines of remarks stood below it."""
    qtbot.waitUntil(lambda: window.notices.folded, timeout=10_000)
    qtbot.waitUntil(lambda: window.view.height() > 450, timeout=10_000)
    assert window.view.width() > 610
    assert window.notices.filters[Severity.INFO].isVisible()  # its number is the summary
    qtbot.mouseClick(window.notices.fold, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.notices.folded, timeout=10_000)
    qtbot.mouseClick(window.notices.fold, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.notices.folded, timeout=10_000)
    warned = Notice(Severity.WARNING, "marker-lost", "A marker was lost.")
    session = replace(doubtful.session, notices=(*doubtful.session.notices, warned))
    window.context.document.open(replace(doubtful, session=session))
    qtbot.waitUntil(lambda: not window.notices.folded, timeout=10_000)  # a warning is worth reading


def test_panels_that_a_small_window_squeezed_get_their_room_back(qtbot, window):
    """Once the window had been small, the tree stayed a strip of 75 points in which nothing could be read."""
    left, right = window.docks["browser"], window.docks["plots"]
    window.resize(window.minimumSizeHint())
    qtbot.waitUntil(lambda: left.width() < 150, timeout=10_000)
    window.resize(1280, 720)
    qtbot.waitUntil(lambda: left.width() >= 200, timeout=10_000)
    assert window.view.width() > 500
    window.resize(1600, 900)
    qtbot.waitUntil(lambda: left.width() >= 220, timeout=10_000)
    qtbot.waitUntil(lambda: right.width() >= 400, timeout=10_000)


def test_a_window_that_is_enlarged_gives_the_panels_their_share(qtbot, window):
    """Panels of a window that was maximised to 1920 points kept the width that they had at 1280."""
    window.resize(1920, 1080)
    right, left = window.docks["plots"], window.docks["browser"]
    qtbot.waitUntil(lambda: right.width() > 0.29 * 1920 and left.width() > 0.14 * 1920)
    window.resizeDocks([right], [480], Qt.Orientation.Horizontal)
    qtbot.turns()
    window.resize(2200, 1080)
    qtbot.turns()
    assert abs(right.width() - 480) < 20  # the user's own choice stays


@pytest.mark.parametrize("width", [800, 1280])
def test_texts_of_the_status_bar_never_overlap(qtbot, window, doubtful, width):
    """A long note of a job lay over the verdicts in a small window."""
    window.context.document.open(doubtful)
    window.resize(width, 720)
    window._working(True, "Kinematic Analysis")
    window._progressed(Status("Kinematic Analysis of a recording with a long name", 0.5, 12.0, words="w" * 150))
    qtbot.turns()
    shown = [one for one in (window.status_line.recording, window.status_line, window.told, window.bar, window.stop)
             if one.isVisible() and one.width()]  # fmt: skip
    assert len(shown) >= 4
    places = sorted((one.geometry() for one in shown), key=lambda place: place.left())
    assert all(before.right() < after.left() for before, after in pairwise(places))
    assert places[-1].right() <= window.statusBar().width()
    window._working(False)


def test_the_first_run_says_plainly_that_routines_are_prepared(qtbot, window):
    """A note of some words in the status bar was all that was seen for a minute."""
    window._working(True, "Kinematic Analysis")
    window._progressed(Status("Kinematic Analysis", 0.1, None, PREPARING))
    dialog = window.findChild(QProgressDialog, "preparing")
    assert dialog.isVisible()
    assert "only once" in dialog.labelText()
    assert not dialog.isModal()  # the window can be used meanwhile
    window._ended("Kinematic Analysis: done")
    qtbot.turns()
    assert window.findChild(QProgressDialog, "preparing") is None


def test_a_height_that_the_user_gave_the_notices_stays(qtbot, window, demo_analysis):
    qtbot.waitUntil(lambda: window.notices.folded, timeout=10_000)
    window.resizeDocks([window.docks["notices"]], [300], Qt.Orientation.Vertical)
    qtbot.waitUntil(lambda: not window.notices.folded, timeout=10_000)
    height = window.docks["notices"].height()
    window.context.document.open(demo_analysis)
    qtbot.waitUntil(lambda: not window.context.aside.busy)
    qtbot.turns()
    assert window.docks["notices"].height() == height


def test_lines_that_are_cut_in_the_tree_are_told_whole(window, demo_analysis):
    model = window.docks["browser"].widget().model
    name = demo_analysis.session.dynamic.source.name
    assert model.data(model.index(0, 0), Qt.ItemDataRole.ToolTipRole).startswith(f"{name}\n")


def test_plots_grow_where_there_is_room_for_larger_ones(qtbot, window):
    """At 3840 × 2160 the lower third of the panel was empty below three columns of low plots."""
    qtbot.waitUntil(lambda: len(window.plots.grid.items_) == 7, timeout=20_000)
    grid = window.plots.grid
    assert grid.columns_for(1140.0, 1700.0) == 2
    assert grid.columns_for(1140.0, 700.0) == 3
    assert grid.columns_for(390.0, 440.0) == 2  # none fits without scrolling: as many as are wide enough
    window.resize(3840, 2160)
    window.resizeDocks([window.docks["plots"]], [1150], Qt.Orientation.Horizontal)
    qtbot.waitUntil(lambda: grid.height() > 1500 and grid._columns == 2, timeout=20_000)
    grid.settle()
    assert max(item.geometry().bottom() for item in grid.items_) > 0.9 * grid.height()


def test_the_start_page_stands_in_the_middle_of_a_large_screen(qtbot, tmp_path):
    window = MainWindow(Preferences(tmp_path / "prefs.ini"))
    qtbot.addWidget(window)
    window.resize(3840, 2160)
    window.show()
    page = window.start_page
    top = page.banner.mapTo(page, page.banner.rect().topLeft()).y()
    below = page.height() - page.hint.mapTo(page, page.hint.rect().bottomLeft()).y()
    assert abs(top - below) < 0.05 * page.height()
    window.close()


@pytest.fixture
def light_again(qapp) -> Iterator[None]:
    """The colours of the program as other tests expect them."""
    yield
    apply(qapp, LIGHT)


@pytest.mark.usefixtures("light_again")
def test_a_part_that_cannot_take_a_theme_leaves_a_window_that_is_drawn(window, qtbot, monkeypatch):
    def fail(theme):
        raise RuntimeError("no such colour")

    monkeypatch.setattr(window.timeline, "set_theme", fail)
    with qtbot.captureExceptions() as raised:
        window.set_theme("dark")
        assert not window.updatesEnabled()
        qtbot.waitUntil(window.updatesEnabled)
    assert [str(error) for _, error, _ in raised] == ["no such colour"]


@pytest.mark.usefixtures("light_again")
def test_a_window_that_was_closed_takes_no_theme_any_more(window, qtbot):
    """Its 3-D view built another scene after the graphics library had been freed."""
    window.set_theme("dark")
    window.close()
    later = QTimer(singleShot=True, interval=2 * NEXT_TURN_MS)  # when it would have taken it
    with qtbot.waitSignal(later.timeout):
        later.start()
    assert window.view.scene is None
