"""About Biomec, and the report on the installation."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QVBoxLayout, QWidget

from biomec_app.kit.dialog_parts import closing_buttons, opened
from biomec_app.kit.sections import SectionView, section_text
from biomec_app.session.context import Context
from biomec_app.shell.guide import about_section


class AboutDialog(QDialog):
    """Version, licence and libraries."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("about")
        self.setWindowTitle("About Biomec")
        self.section = about_section()
        _with_buttons(self, SectionView(self.section), lambda: section_text(self.section))
        self.resize(560, 480)


class ReportDialog(QDialog):
    """A plain text to read and copy."""

    def __init__(self, context: Context, title: str, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("report")
        self.setWindowTitle(title)
        self.page = QPlainTextEdit(text)
        self.page.setObjectName("report-text")
        self.page.setAccessibleName(title)
        self.page.setReadOnly(True)
        self.page.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        _with_buttons(self, self.page, self.page.toPlainText)
        self.resize(720, 520)


def _with_buttons(dialog: QDialog, page: QWidget, text: Callable[[], str]) -> None:
    layout = QVBoxLayout(dialog)
    layout.addWidget(page)
    name = f"{dialog.objectName()}-copy"
    layout.addWidget(closing_buttons(dialog, ("&Copy", name, lambda: QGuiApplication.clipboard().setText(text()))))


def open_report(context: Context, text: str) -> ReportDialog:
    """Show the report on the installation."""
    return opened(ReportDialog(context, "Installation", text, context.window))
