"""Which files were written, and what is to be said about them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHeaderView, QLabel, QTreeWidget, QTreeWidgetItem, QVBoxLayout

from biomec_app.kit.dialog_parts import closing_buttons, explanation, heading
from biomec_app.session.context import Context


def size_text(size: int) -> str:
    """Size of a file: 512 B, 3.4 kB, 12 MB."""
    value, unit = float(size), "B"
    for larger in ("kB", "MB", "GB"):
        if value < 1000.0:
            break
        value, unit = value / 1000.0, larger
    return f"{value:.0f} {unit}" if unit == "B" or value >= 10.0 else f"{value:.1f} {unit}"


class WrittenDialog(QDialog):
    """Files with their sizes; the folder can be opened, and the list copied."""

    def __init__(self, context: Context, title: str, files: Sequence[Path], remarks: Sequence[str] = ()) -> None:
        super().__init__(context.window)
        self.context, self.files, self.folder = context, list(files), files[0].absolute().parent
        self.setObjectName("written")
        self.setWindowTitle(title)
        count = len(self.files)
        self.where = explanation(str(self.folder))
        self.where.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.list = QTreeWidget()
        self.list.setObjectName("written-files")
        self.list.setAccessibleName("Files that were written")
        self.list.setHeaderLabels(["File", "Size"])
        self.list.setRootIsDecorated(False)
        self.list.setAlternatingRowColors(True)
        for file in self.files:
            item = QTreeWidgetItem(self.list, [file.name, size_text(file.stat().st_size) if file.exists() else "–"])
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.list.header().setStretchLastSection(False)
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.list.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        layout = QVBoxLayout(self)
        layout.setSpacing(8)
        layout.addWidget(heading(f"{count} file{'s were' if count > 1 else ' was'} written"))
        layout.addWidget(self.where)
        layout.addWidget(self.list, 1)
        for remark in remarks:
            words = QLabel(f"⚠  {remark}")
            words.setWordWrap(True)
            words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            layout.addWidget(words)
        buttons = closing_buttons(
            self, ("&Open Folder", "written-open", self.open_folder), ("&Copy List", "written-copy", self.copy)
        )
        buttons.button(QDialogButtonBox.StandardButton.Close).setDefault(True)
        layout.addWidget(buttons)
        self.resize(520, min(240 + 24 * count + 40 * len(remarks), 560))

    def open_folder(self) -> None:
        """Show the folder in the file manager."""
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.folder))):
            self.context.user.tell("Open Folder", f"No file manager was found. The files are in {self.folder}.")

    def copy(self) -> None:
        """Put the paths on the clipboard, one a line."""
        QGuiApplication.clipboard().setText("\n".join(str(file.absolute()) for file in self.files))


def show_written(context: Context, title: str, files: Sequence[Path], remarks: Sequence[str]) -> WrittenDialog:
    """Show the dialog."""
    dialog = WrittenDialog(context, title, files, remarks)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
    return dialog
