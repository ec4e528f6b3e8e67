"""The tree as a user meets it."""

import pytest
from PySide6.QtCore import QMimeData, QModelIndex, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QFont, QFontMetrics, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QWidget

from biomec.pipeline.analysis import Analysis
from biomec_app.kit.theme import DARK
from biomec_app.plots.curve_drop import MIME, CurveDrop
from biomec_app.shell.actions import all_actions
from biomec_app.shell.browser import Browser
from biomec_app.shell.tree_model import fitted
from biomec_app.viewer.timeline import Timeline

FLEXION = "angle/right elbow flexion"
PARTS_TOLD = ("gravity", "inertial", "external")


@pytest.fixture
def browser(qtbot, context, document_with_demo):
    widget = Browser(context)
    qtbot.addWidget(widget)
    widget.resize(280, 600)
    widget.show()
    return widget


def index_of(browser, key, parent=None):
    model = browser.model
    parent = QModelIndex() if parent is None else parent
    for row in range(model.rowCount(parent)):
        index = model.index(row, 0, parent)
        if model.node(index).key == key:
            return index
        if not model.node(index).key.startswith("signals"):
            found = index_of(browser, key, index)
            if found is not None:
                return found
    return None


def curve_index(browser, key):
    browser.search.setText("right elbow flexion")
    browser._show()
    model = browser.model
    waiting = [QModelIndex()]
    while waiting:
        parent = waiting.pop()
        for row in range(model.rowCount(parent)):
            index = model.index(row, 0, parent)
            if model.node(index).curves == (key,):
                return index
            waiting.append(index)
    raise AssertionError(key)


def test_the_model_keeps_the_rules_of_qt(browser):
    QAbstractItemModelTester(browser.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    browser.search.setText("elbow")
    browser._show()
    browser.view.expandAll()


def test_checking_a_curve_plots_it(browser, document_with_demo):
    index = curve_index(browser, FLEXION)
    assert browser.model.data(index, Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Unchecked
    browser.model.setData(index, Qt.CheckState.Checked.value, Qt.ItemDataRole.CheckStateRole)
    assert document_with_demo.selection.curves == (FLEXION,)
    assert browser.model.data(index, Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
    assert browser.model.data(index.parent(), Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.PartiallyChecked
    browser.model.setData(index, Qt.CheckState.Unchecked.value, Qt.ItemDataRole.CheckStateRole)
    assert document_with_demo.selection.curves == ()


def test_a_double_click_adds_and_removes(browser, document_with_demo):
    document_with_demo.select(curves=("body/position Y",))
    index = curve_index(browser, FLEXION)
    browser.view.doubleClicked.emit(index)
    assert document_with_demo.selection.curves == ("body/position Y", FLEXION)
    browser.view.doubleClicked.emit(index)
    assert document_with_demo.selection.curves == ("body/position Y",)


def test_dragging_carries_the_keys(browser):
    index = curve_index(browser, FLEXION)
    assert bytes(browser.model.mimeData([index]).data(MIME)).decode() == FLEXION


def test_curves_dropped_on_a_widget_are_plotted_beside_the_others(qtbot, browser, document_with_demo):
    document_with_demo.select(curves=("body/position Y",))
    target = QWidget()
    qtbot.addWidget(target)
    CurveDrop(target, document_with_demo)
    data = browser.model.mimeData([curve_index(browser, FLEXION)])
    none, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    enter = QDragEnterEvent(QPoint(1, 1), Qt.DropAction.CopyAction, data, left, none)
    QApplication.sendEvent(target, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(target, QDropEvent(QPointF(1, 1), Qt.DropAction.CopyAction, data, left, none))
    assert document_with_demo.selection.curves == ("body/position Y", FLEXION)
    files = QMimeData()
    files.setText("something else")
    other = QDragEnterEvent(QPoint(1, 1), Qt.DropAction.CopyAction, files, left, none)
    QApplication.sendEvent(target, other)
    assert not other.isAccepted()


def test_a_click_picks_segments_and_markers(browser, document_with_demo):
    browser.view.clicked.emit(index_of(browser, "model/segment/thorax"))
    assert document_with_demo.selection.segment == "thorax"
    browser.view.clicked.emit(index_of(browser, "recording/marker/C7"))
    assert (document_with_demo.selection.point, document_with_demo.selection.segment) == ("C7", None)


def test_a_step_that_is_to_come_is_run_by_a_double_click(qtbot, context, demo_analysis):
    context.document.open(Analysis(demo_analysis.session, demo_analysis.settings))
    browser = Browser(context)
    qtbot.addWidget(browser)
    with qtbot.waitSignal(context.jobs.finished, timeout=20_000):
        browser.view.doubleClicked.emit(index_of(browser, "results/preparation"))
    assert context.document.analysis.is_current("preparation")
    assert browser.model.node(index_of(browser, "results/preparation")).detail == "up to date"


def test_what_was_open_stays_open_after_an_edit(browser, document_with_demo, demo_analysis):
    browser.view.expand(index_of(browser, "model"))
    browser.view.expand(index_of(browser, "model/joints"))
    document_with_demo.change("nothing", Analysis(demo_analysis.session, demo_analysis.settings, demo_analysis.done))
    assert browser.view.isExpanded(index_of(browser, "model/joints"))
    assert not browser.view.isExpanded(index_of(browser, "static"))


def test_a_search_without_result_says_so(browser):
    browser.search.setText("nonsense")
    browser._show()
    assert browser.nothing.isVisible()
    assert "nonsense" in browser.nothing.text()
    browser.search.clear()
    browser._show()
    assert not browser.nothing.isVisible()


def test_a_key_leads_to_the_search_and_enter_back_to_the_tree(qtbot, browser):
    browser.activateWindow()
    browser.view.setFocus()
    qtbot.keyClick(browser.view, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert browser.search.hasFocus()
    qtbot.keyClicks(browser.search, "thorax")
    qtbot.keyClick(browser.search, Qt.Key.Key_Return)
    assert browser.view.hasFocus()
    assert browser.view.currentIndex().isValid()


def test_no_key_of_the_panels_is_also_one_of_a_menu(qtbot, context):
    parts = (Browser(context), Timeline(context))
    for part in parts:
        qtbot.addWidget(part)
    mine = [
        shortcut.key().toString()
        for part in parts
        for shortcut in part.findChildren(QShortcut)
        if shortcut.context() == Qt.ShortcutContext.WindowShortcut
    ]
    menus = {QKeySequence(action.shortcut).toString() for action in all_actions() if action.shortcut}
    assert mine
    assert not menus & set(mine)


def test_the_menu_of_a_marker(browser, document_with_demo):
    node = browser.model.node(index_of(browser, "recording/marker/C7"))
    actions = {action.text(): action for action in browser.menu_of([node]).actions() if action.text()}
    assert {"Plot only this", "Add to the plots", "Show in the 3-D view", "Copy name"} <= set(actions)
    actions["Plot only this"].trigger()
    assert document_with_demo.selection.curves == tuple(f"marker raw/C7/{axis}" for axis in "XYZ")
    actions["Copy name"].trigger()
    assert QGuiApplication.clipboard().text() == "C7"
    again = [action.text() for action in browser.menu_of([node]).actions()]
    assert "Remove from the plots" in again
    assert "Add to the plots" not in again


def test_a_closed_recording_leaves_nothing(browser, context):
    context.document.close()
    assert browser.model.rowCount() == 0
    assert browser.nothing.isVisible()
    browser.set_theme(DARK)
    assert browser.grab().width() > 0


def test_a_label_that_is_cut_keeps_what_tells_it_from_others(qapp):
    """Labels were cut in the middle: three parts of the moments all read "Joint moments, …art, joint axes"."""
    metrics = QFontMetrics(QFont())
    labels = [f"Joint {what}, {part} part, joint axes" for what in ("moments", "forces") for part in PARTS_TOLD]
    whole = metrics.horizontalAdvance(max(labels, key=metrics.horizontalAdvance))
    for share in (1.0, 0.9, 0.8, 0.7, 0.6):
        cut = [fitted(label, metrics, round(share * whole)) for label in labels]
        assert len(set(cut)) == len(labels), share
        assert all(metrics.horizontalAdvance(text) <= share * whole + 1 for text in cut)
        assert all(part in text for part, text in zip(2 * PARTS_TOLD, cut, strict=True))
    assert fitted("HC030A05.c3d", metrics, 20) == "HC030A05.c3d"  # cut in the middle by the view


def test_the_tooltip_of_a_label_with_parts_is_the_whole_label(browser):
    root = browser.model.index(0, 0)
    rows = [browser.model.index(row, 0) for row in range(browser.model.rowCount())]
    below = [browser.model.index(k, 0, row) for row in (root, *rows) for k in range(browser.model.rowCount(row))]
    split = [index for index in below if ", " in index.data()]
    assert split
    assert all(index.data(Qt.ItemDataRole.ToolTipRole).startswith(index.data()) for index in split)
