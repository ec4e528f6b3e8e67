"""Values of parameters written into the text of a machine file, which otherwise stays as its author wrote it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping

from biomec.base.errors import DescriptionError

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
