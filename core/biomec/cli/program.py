"""Arguments of the command `biomec`, and what becomes of errors."""

import argparse
import io
import os
import sys
from collections.abc import Sequence

from biomec._version import __version__
from biomec.base.errors import BiomecError
from biomec.cli import (
    aids,
    analysis,
    consistent,
    loads,
    mechanism,
    muscles,
    norms,
    recordings,
    report,
    simulate,
    study,
    window,
)
from biomec.cli.arguments import Commands, with_directions

OPTIONS = {"model": ("--model", "NAME"), "static": ("--static", "FILE"), "overwrite": ("--force", "")}
"""What an error advises -> the option, and the name of its value."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 when all went well."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a file may have a name that this terminal cannot show
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser, commands = _parser()
    if not given and not window.has_screen():
        parser.print_help()
        return 0
    try:
        if window.asked_for(given, commands):
            return window.open_window(given)
        options = parser.parse_args(with_directions(given))
        code = int(options.run(options))
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader of a pipe, such as `head`, has seen enough; nothing more can be written there
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError:
        print("There is not enough free memory. Close other programs, or take a shorter recording.", file=sys.stderr)
        return 1
    except BiomecError as error:  # its message is a sentence for the user; any other error is ours to repair
        print(f"{error}{_option(error)}", file=sys.stderr)
        return 1


def _option(error: BiomecError) -> str:
    """The option that does what an error advises, in brackets."""
    if error.remedy is None:
        return ""
    advice, value = error.remedy
    option, usual = OPTIONS[advice]
    return f" ({' '.join(filter(None, (option, value or usual)))})"


def _parser() -> tuple[argparse.ArgumentParser, tuple[str, ...]]:
    """Parser of all commands, and their names."""
    parser = argparse.ArgumentParser(
        prog="biomec",
        description="Whole-body biomechanics from motion capture. Without a command the window opens; biomec FILE "
        "opens it on a recording or a project, and biomec --screenshot OUT.png [FILE] draws it into a picture. "
        "With --no-extensions your own functions are not loaded; a picture loads them only with --extensions.",
    )
    parser.add_argument("--version", action="version", version=f"biomec {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for module in (analysis, loads, aids, consistent, muscles, simulate, mechanism, recordings, norms, report, study):
        module.add_commands(commands)
    _add_doctor(commands)
    return parser, tuple(commands.choices)


def _add_doctor(commands: Commands) -> None:
    doctor = commands.add_parser("doctor", help="say what is installed and whether it works")
    doctor.set_defaults(run=_doctor)
    doctor.add_argument("--json", action="store_true", help="print the report for programs")


def _doctor(options: argparse.Namespace) -> int:
    from biomec.doctor import examine

    report = examine()
    print(report.as_json() if options.json else report.as_text())
    return 0 if report.healthy else 1
