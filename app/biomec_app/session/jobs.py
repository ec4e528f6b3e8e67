"""Work in the background: one job at a time, with progress, remaining time and cancel; the window never waits."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from PySide6.QtCore import QObject, QThreadPool, Signal

from biomec.base.compiled import watched_compiling
from biomec.base.errors import BiomecError
from biomec.base.progress import Cancelled, Progress

TURN_S = 0.0002  # a thread that computes in Python gives way to another after this long
PREPARING = "preparing the numeric kernels (only the first time)"


@dataclass(frozen=True)
class Status:
    """How far a job is.

    fraction    : 0 to 1
    remaining_s : estimate from the time so far; None while there is too little to tell
    note        : what it does besides, such as compiling kernels; then the remaining time is not known
    words       : how far it is in words of its own, such as simulated time
    """

    title: str
    fraction: float
    remaining_s: float | None
    note: str = ""
    words: str = ""


def take_turns() -> None:
    """Let the window's thread have its turn soon while others compute in Python beside it.

    It asks for a turn after every call of Qt. With Python's usual five milliseconds for each, twenty calls took a tenth
    of a second, in which it had computed for two milliseconds itself.
    """
    sys.setswitchinterval(TURN_S)


class _Talk(QObject):
    """Signals from the worker's thread to the window's."""

    progressed = Signal(float)
    noted = Signal(str)
    ended = Signal(object, object)


class _Run:
    def __init__(self, work: Callable[[Progress], Any], stop: threading.Event, partial: bool) -> None:
        self.talk = _Talk()
        self._partial = partial
        self._work: Callable[[Progress], Any] | None = work
        self._stop, self._told = stop, False

    def run(self) -> None:
        value: Any = None
        fault: BaseException | None = None
        work, self._work = self._work, None  # what it works on must not stay as long as this object
        assert work is not None
        try:
            with watched_compiling(self._compiling):
                value = work(self._progress)
            if self._stop.is_set() and not self._partial:
                raise Cancelled("The work was cancelled.")
        except BaseException as error:  # whatever happens in a thread must reach the user, not vanish with the thread
            fault = error
        with suppress(RuntimeError):  # whoever asked for it is gone: the window was closed meanwhile
            self.talk.ended.emit(value, fault)

    def _compiling(self, name: str, here: bool) -> None:
        """Say once that kernels are compiled; between two of them the work can be cancelled."""
        if here and self._stop.is_set():
            raise Cancelled("The work was cancelled.")
        if not self._told:
            self._told = True
            self.talk.noted.emit(PREPARING)

    def _progress(self, fraction: float) -> None:
        if self._stop.is_set():
            raise Cancelled("The work was cancelled.")
        self.talk.progressed.emit(fraction)


def _no_words(fraction: float) -> str:
    return ""


class Jobs(QObject):
    """Runs one job at a time.

    started(title), progressed(Status), finished(title), cancelled(title), failed(title, sentence)
    """

    started = Signal(str)
    progressed = Signal(object)
    finished = Signal(str)
    cancelled = Signal(str)
    failed = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._stop: threading.Event | None = None
        self._run: _Run | None = None
        self._done: Callable[[Any], object] | None = None
        self._title, self._began, self._fraction, self._note = "", 0.0, 0.0, ""
        self._words: Callable[[float], str] = _no_words

    @property
    def busy(self) -> bool:
        """Whether a job is running."""
        return self._run is not None

    @property
    def title(self) -> str:
        """Name of the running job."""
        return self._title

    def start(
        self,
        title: str,
        work: Callable[[Progress], Any],
        done: Callable[[Any], object],
        *,
        partial: bool = False,
        words: Callable[[float], str] | None = None,
    ) -> None:
        """Run ``work(progress)`` in the background and hand its value to ``done`` in the window's thread.

        partial : cancelled work that returns nevertheless has kept what it reached, which is used
        words   : tells a fraction in the words of the work
        """
        if self.busy:
            raise BiomecError(f'"{self._title}" is still running. Wait until it is done, or cancel it.')
        self._stop, self._title, self._began = threading.Event(), title, perf_counter()
        self._fraction, self._note, self._words = 0.0, "", words or _no_words
        self._run = _Run(work, self._stop, partial)
        self._run.talk.progressed.connect(self._progressed)
        self._run.talk.noted.connect(self._noted)
        self._done = done
        self._run.talk.ended.connect(self._ended)  # a method, so that nothing arrives once this object is gone
        self.started.emit(title)
        self._pool.start(self._run.run)  # a function: PySide keeps objects of QRunnable for good

    def cancel(self) -> None:
        """Ask the running job to stop; it leaves everything as it was."""
        if self._stop is not None:
            self._stop.set()

    def wait(self, seconds: float = 60.0) -> bool:
        """Wait until the worker's thread is idle; False if it is not by then. Signals still need the event loop."""
        return self._pool.waitForDone(round(1000 * seconds))

    def _noted(self, note: str) -> None:
        self._note = note
        self.progressed.emit(Status(self._title, self._fraction, None, note))

    def _progressed(self, fraction: float) -> None:
        self._fraction = fraction
        spent = perf_counter() - self._began
        known = fraction > 0.02 and spent > 0.5 and not self._note
        self.progressed.emit(
            Status(
                self._title, fraction, spent * (1.0 - fraction) / fraction if known else None, self._note,
                self._words(fraction),
            )
        )  # fmt: skip

    def _ended(self, value: Any, fault: BaseException | None) -> None:
        self._pool.waitForDone()  # the thread is on its last lines; its object must outlive them
        title, done, self._run, self._stop, self._done = self._title, self._done, None, None, None
        if fault is None:
            try:
                if done is not None:
                    done(value)
            except Exception as error:  # the window must not stay as if the job were still running
                fault = error
            else:
                self.finished.emit(title)
                return
        self._not_done(title, fault)

    def _not_done(self, title: str, fault: BaseException) -> None:
        if isinstance(fault, Cancelled):
            self.cancelled.emit(title)
        elif isinstance(fault, BiomecError):
            self.failed.emit(title, str(fault))
        elif isinstance(fault, MemoryError):
            words = "there is not enough free memory. Close other programs, or take a shorter recording."
            self.failed.emit(title, f"{title}: {words} Your data are unchanged.")
        else:
            sentence = f"{title} failed because of an error in Biomec ({type(fault).__name__}: {fault})."
            self.failed.emit(title, f"{sentence} Your data are unchanged.")
