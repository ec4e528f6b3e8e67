"""Menu Visualize, Theme: light, dark, or as the desktop."""

from __future__ import annotations

from biomec_app.session.action import Action
from biomec_app.session.context import Context

MENU = "Visualize/Theme"


def _theme(name: str, text: str, help: str) -> Action:
    def run(context: Context) -> None:
        context.preferences.theme = name
        context.user.set_theme(name)

    return Action(
        f"appearance.{name}", MENU, text, run, help, checked=lambda context: context.preferences.theme == name,
        group="theme",
    )  # fmt: skip


ACTIONS: tuple[Action, ...] = (
    _theme("system", "As the &Desktop", "Light or dark as the desktop is"),
    _theme("light", "&Light", "Dark on light"),
    _theme("dark", "D&ark", "Light on dark"),
)
