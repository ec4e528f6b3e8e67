"""What the workbench saves of its drawing: pictures and movies; and texts."""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path

import numpy as np
from PIL import Image
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from biomec.base.arrays import FloatArray
from biomec.base.atomic import atomic_path
from biomec.base.errors import BiomecError, FileError
from biomec.base.progress import Progress
from biomec_app.features.workbench.drawing import Drawing
from biomec_app.kit.theme import LIGHT

GIF_HZ = 25.0
LONGEST_S = 20.0  # of a movie


def save_text(text: str, path: Path) -> None:
    """Write a text whole or not at all."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def save_drawing(drawing: Drawing, path: Path) -> None:
    """Write the drawing of the moment as PNG or SVG, dark on white."""
    paper = drawing.copy()
    paper.theme = LIGHT
    with atomic_path(path) as temporary:
        match path.suffix.lower():
            case ".svg":
                made = QSvgGenerator()
                made.setFileName(str(temporary))
                made.setSize(QSize(round(paper.size[0]), round(paper.size[1])))
                made.setViewBox(QRectF(0.0, 0.0, *paper.size))
                painter = QPainter(made)
                paper.paint(painter)
                painter.end()
            case ".png":
                if not picture(paper, 2.0).save(str(temporary), "PNG"):  # type: ignore[call-overload]  # text
                    raise FileError(path.name, "the picture cannot be written there.")
            case _:
                raise FileError(path.name, "the drawing can be saved as png or svg; change the end of the name.")


def picture(drawing: Drawing, ratio: float = 1.0) -> QImage:
    """The drawing as pixels."""
    image = QImage(round(drawing.size[0] * ratio), round(drawing.size[1] * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    painter = QPainter(image)
    drawing.paint(painter)
    painter.end()
    return image


def movie(drawing: Drawing, path: Path, speed: float) -> Callable[[Progress], Path]:
    """What writes a GIF of the motion in a drawing; it may run beside the window's thread."""
    if path.suffix.lower() != ".gif":
        raise FileError(path.name, "the movie is saved as gif; change the end of the name.")
    if drawing.sketch is None or drawing.sketch.frames < 2:
        raise BiomecError("Nothing moves, so that there is no movie to be saved. Run an analysis first.")
    times = drawing.sketch.motion.time_s
    count = max(2, round(min(float(times[-1] - times[0]) / speed, LONGEST_S) * GIF_HZ))
    paper = drawing.copy()
    paper.theme = LIGHT

    def work(progress: Progress) -> Path:
        with atomic_path(path) as temporary:
            images = _frames(paper, np.linspace(times[0], times[-1], count), progress)
            try:
                next(images).save(
                    temporary, "GIF", save_all=True, append_images=images, duration=round(1000 / GIF_HZ), loop=0
                )
            finally:
                images.close()
        return path

    return work


def _frames(drawing: Drawing, times: FloatArray, progress: Progress) -> Generator[Image.Image]:
    for k, time_s in enumerate(times):
        drawing.time_s = float(time_s)
        image = picture(drawing).convertToFormat(QImage.Format.Format_RGB888)
        rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
        pixels = rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()
        yield Image.fromarray(pixels).quantize(64, dither=Image.Dither.NONE)
        progress((k + 1) / len(times))
