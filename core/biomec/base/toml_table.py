"""Tables of a TOML file, read key by key. Every refusal is a sentence: file, place, key, what is wrong, what to do."""

from __future__ import annotations

import datetime
import difflib
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import DescriptionError

_HEAD = re.compile(r"\[\[\s*(.*?)\s*\]\]")
_NAME = re.compile(r'name\s*=\s*("(?:[^"\\]|\\.)*")')
LARGEST = 1e12  # a number beyond it is a slip of the pen or of the unit: no mechanism is that long, heavy or fast


@dataclass(frozen=True)
class TomlTable:
    """One table and where it stands.

    where  : opens every message, such as ``four-bar.toml: Body crank``
    values : what TOML found there
    prefix : path of an inner table, such as ``points.``, written before its keys in messages
    lines  : where in its file the table stands, or None if messages need no line
    """

    where: str
    values: Mapping[str, Any]
    prefix: str = ""
    lines: Lines | None = None

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def refusal(self, sentence: str, key: str | None = None) -> DescriptionError:
        """Error to raise about this table, or about one of its keys."""
        if self.lines is None:
            return DescriptionError(f"{self.where}: {sentence}")
        return DescriptionError(self.lines.with_line(self.where, self.lines.of(key)) + f": {sentence}")

    def only(self, allowed: Sequence[str]) -> None:
        """Refuse keys that nobody reads: most are misspelt, and silence would lose them."""
        for key in self.values:
            if key not in allowed:
                raise self.refusal(
                    f"there is no key {self.prefix}{shown(key)}{did_you_mean(key, allowed)} "
                    f"The keys here are {', '.join(allowed)}.",
                    key,
                )

    def text(self, key: str) -> str:
        """Text that is not empty."""
        expected = f'a text in quotes, such as {key} = "A"'
        value = self._value(key, expected)
        if not (isinstance(value, str) and value.strip()):
            raise self._wrong(key, expected, value)
        return value

    def texts(self, key: str) -> list[str]:
        """List of texts."""
        expected = f'a list of texts in quotes, such as {key} = ["A", "B"]'
        value = self._value(key, expected)
        if not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
            raise self._wrong(key, expected, value)
        return value

    def numbers(self, key: str, shape: tuple[int, ...], why: str = "") -> FloatArray:
        """Finite numbers of exactly this shape; ``()`` is one number. ``why`` ends the sentence if they are not."""
        size = " rows of ".join(str(count) for count in shape)
        example = written(np.zeros(shape))
        expected = f"{size} numbers, such as {key} = {example}" if shape else f"a number, such as {key} = 1.0"
        value = self._value(key, expected)
        if not _fits(value, shape):
            raise self._wrong(key, expected, value, why)
        for number in _flat(value):
            if not abs(number) <= LARGEST:
                raise self.refusal(
                    f"{self.prefix}{key} holds {shown(number)}, and every number must be finite and at most "
                    f"{LARGEST:g}. Check it and its unit (m, kg, kg m², degrees).",
                    key,
                )
        return np.array(value, dtype=np.float64)

    def table(self, key: str) -> TomlTable:
        """Inner table, empty if it is not there."""
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            raise self._wrong(key, f"one table, such as {key} = {{ A = … }} or [{key}]", value)
        return TomlTable(self.where, value, f"{self.prefix}{key}.", self.lines)

    def tables(self, key: str) -> list[TomlTable]:
        """Tables that a file repeats as ``[[key]]``, each with the name it gives itself in its messages."""
        value = self.values.get(key, [])
        if not (isinstance(value, list) and all(isinstance(item, dict) for item in value)):
            raise self._wrong(key, f"a block that starts with [[{key}]], in double brackets", value)
        found = []
        for number, item in enumerate(value, start=1):
            name = item.get("name")
            named = name if isinstance(name, str) and name.strip() else f"number {number}"
            where = f"{self.where}: {key.capitalize()} {named}"
            lines = None if self.lines is None else self.lines.of_table(key, number, name)
            found.append(TomlTable(where, item, lines=lines))
        return found

    def _value(self, key: str, expected: str) -> Any:
        if key not in self.values:
            raise self.refusal(f"{self.prefix}{key} is missing. Add {expected}.")
        return self.values[key]

    def _wrong(self, key: str, expected: str, value: object, why: str = "") -> DescriptionError:
        return self.refusal(f"{self.prefix}{key} must be {expected}, not {shown(value)}{why and ' '}{why}.", key)


class _Rows(NamedTuple):
    """Where the rows of a list stand: the line of its key, of each row, and of each name as it is written."""

    start: int
    numbers: Sequence[int]
    named: Mapping[str, int]


@dataclass(frozen=True)
class Lines:
    """A stretch of the lines of a file, in which a table stands.

    text  : all lines of the file
    first : number of the first line of the stretch, counted from 1
    last  : number of its last line
    """

    text: tuple[str, ...]
    first: int
    last: int

    def of(self, key: str | None) -> int:
        """Line in which a key of the table is given; the first line of the table if it is not known."""
        if key is not None:
            pattern = re.compile(rf"(^|[\s{{,]){re.escape(key)}\s*=")
            for number in range(self.first, self.last + 1):
                if pattern.search(self.text[number - 1]):
                    return number
        return self.first

    def of_table(self, key: str, number: int, name: object) -> Lines:
        """Lines of the ``number``-th table of that key: a block under [[key]], or a row of the list ``key = [``."""
        heads = self._heads.get(key, ())
        if len(heads) >= number:
            return Lines(self.text, *heads[number - 1])
        rows = self._rows(key)
        row = rows.numbers[number - 1] if number <= len(rows.numbers) else rows.start
        if isinstance(name, str):
            row = rows.named.get(written(name), row)
        return Lines(self.text, row, row)

    @cached_property
    def _heads(self) -> Mapping[str, Sequence[tuple[int, int]]]:
        """First and last lines of the blocks under [[key]], by their keys, in the order of the file."""
        bracketed = [(k, line.lstrip()) for k, line in enumerate(self.text, 1) if line.lstrip().startswith("[")]
        ends = [*(k - 1 for k, _ in bracketed), len(self.text)][1:]
        found: dict[str, list[tuple[int, int]]] = {}
        for (first, line), last in zip(bracketed, ends, strict=True):
            head = _HEAD.match(line)
            if head is not None:
                found.setdefault(head.group(1), []).append((first, last))
        return found

    def _rows(self, key: str) -> _Rows:
        """Rows of a list ``key = [``, looked up once for all of them."""
        if key not in self._looked_up:
            start = self.of(key)
            inside = range(start, self.last + 1)
            named: dict[str, int] = {}
            for k in inside:
                for match in _NAME.finditer(self.text[k - 1]):
                    named.setdefault(match.group(1), k)
            numbers = [k for k in inside if self.text[k - 1].lstrip().startswith("{")]
            self._looked_up[key] = _Rows(start, numbers, named)
        return self._looked_up[key]

    @cached_property
    def _looked_up(self) -> dict[str, _Rows]:
        return {}

    def with_line(self, where: str, line: int) -> str:
        """Opening of a message with the line behind the name of the file."""
        source, colon, rest = where.partition(": ")
        return f"{source}, line {line}{colon}{rest}"


def read_toml(text: str, source: str, *, with_lines: bool = False) -> TomlTable:
    """Whole text as a table; ``source`` names it in messages, which tell the line if that is wanted."""
    lines = tuple(text.splitlines()) or ("",)
    try:
        return TomlTable(source, tomllib.loads(text), lines=Lines(lines, 1, len(lines)) if with_lines else None)
    except tomllib.TOMLDecodeError as error:
        what, _, place = str(error).rstrip(")").rpartition(" (at ")
        if not place.startswith("line"):
            place = f"line {text.count(chr(10)) + 1}, column {len(text) - text.rfind(chr(10))}"
        raise DescriptionError(
            f"{source}: {place} is not TOML ({what}). Look there for a missing quote, bracket or comma, "
            f"or for a key that is given twice."
        ) from error
    except (ValueError, RecursionError) as error:  # whole numbers of thousands of digits, hundreds of nested brackets
        raise DescriptionError(f"{source}: a value is too long or too deep to read ({error}). Simplify it.") from error


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """``; did you mean "points"?``, or a full stop if nothing is near."""
    near = difflib.get_close_matches(word, known, n=1)
    return f'; did you mean "{near[0]}"?' if near else "."


def shown(value: object, depth: int = 2) -> str:
    """Short form of a TOML value for a message."""
    if isinstance(value, int) and value.bit_length() > 64:
        return "a whole number of more than 19 digits"
    if isinstance(value, (int, float)):
        return written(value)
    if isinstance(value, str):
        return written(value if len(value) <= 40 else value[:39] + "…")
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        inner = [shown(item, depth - 1) for item in value[:4]] if depth else ["…"]
        return f"[{', '.join(inner + ['…'] * (len(value) > 4 and depth > 0))}]"
    if isinstance(value, (datetime.date, datetime.time)):
        return f"the date or time {value.isoformat()}"
    return repr(value)


def written(value: object) -> str:
    """TOML text of a text, number, list, array or mapping; numbers keep all their digits."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        items = [f"{written_key(key)} = {written(item)}" for key, item in value.items()]
        return f"{{ {', '.join(items)} }}" if items else "{}"
    if isinstance(value, np.ndarray):
        return written(value.tolist())
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(written(item) for item in value)}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, (float, np.number)):
        return repr(float(value))
    raise TypeError(f"{type(value).__name__} has no TOML form")


def written_key(key: str) -> str:
    """TOML key, in quotes if it needs them."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else written(key)


def _fits(value: object, shape: tuple[int, ...]) -> bool:
    if not shape:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, list) and len(value) == shape[0] and all(_fits(item, shape[1:]) for item in value)


def _flat(value: Any) -> list[Any]:
    return [number for item in value for number in _flat(item)] if isinstance(value, list) else [value]
