"""How long the event loop stood still: a timer that ticks all the time, and the longest wait between two ticks.

A second thread looks where the window's thread is whenever a tick is overdue, so that a test which fails names the
culprit.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from pathlib import Path
from time import perf_counter, process_time, sleep, thread_time

from PySide6.QtCore import QObject, Qt, QTimer

EVERY_MS = 5
LOOK_S = 0.015
OVERDUE_S = 0.04
LIMIT_S = 0.1
TRIES = 4
USUAL_S = 0.0065  # of `_some_work` on an idle machine of the kind that the 100 ms were set for


def limit() -> float:
    """How long the window may stand still [s]: 100 ms, and as much longer as this machine computes more slowly now.

    Others that share its cores and caches slow a thread down even in its own processor time.
    """
    return LIMIT_S * max(1.0, sorted(_some_work() for _ in range(5))[2] / USUAL_S)


def _some_work() -> float:
    """Processor time of a fixed piece of Python [s]."""
    began, total = thread_time(), 0
    for k in range(100_000):
        total += k * k % 7
    return thread_time() - began


class Heartbeat(QObject):
    """Ticks while it is entered.

    worst : longest wait between two ticks [s], as far as this process computed meanwhile or the second thread saw it: a
            machine that gives the whole process no time says nothing about the window
    own   : longest time that this thread was computing between two ticks [s]; the rest others had the processor
    where : where the thread was during the waits that were too long
    """

    def __init__(self) -> None:
        super().__init__()
        self.worst = self.own = 0.0
        self.where: list[str] = []
        self._seen: list[str] = []
        self._last = self._last_own = self._last_all = 0.0
        self._watching = False
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(EVERY_MS)
        self._timer.timeout.connect(self._tick)

    def _tick(self) -> None:
        now, own, everyone = perf_counter(), thread_time(), process_time()
        seen, self._seen = self._seen, []
        watched = OVERDUE_S + LOOK_S * len(seen)
        waited = min(now - self._last, max(everyone - self._last_all, watched))
        if waited > LIMIT_S:
            computing = 1000 * (own - self._last_own)
            self.where.append("\n".join([f"{1000 * waited:.0f} ms ({computing:.0f} computing):", *seen]))
        self.worst, self.own = max(self.worst, waited), max(self.own, own - self._last_own)
        self._last, self._last_own, self._last_all = now, own, everyone

    @property
    def blocked(self) -> float:
        """How long the window stood still [s]; on a machine that others keep busy, only what it did itself counts."""
        busy = hasattr(os, "getloadavg") and os.getloadavg()[0] > (os.cpu_count() or 1)
        return self.own if busy else self.worst

    def _watch(self, thread: int) -> None:
        while self._watching:
            sleep(LOOK_S)
            if perf_counter() - self._last > OVERDUE_S:
                frame = sys._current_frames().get(thread)
                stack = [one for one in traceback.extract_stack(frame) if "/tests/" not in one.filename]
                places = (f"{Path(one.filename).name}:{one.lineno} {one.name}" for one in stack[:-9:-1])
                self._seen.append(" < ".join(places))

    def __enter__(self) -> Heartbeat:
        self._last, self._last_own, self._last_all = perf_counter(), thread_time(), process_time()
        self._watching = True
        self._watcher = threading.Thread(target=self._watch, args=(threading.get_ident(),), daemon=True)
        self._watcher.start()
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._tick()
        self._timer.stop()
        self._watching = False
        self._watcher.join()
