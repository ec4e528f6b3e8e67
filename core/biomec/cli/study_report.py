"""Parts `open` and `report` of the command `study`: the table of trials in the window, and the report of the study."""

import argparse
import importlib
from pathlib import Path
from typing import Any

from biomec.base.errors import BiomecError, FileError
from biomec.base.progress import part_of
from biomec.cli import window
from biomec.cli.arguments import progress_on_terminal
from biomec.cli.report import PAPERS, writer_for
from biomec.cli.study_arguments import add_comparison, add_curve_words, add_study, opened

MADE = 0.4  # share of the time in which the report is put together; the rest writes it


def add_parts(parts: "argparse._SubParsersAction[Any]") -> None:
    """Add the parsers of this module."""
    show = parts.add_parser("open", help="show the trials in a window: filter, run, compare, exclude")
    show.set_defaults(run=_open)
    add_study(show)

    report = parts.add_parser("report", help="write the report of a study as PDF, HTML, Word or Excel")
    report.set_defaults(run=_report)
    add_study(report)
    report.add_argument("-o", "--out", type=Path, required=True, metavar="FILE",
                        help="report to write: .pdf, .html, .docx or .xlsx")  # fmt: skip
    report.add_argument("--tables", nargs="+", default=[], choices=("angles", "loads", "muscles", "contacts"),
                        help="what is shown and compared; default: angles and loads")  # fmt: skip
    add_curve_words(report)
    add_comparison(report, by="")
    report.add_argument("--paper", choices=tuple(PAPERS), default="a4", help="default: %(default)s")
    report.add_argument("--force", action="store_true", help="overwrite the file")


def _open(options: argparse.Namespace) -> int:
    if not options.study.exists():
        raise BiomecError(f"{options.study}: there is no such folder.")
    if not window.has_screen():
        raise BiomecError("There is no screen to show the window on. `biomec study show` lists the trials here.")
    return int(window.program().run(study=options.study, results=options.results))


def _report(options: argparse.Namespace) -> int:
    from biomec.reporting.statistics.load_comparison import ComparisonOptions
    from biomec.study.report import StudyReportOptions, study_report

    if options.out.exists() and not options.force:
        raise FileError(options.out.name, "a file of this name exists and was not overwritten.", ("overwrite", ""))
    made, write = writer_for(options.out)
    check = importlib.import_module("biomec_app.figures.report.study_kinds").refuse_other_kinds
    check(options.out)
    study = opened(options)
    progress = progress_on_terminal("Writing")
    how = ComparisonOptions(measure=options.measure, test=options.test, alpha=options.alpha)
    wanted = StudyReportOptions(tuple(options.tables), options.by, tuple(options.levels), tuple(options.curves), how)
    report = study_report(study, wanted, part_of(progress, 0.0, MADE))
    write(report, options.out, made(paper=PAPERS[options.paper]), part_of(progress, MADE, 1.0))
    print(f"{options.out} written: {len(report.pages)} pages. {study.in_words}")
    for one in report.left_out:
        print(f'info: The page "{one.title}" is left out. {one.reason}')
    return 0
