"""The page before a recording is open."""

from PySide6.QtCore import Qt

from biomec_app.kit.theme import DARK, LIGHT
from biomec_app.shell import files
from biomec_app.shell.start_page import StartPage


def test_cards_and_recent_files_begin_something(qtbot, context, tmp_path, monkeypatch):
    begun = []
    for name in ("ask_and_import", "ask_and_open", "open_demo"):
        monkeypatch.setattr(files, name, lambda context, name=name: begun.append(name))
    monkeypatch.setattr(files, "open_file", lambda context, path: begun.append(path.name))
    path = tmp_path / "walk.c3d"
    path.write_bytes(b"x")
    context.preferences.add_recent(path)
    page = StartPage(context)
    qtbot.addWidget(page)
    page.resize(1280, 680)
    page.show()
    for button in page.buttons.values():
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    page.buttons["open"].setFocus()
    qtbot.keyClick(page.buttons["open"], Qt.Key.Key_Space)
    page.recent.setCurrentRow(0)
    page.recent.itemActivated.emit(page.recent.item(0))
    assert begun == ["ask_and_import", "ask_and_open", "open_demo", "ask_and_open", "walk.c3d"]


def test_without_recent_files_the_first_steps_are_told(qtbot, context, tmp_path):
    page = StartPage(context)
    qtbot.addWidget(page)
    page.set_theme(LIGHT)
    page.show()
    assert "demo" in page.steps.text()
    assert page.steps.isVisible()
    assert not page.recent.isVisible()
    context.preferences.add_recent(tmp_path / "walk.c3d")
    (tmp_path / "walk.c3d").write_bytes(b"x")
    page.refresh()
    assert page.recent.isVisible()
    assert not page.steps.isVisible()


def test_both_themes_draw_something_else(qtbot, context):
    page = StartPage(context)
    qtbot.addWidget(page)
    page.resize(900, 600)
    pictures = []
    for theme in (LIGHT, DARK):
        page.set_theme(theme)
        pictures.append(page.grab().toImage())
    assert pictures[0] != pictures[1]


def test_while_something_runs_nothing_else_can_begin(qtbot, context):
    from threading import Event

    go = Event()
    page = StartPage(context)
    qtbot.addWidget(page)
    context.jobs.start("Wait", lambda progress: go.wait(600.0), lambda _: None)
    assert not page.buttons["demo"].isEnabled()
    go.set()
    qtbot.waitUntil(lambda: not context.jobs.busy)
    assert page.buttons["demo"].isEnabled()
