"""A machine file before its parameters have values: its text, its parameters, its presets.

Every number in the file may be a text that begins with ``=``, an expression of the parameters. With numbers for them
the blueprint becomes a `biomec.machines.machine.Machine`; with symbols, symbolic equations of motion. Values can be
written into the text, which otherwise stays as its author wrote it.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from biomec.base.errors import DescriptionError
from biomec.base.toml_table import Lines, TomlTable, did_you_mean, read_toml
from biomec.machines.expressions import MARK, NUMERIC, value_of

PARAMETER_KEYS = ("value", "unit", "about", "minimum", "maximum")
PRESET_KEYS = ("name", "title", "about", "values", "analysis", "options")
NOT_IN_PRESETS = ("folder", "kept", "pulse_file")  # options that name files are for who runs an analysis
LONG_WORD = re.compile(r"(\S{59})\S{20,}")  # a name that nobody reads to its end


@dataclass(frozen=True)
class MachineParameter:
    """A number that the user may change: its value in the file, unit, meaning and sensible range."""

    name: str
    value: float
    unit: str = ""
    about: str = ""
    minimum: float = -float("inf")
    maximum: float = float("inf")


@dataclass(frozen=True)
class Preset:
    """A named set of values of parameters, with the analysis that it is for.

    options : of that analysis, by name
    """

    name: str
    title: str
    about: str
    values: Mapping[str, float]
    analysis: str
    options: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Blueprint:
    """Text of a machine file, read once; messages call it ``source``.

    lines : of the text, if messages are to tell them
    """

    text: str
    source: str
    tables: Mapping[str, Any]
    parameters: Mapping[str, MachineParameter]
    presets: Mapping[str, Preset]
    lines: Lines | None = None

    @property
    def defaults(self) -> dict[str, float]:
        """Values of all parameters as the file gives them."""
        return {name: one.value for name, one in self.parameters.items()}

    def checked(self, changes: Mapping[str, float]) -> dict[str, float]:
        """Values of all parameters with changes; refuses unknown names and values out of range."""
        values = self.defaults
        for name, value in changes.items():
            if name not in values:
                there = ", ".join(values) or "none"
                guess = did_you_mean(name, list(values))
                raise DescriptionError(
                    f"{self.source}: there is no parameter {name}{guess} The parameters are {there}."
                )
            one = self.parameters[name]
            if not math.isfinite(value):
                raise DescriptionError(f"{self.source}: {name} must be a finite number, not {value:g}.")
            if not one.minimum <= value <= one.maximum:
                unit = f" {one.unit}" if one.unit else ""
                raise DescriptionError(
                    f"{self.source}: {name} = {value:g}{unit} is out of its range, {one.minimum:g} to {one.maximum:g}."
                )
            values[name] = float(value)
        return values

    def resolved(self, names: Mapping[str, Any], functions: Mapping[str, Any] = NUMERIC) -> dict[str, Any]:
        """Tables of the file with the value of every expression in its place; parameters and presets left out.

        names : values of the parameters, numbers (see `checked`) or symbols
        """
        made = {}
        for key, value in self.tables.items():
            if key in ("parameters", "preset"):
                continue
            try:
                made[key] = _resolved(value, names, functions, f"{self.source}: {key}")
            except _NoValue as error:
                raise DescriptionError(self._with_line(error)) from error
        return made

    def with_line(self, error: DescriptionError) -> DescriptionError:
        """What is wrong with a part, with the line in which the part or the key stands if lines are wanted.

        Most sentences tell their line already; those of the engine know the part by its name, and nothing of lines.
        """
        rest = str(error).removeprefix(self.source)
        sentence = str(error).removesuffix(rest) + LONG_WORD.sub(r"\1…", rest)
        found = re.match(rf"{re.escape(self.source)}: (\w+) (.+?): (.+)", str(error), re.DOTALL)
        parts = self.tables.get(found[1].lower()) if found else None
        if self.lines is None or found is None or not isinstance(parts, list):
            return DescriptionError(sentence)
        for number, part in enumerate(parts, 1):
            if part.get("name") == found[2]:
                lines = self.lines.of_table(found[1].lower(), number, found[2])
                return DescriptionError(self.lines.with_line(sentence, lines.of(_key_in(part, found[3]))))
        return DescriptionError(sentence)

    def _with_line(self, error: _NoValue) -> str:
        """What is wrong with an expression, and the line in which it stands if lines are wanted."""
        if self.lines is None:
            return str(error)
        found = (k for k, line in enumerate(self.lines.text, 1) if error.expression in line)
        line = next(found, None)
        return str(error) if line is None else self.lines.with_line(str(error), line)


class _NoValue(DescriptionError):
    """An expression that cannot be computed."""

    def __init__(self, sentence: str, expression: str) -> None:
        super().__init__(sentence)
        self.expression = expression


def read_blueprint(text: str, source: str, *, with_lines: bool = False) -> Blueprint:
    """Blueprint of a machine file; messages tell the line if that is wanted. Raises `DescriptionError` only."""
    top = read_toml(text, source, with_lines=with_lines)
    given = top.table("parameters")
    parameters = {name: _parameter(given, name) for name in given.values}
    presets = {one.name: one for one in (_preset(table, parameters) for table in top.tables("preset"))}
    return Blueprint(text, source, top.values, parameters, presets, top.lines)


def _parameter(given: TomlTable, name: str) -> MachineParameter:
    if not name.isidentifier():
        raise given.refusal(f"the parameter {name} cannot be used in expressions. Use letters, digits and _.", name)
    if not isinstance(given.values[name], dict):
        return MachineParameter(name, float(given.numbers(name, ())))
    table = given.table(name)
    table.only(PARAMETER_KEYS)
    unit, about = (table.text(key) if key in table else "" for key in ("unit", "about"))
    ends = ("minimum", -float("inf")), ("maximum", float("inf"))
    low, high = (float(table.numbers(key, ())) if key in table else end for key, end in ends)
    return MachineParameter(name, float(table.numbers("value", ())), unit, about, low, high)


def _preset(table: TomlTable, parameters: Mapping[str, MachineParameter]) -> Preset:
    table.only(PRESET_KEYS)
    inner = table.table("values")
    for name in inner.values:
        if name not in parameters:
            raise table.refusal(f"there is no parameter {name}{did_you_mean(name, list(parameters))}")
    values = {name: float(inner.numbers(name, ())) for name in inner.values}
    words = {key: table.text(key) if key in table else "" for key in ("title", "about", "analysis")}
    name, options = table.text("name"), dict(table.table("options").values)
    for one in NOT_IN_PRESETS:
        if one in options:
            raise table.refusal(f"a preset cannot name files: give {one} when you run the analysis.", "options")
    return Preset(name, words["title"] or name, words["about"], values, words["analysis"], options)


def _resolved(value: Any, names: Mapping[str, Any], functions: Mapping[str, Any], where: str) -> Any:
    match value:
        case str() if value.startswith(MARK):
            try:
                return value_of(value[len(MARK) :], names, functions)
            except DescriptionError as error:
                raise _NoValue(f"{where}: {error}", value) from error
        case list():
            return [_resolved(one, names, functions, _named(one, where)) for one in value]
        case dict():
            return {key: _resolved(one, names, functions, f"{where}.{key}") for key, one in value.items()}
    return value


def _key_in(part: Mapping[str, Any], sentence: str) -> str | None:
    """The key of a part that a sentence names first, or whose text it repeats: of a point, its body."""
    texts = {key: value.split(".")[0] if isinstance(value, str) else "" for key, value in part.items()}
    for word in re.findall(r"[\w-]+", sentence):
        for key, text in texts.items():
            if key not in ("name", "type") and word in (key, text):
                return key
    return None


def _named(value: Any, where: str) -> str:
    return f"{where} {value['name']}" if isinstance(value, dict) and isinstance(value.get("name"), str) else where


# ----------------------------------------------------------------------------------------- values written into the text


NUMBER = r"[+-]?(?:\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?|inf|nan)"
DIGITS = 12  # of a value that is written: more than anybody measures, and without the round-off of sums


def with_values(text: str, values: Mapping[str, float], source: str = "machine") -> str:
    """The text with other values of parameters. Comments, order and everything else stay.

    Raises `DescriptionError` where the number cannot be found, so that nothing is changed by mistake.
    """
    for name, value in values.items():
        text = _with_value(text, name, value, source)
    return text


def _with_value(text: str, name: str, value: float, source: str) -> str:
    before = _parameters(text, source)
    if name not in before:
        raise DescriptionError(f"{source}: there is no parameter {name}.")
    if _number(before[name]) == value:
        return text
    written = repr(float(f"{value:.{DIGITS}g}"))
    for start, end in _places(text, name):
        made = f"{text[:start]}{written}{text[end:]}"
        if _differs_only_in(before, made, name, float(written)):
            return made
    raise DescriptionError(f"{source}: the value of {name} cannot be found in the text. Change it there.")


def _places(text: str, name: str) -> Iterator[tuple[int, int]]:
    """Where in the text the number of a parameter may stand: behind its name, or behind ``value`` in its table."""
    key = rf"(?:{re.escape(name)}|\"{re.escape(name)}\"|'{re.escape(name)}')"
    for match in re.finditer(rf"(?m)^\s*{key}\s*=\s*({NUMBER})", text):
        yield match.span(1)
    inline = rf"(?m)^\s*{key}\s*=\s*\{{[^\n]*$"
    block = rf"(?m)^\s*\[\s*parameters\s*\.\s*{key}\s*\][^\n]*\n(?:(?!\s*\[)[^\n]*\n?)*"
    for table in (inline, block):
        for match in re.finditer(table, text):
            for inner in re.finditer(rf"\bvalue\s*=\s*({NUMBER})", match[0]):
                yield match.start() + inner.start(1), match.start() + inner.end(1)


def _parameters(text: str, source: str = "") -> dict[str, object]:
    try:
        return dict(tomllib.loads(text).get("parameters", {}))
    except tomllib.TOMLDecodeError as error:
        raise DescriptionError(f"{source}: the text is not TOML ({error}).") from error


def _differs_only_in(before: Mapping[str, object], text: str, name: str, value: float) -> bool:
    """Whether the parameters of a text are those before but for the value of one."""
    try:
        after = _parameters(text)
    except DescriptionError:
        return False
    same = {key: one for key, one in before.items() if key != name} == {
        key: one for key, one in after.items() if key != name
    }
    return same and _number(after.get(name)) == value


def _number(parameter: object) -> object:
    return parameter.get("value") if isinstance(parameter, dict) else parameter
