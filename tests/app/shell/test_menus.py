"""The menus as tables."""

import re
from collections import Counter
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QMainWindow

from biomec.pipeline.analysis import ALWAYS, Analysis
from biomec.pipeline.outlook import loads_belong
from biomec_app.session.preferences import Preferences
from biomec_app.shell.actions import all_actions
from biomec_app.shell.main_window import MainWindow
from biomec_app.shell.menus import ORDER, Menus, with_letters


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
    shortcuts = [keys for action in actions if action.shortcut for keys in action.shortcut.split(", ")]
    assert max(Counter(shortcuts).values()) == 1


def test_items_that_cannot_run_say_why(menus, context):
    """With nothing open almost nothing can run; what can is import, open, the demonstration, exit and help."""
    sentences = []
    context.user.tell = context.user.fail = lambda title, sentence: sentences.append(sentence)
    for key, (action, item) in menus.items.items():
        if not item.isVisible():  # places for recent files that nobody has opened
            continue
        reason = action.blocked(context)
        assert item.isEnabled() == (reason is None), key
        if reason is not None:
            assert reason in item.toolTip()
            assert reason.endswith("."), key
    menus.run("kinematics.all")
    assert sentences == ["Open or import a recording first."]
    assert menus.items["file.import"][1].isEnabled()
    assert not menus.items["muscles.both"][1].isEnabled()


def test_kinematics_has_the_steps_in_their_order(menus):
    keys = [key for key in menus.items if key.startswith("kinematics.")]
    wanted = [f"kinematics.{step.name}" for step in ALWAYS if f"kinematics.{step.name}" in keys]
    assert [key for key in keys if key in wanted] == wanted
    titles = [menus.items[key][1].text().replace("&", "") for key in keys]
    assert titles[:5] == [
        "Body Model", "Consistent Positions", "Consistent Motion",
        "Body Segments", "Joint Angles",
    ]  # fmt: skip


def test_files_shortcuts_are_those_people_know(menus):
    wanted = {"file.import": "Ctrl+I", "file.open": "Ctrl+O", "file.save": "Ctrl+S", "file.save-as": "Ctrl+B",
              "file.save-stretch": "Ctrl+L", "file.exit": "Ctrl+E", "edit.undo": "Ctrl+Z"}  # fmt: skip
    there = {key: item.shortcut().toString() for key, (_, item) in menus.items.items() if key in wanted}
    assert there == {key: shortcut for key, shortcut in wanted.items() if key in menus.items}
    assert len(there) == len(wanted)
    usual = {"file.save-as": "Ctrl+Shift+S", "file.exit": "Ctrl+Q"}
    assert all(keys in [one.toString() for one in menus.items[key][1].shortcuts()] for key, keys in usual.items())


def test_a_png_is_called_a_picture(menus):
    assert menus.items["file.save-png"][1].text().replace("&", "") == "As Picture (PNG)…"


def test_figures_of_the_movement_stand_apart_from_numerical_checks(menus):
    """Joint angles stood in one list with the derivatives of constraints."""
    menu = {key.removeprefix("figures."): action.menu for key, (action, _) in menus.items.items() if "figures." in key}
    assert {menu[key] for key in ("angles", "emg", "stick", "loads-cycles") if key in menu} == {"Signal Analysis"}
    checks = {key for key, where in menu.items() if where == "Signal Analysis/&Numerical Checks"}
    assert {"derivatives", "frozen", "residual", "violations"} <= checks


def test_f5_computes_loads_that_are_out_of_date(qtbot, menus, context, short_analysis):
    """F5 ended at the cycles, and loads stayed out of date."""
    settings = short_analysis.settings
    changed = replace(settings, loads=replace(settings.loads, method="lagrange"))
    context.document.open(short_analysis.with_settings(changed))
    assert context.document.analysis.stale == ("loads",)
    assert menus.items["kinematics.all"][1].isEnabled()
    menus.run("kinematics.all")
    qtbot.waitUntil(lambda: not context.jobs.busy)
    assert context.document.analysis.stale == ()
    assert not menus.items["kinematics.all"][1].isEnabled()


def test_f5_takes_a_recording_with_plates_to_its_loads(qtbot, menus, context, short_analysis):
    """F5 ended at the cycles where loads had never been computed."""
    fresh = replace(short_analysis, done={key: one for key, one in short_analysis.done.items() if key != "loads"})
    context.document.open(fresh)
    menus.run("kinematics.all")
    qtbot.waitUntil(lambda: not context.jobs.busy)
    assert context.document.analysis.is_current("loads")
    assert context.document.history[-1] == 'analysis = analysis.run_until("loads")'


def test_f5_estimates_the_ground_reaction_only_where_the_settings_say_so(qtbot, menus, context, short_analysis):
    session = short_analysis.session
    bare = replace(session, dynamic=replace(session.dynamic, plates=()))
    analysis = replace(
        short_analysis,
        session=bare,
        done={key: one for key, one in short_analysis.done.items() if key != "loads"},
    )
    assert not loads_belong(analysis)
    settings = analysis.settings
    assert loads_belong(analysis.with_settings(replace(settings, loads=replace(settings.loads, external="estimated"))))


def said(menus, context):
    """Reasons of everything that cannot run now."""
    reasons = {key: action.blocked(context) for key, (action, _) in menus.items.items()}
    return {key: reason for key, reason in reasons.items() if reason is not None}


def test_reasons_name_items_that_the_menus_have(menus, context, demo_analysis):
    """After every step: what a reason tells to run is an item, enabled, and no reason speaks of the command line."""
    analysis = Analysis(demo_analysis.session)
    context.document.open(analysis)
    named = set()
    for step in (None, *ALWAYS):
        if step is not None:
            done = {name: value for name, value in demo_analysis.done.items() if name in (*analysis.done, step.name)}
            analysis = replace(analysis, done=done)
            context.document.change(step.title, analysis)
        items = {item.text().replace("&", ""): item for _, item in menus.items.values()}
        for key, reason in said(menus, context).items():
            assert " --" not in reason, key
            for wanted in set(re.findall(r'Run "([^"]+)"', reason)):
                assert items[wanted].isEnabled(), (key, reason)
                named.add(wanted)
    assert {"Body Model", "Consistent Positions", "Cycles", "Kinematic Analysis"} <= named


def test_every_item_has_a_letter_of_its_own(qtbot, tmp_path):
    window = MainWindow(Preferences(tmp_path / "prefs.ini"))
    qtbot.addWidget(window)
    for path, menu in window.menus._menus.items():
        texts = [item.text() for item in menu.actions() if item.text() and item.isVisible()]
        letters = [re.search(r"(?<!&)&([^&\s])", text) for text in texts]
        assert all(letters), (path, texts)
        assert max(Counter(mark[1].lower() for mark in letters).values(), default=0) <= 1, (path, texts)


def test_choices_that_exclude_each_other_are_shown_as_such_and_one_is_on(menus, context, demo_analysis):
    context.document.open(demo_analysis)
    lines, capsules = (menus.items[f"visualize.shape.{name}"][1] for name in ("lines", "capsules"))
    assert lines.actionGroup() is not None
    assert lines.actionGroup() is capsules.actionGroup()
    whole, raw = (menus.items[f"visualize.dynamic.{name}"][1] for name in ("whole", "raw"))
    assert whole.actionGroup() is not raw.actionGroup()  # one of each may be on
    assert menus.items["visualize.show.plates"][1].actionGroup() is None  # overlays can be on together
    for item in (lines, capsules, capsules):  # the second time it stays on
        item.trigger()
        assert [one.isChecked() for one in (lines, capsules)] == [item is lines, item is capsules]
    for key in ("visualize.static.whole", "visualize.dynamic.raw"):
        menus.run(key)
    assert not menus.items["visualize.static.whole"][1].isChecked()
    assert menus.items["visualize.dynamic.raw"][1].isChecked()


def test_letters_that_are_given_stay_and_doubles_get_another():
    assert with_letters(["ab", "a"]) == ["a&b", "&a"]  # the first gives way, so that both have one
    assert with_letters(["a", "a"]) == ["&a", "a"]  # there are no more letters
    assert with_letters(["&Copy", "Cut", "&Close", "2 && 3", "Cut"]) == ["&Copy", "C&ut", "C&lose", "&2 && 3", "Cu&t"]


def test_undo_and_redo_name_what_they_do_and_redo_has_both_keys(menus, context, demo_analysis):
    context.document.open(demo_analysis)
    undo, redo = (menus.items[key][1] for key in ("edit.undo", "edit.redo"))
    assert (undo.text(), redo.text()) == ("&Undo", "&Redo")
    context.document.change("Rename Marker", replace(demo_analysis))
    assert menus.items["edit.undo"][1] is undo  # whoever looks at the items finds them up to date
    assert undo.text() == "&Undo Rename Marker"
    menus.run("edit.undo")
    assert (undo.text(), redo.text()) == ("&Undo", "&Redo Rename Marker")
    assert [keys.toString() for keys in redo.shortcuts()] == ["Ctrl+Shift+Z", "Ctrl+Y"]
    menus.run("edit.redo")
    assert not redo.isEnabled()


def test_menus_are_refreshed_once_however_much_changes(qtbot, menus, context, demo_analysis, monkeypatch):
    asked = []
    action, item = menus.items["edit.undo"]
    monkeypatch.setitem(menus._items, "edit.undo", (replace(action, blocked=lambda c: asked.append(1)), item))
    context.document.open(demo_analysis)
    context.document.change("One", replace(demo_analysis))
    context.document.set_view(coloured=True)
    assert asked == []
    qtbot.waitUntil(lambda: bool(asked), timeout=5000)
    assert asked == [1]
