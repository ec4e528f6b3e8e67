"""Dynamically consistent motion in the window: tried, looked at, taken over, undone."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from biomec_app.features.loads.actions import ACTIONS
from biomec_app.features.loads.consistent_dialog import ConsistentDialog, pairs_of

SLOW_MS = 120_000


@pytest.fixture
def dialog(qtbot, context, grips):
    context.document.open(grips["closed"])
    made = ConsistentDialog(context)
    qtbot.addWidget(made)
    made.show()
    return made


def test_one_button_shows_everything_and_changes_nothing_before_it_is_accepted(qtbot, context, dialog):
    document = context.document
    before = document.analysis
    qtbot.mouseClick(dialog.try_, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.candidate is not None, timeout=SLOW_MS)
    assert document.analysis is before
    titles = [dialog.tabs.tabText(k) for k in range(dialog.tabs.count())]
    assert titles == ["Curves", "Residual", "Segments", "Angles", "Moments", "Forces"]
    reduced = dialog.candidate.loads.reduced
    assert max(reduced.after.force_peak[3], reduced.after.torque_peak[3]) <= 1e-6
    qtbot.mouseClick(dialog.apply, Qt.MouseButton.LeftButton)
    assert document.analysis.loads.reduced is reduced
    assert document.analysis.is_current("loads")
    assert "DynamicOptions(" in document.history[0]
    assert any(notice.code == "dynamically-consistent" for notice in document.analysis.notices)
    document.undo_stack.undo()
    assert document.analysis is before


def test_curves_are_those_before_and_after(qtbot, dialog):
    dialog.compute()
    qtbot.waitUntil(lambda: dialog.candidate is not None, timeout=SLOW_MS)
    curves = dialog.tabs.widget(0)
    candidate = dialog.candidate
    reduced = candidate.loads.reduced
    there = reduced.dynamics.consistent
    assert curves.pairs[0].title == "Residual force"
    assert np.abs(curves.pairs[0].after[there]).max() <= 1e-6
    name = "Angle: right elbow flexion"
    curves.choice.setCurrentText(name)
    pair = next(one for one in pairs_of(candidate) if one.title == name)
    lines = curves.plot.listDataItems()
    assert np.array_equal(lines[0].yData, pair.before, equal_nan=True)
    assert np.array_equal(lines[1].yData, pair.after, equal_nan=True)
    assert 0.0 < np.abs(pair.after - pair.before)[there].max() < 5.0  # degrees
    dialog.back.click()
    assert dialog.candidate is None


def test_forces_alone_may_change(qtbot, dialog):
    dialog.trust.setCurrentIndex(2)
    assert dialog.options.dynamics.trust == "motion"
    dialog.compute()
    qtbot.waitUntil(lambda: dialog.candidate is not None, timeout=SLOW_MS)
    assert dialog.candidate.loads.reduced.dynamics.place_rms_m == 0.0
    assert "Forces" in [dialog.tabs.tabText(k) for k in range(dialog.tabs.count())]


def test_the_menu_offers_it_beside_reduce_residuals(context, grips):
    names = [one.key for one in ACTIONS]
    assert names.index("dynamics.consistent") == names.index("dynamics.reduce") + 1
    action = ACTIONS[names.index("dynamics.consistent")]
    assert action.blocked(context)
    context.document.open(grips["closed"])
    assert action.blocked(context) is None
