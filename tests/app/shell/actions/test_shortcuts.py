"""Keys of all menus together."""

from collections import Counter

from biomec_app.shell.actions import all_actions


def test_no_two_items_share_a_key(qapp: object) -> None:
    keys = Counter(action.shortcut for action in all_actions() if action.shortcut)
    assert [key for key, times in keys.items() if times > 1] == []


def test_no_two_items_share_a_name(qapp: object) -> None:
    names = Counter(action.key for action in all_actions())
    assert [name for name, times in names.items() if times > 1] == []
