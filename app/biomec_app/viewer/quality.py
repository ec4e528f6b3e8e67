"""How fine a picture is drawn: coarser while things move and the machine is slow, with smooth edges when they rest."""

from __future__ import annotations

from math import sqrt

MOVING_S = 0.027  # a picture while things move
STILL_S = 0.090  # a picture when they rest
COARSEST, FINEST = 0.5, 2.0
STEPS = (0.5, 0.65, 0.8, 1.0)


class Quality:
    """Chooses the scale of the next picture from the time of the last ones.

    still   : nothing has moved for a while
    patient : always as fine as can be, however long it takes: for pictures that shall not depend on the machine
    """

    def __init__(self) -> None:
        self.still = self.patient = False
        self._full_s = 0.015  # time of a picture at the screen's own resolution

    def scale(self, ratio: float) -> float:
        """Pixels of the picture by those of the widget; ratio: pixels of the screen by those of the widget."""
        finest = FINEST / max(1.0, ratio / 1.5)
        if self.patient:
            return ratio * max(1.0, finest)
        if self.still:
            return ratio * max(1.0, min(finest, sqrt(STILL_S / self._full_s)))
        affordable = sqrt(MOVING_S / self._full_s)
        return ratio * max([step for step in STEPS if step <= affordable], default=COARSEST)

    def took(self, seconds: float, scale: float) -> None:
        """Note how long a picture took at a scale relative to the screen's resolution."""
        full = seconds / max(scale * scale, 1e-3)
        self._full_s += 0.3 * (min(full, 1.0) - self._full_s)  # one slow picture does not count much
