"""The logo of a laboratory as a picture that every writer can put on a page."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QSize, Qt
from PySide6.QtGui import QImage, QImageReader

from biomec.base.svg_file import svg_fault

LARGEST = 600  # points of a side; a logo is small on paper
LARGEST_FILE = 20_000_000  # bytes


def logo_image(path: Path | None) -> QImage | None:
    """The picture, none larger than is needed; None without one, or where the file is not a picture."""
    if path is None:
        return None
    try:
        if path.stat().st_size > LARGEST_FILE or (reads_svg(path) and svg_fault(path.read_bytes())):
            return None
    except OSError:
        return None
    reader = QImageReader(str(path))
    reader.setAutoTransform(True)
    size = reader.size()
    if size.isValid() and max(size.width(), size.height()) > LARGEST:
        reader.setScaledSize(size.scaled(QSize(LARGEST, LARGEST), Qt.AspectRatioMode.KeepAspectRatio))
    made = reader.read()
    return None if made.isNull() else made


def reads_svg(path: Path) -> bool:
    """Whether Qt takes the file for a drawing, packed ones among them."""
    return bytes(QImageReader(str(path)).format().data()).startswith(b"svg")


def logo_png(path: Path | None) -> bytes | None:
    """The picture as PNG."""
    made = logo_image(path)
    return None if made is None else png(made)


def png(picture: QImage) -> bytes:
    """A picture as PNG."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    picture.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())
