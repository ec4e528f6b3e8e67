"""Command `report`: the clinical report of a visit, alone or compared with others, as PDF, HTML, Word or Excel."""

import argparse
import importlib
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomec.base.errors import BiomecError, FileError
from biomec.base.progress import Progress, part_of
from biomec.cli import window
from biomec.cli.arguments import Commands, progress_on_terminal, tell

if TYPE_CHECKING:
    from biomec.pipeline.settings import AnalysisSettings
    from biomec.reporting.clinical.definition import ReportDefinition
    from biomec.reporting.clinical.visit import Visit
    from biomec.reporting.norms.norm import NormSet

SOURCES = ("own", "vicon", "stored")
PAPERS = {"a4": "A4", "letter": "Letter"}
ANALYSED, MADE = 0.8, 0.85  # shares of the time


def add_commands(commands: Commands) -> None:
    """Add the parser of this module."""
    report = commands.add_parser(
        "report", help="write the clinical report of a visit, or of several compared, as PDF, HTML, Word or Excel"
    )
    report.set_defaults(run=_run)
    report.add_argument("sessions", type=Path, nargs="+", metavar="SESSION",
                        help="project, recording, or folder of a visit with its static and all trials; the first is "
                        "reported, and further ones are visits or conditions that it is compared with")  # fmt: skip
    report.add_argument("-o", "--out", type=Path, required=True, metavar="FILE",
                        help="report to write: .pdf, .html, interactive.html, .docx or .xlsx")  # fmt: skip
    report.add_argument("--compare", type=Path, action="append", default=[], metavar="SESSION",
                        help="a visit to compare with; may be repeated. All others are then pooled")  # fmt: skip
    report.add_argument("--pool", action="store_true", help="all sessions are one visit: pool their cycles")
    report.add_argument("--definition", metavar="FILE.toml", default="",
                        help="pages, laboratory, logo and norm; default: the usual report")  # fmt: skip
    report.add_argument("--norm", metavar="NAME", default="",
                        help="norm of the curves: its name, a folder with one, nearest (default) or none")  # fmt: skip
    report.add_argument("--source", choices=SOURCES, default=SOURCES[0],
                        help="own: curves of our model (default); vicon: Plug-in Gait as Vicon computes it; stored: as "
                        "the files store it")  # fmt: skip
    report.add_argument(
        "--settings", type=Path, metavar="FILE", help="settings of the analysis as JSON, for recordings"
    )
    report.add_argument("--without-name", action="store_true",
                        help="put identifier and age in the place of name and date of birth")  # fmt: skip
    report.add_argument("--paper", choices=tuple(PAPERS), help="default: as the definition says, else A4")
    report.add_argument("--template", type=Path, metavar="FILE.docx", help="Word document whose styles are taken over")
    report.add_argument("--force", action="store_true", help="overwrite the file")


def _run(options: argparse.Namespace) -> int:
    from biomec.reporting.clinical.report import clinical_report
    from biomec.reporting.clinical.visit_files import trials_in_words

    if options.out.exists() and not options.force:
        raise FileError(options.out.name, "a file of this name exists and was not overwritten.", ("overwrite", ""))
    options_of_writer, write = writer_for(options.out)
    definition, norms = _definition(options)
    progress = progress_on_terminal("Analysing")
    visits = _visits(options, part_of(progress, 0.0, ANALYSED))
    report = clinical_report(visits, definition, options.without_name, norms, options.source,
                             part_of(progress, ANALYSED, MADE))  # fmt: skip
    trials = tuple(trial.analysis for trial in visits[0].trials)
    how = options_of_writer(
        paper=definition.paper, template=options.template, trials=trials, colours=definition.colours
    )
    write(report, options.out, how, part_of(progress, MADE, 1.0))
    pages = len(report.pages)
    print(
        f"{options.out} written: {pages} page{'s' if pages != 1 else ''}, {visits[0].counts_in_words(options.source)}."
    )
    for sentence in (*trials_in_words(visits), *report.notices):
        _warn(sentence)
    for one in report.left_out:
        _warn(f'The page "{one.title}" is left out. {one.reason}', "info")
    return 0


def _visits(options: argparse.Namespace, progress: Progress | None) -> "tuple[Visit, ...]":
    """The reported visit, then those it is compared with."""
    from biomec.reporting.clinical.visit_files import opened_visit

    settings = _settings(options)
    pooled = options.pool or (bool(options.compare) and len(options.sessions) > 1)
    groups: list[list[Path]] = [options.sessions] if pooled else [[path] for path in options.sessions]
    groups += [[path] for path in options.compare]
    visits = []
    for k, group in enumerate(groups):
        part = part_of(progress, k / len(groups), (k + 1) / len(groups))
        visits.append(opened_visit(group, settings, progress=part))
    return tuple(visits)


def _settings(options: argparse.Namespace) -> "AnalysisSettings | None":
    from biomec.pipeline.settings_file import read_settings

    if options.settings is None:
        return None
    settings, notices = read_settings(options.settings)
    tell(notices)
    return settings


def _definition(options: argparse.Namespace) -> "tuple[ReportDefinition, tuple[NormSet, ...]]":
    """What the report consists of, and a norm of the user's own."""
    from biomec.reporting.clinical.definition import NEAREST, NONE, ReportDefinition, read_definition
    from biomec.reporting.norms.norm_file import read_norm_set, shipped_norms

    definition = read_definition(options.definition) if options.definition else ReportDefinition()
    if options.paper is not None:
        definition = replace(definition, paper=PAPERS[options.paper])
    norms: tuple[NormSet, ...] = ()
    if options.norm:
        folder = Path(options.norm)
        if folder.is_dir():
            norms = (read_norm_set(folder),)
            definition = replace(definition, norm=norms[0].name)
        elif options.norm in (NEAREST, NONE, *shipped_norms()):
            definition = replace(definition, norm=options.norm)
        else:
            raise BiomecError(
                f"There is no norm {options.norm}; give {NEAREST}, {NONE}, {', '.join(shipped_norms())}, or a folder "
                "that holds one."
            )
    return definition, norms


def writer_for(path: Path) -> tuple[Any, Any]:
    """Options and function that write a report; a sentence if the name or this computer does not allow it."""
    if not path.absolute().parent.is_dir():
        raise FileError(path.name, f"there is no folder {path.absolute().parent} to write it to.")
    window.without_screen()
    program = window.program()
    try:
        writers = importlib.import_module("biomec_app.figures.report.writers")
        writers.writer_of(path).writer()
        made = importlib.import_module("biomec_app.figures.report.options").ReportOptions
    except ImportError as error:
        raise BiomecError(
            f"The report cannot be written, because a part of Biomec cannot be loaded ({error}). biomec doctor says "
            "what is missing."
        ) from error
    program.application()
    return made, writers.write_report


def _warn(sentence: str, severity: str = "warning") -> None:
    print(f"{severity}: {sentence}", file=sys.stderr)
