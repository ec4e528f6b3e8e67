"""The page of all settings is the one that the fields give."""

from docs.tools.settings_page import PAGE, text


def test_the_page_is_what_the_fields_say():
    """After a change of a setting: python -m docs.tools.settings_page"""
    assert PAGE.read_text("utf-8") == text()
