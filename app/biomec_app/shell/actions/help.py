"""Menu Help."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from biomec_app.kit.dialog_parts import opened
from biomec_app.session.action import SEPARATOR, Action
from biomec_app.session.context import Context

MENU = "Help"


def _guide(context: Context) -> None:
    from biomec_app.dialogs.manual import pages
    from biomec_app.dialogs.manual_window import open_manual

    context.aside.start("User Guide", lambda progress: pages(), lambda _: open_manual(context))


def _shortcuts(context: Context, items: Sequence[Action]) -> None:
    from biomec_app.figures.tables import open_tables
    from biomec_app.shell.guide import shortcut_sections

    open_tables(context, "Keyboard Shortcuts", shortcut_sections(items))


def _doctor(context: Context) -> None:
    from biomec.doctor import examine
    from biomec_app.shell.about import open_report

    context.aside.start("Examine the installation", lambda progress: examine().as_text(),
                        lambda text: open_report(context, text))  # fmt: skip


def _about(context: Context) -> None:
    from biomec_app.shell.about import AboutDialog

    opened(AboutDialog(context, context.window))


def _busy_aside(context: Context) -> str | None:
    return f'"{context.aside.title}" is running.' if context.aside.busy else None


def actions(all_actions: Callable[[], Sequence[Action]]) -> tuple[Action, ...]:
    """Items of the menu; the list of keys is that of all menus."""
    return (
        Action("help.guide", MENU, "&User Guide", _guide, "Read the manual, and search in it", "F1", _busy_aside),
        Action("help.shortcuts", MENU, "&Keyboard Shortcuts", lambda context: _shortcuts(context, all_actions()),
               "All keys, by menu"),
        Action("help.separator", MENU, SEPARATOR, None),
        Action("help.doctor", MENU, "&Examine Installation", _doctor, "What is installed, and can it draw?", "",
               _busy_aside),
        Action("help.about", MENU, "&About Biomec", _about, "Version, licence and libraries"),
    )  # fmt: skip
