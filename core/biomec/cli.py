"""The command `biomec`."""

import argparse
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

from biomec._version import __version__
from biomec.errors import BiomecError

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 when all went well."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        if options.command == "doctor":
            return _doctor(as_json=options.json)
        if options.command == "demo":
            return _demo(options.out)
    except BiomecError as error:  # its message is a sentence for the user; any other error is ours to repair
        print(error, file=sys.stderr)
        return 1
    parser.print_help()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="biomec", description="Whole-body biomechanics from motion capture.")
    parser.add_argument("--version", action="version", version=f"biomec {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    doctor = commands.add_parser("doctor", help="say what is installed and whether it works")
    doctor.add_argument("--json", action="store_true", help="print the report for programs")

    demo = commands.add_parser("demo", help="show the engine on mechanisms with a known answer")
    demo.add_argument(
        "--out",
        type=Path,
        default=Path("demo-output"),
        metavar="DIR",
        help="folder for the pictures (default: %(default)s)",
    )
    return parser


def _doctor(as_json: bool) -> int:
    from biomec.doctor import examine

    report = examine()
    print(report.as_json() if as_json else report.as_text())
    return 0 if report.healthy else 1


def _demo(out_dir: Path) -> int:
    # By name, at run time: the library does not depend on the desktop program.
    try:
        tour = importlib.import_module("biomec_app.engine_tour")
    except ModuleNotFoundError as error:
        print(
            f"The demonstration cannot start, because the Python package {error.name} is not installed. "
            'It needs the desktop part of Biomec: pip install "biomec[app]"',
            file=sys.stderr,
        )
        return 1
    except ImportError as error:  # a package is there, but not what it loads
        print(f"The demonstration cannot start: {error}. To see what is missing: biomec doctor", file=sys.stderr)
        return 1
    return int(tour.main(out_dir))
