"""What several commands share: arguments, notices on the terminal, progress, and files that must not be destroyed."""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from biomec.base.errors import FileError
from biomec.base.notices import Notice, Severity
from biomec.base.progress import Progress

if TYPE_CHECKING:
    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]
else:
    Commands = object


class FieldChoices:
    """What a field of settings offers, looked up when it is needed: a command that needs none of them starts faster.

    settings : module and class
    """

    def __init__(self, settings: str, name: str) -> None:
        self.settings, self.name = settings, name

    def __iter__(self) -> Iterator[str]:
        from biomec.base.fields import group

        module, _, owner = self.settings.rpartition(".")
        options = getattr(import_module(module), owner)()
        return (str(one.value) for one in group(options)[self.name].choices)


def keep_existing(path: Path, force: bool, source: Path) -> None:
    """Raise a sentence if writing would destroy something."""
    if path.exists() and source.exists() and path.samefile(source):
        raise FileError(path.name, "this is the file that is read; give the new file another name.")
    if path.exists() and not force:
        raise FileError(path.name, "a file of this name exists and was not overwritten. Use --force to overwrite it.")


def tell(notices: Sequence[Notice], least: Severity = Severity.WARNING) -> None:
    """Print notices of at least that severity to the terminal's error stream."""
    ranks = list(Severity)
    for notice in notices:
        if ranks.index(notice.severity) >= ranks.index(least):
            print(f"{notice.severity}: {notice.sentence}", file=sys.stderr)


def frames(text: str) -> tuple[int, int]:
    """Stretch of frames such as 120-480."""
    match = re.fullmatch(r"\s*(\d+)\s*-\s*(\d+)\s*", text)
    if match is None or int(match.group(1)) > int(match.group(2)):
        raise argparse.ArgumentTypeError(f"{text!r} is no stretch of frames such as 120-480")
    return int(match.group(1)), int(match.group(2))


def progress_on_terminal(what: str) -> Progress | None:
    """Progress as a line that is written anew; None where nobody is watching."""
    if not sys.stderr.isatty():
        return None

    def show(fraction: float) -> None:
        print(f"\r{what} {100.0 * fraction:3.0f} %", end="\n" if fraction >= 1.0 else "", file=sys.stderr, flush=True)

    return show
