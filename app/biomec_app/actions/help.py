"""Menu Help."""

from __future__ import annotations

from biomec_app.actions.action import SEPARATOR, Action
from biomec_app.context import Context

MENU = "Help"


def _guide(context: Context) -> None:
    from PySide6.QtCore import QUrl
    from PySide6.QtGui import QDesktopServices

    from biomec_app.guide import NOT_BUILT, guide_page

    page = guide_page()
    if page is None:
        context.tell("User Guide", NOT_BUILT)
    elif not QDesktopServices.openUrl(QUrl.fromLocalFile(str(page))):
        context.tell("User Guide", f"The guide is in {page}; open it with a web browser.")


def _shortcuts(context: Context) -> None:
    from biomec_app.actions import all_actions
    from biomec_app.figures.tables import open_tables
    from biomec_app.guide import shortcut_sections

    open_tables(context, "Keyboard Shortcuts", shortcut_sections(all_actions()))


def _doctor(context: Context) -> None:
    from biomec.doctor import examine
    from biomec_app.dialogs.about import open_report

    context.jobs.start("Examine the installation", lambda progress: examine().as_text(),
                       lambda text: open_report(context, text))  # fmt: skip


def _about(context: Context) -> None:
    from biomec_app.dialogs.about import AboutDialog

    AboutDialog(context, context.window).open()


def _doctor_blocked(context: Context) -> str | None:
    return f'"{context.jobs.title}" is running.' if context.jobs.busy else None


ACTIONS: tuple[Action, ...] = (
    Action("help.guide", MENU, "&User Guide", _guide, "Open the manual", "F1"),
    Action("help.shortcuts", MENU, "&Keyboard Shortcuts", _shortcuts, "All keys, by menu"),
    Action("help.separator", MENU, SEPARATOR, None),
    Action("help.doctor", MENU, "&Examine Installation", _doctor, "What is installed, and can it draw?", "",
           _doctor_blocked),
    Action("help.about", MENU, "&About Biomec", _about, "Version, licence and libraries"),
)  # fmt: skip
