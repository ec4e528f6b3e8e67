"""Commands about joint loads: `loads-study` of preparing a recording, `compare` two conditions, `rank` exercises."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomec.base.errors import BiomecError, FileError
from biomec.base.notices import Severity
from biomec.cli.arguments import Commands, given, options_of, progress_on_terminal, tell

if TYPE_CHECKING:
    from biomec.body.loads.load_components import LoadReading
    from biomec.pipeline.analysis import Analysis
    from biomec.reporting.tables import Table

READING = "biomec.body.loads.load_components.LoadReading"
COMPARISON = "biomec.reporting.statistics.load_comparison.ComparisonOptions"
UNITS = {"N": "none", "per-kg": "mass", "body-weight": "weight"}


def add_commands(commands: Commands) -> None:
    """Add the parsers of this module."""
    study = commands.add_parser("loads-study", help="what filtering and consistency do to the loads of a joint")
    study.set_defaults(run=_study)
    study.add_argument("file", type=Path, metavar="FILE", help="recording of a movement, or a project (.biomec)")
    study.add_argument("--joint", metavar="NAME", help="default: right glenohumeral, or the first joint there is")
    study.add_argument("--same-plates", action="store_true",
                       help="the same ground reaction in all; by default prepared like the markers")  # fmt: skip
    study.add_argument("--json", action="store_true", help="print the table for programs")

    compare = commands.add_parser("compare", help="compare the joint loads of two conditions, such as two grips")
    compare.set_defaults(run=_compare)
    compare.add_argument("first", type=Path, metavar="A", help="project (.biomec) or recording of one condition")
    compare.add_argument("second", type=Path, metavar="B", help="the other condition")
    compare.add_argument("--joint", action="append", default=[], metavar="NAME",
                         help="only this joint; may be repeated")  # fmt: skip
    for flag, field in {"--axes": "axes", "--load-method": "method", "--load-sign": "convention"}.items():
        options_of(READING)(compare, flag, "NAME", field, otherwise="that of the settings of A")
    compare.add_argument("--unit", choices=tuple(UNITS), help="default: that of the settings of A")
    for name in ("measure", "test"):
        options_of(COMPARISON)(compare, f"--{name}", "NAME", name)
    compare.add_argument("--json", action="store_true", help="print the comparison for programs")

    rank = commands.add_parser("rank", help="put exercises in order of what they ask of the joints")
    rank.set_defaults(run=_rank)
    rank.add_argument("files", type=Path, nargs="+", metavar="FILE",
                      help="projects (.biomec) or recordings, one an exercise; at least two")  # fmt: skip
    rank.add_argument("--joint", action="append", default=[], metavar="NAME",
                      help="judge by this joint; may be repeated (default: all that every exercise has)")  # fmt: skip
    rank.add_argument("--json", action="store_true", help="print the order for programs")


def _study(options: argparse.Namespace) -> int:
    from biomec.reporting.statistics.load_configurations import load_study

    analysis = opened(options.file).run_until("loads", progress_on_terminal("Analysis"))
    joints = analysis.loads.newton_euler.joints
    joint = options.joint or ("right glenohumeral" if "right glenohumeral" in joints else joints[-1])
    study = load_study(analysis, joint, progress=progress_on_terminal("Study"), plates=not options.same_plates)
    if options.json:
        facts = {
            "joint": study.joint,
            "configurations": list(study.configurations),
            "frames": int(study.counted.sum()),
            "force_difference_N": study.force_difference.tolist(),
            "torque_difference_Nm": study.torque_difference.tolist(),
            "first_cutoff_hz": study.first_cutoff_hz,
            "plates_prepared": study.plates_prepared,
        }
        print(json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False))
        return 0
    print(f"{study.joint}: mean difference of configurations, forces [N] above and moments [N m] below the diagonal")
    for k, (name, row) in enumerate(zip(study.configurations, study.table, strict=True)):
        cells = "".join("       –" if j == k else f"{value:8.2f}" for j, value in enumerate(row))
        print(f"{k + 1}{cells}   {name}")
    tell(study.notices, least=Severity.INFO)
    return 0


def _compare(options: argparse.Namespace) -> int:
    from biomec.base.fields import with_values
    from biomec.reporting.statistics.load_comparison import ComparisonOptions, compare_conditions
    from biomec.reporting.statistics.load_condition import loads_over_cycles

    analyses = _computed((options.first, options.second))
    reading = next(iter(analyses.values())).settings.load_reading
    reading = with_values(reading, given(options, READING))
    if options.unit:
        reading = replace(reading, normalisation=UNITS[options.unit])
    conditions = [loads_over_cycles(analysis, title, reading, options.joint) for title, analysis in analyses.items()]
    settings = with_values(ComparisonOptions(), given(options, COMPARISON))
    found = compare_conditions(conditions[0], conditions[1], settings)
    if options.json:
        print(json.dumps(_plain(found, reading), indent=2, ensure_ascii=False, allow_nan=False))
        return 0
    print(f"Joint loads: {reading.words}")
    print_table(found.table())
    tell(found.notices, least=Severity.INFO)
    return 0


def _rank(options: argparse.Namespace) -> int:
    from biomec.reporting.statistics.load_condition import exercise_of
    from biomec.reporting.statistics.load_ranking import rank_exercises

    if len(options.files) < 2:
        raise BiomecError("An order takes at least two exercises: name two files or more.")
    analyses = _computed(options.files)
    exercises = [exercise_of(analysis, title) for title, analysis in analyses.items()]
    found = rank_exercises(exercises, options.joint or None)
    if options.json:
        facts = {
            "joints": list(found.joints),
            "order": {reading: list(found.order(reading)) for reading in ("patient", "athlete")},
            "exercises": {
                one.title: {"burden": burden, "working": working, "cycles": one.cycles}
                for one, burden, working in zip(
                    found.exercises, found.burden.tolist(), found.working.tolist(), strict=True
                )
            },
        }
        print(json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False))
        return 0
    print(f"Joint loads: {next(iter(analyses.values())).settings.load_reading.method}, internal")
    print("\n".join(found.sentences))
    print_table(found.table())
    print_table(found.joint_table())
    return 0


def _computed(paths: Sequence[Path]) -> dict[str, "Analysis"]:
    """Recordings with their loads, by their titles; their warnings are printed."""
    from biomec.reporting.statistics.load_condition import refuse_unlike

    found = {title: opened(path) for title, path in _titled(paths).items()}  # unreadable files are reported first
    for title, analysis in found.items():
        found[title] = analysis.run_until("loads", progress_on_terminal(title))
        tell(found[title].loads.notices)
    refuse_unlike(found)
    return found


def _titled(paths: Sequence[Path]) -> dict[str, Path]:
    """Files by their names, with as many folders before them as it takes to tell them apart."""
    whole = [path.resolve() for path in paths]
    twice = [path for k, path in enumerate(whole) if path in whole[:k]]
    if twice:
        raise FileError(twice[0].name, "it was given twice; give each recording once.")
    deepest = max(len(path.parts) for path in whole)
    for count in range(1, deepest + 1):
        titles = ["/".join(path.parts[-count:]) for path in whole]
        if len(set(titles)) == len(titles):
            break
    return dict(zip(titles, paths, strict=True))


def _plain(found: Any, reading: "LoadReading") -> dict[str, Any]:
    """A comparison as plain data."""
    from biomec.reporting.tables import plain_number

    first, second = found.first, found.second
    return {
        "first": {"title": first.title, "repetitions": len(first)},
        "second": {"title": second.title, "repetitions": len(second)},
        "method": reading.method,
        "axes": reading.axes,
        "sign": reading.convention,
        "measure": found.options.measure,
        "test": found.options.test_name,
        "loads": {
            name: {
                "unit": first.units[c],
                "mean": [plain_number(x) for x in found.mean[c]],
                "sd": [plain_number(x) for x in found.sd[c]],
                "n": [int(x) for x in found.n[c]],
                "p": plain_number(found.p[c]),
                "p_holm": plain_number(found.p_holm[c]),
                "effect": plain_number(found.effect[c]),
                "pearson_r": plain_number(found.pearson[c]),
            }
            for c, name in enumerate(found.names)
        },
        "notices": [notice.sentence for notice in found.notices],
    }


def print_table(table: "Table") -> None:
    """Print a table in columns."""
    rows = [table.columns, *table.rows]
    widths = [max(len(row[k]) for row in rows) for k in range(len(table.columns))]
    if table.caption:
        print(table.caption)
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        print("  ".join(cells))
    if table.note:
        print(table.note)


def opened(path: Path) -> "Analysis":
    """A project with its stored settings, or a recording with the files that belong to it; nothing has run yet."""
    from biomec.io.project import load_project
    from biomec.io.registry import PROJECT, find_format
    from biomec.io.session_import import import_session
    from biomec.pipeline.analysis import Analysis
    from biomec.pipeline.reopen import reopened

    if not path.exists():
        raise FileError(path.name, "there is no such file.")
    if find_format(path)[0].name == PROJECT:
        return reopened(load_project(path)).analysis
    return Analysis(import_session(path))
