"""Pages and tables that are made from the program are the ones that it makes today."""

import pytest

from docs.tools.generated_pages import DOCS, pages


@pytest.mark.parametrize("name", ["settings.md", "window.md"])
def test_a_generated_page_is_up_to_date(name):
    """After a change of a setting or a shortcut: python -m docs.tools.generated_pages"""
    pytest.importorskip("PySide6", reason="the desktop part is not installed")
    assert (DOCS / name).read_text("utf-8") == pages()[name]
