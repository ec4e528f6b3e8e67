"""What is open, and how far it can be trusted, in the status bar; a click on a verdict leads to its panel."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from biomec.reporting.trust import Level
from biomec_app.features.trust.verdicts import Verdict, recording_told, verdicts
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.kit.verdict_signs import sign
from biomec_app.session.context import Context


class ShortLabel(QLabel):
    """One line that ends in an ellipsis where there is no room, instead of lying over its neighbours."""

    def minimumSizeHint(self) -> QSize:
        """No width of its own."""
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw as much of the text as there is room for."""
        room = self.contentsRect()
        words = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        painter = QPainter(self)
        self.style().drawItemText(painter, room, self.alignment(), self.palette(), self.isEnabled(), words)
        painter.end()


class StatusLine(QWidget):
    """Buttons with the verdicts, for the right end of the status bar, and `recording`, for its left one.

    asked  : the panel of a verdict is to be shown
    judged : there are other verdicts
    """

    asked = Signal(str)
    judged = Signal()

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = context.document
        self._theme: Theme = LIGHT
        self.setObjectName("status")
        self.verdicts: tuple[Verdict, ...] = ()
        self.recording = ShortLabel()
        self.recording.setObjectName("status.recording")
        self.recording.setContentsMargins(6, 0, 0, 0)
        self.recording.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.buttons = {name: self._button(name) for name in ("trust", "loads")}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        for button in self.buttons.values():
            row.addWidget(button)
        self._later = QTimer(self)  # after the panels have drawn what is new
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self.refresh)
        self._document.opened.connect(self._later.start)
        self._document.analysis_changed.connect(self._later.start)
        context.closing.append(self._later.stop)
        self.refresh()

    def _button(self, name: str) -> QToolButton:
        button = QToolButton()
        button.setObjectName(f"status.{name}")
        button.setAutoRaise(True)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.clicked.connect(lambda: self.asked.emit(name))
        return button

    def refresh(self) -> None:
        """Tell of the analysis as it is now."""
        is_open = self._document.is_open
        summary = recording_told(self._document.analysis) if is_open else ""
        self.recording.setText(summary)
        self.recording.setToolTip(summary)
        self.verdicts = verdicts(self._document.analysis) if is_open else ()
        self._show()
        self.judged.emit()

    def _show(self) -> None:
        found = {verdict.panel: verdict for verdict in self.verdicts}
        for name, button in self.buttons.items():
            button.setVisible(name in found)
            if name in found:
                button.setText(found[name].words)
                button.setIcon(sign(found[name].level, self._theme))
                button.setToolTip(found[name].tip)
                button.setAccessibleName(found[name].words)

    @property
    def doubts(self) -> dict[str, Verdict]:
        """Panel -> its verdict, of those that are not good."""
        return {verdict.panel: verdict for verdict in self.verdicts if verdict.level is not Level.GOOD}

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of a theme."""
        self._theme = theme
        self._show()
