"""A feature is one entry of the table: what it names is known everywhere."""

from biomec_app.curves.catalogue import FINDERS, PROVIDERS
from biomec_app.features.table import FEATURES
from biomec_app.figures.registry import figure_groups
from biomec_app.session.preferences import Preferences
from biomec_app.shell.actions import all_actions
from biomec_app.shell.main_window import MainWindow
from biomec_app.shell.panels import PANELS
from biomec_app.viewer.overlays import OVERLAYS


def test_curves_figures_overlays_and_menu_items_are_known():
    keys = {action.key for action in all_actions()}
    for feature in FEATURES:
        assert set(feature.curves) <= set(PROVIDERS)
        assert feature.finder is None or feature.finder in FINDERS
        assert set(feature.figures) <= set(figure_groups().get(feature.name, ()))
        assert all(OVERLAYS[name] is overlay for name, overlay in feature.overlays.items())
        assert {action.key for action in feature.actions} <= keys


def test_a_panel_has_its_dock_its_item_and_its_key(qtbot, tmp_path):
    assert len({panel.name for panel in PANELS}) == len(PANELS)
    assert {panel for feature in FEATURES for panel in feature.panels} <= set(PANELS)
    items = {action.key: action for action in all_actions()}
    window = MainWindow(Preferences(tmp_path / "prefs.ini"))
    qtbot.addWidget(window)
    assert list(window.docks) == [panel.name for panel in PANELS]
    for number, panel in enumerate(PANELS, 1):
        dock = window.docks[panel.name]
        assert (dock.windowTitle(), window.dockWidgetArea(dock)) == (panel.title, panel.area)
        item = items[f"visualize.panel.{panel.name}"]
        assert (item.text, item.shortcut) == (panel.title, f"Alt+{number}")
    window.close()
