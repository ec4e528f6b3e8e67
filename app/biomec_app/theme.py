"""Light and dark: one palette of named colours for widgets, plots and the 3-D view alike."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication


@dataclass(frozen=True)
class Theme:
    """Named colours, as #rrggbb. Right is blue and left is red everywhere; they stay apart for the colour-blind."""

    name: str
    window: str
    panel: str
    text: str
    faint: str
    line: str
    accent: str
    right: str = "#0072B2"
    left: str = "#D55E00"
    middle: str = "#009E73"
    measured: str = "#56B4E9"
    rebuilt: str = "#E69F00"
    interpolated: str = "#CC79A7"
    failed: str = "#C0392B"
    contact: str = "#009E73"
    floor: str = "#D9DDE2"
    sky_top: str = "#F4F6F8"
    sky_bottom: str = "#FFFFFF"


LIGHT = Theme("light", "#F5F6F8", "#FFFFFF", "#20242A", "#6B7280", "#D5D9DF", "#0B63A5")
DARK = Theme(
    "dark", "#22262B", "#2B3036", "#E8EAED", "#9AA3AE", "#444B54", "#4DA3E0", right="#56B4E9", left="#F0803C",
    floor="#3A4048", sky_top="#1C2024", sky_bottom="#2B3036",
)  # fmt: skip
DESKTOP_DARK = "desktop_is_dark"  # property of the application: what the desktop looked like at the start
THEMES = {theme.name: theme for theme in (LIGHT, DARK)}


def chosen(name: str) -> Theme:
    """Theme of that name; for "system" the one that the desktop uses."""
    if name in THEMES:
        return THEMES[name]
    application = QApplication.instance()
    if not isinstance(application, QApplication):
        return LIGHT
    if application.property(DESKTOP_DARK) is None:  # asked before any theme of ours was shown
        application.setProperty(DESKTOP_DARK, application.palette().window().color().lightness() < 128)
    return DARK if application.property(DESKTOP_DARK) else LIGHT


def apply(application: QApplication, theme: Theme) -> None:
    """Give all widgets the colours of a theme."""
    chosen("system")  # remembers the desktop's own colours before they are replaced
    application.setStyle("Fusion")
    palette = QPalette(QColor(theme.window))
    roles = QPalette.ColorRole
    for role, colour in (
        (roles.Window, theme.window), (roles.WindowText, theme.text), (roles.Base, theme.panel),
        (roles.Text, theme.text), (roles.AlternateBase, theme.window), (roles.Button, theme.window),
        (roles.ButtonText, theme.text),
        (roles.Highlight, theme.accent), (roles.HighlightedText, "#FFFFFF"), (roles.ToolTipBase, theme.panel),
        (roles.ToolTipText, theme.text), (roles.PlaceholderText, theme.faint), (roles.Link, theme.accent),
    ):  # fmt: skip
        palette.setColor(role, QColor(colour))
    for role in (roles.Text, roles.WindowText, roles.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.faint))
    application.setPalette(palette)
