"""Copying, and ending the program with something copied."""

import subprocess
import sys

import pytest

SCRIPT = """
import sys
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
application = QApplication([])
from biomec_app.kit.clipboard import copy_drawing, copy_picture, copy_text
from PySide6.QtGui import QGuiApplication
picture = QImage(8, 8, QImage.Format.Format_RGB32)
picture.fill(0)
{call}
mime = QGuiApplication.clipboard().mimeData()
print(mime.hasText(), mime.hasImage(), mime.hasFormat("image/svg+xml"))
"""


@pytest.mark.parametrize(
    ("call", "there"),
    [('copy_text("words")', "True False False"), ("copy_picture(picture)", "False True False"),
     ('copy_drawing(b"<svg/>")', "True False True")],
)  # fmt: skip
def test_the_program_ends_well_with_something_on_the_clipboard(call, there):
    """After a figure was copied as a drawing, the program crashed when it was closed."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(call=call)], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == there
