"""Parts `published-push-up` and `published-gait` of the command `study`: published studies made anew."""

import argparse
import sys
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
    """Add the parsers of this module."""
    published = parts.add_parser("published-push-up",
                                 help="make the published study of push-ups anew with virtual people")  # fmt: skip
    published.set_defaults(run=_published)
    published.add_argument("out", type=Path, metavar="DIR", help="folder for recordings and results")
    for name, least, words in (("people", 12, "people"), ("trials", 1, "trials of each person and grip"),
                               ("cycles", 5, "push-ups of a trial"), ("seed", 1, "of all that is drawn")):  # fmt: skip
        published.add_argument(f"--{name}", type=count, default=least, metavar="N", help=f"{words}; default: {least}")
    published.add_argument("--rate", type=float, default=100.0, metavar="HZ", help="frames a second; default: 100")
    published.add_argument("--jobs", type=count, metavar="N", help="processes; default: one a processor")

    gait = parts.add_parser("published-gait", help="reproduce the published table of tracked gait with virtual people")
    gait.set_defaults(run=_published_gait)
    gait.add_argument(
        "--rows", nargs="+", default=[], metavar="ROW", help="only these rows, such as S14 S20; default: all"
    )
    gait.add_argument("--stretch", type=float, metavar="S", help="simulated seconds of every walk; default: one stride")
    gait.add_argument(
        "--step", type=float, default=1.0, metavar="MS", help="step of the integrator in milliseconds; default: 1"
    )
    gait.add_argument("--out", type=Path, metavar="DIR", help="write published_gait.csv and .json into this folder")
    gait.add_argument("--json", action="store_true", help="print JSON")


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


def _published_gait(options: argparse.Namespace) -> int:
    from biomec.base.together import replaced_together
    from biomec.study.published_gait import GaitStudy, device_csv, gait_csv, gait_json, gait_words, published_gait

    wanted = GaitStudy(options.stretch, 1e-3 * options.step)
    found = published_gait(wanted, options.rows, progress_on_terminal("Simulating"))
    files = {"published_gait.csv": gait_csv(found), "published_gait.json": gait_json(found, wanted)}
    files |= {f"published_gait_{one.key}.csv": device_csv(one) for one in found if one.device_names}
    print(files["published_gait.json"] if options.json else gait_words(found), end="" if options.json else "\n")
    if options.out is not None:
        with replaced_together(options.out, "published_gait.json", tuple(files)) as stage:
            for name, text in files.items():
                (stage / name).write_text(text, encoding="utf-8")
        print(f"{options.out}: {', '.join(files)}", file=sys.stderr)
    return 0
