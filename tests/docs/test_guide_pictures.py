"""The guide to the window: it names only what exists, has all keys, and its pictures can be made again."""

import re
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("PySide6", reason="the desktop part is not installed")
pytest.importorskip("vtkmodules", reason="the desktop part is not installed")

from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QDockWidget,
    QGroupBox,
    QLabel,
    QListWidget,
    QTabWidget,
    QWidget,
)

from biomec.virtual import RecordOptions, VirtualPerson, record, squat, write_acquisition
from biomec_app.dialogs.import_plan import ImportPlan, read
from biomec_app.dialogs.importing import ImportDialog
from biomec_app.dialogs.settings import SettingsDialog
from biomec_app.dialogs.written import WrittenDialog
from biomec_app.features.simulations.dialog import SimulationDialog
from biomec_app.figures.registry import figure_named, figures
from biomec_app.figures.window import open_figure
from biomec_app.session.preferences import Preferences
from biomec_app.shell import main as program
from biomec_app.shell.actions import all_actions
from biomec_app.shell.actions.signal_analysis import extra_actions
from biomec_app.shell.autosave import DISCARD, RECOVER
from biomec_app.shell.guide import MOUSE
from biomec_app.shell.main_window import MainWindow
from biomec_app.shell.start_page import Card
from biomec_app.viewer import quality
from biomec_app.viewer.quality import SMOOTH, Quality
from docs.tools import guide_pictures
from docs.tools.guide_pictures import AID_PICTURES, MUSCLE_PICTURES, PICTURES, draw_guide
from docs.tools.workbench_pictures import PICTURES as WORKBENCH
from tests.places import DOCS

PAGE = (DOCS / "window.md").read_text("utf-8")
BOLD = set(re.findall(r"\*\*(.+?)\*\*", " ".join(PAGE.split())))
LARGEST = 400_000  # bytes of a picture: the page must open on a slow line


def plain(text):
    return text.replace("&", "")


def table(heading):
    """Rows of the table with this first line."""
    rows = PAGE.split(f"{heading}\n", 1)[1].split("\n\n", 1)[0].splitlines()[1:]
    return [tuple(cell.strip() for cell in row.strip("|").split(" | ")) for row in rows]


@pytest.fixture(scope="module")
def items():
    """Paths of all items and menus, as the guide writes them."""
    actions = [action for action in (*all_actions(), *extra_actions()) if action.run is not None]
    paths = {" ▸ ".join([*plain(action.menu).split("/"), plain(action.text)]) for action in actions}
    return paths | {" ▸ ".join(plain(action.menu).split("/")) for action in actions}


def test_every_menu_item_that_is_named_exists(items):
    named = {words for words in BOLD if "▸" in words}
    assert len(named) > 40
    assert sorted(named - items) == []


def test_every_figure_is_named():
    menus = {False: "Signal Analysis", True: "Signal Analysis ▸ Numerical Checks"}
    assert [kind.title for kind in figures() if f"{menus[kind.check]} ▸ {kind.title}" not in BOLD] == []


def test_the_table_of_mouse_and_keys_is_that_of_the_view():
    assert table("| where | keys or mouse | what they do |") == list(MOUSE)


def texts(widget: QWidget):
    """What can be read on the buttons, fields, lists, tabs and docks of a window."""
    found = {plain(part.text()) for part in widget.findChildren(QAbstractButton)}
    found |= {plain(label.text()) for label in widget.findChildren(QLabel) if label.buddy() is not None}
    for box in widget.findChildren(QComboBox):
        found |= {box.itemText(k) for k in range(box.count())}
    for listed in widget.findChildren(QListWidget):
        found |= {listed.item(k).text().lstrip("✓!✖ ") for k in range(listed.count())}
    for tabs in widget.findChildren(QTabWidget):
        found |= {plain(tabs.tabText(k)) for k in range(tabs.count())}
    found |= {dock.windowTitle() for dock in widget.findChildren(QDockWidget)}
    found |= {card.accessibleName() for card in widget.findChildren(Card)}
    return {re.sub(r" \d+$", "", text) for text in found}  # without the number of notices


@pytest.fixture
def window(qtbot, demo_analysis, tmp_path):
    made = MainWindow(Preferences(tmp_path / "prefs.ini"))
    qtbot.addWidget(made)
    made.show()
    made.context.document.open(demo_analysis)
    made.context.document.undo_stack.setClean()
    yield made
    made.close()


def test_every_button_list_and_panel_that_is_named_exists(qtbot, window, tmp_path):
    files = write_acquisition(record(squat(1), VirtualPerson(), RecordOptions()), tmp_path / "files", ("c3d",))
    importing = ImportDialog(window.context, read(ImportPlan(files["c3d"])), window)
    settings = SettingsDialog(window.context, window)
    figure = open_figure(window.context, figure_named("angles"))
    written = WrittenDialog(window.context, "Export", list(files.values()))
    simulation = SimulationDialog(window.context, window)
    opened = (importing, settings, figure, written, simulation)
    seen = {RECOVER, DISCARD}.union(*(texts(one) for one in (window, *opened)))
    seen |= {plain(box.title()) for box in simulation.findChildren(QGroupBox)}
    for one in opened:
        one.close()
    named = {words for words in BOLD if "▸" not in words}
    assert len(named) > 20
    assert sorted(named - seen) == []


def test_keys_of_the_view_and_the_start_page_are_as_told(window):
    none, control = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
    for text in ("0", "1", "2", "3", "4", "5", "+", "-", "f"):
        assert window.view.press(0, text, none), text
    for modifiers in (control, control | Qt.KeyboardModifier.ShiftModifier):
        assert window.view.press(Qt.Key.Key_Left, "", modifiers)
    assert window.view.press(Qt.Key.Key_Escape, "", none)
    assert not window.view.press(Qt.Key.Key_Q, "q", none)
    assert window.start_page.buttons["demo"].shortcut().toString() == "D"


def test_a_right_click_lists_all_panels(window):
    listed = [plain(action.text()) for action in window.createPopupMenu().actions() if action.text()]
    assert sorted(listed) == sorted(dock.windowTitle() for dock in window.docks.values())


def test_the_page_shows_every_picture_and_they_are_small():
    muscles = re.findall(r"\]\(pictures/(.+?)\)", (DOCS / "muscles-window.md").read_text(encoding="utf-8"))
    assert muscles == list(MUSCLE_PICTURES)
    aids = re.findall(r"\]\(pictures/(.+?)\)", (DOCS / "devices.md").read_text(encoding="utf-8"))
    assert aids == list(AID_PICTURES)
    shown = re.findall(r"\]\(pictures/(.+?)\)", PAGE)
    assert sorted(shown) == sorted(PICTURES)
    shown += [*muscles, *aids]
    for name in shown:
        path = DOCS / "pictures" / name
        assert path.stat().st_size < LARGEST, name
        with Image.open(path) as image:
            assert image.width <= 1600
            assert image.height <= 1000


def test_pictures_of_the_body_do_not_depend_on_the_machine():
    """The body was jagged or smooth, as busy as the machine happened to be."""
    chosen = Quality()
    for _ in range(20):
        chosen.took(5.0, 1.0)
    assert chosen.scale(1.0) < 1.0
    assert chosen.smooth == 1
    chosen.patient = True
    assert chosen.smooth == SMOOTH  # the picture that is taken is the resting one


def test_pictures_can_be_made_again(qapp, short_analysis, tmp_path, monkeypatch):
    """All of them, of a shorter recording, with runs of a few frames."""
    short = tuple(replace(settings, frames=(100, 105)) for settings in guide_pictures.SIMULATIONS)
    monkeypatch.setattr(guide_pictures, "SIMULATIONS", short)
    monkeypatch.setattr(guide_pictures, "SMALL_FILES", False)
    monkeypatch.setattr(quality, "SMOOTH", 1)  # a quarter of the pixels; smooth edges have tests of their own
    monkeypatch.setattr(program, "STILL_S", 0.1)  # work that is seen is waited for all the same
    monkeypatch.setattr(program, "AFTER_S", 0.1)
    monkeypatch.setattr(guide_pictures, "open_demo", lambda context: context.document.open(short_analysis))
    written = draw_guide(tmp_path)
    wanted = sorted((*PICTURES, *MUSCLE_PICTURES, *AID_PICTURES, *WORKBENCH))
    assert sorted(path.name for path in written) == wanted
    assert sorted(path.name for path in tmp_path.iterdir()) == wanted
    for path in written:
        with Image.open(path) as new, Image.open(DOCS / "pictures" / path.name) as old:
            assert new.size == old.size, path.name
            pixels = np.asarray(new.convert("L"))
        assert pixels.std() > 10.0  # not blank
        assert (pixels.mean() < 128.0) == (path.name == "window-dark.png")
