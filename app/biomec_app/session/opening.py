"""Opening a project: it is read and its steps run again in the background; files outside it are asked about first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from biomec.base.progress import Progress
from biomec.io.project import load_project
from biomec.io.shared_project import project_hash
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.reopen import files_asked_for, open_again
from biomec.recording import Session
from biomec_app.session.context import Context
from biomec_app.session.project_file import may_discard, remember
from biomec_app.session.ready import ready

READ_FILES, NOT_READ_FILES = "Read it", "Open without it"


def open_project(context: Context, path: Path) -> None:
    """Read a project and run its steps again; only then is unsaved work asked about."""
    seen = project_hash(path)

    def done(analysis: Analysis) -> None:
        if may_discard(context):
            context.document.open(analysis, path, seen=seen)
            remember(context, path)

    title = f"Open {path.name}"

    def work(progress: Progress) -> Analysis | Session:
        session = load_project(path)
        return session if files_asked_for(session) else ready(open_again(session, progress))

    def found(loaded: Analysis | Session) -> None:
        if isinstance(loaded, Analysis):
            done(loaded)
        else:
            open_with_files(context, title, loaded, done)

    context.jobs.start(title, work, found)


def open_with_files(context: Context, title: str, session: Session, done: Callable[[Analysis], None]) -> None:
    """Open a session whose settings name files outside it, after asking whether these may be read."""
    names = " and ".join(files_asked_for(session))
    question = f"The project uses {names}, outside the project. Read it? If you do not know the file, do not."
    answer = context.user.confirm(title, question, (READ_FILES, NOT_READ_FILES))
    if answer is not None:
        context.jobs.start(title, lambda progress: ready(open_again(session, progress, answer == READ_FILES)), done)
