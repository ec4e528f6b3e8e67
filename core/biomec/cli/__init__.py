"""The command `biomec`: one module a group of commands."""

from biomec.cli.main import main

__all__ = ["main"]
