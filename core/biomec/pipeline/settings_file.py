"""Settings of an analysis as plain data and as a file: JSON, the same as ``settings.json`` among all results.

Settings are made again from the plain data that `recording.step.plain_data` wrote of them. Any tree of frozen
dataclasses, enumerations, tuples and tables is understood by the types that its fields state. A notice names what
another version of Biomec wrote and this one does not know; the default stands in for it. Files written before 0.2, in
which some steps had other names, still open.
"""

from __future__ import annotations

import json
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from biomec.base.atomic import atomic_path
from biomec.base.errors import BiomecError, FileError
from biomec.base.notices import Notice, warning
from biomec.base.special_files import refuse_special
from biomec.pipeline.settings import AnalysisSettings
from biomec.recording import Session
from biomec.recording.step import plain_data

# ----------------------------------------------------------------------------------------------------- names before 0.2


FORMER_NAMES: Mapping[str, str] = {"consistency": "positions", "rates": "motion", "inverse": "loads"}
"""Former name of a step -> its name; settings of an analysis had the same names."""


def renamed(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table by step with today's names; the order stays."""
    return {FORMER_NAMES.get(name, name): value for name, value in table.items()}


def with_names_of_today(session: Session, analysis: str, steps: str) -> Session:
    """Return a stored session in which results, history and settings name the steps as today.

    analysis, steps : keys of the session's settings that hold the settings of the analysis and the steps to run
    """
    settings = dict(session.settings)
    if isinstance(settings.get(analysis), Mapping):
        settings[analysis] = renamed(settings[analysis])
    if steps in settings:
        settings[steps] = tuple(FORMER_NAMES.get(name, name) for name in settings[steps])
    history = tuple(replace(record, step=FORMER_NAMES.get(record.step, record.step)) for record in session.provenance)
    return replace(session, settings=settings, results=renamed(session.results), provenance=history)


# --------------------------------------------------------------------------------------------- settings from plain data


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


# ---------------------------------------------------------------------------------------------------------------- files


def settings_text(settings: AnalysisSettings) -> str:
    """Settings as JSON."""
    return json.dumps(plain_data(settings), indent=2, ensure_ascii=False) + "\n"


def write_settings(settings: AnalysisSettings, path: Path) -> None:
    """Write settings to a file, whole or not at all."""
    with atomic_path(path) as temporary:
        temporary.write_text(settings_text(settings), encoding="utf-8")


def read_settings(path: Path) -> tuple[AnalysisSettings, tuple[Notice, ...]]:
    """Return the settings of a file, and notices about what this version of Biomec could not use of it."""
    path = Path(path)
    refuse_special(path)
    try:
        data = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise FileError(path.name, f"cannot be read ({error.strerror}).") from error
    except ValueError as error:
        raise FileError(path.name, f"it is no JSON ({error}).") from error
    data = renamed(data) if isinstance(data, dict) else data
    if not isinstance(data, dict) or not {field.name for field in fields(AnalysisSettings)} & data.keys():
        raise FileError(
            path.name,
            "it holds no settings of an analysis. Such a file is settings.json of an analysis that was written.",
        )
    return restored(AnalysisSettings, data)


def found_on_the_recording(settings: AnalysisSettings) -> tuple[str, ...]:
    """What of the settings is true of one recording only, in words: places in its static, times of its contacts."""
    options, words = settings.body.options, []
    if options.points:
        words.append(f"functional centres ({', '.join(options.points)})")
    if options.axes:
        words.append(f"functional axes ({', '.join(options.axes)})")
    if settings.signals.by_hand:
        words.append("contacts that were given to a hand or foot by hand")
    return tuple(words)


def with_findings_of(settings: AnalysisSettings, other: AnalysisSettings) -> AnalysisSettings:
    """Return settings in which all that is true of one recording only is taken from others."""
    theirs = other.body.options
    options = replace(settings.body.options, points=theirs.points, axes=theirs.axes)
    return replace(
        settings,
        signals=replace(settings.signals, by_hand=other.signals.by_hand),
        body=replace(settings.body, options=options),
    )
