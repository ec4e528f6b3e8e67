"""Values of settings as people read and type them, in forms, on the command line and in the documentation.

On the command line a number may carry its unit: ``5 mm``. Without one it is in SI units, as in ``settings.json``; where
the window shows another unit, a number without a unit is refused unless the option has always been in SI units.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from math import floor, isfinite, log10, nan
from typing import Any

from biomec.base.errors import BiomecError
from biomec.base.fields import Entry, Kind, Setting, all_entries, choices_of, default_text
from biomec.base.frozen import FrozenDict
from biomec.base.toml_table import did_you_mean

DIGITS = 6  # significant ones that a box shows at least
SMALL, LARGE = 1e-4, 1e7  # outside, numbers are shown with a power of ten
BASE = {"mm": "m", "cm": "m", "µm": "m", "ms": "s", "%": "", "°": "rad"}  # unit that people see -> unit of the value
SPELT = {"um": "µm", "deg": "°", "Nm": "N·m"}  # unit as keyboards have it -> as it is shown
SWITCH = {"on": True, "yes": True, "true": True, "1": True, "off": False, "no": False, "false": False, "0": False}
EXPLAINED = 6  # choices, at most, that a list explains
DEFAULT, NOTHING = "default", "none"


def decimals_of(value: float) -> int:
    """Decimals with which a value is shown whole, 3 to 12."""
    text = f"{abs(value):.12f}".rstrip("0")
    whole = len(text.partition(".")[2])
    small = DIGITS - 1 - floor(log10(abs(value))) if value else 3
    return min(12, max(3, whole if whole <= DIGITS else small))


def number_words(value: float) -> str:
    """A number as a box shows it: plain, or with a power of ten where it is very large or small."""
    if value and not SMALL <= abs(value) < LARGE:
        return f"{value:.{DIGITS}g}"
    return f"{value:.{decimals_of(value)}f}".rstrip("0").rstrip(".") or "0"


def step_of(value: float) -> float:
    """A step that changes the second digit of a value."""
    return 10.0 ** (floor(log10(abs(value))) - 1) if value and isfinite(value) else 0.1


def suffix(unit: str) -> str:
    """A unit after a number."""
    return unit if unit in ("", "°") else f" {unit}"


def range_words(about: Setting) -> str:
    """The range in words, empty if there is none."""
    unit = suffix(about.unit)
    if isfinite(about.least) and isfinite(about.most):
        return f"{about.least:g} to {about.most:g}{unit}"
    if isfinite(about.least):
        return f"at least {about.least:g}{unit}"
    return f"at most {about.most:g}{unit}" if isfinite(about.most) else ""


def number_typed(text: str, label: str) -> float:
    """The number that was typed; a comma is a point."""
    text = text.strip()
    try:
        return float(text.replace(",", "."))
    except ValueError:
        typed = f'"{text}"' if text else "nothing"
        raise BiomecError(f"{label}: {typed} is not a number; type one such as 1e-10.") from None


def lines_text(value: Any, about: Setting) -> str:
    """Numbers by name as lines ``name = number``."""
    table = about.table[0](value) if about.table else {name: (number,) for name, number in value.items()}
    return "\n".join(f"{name} = {' '.join(f'{x:g}' for x in numbers)}" for name, numbers in table.items())


def lines_typed(text: str, about: Setting) -> Any:
    """What lines ``name = number`` mean, or a sentence about the line that means nothing."""
    table: dict[str, tuple[float, ...]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        name, equals, rest = line.partition("=")
        try:
            values = tuple(float(word.replace(",", ".")) for word in rest.split())
        except ValueError:
            values = ()
        if not equals or not name.strip() or not values:
            raise BiomecError(f'{about.label}, line {number}: "{line.strip()}" is not of the form name = number.')
        table[name.strip()] = values
    if about.table:
        return about.table[1](table)
    many = next((name for name, values in table.items() if len(values) > 1), None)
    if many is not None:
        raise BiomecError(f"{about.label}: {many} has more than one number.")
    return FrozenDict({name: values[0] for name, values in table.items()})


def vector_text(value: tuple[float, float, float] | None, factor: float) -> str:
    """Three numbers as they are shown."""
    return "" if value is None else " ".join(f"{factor * x:g}" for x in value)


def vector_typed(text: str, about: Setting, optional: bool) -> tuple[float, float, float] | None:
    """Three numbers that were typed; nothing is None where that is allowed."""
    words = text.replace(";", " ").split()
    if not words and optional:
        return None
    try:
        values = [float(word.replace(",", ".")) / about.factor for word in words]
    except ValueError:
        values = []
    if len(values) != 3:
        raise BiomecError(f'{about.label}: "{text.strip()}" is not three numbers X Y Z.')
    return values[0], values[1], values[2]


def names_of(value: Any) -> str:
    """In a few words what a value holds that can only be shown."""
    name = getattr(value, "name", "")
    names = ", ".join(value) if isinstance(value, Mapping) else ""
    count = 1 if value is not None and not hasattr(value, "__len__") else len(value or ())
    return name or names or (f"{count} set" if count else "")


# -------------------------------------------------------------------------------------------------- one text, one value


def typed(entry: Entry, text: str, name: str = "", *, bare: bool = False) -> Any:
    """The value that a text means for a field; a `BiomecError` says what it should be.

    name : what the error calls the field, such as ``--cutoff``; its label, if empty
    bare : whether a number without a unit is in SI units even where the window shows another unit
    """
    text, name, about = text.strip(), name or entry.setting.label, entry.setting
    if text.lower() == DEFAULT:
        return entry.default
    if entry.kind is not Kind.CHOICE and entry.optional and text.lower() in (NOTHING, about.nothing.lower()):
        return None
    match entry.kind:
        case Kind.NUMBER | Kind.WHOLE:
            return _number(entry, text, name, bare)
        case Kind.SWITCH:
            if text.lower() not in SWITCH:
                raise BiomecError(f'{name}: "{text}" is neither on nor off.')
            return SWITCH[text.lower()]
        case Kind.CHOICE:
            return _chosen(entry, text, name)
        case Kind.TEXT:
            return text
        case Kind.NAMES:
            return tuple(word.strip() for word in text.split(",") if word.strip())
        case Kind.VECTOR:
            plain, factor = _unit(about, text, name, bare)
            return vector_typed(plain, replace(about, label=name, factor=factor), entry.optional)
        case Kind.LINES:
            return lines_typed(text.replace(";", "\n"), replace(about, label=name))
        case Kind.CHOICES:
            return _choices(about, text, name)
        case Kind.GROUP if entry.optional and entry.made is not None:
            if text.lower() not in SWITCH:
                raise BiomecError(f'{name}: "{text}" is neither on nor off. {_parts(entry)}')
            return (entry.default or entry.made()) if SWITCH[text.lower()] else None
        case Kind.GROUP:
            raise BiomecError(f"{name} is a group of settings. {_parts(entry)}")
    raise BiomecError(f"{name} cannot be typed: {about.label.lower()}. Set it in the window, or by a settings file.")


def typed_pair(parts: tuple[Entry, ...], text: str, flag: str) -> tuple[tuple[str, ...], Any]:
    """Path and value of the field that ``step.field=value`` sets.

    parts : entries of the options;  flag : what the error calls the option
    """
    key, equals, value = text.partition("=")
    key = key.strip()
    if not equals or not key:
        raise BiomecError(f'{flag} "{text}": write it as step.field=value, such as angles.convention=isb.')
    known = {".".join(entry.path): entry for entry in all_entries(parts)}
    if key not in known:
        guess = did_you_mean(key, list(known))
        raise BiomecError(
            f'{flag}: there is no setting "{key}"{guess} The page "All settings" of the guide lists them.'
        )
    return known[key].path, typed(known[key], value, f"{flag} {key}")


def option_help(entry: Entry, words: str = "", otherwise: str = "", *, bare: bool = False) -> str:
    """What a field is, for the help of an option: meaning, choices, unit and range, default.

    words : instead of the field's own help;  otherwise : instead of its default;  bare : as in `typed`
    """
    about, sentences = entry.setting, [words or entry.setting.help]
    if entry.kind is Kind.CHOICE:
        sentences.append(f"One of {choices_text(entry)}.")
    elif entry.kind in (Kind.NUMBER, Kind.WHOLE):
        within = range_words(about)
        if within:
            sentences.append(f"{within[0].upper()}{within[1:]}.")
        if bare and about.factor != 1.0:
            base = BASE[about.unit]
            words = f"is in {base}" if base else f"is a share: 0.5 is {about.factor * 0.5:g} {about.unit}"
            sentences.append(f"A number without a unit {words}.")
        elif about.unit and not within:
            sentences.append(f"In {about.unit}.")
    plain = entry.kind is Kind.CHOICE and entry.default is not None
    sentences.append(f"Default: {otherwise or (_spelt(entry.default) if plain else default_text(entry))}.")
    return " ".join(one if one.endswith(".") else f"{one}." for one in sentences if one)


def choices_text(entry: Entry) -> str:
    """Values to type; few of them with what they mean."""
    about, choices = entry.setting, [one for one in entry.choices if one.value is not None]
    few = len(choices) <= EXPLAINED and not about.files
    words = [
        f"{_spelt(one.value)} ({one.label})"
        if few and one.label.lower() != _spelt(one.value).lower()
        else _spelt(one.value)
        for one in choices
    ]
    return ", ".join([*words, *(["or a .toml file"] if about.files else []), *([about.others] if about.others else [])])


def _parts(entry: Entry) -> str:
    names = [".".join(part.path) for part in entry.parts]
    return f"Its settings are {', '.join(names)}."


def _number(entry: Entry, text: str, name: str, bare: bool) -> float | int:
    about = entry.setting
    plain, factor = _unit(about, text, name, bare)
    try:
        value = float(plain.replace(",", ".").replace("−", "-"))
    except ValueError:
        value = nan
    if not isfinite(value) and value != entry.default:
        raise BiomecError(f'{name}: "{text}" is not a {"whole " if entry.kind is Kind.WHOLE else ""}number.')
    if entry.kind is Kind.WHOLE and not value.is_integer():
        raise BiomecError(f'{name}: "{text}" is not a whole number.')
    value = float(f"{value / factor:.15g}") if factor != 1.0 else value
    shown = about.factor * value
    slack = 1e-9 * abs(shown)  # 1000 ms may be 0.9999999999999999 s
    if not about.least - slack <= shown <= about.most + slack:
        unit = suffix(BASE[about.unit]) if plain == text and about.factor != 1.0 else ""
        raise BiomecError(f"{name}: {text}{unit} is out of range; it must be {range_words(about)}.")
    return round(value) if entry.kind is Kind.WHOLE else value


def _unit(about: Setting, text: str, name: str, bare: bool) -> tuple[str, float]:
    """The text without its unit, and the number that is 1 in SI units."""
    base = "" if about.factor == 1.0 else BASE[about.unit]
    factors = {about.unit: about.factor, base: 1.0}
    own = re.escape(about.unit) or "(?!)"
    match = re.fullmatch(rf"(.*?\d[.,]?)\s*({own}|[^\d\s.,;]+)", text)
    if match is None:
        if about.factor == 1.0 or bare or re.search("[1-9]", text) is None:  # zero needs no unit
            return text, 1.0
        raise BiomecError(
            f"{name}: give {text} its unit: {text}{suffix(about.unit)}{f' or {text} {base}' if base else ''}."
        )
    unit = SPELT.get(match[2], match[2])
    if unit not in factors:
        units = " or ".join(filter(None, factors))
        raise BiomecError(
            f'{name}: the unit "{match[2]}" does not fit{f"; use {units}" if units else ", it has none"}.'
        )
    return match[1], factors[unit]


def _spelt(value: Any) -> str:
    return NOTHING if value is None else str(value.value if isinstance(value, Enum) else value)


def _chosen(entry: Entry, text: str, name: str) -> Any:
    """The choice of that name; another text where the field takes others too."""
    by_name = {_spelt(one.value): one.value for one in entry.choices}
    for word, value in by_name.items():
        if word.lower() == text.lower():
            return value
    if text and (entry.setting.files or entry.setting.others):
        return text
    raise BiomecError(f'{name}: "{text}" is not one of {", ".join(by_name)}{did_you_mean(text, list(by_name))}')


def _choices(about: Setting, text: str, name: str) -> dict[str, Any]:
    """Choices by name from ``name=choice; name=choice``."""
    known = about.each() if about.each is not None else {}
    found = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        key, _, value = (word.strip() for word in part.partition("="))
        if key not in known:
            raise BiomecError(
                f'{name}: there is no "{key}"{did_you_mean(key, list(known))} There are {", ".join(known)}.'
            )
        words = {_spelt(one.value): one.value for one in choices_of(known[key][1])}
        if value not in words:
            raise BiomecError(f'{name}: {key} is one of {", ".join(words)}, not "{value}".')
        if words[value] is not None:
            found[key] = words[value]
    return found
