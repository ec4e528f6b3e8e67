"""The command `mechanism`: ask something of a machine that comes with Biomec, or of one in a file."""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biomec.base.errors import BiomecError
from biomec.cli import INTERRUPTED
from biomec.cli.arguments import Commands, progress_on_terminal

if TYPE_CHECKING:
    from biomec.machines.machine import Machine
    from biomec.machines.study import Run, Study

WIDTH = 22  # characters of a column of names


def add_commands(commands: Commands) -> None:
    """Add the parser of this module."""
    parser = commands.add_parser(
        "mechanism", help="kinematics, forces, motion, equations and optimal control of a machine"
    )
    parser.set_defaults(run=_mechanism)
    parser.add_argument(
        "machine", nargs="?", metavar="NAME|FILE", help="machine that comes with Biomec, or a TOML file"
    )
    parser.add_argument("--list", action="store_true",
                        help="all machines; of a machine its analyses, presets and parameters")  # fmt: skip
    parser.add_argument("--analysis", metavar="KEY", help="default: that of the preset, or of the machine")
    parser.add_argument("--preset", metavar="NAME", help="set of parameters and options that the machine file names")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=NUMBER", dest="values",
                        help="value of a parameter, such as L1=0.6; may be repeated")  # fmt: skip
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", dest="options",
                        help="option of the analysis, NAME= empties a text; may be repeated")  # fmt: skip
    parser.add_argument("--torques", type=Path, metavar="FILE",
                        help="table (CSV) of the torques of motors over time, such as torques.csv of optimal control; "
                        "the motors are given them")  # fmt: skip
    parser.add_argument("--compare", type=Path, metavar="FILE",
                        help="table (CSV) of another program or of another run (curves.csv): differences of what "
                        "both have")  # fmt: skip
    parser.add_argument("--out", type=Path, metavar="DIR",
                        help="folder for curves.csv, figures.json, report.txt, machine.toml and what else the analysis "
                        "writes, such as equations")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print the headline figures for programs")
    parser.add_argument("--force", action="store_true", help="overwrite files in DIR")


def _mechanism(options: argparse.Namespace) -> int:
    from biomec.machines.columns import read_columns
    from biomec.machines.comparison import table_run, with_differences
    from biomec.machines.machine import load_machine
    from biomec.machines.output import refuse_existing, write_run
    from biomec.machines.studies import study as study_of
    from biomec.machines.study import options_from

    if options.machine is None:
        if options.list:
            return _list_machines(options.json)
        raise BiomecError("Which machine? Name one, or a file; --list shows those that come with Biomec.")
    machine = load_machine(options.machine)
    if options.list:
        return _list(machine, options.json)
    given: dict[str, Any] = {}
    key = machine.analysis
    if options.preset is not None:
        machine, preset = machine.with_preset(options.preset)
        key = preset.analysis or key
        if options.analysis in (None, key):
            given.update(preset.options)
    machine = machine.with_values({name: _number(name, text) for name, text in _pairs(options.values, "--set")})
    if options.torques is not None:
        machine = machine.with_torques(read_columns(options.torques))
    study = study_of(options.analysis or key)
    given.update(_pairs(options.options, "--option", empty=True))
    chosen = options_from(study, given)
    reason = study.refusal(machine)
    if reason is not None:
        raise BiomecError(f"{study.title} of {machine.name}: {reason}")
    if options.out is not None:
        refuse_existing(options.out, overwrite=options.force)
    try:
        other = None if options.compare is None else read_columns(options.compare)
        run = study.run(machine, chosen, progress_on_terminal(study.title))
        if other is not None:
            run = with_differences(run, table_run(other, run), other.source)
    except KeyboardInterrupt:
        print(f"{study.title}: stopped, nothing was written.", file=sys.stderr)
        return INTERRUPTED
    written = [] if options.out is None else write_run(run, options.out, overwrite=options.force)
    _report(run, options.json, written)
    return 0 if run.succeeded else 1


def _report(run: "Run", as_json: bool, written: list[Path]) -> None:
    """Print the headline figures: for programs nothing else, for people also how it ended and what was noticed."""
    from biomec.machines.output import headline, number_text

    if as_json:
        print(json.dumps(headline(run), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        print(f"{run.machine.title}: {run.title}")
        print(f"Status: {run.status}")
        for key, value in run.figures.items():
            print(f"  {key:32s} {number_text(value)}")
        if run.text:
            print(f"\n{run.text}")
        for path in written:
            print(path)
    for sentence in (*run.notices, *(() if run.succeeded else (f"{run.title}: {run.status}",))):
        print(sentence, file=sys.stderr)


# ------------------------------------------------------------------------------------------------------------- listing


def _list_machines(as_json: bool) -> int:
    from biomec.machines.machine import load_machine, machine_names

    machines = {name: load_machine(name) for name in machine_names()}
    if as_json:
        print(json.dumps({name: one.title for name, one in machines.items()}, indent=2, ensure_ascii=False))
        return 0
    for name, one in machines.items():
        print(f"{name:{WIDTH}s} {one.title}")
    return 0


def _list(machine: "Machine", as_json: bool) -> int:
    from biomec.machines.studies import studies

    if as_json:
        print(json.dumps(_facts(machine), indent=2, ensure_ascii=False, allow_nan=False))
        return 0
    print(f"{machine.name}: {machine.title}")
    if machine.about:
        print(machine.about)
    print("\nAnalyses")
    for study in studies():
        reason = study.refusal(machine)
        mark = "*" if study.key == machine.analysis else " "
        words = study.title if reason is None else f"cannot run. {reason[:1].upper()}{reason[1:]}"
        print(f"{mark} {study.key:{WIDTH - 2}s} {words}")
        if reason is None:
            for name, meaning in _options(study).items():
                print(f"    {name:{WIDTH - 4}s} {meaning}")
    if machine.blueprint.presets:
        print("\nPresets")
        for preset in machine.blueprint.presets.values():
            print(f"  {preset.name:{WIDTH - 2}s} {preset.title} ({preset.analysis or machine.analysis})")
    if machine.blueprint.parameters:
        print("\nParameters")
        for name, one in machine.blueprint.parameters.items():
            value = f"{machine.values[name]:g} {one.unit}".strip()
            print(f"  {name:{WIDTH - 2}s} {value:18s} {one.minimum:g} … {one.maximum:g}   {one.about}".rstrip())
    return 0


def _options(study: "Study") -> dict[str, str]:
    """Name of an option -> its default, unit, choices and meaning in words."""
    from biomec.base.field_texts import option_help
    from biomec.base.fields import entries

    return {entry.name: option_help(entry) for entry in entries(study.options())}


def _facts(machine: "Machine") -> dict[str, Any]:
    """What can be asked of a machine, as plain data."""
    from biomec.machines.output import plain
    from biomec.machines.studies import studies

    return {
        "machine": machine.name,
        "title": machine.title,
        "analysis": machine.analysis,
        "analyses": {
            study.key: {"title": study.title, "refusal": study.refusal(machine), "options": _options(study)}
            for study in studies()
        },
        "presets": {name: one.title for name, one in machine.blueprint.presets.items()},
        "parameters": {
            name: {
                "value": plain(machine.values[name]),
                "unit": one.unit,
                "about": one.about,
                "minimum": plain(one.minimum),
                "maximum": plain(one.maximum),
            }
            for name, one in machine.blueprint.parameters.items()
        },
    }


# ----------------------------------------------------------------------------------------------------------- arguments


def _pairs(texts: list[str], option: str, empty: bool = False) -> list[tuple[str, str]]:
    """Names and values of an option; a value may be ``empty`` where that means something."""
    pairs = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name.strip() and equals and (value.strip() or empty)):
            raise BiomecError(f"{option} {text}: write it as {option} NAME=VALUE, without blanks.")
        pairs.append((name.strip(), value.strip()))
    return pairs


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BiomecError(f"--set {name}={text}: {text} is not a number.") from None
