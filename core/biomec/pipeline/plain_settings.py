"""Settings made again from the plain data that `recording.step.plain_data` wrote of them.

Any tree of frozen dataclasses, enumerations, tuples and tables is understood by the types that its fields state. What
another version of Biomec wrote and this one does not know is told and passed over; the default stands in for it.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, warning

UNKNOWN, REFUSED = "setting-unknown", "setting-refused"
T = TypeVar("T")


class _Unfit(Exception):
    """The data are not what the type asks for."""


def restored(kind: type[T], data: object, where: str = "settings") -> tuple[T, tuple[Notice, ...]]:
    """Return an object of a dataclass from plain data, and notices about what could not be used."""
    notices: list[Notice] = []
    try:
        value: T = _dataclass(kind, data, where, notices)
    except (_Unfit, BiomecError, TypeError, ValueError) as error:
        notices.append(_refused(where, error))
        value = kind()
    return value, tuple(notices)


def _refused(where: str, error: Exception) -> Notice:
    words = f"The stored {where} cannot be used by this version of Biomec ({error}); the default was taken. Check it."
    return warning(REFUSED, words)


def _dataclass(kind: Any, data: object, where: str, notices: list[Notice]) -> Any:
    if not isinstance(data, Mapping):
        raise _Unfit("it is no table")
    hints = get_type_hints(kind)
    known = {field.name for field in fields(kind)}
    for key in data:
        if key not in known:
            words = f"The stored {where} name {key!r}, which this version of Biomec does not know; it was passed over."
            notices.append(warning(UNKNOWN, words))
    values = {}
    for name in (field.name for field in fields(kind) if field.name in data):
        inside = f"{where}, {name}"
        try:
            values[name] = _value(hints[name], data[name], inside, notices)
        except (_Unfit, BiomecError, TypeError, ValueError) as error:
            notices.append(_refused(inside, error))
    return kind(**values)


def _value(hint: Any, data: Any, where: str, notices: list[Notice]) -> Any:
    """Data as an object of the type that a field states."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _one_of(inner, data, where, notices)
    if origin is Literal:
        if data not in inner:
            raise _Unfit(f"{data!r} is none of {', '.join(map(str, inner))}")
        return data
    if origin is tuple:
        if not isinstance(data, (list, tuple)):
            raise _Unfit("it is no list")
        if len(inner) == 2 and inner[1] is Ellipsis:
            return tuple(_value(inner[0], item, where, notices) for item in data)
        if len(data) != len(inner):
            raise _Unfit(f"{len(data)} values are given, {len(inner)} are needed")
        return tuple(_value(one, item, where, notices) for one, item in zip(inner, data, strict=True))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        if not isinstance(data, Mapping):
            raise _Unfit("it is no table")
        return {key: _value(inner[1], item, where, notices) for key, item in data.items()}
    if is_dataclass(hint):
        return _dataclass(hint, data, where, notices)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(data)
    return _plain(hint, data)


def _plain(hint: Any, data: Any) -> Any:
    """A number, text, truth value or None, if it is of that type; whole numbers stand for real ones too."""
    if hint is Any:
        return data
    if hint is type(None):
        if data is not None:
            raise _Unfit(f"{data!r} is there where nothing should be")
        return None
    right = isinstance(data, (int, float)) if hint is float else isinstance(data, hint)
    if not right or (isinstance(data, bool) and hint is not bool):
        raise _Unfit(f"{data!r} is no {getattr(hint, '__name__', hint)}")
    return float(data) if hint is float else data


def _one_of(kinds: tuple[Any, ...], data: Any, where: str, notices: list[Notice]) -> Any:
    """The first of several types that the data fit."""
    fault: Exception = _Unfit("nothing fits")
    for kind in kinds:
        found: list[Notice] = []
        try:
            value = _value(kind, data, where, found)
        except (_Unfit, BiomecError, TypeError, ValueError) as error:
            fault = error if data is not None and kind is not type(None) else fault
            continue
        notices += found
        return value
    raise fault
