"""Playing: the frame follows the clock on the wall, so that frames may be left out but the speed is right."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from time import perf_counter

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from biomec_app.session.document import Document

SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
SLOWEST, FASTEST = SPEEDS[0], SPEEDS[-1]
INTERVAL_MS = 12  # shorter than a picture takes, so that drawing is what limits the pictures a second


class Loop(StrEnum):
    """What happens at the end."""

    ONCE = "once"
    WHOLE = "whole"
    CYCLE = "cycle"


class Playback(QObject):
    """Moves the current frame of the document.

    changed : playing or not, the speed or the loop
    """

    changed = Signal()

    def __init__(
        self, document: Document, parent: QObject | None = None, clock: Callable[[], float] = perf_counter
    ) -> None:
        super().__init__(parent)
        self._document, self._clock = document, clock
        self._speed, self._loop = 1.0, Loop.WHOLE
        self._began, self._from, self._set = 0.0, 0.0, -1
        self._span = (0, 0)
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self.tick)
        document.opened.connect(self.pause)
        document.frame_changed.connect(self._moved)

    # ------------------------------------------------------------------ state

    @property
    def playing(self) -> bool:
        """Whether the frame moves."""
        return self._timer.isActive()

    @property
    def speed(self) -> float:
        """Seconds of the recording a second."""
        return self._speed

    def set_speed(self, speed: float) -> None:
        """Play faster or slower, between 0.1 and 4 times; the frame does not leap."""
        self._rebase(self._document.frame)
        self._speed = min(max(float(speed), SLOWEST), FASTEST)
        self.changed.emit()

    @property
    def loop(self) -> Loop:
        """What happens at the end."""
        return self._loop

    def set_loop(self, loop: Loop) -> None:
        """Repeat everything, the cycle around the current frame, or nothing."""
        self._loop = loop
        self._rebase(self._document.frame)
        self.changed.emit()

    @property
    def cycles(self) -> tuple[tuple[int, int], ...]:
        """First and last frame of every cycle that was found."""
        if not self._document.is_open or "cycles" not in self._document.analysis.done:
            return ()
        found = self._document.analysis.cycles.groups.values()
        return tuple((int(first), int(last)) for one in found for first, last in one.spans)

    @property
    def span(self) -> tuple[int, int]:
        """First and last frame that are played: a cycle is the one around the frame, or else the next one."""
        whole = 0, max(0, self._document.frames - 1)
        cycles = self.cycles
        if self._loop is not Loop.CYCLE or not cycles:
            return whole
        frame = self._document.frame
        around = [one for one in cycles if one[0] <= frame < one[1]]
        later = [one for one in cycles if one[0] > frame]
        return around[0] if around else min(later) if later else max(cycles)

    # ------------------------------------------------------------------ moving

    def play(self) -> None:
        """Start at the current frame; at the end, from the beginning."""
        if not self._document.is_open or self._document.frames < 2:
            return
        first, last = self.span
        frame = self._document.frame
        self._timer.start()
        if not first <= frame < last:
            self._document.set_frame(first)
        self._rebase(self._document.frame)
        self.changed.emit()

    def pause(self) -> None:
        """Stay at the current frame."""
        if self.playing:
            self._timer.stop()
            self.changed.emit()

    def toggle(self) -> None:
        """Play or pause."""
        if self.playing:
            self.pause()
        else:
            self.play()

    def step(self, frames: int) -> None:
        """Pause, and go some frames forward or back."""
        self.pause()
        self._document.set_frame(self._document.frame + frames)

    def go(self, frame: int) -> None:
        """Go to a frame; playing goes on from there."""
        self._document.set_frame(frame)

    def tick(self) -> None:
        """Show the frame of this moment."""
        first, last = self._span
        now = self._from + (self._clock() - self._began) * self._document.rate_hz * self._speed
        if now > last:
            if self._loop is Loop.ONCE:
                self._set = last
                self._document.set_frame(last)
                self.pause()
                return
            now = first + (now - first) % max(1, last - first)
        self._set = int(now)
        self._document.set_frame(self._set)

    def _moved(self, frame: int) -> None:
        """Go on from where somebody else has put the frame."""
        if self.playing and frame != self._set:
            self._rebase(frame)

    def _rebase(self, frame: int) -> None:
        self._began, self._from, self._set = self._clock(), float(frame), frame
        self._span = self.span
