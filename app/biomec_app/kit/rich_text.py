"""Labels show plain text, whatever they are given; those made here show rich text.

Names and sentences from files go into many labels, tooltips and message boxes, and Qt takes any text that looks like
HTML for rich text. The style sheet of the program therefore makes every label and every tooltip plain, also those that
Qt makes itself. What is put into a rich label is written in the program, or goes through
`biomec.base.plain_text.html`.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

RICH = "rich"  # property of the labels that show rich text
LINKS = Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
PLAIN_LABELS = (
    "QLabel, QToolTip { qproperty-textFormat: PlainText; }\n"
    f'QLabel[{RICH}="true"] {{ qproperty-textFormat: RichText; }}'
)
"""Rules of the program's style sheet."""


def rich(label: QLabel) -> QLabel:
    """The label, which shows rich text from now on."""
    label.setProperty(RICH, True)
    label.setTextFormat(Qt.TextFormat.RichText)
    return label


def rich_label(name: str, accessible: str, links: bool = False) -> QLabel:
    """Label for rich text that is broken into lines and asks for no width."""
    label = rich(QLabel())
    label.setObjectName(name)
    label.setAccessibleName(accessible)
    label.setWordWrap(True)
    label.setMinimumWidth(1)
    if links:
        label.setTextInteractionFlags(LINKS)
    return label
