"""Menu Utilities: its items in their order, and what they do to the plots."""

import numpy as np
import pytest

from biomec_app.dialogs.set_scale import SetScaleDialog
from biomec_app.plots.plots import PlotPanel
from biomec_app.session.context import Context
from biomec_app.shell.actions.utilities import ACTIONS

BY_KEY = {action.key: action for action in ACTIONS}
ORDER = (
    "Configuration…", "Set Scale…", "Grid", "Draw Spots", "Match Screen", "Restore Screen", "Show Cycles",
    "Shift Forward", "Shift Backward", "Dot Measure",
)  # fmt: skip


@pytest.fixture
def shown(qtbot, context: Context, document_with_demo) -> Context:
    panel = PlotPanel(context, ACTIONS)
    qtbot.addWidget(panel)
    panel.resize(600, 600)
    panel.show()
    panel.refresh()
    return context


def run(context: Context, name: str) -> None:
    action = BY_KEY[f"utilities.{name}"]
    assert action.blocked(context) is None
    action.run(context)


def test_items_stand_in_their_order() -> None:
    texts = [action.text.replace("&", "") for action in ACTIONS if action.run is not None]
    assert tuple(texts[: len(ORDER)]) == ORDER


def test_without_a_recording_they_say_why(context: Context) -> None:
    for action in ACTIONS:
        if action.run is not None:
            assert action.blocked(context) == "Open or import a recording first."


@pytest.mark.parametrize("name", ["grid", "spots", "cycles", "measure", "events", "linked"])
def test_switches_switch(shown: Context, name: str) -> None:
    action = BY_KEY[f"utilities.{name}"]
    before = action.checked(shown)
    run(shown, name)
    assert action.checked(shown) is not before
    run(shown, name)
    assert action.checked(shown) is before


def test_zoom_shift_and_restore(shown: Context) -> None:
    run(shown, "zoom-in")
    first, last = shown.plots.view.window_s
    assert np.isclose(last - first, 0.5 * 18.84)
    run(shown, "backward")
    assert np.isclose(shown.plots.view.window_s[0], 0.0)
    run(shown, "forward")
    assert np.isclose(shown.plots.view.window_s[1], 18.84)
    run(shown, "restore")
    assert shown.plots.view.window_s is None
    run(shown, "match")
    run(shown, "zoom-out")


def test_over_the_cycle_time_cannot_be_shifted(shown: Context) -> None:
    shown.plots.set(over="mean")
    assert "over time" in BY_KEY["utilities.forward"].blocked(shown)


def test_set_scale_asks_for_time_and_values(shown: Context, qtbot) -> None:
    dialog = SetScaleDialog(shown)
    qtbot.addWidget(dialog)
    assert dialog.whole.isChecked()
    assert not dialog.first.isEnabled()
    dialog.whole.setChecked(False)
    dialog.fitted.setChecked(False)
    dialog.first.setValue(3.0)
    dialog.last.setValue(2.0)
    dialog.accept()
    assert "larger number" in dialog.told.text()
    dialog.last.setValue(5.0)
    dialog.low.setValue(-10.0)
    dialog.high.setValue(90.0)
    dialog.accept()
    assert (shown.plots.view.window_s, shown.plots.view.range_y) == ((3.0, 5.0), (-10.0, 90.0))
