"""The text of the machine: read again after a pause in typing; errors are shown with their line."""

from __future__ import annotations

import re

from PySide6.QtCore import QEvent, QRect, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontDatabase,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QVBoxLayout, QWidget

from biomec_app.features.workbench.bench import Bench
from biomec_app.kit.dialog_parts import Fault
from biomec_app.kit.theme import LIGHT, Theme

PAUSE_MS = 400  # of typing, after which the text is read


class Editor(QWidget):
    """Text with line numbers over the sentence about its fault.

    typed : something was typed that is not read yet
    """

    typed = Signal()

    def __init__(self, bench: Bench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench = bench
        self.text = TextArea()
        self.fault = Fault("workbench.fault")
        self.colours = Colours(self.text.document())
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(PAUSE_MS)
        self._later.timeout.connect(self.read)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 4)
        layout.setSpacing(4)
        layout.addWidget(self.text, 1)
        layout.addWidget(self.fault)
        self.text.textChanged.connect(self._typed)
        self.text.left.connect(self.read)
        bench.text_changed.connect(self.refresh)
        self.refresh()

    def _typed(self) -> None:
        if self.text.toPlainText() != self.bench.draft.text:
            self._later.start()
            self.typed.emit()

    @property
    def is_pending(self) -> bool:
        """Whether something was typed that is not read yet."""
        return self._later.isActive()

    def read(self) -> None:
        """Take what was typed now."""
        self._later.stop()
        self.bench.edit_text(self.text.toPlainText())

    def refresh(self) -> None:
        """Show the text and its fault; the cursor stays where it is if that can be."""
        draft = self.bench.draft
        if self.text.toPlainText() != draft.text and not self._later.isActive():
            with QSignalBlocker(self.text):
                _replace(self.text, draft.text)
            self.text.make_room()
        self.fault.say(draft.fault)
        self.text.mark_line(draft.fault_line)
        if draft.fault_line is not None and not self.text.hasFocus():
            self.text.show_line(draft.fault_line)

    def set_theme(self, theme: Theme) -> None:
        """Write in the colours of a theme."""
        self.text.set_theme(theme)
        self.colours.set_theme(theme)


class TextArea(QPlainTextEdit):
    """Text with numbers at its lines. Undo belongs to the workbench, so that values and text are undone in order.

    left : the user has gone elsewhere
    """

    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("workbench.text")
        self.setAccessibleName("Text of the machine")
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(max(8.0, self.font().pointSizeF() - 0.5))
        self.setFont(font)
        self.theme: Theme = LIGHT
        self._numbers = _Numbers(self)
        self._marked: int | None = None
        self.blockCountChanged.connect(lambda _: self.make_room())
        self.updateRequest.connect(self._scroll_numbers)
        self.make_room()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Tell that typing is over."""
        super().focusOutEvent(event)
        self.left.emit()

    def event(self, event: QEvent) -> bool:
        """Leave the keys of undo and redo to the window."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            keys = QKeySequence.StandardKey
            if event.matches(keys.Undo) or event.matches(keys.Redo):
                event.ignore()
                return False
        return bool(super().event(event))

    def mark_line(self, line: int | None) -> None:
        """Mark the line of a fault."""
        self._marked = line
        marks = []
        if line is not None and 0 < line <= self.blockCount():
            mark = QTextEdit.ExtraSelection()
            colour = QColor(self.theme.fault)
            colour.setAlphaF(0.25)
            mark.format.setBackground(colour)
            mark.format.setProperty(QTextCharFormat.Property.FullWidthSelection, True)
            mark.cursor = QTextCursor(self.document().findBlockByNumber(line - 1))
            marks.append(mark)
        self.setExtraSelections(marks)
        self._numbers.update()

    def show_line(self, line: int) -> None:
        """Bring a line into sight."""
        self.setTextCursor(QTextCursor(self.document().findBlockByNumber(line - 1)))
        self.centerCursor()

    def set_theme(self, theme: Theme) -> None:
        """Write in the colours of a theme."""
        self.theme = theme
        self.mark_line(self._marked)

    # ------------------------------------------------------------------ numbers of lines

    @property
    def number_width(self) -> int:
        """Pixels that the numbers need."""
        return 10 + self.fontMetrics().horizontalAdvance("9") * len(str(max(99, self.blockCount())))

    def make_room(self) -> None:
        """Leave as much room at the side as the numbers need."""
        self.setViewportMargins(self.number_width, 0, 0, 0)
        self._place_numbers()

    def _place_numbers(self) -> None:
        inside = self.contentsRect()
        self._numbers.setGeometry(QRect(inside.left(), inside.top(), self.number_width, inside.height()))

    def _scroll_numbers(self, area: QRect, way: int) -> None:
        if way:
            self._numbers.scroll(0, way)
        else:
            self._numbers.update(0, area.y(), self._numbers.width(), area.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the numbers at the side."""
        super().resizeEvent(event)
        self._place_numbers()

    def paint_numbers(self, area: QRect) -> None:
        """Draw the numbers of the lines in sight."""
        painter = QPainter(self._numbers)
        painter.fillRect(area, QColor(self.theme.window))
        painter.setFont(self.font())
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= area.bottom():
            height = self.blockBoundingRect(block).height()
            number = block.blockNumber() + 1
            painter.setPen(QColor(self.theme.fault if number == self._marked else self.theme.faint))
            room = QRect(0, round(top), self._numbers.width() - 5, round(height))
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(number))
            block, top = block.next(), top + height
        painter.end()


class _Numbers(QWidget):
    def __init__(self, area: TextArea) -> None:
        super().__init__(area)
        self._area = area

    def sizeHint(self) -> QSize:
        """As wide as the numbers."""
        return QSize(self._area.number_width, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the numbers."""
        self._area.paint_numbers(event.rect())


class Colours(QSyntaxHighlighter):
    """Headings, names, expressions and remarks of TOML in colours."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._rules: list[tuple[re.Pattern[str], QTextCharFormat]] = []
        self.set_theme(LIGHT)

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._rules = [
            (re.compile(r"^\s*[\w.\"-]+(?=\s*=)"), _look(theme.text)),
            (re.compile(r'"=[^"]*"'), _look(theme.middle)),
            (re.compile(r"^\s*\[+.*?\]+"), _look(theme.accent, bold=True)),
            (re.compile(r"#.*$"), _look(theme.faint)),
        ]
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        """Colour a line; a # within quotes begins no remark."""
        for pattern, look in self._rules:
            for match in pattern.finditer(text):
                if match[0].startswith("#") and text[: match.start()].count('"') % 2:
                    continue
                self.setFormat(match.start(), match.end() - match.start(), look)


def _look(colour: str, bold: bool = False) -> QTextCharFormat:
    look = QTextCharFormat()
    look.setForeground(QColor(colour))
    if bold:
        look.setFontWeight(700)
    return look


def _replace(area: QPlainTextEdit, text: str) -> None:
    """Write another text; where it differs only here and there, the view does not jump."""
    before = area.toPlainText()
    start = next((k for k, (a, b) in enumerate(zip(before, text, strict=False)) if a != b), min(len(before), len(text)))
    shorter = min(len(before), len(text)) - start
    end = next((k for k in range(shorter) if before[-1 - k] != text[-1 - k]), shorter)
    cursor = QTextCursor(area.document())
    cursor.setPosition(start)
    cursor.setPosition(len(before) - end, QTextCursor.MoveMode.KeepAnchor)
    cursor.insertText(text[start : len(text) - end])
