"""Commands `study` and `batch`: many people and trials."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.cli.arguments import Commands, progress_on_terminal

if TYPE_CHECKING:
    from biomec.study.study import Study

STUDY = "folder with recordings of many people, or its study.toml"
QUIET = ("not a recording", "static", "plates or EMG")  # kinds of files that nobody takes for a trial
MOST_SEEN = 3  # files that a sentence names


def add_commands(commands: Commands) -> None:
    """Add the parsers of this module."""
    batch = commands.add_parser("batch", help="analyse all trials of a study that lack results")
    batch.set_defaults(run=_batch)
    _study(batch)
    batch.add_argument("--jobs", type=_count, metavar="N", help="processes of this computer; default: one a processor")
    batch.add_argument("--scheduler", default="", metavar="ADDRESS",
                       help="let workers of this dask scheduler do it, such as tcp://node01:8786")  # fmt: skip
    batch.add_argument("--resume", action="store_true", help="go on, without trying again what failed before")
    batch.add_argument("--only", nargs="+", default=[], metavar="WORD",
                       help="only trials with all these words in code, session, condition, file or state")  # fmt: skip
    batch.add_argument("--parquet", action="store_true", help="write the tables as Parquet too")

    study = commands.add_parser("study", help="list the trials of a study, take some out, write its tables")
    parts = study.add_subparsers(dest="part", metavar="PART", required=True)

    show = parts.add_parser("show", help="list trials with their state, and what other files are")
    show.set_defaults(run=_show)
    _study(show)
    show.add_argument("words", nargs="*", metavar="WORD", help="only trials with all these words")
    show.add_argument("--files", action="store_true", help="list every file that is not a trial, too")

    for name, words in (("exclude", "let a trial, or one of its cycles, not count"), ("include", "let it count again")):
        part = parts.add_parser(name, help=words)
        part.set_defaults(run=_decide, part=name)
        _study(part)
        part.add_argument("trial", metavar="TRIAL", help="file of the trial, or its id")
        part.add_argument("--cycle", type=_cycle, metavar="SIDE:FRAME",
                          help="only the cycle that begins there, such as right:120")  # fmt: skip
        if name == "exclude":
            part.add_argument("--reason", required=True, metavar="TEXT", help="why; tables and reports give it")

    tables = parts.add_parser("tables", help="write the tables of all trials that are done; without names and dates")
    tables.set_defaults(run=_tables)
    _study(tables)
    tables.add_argument("--out", type=Path, metavar="DIR", help="default: tables among the results")
    tables.add_argument("--parquet", action="store_true", help="write Parquet files beside the CSV files")

    export = parts.add_parser("export", help="write a study to give away: tables, and projects without names")
    export.set_defaults(run=_export)
    _study(export)
    export.add_argument("out", type=Path, metavar="DIR", help="new folder")
    export.add_argument("--projects", action="store_true", help="write the projects of the trials, too")
    export.add_argument("--parquet", action="store_true", help="write Parquet files beside the CSV files")
    export.add_argument("--take-out", action="append", default=[], metavar="WORD",
                        help="a further word to be taken out of the projects; may be repeated")  # fmt: skip

    compare = parts.add_parser("compare", help="compare conditions, visits or groups over people")
    compare.set_defaults(run=_compare)
    _study(compare)
    _curves(compare)
    compare.add_argument("--by", choices=("condition", "visit", "group"), default="condition",
                         help="what is compared; default: %(default)s")  # fmt: skip
    compare.add_argument("--levels", nargs="+", default=[], metavar="NAME", help="these, in this order; default: all")
    compare.add_argument("--test", choices=("t", "rank"), default="t", help="of the measure; default: %(default)s")
    compare.add_argument("--alpha", type=float, default=0.05, metavar="A", help="default: %(default)s")
    compare.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for the tables")

    repeat = parts.add_parser("repeat", help="say how well numbers repeat from visit to visit: ICC, SEM, MDC")
    repeat.set_defaults(run=_repeat)
    _study(repeat)
    _curves(repeat)
    repeat.add_argument("--out", type=Path, required=True, metavar="FILE.csv", help="table to write")

    published = parts.add_parser("published-push-up",
                                 help="make the published study of push-ups anew with virtual people")  # fmt: skip
    published.set_defaults(run=_published)
    published.add_argument("out", type=Path, metavar="DIR", help="folder for recordings and results")
    for name, least, words in (("people", 12, "people"), ("trials", 1, "trials of each person and grip"),
                               ("cycles", 5, "push-ups of a trial"), ("seed", 1, "of all that is drawn")):  # fmt: skip
        published.add_argument(f"--{name}", type=_count, default=least, metavar="N", help=f"{words}; default: {least}")
    published.add_argument("--rate", type=float, default=100.0, metavar="HZ", help="frames a second; default: 100")
    published.add_argument("--jobs", type=_count, metavar="N", help="processes; default: one a processor")

    gait = parts.add_parser("published-gait", help="make the published table of tracked gait anew with virtual people")
    gait.set_defaults(run=_published_gait)
    gait.add_argument("--rows", nargs="+", default=[], metavar="ROW", help="only these, such as S14 S20; default: all")
    gait.add_argument("--stretch", type=float, metavar="S", help="seconds of every walk; default: one stride")
    gait.add_argument("--step", type=float, default=1.0, metavar="MS", help="of the integrator; default: 1 ms")
    gait.add_argument("--out", type=Path, metavar="DIR", help="write published_gait.csv and .json into this folder")
    gait.add_argument("--json", action="store_true", help="print JSON")


def _curves(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--table", choices=("angles", "loads", "muscles", "contacts"), default="angles",
                        help="default: %(default)s")  # fmt: skip
    parser.add_argument("--curves", nargs="+", default=[], metavar="WORD",
                        help="only curves with one of these in their names")  # fmt: skip
    parser.add_argument("--measure", choices=("peak", "highest", "lowest", "mean", "rms", "impulse"), default="peak",
                        help="of every cycle; default: %(default)s")  # fmt: skip


def _study(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("study", type=Path, metavar="STUDY", help=STUDY)
    parser.add_argument("--results", type=Path, metavar="DIR",
                        help="folder for index, projects and tables; default: biomec-study in the folder")  # fmt: skip


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1024:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of processes from 1 to 1024")
    return int(text)


def _cycle(text: str) -> tuple[str, int]:
    side, _, frame = text.partition(":")
    if side not in ("right", "left", "both") or not frame.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a cycle such as right:120 or both:1")
    return side, int(frame)


def _opened(options: argparse.Namespace, progress: Progress | None = None) -> "Study":
    from biomec.study.study import open_study

    study = open_study(options.study, options.results, progress or progress_on_terminal("Looking"))
    for sentence in study.sentences:
        print(f"warning: {sentence}", file=sys.stderr)
    return study


def _batch(options: argparse.Namespace) -> int:
    from biomec.study.batch import run_batch, tasks_of
    from biomec.study.tables import parquet_writer, write_tables

    if options.parquet:
        parquet_writer()  # a sentence now rather than after the work
    study = _opened(options)
    if not study.trials:
        raise BiomecError(_without_trials(study))
    print(study.in_words)
    _print_left_out(study)
    waiting = len(tasks_of(study, options.resume, options.only))
    trials = "1 trial" if waiting == 1 else f"{waiting} trials"
    print(f"{trials} to analyse." if waiting else "Nothing to analyse.", flush=True)
    report = run_batch(
        study, jobs=options.jobs, scheduler=options.scheduler, resume=options.resume, only=options.only,
        on_step=lambda step: print(step.sentence, flush=True), say=lambda words: print(words, file=sys.stderr),
    )  # fmt: skip
    for sentence in report.unwritten:
        print(f"warning: {sentence}", file=sys.stderr)
    options.study = study.description.folder if options.study.is_dir() else options.study
    study = _opened(options)
    written = write_tables(study, parquet=options.parquet)
    if waiting:
        print(report.sentence)
    print(study.in_words)
    print(f"{written[0].parent}: {', '.join(path.name for path in written)}")
    return 1 if report.unwritten else 0


def _show(options: argparse.Namespace) -> int:
    study = _opened(options)
    print(study.in_words)
    for one in study.filtered(" ".join(options.words)):
        head = one.headline
        facts = [str(one.state)]
        if one.record is not None and not one.record.fault:
            facts.append(f"{head.cycles} of {head.cycles_found} cycles")
            facts += [f"loads {head.loads}"] if head.loads else []
        facts += [one.reason] if one.reason else []
        print(f"{one.id}  {one.label}: {', '.join(facts)}  ({one.file})")
        for note in one.notes:
            print(f"    {note}")
    _print_left_out(study, every=options.files)
    return 0


def _print_left_out(study: "Study", every: bool = False) -> None:
    """List files that are not a trial though they might be expected to be; or every one, with what it is."""
    for path, file in sorted(study.files.items(), key=lambda item: item[1].kind):
        if every or file.kind not in QUIET:
            print(f"{path}: {file.kind}. {file.reason}".rstrip(" ."))


def _without_trials(study: "Study") -> str:
    """Why there is nothing to analyse, and what was seen instead."""
    seen = [f"{path} ({file.reason or file.kind})".replace(".)", ")") for path, file in sorted(study.files.items())
            if file.kind not in QUIET]  # fmt: skip
    folder = study.description.folder
    if seen:
        more = f" and {len(seen) - MOST_SEEN} more" if len(seen) > MOST_SEEN else ""
        return f"{folder}: no recording of a movement can be used here: {'; '.join(seen[:MOST_SEEN])}{more}."
    return f"{folder}: no recording of a movement was found. Choose the folder that holds the folders of the people."


def _decide(options: argparse.Namespace) -> int:
    from biomec.study.decisions import decide

    study = _opened(options)
    trial = study.named(options.trial)
    reason = options.reason if options.part == "exclude" else ""
    if options.part == "exclude" and not reason.strip():
        print("Say why: tables and reports give the reason.", file=sys.stderr)
        return 1
    decide(study.results, trial.id, reason, options.cycle)
    what = (
        trial.label
        if options.cycle is None
        else f"{trial.label}, {options.cycle[0]} cycle from frame {options.cycle[1]}"
    )
    print(f"{what}: {'no longer counts' if reason else 'counts'}.")
    return 0


def _tables(options: argparse.Namespace) -> int:
    from biomec.study.tables import write_tables

    study = _opened(options)
    written = write_tables(study, options.out, options.parquet)
    print(f"{written[0].parent}: {', '.join(path.name for path in written)}")
    return 0


def _export(options: argparse.Namespace) -> int:
    from biomec.study.export import export_study

    study = _opened(options)
    written = export_study(study, options.out, projects=options.projects, parquet=options.parquet,
                           also=options.take_out, progress=progress_on_terminal("Writing"))  # fmt: skip
    projects = sum(path.suffix == ".biomec" for path in written)
    print(f"{options.out}: {len(written) - projects} tables and files about them, {projects} projects.")
    print("Codes stand for people; a movement may still tell who moves.")
    return 0


def _compare(options: argparse.Namespace) -> int:
    from biomec.reporting.statistics.load_comparison import ComparisonOptions
    from biomec.study.comparison import compare_levels, methods_in_words, write_comparison
    from biomec.study.groups import levels_of

    study = _opened(options)
    how = ComparisonOptions(measure=options.measure, test=options.test, alpha=options.alpha)
    levels = levels_of(study, options.table, options.by, options.levels, options.curves)
    found = compare_levels(options.table, options.by, levels, how)
    for sentence in methods_in_words(found):
        print(sentence)
    written = write_comparison(found, options.out)
    print(f"{options.out}: {', '.join(path.name for path in written)}")
    return 0


def _repeat(options: argparse.Namespace) -> int:
    from biomec.study.groups import VISIT, levels_of
    from biomec.study.repeatability import study_reliability, write_reliability

    study = _opened(options)
    found = study_reliability(levels_of(study, options.table, VISIT, words=options.curves), options.measure)
    write_reliability(found, options.out)
    print(found.sentence)
    print(f"{options.out} written: {sum(one is not None for one in found.curves)} curves.")
    return 0


def _published(options: argparse.Namespace) -> int:
    from biomec.base.atomic import atomic_path
    from biomec.study.batch import run_batch
    from biomec.study.comparison import compare_levels, write_comparison
    from biomec.study.groups import CONDITION, levels_of
    from biomec.study.published import CLOSED, OPEN, VirtualStudy, make_recordings, published_csv
    from biomec.study.study import open_study
    from biomec.study.tables import write_tables

    wanted = VirtualStudy(options.people, options.trials, options.cycles, options.rate, options.seed)
    make_recordings(options.out, wanted, progress_on_terminal("Recording"))
    study = open_study(options.out)
    print(study.in_words, flush=True)
    report = run_batch(study, jobs=options.jobs, on_step=lambda step: print(step.sentence, flush=True))
    print(report.sentence)
    study = open_study(options.out)
    write_tables(study)
    for table in ("angles", "loads"):
        levels = levels_of(study, table, CONDITION, (OPEN, CLOSED))
        write_comparison(compare_levels(table, CONDITION, levels), study.results / "open and closed" / table)
    text = published_csv(study)
    with atomic_path(study.results / "published.csv") as temporary:
        temporary.write_text(text, encoding="utf-8")
    print(text.replace(",", "  "))
    print(f"{study.results}: tables, open and closed, published.csv")
    return 0


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
