"""Part `published-push-up` of the command `study`: the published study made anew with virtual people."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomec.base.errors import BiomecError
from biomec.base.progress import part_of
from biomec.cli.arguments import progress_on_terminal
from biomec.cli.report import writer_for
from biomec.cli.study_arguments import count

if TYPE_CHECKING:
    from biomec.study.published import PublishedStudy

REPORTS = ("report.pdf", "report.xlsx")
TABLE = "published.csv"


def add_parts(parts: "argparse._SubParsersAction[Any]") -> None:
    """Add the parser of this module."""
    published = parts.add_parser("published-push-up",
                                 help="make the published study of push-ups anew with virtual people")  # fmt: skip
    published.set_defaults(run=_published)
    published.add_argument("out", type=Path, metavar="DIR", help="folder for recordings and results")
    for name, least, words in (("people", 12, "people"), ("trials", 1, "trials of each person and grip"),
                               ("cycles", 5, "push-ups of a trial"), ("seed", 1, "of all that is drawn")):  # fmt: skip
        published.add_argument(f"--{name}", type=count, default=least, metavar="N", help=f"{words}; default: {least}")
    published.add_argument("--rate", type=float, default=100.0, metavar="HZ", help="frames a second; default: 100")
    published.add_argument("--jobs", type=count, metavar="N", help="processes; default: one a processor")


def _published(options: argparse.Namespace) -> int:
    from biomec.base.atomic import atomic_path
    from biomec.study.batch import run_batch
    from biomec.study.comparison import compare_levels, write_comparison
    from biomec.study.crew import usual_jobs
    from biomec.study.groups import CONDITION, levels_of
    from biomec.study.published import published_study
    from biomec.study.published_numbers import GRIPS
    from biomec.study.study import open_study
    from biomec.study.tables import write_tables
    from biomec.study.virtual_push_ups import VirtualStudy, make_recordings

    wanted = VirtualStudy(options.people, options.trials, options.cycles, options.rate, options.seed)
    make_recordings(options.out, wanted, progress_on_terminal("Recording"))
    study = open_study(options.out)
    print(study.in_words, flush=True)
    report = run_batch(study, jobs=options.jobs, on_step=lambda step: print(step.sentence, flush=True))
    print(report.sentence)
    study = open_study(options.out)
    write_tables(study)
    for table in ("angles", "loads"):
        levels = levels_of(study, table, CONDITION, GRIPS)
        write_comparison(compare_levels(table, CONDITION, levels), study.results / "open and closed" / table)
    found = published_study(study, options.jobs or usual_jobs(), progress_on_terminal("Comparing"))
    with atomic_path(study.results / TABLE) as temporary:
        temporary.write_text(found.csv(), encoding="utf-8")
    written = [TABLE, *_reports(found, study.results)]
    print(f"{len(found.rows)} published numbers, each beside ours:")
    print(f"{study.results}: tables, open and closed, {', '.join(written)}")
    return 0


def _reports(found: "PublishedStudy", folder: Path) -> list[str]:
    """Write tables and figures as a report, where the desktop program is installed; the table is there without it."""
    from biomec._version import __version__
    from biomec.io.project import load_project
    from biomec.pipeline.reopen import open_again
    from biomec.study.published import published_report
    from biomec.study.record import PROJECT

    report = published_report(found, __version__)
    first = next(one for one in found.study.trials if one.counts)
    try:
        writers = [(name, *writer_for(folder / name)) for name in REPORTS]
    except BiomecError as error:
        print(f"info: The figures are not drawn. {error}")
        return []
    trials = (open_again(load_project(found.study.folder_of(first) / PROJECT)),)
    progress = progress_on_terminal("Writing")
    for k, (name, made, write) in enumerate(writers):
        write(report, folder / name, made(trials=trials), part_of(progress, k / len(writers), (k + 1) / len(writers)))
    return [name for name, _, _ in writers]
