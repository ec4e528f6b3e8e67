"""Command about the program itself: `doctor`."""

import argparse

from biomec.cli.arguments import Commands


def add_commands(commands: Commands) -> None:
    """Add the parsers of this module."""
    doctor = commands.add_parser("doctor", help="say what is installed and whether it works")
    doctor.set_defaults(run=_doctor)
    doctor.add_argument("--json", action="store_true", help="print the report for programs")


def _doctor(options: argparse.Namespace) -> int:
    from biomec.doctor import examine

    report = examine()
    print(report.as_json() if options.json else report.as_text())
    return 0 if report.healthy else 1
