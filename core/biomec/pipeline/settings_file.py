"""Settings of an analysis as plain data and as a file: JSON, the same as ``settings.json`` among all results.

`base.plain_types` makes settings again from the plain data that `recording.step.plain_data` wrote of them. A notice
names what another version of Biomec wrote and this one does not know; the default stands in for it. Files written
before 0.2, in which some steps had other names, still open.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from biomec.base.atomic import atomic_path
from biomec.base.errors import FileError
from biomec.base.limits import LONGEST_DESCRIPTION, whole_file
from biomec.base.notices import Notice
from biomec.base.plain_types import parsed_json, restored
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
        named = settings[steps] if isinstance(settings[steps], tuple) else ()
        settings[steps] = tuple(FORMER_NAMES.get(name, name) for name in named if isinstance(name, str))
    history = tuple(replace(record, step=FORMER_NAMES.get(record.step, record.step)) for record in session.provenance)
    return replace(session, settings=settings, results=renamed(session.results), provenance=history)


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
    try:
        data = parsed_json(whole_file(path, most=LONGEST_DESCRIPTION).decode("utf-8"))
    except OSError as error:
        raise FileError(path.name, f"cannot be read ({error.strerror}).") from error
    except ValueError as error:
        raise FileError(path.name, f"it is not valid JSON ({error}).") from error
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
