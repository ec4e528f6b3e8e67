"""Formulas as pictures, drawn by matplotlib's mathtext beside the window's thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtGui import QImage

from biomec_app.formula_text import formula_text

LONGEST = 6000  # characters of a formula that is drawn; a longer one is a page of its own
POINTS = 12.0
DPI = 100.0
MARGIN = 4.0  # pixels


@dataclass(frozen=True, eq=False)
class Typeset:
    """A formula: its LaTeX, and its picture; None where it cannot be drawn, and then the text stands for it."""

    tex: str
    image: QImage | None

    @property
    def text(self) -> str:
        """The formula as a line of text."""
        return formula_text(self.tex)


def typeset(formulae: Sequence[str], colour: str, ratio: float) -> list[Typeset]:
    """Pictures of formulas in a colour, on nothing; ``ratio`` is the device pixels of a point of the screen."""
    return [Typeset(tex, _picture(tex, colour, ratio)) for tex in formulae]


def _picture(tex: str, colour: str, ratio: float) -> QImage | None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if len(tex) > LONGEST or not tex.strip():
        return None
    dpi = DPI * ratio
    figure = Figure(figsize=(1.0, 1.0), dpi=dpi)
    figure.patch.set_alpha(0.0)
    canvas = FigureCanvasAgg(figure)
    words = figure.text(0.0, 0.0, f"${tex.strip().strip('$')}$", color=colour, fontsize=POINTS, math_fontfamily="cm")
    try:
        box = words.get_window_extent(canvas.get_renderer())
        margin = MARGIN * ratio
        figure.set_size_inches((box.width + 2 * margin) / dpi, (box.height + 2 * margin) / dpi)
        width, height = figure.get_size_inches() * dpi
        words.set_position(((margin - box.x0) / width, (margin - box.y0) / height))
        canvas.draw()
    except ValueError:  # mathtext does not know everything that LaTeX does
        return None
    pixels = np.asarray(canvas.buffer_rgba()).copy()
    height, width = pixels.shape[:2]
    image = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGBA8888).copy()
    image.setDevicePixelRatio(ratio)
    return image
