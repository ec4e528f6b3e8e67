"""The clipboard: pictures, drawings and texts put on it, and taken off before the program ends.

A drawing needs mime data made in Python. If the clipboard still holds them when Python ends, Qt frees them after Python
has, and the process crashes (seen with PySide6 6.11 on the offscreen platform); so they are taken off before.
"""

from __future__ import annotations

import atexit

from PySide6.QtCore import QByteArray, QMimeData
from PySide6.QtGui import QGuiApplication, QImage

SVG = "image/svg+xml"


def copy_text(text: str) -> None:
    """Put a text on the clipboard."""
    QGuiApplication.clipboard().setText(text)


def copy_picture(picture: QImage) -> None:
    """Put a picture on the clipboard."""
    QGuiApplication.clipboard().setImage(picture)


def copy_drawing(svg: bytes) -> None:
    """Put an SVG drawing on the clipboard, for programs that draw and, as a text, for those that write."""
    mime = QMimeData()
    mime.setData(SVG, QByteArray(svg))
    mime.setText(svg.decode("utf-8"))
    QGuiApplication.clipboard().setMimeData(mime)
    atexit.unregister(_take_off)
    atexit.register(_take_off)


def _take_off() -> None:
    if QGuiApplication.instance() is not None:
        QGuiApplication.clipboard().clear()
