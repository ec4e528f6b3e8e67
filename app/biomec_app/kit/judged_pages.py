"""Parts of panels that judge: the verdict in a frame of its colour, and the page that says why there is none yet."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from biomec_app.kit.rich_text import rich
from biomec_app.kit.theme import Theme


class VerdictFrame(QFrame):
    """Labels in a frame whose left edge has the colour of the verdict."""

    def __init__(self, name: str, *labels: QLabel) -> None:
        super().__init__()
        self.setObjectName(name)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 6, 8, 6)
        for label in labels:
            layout.addWidget(label)

    def set_tint(self, theme: Theme, tint: str) -> None:
        """Show in the colour of a verdict."""
        self.setStyleSheet(
            f"#{self.objectName()} {{ background: {theme.panel}; border: 1px solid {theme.line};"
            f" border-left: 5px solid {tint}; border-radius: 4px; }}"
        )


class JudgedPages(QStackedWidget):
    """Either a sentence that says why nothing is judged, or the content, which scrolls.

    asked : the link in the sentence was followed
    """

    asked = Signal()

    def __init__(self, name: str, content: QWidget) -> None:
        super().__init__()
        scroll = QScrollArea()
        scroll.setWidget(content)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.nothing = rich(QLabel())
        self.nothing.setObjectName(f"{name}.nothing")
        self.nothing.setWordWrap(True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing.setMargin(24)
        self.nothing.linkActivated.connect(lambda _: self.asked.emit())
        self.addWidget(self.nothing)
        self.addWidget(scroll)

    def tell(self, sentence: str) -> None:
        """Show a sentence, as rich text, instead of the content."""
        self.nothing.setText(sentence)
        self.setCurrentIndex(0)

    def show_content(self) -> None:
        """Show the content."""
        self.setCurrentIndex(1)
