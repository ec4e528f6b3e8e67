"""How fine a picture is drawn: coarser while things move and the machine is slow, with smooth edges when they rest."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from biomec_app.session.camera import Camera
from biomec_app.viewer.canvas import Canvas, averaged

MOVING_S = 0.022  # a picture while things move; the plots beside it take their time too
BAND_S = 0.035  # a part of a picture that rests: the window answers in between
PATIENCE_S = 1.2  # all parts of a picture with smooth edges
STEPS = (0.4, 0.5, 0.65, 0.8, 1.0)
SMOOTH = 2  # pixels that are drawn for one that is shown, across and down
FIRST_BAND = 250_000  # pixels drawn at first, before it is known how long they take


class Quality:
    """Chooses how fine the next picture is from the time of the last ones.

    Time is taken to grow with the width of a picture and not with its pixels. Measured with software OpenGL, 0.4 of
    1280 pixels take 0.63 of the time, and twice as many twice the time: most is spent on the edges of triangles.

    patient : always as fine as can be, however long it takes: for pictures that shall not depend on the machine
    """

    def __init__(self) -> None:
        self.patient = False
        self._full_s = 0.015  # time of a picture at the screen's own resolution

    def scale(self, ratio: float) -> float:
        """Pixels of a moving picture by those of the widget; ratio: pixels of the screen by those of the widget."""
        affordable = MOVING_S / self._full_s
        return ratio * max([step for step in STEPS if step <= affordable], default=STEPS[0])

    @property
    def smooth(self) -> int:
        """How many pixels are drawn for one of a resting picture, across and down: 1, or 2 for smooth edges."""
        return SMOOTH if self.patient or SMOOTH**2 * self._full_s <= PATIENCE_S else 1

    def took(self, seconds: float, scale: float) -> None:
        """Note how long a picture took at a scale relative to the screen's resolution."""
        full = seconds / max(scale, 0.1)
        self._full_s += 0.3 * (min(full, 1.0) - self._full_s)  # one slow picture does not count much


class FinePicture:
    """A picture with smooth edges, drawn in bands from the top; each is as high as can be drawn in a short time.

    size   : width and height in pixels
    pixels : (height, width, 4) bytes, the highest row first; those that are drawn
    """

    def __init__(self, size: tuple[int, int], smooth: int) -> None:
        self.size, self._smooth = size, smooth
        self.pixels = np.zeros((size[1], size[0], 4), dtype=np.uint8)
        self._done = 0
        self._rows = max(8, FIRST_BAND // (smooth * smooth * size[0]))

    @property
    def complete(self) -> bool:
        """Whether all of it is drawn."""
        return self._done >= self.size[1]

    def draw_band(self, canvas: Canvas, camera: Camera) -> None:
        """Draw the next band."""
        began = perf_counter()
        (width, height), first = self.size, self._done
        last = min(height, first + self._rows)
        k = self._smooth
        large = canvas.pixels(camera, (k * width, k * height), (k * first, k * last))
        self.pixels[first:last] = averaged(large[::-1], k)
        self._done = last
        seconds = perf_counter() - began
        self._rows = max(8, round((last - first) * min(2.0, max(0.25, BAND_S / seconds))))
