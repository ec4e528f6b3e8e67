"""The menus as tables."""

from collections import Counter

import pytest
from PySide6.QtWidgets import QMainWindow

from biomec.pipeline.analysis import STEPS
from biomec_app.actions import all_actions
from biomec_app.menus import ORDER, Menus


@pytest.fixture
def window(qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    return window


@pytest.fixture
def menus(context, window):
    return Menus(window.menuBar(), all_actions(), context)


def test_menus_stand_in_their_order(menus):
    bar = menus.parent()
    assert [action.text().replace("&", "") for action in bar.actions()] == list(ORDER)


def test_keys_and_shortcuts_are_unique():
    actions = [action for action in all_actions() if action.run is not None]
    assert max(Counter(action.key for action in actions).values()) == 1
    shortcuts = [action.shortcut for action in actions if action.shortcut]
    assert max(Counter(shortcuts).values()) == 1


def test_items_that_cannot_run_say_why(menus, context):
    """With nothing open almost nothing can run; what can is import, open, the demonstration, exit and help."""
    told = []
    context.tell = lambda title, sentence: told.append(sentence)
    for key, (action, item) in menus.items.items():
        if not item.isVisible():  # places for recent files that nobody has opened
            continue
        reason = action.blocked(context)
        assert item.isEnabled() == (reason is None), key
        if reason is not None:
            assert reason in item.toolTip()
            assert reason.endswith("."), key
    menus.run("kinematics.all")
    assert told == ["Open or import a recording first."]
    assert menus.items["file.import"][1].isEnabled()
    assert not menus.items["dynamics.multibody"][1].isEnabled()


def test_kinematics_has_the_steps_in_their_order(menus):
    keys = [key for key in menus.items if key.startswith("kinematics.")]
    wanted = [f"kinematics.{step.name}" for step in STEPS if f"kinematics.{step.name}" in keys]
    assert [key for key in keys if key in wanted] == wanted
    titles = [menus.items[key][1].text().replace("&", "") for key in keys]
    assert titles[:5] == [
        "Load Biomechanical Model", "Kinematic Consistency", "Vel. and Accel. Analysis",
        "Kinematic Analysis (Body Segment)", "Calculate Joint Angles",
    ]  # fmt: skip


def test_files_shortcuts_are_those_people_know(menus):
    wanted = {"file.import": "Ctrl+I", "file.open": "Ctrl+O", "file.save": "Ctrl+S", "file.save-as": "Ctrl+B",
              "file.stretch": "Ctrl+L", "file.exit": "Ctrl+E", "edit.undo": "Ctrl+Z"}  # fmt: skip
    there = {key: item.shortcut().toString() for key, (_, item) in menus.items.items() if key in wanted}
    assert there == {key: shortcut for key, shortcut in wanted.items() if key in menus.items}
    assert len(there) >= 6
