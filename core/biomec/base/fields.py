"""What people need to know about the fields of options: label, help, unit, range and choices, beside each field.

    gap_limit_s: float = setting(0.2, "Longest gap to interpolate", "Longer gaps stay open.", unit="s", least=0.0)

Forms, command lines and documentation read it with `entries`. Values are in SI units; people see ``factor`` × value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from enum import Enum
from functools import cache
from math import inf
from types import UnionType
from typing import Any, Literal, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

from biomec_resources import resource

MM, CM, MS, MICROMETRES, PERCENT, DEGREES = 1e3, 1e2, 1e3, 1e6, 100.0, 57.29577951308232
T = TypeVar("T")
KEY = "setting"  # in the metadata of a field
_TITLE = re.compile(r'^title = "(.*)"$', re.MULTILINE)

Words: TypeAlias = Mapping[Any, str | tuple[str, str]]
"""Value -> what people call it, or that and what it means."""


@dataclass(frozen=True)
class Choice:
    """One of several values: what people call it, and what it means."""

    value: Any
    label: str
    help: str = ""


@dataclass(frozen=True)
class Setting:
    """A field for people.

    label, help  : what it is called (if empty, as the field is), and what it does
    unit, factor : shown number = factor × value, followed by the unit
    least, most  : of the numbers that can be entered, as shown
    typed        : a number that spans many powers of ten is typed, not stepped
    nothing      : what None means, where a field may be None
    choices      : values to choose from, or what lists them
    each         : of a mapping: what lists its names, each with its label and its choices
    files        : whether a choice also takes a file of the user's
    others       : what else a choice takes where people type it, in words
    shown        : whether another dialog sets it: it is shown, and can be taken away
    advanced     : whether it is folded away until somebody wants it
    table        : of a value that is entered as lines ``name = numbers``: to such a mapping, and back
    """

    label: str
    help: str = ""
    unit: str = ""
    factor: float = 1.0
    least: float = -inf
    most: float = inf
    typed: bool = False
    nothing: str = ""
    choices: Words | Callable[[], Words] | None = None
    each: Callable[[], Mapping[str, tuple[str, Words]]] | None = None
    files: bool = False
    others: str = ""
    shown: bool = False
    advanced: bool = False
    table: tuple[Callable[[Any], Mapping[str, tuple[float, ...]]], Callable[[Any], Any]] | None = None


class Kind(Enum):
    """What a field is entered with."""

    GROUP = "group"  # fields of its own
    NUMBER = "number"
    WHOLE = "whole"
    SWITCH = "switch"
    CHOICE = "choice"
    TEXT = "text"
    CHOICES = "choices"  # a choice for every name
    LINES = "lines"  # name = number, one a line
    NAMES = "names"  # with commas between them
    VECTOR = "vector"  # three numbers
    SHOWN = "shown"  # only shown, and can be taken away


@dataclass(frozen=True)
class Entry:
    """A field of options as a form, a command line or a page of documentation meets it.

    path     : names of fields from the outermost options down
    default  : value that it has where nobody has changed it
    optional : whether it may be None; a group then can be off
    made     : class of the options of a group;  parts : its fields
    """

    path: tuple[str, ...]
    kind: Kind
    setting: Setting
    default: Any
    optional: bool = False
    made: Callable[..., Any] | None = None
    parts: tuple[Entry, ...] = ()

    @property
    def name(self) -> str:
        """Name of the field."""
        return self.path[-1]

    @property
    def choices(self) -> tuple[Choice, ...]:
        """What can be chosen."""
        words = self.setting.choices
        return choices_of(words() if callable(words) else words or {})

    def __getitem__(self, name: str) -> Entry:
        return next(part for part in self.parts if part.name == name)


def setting(default: Any = MISSING, label: str = "", help: str = "", *, factory: Any = MISSING, **more: Any) -> Any:
    """Field of a dataclass with what people need to know about it; ``more`` as `Setting` has it."""
    return field(default=default, default_factory=factory, metadata={KEY: Setting(label, help, **more)})


def entries(options: Any, above: tuple[str, ...] = ()) -> tuple[Entry, ...]:
    """Fields of options, an instance that holds the defaults; fields without a `setting` are left out."""
    hints = get_type_hints(type(options))
    return tuple(
        _entry(hints[one.name], _labelled(one.metadata[KEY], one.name), (*above, one.name), getattr(options, one.name))
        for one in fields(options)
        if KEY in one.metadata
    )


def group(options: Any, path: tuple[str, ...] = (), label: str = "", help: str = "") -> Entry:
    """Options as one entry."""
    return Entry(path, Kind.GROUP, Setting(label, help), options, made=type(options), parts=entries(options, path))


def all_entries(parts: tuple[Entry, ...]) -> Iterator[Entry]:
    """Entries and those within them."""
    for part in parts:
        yield part
        yield from all_entries(part.parts)


def named_files(options: Any) -> tuple[str, ...]:
    """Description files that options name, as a name that ends with .toml does wherever one is chosen."""
    found: list[str] = []
    for one in fields(options):
        value = getattr(options, one.name)
        if is_dataclass(value):
            found += named_files(value)
        elif isinstance(value, str) and value.endswith(".toml"):
            found.append(value)
    return tuple(found)


def without_files(options: T) -> T:
    """The same options with what comes with Biomec where they name files."""
    changed: dict[str, Any] = {}
    for one in fields(options):  # type: ignore[arg-type]
        value = getattr(options, one.name)
        if is_dataclass(value):
            changed[one.name] = without_files(value)
        elif isinstance(value, str) and value.endswith(".toml"):
            changed[one.name] = one.default
    return replace(options, **changed)  # type: ignore[type-var]


def choices_of(words: Words) -> tuple[Choice, ...]:
    """Words as choices."""
    return tuple(Choice(value, *((text,) if isinstance(text, str) else text)) for value, text in words.items())


def label_of(options: Any, name: str, value: Any) -> str:
    """What people call a value of a choice."""
    return next(one.label for one in _named(options, name).choices if one.value == value)


def help_of(options: Any, name: str, value: Any) -> str:
    """What a value of a choice means."""
    return next(one.help for one in _named(options, name).choices if one.value == value)


@cache
def _named(options: type, name: str) -> Entry:
    return group(options())[name]


@cache
def shipped(folder: str, nothing: str = "") -> Words:
    """What ships with Biomec in a folder of resources, with its titles; ``nothing``: what None means, if it may be."""
    words: dict[Any, str] = {None: nothing} if nothing else {}
    for file in sorted(resource(folder).iterdir(), key=lambda file: file.name):
        if file.name.endswith(".toml"):
            name = file.name.removesuffix(".toml")
            title = _TITLE.search(file.read_text("utf-8"))  # reading the whole description would take too long here
            words[name] = name if title is None else f"{name}: {title[1]}"
    return words


def value_at(options: Any, path: tuple[str, ...]) -> Any:
    """Value of a field; None if a group above it is off."""
    for name in path:
        if options is None:
            return None
        options = options[name] if isinstance(options, Mapping) else getattr(options, name)
    return options


def with_values(options: Any, values: Mapping[tuple[str, ...], Any]) -> Any:
    """Options with other values of some fields, all changed at once; a group that one of them turns off stays off.

    The options check themselves, and raise a sentence.
    """
    changed = {path[0]: value for path, value in values.items() if len(path) == 1}
    for name in dict.fromkeys(path[0] for path in values if len(path) > 1):
        if name in changed and changed[name] is None:
            continue
        inner = changed.get(name, getattr(options, name))
        if inner is None:  # a group that is off: as it is where nobody has changed it
            made = _options_class(_without_none(get_type_hints(type(options))[name])[0])
            inner = getattr(type(options)(), name) or (None if made is None else made())
        within = {path[1:]: value for path, value in values.items() if path[0] == name and len(path) > 1}
        changed[name] = with_values(inner, within)
    return replace(options, **changed)


def default_text(entry: Entry) -> str:
    """The default of a field in words."""
    value, about = entry.default, entry.setting
    if entry.kind is Kind.CHOICE:
        return next((one.label for one in entry.choices if one.value == value), str(value))
    if value is None:
        return about.nothing or "none"
    if entry.kind is Kind.SWITCH:
        return "on" if value else "off"
    if entry.kind in (Kind.NUMBER, Kind.WHOLE):
        return f"{about.factor * value:.6g} {about.unit}".strip().replace(" °", "°")
    if entry.kind is Kind.VECTOR:
        return f"{' '.join(f'{about.factor * one:g}' for one in value)} {about.unit}".strip()
    return str(value) or "none" if entry.kind is Kind.TEXT else "none"


def _labelled(about: Setting, name: str) -> Setting:
    """With the name of the field for a label if there is none; a unit at its end is left to the unit."""
    end = "_" + about.unit.replace("/", "_")
    return about if about.label else replace(about, label=name.removesuffix(end).replace("_", " "))


def _entry(hint: Any, about: Setting, path: tuple[str, ...], default: Any) -> Entry:
    hint, optional = _without_none(hint)
    made = None if about.shown else _options_class(hint)
    if made is not None:
        within = default if default is not None else made()
        return Entry(path, Kind.GROUP, about, default, optional, made, entries(within, path))
    if about.choices is None and (get_origin(hint) is Literal or (isinstance(hint, type) and issubclass(hint, Enum))):
        values = get_args(hint) if get_origin(hint) is Literal else tuple(hint)
        about = replace(about, choices={value: str(value) for value in values})
    return Entry(path, _kind(hint, about), about, default, optional)


def _kind(hint: Any, about: Setting) -> Kind:
    marked = {Kind.SHOWN: about.shown, Kind.CHOICE: about.choices, Kind.CHOICES: about.each, Kind.LINES: about.table}
    for kind, there in marked.items():
        if there:
            return kind
    simple = {
        bool: Kind.SWITCH, int: Kind.WHOLE, float: Kind.NUMBER, str: Kind.TEXT, Mapping[str, float]: Kind.LINES,
        tuple[str, ...]: Kind.NAMES, tuple[float, float, float]: Kind.VECTOR,
    }  # fmt: skip
    return simple.get(hint, Kind.SHOWN)


def _without_none(hint: Any) -> tuple[Any, bool]:
    """A type without None, and whether it had it."""
    if get_origin(hint) not in (Union, UnionType):
        return hint, False
    left = [one for one in get_args(hint) if one is not type(None)]
    return (left[0] if len(left) == 1 else hint), len(left) < len(get_args(hint))


def _options_class(hint: Any) -> Any:
    return hint if isinstance(hint, type) and is_dataclass(hint) else None
