"""The analysed demonstration, as in the tests of the window."""

from tests.app.conftest import demo_analysis

__all__ = ["demo_analysis"]
