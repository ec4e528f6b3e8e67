"""Dialog Configuration: what the analysis works with, in five panes; read-only, and every number can be copied."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QTabWidget, QVBoxLayout, QWidget

from biomec.reporting.content.configuration import configuration
from biomec.reporting.tables import Section
from biomec_app.kit.dialog_parts import closing_buttons, empty_tabs
from biomec_app.kit.sections import SectionView, section_text
from biomec_app.session.context import Context


class _Later(QWidget):
    """Place of a pane that is made when it is looked at."""


class ConfigurationDialog(QDialog):
    """General, pre-processing, body segment, mechanism, signals; it follows the document while it is open."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.sections: tuple[Section, ...] = ()
        self.setObjectName("configuration")
        self.setWindowTitle("Configuration")
        self.tabs = QTabWidget()
        self.tabs.setObjectName("configuration-panes")
        self.tabs.setAccessibleName("Panes of the configuration")
        self.tabs.setDocumentMode(True)
        buttons = closing_buttons(
            self,
            ("&Copy Pane", "configuration-copy", self.copy),
            ("Copy &All", "configuration-copy-all", self.copy_all),
        )
        layout = QVBoxLayout(self)
        layout.addWidget(self.tabs)
        layout.addWidget(buttons)
        self.resize(980, 620)
        self.tabs.currentChanged.connect(self._open)
        context.document.analysis_changed.connect(self._fill)
        self._fill()

    def _fill(self) -> None:
        shown = max(self.tabs.currentIndex(), 0)
        empty_tabs(self.tabs)
        if not self.context.document.is_open:
            self.sections = ()
            return
        self.sections = configuration(self.context.document.analysis)
        self.tabs.blockSignals(True)
        for section in self.sections:
            self.tabs.addTab(_Later(), section.title)
        self.tabs.setCurrentIndex(shown)
        self.tabs.blockSignals(False)
        self._open(shown)

    def _open(self, index: int) -> None:
        """Make a pane when it is looked at."""
        page = self.tabs.widget(index)
        if isinstance(page, _Later) and page.layout() is None:
            layout = QVBoxLayout(page)
            layout.setContentsMargins(0, 0, 0, 0)
            layout.addWidget(SectionView(self.sections[index]))

    def copy(self) -> None:
        """Put the pane that is shown on the clipboard, with tabs between columns."""
        if self.sections:
            QGuiApplication.clipboard().setText(section_text(self.sections[self.tabs.currentIndex()]))

    def copy_all(self) -> None:
        """Put all panes on the clipboard."""
        QGuiApplication.clipboard().setText("\n".join(section_text(section) for section in self.sections))
