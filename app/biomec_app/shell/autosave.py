"""Unsaved work is kept against a crash: every two minutes, in a thread of its own, in a recovery folder.

Each running Biomec keeps one project there, with a lock beside it that dies with the program. What lies there without
a living owner is what a crash left, and is offered at the next start.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from secrets import token_hex

from PySide6.QtCore import QLockFile, QObject, QThreadPool, QTimer, Signal

from biomec.base.atomic import atomic_path, make_folder
from biomec.base.errors import BiomecError, FileError
from biomec.base.leftovers import remove_leftovers
from biomec.base.own_files import open_own, read_own
from biomec.base.plain_types import made_from, parsed_json
from biomec.base.progress import Cancelled, Progress
from biomec.io.project import load_project, save_project
from biomec.io.shared_project import project_hash
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.reopen import open_again
from biomec_app.session.context import Context
from biomec_app.session.ready import ready

EVERY_S = 120.0
RECOVER, DISCARD = "Recover", "Discard"
REMEDY = "If it is yours, let nobody else write to it (chmod go-w) and start Biomec again; otherwise remove it."


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
    for file in folder.glob("*.biomec") if folder.is_dir() else ():
        with suppress(FileNotFoundError):  # another Biomec has removed it meanwhile
            if _has_owner(file):
                continue
            about = _about(file)
            saved = file.stat().st_mtime
            when = datetime.fromtimestamp(saved).strftime("%Y-%m-%d %H:%M")
            left = Leftover(file, about.name or file.stem, Path(about.project) if about.project else None, when)
            found.append((saved, left))
    return tuple(left for _, left in sorted(found, key=lambda one: -one[0]))


def _has_owner(file: Path) -> bool:
    """Whether the Biomec that keeps this file is running."""
    lock = QLockFile(str(file.with_suffix(".lock")))
    lock.setStaleLockTime(0)
    if not lock.tryLock(0):
        return True
    lock.unlock()
    return False


def _about(file: Path) -> _About:
    """What is known of a project in the recovery folder; nothing if that is damaged, or about other work."""
    with suppress(OSError, ValueError, BiomecError):  # the work matters more than what it was called
        about = made_from(_About, parsed_json(read_own(file.with_suffix(".json"))))
        if about.sha256 in (None, project_hash(file)):  # else it was killed between the two files
            return about if "\0" not in (about.project or "") else replace(about, project=None)
    return _About()


def refusals(folder: Path) -> dict[Path, str]:
    """Projects in a recovery folder that other users could have put there or changed, and a sentence about each."""
    refused = {}
    for file in sorted(folder.glob("*.biomec")):
        try:
            open_own(file).close()
        except FileNotFoundError:  # another Biomec has removed it meanwhile
            continue
        except FileError as fault:
            refused[file] = f"{fault} {REMEDY}"
        except OSError as error:
            refused[file] = f"{file} cannot be opened ({error.strerror or error})."
    return refused


def tidy(folder: Path) -> None:
    """Remove what programs that were killed while they wrote have left: half files, and notes without a project."""
    remove_leftovers(folder, f".*.{'[0-9a-f]' * 12}.part")
    for note in folder.glob("*.json") if folder.is_dir() else ():
        file = note.with_suffix(".biomec")
        if not file.exists() and not _has_owner(file):
            forget(file)


def set_aside(file: Path) -> Path | None:
    """Rename recovered work that cannot be read, so that it is not offered again; None if that is not possible."""
    aside = file.with_suffix(".damaged")
    try:
        os.replace(file, aside)
    except OSError:
        return None
    forget(file)
    return aside


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
            with atomic_path(self._file.with_suffix(".json"), private=True) as temporary:
                temporary.write_text(json.dumps(about), encoding="utf-8")
        except BiomecError as error:
            fault = str(error)
        except Exception as error:  # a fault here must be reported; it must not end the program
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
        self._unreadable: set[Path] = set()  # could be neither recovered nor set aside
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
            with suppress(OSError):  # one that was made by an older Biomec; not every file system has permissions
                self.folder.chmod(0o700)
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

    def offer_recovery(self, otherwise: Callable[[], None] | None = None) -> bool:
        """Ask what shall become of work that a crash left; what the user does not decide stays for the next time.

        Work that other users could have put there is not opened, as it would be shown as the user's own.

        True if something is being recovered. If it turns out to be damaged, it is set aside and ``otherwise`` is done.
        """
        refused = refusals(self.folder)
        for sentence in dict.fromkeys(refused.values()):  # a folder that others can change is reported once
            self.context.user.fail("Recover unsaved work", f"Unsaved work was not opened. {sentence}")
        if not refused:
            tidy(self.folder)
        for left in leftovers(self.folder):
            if left.file in self._unreadable or left.file in refused:
                continue
            question = f"Biomec ended before {left.name} was saved ({left.when}). Recover it?"
            answer = self.context.user.confirm("Recover unsaved work", question, (RECOVER, DISCARD))
            if answer == DISCARD:
                forget(left.file)
            elif answer == RECOVER:
                self._recover(left, otherwise)
                return True
        return False

    def _recover(self, left: Leftover, otherwise: Callable[[], None] | None) -> None:
        document = self.context.document

        def work(progress: Progress) -> Analysis | Exception:
            try:
                return ready(open_again(load_project(left.file), progress, files=True))
            except Cancelled:
                raise
            except Exception as fault:  # whatever is wrong with the file is reported, and the program goes on
                return fault

        def done(found: Analysis | Exception) -> None:
            if isinstance(found, Exception):
                self._tell_damaged(left, found)
                if otherwise is not None:
                    otherwise()
                return
            document.open(found, left.project)
            document.undo_stack.resetClean()
            document.title_changed.emit()
            self._recovered = left.file
            self.keep()

        self.context.jobs.start(f"Recover {left.name}", work, done)

    def _tell_damaged(self, left: Leftover, fault: Exception) -> None:
        aside = set_aside(left.file)
        if aside is None:
            self._unreadable.add(left.file)
        place = f"It stays in {left.file}." if aside is None else f"It was set aside as {aside}."
        reason = str(fault) if isinstance(fault, BiomecError) else f"{type(fault).__name__}: {fault}"
        words = f"The unsaved work on {left.name} ({left.when}) cannot be recovered. {reason.rstrip('.')}. {place}"
        self.context.user.fail("Recover unsaved work", words)
