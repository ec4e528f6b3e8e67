"""What a study window writes: tables, a study to give away, the report; each in the background."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from biomec.base.errors import BiomecError
from biomec.base.progress import Progress, part_of
from biomec.reporting.statistics.load_comparison import ComparisonOptions
from biomec.study.export import export_study
from biomec.study.report import StudyReportOptions, study_report
from biomec.study.tables import write_tables
from biomec_app.figures.report.options import ReportOptions
from biomec_app.figures.report.study_kinds import STUDY_KINDS, refuse_other_kinds

if TYPE_CHECKING:
    from biomec_app.features.study.window import StudyWindow

FIRST = ".pdf"
TABLES_ONLY, WITH_PROJECTS = "Tables only", "Tables and projects"
TOLD = "Codes stand for people; a movement may still tell who moves."
MADE = 0.4  # share of the time in which a report is put together


def export_menu(window: StudyWindow) -> QMenu:
    """What can be written besides the report."""
    menu = QMenu(window)
    menu.setToolTipsVisible(True)
    tables = menu.addAction("&Tables of All Trials")
    tables.setToolTip("Write the tables among the results anew, as after a run")
    tables.triggered.connect(lambda _=False: write_all_tables(window))
    give = menu.addAction("&Give Away Without Names…")
    give.setToolTip("Tables and projects in which codes stand for people, in a new folder")
    give.triggered.connect(lambda _=False: give_away(window))
    return menu


def write_all_tables(window: StudyWindow) -> None:
    """Write the tables of all trials among the results."""
    study = window.study
    if study is not None and not window.work.busy:
        title = "Write tables"
        show = window.context.user.show_written
        window.work.start(title, lambda progress: write_tables(study), lambda files: show(title, files, ()))


def give_away(window: StudyWindow) -> None:
    """Write a study without names into a new folder."""
    study, context = window.study, window.context
    if study is None or window.work.busy:
        return
    folder = context.user.ask_folder("New, empty folder for the study without names", context.preferences.folder)
    if folder is None:
        return
    question = "Tables hold numbers only. Projects hold the movements, without names, days and names of files."
    answer = context.user.confirm("Give the study away", question, (TABLES_ONLY, WITH_PROJECTS))
    if answer is None:
        return
    title, projects = f"Give away to {folder.name}", answer == WITH_PROJECTS

    def work(progress: Progress) -> tuple[Path, ...]:
        return export_study(study, folder, projects=projects, progress=progress)

    window.work.start(title, work, lambda files: context.user.show_written(title, files, (TOLD,)))


def ask_report(window: StudyWindow) -> None:
    """Ask where the report shall be, and write it."""
    study, context = window.study, window.context
    if study is None:
        return
    kinds = ";;".join(f"{kind.title} (*{end})" for end, kind in STUDY_KINDS.items())
    start = str(Path(context.preferences.folder or study.folder) / f"{study.description.name} report{FIRST}")
    path = context.user.ask_file("Save the Report of the Study", kinds, True, start)
    if path is not None:
        try:
            save_report(window, path if path.suffix else path.with_name(path.name + FIRST))
        except BiomecError as error:
            window.wrong.say(str(error))


def save_report(window: StudyWindow, path: Path) -> None:
    """Write the report of what is compared on the page Compare to a file of the kind that its name ends with."""
    study, choice = window.study, window.groups.choice
    if study is None:
        return
    refuse_other_kinds(path)
    options = StudyReportOptions(
        tables=(choice.table,) if choice is not None else (),
        by=choice.by if choice is not None else "",
        words=choice.words if choice is not None else (),
        how=choice.how if choice is not None else ComparisonOptions(),
    )
    title = f"Report {path.name}"

    def work(progress: Progress) -> tuple[str, ...]:
        from biomec_app.figures.report.writers import write_report  # drawing takes a while to load

        report = study_report(study, options, part_of(progress, 0.0, MADE))
        write_report(report, path, ReportOptions(), part_of(progress, MADE, 1.0))
        return tuple(f"{one.title} is left out. {one.reason}" for one in report.left_out)

    show = window.context.user.show_written
    window.work.start(title, work, lambda remarks: show(title, (path,), remarks))
