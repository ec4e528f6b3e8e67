"""Commands about the program itself: `doctor`, `tour`."""

import argparse
import importlib
import sys
from pathlib import Path

from biomec.cli.arguments import Commands


def add_commands(commands: Commands) -> None:
    """Add the parsers of this module."""
    doctor = commands.add_parser("doctor", help="say what is installed and whether it works")
    doctor.set_defaults(run=_doctor)
    doctor.add_argument("--json", action="store_true", help="print the report for programs")

    tour = commands.add_parser("tour", help="show the engine on mechanisms with a known answer")
    tour.set_defaults(run=_tour)
    tour.add_argument("--out", type=Path, default=Path("tour-output"), metavar="DIR", help="folder for the pictures")


def _doctor(options: argparse.Namespace) -> int:
    from biomec.doctor import examine

    report = examine()
    print(report.as_json() if options.json else report.as_text())
    return 0 if report.healthy else 1


def _tour(options: argparse.Namespace) -> int:
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
    return int(tour.main(options.out))
