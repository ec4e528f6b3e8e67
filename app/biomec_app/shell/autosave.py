"""Unsaved work is kept against a crash: every two minutes, in a thread of its own, in a recovery folder.

Each running Biomec keeps one project there, with a lock beside it that dies with the program. What lies there without
a living owner is what a crash left, and is offered at the next start.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from secrets import token_hex

from PySide6.QtCore import QLockFile, QObject, QThreadPool, QTimer, Signal

from biomec.base.atomic import atomic_path, make_folder
from biomec.base.errors import BiomecError
from biomec.base.plain_types import made_from, parsed_json
from biomec.base.progress import Progress
from biomec.io.project import load_project, save_project
from biomec.io.shared_project import project_hash
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.reopen import open_again
from biomec_app.session.context import Context
from biomec_app.session.ready import ready

EVERY_S = 120.0
RECOVER, DISCARD = "Recover", "Discard"


@dataclass(frozen=True)
class Leftover:
    """Unsaved work of a Biomec that is no longer running.

    file    : the project in the recovery folder
    name    : what the recording was called
    project : where it had been saved before, or None
    when    : local time of the last autosave
    """

    file: Path
    name: str
    project: Path | None
    when: str


@dataclass(frozen=True)
class _About:
    """What is stored beside a project in the recovery folder."""

    name: str = ""
    project: str | None = None
    sha256: str | None = None  # of the project that this is about


def leftovers(folder: Path) -> tuple[Leftover, ...]:
    """Unsaved work without a living owner, the newest first."""
    found = []
    files = folder.glob("*.biomec") if folder.is_dir() else ()
    for file in sorted(files, key=lambda path: -path.stat().st_mtime):
        lock = QLockFile(str(file.with_suffix(".lock")))
        lock.setStaleLockTime(0)
        if not lock.tryLock(0):
            continue
        lock.unlock()
        about = _About()  # the work matters more than what it was called
        with suppress(OSError, ValueError, BiomecError):
            about = made_from(_About, parsed_json(file.with_suffix(".json").read_bytes()))
            if about.sha256 not in (None, project_hash(file)):
                about = _About()  # it was killed between the two files: this is about other work
        when = datetime.fromtimestamp(file.stat().st_mtime).strftime("%Y-%m-%d %H:%M")
        found.append(Leftover(file, about.name or file.stem, Path(about.project) if about.project else None, when))
    return tuple(found)


def forget(file: Path) -> None:
    """Remove a project of the recovery folder and what lies beside it."""
    for path in (file, file.with_suffix(".json"), file.with_suffix(".lock")):
        with suppress(OSError):
            path.unlink(missing_ok=True)


class _Talk(QObject):
    ended = Signal(object, str)


class _Write:
    """Writes an analysis into the recovery folder."""

    def __init__(self, analysis: Analysis, file: Path, about: dict[str, str | None]) -> None:
        self.talk = _Talk()
        self._analysis: Analysis | None = analysis
        self._file, self._about = file, about

    def run(self) -> None:
        fault = ""
        analysis, self._analysis = self._analysis, None  # it must not stay as long as this object
        assert analysis is not None
        try:
            save_project(analysis.stored(), self._file)
            about = {**self._about, "sha256": project_hash(self._file)}
            with atomic_path(self._file.with_suffix(".json")) as temporary:
                temporary.write_text(json.dumps(about), encoding="utf-8")
        except BiomecError as error:
            fault = str(error)
        except Exception as error:  # a fault here must be told; it must not end the program
            fault = f"The autosave failed ({type(error).__name__}: {error})."
        self.talk.ended.emit(analysis, fault)


class Autosave(QObject):
    """Keeps the unsaved work of a document; ``saved`` and ``failed(sentence)`` say how it went."""

    saved = Signal()
    failed = Signal(str)

    def __init__(self, context: Context, every_s: float = EVERY_S, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.folder = context.preferences.recovery_folder
        self.file = self.folder / f"{os.getpid()}-{token_hex(4)}.biomec"
        self._lock: QLockFile | None = None
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._writing: _Write | None = None
        self._kept: Analysis | None = None  # what lies in the folder now
        self._recovered: Path | None = None  # leftover that may go once its content is kept anew
        self._closed = False
        self._timer = QTimer(self)
        self._timer.setInterval(round(1000 * every_s))
        self._timer.timeout.connect(self.keep)
        self._timer.start()
        context.document.title_changed.connect(self._follow)
        context.closing.append(self.close)

    def keep(self) -> None:
        """Write what is not saved, unless it lies there already."""
        document = self.context.document
        if self._closed or self._writing is not None or not document.is_modified:
            return
        analysis = document.analysis
        if analysis is self._kept:
            return
        try:
            self._own_folder()
        except OSError as error:
            self.failed.emit(f"Unsaved work cannot be kept in {self.folder}: {error.strerror or error}.")
            return
        about = {"name": document.title.removesuffix(" *"), "project": str(document.path) if document.path else None}
        self._writing = _Write(analysis, self.file, about)
        self._writing.talk.ended.connect(self._ended)
        self._pool.start(self._writing.run)  # a function: PySide keeps objects of QRunnable for good

    def _own_folder(self) -> None:
        if self._lock is None:
            make_folder(self.folder)
            self._lock = QLockFile(str(self.file.with_suffix(".lock")))
            self._lock.setStaleLockTime(0)
            self._lock.tryLock(0)

    def _ended(self, analysis: Analysis, fault: str) -> None:
        self._pool.waitForDone()  # the thread is on its last lines; its object must outlive them
        self._writing = None
        if fault:
            self.failed.emit(fault)
            return
        self._kept = analysis
        if self._recovered is not None:
            forget(self._recovered)
            self._recovered = None
        self._follow()
        self.saved.emit()

    def _follow(self) -> None:
        """Throw away what is saved, or was given up, meanwhile."""
        if not self.context.document.is_modified and self._writing is None and self._kept is not None:
            self._kept = None
            for path in (self.file, self.file.with_suffix(".json")):
                with suppress(OSError):
                    path.unlink(missing_ok=True)

    def wait(self, seconds: float = 30.0) -> bool:
        """Wait for the thread; its signal still needs the event loop."""
        return self._pool.waitForDone(round(1000 * seconds))

    def close(self) -> None:
        """The program ends in order: what was not saved is not wanted."""
        self._closed = True
        self._timer.stop()
        self._pool.waitForDone(30000)
        if self._lock is not None:
            self._lock.unlock()
            forget(self.file)

    # ------------------------------------------------------------------ after a crash

    def offer_recovery(self) -> bool:
        """Ask what shall become of work that a crash left; what the user does not decide stays for the next time.

        True if something is being recovered.
        """
        for left in leftovers(self.folder):
            question = f"Biomec ended before {left.name} was saved ({left.when}). Recover it?"
            answer = self.context.user.confirm("Recover unsaved work", question, (RECOVER, DISCARD))
            if answer == DISCARD:
                forget(left.file)
            elif answer == RECOVER:
                self._recover(left)
                return True
        return False

    def _recover(self, left: Leftover) -> None:
        document = self.context.document

        def work(progress: Progress) -> Analysis:
            return ready(open_again(load_project(left.file), progress, files=True))

        def done(analysis: Analysis) -> None:
            document.open(analysis, left.project)
            document.undo_stack.resetClean()
            document.title_changed.emit()
            self._recovered = left.file
            self.keep()

        self.context.jobs.start(f"Recover {left.name}", work, done)
