"""Light and dark widgets: a theme applied to the whole application."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from biomec_app.kit.colours import DARK, LIGHT, THEMES, Theme
from biomec_app.kit.rich_text import PLAIN_LABELS
from biomec_resources import resource

__all__ = ["DARK", "LIGHT", "THEMES", "Theme", "apply", "chosen", "of_palette"]


DESKTOP_DARK = "desktop_is_dark"  # property of the application: what the desktop looked like at the start
STYLE = "fusion"
SCROLL_BAR = 14  # pixels across


def chosen(name: str) -> Theme:
    """Theme of that name; for "system" the one that the desktop uses."""
    if name in THEMES:
        return THEMES[name]
    application = QApplication.instance()
    if not isinstance(application, QApplication):
        return LIGHT
    if application.property(DESKTOP_DARK) is None:  # asked before any theme of ours was shown
        application.setProperty(DESKTOP_DARK, _is_dark(application.palette()))
    return DARK if application.property(DESKTOP_DARK) else LIGHT


def of_palette(widget: QWidget) -> Theme:
    """Theme in which a widget is shown."""
    return DARK if _is_dark(widget.palette()) else LIGHT


def _is_dark(palette: QPalette) -> bool:
    return palette.window().color().lightness() < 128


def _boxes(theme: Theme) -> str:
    """Check boxes and radio buttons that are seen on the theme's own ground, on or off, also in lists and tables."""
    boxes = ("QCheckBox::indicator", "QGroupBox::indicator", "QAbstractItemView::indicator")
    pictures = {name: Path(str(resource("icons", f"{name}-{theme.name}.svg"))).as_posix() for name in ("tick", "part")}

    def rule(kinds: Iterable[str], state: str, look: str) -> str:
        return f"{', '.join(kind + state for kind in kinds)} {{ {look} }}"

    on = f"border-color: {theme.accent}; background: {theme.accent};"
    faint = f"border-color: {theme.line}; background: {theme.line};"
    radio = ("QRadioButton::indicator",)
    return "\n".join((
        rule(boxes, "", f"width: 12px; height: 12px; border: 1px solid {theme.box}; border-radius: 3px; "
                        f"background: {theme.panel};"),
        rule(boxes[1:], "", "width: 11px; height: 11px;"),
        rule(boxes, ":checked", f"{on} image: url({pictures['tick']});"),
        rule(boxes, ":indeterminate", f"{on} image: url({pictures['part']});"),
        rule(boxes, ":disabled", f"border-color: {theme.line}; background: {theme.window};"),
        rule(boxes, ":checked:disabled", faint),
        rule(radio, "", f"width: 12px; height: 12px; border: 1px solid {theme.box}; border-radius: 7px; "
                        f"background: {theme.panel};"),
        rule(radio, ":checked", f"width: 6px; height: 6px; border: 4px solid {theme.accent};"),
        rule(radio, ":disabled", f"border-color: {theme.line};"),
        "QPushButton::menu-indicator { subcontrol-origin: border; subcontrol-position: center right; right: 5px; }",
        "QAbstractSpinBox { min-height: 1.35em; }",  # a sheet of any kind makes them lower than their letters
    ))  # fmt: skip


def _scroll_bars(theme: Theme) -> str:
    """Scroll bars whose handle stands out from its groove; the style's own is darker than its groove in the dark."""
    return "\n".join((
        f"QScrollBar {{ background: {theme.window}; border: none; margin: 0; }}",
        f"QScrollBar:vertical {{ width: {SCROLL_BAR}px; }}",
        f"QScrollBar:horizontal {{ height: {SCROLL_BAR}px; }}",
        f"QScrollBar::handle {{ background: {theme.handle}; border-radius: 4px; margin: 3px; }}",
        f"QScrollBar::handle:hover, QScrollBar::handle:pressed {{ background: {theme.faint}; }}",
        "QScrollBar::handle:vertical { min-height: 24px; }",
        "QScrollBar::handle:horizontal { min-width: 24px; }",
        "QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }",
        "QScrollBar::add-page, QScrollBar::sub-page { background: none; }",
    ))  # fmt: skip


def apply(application: QApplication, theme: Theme) -> None:
    """Give all widgets the colours of a theme."""
    chosen("system")  # remembers the desktop's own colours before they are replaced
    application.setStyleSheet("")  # to take one away and give another takes half as long as to replace it
    if application.style().name() != STYLE:
        application.setStyle(STYLE)
    palette = QPalette(QColor(theme.window))
    roles = QPalette.ColorRole
    for role, colour in (
        (roles.Window, theme.window), (roles.WindowText, theme.text), (roles.Base, theme.panel),
        (roles.Text, theme.text), (roles.AlternateBase, theme.window), (roles.Button, theme.window),
        (roles.ButtonText, theme.text),
        (roles.Highlight, theme.accent), (roles.HighlightedText, theme.on_accent), (roles.ToolTipBase, theme.panel),
        (roles.ToolTipText, theme.text), (roles.PlaceholderText, theme.faint), (roles.Link, theme.accent),
    ):  # fmt: skip
        palette.setColor(role, QColor(colour))
    for role in (roles.Text, roles.WindowText, roles.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.faint))
    application.setPalette(palette)
    application.setStyleSheet(f"{_boxes(theme)}\n{_scroll_bars(theme)}\n{PLAIN_LABELS}")
