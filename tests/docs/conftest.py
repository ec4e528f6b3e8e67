"""The demonstration and the patient bot of the window's tests, for the page that describes the window."""

import pytest

pytest.importorskip("PySide6", reason="the desktop part is not installed")

from tests.app.conftest import demo_analysis, qtbot, short_analysis  # noqa: F401
