"""Small parts that several dialogs share: headings, explanations, faults, lists of notices, and how all is laid out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractScrollArea,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QLabel,
    QLayout,
    QPlainTextEdit,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from biomec.base.notices import Notice, Severity

Opened = TypeVar("Opened", bound=QDialog)
QWIDGETSIZE_MAX = 16_777_215  # pixels; Qt's name for no limit
OK_CANCEL = QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
MARKS = {Severity.INFO: "ℹ", Severity.WARNING: "⚠", Severity.PROBLEM: "✖"}


def heading(text: str) -> QLabel:
    """Title of a page."""
    label = QLabel(text)
    font = label.font()
    font.setPointSizeF(font.pointSizeF() * 1.25)
    font.setBold(True)
    label.setFont(font)
    return label


def explanation(text: str = "") -> QLabel:
    """Words in a faint colour that say what something is for."""
    label = QLabel(text)
    label.setWordWrap(True)
    label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    return label


class Fault(QLabel):
    """A sentence about what is wrong; it takes no room while nothing is."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName("What is wrong")
        self.setWordWrap(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setMargin(8)
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Window, QColor("#C0392B"))
        palette.setColor(QPalette.ColorRole.WindowText, QColor("#FFFFFF"))
        self.setPalette(palette)
        self.setAutoFillBackground(True)
        self.say("")

    def say(self, sentence: str) -> None:
        """Show a sentence, or nothing."""
        self.setText(sentence)
        self.setVisible(bool(sentence))


class NoticeText(QPlainTextEdit):
    """Notices one below the other, to be read and copied."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName("What was noticed")
        self.setReadOnly(True)
        self.setTabChangesFocus(True)

    def show_notices(self, notices: Iterable[Notice], nothing: str = "Nothing was noticed.") -> None:
        """Show notices, or a sentence if there is none; then there is no empty box around it."""
        lines = [f"{MARKS[notice.severity]}  {notice.sentence}" for notice in notices]
        self.setFrameShape(QFrame.Shape.StyledPanel if lines else QFrame.Shape.NoFrame)
        self.viewport().setAutoFillBackground(bool(lines))
        self.document().setDocumentMargin(4.0 if lines else 0.0)
        self.setPlainText("\n".join(lines) or nothing)


class EmptyWords(QLabel):
    """Words in the middle of a table or list, as long as it is empty."""

    def __init__(self, view: QAbstractItemView, words: str) -> None:
        super().__init__(words, view.viewport())
        self._view = view
        self.setObjectName(f"{view.objectName()}-empty")
        self.setWordWrap(True)
        self.setMargin(24)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        layout = QVBoxLayout(view.viewport())
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self)
        for signal in (view.model().rowsInserted, view.model().rowsRemoved, view.model().modelReset):
            signal.connect(self._follow)
        self._follow()

    def _follow(self, *_: object) -> None:
        self.setVisible(self._view.model().rowCount() == 0)


def page(title: str, words: str) -> tuple[QWidget, QVBoxLayout]:
    """Return a page with a heading and an explanation, and the layout below them."""
    widget = QWidget()
    layout = QVBoxLayout(widget)
    layout.setContentsMargins(18, 14, 18, 8)
    layout.setSpacing(8)
    layout.addWidget(heading(title))
    layout.addWidget(explanation(words))
    layout.addSpacing(4)
    return widget, layout


def with_buttons(
    dialog: QDialog,
    *parts: QWidget | QLayout,
    grows: QWidget | None = None,
    buttons: QDialogButtonBox.StandardButton = OK_CANCEL,
) -> QDialogButtonBox:
    """Put parts one below the other and buttons under them, which accept and reject the dialog; return the buttons.

    grows : the part that takes the height that is left
    """
    box = QDialogButtonBox(buttons, dialog)
    box.accepted.connect(dialog.accept)
    box.rejected.connect(dialog.reject)
    layout = QVBoxLayout(dialog)
    for part in (*parts, box):
        if isinstance(part, QLayout):
            layout.addLayout(part)
        else:
            layout.addWidget(part, 1 if part is grows else 0)
    return box


def closing_buttons(dialog: QDialog, *actions: tuple[str, str, Callable[[], object]]) -> QDialogButtonBox:
    """Buttons of a dialog that only shows something: text, name and what it does of each, and one that closes."""
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    for text, name, act in actions:
        button = box.addButton(text, QDialogButtonBox.ButtonRole.ActionRole)
        button.setObjectName(name)
        button.setAutoDefault(False)
        button.clicked.connect(act)
    box.rejected.connect(dialog.reject)
    return box


def empty_tabs(tabs: QTabWidget) -> None:
    """Take all pages out of tabs; they are deleted in the next turn of the event loop."""
    while tabs.count():
        page = tabs.widget(0)
        tabs.removeTab(0)
        if page is not None:
            page.deleteLater()


def fit_rows(
    dialog: QDialog,
    view: QAbstractItemView,
    width: int,
    least: int,
    most: int,
    wrap: Callable[[], object] = lambda: None,
) -> None:
    """Give a table or list the height of its rows, between two heights [pixels], and the dialog what it needs then.

    wrap : makes rows as high as their text is in columns of the width that they have now
    """
    view.setSizeAdjustPolicy(QAbstractScrollArea.SizeAdjustPolicy.AdjustToContents)
    dialog.resize(width, dialog.height())
    dialog.grab(QRect(0, 0, 1, 1))  # columns and wrapped rows are laid out as if it were shown
    wrap()
    view.setFixedHeight(max(least, min(most, view.sizeHint().height())))
    layout = dialog.layout()
    assert layout is not None
    layout.activate()
    dialog.resize(width, layout.heightForWidth(width) if layout.hasHeightForWidth() else layout.sizeHint().height())
    view.setSizeAdjustPolicy(QAbstractScrollArea.SizeAdjustPolicy.AdjustIgnored)
    view.setMinimumHeight(least)
    view.setMaximumHeight(QWIDGETSIZE_MAX)


def opened(dialog: Opened) -> Opened:
    """Show a dialog that goes when it is closed."""
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
    return dialog
