"""What several commands share: arguments, notices on the terminal, progress, and files that must not be destroyed."""

import argparse
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from biomec.base.errors import FileError
from biomec.base.notices import Notice, Severity, ranked
from biomec.base.progress import Progress
from biomec.recording import Authority, LabAxes
from biomec.recording.axes import DIRECTIONS

if TYPE_CHECKING:
    from biomec.base.fields import Entry

    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]
else:
    Commands = object


AXES_HELP = "y-up, z-up, x-up, or up and forward such as +z,-y"
GIVEN = "given"  # in a namespace: settings -> path of a field -> value


class FieldOption(argparse.Action):
    """Option that sets a field of settings; help, choices, unit, range and default are those of the field.

    What users give is found with `given`. Fields are looked up when they are needed: a command that needs none of them
    starts faster.

    settings : module and class of the settings
    fields   : names of the fields, such as ``("positions.method",)``, that get what is typed
    words    : help instead of that of the field
    typed    : text instead of what the user would type, where the option is a switch
    also     : other fields -> text that sets them, where the option is used
    otherwise : what holds without the option, if not the field's default
    """

    def __init__(self, option_strings: Sequence[str], dest: str, settings: str = "", fields: Sequence[str] = (),
                 words: str = "", typed: str = "", also: Mapping[str, str] | None = None, otherwise: str = "",
                 metavar: str | None = None, **more: Any) -> None:  # fmt: skip
        self.settings, self.fields, self.words = settings, tuple(fields), words
        self.typed, self.also, self.otherwise = typed, dict(also or {}), otherwise
        more |= {"nargs": 0} if typed else {"metavar": metavar}
        more.pop("help", None)
        super().__init__(option_strings, dest, default=argparse.SUPPRESS, **more)

    def entry(self, field: str) -> "Entry":
        """The field of that name."""
        from biomec.base.fields import all_entries

        return next(one for one in all_entries(_entries(self.settings)) if ".".join(one.path) == field)

    @property
    def help(self) -> str | None:  # argparse reads it when it prints the help
        """What the field is."""
        from biomec.base.field_texts import option_help

        entry, plain = self.entry(self.fields[0]), self.words
        whole = (plain or entry.setting.help) if self.typed else option_help(entry, plain, self.otherwise, bare=True)
        return whole.replace("%", "%%")

    @help.setter
    def help(self, _: str | None) -> None:
        """Ignore what argparse sets."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any,
                 option_string: str | None = None) -> None:  # fmt: skip
        """Note the values."""
        from biomec.base.field_texts import typed

        texts = dict.fromkeys(self.fields, self.typed or values) | self.also
        for field, text in texts.items():
            entry = self.entry(field)
            given(namespace, self.settings)[entry.path] = typed(entry, text, self.option_strings[0], bare=True)


class SetOption(argparse.Action):
    """Option ``step.field=value`` that sets any field of settings; it may be repeated."""

    def __init__(self, option_strings: Sequence[str], dest: str, settings: str = "", **more: Any) -> None:
        self.settings = settings
        super().__init__(option_strings, dest, default=argparse.SUPPRESS, **more)

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any,
                 option_string: str | None = None) -> None:  # fmt: skip
        """Note the value."""
        from biomec.base.field_texts import typed_pair

        path, value = typed_pair(_entries(self.settings), str(values), self.option_strings[0])
        given(namespace, self.settings)[path] = value


def given(namespace: argparse.Namespace, settings: str) -> dict[tuple[str, ...], Any]:
    """Path of a field of those settings -> the value that the user gave, for `with_values`."""
    of_settings: dict[tuple[str, ...], Any] = namespace.__dict__.setdefault(GIVEN, {}).setdefault(settings, {})
    return of_settings


@cache
def _entries(settings: str) -> "tuple[Entry, ...]":
    from biomec.base.fields import entries

    module, _, owner = settings.rpartition(".")
    return entries(getattr(import_module(module), owner)())


def options_of(settings: str) -> Callable[..., None]:
    """What adds an option to a parser or group: (group, flag, metavar, *fields, **more of `FieldOption`)."""

    def add(group: Any, flag: str, metavar: str | None, *fields: str, **more: Any) -> None:
        group.add_argument(flag, action=FieldOption, settings=settings, fields=fields, metavar=metavar, **more)

    return add


def keep_existing(path: Path, force: bool, source: Path) -> None:
    """Raise a sentence if writing would destroy something."""
    if path.exists() and source.exists() and path.samefile(source):
        raise FileError(path.name, "this is the file that is read; give the new file another name.")
    if path.exists() and not force:
        raise FileError(path.name, "a file of this name exists and was not overwritten. Use --force to overwrite it.")


def tell(notices: Sequence[Notice], least: Severity = Severity.WARNING) -> None:
    """Print notices of at least that severity to the terminal's error stream, each once, the most important first."""
    ranks = list(Severity)
    for notice in ranked(notices):
        if ranks.index(notice.severity) >= ranks.index(least):
            print(f"{notice.severity}: {notice.sentence}", file=sys.stderr)


def frames(text: str) -> tuple[int, int]:
    """Stretch of frames such as 120-480."""
    match = re.fullmatch(r"\s*(\d+)\s*-\s*(\d+)\s*", text)
    if match is None or int(match.group(1)) > int(match.group(2)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a stretch of frames such as 120-480")
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


def with_directions(words: Sequence[str]) -> list[str]:
    """Words of a command line with directions joined to their option: ``--axes -z`` looks like two options."""
    joined: list[str] = []
    for word in words:
        if joined and joined[-1] in ("--axes", "--from-axes") and re.match(r"-[xyz]\b", word, re.IGNORECASE):
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined


def said_axes(axes: LabAxes, wish: tuple[str, str | None]) -> LabAxes:
    """The axes by the user's word; where forward was not said, the data may say it."""
    from biomec.io.axes_evidence import up_from

    up, forward = wish
    if forward is not None:
        return LabAxes(up, forward, Authority.USER, Authority.USER)
    return replace(up_from(axes, up, Authority.USER), forward_authority=Authority.ASSUMED)
