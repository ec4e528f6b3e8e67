"""File ▸ Open Visit…: every recording of a folder analysed in the background, and shown together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from biomec.base.progress import Progress
from biomec.reporting.clinical.visit import Visit
from biomec.reporting.clinical.visit_files import opened_visit
from biomec_app.session.context import Context
from biomec_app.session.open_visit import Member
from biomec_app.session.project_file import may_discard
from biomec_app.session.ready import ready

TITLE = "Open Visit"
MATLAB_END = ".mat"


def ask_and_open_visit(context: Context) -> None:
    """Ask for the folder of a visit, and open it."""
    folder = context.user.ask_folder("Folder with the recordings of one visit", context.preferences.folder)
    if folder is not None:
        open_visit(context, folder)


def open_visit(context: Context, *paths: Path) -> None:
    """Analyse the recordings of a folder, or several recordings; the first is shown, and the clinical plots of all."""
    folder = paths[0] if len(paths) == 1 else paths[0].parent

    def work(progress: Progress) -> Visit:
        visit = opened_visit(list(paths), progress=progress)
        for trial in visit.trials[:1]:
            ready(trial.analysis)
        return visit

    def done(visit: Visit) -> None:
        if not may_discard(context):
            return
        show_visit(context, visit, folder)
        context.preferences.folder = folder

    context.jobs.start(f"{TITLE} {folder.name}", work, done)


def show_visit(context: Context, visit: Visit, folder: Path | None = None) -> None:
    """Show an analysed visit: its first recording, and the clinical plots of all."""
    from biomec_app.features.clinical.window import open_clinical

    context.visit.open(members_of(visit), folder)
    if context.window is not None:
        open_clinical(context)


def members_of(visit: Visit) -> Sequence[Member]:
    """Recordings of a visit, those that could not be analysed last, with the reason."""
    return (
        *(Member(one.name, one.analysis) for one in visit.trials),
        *(Member(one.name, None, one.reason) for one in visit.left_out),
    )
