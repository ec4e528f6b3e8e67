"""How long the event loop stood still: a timer that ticks all the time, and the work that was done between two ticks.

Work is processor time, never time on the clock, and is judged by a fixed piece of Python measured in the same run: on a
machine that others keep busy everything waits, but nothing takes more work. A second thread looks where the window's
thread is whenever a tick is overdue, so that a test which fails names the culprit.
"""

from __future__ import annotations

import sys
import threading
import traceback
from pathlib import Path
from time import perf_counter, process_time, sleep, thread_time
from types import FrameType

from PySide6.QtCore import QObject, Qt, QTimer

EVERY_MS = 5
LOOK_S = 0.015
OVERDUE_S = 0.04
LIMIT_S = 0.1
ROOM = 2.0  # others that share cores and caches slow a thread down even in its own processor time
STARVED = 10.0  # so many limits of the whole process without a tick: the window waited for another thread
TRIES = 4
USUAL_S = 0.0065  # of `_some_work` on an idle machine of the kind that the 100 ms were set for


def limit() -> float:
    """What the window may compute in one go [s]: 100 ms, and longer on a machine that is slower now."""
    return LIMIT_S * max(1.0, sorted(_some_work() for _ in range(5))[2] / USUAL_S)


def _some_work() -> float:
    """Processor time of a fixed piece of Python [s]."""
    began, total = thread_time(), 0
    for k in range(100_000):
        total += k * k % 7
    return thread_time() - began


class Heartbeat(QObject):
    """Ticks while it is entered.

    own     : most that this thread computed between two ticks [s]
    all     : most that the whole process computed between two ticks [s]
    allowed : what this thread may compute in one go [s], by the slower of two measurements before and after
    where   : where the thread was when it computed too long
    """

    def __init__(self) -> None:
        super().__init__()
        self.own = self.all = 0.0
        self.where: list[str] = []
        self._seen: list[str] = []
        self._held: list[dict[int, FrameType]] = []  # frames that were looked at; see `_watch`
        self._last = self._last_own = self._last_all = 0.0
        self._watching = False
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(EVERY_MS)
        self._timer.timeout.connect(self._tick)

    def _tick(self) -> None:
        own, everyone = thread_time() - self._last_own, process_time() - self._last_all
        seen, self._seen = self._seen, []
        if own > LIMIT_S or everyone > STARVED * LIMIT_S:
            head = f"{1000 * own:.0f} ms computed, {1000 * everyone:.0f} ms by the whole process:"
            self.where.append("\n".join([head, *seen]))
        self.own, self.all = max(self.own, own), max(self.all, everyone)
        self._start()

    def _start(self) -> None:
        self._last, self._last_own, self._last_all = perf_counter(), thread_time(), process_time()

    @property
    def excess(self) -> float:
        """How many times what is allowed was computed in one go."""
        return max(self.own, self.all / STARVED) / (ROOM * self.allowed)

    def _watch(self, thread: int) -> None:
        """Note where the window's thread is when it is overdue.

        A frame that has returned meanwhile lives on in this thread, and with it the widgets that it knew. Let go here,
        they would be destroyed beside the window's thread, which may be styling them; so they are kept to the end.
        """
        while self._watching:
            sleep(LOOK_S)
            if perf_counter() - self._last > OVERDUE_S:
                self._held.append(sys._current_frames())
                calls = traceback.extract_stack(self._held[-1].get(thread))
                stack = [call for call in calls if "/tests/" not in call.filename]
                places = (f"{Path(call.filename).name}:{call.lineno} {call.name}" for call in stack[:-9:-1])
                self._seen.append(" < ".join(places))

    def __enter__(self) -> Heartbeat:
        self.allowed = limit()
        self._watching = True
        self._watcher = threading.Thread(target=self._watch, args=(threading.get_ident(),), daemon=True)
        self._start()
        self._watcher.start()
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._tick()
        self._timer.stop()
        self._watching = False
        self._watcher.join()
        self._held.clear()
        self.allowed = max(self.allowed, limit())
