"""A trial of a study in the main window: what was analysed is shown again; what was not is imported, to see why."""

from __future__ import annotations

from pathlib import Path

from biomec.base.progress import Progress
from biomec.io.project import load_project
from biomec.io.session_import import import_session
from biomec.pipeline.analysis import KINEMATICS, Analysis
from biomec.pipeline.reopen import files_asked_for, open_again
from biomec.recording import Session
from biomec.study.batch import tasks_for
from biomec.study.record import PROJECT
from biomec.study.study import Study
from biomec.study.task import prepared
from biomec.study.trials import StudyTrial
from biomec_app.session.context import Context
from biomec_app.session.opening import open_project, open_with_files
from biomec_app.session.project_file import analyse_imported, may_discard
from biomec_app.session.ready import ready


def open_trial(context: Context, study: Study, trial: StudyTrial, label: str) -> None:
    """Show a trial in the main window; a project of the user's own opens as such, others as recordings.

    What is changed there is kept where the user saves it: a project beside the recording, which the study offers, takes
    the place of the recording in the study. Results of the study are never overwritten from the window.
    """
    title = f"Open {label}"
    if trial.project:
        open_project(context, study.folder / trial.file)
        return
    project = study.folder_of(trial) / PROJECT
    there = project.is_file() and trial.record is not None and not trial.record.fault

    def work(progress: Progress) -> Analysis | Session:
        if there:
            session = load_project(project)
            return session if files_asked_for(session) else ready(open_again(session, progress))
        return Analysis(_imported(study, trial), study.settings)

    def show(analysis: Analysis) -> None:
        _show(context, study, trial, analysis)

    def found(loaded: Analysis | Session) -> None:
        if isinstance(loaded, Session):
            open_with_files(context, title, loaded, show)
        elif _show(context, study, trial, loaded) and not there:
            analyse_imported(context, KINEMATICS)

    context.jobs.start(title, work, found)


def _imported(study: Study, trial: StudyTrial) -> Session:
    """The recording of a trial with what the study says of it, as the batch would take it."""
    (task,) = tasks_for(study, (trial,))
    static: Path | None = study.folder / trial.static if trial.static else None
    return prepared(import_session(study.folder / trial.file, static=static), task)


def _show(context: Context, study: Study, trial: StudyTrial, analysis: Analysis) -> bool:
    if not may_discard(context):
        return False
    context.document.open(analysis)
    context.document.undo_stack.setClean()  # all of it lies in the study, nothing of the user's own is in it yet
    context.preferences.folder = (study.folder / trial.file).parent
    if context.window is not None:
        context.window.raise_()
        context.window.activateWindow()
    return True
