"""Draws figures beside the window's thread: the window asks, goes on, and gets the latest picture when it is done.

Matplotlib draws one figure at a time, whichever window asks.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from PySide6.QtCore import QObject, QThreadPool, Signal

from biomec_app.kit.memory import own_garbage

DRAWING = threading.Lock()


def close_fonts() -> None:
    """Close the files of fonts that Matplotlib opened to draw.

    It keeps them for each thread apart, so that every figure in a window of its own left some more files open.
    """
    manager = sys.modules.get("matplotlib.font_manager")
    if manager is not None:
        manager._get_font.cache_clear()


class _Talk(QObject):
    ended = Signal(object, object)


class _Run:
    def __init__(self, work: Callable[[], Any]) -> None:
        self.talk = _Talk()
        self._work: Callable[[], Any] | None = work

    def run(self) -> None:
        value: Any = None
        fault: Exception | None = None
        work, self._work = self._work, None  # what it works on must not stay as long as this object
        assert work is not None
        try:
            with DRAWING, own_garbage():
                try:
                    value = work()
                finally:
                    close_fonts()
        except Exception as error:  # must reach the user, not vanish with the thread
            fault = error
        with suppress(RuntimeError):  # whoever asked for it is gone: the window was closed meanwhile
            self.talk.ended.emit(value, fault)


class Painter(QObject):
    """Runs pieces of drawing one after the other; of those that wait under one name only the last is done."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._running: _Run | None = None
        self._done: Callable[[Any, Exception | None], None] | None = None
        self._stopped = False
        self._waiting: dict[str, tuple[Callable[[], Any], Callable[[Any, Exception | None], None]]] = {}

    @property
    def busy(self) -> bool:
        """Whether something is being drawn or waits."""
        return self._running is not None or bool(self._waiting)

    def paint(self, name: str, work: Callable[[], Any], done: Callable[[Any, Exception | None], None]) -> None:
        """Do ``work`` in the background; ``done(value, fault)`` is called in the window's thread."""
        self._waiting.pop(name, None)
        self._waiting[name] = work, done
        self._next()

    def stop(self) -> None:
        """Forget what waits, and wait for what is being drawn; its result is not delivered."""
        self._stopped = True
        self._waiting.clear()
        self.wait()

    def wait(self) -> None:
        """Wait for what is being drawn, but not for ever."""
        self._pool.waitForDone(30_000)

    def _next(self) -> None:
        if self._running is not None or not self._waiting:
            return
        work, self._done = self._waiting.pop(next(iter(self._waiting)))
        self._running = _Run(work)
        self._running.talk.ended.connect(self._ended)  # a method: a function would keep this object for good
        self._pool.start(self._running.run)  # a function: PySide keeps objects of QRunnable for good

    def _ended(self, value: Any, fault: Exception | None) -> None:
        self._pool.waitForDone()  # the thread is on its last lines; its object must outlive them
        done, self._done, self._running = self._done, None, None
        if not self._stopped and done is not None:
            done(value, fault)
            self._next()
