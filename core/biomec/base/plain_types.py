"""Objects made again from plain data (tables, lists, texts, numbers), checked by the types that their fields state.

Any tree of frozen dataclasses, enumerations, days, tuples and tables is understood. A dataclass is the schema of what
is stored: `made_from` refuses whatever does not fit, NaN and infinite numbers included; `restored` takes the default
for it and says so, as settings of another version need it.
"""

from __future__ import annotations

import json
import math
import reprlib
import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date
from enum import Enum
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, warning

UNKNOWN, REFUSED = "setting-unknown", "setting-refused"
DEEPEST = 64
"""Tables within tables that plain data may have; ours have fewer than ten."""
LARGEST = 2**63
"""Whole numbers are smaller, so that arrays can hold them."""
T = TypeVar("T")
_WORDS: Mapping[Any, str] = {float: "number", int: "whole number", str: "text", bool: "truth value"}


class UnfitError(ValueError):
    """The data are not what the type asks for; the message says where and why."""


_FAULTS = (UnfitError, BiomecError, TypeError, ValueError)


def parsed_json(text: str | bytes) -> Any:
    """Return what a JSON text holds; ValueError if it is none, or nested without end."""
    try:
        content = json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    level = [content]
    for _ in range(DEEPEST):
        tables = [one.values() if isinstance(one, dict) else one for one in level if isinstance(one, (dict, list))]
        level = [item for table in tables for item in table]
        if not level:
            return content
    raise ValueError("it is nested too deeply")


def made_from(kind: type[T], data: object, where: str = "") -> T:
    """Return an object of a dataclass from plain data; `UnfitError` names the first thing that does not fit.

    Names that the dataclass does not have are passed over. A list stands for the fields in their order.
    """
    try:
        made: T = _value(kind, data, where, None)
    except _FAULTS as error:
        raise UnfitError(f"{where}: {error}" if where else str(error)) from error
    return made


def restored(kind: type[T], data: object, where: str = "settings") -> tuple[T, tuple[Notice, ...]]:
    """Return an object of a dataclass from plain data, and notices about what could not be used of them."""
    notices: list[Notice] = []
    try:
        value: T = _value(kind, data, where, notices)
    except _FAULTS as error:
        notices.append(_refused(where, error))
        value = kind()
    return value, tuple(notices)


def _refused(where: str, error: Exception) -> Notice:
    words = f"The stored {where} cannot be used by this version of Biomec ({error}); the default was taken. Check it."
    return warning(REFUSED, words)


def _shown(data: object) -> str:
    return reprlib.repr(data)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _dataclass(kind: Any, data: object, where: str, notices: list[Notice] | None) -> Any:
    known = [field.name for field in fields(kind)]
    if notices is None and isinstance(data, (list, tuple)):
        if len(data) > len(known):
            raise UnfitError(f"{len(data)} values are given, at most {len(known)} are known")
        data = dict(zip(known, data, strict=False))
    if not isinstance(data, Mapping):
        raise UnfitError("it is not a table")
    if notices is not None:
        for key in data:
            if key not in known:
                words = f"The stored {where} name {_shown(key)}, which this version of Biomec does not know; "
                notices.append(warning(UNKNOWN, words + "it was passed over."))
    values = {}
    for field in fields(kind):
        inside = f"{where}, {field.name}"
        if field.name not in data:
            if notices is None and field.default is MISSING and field.default_factory is MISSING:
                raise UnfitError(f"{field.name} is missing")
            continue
        try:
            values[field.name] = _value(_hints(kind)[field.name], data[field.name], inside, notices)
        except _FAULTS as error:
            if notices is None:
                raise UnfitError(f"{field.name}: {error}") from error
            notices.append(_refused(inside, error))
    return kind(**values)


def _value(hint: Any, data: Any, where: str, notices: list[Notice] | None) -> Any:
    """Data as an object of the type that a field states; without a list of notices everything must fit."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _one_of(inner, data, where, notices)
    if origin is Literal:
        if data not in inner:
            raise UnfitError(f"{_shown(data)} is none of {', '.join(map(str, inner))}")
        return data
    if origin is tuple:
        if not isinstance(data, (list, tuple)):
            raise UnfitError(f"{_shown(data)} is not a list")
        if len(inner) == 2 and inner[1] is Ellipsis:
            return tuple(_value(inner[0], item, where, notices) for item in data)
        if len(data) != len(inner):
            raise UnfitError(f"{len(data)} values are given, {len(inner)} are needed")
        return tuple(_value(one, item, where, notices) for one, item in zip(inner, data, strict=True))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        if not isinstance(data, Mapping):
            raise UnfitError(f"{_shown(data)} is not a table")
        return {key: _value(inner[1], item, where, notices) for key, item in data.items()}
    if is_dataclass(hint):
        return _dataclass(hint, data, where, notices)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(data)
    if hint is date:
        return date.fromisoformat(_plain(str, data))
    return _plain(hint, data)


def _plain(hint: Any, data: Any) -> Any:
    """A number, text, truth value or None, if it is of that type; whole numbers stand for real ones too."""
    if hint is Any:
        return data
    if hint is type(None):
        if data is not None:
            raise UnfitError(f"{_shown(data)} is there where nothing should be")
        return None
    right = isinstance(data, (int, float)) if hint is float else isinstance(data, hint)
    if not right or (isinstance(data, bool) and hint is not bool):
        raise UnfitError(f"{_shown(data)} is no {_WORDS.get(hint, getattr(hint, '__name__', hint))}")
    if isinstance(data, int) and not -LARGEST <= data < LARGEST:
        raise UnfitError(f"{_shown(data)} is too large")
    if isinstance(data, float) and not math.isfinite(data):
        raise UnfitError(f"{data} is not a finite number")
    return float(data) if hint is float else data


def _one_of(kinds: tuple[Any, ...], data: Any, where: str, notices: list[Notice] | None) -> Any:
    """The first of several types that the data fit."""
    fault: Exception = UnfitError("nothing fits")
    for kind in kinds:
        found: list[Notice] | None = None if notices is None else []
        try:
            value = _value(kind, data, where, found)
        except _FAULTS as error:
            fault = error if data is not None and kind is not type(None) else fault
            continue
        if notices is not None and found is not None:
            notices += found
        return value
    raise fault
