"""The command `biomec`."""

import argparse
import io
import os
import sys
from collections.abc import Sequence

from biomec._version import __version__
from biomec.cli import analysis, program, recordings
from biomec.errors import BiomecError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 when all went well."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a file may have a name that this terminal cannot show
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help()
        return 0
    try:
        code = int(options.run(options))
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader of a pipe, such as `head`, has seen enough; nothing more can be written there
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except BiomecError as error:  # its message is a sentence for the user; any other error is ours to repair
        print(error, file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="biomec", description="Whole-body biomechanics from motion capture.")
    parser.add_argument("--version", action="version", version=f"biomec {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for module in (analysis, recordings, program):
        module.add_commands(commands)
    return parser
