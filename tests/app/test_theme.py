"""Light, dark, or as the desktop."""

from PySide6.QtWidgets import QApplication

from biomec_app import theme as themes
from biomec_app.actions.appearance import ACTIONS


def test_the_desktops_own_theme_is_remembered_while_another_is_shown(qapp):
    assert isinstance(qapp, QApplication)
    at_first = themes.chosen("system")
    for name in ("dark", "light"):
        themes.apply(qapp, themes.chosen(name))
        assert themes.chosen("system") == at_first
    assert qapp.palette().window().color().name() == themes.LIGHT.window.lower()


def test_a_theme_is_chosen_in_the_menu_and_kept(context):
    shown = []
    context.set_theme = shown.append
    by_key = {action.key: action for action in ACTIONS}
    by_key["appearance.dark"].run(context)
    assert shown == ["dark"]
    assert context.preferences.theme == "dark"
    assert by_key["appearance.dark"].checked(context)
    assert not by_key["appearance.light"].checked(context)
