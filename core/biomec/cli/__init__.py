"""The command `biomec`: one module a group of commands.

They are imported within `main`, so that Ctrl+C is met at every moment.
"""

import sys
from collections.abc import Sequence

INTERRUPTED = 130  # exit code of a program that Ctrl+C ended

__all__ = ["INTERRUPTED", "main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 when all went well."""
    try:
        from biomec.cli.program import run

        return run(arguments)
    except KeyboardInterrupt:  # nothing half-written is left, so there is nothing to explain
        print("\nInterrupted.", file=sys.stderr)
        return INTERRUPTED
