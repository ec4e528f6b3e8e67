"""What several commands share: arguments, notices on the terminal, progress, and files that must not be destroyed."""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from biomec.base.errors import FileError
from biomec.base.notices import Notice, Severity
from biomec.base.progress import Progress
from biomec.recording import Authority, LabAxes
from biomec.recording.axes import DIRECTIONS

if TYPE_CHECKING:
    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]
else:
    Commands = object


AXES_HELP = "y-up, z-up, x-up, or up and forward such as +z,-y"


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


def lab_axes(text: str) -> tuple[str, str | None]:
    """Up and perhaps forward, from ``z-up`` or ``+z,-y``."""
    match = re.fullmatch(r"([+-]?)([xyz])-up", text.strip().lower())
    if match:
        return (match.group(1) or "+") + match.group(2), None
    words = [word if word[:1] in ("+", "-") else "+" + word for word in text.strip().lower().split(",")]
    if len(words) not in (1, 2) or any(word not in DIRECTIONS for word in words):
        raise argparse.ArgumentTypeError(f"{text!r} is none of y-up, z-up, x-up, +z,-y and the like")
    if len(words) == 2 and words[0][1] == words[1][1]:
        raise argparse.ArgumentTypeError(f"{text!r}: up and forward must differ")
    return words[0], words[1] if len(words) == 2 else None


def said_axes(axes: LabAxes, wish: tuple[str, str | None]) -> LabAxes:
    """The axes by the user's word; where forward was not said, the data may say it."""
    from biomec.io.axes_evidence import up_from

    up, forward = wish
    if forward is not None:
        return LabAxes(up, forward, Authority.USER, Authority.USER)
    return replace(up_from(axes, up, Authority.USER), forward_authority=Authority.ASSUMED)
